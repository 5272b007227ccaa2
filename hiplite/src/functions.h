// SPDX-License-Identifier: MIT
//
// Every function of the runtime, listed once: the ids of faults and counters, and the table of
// hipGetProcAddress, come from here. libhiplite.map lists the exported ones again.
#ifndef HL_FUNCTIONS_H
#define HL_FUNCTIONS_H

// Works without any device, and inside host functions.
#define HL_FREE_FUNCTIONS(X)                                                                       \
    X(hipGetErrorName)                                                                             \
    X(hipGetErrorString)                                                                           \
    X(hipGetLastError)                                                                             \
    X(hipPeekAtLastError)                                                                          \
    X(hipExtGetLastError)

// Works without any device.
#define HL_DEVICELESS_FUNCTIONS(X)                                                                 \
    X(hipGetDeviceCount)                                                                           \
    X(hipDriverGetVersion)                                                                         \
    X(hipRuntimeGetVersion)                                                                        \
    X(hipGetProcAddress)

// hipErrorNoDevice where there is none.
#define HL_DEVICE_FUNCTIONS(X)                                                                     \
    X(hipInit)                                                                                     \
    X(hipGetDevice)                                                                                \
    X(hipSetDevice)                                                                                \
    X(hipDeviceSynchronize)                                                                        \
    X(hipDeviceGet)                                                                                \
    X(hipDeviceGetAttribute)                                                                       \
    X(hipDeviceGetPCIBusId)                                                                        \
    X(hipGetDevicePropertiesR0600)                                                                 \
    X(hipDeviceCanAccessPeer)                                                                      \
    X(hipDeviceGetStreamPriorityRange)                                                             \
    X(hipMalloc)                                                                                   \
    X(hipFree)                                                                                     \
    X(hipExtMallocWithFlags)                                                                       \
    X(hipMallocManaged)                                                                            \
    X(hipHostMalloc)                                                                               \
    X(hipHostFree)                                                                                 \
    X(hipMallocHost)                                                                               \
    X(hipHostAlloc)                                                                                \
    X(hipFreeHost)                                                                                 \
    X(hipHostRegister)                                                                             \
    X(hipHostUnregister)                                                                           \
    X(hipHostGetDevicePointer)                                                                     \
    X(hipMemGetInfo)                                                                               \
    X(hipMemGetAddressRange)                                                                       \
    X(hipPointerGetAttributes)                                                                     \
    X(hipMemcpy)                                                                                   \
    X(hipMemcpyWithStream)                                                                         \
    X(hipMemcpyAsync)                                                                              \
    X(hipMemcpyHtoD)                                                                               \
    X(hipMemcpyDtoH)                                                                               \
    X(hipMemset)                                                                                   \
    X(hipMemsetD8)                                                                                 \
    X(hipMemsetAsync)                                                                              \
    X(hipStreamCreate)                                                                             \
    X(hipStreamCreateWithFlags)                                                                    \
    X(hipStreamCreateWithPriority)                                                                 \
    X(hipStreamDestroy)                                                                            \
    X(hipStreamSynchronize)                                                                        \
    X(hipStreamQuery)                                                                              \
    X(hipStreamGetDevice)                                                                          \
    X(hipStreamGetFlags)                                                                           \
    X(hipStreamGetPriority)                                                                        \
    X(hipStreamWaitEvent)                                                                          \
    X(hipLaunchHostFunc)                                                                           \
    X(hipStreamAddCallback)                                                                        \
    X(hipStreamWaitValue32)                                                                        \
    X(hipStreamWaitValue64)                                                                        \
    X(hipStreamWriteValue32)                                                                       \
    X(hipStreamWriteValue64)                                                                       \
    X(hipEventCreate)                                                                              \
    X(hipEventCreateWithFlags)                                                                     \
    X(hipEventRecord)                                                                              \
    X(hipEventQuery)                                                                               \
    X(hipEventSynchronize)                                                                         \
    X(hipEventElapsedTime)                                                                         \
    X(hipEventDestroy)                                                                             \
    X(hipStreamBeginCapture)                                                                       \
    X(hipStreamEndCapture)                                                                         \
    X(hipStreamIsCapturing)                                                                        \
    X(hipThreadExchangeStreamCaptureMode)                                                          \
    X(hipGraphDestroy)                                                                             \
    X(hipMemGetAllocationGranularity)                                                              \
    X(hipMemAddressReserve)                                                                        \
    X(hipMemAddressFree)                                                                           \
    X(hipMemCreate)                                                                                \
    X(hipMemRelease)                                                                               \
    X(hipMemMap)                                                                                   \
    X(hipMemUnmap)                                                                                 \
    X(hipMemSetAccess)                                                                             \
    X(hipCtxCreate)                                                                                \
    X(hipCtxDestroy)                                                                               \
    X(hipCtxGetCurrent)                                                                            \
    X(hipCtxGetDevice)                                                                             \
    X(hipCtxPushCurrent)                                                                           \
    X(hipCtxPopCurrent)                                                                            \
    X(hipCtxEnablePeerAccess)                                                                      \
    X(hipDevicePrimaryCtxRetain)                                                                   \
    X(hipDevicePrimaryCtxRelease)

// Not exported: hipGetProcAddress alone finds them.
#define HL_HIDDEN_FUNCTIONS(X)                                                                     \
    X(hipAmdFileRead)                                                                              \
    X(hipAmdFileWrite)

#define HL_EXPORTED_FUNCTIONS(X)                                                                   \
    HL_FREE_FUNCTIONS(X)                                                                           \
    HL_DEVICELESS_FUNCTIONS(X)                                                                     \
    HL_DEVICE_FUNCTIONS(X)

// In this order: the ranges between the marks are the groups above.
#define HL_FN_ID(name) HL_FN_##name,
enum hl_function {
    HL_FREE_FUNCTIONS(HL_FN_ID) HL_FN_FREE_END,
    HL_DEVICELESS_FUNCTIONS(HL_FN_ID) HL_FN_DEVICELESS_END,
    HL_DEVICE_FUNCTIONS(HL_FN_ID) HL_HIDDEN_FUNCTIONS(HL_FN_ID) HL_FN_COUNT
};

// Names by id; NULL at the marks.
extern const char *const hl_function_names[HL_FN_COUNT];

#endif
