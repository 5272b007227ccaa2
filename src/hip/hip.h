// SPDX-License-Identifier: MIT
/*
 * The HIP runtime, as a table of functions that are looked up at run time in one library.
 *
 * src/hip/ is the only caller of HIP; a test replaces entries of the table to make a call fail.
 * Entries that a runtime lacks are functions that answer hipErrorNotSupported, never NULL.
 */
#ifndef HF_HIP_HIP_H
#define HF_HIP_HIP_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

/* Without these there is no runtime to speak of. */
#define HF_HIP_REQUIRED(X)                                                                         \
    X(hipInit)                                                                                     \
    X(hipRuntimeGetVersion)                                                                        \
    X(hipGetDeviceCount)                                                                           \
    X(hipGetDevice)                                                                                \
    X(hipSetDevice)                                                                                \
    X(hipDeviceGetAttribute)                                                                       \
    X(hipGetLastError)                                                                             \
    X(hipPeekAtLastError)                                                                          \
    X(hipGetErrorName)                                                                             \
    X(hipPointerGetAttributes)                                                                     \
    X(hipMemGetAddressRange)                                                                       \
    X(hipHostMalloc)                                                                               \
    X(hipHostFree)                                                                                 \
    X(hipMemcpyAsync)                                                                              \
    X(hipStreamCreateWithFlags)                                                                    \
    X(hipStreamDestroy)                                                                            \
    X(hipStreamSynchronize)                                                                        \
    X(hipEventCreateWithFlags)                                                                     \
    X(hipEventRecord)                                                                              \
    X(hipEventSynchronize)                                                                         \
    X(hipEventDestroy)

/* What streams and placement use where it is there. */
#define HF_HIP_OPTIONAL(X)                                                                         \
    X(hipGetProcAddress)                                                                           \
    X(hipDeviceGetPCIBusId)                                                                        \
    X(hipEventQuery)                                                                               \
    X(hipExtMallocWithFlags)                                                                       \
    X(hipLaunchHostFunc)                                                                           \
    X(hipStreamWaitValue64)                                                                        \
    X(hipStreamCreateWithPriority)                                                                 \
    X(hipStreamGetDevice)                                                                          \
    X(hipStreamGetFlags)                                                                           \
    X(hipStreamGetPriority)                                                                        \
    X(hipStreamQuery)                                                                              \
    X(hipStreamIsCapturing)                                                                        \
    X(hipDeviceGetStreamPriorityRange)                                                             \
    X(hipThreadExchangeStreamCaptureMode)

/* AMD's file I/O in the runtime; only hipGetProcAddress finds it. By value: 8 bytes. */
typedef struct hf_hip_file {
    union {
        void *handle;
        int fd;
        unsigned char pad[8];
    };
} hf_hip_file;

typedef hipError_t (*hf_hip_file_call)(hf_hip_file file, void *device_pointer, uint64_t size,
                                       int64_t file_offset, uint64_t *size_copied, int32_t *status);

struct hf_hip_calls {
#define CALL(name) __typeof__(name) *name;
    HF_HIP_REQUIRED(CALL)
    HF_HIP_OPTIONAL(CALL)
#undef CALL
    hf_hip_file_call hipAmdFileRead;
    hf_hip_file_call hipAmdFileWrite;
    bool has_file_io;
    int devices;
    int version; /* major * 10000000 + minor * 100000 + patch */
};

extern struct hf_hip_calls hf_hip;

/*
 * Finds a runtime at the first call that needs a device; later calls cost one load. 0, or
 * -hipFilePlatformNotSupported (none, or no device), -hipFileDriverVersionMismatch (too old),
 * each with a log line.
 */
int hf_hip_load(void);

/* Each thread initialises the runtime before its first file I/O call: older runtimes crash
   otherwise. */
void hf_hip_enter_thread(void);

/* Each of the pool's threads calls it before a task: from then on it belongs to no capture, so that
   what it does with HIP disturbs none. */
void hf_hip_enter_worker(void);

/* True in the pool's threads. */
bool hf_hip_in_worker(void);

/* In a forked child: what the parent loaded is looked at anew. */
void hf_hip_forget(void);

#endif
