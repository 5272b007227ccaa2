// SPDX-License-Identifier: MIT
/*
 * hipFile, what this library adds to AMD's interface.
 *
 * hipfile.h is the interface of AMD hipFile 0.5, and programs that keep to it run with either
 * library. The calls here exist in this one alone: a program that should run with both looks them
 * up with dlsym(RTLD_DEFAULT, "hipFileExt...") and does without where they are missing. They
 * answer questions:
 *
 *     Is this I/O direct, and if not, why?   hipFileExtQueryRequest, before a request;
 *                                            hipFileExtGetHandleInfo, after some
 *     What does this result mean?            hipFileExtDescribe, for every kind of result
 *     What did HIP say?                      hipFileExtGetLastHipError
 *     What is set, where, and to what?       hipFileExtGetSetting, hipFileExtGetSettingAt
 *     Which hipFile had this call first?     hipFileExtGetSymbolVersion
 *
 * but for hipFileExtBatchIOCancelNoWait, which cancels a batch without waiting.
 *
 *     hipFileExtRoute_t route = {.struct_size = sizeof route};
 *     hipFileError_t error =
 *         hipFileExtQueryRequest(file, buffer, size, 0, 0, hipFileBatchRead, &route);
 *     if (error.err == hipFileSuccess && route.path != hipFileExtPathDirect)
 *         printf("not direct: %s\n", hipFileExtReasonString(route.reason));
 *
 * All of it may be called from any thread, at any time, and the rules at the top of hipfile.h
 * hold here too. Nothing opens the library, touches a file or moves a byte. Enumerations only
 * ever grow at their end, and structures too: each begins with its size as the caller knows it,
 * the library writes no further than that, and a library that is older than the header leaves
 * what it does not know as the caller set it.
 *
 * The contract is ours throughout. Since 0.5 means: since this library's first release.
 */
#ifndef HIPFILE_EXT_H
#define HIPFILE_EXT_H

#include "hipfile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------
 * Paths, and why a request is not direct
 */

/** How bytes move between file and memory. Since 0.5. */
typedef enum hipFileExtPath {
    /** The HIP runtime has the storage device and the GPU exchange them (AMD's "fastpath"). */
    hipFileExtPathDirect = 0,
    /** Through pinned host memory, by file I/O and device copies (AMD's "fallback"). */
    hipFileExtPathBounce = 1,
    /** File I/O straight into or out of memory that the CPU can address. */
    hipFileExtPathHost = 2
} hipFileExtPath_t;

/**
 * Why whole blocks of a request do not take the direct path. If several reasons hold, the first
 * one that the library meets is told. Since 0.5.
 */
typedef enum hipFileExtReason {
    /** They do take it. */
    hipFileExtReasonNone = 0,
    /** hipFileParamForceCompatMode (HIPFILE_FORCE_COMPAT_MODE) switches the direct path off. */
    hipFileExtReasonCompatForced = 1,
    /** The HIP runtime has no hipAmdFileRead and hipAmdFileWrite (ROCm has, from 7.2 on). */
    hipFileExtReasonRuntimeLacksFileIO = 2,
    /** The buffer is memory that the CPU can address; the host path is the shorter way. */
    hipFileExtReasonNotDeviceMemory = 3,
    /** The file cannot be opened with O_DIRECT. */
    hipFileExtReasonNoDirectDescriptor = 4,
    /**
     * The file system is not known to be safe. xfs, ext4 and block devices are;
     * HIPFILE_UNSUPPORTED_FILE_SYSTEMS allows the others, at the risk of wrong data.
     */
    hipFileExtReasonFileSystem = 5,
    /** ext4 with another journal mode than data=ordered. */
    hipFileExtReasonJournalMode = 6,
    /** Buffer address and file offset are not aligned alike, or the address is not at all. */
    hipFileExtReasonMemoryAlignment = 7,
    /** The request holds no whole block. */
    hipFileExtReasonBelowUnit = 8,
    /**
     * The kernel driver refused (ENODEV or EREMOTEIO) to connect this file's storage and this
     * device: it was tried, and is not tried again. The structures below name the layer.
     */
    hipFileExtReasonRefused = 9,
    /** A rule of the configuration file forbids it (denylist, overrides). */
    hipFileExtReasonConfigured = 10
} hipFileExtReason_t;

/** Lengths of the arrays below: more than there are paths and reasons, so that both can grow. */
#define HIPFILE_EXT_PATHS      8
#define HIPFILE_EXT_REASONS    32
#define HIPFILE_EXT_LAYER_SIZE 32

/**
 * The name of a path: "direct", "bounce" or "host".
 *
 * @param path  any value
 * @return a constant string; "unknown path" for a value that is none. Never NULL.
 *
 * Since 0.5.
 */
HIPFILE_API const char *hipFileExtPathString(hipFileExtPath_t path);

/**
 * The text of a reason, as the log has it.
 *
 * @param reason  any value
 * @return a constant string, without a full stop; "unknown reason" for a value that is none. Never
 *         NULL.
 *
 * Since 0.5.
 */
HIPFILE_API const char *hipFileExtReasonString(hipFileExtReason_t reason);

/** The way that a request would take. Since 0.5. */
typedef struct hipFileExtRoute {
    /** in: sizeof(hipFileExtRoute_t). */
    size_t struct_size;
    /** The path of the request's whole blocks; of the request, if it holds none. */
    hipFileExtPath_t path;
    /** Why that is not the direct one. */
    hipFileExtReason_t reason;
    /** The block in bytes: if file offset, size and address are multiples, nothing is staged. */
    size_t block_size;
    /** Bytes that take the path. The rest, at the edges, is staged through host memory. */
    size_t whole_bytes;
    /**
     * With hipFileExtReasonRefused: the kind of storage that the driver refused, as far as the
     * kernel tells ("dm", "md", "loop", "virtio", ...). Else empty.
     */
    char layer[HIPFILE_EXT_LAYER_SIZE];
} hipFileExtRoute_t;

/**
 * Ask which way a request would take, without making it.
 *
 * A prediction, from what is known: a storage that the driver will refuse is only known once it was
 * tried. It holds for synchronous, stream and batch requests alike.
 *
 * @param fh             a registered file
 * @param buffer_base    as for hipFileRead
 * @param size           bytes
 * @param file_offset    bytes, >= 0
 * @param buffer_offset  bytes, >= 0
 * @param opcode         hipFileBatchRead or hipFileBatchWrite
 * @param route          out: struct_size is the caller's to set; the rest is written on success,
 *                       and with the first two of these codes
 *
 * @return hipFileSuccess, or
 *   - hipFileIONotSupported, hipFileIODisabled: the request itself would fail with this code;
 *     route->reason tells why direct is no way, and compat mode or a rule forbids the other paths
 *   - hipFileDriverNotInitialized: the library is closed
 *   - hipFileHandleNotRegistered: not a handle
 *   - hipFileInvalidValue: route is NULL or its struct_size too small to hold path and reason, an
 *     opcode that is neither, a negative offset, or a buffer or range that hipFileRead would
 *     refuse
 *   - hipFileHipMemoryTypeInvalid: an array
 *   - hipFileInternalError: the file was not opened for reading, or for writing
 *   - hipFilePlatformNotSupported, hipFileDriverVersionMismatch, hipFileHipDriverError: as for
 *     hipFileBufRegister
 *
 * Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtQueryRequest(hipFileHandle_t fh, const void *buffer_base,
                                                  size_t size, hoff_t file_offset,
                                                  hoff_t buffer_offset, hipFileOpcode_t opcode,
                                                  hipFileExtRoute_t *route);

/** What a handle's requests (synchronous, in streams, in batches) did so far. Since 0.5. */
typedef struct hipFileExtHandleInfo {
    /** in: sizeof(hipFileExtHandleInfo_t). */
    size_t struct_size;
    /** The last request that ended: its path and reason. Of no meaning before the first. */
    hipFileExtPath_t last_path;
    hipFileExtReason_t last_reason;
    /** The storage that the driver refused, as in hipFileExtRoute_t; empty if it refused none. */
    char layer[HIPFILE_EXT_LAYER_SIZE];
    /** Bytes moved, by hipFileExtPath_t. Staged edges count as bounce (or host). */
    uint64_t bytes_read[HIPFILE_EXT_PATHS];
    uint64_t bytes_written[HIPFILE_EXT_PATHS];
    /** Requests by hipFileExtReason_t, each counted once, for its whole blocks; [0]: direct. */
    uint64_t requests[HIPFILE_EXT_REASONS];
} hipFileExtHandleInfo_t;

/**
 * Ask what a handle's requests did.
 *
 * Counters begin with the registration and go with the handle. They are read one after the other
 * while I/O goes on: each is right, but they need not fit together until the handle is idle.
 *
 * @param fh    a registered file
 * @param info  out: struct_size is the caller's to set; the rest is written on success only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: info is NULL, or its struct_size is too small to hold last_reason
 *   - hipFileDriverNotInitialized: the library is closed
 *   - hipFileHandleNotRegistered: not a handle
 *
 * Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtGetHandleInfo(hipFileHandle_t fh,
                                                   hipFileExtHandleInfo_t *info);

/* ---------------------------------------------------------------------------------------------
 * Settings
 *
 * All that can be set, whether or not it has a parameter in hipfile.h: what hipfile-config prints.
 *
 *     hipFileExtSetting_t setting = {.struct_size = sizeof setting};
 *     for (unsigned i = 0; hipFileExtGetSettingAt(i, &setting).err == hipFileSuccess; i++)
 *         printf("%s = %s\n", setting.name, setting.value);
 */

/** What kind of value a setting has. Since 0.5. */
typedef enum hipFileExtSettingType {
    /** A number, in the setting's unit. */
    hipFileExtSettingSize = 0,
    /** 0 or 1; as text "false" or "true". */
    hipFileExtSettingBool = 1,
    /** 0 (OFF) to 6 (TRACE); as text the name. */
    hipFileExtSettingLevel = 2,
    /** Text; as a number always 0. */
    hipFileExtSettingPath = 3
} hipFileExtSettingType_t;

/** Where a setting's value comes from. Since 0.5. */
typedef enum hipFileExtSettingSource {
    hipFileExtSettingFromDefault = 0,
    hipFileExtSettingFromFile = 1,
    hipFileExtSettingFromEnvironment = 2,
    /** hipFileSetParameter* or one of the setters of properties. */
    hipFileExtSettingFromProgram = 3
} hipFileExtSettingSource_t;

/** Room for texts in the structure below; a longer one is cut. */
#define HIPFILE_EXT_VALUE_SIZE 256

/** One setting. Strings that are pointers are constant, and never NULL. Since 0.5. */
typedef struct hipFileExtSetting {
    /** in: sizeof(hipFileExtSetting_t). */
    size_t struct_size;
    hipFileExtSettingType_t type;
    hipFileExtSettingSource_t source;
    /** The value as hipFileGetParameter* would read it, and the default. */
    uint64_t number;
    uint64_t default_number;
    /** The limits of number, which also is a multiple of the last. */
    uint64_t minimum;
    uint64_t maximum;
    uint64_t multiple;
    /** "KiB", "ms", "threads", ...; empty if there is none. */
    const char *unit;
    /** The environment variables, and the keys of the configuration file, separated by blanks. */
    const char *environment;
    const char *keys;
    /** The parameter in hipfile.h without "hipFileParam"; empty if there is none. */
    const char *parameter;
    const char *description;
    /** The number as text, or the path. */
    char value[HIPFILE_EXT_VALUE_SIZE];
    char default_value[HIPFILE_EXT_VALUE_SIZE];
    /** The variable, or the file, its line and the key, that the value comes from; else empty. */
    char origin[HIPFILE_EXT_VALUE_SIZE];
    /** "max_io_threads". */
    char name[64];
} hipFileExtSetting_t;

/**
 * Ask about a setting by name: its value and source, limits, default and description.
 *
 * Does not open the library.
 *
 * @param name     its name, one of its environment variables or configuration keys, or its
 *                 parameter, with or without "hipFileParam"
 * @param setting  out: struct_size is the caller's to set; the rest is written on success only
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: name is NULL or no setting's, setting is NULL, or its struct_size is too
 *     small to hold source
 *
 * Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtGetSetting(const char *name, hipFileExtSetting_t *setting);

/**
 * Ask about a setting by number, to list them all: they are numbered from 0, without a gap. The
 * numbers may change from one version to the next.
 *
 * @param index    the number
 * @param setting  out: as for hipFileExtGetSetting
 *
 * @return as for hipFileExtGetSetting; hipFileInvalidValue also past the last one
 *
 * Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtGetSettingAt(unsigned index, hipFileExtSetting_t *setting);

/* ---------------------------------------------------------------------------------------------
 * Batches
 */

/**
 * Cancel what has not started, without waiting for what has.
 *
 * As hipFileBatchIOCancel, but the call returns at once. Entries that had not started end as
 * hipFileCanceled, and their events can be collected; memory and files of these are not touched
 * any more. Entries that run go on, and use their memory until their events are collected (or
 * hipFileBatchIOCancel or hipFileBatchIODestroy returns). The batch stays usable.
 *
 * @param batch_idp  a batch; an empty one is fine
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: not a batch
 *
 * Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtBatchIOCancelNoWait(hipFileBatchHandle_t batch_idp);

/* ---------------------------------------------------------------------------------------------
 * Results
 */

/**
 * The HIP error behind the last hipFileHipDriverError that this thread was given.
 *
 * For hipFileRead and hipFileWrite, which can return the negated code only. Reading it does not
 * clear it, nor does a success. What the thread's own HIP calls set is not touched, and not seen
 * here.
 *
 * @return the error; hipSuccess if the thread was never given one
 *
 * Since 0.5.
 */
HIPFILE_API hipError_t hipFileExtGetLastHipError(void);

/** Room that any text of the two calls below fits into, in bytes. */
#define HIPFILE_EXT_TEXT_SIZE 256

/**
 * Describe a result that is a number: of hipFileRead and hipFileWrite, in *bytes_p of an
 * asynchronous operation, and (converted to ssize_t) in a batch event's ret.
 *
 * A count is "N bytes"; -1 is the text of the calling thread's errno; below that, the text of an
 * errno value or of a hipFile code, with the number. With hipFileHipDriverError the name of
 * hipFileExtGetLastHipError is added, which fits if this thread made the request and nothing
 * since.
 *
 * @param result  the result
 * @param text    out: the description, cut to size; not touched if size is 0
 * @param size    room at text, in bytes, the terminating NUL included
 * @return text, so that the call can stand in an argument list. errno is left as it was.
 *
 * Since 0.5.
 */
HIPFILE_API const char *hipFileExtDescribeResult(ssize_t result, char *text, size_t size);

/**
 * Describe a hipFileError_t: the text of the code, with the number, and with the name of the HIP
 * error if there is one.
 *
 * @param error  the error
 * @param text   out: as for hipFileExtDescribeResult
 * @param size   room at text, in bytes
 * @return text
 *
 * Since 0.5.
 */
HIPFILE_API const char *hipFileExtDescribeError(hipFileError_t error, char *text, size_t size);

/**
 * The version of hipFile that first had a call, as a program needs to know that wants to run with
 * older libraries.
 *
 * @param name   the name of an exported function, such as "hipFileGetStatsL1" (0.5.0)
 * @param major  out: written on success, if not NULL
 * @param minor  out: written on success, if not NULL
 *
 * @return hipFileSuccess, or
 *   - hipFileInvalidValue: name is NULL, or this library exports no such function
 *
 * For calls of this header, the version of this library. Since 0.5.
 */
HIPFILE_API hipFileError_t hipFileExtGetSymbolVersion(const char *name, unsigned *major,
                                                      unsigned *minor);

#ifdef __cplusplus
}

static inline const char *hipFileExtDescribe(ssize_t result, char *text, size_t size)
{
    return hipFileExtDescribeResult(result, text, size);
}

static inline const char *hipFileExtDescribe(hipFileError_t error, char *text, size_t size)
{
    return hipFileExtDescribeError(error, text, size);
}
#else
/** Describe a result of either kind, number or hipFileError_t. (In C++, two overloaded functions.)
 */
/* clang-format off */
#define hipFileExtDescribe(value, text, size)                                                      \
    _Generic((value), hipFileError_t: hipFileExtDescribeError, default: hipFileExtDescribeResult)  \
        ((value), (text), (size))
/* clang-format on */
#endif

#endif
