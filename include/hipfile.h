// SPDX-License-Identifier: MIT
/*
 * hipFile: bytes between files and GPU memory.
 *
 * The interface is that of AMD hipFile 0.5: the same names, values, layouts and results, so that a
 * program built against either header runs with either library. What this library adds is in
 * hipfile_ext.h; what the calls promise about order, atomicity and durability, sentence by sentence
 * with the test that shows it, is in docs/contract.md.
 *
 *     int fd = open("weights", O_RDONLY);
 *     hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = fd};
 *     hipFileHandle_t file;
 *     hipFileError_t error = hipFileHandleRegister(&file, &descr);
 *     if (error.err != hipFileSuccess)
 *         die(hipFileGetOpErrorString(error.err));
 *     ssize_t n = hipFileRead(file, device_pointer, size, 0, 0);
 *     if (n < 0)
 *         die(IS_HIPFILE_ERR(n) ? HIPFILE_ERRSTR(n) : strerror(errno));
 *     hipFileHandleDeregister(file);
 *     close(fd);
 *
 * Handles. A file is opened with open(2), which decides who may do what, and registered, which
 * gives a handle. The library works on a duplicate of the descriptor of its own. Neither O_DIRECT
 * nor any alignment is asked for: whatever pread and pwrite accept on the file, a handle accepts.
 *
 * Buffers. Memory is given as a base address and an offset in bytes. It may be device memory,
 * managed memory or pinned host memory, registered or not, and ordinary host memory once
 * registered. Registering a buffer is optional, costs little, and makes small requests on it
 * faster.
 *
 * Paths. A request takes the direct path (the storage device and the GPU exchange the bytes, no
 * copy in host memory) as far as file system, alignment and HIP runtime allow; what is left takes
 * the bounce path (through pinned host buffers), and memory that the CPU can address takes the
 * host path (plain file I/O). The result is the same on each. hipfile_ext.h tells which path was
 * taken, and why not the direct one.
 *
 * Errors. Most calls return a hipFileError_t, whose err is hipFileSuccess or a code above 5000;
 * with hipFileHipDriverError, hip_drv_err says what HIP answered, and in every other case it is
 * hipSuccess. hipFileRead and hipFileWrite return a count; -1 with errno set when the operating
 * system refused; or a code, negated. errno holds nothing but errno values, and only -1 says that
 * it was set.
 *
 * Order with device work. A synchronous call does NOT wait for work that was queued on a stream:
 * not for the kernel that fills the buffer to be written, nor for the one that still reads the
 * buffer to be filled. Synchronise the stream first. The asynchronous calls take their place in a
 * stream.
 *
 * Threads. Every function here may be called from any thread at any time, except where its text
 * says otherwise, and a thread's first HIP call may well be one of these. The calling thread's
 * current device and pending HIP error are left as they were found. A thread must not be
 * cancelled (pthread_cancel) inside one of them, nor call one from a signal handler or from a
 * host function of a stream.
 *
 * fork. In a child process the library is closed and knows no handle, buffer, stream or batch of
 * its parent; it can be opened anew where the HIP runtime works in the child.
 *
 * The notes below. "Since" is the hipFile release that brought a call. "Contract" says who
 * decided what the text promises: "hipFile 0.5" where AMD's library behaves so, "ours" where it
 * leaves the matter open, or where this library differs on purpose. A failure that any call can
 * meet, and that the texts do not repeat: hipFileInternalError when the process has no memory
 * left for bookkeeping.
 */
#ifndef HIPFILE_H
#define HIPFILE_H

/* With ROCm's headers, define __HIP_PLATFORM_AMD__ (hip::hipfile and pkg-config do). */
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On each exported function. */
#if defined(__GNUC__) || defined(__clang__)
#define HIPFILE_API __attribute__((visibility("default")))
#else
#define HIPFILE_API
#endif

/* Gone again at the end of this header. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define __HIPFILE_NODISCARD [[nodiscard]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L
#define __HIPFILE_NODISCARD [[nodiscard]]
#else
#define __HIPFILE_NODISCARD
#endif

/* ---------------------------------------------------------------------------------------------
 * Version
 */

/* The release of hipFile whose interface this is. hipFileGetVersion tells the library's. */
#define HIPFILE_VERSION_MAJOR 0
#define HIPFILE_VERSION_MINOR 5
#define HIPFILE_VERSION_PATCH 0

/* ---------------------------------------------------------------------------------------------
 * Errors
 */

/* Every code but hipFileSuccess is above this, and so apart from every errno value. */
#define HIPFILE_BASE_ERR 5000

/*
 * Whether a value is a hipFile code, negated or not. Meant for results below zero, as in
 * `if (n < 0 && IS_HIPFILE_ERR(n))`: a count above 5000 satisfies it too.
 */
#define IS_HIPFILE_ERR(e) (llabs((long long)(e)) > HIPFILE_BASE_ERR)

/* The text of a hipFile code, negated or not. */
#define HIPFILE_ERRSTR(e) hipFileGetOpErrorString((hipFileOpError_t)llabs((long long)(e)))

/* For a hipFileError_t x: whether a HIP call failed, and with which hipError_t (an lvalue). */
#ifndef IS_HIP_DRV_ERR
#define IS_HIP_DRV_ERR(x) ((x).err == hipFileHipDriverError)
#endif
#ifndef HIP_DRV_ERR
#define HIP_DRV_ERR(x) ((x).hip_drv_err)
#endif

/**
 * What went wrong.
 *
 * Numbers and names are cuFile's; some of the conditions cannot arise here, and no call of this
 * library gives their codes ("not used"). 5021 and 5032 are unassigned.
 * Since 0.2. Contract: hipFile 0.5 for the values; ours for which condition gives which code, in so
 * far as AMD's library says 5030 for nearly everything.
 */
typedef enum hipFileOpError {
    /** Done. */
    hipFileSuccess = 0,
    /** The library is not open: hipFileDriverClose without an open before it. */
    hipFileDriverNotInitialized = 5001,
    /** A value of a property or parameter that is in range but not a multiple of its step. */
    hipFileDriverInvalidProps = 5002,
    /** A value of a property or parameter that is out of its range. */
    hipFileDriverUnsupportedLimit = 5003,
    /** The HIP runtime is older than HIP 6. */
    hipFileDriverVersionMismatch = 5004,
    /** The HIP runtime does not tell its version. */
    hipFileDriverVersionReadError = 5005,
    /** hipFileBufDeregister while the library is closed. */
    hipFileDriverClosing = 5006,
    /** No HIP runtime with a device was found; the log says what was tried and what to install. */
    hipFilePlatformNotSupported = 5007,
    /** No path may carry this request; or a kind of file handle that is not supported. */
    hipFileIONotSupported = 5008,
    /** The number of the GPU is above 31. A GPU of whatever kind at least takes the bounce path. */
    hipFileDeviceNotSupported = 5009,
    /** The kernel driver failed. Not used: its errno is passed on instead. */
    hipFileDriverError = 5010,
    /** A HIP call failed; hip_drv_err says how (see also hipFileExtGetLastHipError). */
    hipFileHipDriverError = 5011,
    /** A device pointer is invalid. Not used: hipFileInvalidValue says it. */
    hipFileHipPointerInvalid = 5012,
    /** Memory of a kind that cannot be read or written linearly (an array). */
    hipFileHipMemoryTypeInvalid = 5013,
    /** The range to register reaches beyond the memory that is allocated there. */
    hipFileHipPointerRangeError = 5014,
    /** Context of another device. Not used: the library changes to the right device by itself. */
    hipFileHipContextMismatch = 5015,
    /** Size of a mapping. Not used: nothing is mapped. */
    hipFileInvalidMappingSize = 5016,
    /** Range of a mapping. Not used: nothing is mapped. */
    hipFileInvalidMappingRange = 5017,
    /** The descriptor is a pipe, a socket, a character device or a directory. */
    hipFileInvalidFileType = 5018,
    /** The descriptor was opened with O_PATH. All other flags will do. */
    hipFileInvalidFileOpenFlag = 5019,
    /** O_DIRECT is missing. Not used: it is not needed. */
    hipFileDIONotSet = 5020,
    /** An argument is NULL, unknown or out of its range. */
    hipFileInvalidValue = 5022,
    /** This base address is registered already. */
    hipFileMemoryAlreadyRegistered = 5023,
    /** This base address is not registered. */
    hipFileMemoryNotRegistered = 5024,
    /** The system denied it: EPERM or EACCES, where there is no errno to say so. */
    hipFilePermissionDenied = 5025,
    /** What may only be changed while the library is closed was changed while it is open. */
    hipFileDriverAlreadyOpen = 5026,
    /** The handle is not, or no longer, registered. */
    hipFileHandleNotRegistered = 5027,
    /** This descriptor is registered already. */
    hipFileHandleAlreadyRegistered = 5028,
    /** The GPU is gone. Not used: hipFileHipDriverError says it. */
    hipFileDeviceNotFound = 5029,
    /** None of the others: not a descriptor, a busy buffer, or out of memory. */
    hipFileInternalError = 5030,
    /** The process or the system has no descriptor left for the duplicate. */
    hipFileGetNewFDFailed = 5031,
    /** Setting the driver up failed. Not used. */
    hipFileDriverSetupError = 5033,
    /** A rule of the configuration forbids every path that could carry this request. */
    hipFileIODisabled = 5034,
    /** The batch could not be handed to the engine. Not used: another engine takes it. */
    hipFileBatchSubmitFailed = 5035,
    /** Registering this buffer would exceed the limit on registered memory. */
    hipFileGPUMemoryPinningFailed = 5036,
    /** More entries than the batch has room for. */
    hipFileBatchFull = 5037,
    /** The stream is being captured into a graph, where file I/O cannot go. */
    hipFileAsyncNotSupported = 5038,
    /** Above every code. Never returned. */
    hipFileIOMaxError = 5039
} hipFileOpError_t;

/**
 * The result of most calls, passed by value.
 * C23 and C++17 compilers warn when it is dropped. Since 0.2. Contract: hipFile 0.5.
 */
typedef struct __HIPFILE_NODISCARD hipFileError {
    /** hipFileSuccess, or what went wrong. */
    hipFileOpError_t err;
    /** What HIP answered if err is hipFileHipDriverError, else hipSuccess. */
    hipError_t hip_drv_err;
} hipFileError_t;

/**
 * The English text of a code.
 *
 * @param status  a code, not negated (HIPFILE_ERRSTR takes either sign); any value is allowed
 * @return one sentence, without a full stop or newline; a generic one for a value that is no code.
 *         Never NULL or empty. The string is constant and lives as long as the library is loaded.
 *
 * Opens nothing, changes no errno. Since 0.3 (hipFileOpStatusError before). Contract: hipFile 0.5
 * (the wording is ours and may change).
 */
HIPFILE_API const char *hipFileGetOpErrorString(hipFileOpError_t status);

/**
 * The version of the library, which may be newer than this header's HIPFILE_VERSION_* macros.
 *
 * @param major  out: written if not NULL
 * @param minor  out: written if not NULL
 * @param patch  out: written if not NULL
 * @return hipFileSuccess, always
 *
 * Works while the library is closed, and does not open it. Since 0.2. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

/* ---------------------------------------------------------------------------------------------
 * Opening and closing the library
 */

/**
 * Open the library, or count one more use of it.
 *
 * Optional: registering a file or a buffer opens it too. What it saves is the time of the first
 * registration. The parameters that were set before take effect here, with the change from closed
 * to open. (The configuration file and the environment are read once, at the first call of all.) No
 * device is touched.
 *
 * @return hipFileSuccess, always
 *
 * Since 0.2. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileDriverOpen(void);

/**
 * Count one use less; with the last one, close the library.
 *
 * At the close every file, buffer, stream and batch registration is dropped: handles become
 * unknown, and the same descriptors and addresses can be registered anew. Work in flight is safe:
 * synchronous and stream operations finish on references of their own, and running batch entries
 * are waited for, since their owner loses the means to. Memory that an operation still uses must
 * not be freed before the call returned, or the stream was synchronised. Parameters that were set
 * go back to their defaults.
 *
 * Closing is optional: a process may simply end. Then operations that nobody waited for may be
 * dropped, as those on a HIP stream may be.
 *
 * @return hipFileSuccess, or
 *   - hipFileDriverNotInitialized: the library is closed already
 *
 * Since 0.2. Contract: hipFile 0.5; ours: streams and batches are dropped, running entries awaited.
 */
HIPFILE_API hipFileError_t hipFileDriverClose(void);

/**
 * How many more closes it takes to close the library.
 *
 * @return the number of hipFileDriverOpen calls and of implicit opens that no hipFileDriverClose
 *         has matched yet; 0: closed. However many threads register at the same time, an implicit
 *         open counts once, from 0 to 1.
 *
 * A snapshot: another thread may change it at any time. Since 0.2. Contract: hipFile 0.5.
 */
HIPFILE_API int64_t hipFileUseCount(void);

/* ---------------------------------------------------------------------------------------------
 * Files
 */

/** An offset into a file or a buffer, in bytes. */
typedef off_t hoff_t;

/**
 * A registered file. Opaque, copied by value; any value may be passed to any function, and one
 * that is not a handle is recognised. Valid until it is deregistered or the library is closed.
 */
typedef void *hipFileHandle_t;

/** Flags for the callbacks of hipFileFSOps_t. Nothing here reads them. */
#define HIPFILE_RDMA_REGISTER         1
#define HIPFILE_RDMA_RELAXED_ORDERING (1 << 1)

/**
 * An RDMA descriptor for the callbacks of hipFileFSOps_t.
 * Since 0.2. Contract: hipFile 0.5, where nothing uses it either.
 */
typedef struct hipFileRDMAInfo {
    /** Version of the descriptor's format. */
    int version;
    /** Bytes at desc_str. */
    int desc_len;
    /** The descriptor; the caller's memory. */
    const char *desc_str;
} hipFileRDMAInfo_t;

/**
 * The operations of a file system in user space, for hipFileHandleTypeUserspaceFS.
 * Since 0.2. Contract: hipFile 0.5, which declares the type and refuses such handles, as does this
 * version.
 */
typedef struct hipFileFSOps {
    /** The name of the file system. */
    const char *(*fs_type)(void *handle);
    /** Fills *hostaddrs with the addresses of RDMA devices; their number, or below zero. */
    int (*getRDMADeviceList)(void *handle, struct sockaddr **hostaddrs);
    /** The preference for a device when these bytes (address, length, file offset) move. */
    int (*getRDMADevicePriority)(void *handle, char *, size_t, hoff_t, struct sockaddr *hostaddr);
    /** Reads as pread does: memory, size in bytes, file offset. */
    ssize_t (*read)(void *handle, char *, size_t, hoff_t, hipFileRDMAInfo_t *);
    /** Writes as pwrite does: memory, size in bytes, file offset. */
    ssize_t (*write)(void *handle, const char *, size_t, hoff_t, hipFileRDMAInfo_t *);
} hipFileFSOps_t;

/** What a hipFileDescr_t describes. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileFileHandleType {
    /** A file descriptor. */
    hipFileHandleTypeOpaqueFD = 1,
    /** A Windows handle. Not supported. */
    hipFileHandleTypeOpaqueWin32 = 2,
    /** A file of a file system in user space. Not supported. */
    hipFileHandleTypeUserspaceFS = 3
} hipFileFileHandleType_t;

/** What to register. Since 0.2. Contract: hipFile 0.5. */
typedef struct hipFileDescr {
    /** Which member of handle is valid. */
    hipFileFileHandleType_t type;
    union {
        /** The descriptor; 0 is as good as any. It stays the caller's. */
        int fd;
        /** For the types that are not supported. */
        void *hFile;
    } handle;
    /** For hipFileHandleTypeUserspaceFS; with a descriptor it need not be set. */
    const hipFileFSOps_t *fs_ops;
} hipFileDescr_t;

/**
 * Register an open file.
 *
 * Regular files and block devices, on any file system, unlinked ones and memfds included, opened
 * in any mode. The library keeps a close-on-exec duplicate of the descriptor: the caller may
 * close its own at any time, and a number that is used again never sends bytes to another file.
 * Where useful a second descriptor of the same file, with O_DIRECT switched, is opened on the
 * first transfer that wants it; if that fails, the direct path is not taken, and nothing else is
 * lost.
 *
 * A duplicate shares the open file description: O_DIRECT switched on or off by fcntl(2) is
 * noticed, and flock(2) locks, open-file-description locks and leases last until the handle is
 * gone. As with any close(2) of any descriptor of a file, deregistering drops the process's POSIX
 * record locks on it.
 *
 * With O_APPEND writes still go to the offset that they name. Where that cannot be done they fail
 * with EINVAL.
 *
 * Opens the library if it is closed, unless the arguments are refused.
 *
 * @param fh     out: the handle; written on success only
 * @param descr  in: read during the call only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: fh or descr is NULL
 *   - hipFileIONotSupported: a type other than hipFileHandleTypeOpaqueFD
 *   - hipFileInternalError: not an open descriptor, or its state cannot be read
 *   - hipFileInvalidFileType: a pipe, a socket, a character device or a directory
 *   - hipFileInvalidFileOpenFlag: a descriptor that was opened with O_PATH
 *   - hipFileGetNewFDFailed: no descriptor is left for the duplicate
 *   - hipFileHandleAlreadyRegistered: this number is registered and still means the same open
 *     file. (Another descriptor of the same file is fine. A number that meanwhile means another
 *     file is taken by the new handle, and the old handle stays valid.)
 *
 * Since 0.2. Contract: hipFile 0.5; ours: the duplicate, the later second descriptor, O_APPEND,
 * and the codes for file type and descriptors.
 */
HIPFILE_API hipFileError_t hipFileHandleRegister(hipFileHandle_t *fh, hipFileDescr_t *descr);

/**
 * Give a handle back.
 *
 * Returns at once. Operations in flight finish, new ones fail with hipFileHandleNotRegistered. The
 * caller's descriptor is not closed; the library's own are, when the last operation ends.
 *
 * @param fh  a handle; NULL, an unknown one, one given back before: nothing happens
 *
 * Since 0.2. Contract: hipFile 0.5; ours: a busy handle goes too (AMD's library silently keeps it).
 */
HIPFILE_API void hipFileHandleDeregister(hipFileHandle_t fh);

/* ---------------------------------------------------------------------------------------------
 * Buffers
 */

/**
 * Register memory for I/O.
 *
 * Nothing is pinned, mapped or copied: registering records what the memory is, so that later
 * requests need not ask, and bounds them to the range. Requests on memory of HIP's (device,
 * managed, pinned) work without it; ordinary host memory must be registered. Any part of an
 * allocation can be registered, and ranges may overlap: a request is bounded by the longest
 * registered range that contains its base.
 *
 * Deregister a buffer before its memory is freed. Otherwise requests on whatever is allocated there
 * next are taken for requests on the old memory.
 *
 * Opens the library if it is closed, even if the arguments are then refused.
 *
 * @param buffer_base  first byte; device, managed, pinned host or ordinary host memory. It stays
 *                     the caller's.
 * @param length       bytes; the range may span adjacent mappings. 0 is accepted, and such a range
 *                     contains nothing.
 * @param flags        any value; not used
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: NULL, memory that was freed, or memory that HIP does not know and that
 *     is not mapped and readable from end to end
 *   - hipFileHipMemoryTypeInvalid: an array
 *   - hipFileHipPointerRangeError: the range wraps around, or reaches beyond what is allocated
 *     there
 *   - hipFileMemoryAlreadyRegistered: this base address is registered
 *   - hipFileGPUMemoryPinningFailed: the sum of registered lengths would exceed
 *     hipFileParamPropertiesMaxDevicePinnedMemSizeKB
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch: no HIP runtime, or one that is
 *     too old
 *   - hipFileHipDriverError: HIP failed
 *
 * Since 0.2. Contract: hipFile 0.5; ours: managed, pinned and ordinary host memory (AMD's library
 * takes device memory only), ranges over several mappings, the limit.
 */
HIPFILE_API hipFileError_t hipFileBufRegister(const void *buffer_base, size_t length, int flags);

/**
 * End a registration.
 *
 * @param buffer_base  the address that was registered
 *
 * @return hipFileSuccess, or
 *   - hipFileDriverClosing: the library is closed (whatever the address)
 *   - hipFileMemoryNotRegistered: the address is not registered
 *   - hipFileInternalError: an operation is using the buffer; it stays registered
 *
 * Does not open the library. Since 0.2. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileBufDeregister(const void *buffer_base);

/* ---------------------------------------------------------------------------------------------
 * Synchronous I/O
 */

/**
 * Read from a file into memory.
 *
 * Like pread(2): the descriptor's file position is neither used nor moved. When the call returns,
 * the bytes are in place, for any device work queued afterwards and, if the CPU can address the
 * memory, for the CPU. It does not wait for work queued earlier (see the top of this file). Bytes
 * outside the requested range of the buffer are never written. Interrupted system calls are taken
 * up again.
 *
 * Several threads may read and write one file and one buffer at the same time. Requests that
 * overlap are not ordered with each other, and a request as a whole is not atomic.
 *
 * @param fh             a registered file, open for reading
 * @param buffer_base    the base of the buffer: a registered address, any address inside a
 *                       registered range, or any address inside memory of HIP's
 * @param size           bytes, of any alignment; more than 0x7ffff000 (2 GiB less 4 KiB) is taken
 *                       as that. 0 reads nothing, and checks the other arguments.
 * @param file_offset    where in the file to begin, in bytes, >= 0, of any alignment
 * @param buffer_offset  where in the buffer to begin, in bytes from buffer_base, >= 0, of any
 *                       alignment
 *
 * @return above 0: that many bytes were read, and they are the first ones of the range. There are
 * fewer than asked for when the file ends, or when an error came after them: then bytes of the
 * buffer behind the count may have changed too, and the next call meets the error.
 *
 * 0: at or beyond the end of the file, or size was 0.
 *
 * -1: the operating system refused, and errno says why, as pread(2) does. Among others
 *   - EINVAL: the library is closed, or an offset is negative
 *   - EBADF: the file is not open for reading
 *   - ENOMEM: no memory for staging
 *   - EIO: the storage failed
 *
 * Below -1: nothing was transferred, and the value is one of these codes, negated
 *   - hipFileHandleNotRegistered: not a handle (checked before the buffer)
 *   - hipFileInvalidValue: the base is NULL, or memory that is neither registered nor HIP's; the
 *     request begins at or behind the end of the buffer (even with size 0), or reaches beyond it.
 *     The end is that of the registered range, else that of the allocation.
 *   - hipFileHipMemoryTypeInvalid: an array
 *   - hipFileIONotSupported: compat mode is forbidden, and the direct path cannot serve this file
 *     or memory
 *   - hipFileIODisabled: a rule of the configuration forbids every path
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch: no HIP runtime, or one that is
 *     too old
 *   - hipFileHipDriverError: HIP failed; hipFileExtGetLastHipError tells how
 *   - hipFileInternalError: anything else
 *
 * Since 0.2. Contract: hipFile 0.5; ours: hipFileHipDriverError (AMD's library returns a negated
 * hipError_t, its header promises this code), the count after a partial failure, and the memory
 * kinds.
 */
HIPFILE_API ssize_t hipFileRead(hipFileHandle_t fh, void *buffer_base, size_t size,
                                hoff_t file_offset, hoff_t buffer_offset);

/**
 * Write from memory to a file.
 *
 * Like pwrite(2): the descriptor's file position is neither used nor moved, a write beyond the
 * end extends the file, and a gap reads as zeroes. When the call returns, the memory may be used
 * again. The bytes are as durable as the descriptor makes them (O_SYNC, O_DSYNC) or the caller's
 * fsync(2) does; nothing is flushed on the way. It does not wait for work queued earlier (see the
 * top of this file). Bytes outside the requested range of the file are never written.
 *
 * Arguments as for hipFileRead, with the file open for writing. With size 0 the file does not grow.
 *
 * A write to an O_DIRECT descriptor that comes back short has a count that is a multiple of the
 * file's block size, so that a loop which rounds the rest up goes on correctly.
 *
 * @return above 0: that many bytes were written, and they are the first ones of the range. There
 * are fewer than asked for when an error came after them: then bytes of the file behind the count
 * may have changed too, and the next call meets the error.
 *
 * 0: size was 0.
 *
 * -1: the operating system refused, and errno says why, as pwrite(2) does. Among others
 *   - EINVAL: the library is closed; an offset is negative; or the request is not aligned to
 *     blocks, and the file can be opened with O_DIRECT only
 *   - EBADF: the file is not open for writing
 *   - ENOSPC, EDQUOT, EFBIG: no space, quota or size limit is left
 *   - ENOMEM, EIO: as for hipFileRead
 *
 * Below -1: a code, negated, as for hipFileRead.
 *
 * Since 0.2. Contract: hipFile 0.5; ours: as for hipFileRead, and no fdatasync (AMD's fallback
 * makes one every 16 MiB).
 */
HIPFILE_API ssize_t hipFileWrite(hipFileHandle_t fh, const void *buffer_base, size_t size,
                                 hoff_t file_offset, hoff_t buffer_offset);

/* ---------------------------------------------------------------------------------------------
 * Asynchronous I/O: operations in a stream
 */

/**
 * Flags of hipFileStreamRegister. FIXED: this value is what it is when the operation is submitted.
 * PAGE_ALIGNED: a promise that sizes and offsets are multiples of 4096; nothing gets faster by it.
 * The mask is all of them.
 */
#define HIPFILE_STREAM_FIXED_BUF_OFFSET    1
#define HIPFILE_STREAM_FIXED_FILE_OFFSET   (1 << 1)
#define HIPFILE_STREAM_FIXED_FILE_SIZE     (1 << 2)
#define HIPFILE_STREAM_PAGE_ALIGNED_INPUTS (1 << 3)
#define HIPFILE_STREAM_FLAGS_MASK          0xf

/**
 * Say how the operations of a stream bind their arguments.
 *
 * Optional. On a stream that is not registered (or with flags 0) the size and the offsets of an
 * operation are read when the stream reaches it. Each FIXED flag has one of them read during the
 * submission instead, and its pointer is not used after that.
 *
 * An operation that breaks the promise of HIPFILE_STREAM_PAGE_ALIGNED_INPUTS transfers nothing, and
 * its outcome is hipFileInvalidValue, negated.
 *
 * Does not open the library, and works while it is closed. Operations already submitted keep the
 * flags that they were submitted with.
 *
 * @param stream  a stream, or NULL for the default stream. It stays the caller's. Deregister it
 *                before it is destroyed: a new stream may get the same handle.
 * @param flags   HIPFILE_STREAM_*
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: flags outside the mask, or the stream is registered already
 *   - hipFileAsyncNotSupported: the stream is being captured
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch: no HIP runtime, or one that is
 *     too old
 *   - hipFileHipDriverError: HIP does not accept the stream
 *
 * Since 0.2. Contract: hipFile 0.5; ours: capture, and the registration ends when the library
 * closes.
 */
HIPFILE_API hipFileError_t hipFileStreamRegister(hipStream_t stream, unsigned flags);

/**
 * End the registration of a stream.
 *
 * Operations in the stream are not affected. Does not open the library.
 *
 * @param stream  the stream that was registered
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: the stream is not registered
 *
 * Since 0.2. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileStreamDeregister(hipStream_t stream);

/**
 * Put a read from a file into a stream.
 *
 * The operation begins when all earlier work of the stream is done, and later work of the stream
 * begins when the operation is done: operations, copies and kernels of one stream happen one
 * after the other, and streams do not wait for each other. The call itself does not wait for the
 * transfer.
 *
 * The outcome is stored in *bytes_read_p before the stream goes on; read it after
 * hipStreamSynchronize, or after an event that was recorded behind the operation. It is
 *   - the number of bytes read, counted as hipFileRead counts;
 *   - an errno value, negated, such as -EIO (EPERM, which is 1, is hipFilePermissionDenied
 *     instead: a -1 is never stored);
 *   - a hipFile code, negated: hipFileInvalidValue when a value that was bound late is not valid,
 *     else as for hipFileRead.
 * A failed operation does not stop the stream.
 *
 * Values that are bound late may differ from those at submission. The size may have shrunk, but not
 * grown, and the range must still lie in the buffer. They are read, never written.
 *
 * Until the stream has passed the operation, the memory of the buffer, bytes_read_p and every
 * pointer whose value is not fixed must stay valid; with all three FIXED flags that leaves the
 * buffer and bytes_read_p. The handle and the registration of the stream may be given up before,
 * but not that of the buffer (hipFileBufDeregister says that it is in use).
 *
 * While operations are pending, a HIP runtime may make other threads wait that free device or
 * pinned memory, and with many streams held (8 and more on NVIDIA) other streams' kernels too. They
 * wait until operations have ended, which never depend on such calls; but on NVIDIA do not free
 * past HIP (cudaFree) meanwhile, which would never return. docs/contract.md tells more.
 *
 * Copies of the bounce path need a stream priority at which no operation is pending: while there
 * are operations at every other priority of the device, a submission at the last one waits for its
 * stream and does the transfer before it returns.
 *
 * Opens the library if it is closed, and is then refused, since there can be no handle.
 *
 * @param fh               a registered file, open for reading
 * @param buffer_base      as for hipFileRead
 * @param size_p           in: bytes; 0 is an operation like any other, in its order
 * @param file_offset_p    in: where in the file to begin, in bytes, >= 0
 * @param buffer_offset_p  in: where in the buffer to begin, in bytes, >= 0
 * @param bytes_read_p     out: the outcome; memory that the CPU can address. 0 from submission
 *                         until then.
 * @param stream           a stream of the buffer's device, registered or not; NULL is the default
 *                         stream
 *
 * @return hipFileSuccess: the operation is in the stream. Or, with nothing left in the stream and
 *         nothing to be expected from *bytes_read_p,
 *   - hipFileInvalidValue: the library was closed; a pointer is NULL; the buffer is unknown, or
 *     of another device than the stream's; or the values as they are now are not valid (with and
 *     without FIXED flags): a negative offset, a range outside the buffer
 *   - hipFileHandleNotRegistered: not a handle (checked before the buffer)
 *   - hipFileHipMemoryTypeInvalid: an array
 *   - hipFileAsyncNotSupported: the stream is being captured into a graph
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch: no HIP runtime, or one that is
 *     too old
 *   - hipFileHipDriverError: HIP failed, hipErrorOutOfMemory included
 *   - hipFileInternalError: anything else
 *
 * Two threads that submit to one stream get some order; neither's operation is torn apart. Since
 * 0.2. Contract: hipFile 0.5; ours: the errno in *bytes_read_p (AMD's library stores -1), size 0
 * in stream order, the other paths when the direct one fails, capture.
 */
HIPFILE_API hipFileError_t hipFileReadAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                            hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                            ssize_t *bytes_read_p, hipStream_t stream);

/**
 * Put a write to a file into a stream.
 *
 * As hipFileReadAsync, with the file open for writing and the meaning of hipFileWrite. The buffer
 * is only read, although the parameter is not const; it must stay unchanged until the stream has
 * passed the operation.
 *
 * @param bytes_written_p  out: the outcome, counted as hipFileWrite counts
 * @return as for hipFileReadAsync
 *
 * Since 0.2. Contract: as for hipFileReadAsync.
 */
HIPFILE_API hipFileError_t hipFileWriteAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                             hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                             ssize_t *bytes_written_p, hipStream_t stream);

/* ---------------------------------------------------------------------------------------------
 * Batches: many operations, collected as they finish
 */

/**
 * A batch. Opaque, copied by value; any value may be passed to any function, and one that is not a
 * batch is recognised. Valid until it is destroyed or the library is closed.
 */
typedef void *hipFileBatchHandle_t;

/** What a batch entry does. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileOpcode {
    /** As hipFileRead. */
    hipFileBatchRead = 0,
    /** As hipFileWrite. */
    hipFileBatchWrite = 1
} hipFileOpcode_t;

/** Where a batch entry stands. Values are bits. Since 0.2. Contract: hipFile 0.5; ours: Timeout. */
typedef enum hipFileStatus {
    /** Submitted, not yet with the engine. Never in an event. */
    hipFileWaiting = 1,
    /** With the engine, or running. Never in an event. */
    hipFilePending = 1 << 1,
    /** Not valid. Never in an event: such an entry is refused at submission. */
    hipFileInvalid = 1 << 2,
    /** Canceled before it was started: no byte was moved. */
    hipFileCanceled = 1 << 3,
    /** Done; ret is the number of bytes, which may be fewer than asked for. */
    hipFileComplete = 1 << 4,
    /** Not started within hipFileParamPropertiesBatchIOTimeoutMs: no byte was moved. */
    hipFileTimeout = 1 << 5,
    /** Failed; ret, read as ssize_t, is the reason. */
    hipFileFailed = 1 << 6
} hipFileStatus_t;

/** How an entry is given. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileBatchMode {
    /** The only mode: an entry by itself. */
    hipFileBatch = 1
} hipFileBatchMode_t;

/** One operation to submit. Since 0.2. Contract: hipFile 0.5. */
typedef struct hipFileIOParams {
    /** hipFileBatch. */
    hipFileBatchMode_t mode;
    union {
        struct {
            /** As buffer_base of hipFileRead. */
            void *devPtr_base;
            /** Where in the file to begin, in bytes, >= 0. */
            int64_t file_offset;
            /** Where in the buffer to begin, in bytes from devPtr_base, >= 0. */
            int64_t devPtr_offset;
            /** Bytes; 0 and values above 0x7ffff000 as for hipFileRead. */
            size_t size;
        } batch;
    } u;
    /** A registered file. */
    hipFileHandle_t fh;
    /** Read or write. */
    hipFileOpcode_t opcode;
    /** The caller's, handed back with the event, not looked at. */
    void *cookie;
} hipFileIOParams_t;

/** The end of one operation. Since 0.2. Contract: hipFile 0.5. */
typedef struct hipFileIOEvents {
    /** From the hipFileIOParams_t. */
    void *cookie;
    /** hipFileComplete, hipFileFailed, hipFileCanceled or hipFileTimeout. */
    hipFileStatus_t status;
    /**
     * Complete: the number of bytes. Failed: an errno value or a hipFile code, negated and
     * converted (read it as ssize_t), as in *bytes_read_p of hipFileReadAsync. Canceled and
     * Timeout: 0.
     */
    size_t ret;
} hipFileIOEvents_t;

/**
 * Create a batch.
 *
 * Works while the library is closed and does not open it; submitting needs registered files,
 * though.
 *
 * @param batch_idp  out: the batch; written on success only. Destroy it with hipFileBatchIODestroy.
 * @param max_nr     how many entries may be outstanding at a time: 1 to
 *                   hipFileParamPropertiesIOBatchsize (128 unless changed; at most 4096)
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: batch_idp is NULL, or max_nr out of range
 *
 * Since 0.2, at work since 0.5. Contract: hipFile 0.5; ours: capacities above 128.
 */
HIPFILE_API hipFileError_t hipFileBatchIOSetUp(hipFileBatchHandle_t *batch_idp, unsigned max_nr);

/**
 * Start operations.
 *
 * All or none: every entry is checked before the first is started. The entries run in any order
 * and at the same time; they may be for different files, devices and kinds of memory, of any
 * alignment, on any path, and read and write mixed. The array is copied and may be used again at
 * once; the buffers must stay valid until the entry's event was collected (or the batch was
 * cancelled or destroyed).
 *
 * @param batch_idp  a batch; several threads may submit to one
 * @param nr         entries at iocbp, at least 1
 * @param iocbp      in: the operations
 * @param flags      not used; pass 0
 *
 * @return hipFileSuccess, or, with none started,
 *   - hipFileInvalidValue: nr is 0, iocbp is NULL (both checked first), not a batch, or an entry
 *     with a wrong mode or opcode, a negative offset, or a buffer or range that hipFileRead would
 *     refuse
 *   - hipFileBatchFull: nr exceeds the capacity less what is outstanding. An entry is outstanding
 *     from its submission until its event is collected.
 *   - hipFileHandleNotRegistered: an entry's fh is not a handle
 *   - hipFileHipMemoryTypeInvalid: an entry's buffer is an array
 *   - hipFileInternalError: the library is closed
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch, hipFileHipDriverError: as for
 *     hipFileRead
 *
 * Since 0.2, at work since 0.5. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileBatchIOSubmit(hipFileBatchHandle_t batch_idp, unsigned nr,
                                                hipFileIOParams_t *iocbp, unsigned flags);

/**
 * Collect events, waiting for them if need be.
 *
 * Each entry gives exactly one event, when it has ended; events come in any order. Once an event
 * is handed out, the entry's memory and file are not touched any more, and its place is free
 * again. Several threads may collect from one batch; each event goes to one of them.
 *
 * @param batch_idp  a batch
 * @param min_nr     how many events to wait for, at most *nr. Taken as the number outstanding if
 *                   it is larger: on an empty batch the call returns at once. 0 never waits.
 * @param nr         in: room at iocbp, at least 1; out: the number of events stored, possibly 0
 * @param iocbp      out: the events
 * @param timeout    how long to wait, relative; NULL: until min_nr are there; {0, 0}: do not
 *                   wait. When the time is over, what is there is handed out, and the call
 *                   succeeds.
 *
 * @return hipFileSuccess, or, with nothing stored,
 *   - hipFileInvalidValue: nr or iocbp is NULL, *nr is 0, min_nr exceeds *nr, the timeout is
 *     negative or has 10^9 nanoseconds or more (all checked first), or not a batch
 *
 * Since 0.2, at work since 0.5. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileBatchIOGetStatus(hipFileBatchHandle_t batch_idp, unsigned min_nr,
                                                   unsigned *nr, hipFileIOEvents_t *iocbp,
                                                   struct timespec *timeout);

/**
 * Cancel what has not started, and wait for what has.
 *
 * When the call returns, no entry that was outstanding touches memory or files any more. Entries
 * that had not started end as hipFileCanceled, the others as they end; all events are there to be
 * collected. The batch stays usable.
 *
 * @param batch_idp  a batch; an empty one is fine
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: not a batch
 *
 * Since 0.2, at work since 0.5. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileBatchIOCancel(hipFileBatchHandle_t batch_idp);

/**
 * Cancel as hipFileBatchIOCancel does, and free the batch.
 *
 * Events that were not collected are lost. No other thread may be using the batch or about to use
 * it.
 *
 * @param batch_idp  a batch; NULL or anything that is not a batch: nothing happens
 *
 * Since 0.2, at work since 0.5. Contract: hipFile 0.5.
 */
HIPFILE_API void hipFileBatchIODestroy(hipFileBatchHandle_t batch_idp);

/* ---------------------------------------------------------------------------------------------
 * Properties
 *
 * A short view of the most important parameters, with setters of their own. Whatever is said about
 * parameters below holds here too. Sizes are in KiB (1024 bytes).
 */

/** Bit numbers (not masks) in nvfs.driver_status_flags. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileDriverStatusFlags {
    hipFileLustreSupported = 0,
    hipFileWekaFSSupported = 1,
    hipFileNFSSupported = 2,
    hipFileGPFSSupported = 3,
    hipFileNVMeSupported = 4,
    hipFileNVMeoFSupported = 5,
    hipFileSCSISupported = 6,
    hipFileScaleFluxCSDSupported = 7,
    hipFileNVMeshSupported = 8,
    hipFileBeeGFSSupported = 9,
    /* 10 is unassigned. */
    hipFileNVMeP2PSupported = 11,
    hipFileScatefsSupported = 12
} hipFileDriverStatusFlags_t;

/** Bit numbers in nvfs.driver_control_flags. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileDriverControlFlags {
    /** hipFileParamPropertiesUsePollMode is on. */
    hipFileUsePollMode = 0,
    /** hipFileParamPropertiesAllowCompatMode is on. */
    hipFileAllowCompatMode = 1
} hipFileDriverControlFlags_t;

/** Bit numbers in feature_flags. Since 0.2. Contract: hipFile 0.5. */
typedef enum hipFileFeatureFlags {
    /** Routing over other GPUs or network cards. Never set here. */
    hipFileDynRoutingSupported = 0,
    /** The hipFileBatchIO* calls work. */
    hipFileBatchIOSupported = 1,
    /** hipFileReadAsync and hipFileWriteAsync work. */
    hipFileStreamsSupported = 2,
    /** Large requests are split over several threads. */
    hipFileParallelIOSupported = 3
} hipFileFeatureFlags_t;

/** What the library can do and is set to. Since 0.2. Contract: hipFile 0.5; ours: that it works. */
typedef struct hipFileDriverProps {
    struct {
        /** The library's version, as from hipFileGetVersion. */
        unsigned int major_version;
        unsigned int minor_version;
        /** Requests up to this size (KiB) are polled for in poll mode. */
        uint64_t poll_thresh_size;
        /** The most (KiB) that one call to the direct path's driver moves. */
        uint64_t max_direct_io_size;
        /** Storage that the direct path can serve with this HIP runtime: hipFile*Supported bits. */
        unsigned int driver_status_flags;
        /** hipFileDriverControlFlags_t bits. */
        unsigned int driver_control_flags;
    } nvfs;
    /** hipFileFeatureFlags_t bits. */
    unsigned int feature_flags;
    /** Limit (KiB) on the pinned buffers of the bounce path, all together. */
    uint64_t max_device_cache_size;
    /** Size (KiB) of one of them. */
    uint64_t per_buffer_cache_size;
    /** Limit (KiB) on the sum of registered buffers. */
    uint64_t max_device_pinned_mem_size;
    /** The largest max_nr of hipFileBatchIOSetUp. */
    unsigned int max_batch_io_count;
    /** How long (ms) a batch entry may wait to be started; 0: for ever. */
    unsigned int max_batch_io_timeout_msecs;
} hipFileDriverProps_t;

/**
 * Read the properties.
 *
 * Open: the values in force. Closed: those that the next open will bring, as far as known; does not
 * open the library.
 *
 * @param props  out: written on success only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: props is NULL
 *
 * Since 0.2. Contract: cuFile's, which hipFile 0.5 declares and answers with hipFileInternalError.
 */
HIPFILE_API hipFileError_t hipFileDriverGetProperties(hipFileDriverProps_t *props);

/**
 * Set hipFileParamPropertiesUsePollMode and hipFileParamPollthresholdSizeKB.
 *
 * In poll mode a small request spins for its completion instead of sleeping, which costs CPU time
 * and saves latency. hipFileBatchIOGetStatus spins while only small entries are outstanding.
 *
 * @param poll                 on or off
 * @param poll_threshold_size  KiB, a multiple of 4, 0 to 1048576: the largest request that spins
 *
 * @return as for hipFileSetParameterSizeT; on failure neither is changed
 *
 * Since 0.2. Contract: cuFile's, as for hipFileDriverGetProperties.
 */
HIPFILE_API hipFileError_t hipFileDriverSetPollMode(bool poll, size_t poll_threshold_size);

/**
 * Set hipFileParamPropertiesMaxDirectIOSizeKB.
 *
 * @param max_direct_io_size  KiB, a multiple of 64, 64 to 2097088
 * @return as for hipFileSetParameterSizeT
 *
 * Since 0.2. Contract: cuFile's, as for hipFileDriverGetProperties.
 */
HIPFILE_API hipFileError_t hipFileDriverSetMaxDirectIOSize(size_t max_direct_io_size);

/**
 * Set hipFileParamPropertiesMaxDeviceCacheSizeKB.
 *
 * @param max_cache_size  KiB, a multiple of 4, 256 to 67108864
 * @return as for hipFileSetParameterSizeT
 *
 * Since 0.2. Contract: cuFile's, as for hipFileDriverGetProperties.
 */
HIPFILE_API hipFileError_t hipFileDriverSetMaxCacheSize(size_t max_cache_size);

/**
 * Set hipFileParamPropertiesMaxDevicePinnedMemSizeKB.
 *
 * @param max_pinned_size  KiB, a multiple of 4, 4 to 2^40
 * @return as for hipFileSetParameterSizeT
 *
 * Since 0.2. Contract: cuFile's, as for hipFileDriverGetProperties.
 */
HIPFILE_API hipFileError_t hipFileDriverSetMaxPinnedMemSize(size_t max_pinned_size);

/* ---------------------------------------------------------------------------------------------
 * Parameters
 *
 * Each has an environment variable and a key of the configuration file too. What is set here wins
 * over the environment, that over the file, and that over the default. Parameters are set while
 * the library is closed, take effect when it opens, and are forgotten at its last close.
 */

/** Parameters that are numbers. Since 0.2. Contract: cuFile's; ranges and defaults are ours. */
typedef enum hipFileSizeTConfigParameter_t {
    /** What statistics count: 0 nothing, 1 to 3 what hipFileGetStatsL1 to L3 tell. Default 1. */
    hipFileParamProfileStats = 0,
    /** Requests in flight in the engines: 1 to 4096. Default 128. */
    hipFileParamExecutionMaxIOQueueDepth = 1,
    /** Worker threads: 0 to 1024; 0: as many as CPUs, at most 16. Default 0. */
    hipFileParamExecutionMaxIOThreads = 2,
    /** A request below this (4 to 1048576 KiB) stays on one thread. Default 1024. */
    hipFileParamExecutionMinIOThresholdSizeKB = 3,
    /** Workers on one request: 0 to 1024; 0: all of them. Default 0. */
    hipFileParamExecutionMaxRequestParallelism = 4,
    /** One call of the direct path: 64 to 2097088 KiB, in steps of 64. Default 16384. */
    hipFileParamPropertiesMaxDirectIOSizeKB = 5,
    /** All pinned buffers together: 256 to 67108864 KiB, in steps of 4. Default 131072. */
    hipFileParamPropertiesMaxDeviceCacheSizeKB = 6,
    /** One pinned buffer, which bounds a chunk: 64 to 1048576 KiB, in steps of 4. Default 4096. */
    hipFileParamPropertiesPerBufferCacheSizeKB = 7,
    /** Sum of the registered buffers: 4 to 2^40 KiB, in steps of 4. Default 33554432. */
    hipFileParamPropertiesMaxDevicePinnedMemSizeKB = 8,
    /** Capacity of a batch: 1 to 4096. Default 128. */
    hipFileParamPropertiesIOBatchsize = 9,
    /** Largest request that poll mode polls for: 0 to 1048576 KiB, in steps of 4. Default 4. */
    hipFileParamPollthresholdSizeKB = 10,
    /** How long a batch entry may wait to be started: 0 to 86400000 ms; 0: for ever. Default 0. */
    hipFileParamPropertiesBatchIOTimeoutMs = 11
} hipFileSizeTConfigParameter_t;

/** Parameters that are on or off. Since 0.2. Contract: cuFile's; defaults are ours. */
typedef enum hipFileBoolConfigParameter_t {
    /** Small requests spin for their completion. Default off. */
    hipFileParamPropertiesUsePollMode = 0,
    /**
     * Whole blocks may take the bounce path. Default on. If off, a request that the direct path
     * cannot serve is hipFileIONotSupported; unaligned edges may be staged all the same.
     */
    hipFileParamPropertiesAllowCompatMode = 1,
    /** The direct path is never taken, and compat mode is allowed. Default off. */
    hipFileParamForceCompatMode = 2,
    /** Check at each request that registered memory is still what was registered. Default off. */
    hipFileParamFsMiscApiCheckAggressive = 3,
    /** Large requests are split over the workers. Default on. */
    hipFileParamExecutionParallelIO = 4,
    /** Nothing to act on; reads back. Default off. */
    hipFileParamProfileNvtx = 5,
    /** The host path, for memory that the CPU can address. Default on. */
    hipFileParamPropertiesAllowSystemMemory = 6,
    /** Nothing to act on; reads back. Default off. */
    hipFileParamUsePcip2pdma = 7,
    /** Batches use io_uring. Default on, where it works. */
    hipFileParamPreferIOUring = 8,
    /** The bounce and host paths use O_DIRECT whatever the descriptor says. Default off. */
    hipFileParamForceOdirectMode = 9,
    /** Nothing to act on, since workers and buffers are not placed; reads back. Default off. */
    hipFileParamSkipTopologyDetection = 10,
    /** A stream waits inside a host function and not on a value in memory. Default off. */
    hipFileParamStreamMemopsBypass = 11
} hipFileBoolConfigParameter_t;

/** Parameters that are strings. Since 0.2. Contract: cuFile's; values and defaults are ours. */
typedef enum hipFileStringConfigParameter_t {
    /** OFF, ERROR, WARN, NOTICE, INFO, DEBUG or TRACE, in any case. Default WARN. */
    hipFileParamLoggingLevel = 0,
    /** Path of the log file; empty: the standard error stream. Default empty. */
    hipFileParamEnvLogfilePath = 1,
    /** Directory for a log file named hipfile_PID.log; empty: none. Default empty. */
    hipFileParamLogDir = 2
} hipFileStringConfigParameter_t;

/**
 * Read a parameter that is a number.
 *
 * Open: the value in force. Closed: the value that was set and waits for the open, else the value
 * from environment, file or default. Does not open the library.
 *
 * @param param  which
 * @param value  out: written on success only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: value is NULL, or param is none of the enumeration
 *
 * Since 0.2. Contract: cuFile's, which hipFile 0.5 declares and answers with hipFileInternalError.
 */
HIPFILE_API hipFileError_t hipFileGetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t *value);

/**
 * Read a parameter that is on or off: as hipFileGetParameterSizeT.
 * Since 0.2. Contract: as for hipFileGetParameterSizeT.
 */
HIPFILE_API hipFileError_t hipFileGetParameterBool(hipFileBoolConfigParameter_t param, bool *value);

/**
 * Read a parameter that is a string: as hipFileGetParameterSizeT.
 *
 * @param param     which
 * @param desc_str  out: the string and its terminating NUL; written on success only
 * @param len       room at desc_str, in bytes, the NUL included
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: desc_str is NULL, param is none of the enumeration, or len is too
 *     small for the string
 *
 * Since 0.2. Contract: as for hipFileGetParameterSizeT; ours: a string that does not fit is not
 * cut.
 */
HIPFILE_API hipFileError_t hipFileGetParameterString(hipFileStringConfigParameter_t param,
                                                     char *desc_str, int len);

/**
 * Set a parameter that is a number, for the next time the library opens.
 *
 * @param param  which
 * @param value  the value, in the unit of the enumeration's text
 *
 * @return hipFileSuccess, or, with nothing changed,
 *   - hipFileInvalidValue: param is none of the enumeration
 *   - hipFileDriverAlreadyOpen: the library is open
 *   - hipFileDriverUnsupportedLimit: out of range
 *   - hipFileDriverInvalidProps: in range, but not a multiple of the step
 *
 * Does not open the library. Since 0.2. Contract: cuFile's, which hipFile 0.5 declares and
 * answers with hipFileInternalError; ours: ranges and steps.
 */
HIPFILE_API hipFileError_t hipFileSetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t value);

/**
 * Set a parameter that is on or off: as hipFileSetParameterSizeT, where no value is out of range.
 * Since 0.2. Contract: as for hipFileSetParameterSizeT.
 */
HIPFILE_API hipFileError_t hipFileSetParameterBool(hipFileBoolConfigParameter_t param, bool value);

/**
 * Set a parameter that is a string: as hipFileSetParameterSizeT.
 *
 * @param param     which
 * @param desc_str  the value, which is copied
 *
 * @return as for hipFileSetParameterSizeT, with
 *   - hipFileInvalidValue: also if desc_str is NULL, or not the name of a level
 *   - hipFileDriverUnsupportedLimit: a path that is longer than PATH_MAX
 *
 * A log file that cannot be opened is no error: a line on the standard error stream says so with
 * the next message, which goes there too. Since 0.2. Contract: as for hipFileSetParameterSizeT.
 */
HIPFILE_API hipFileError_t hipFileSetParameterString(hipFileStringConfigParameter_t param,
                                                     const char *desc_str);

/* ---------------------------------------------------------------------------------------------
 * Statistics
 *
 * Counted for the whole process since it began, for synchronous, stream and batch requests alike.
 * How much is counted is hipFileParamProfileStats. Requests are counted for the device that owns
 * the buffer. In the names, "nvfs" is the direct path, and "posix" the bounce and host paths;
 * fields that have no meaning here stay 0.
 *
 * The numbers of one call are read one after the other while I/O goes on: each is right, but sums
 * need not match until the process is idle.
 */

/** Sizes of arrays in the structures below. */
#define HIPFILE_MAX_GPUS     16
#define HIPFILE_GPU_UUID_LEN 16

/** Calls or requests that succeeded, and that failed. Since 0.5. Contract: hipFile 0.5. */
typedef struct hipFileOpCounter {
    uint64_t ok;
    uint64_t err;
} hipFileOpCounter_t;

/** The first level. Since 0.5. Contract: hipFile 0.5; ours: that failures and batches count. */
typedef struct hipFileStatsLevel1 {
    /** Read and write requests, synchronous and in streams. */
    hipFileOpCounter_t read_ops;
    hipFileOpCounter_t write_ops;
    /** Calls that register and deregister files and buffers. */
    hipFileOpCounter_t hdl_register_ops;
    hipFileOpCounter_t hdl_deregister_ops;
    hipFileOpCounter_t buf_register_ops;
    hipFileOpCounter_t buf_deregister_ops;
    /** Bytes that these requests moved. */
    uint64_t read_bytes;
    uint64_t write_bytes;
    /** Bytes by the sum of the latencies: what one thread after the other would have seen. */
    uint64_t read_bw_bytes_per_sec;
    uint64_t write_bw_bytes_per_sec;
    /** The latency of a request, on average, in microseconds. */
    uint64_t read_lat_avg_us;
    uint64_t write_lat_avg_us;
    /** Requests per second of the counted time. */
    uint64_t read_ops_per_sec;
    uint64_t write_ops_per_sec;
    /** The sum of the latencies, in microseconds. */
    uint64_t read_lat_sum_us;
    uint64_t write_lat_sum_us;
    /** Calls: submissions, collections, set-ups, cancels, destructions. */
    hipFileOpCounter_t batch_submit_ops;
    hipFileOpCounter_t batch_complete_ops;
    hipFileOpCounter_t batch_setup_ops;
    hipFileOpCounter_t batch_cancel_ops;
    hipFileOpCounter_t batch_destroy_ops;
    /** Entries: accepted, and ended; those off the direct path apart. */
    hipFileOpCounter_t batch_enqueued_ops;
    hipFileOpCounter_t batch_posix_enqueued_ops;
    hipFileOpCounter_t batch_processed_ops;
    hipFileOpCounter_t batch_posix_processed_ops;
    /** Entries by what carried them: direct path, -, -, io_uring, several; and all. */
    hipFileOpCounter_t batch_nvfs_submit_ops;
    hipFileOpCounter_t batch_p2p_submit_ops;
    hipFileOpCounter_t batch_aio_submit_ops;
    hipFileOpCounter_t batch_iouring_submit_ops;
    hipFileOpCounter_t batch_mixed_io_submit_ops;
    hipFileOpCounter_t batch_total_submit_ops;
    /** Bytes that entries moved, and bytes by the sum of their latencies. */
    uint64_t batch_read_bytes;
    uint64_t batch_write_bytes;
    uint64_t batch_read_bw_bytes;
    uint64_t batch_write_bw_bytes;
    /** On average, in microseconds: a submission call; an entry from submission to its end. */
    uint64_t batch_submit_lat_avg_us;
    uint64_t batch_completion_lat_avg_us;
    /** Per second of the counted time: entries submitted; entries ended. */
    uint64_t batch_submit_ops_per_sec;
    uint64_t batch_complete_ops_per_sec;
    /** The sums of those latencies. */
    uint64_t batch_submit_lat_sum_us;
    uint64_t batch_completion_lat_sum_us;
    /** Bytes of the last submission. */
    uint64_t last_batch_read_bytes;
    uint64_t last_batch_write_bytes;
} hipFileStatsLevel1_t;

/** The second level. Since 0.5. Contract: hipFile 0.5; ours: filled histograms. */
typedef struct hipFileStatsLevel2 {
    hipFileStatsLevel1_t basic;
    /**
     * Requests by size: element 0 below 4 KiB, element i from 2^(i+1) KiB to below 2^(i+2) KiB, the
     * last one everything above.
     */
    uint64_t read_size_kb_hist[32];
    uint64_t write_size_kb_hist[32];
} hipFileStatsLevel2_t;

/** One device, in the third level. Since 0.5. Contract: hipFile 0.5. */
typedef struct hipFilePerGpuStats {
    /** As hipDeviceGetUuid gives it; zero if the runtime has none. */
    char uuid[HIPFILE_GPU_UUID_LEN];
    /** Bytes read; by the sum of the latencies; unused; sum of the latencies in microseconds. */
    uint64_t read_bytes;
    uint64_t read_bw_bytes_per_sec;
    uint64_t read_utilization;
    uint64_t read_duration_us;
    /** Requests: all, unused, direct path, other paths, not aligned to blocks, and unused ones. */
    uint64_t n_total_reads;
    uint64_t n_p2p_reads;
    uint64_t n_nvfs_reads;
    uint64_t n_posix_reads;
    uint64_t n_unaligned_reads;
    uint64_t n_dr_reads;
    uint64_t n_sparse_regions;
    uint64_t n_inline_regions;
    /** Requests that failed. */
    uint64_t n_reads_err;
    /** The same for writes. (The first name is cuFile's, the second that of AMD's tools.) */
    union {
        uint64_t writes_bytes;
        uint64_t write_bytes;
    };
    uint64_t write_bw_bytes_per_sec;
    uint64_t write_utilization;
    uint64_t write_duration_us;
    uint64_t n_total_writes;
    uint64_t n_p2p_writes;
    uint64_t n_nvfs_writes;
    uint64_t n_posix_writes;
    uint64_t n_unaligned_writes;
    uint64_t n_dr_writes;
    uint64_t n_writes_err;
    /** Buffer registrations: all, successful, failed, given back; and bytes registered now. */
    uint64_t n_mmap;
    uint64_t n_mmap_ok;
    uint64_t n_mmap_err;
    uint64_t n_mmap_free;
    uint64_t reg_bytes;
} hipFilePerGpuStats_t;

/** The third level. Since 0.5. Contract: hipFile 0.5. */
typedef struct hipFileStatsLevel3 {
    hipFileStatsLevel2_t detailed;
    /** How many devices have moved bytes. */
    uint32_t num_gpus;
    /** By HIP device number; later devices are counted in the levels above only. */
    hipFilePerGpuStats_t per_gpu_stats[HIPFILE_MAX_GPUS];
} hipFileStatsLevel3_t;

/**
 * Read the first level of statistics.
 *
 * Works while the library is closed, and does not open it. What the level in force does not count
 * stays as it was (0 from the start).
 *
 * @param stats  out: written on success only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: stats is NULL
 *   - hipFileInternalError: there is no memory for the counters
 *
 * Since 0.5. Contract: hipFile 0.5.
 */
HIPFILE_API hipFileError_t hipFileGetStatsL1(hipFileStatsLevel1_t *stats);

/** Read the first two levels: as hipFileGetStatsL1. Since 0.5. Contract: hipFile 0.5. */
HIPFILE_API hipFileError_t hipFileGetStatsL2(hipFileStatsLevel2_t *stats);

/** Read all three levels: as hipFileGetStatsL1. Since 0.5. Contract: hipFile 0.5. */
HIPFILE_API hipFileError_t hipFileGetStatsL3(hipFileStatsLevel3_t *stats);

#undef __HIPFILE_NODISCARD

#ifdef __cplusplus
}
#endif

#endif
