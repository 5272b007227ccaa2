// SPDX-License-Identifier: MIT
//
// NVIDIA devices through libcuda.so.1, which is looked up at run time: no header or library of
// CUDA is needed to build. Handles and pointers pass through unchanged, so that the memory and the
// streams of other CUDA users in the process just work.
#ifndef HL_CUDA_H
#define HL_CUDA_H

#include "device_ops.h"

// The driver's types, as far as they are used here. CUresult and HIP's codes have the same numbers.
typedef int CUresult;
typedef int CUdevice;
typedef void *CUcontext;
typedef uintptr_t CUdeviceptr;

// Every function, by the name that the driver exports, and its parameters.
#define HL_CUDA_CALLS(X)                                                                           \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (CUdevice * device, int ordinal))                                               \
    X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                          \
    X(cuDeviceGetName, (char *name, int size, CUdevice device))                                    \
    X(cuDeviceGetUuid_v2, (void *uuid, CUdevice device))                                           \
    X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                      \
    X(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))                           \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                            \
    X(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active))                 \
    X(cuCtxGetCurrent, (CUcontext * context))                                                      \
    X(cuCtxSetCurrent, (CUcontext context))                                                        \
    X(cuCtxGetDevice, (CUdevice * device))                                                         \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuCtxGetStreamPriorityRange, (int *least, int *greatest))                                    \
    X(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t size))                                         \
    X(cuMemAllocManaged, (CUdeviceptr * pointer, size_t size, unsigned flags))                     \
    X(cuMemFree_v2, (CUdeviceptr pointer))                                                         \
    X(cuMemGetInfo_v2, (size_t * available, size_t * total))                                       \
    X(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * size, CUdeviceptr pointer))           \
    X(cuPointerGetAttributes,                                                                      \
      (unsigned count, int *attributes, void **values, CUdeviceptr pointer))                       \
    X(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags))                               \
    X(cuMemFreeHost, (void *pointer))                                                              \
    X(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned flags))                          \
    X(cuMemHostUnregister, (void *pointer))                                                        \
    X(cuMemHostGetDevicePointer_v2, (CUdeviceptr * device, void *pointer, unsigned flags))         \
    X(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t size, hipStream_t stream))          \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t size, hipStream_t stream))   \
    X(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t size, hipStream_t stream))         \
    X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t size, hipStream_t stream))    \
    X(cuStreamCreateWithPriority, (hipStream_t * stream, unsigned flags, int priority))            \
    X(cuStreamDestroy_v2, (hipStream_t stream))                                                    \
    X(cuStreamSynchronize, (hipStream_t stream))                                                   \
    X(cuStreamQuery, (hipStream_t stream))                                                         \
    X(cuStreamGetCtx, (hipStream_t stream, CUcontext * context))                                   \
    X(cuStreamGetFlags, (hipStream_t stream, unsigned *flags))                                     \
    X(cuStreamGetPriority, (hipStream_t stream, int *priority))                                    \
    X(cuStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags))                   \
    X(cuLaunchHostFunc, (hipStream_t stream, hipHostFn_t fn, void *data))                          \
    X(cuStreamAddCallback,                                                                         \
      (hipStream_t stream, hipStreamCallback_t fn, void *data, unsigned flags))                    \
    X(cuStreamWaitValue32_v2, (hipStream_t s, CUdeviceptr p, uint32_t value, unsigned flags))      \
    X(cuStreamWaitValue64_v2, (hipStream_t s, CUdeviceptr p, uint64_t value, unsigned flags))      \
    X(cuStreamWriteValue32_v2, (hipStream_t s, CUdeviceptr p, uint32_t value, unsigned flags))     \
    X(cuStreamWriteValue64_v2, (hipStream_t s, CUdeviceptr p, uint64_t value, unsigned flags))     \
    X(cuEventCreate, (hipEvent_t * event, unsigned flags))                                         \
    X(cuEventRecord, (hipEvent_t event, hipStream_t stream))                                       \
    X(cuEventQuery, (hipEvent_t event))                                                            \
    X(cuEventSynchronize, (hipEvent_t event))                                                      \
    X(cuEventElapsedTime, (float *ms, hipEvent_t start, hipEvent_t stop))                          \
    X(cuEventDestroy_v2, (hipEvent_t event))                                                       \
    X(cuStreamBeginCapture_v2, (hipStream_t stream, int mode))                                     \
    X(cuStreamEndCapture, (hipStream_t stream, hipGraph_t * graph))                                \
    X(cuStreamIsCapturing, (hipStream_t stream, int *status))                                      \
    X(cuThreadExchangeStreamCaptureMode, (int *mode))                                              \
    X(cuGraphDestroy, (hipGraph_t graph))                                                          \
    X(cuMemGetAllocationGranularity,                                                               \
      (size_t * granularity, const hipMemAllocationProp *prop, int option))                        \
    X(cuMemAddressReserve, (CUdeviceptr * pointer, size_t size, size_t alignment,                  \
                            CUdeviceptr hint, unsigned long long flags))                           \
    X(cuMemAddressFree, (CUdeviceptr pointer, size_t size))                                        \
    X(cuMemCreate, (unsigned long long *handle, size_t size, const hipMemAllocationProp *prop,     \
                    unsigned long long flags))                                                     \
    X(cuMemRelease, (unsigned long long handle))                                                   \
    X(cuMemMap, (CUdeviceptr pointer, size_t size, size_t offset, unsigned long long handle,       \
                 unsigned long long flags))                                                        \
    X(cuMemUnmap, (CUdeviceptr pointer, size_t size))                                              \
    X(cuMemSetAccess,                                                                              \
      (CUdeviceptr pointer, size_t size, const hipMemAccessDesc *desc, size_t count))

struct hl_cuda_calls {
#define HL_CUDA_CALL(name, parameters) CUresult(*name) parameters;
    HL_CUDA_CALLS(HL_CUDA_CALL)
#undef HL_CUDA_CALL
};
extern struct hl_cuda_calls hl_cuda;

// Loads libcuda.so.1 and initialises it; the number of devices, 0 if there is none.
int hl_cuda_open(void);

// The driver's code as HIP's.
hipError_t hl_cuda_error(CUresult result);

// Makes a context current if the thread has none, and keeps hl_thread.device in step with a thread
// that changes devices through CUDA itself. Every operation calls it first.
hipError_t hl_cuda_enter(void);

// Around queueing what may hold a stream: a value wait, a host function.
//
// The driver's free functions wait for every stream, and while they wait every copy and launch of
// the process waits for them. A stream that is held until such a copy has been made would never go
// on. So hl_cuda_free_quietly waits first, without the driver's lock, and no hold is queued between
// that and the freeing.
void hl_cuda_hold_begin(void);
void hl_cuda_hold_end(void);
CUresult hl_cuda_free_quietly(CUresult (*release)(void *ptr), void *ptr);

// Waits for everything on every device in use.
void hl_cuda_synchronize_all(void);

hipError_t hl_cuda_device_set(int device);
hipError_t hl_cuda_device_get(int *device);
hipError_t hl_cuda_device_synchronize(void);
hipError_t hl_cuda_device_attribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hl_cuda_device_properties(hipDeviceProp_t *prop, int device);
hipError_t hl_cuda_device_can_access_peer(int *can, int device, int peer);
hipError_t hl_cuda_device_priority_range(int *least, int *greatest);
hipError_t hl_cuda_stream_device(hipStream_t stream, int *device);

hipError_t hl_cuda_mem_alloc(void **ptr, size_t size, unsigned flags);
hipError_t hl_cuda_mem_alloc_managed(void **ptr, size_t size, unsigned flags);
hipError_t hl_cuda_mem_free(void *ptr);
hipError_t hl_cuda_mem_info(size_t *available, size_t *total);
hipError_t hl_cuda_mem_range(void **base, size_t *size, void *ptr);
hipError_t hl_cuda_mem_attributes(hipPointerAttribute_t *attributes, const void *ptr);
hipError_t hl_cuda_host_alloc(void **ptr, size_t size, unsigned flags);
hipError_t hl_cuda_host_free(void *ptr);
hipError_t hl_cuda_host_register(void *ptr, size_t size, unsigned flags);
hipError_t hl_cuda_host_unregister(void *ptr);
hipError_t hl_cuda_host_device_pointer(void **device_ptr, void *ptr);
hipError_t hl_cuda_vmm_granularity(size_t *granularity, const hipMemAllocationProp *prop);
hipError_t hl_cuda_vmm_reserve(void **ptr, size_t size, size_t alignment, void *hint);
hipError_t hl_cuda_vmm_unreserve(void *ptr, size_t size);
hipError_t hl_cuda_vmm_create(hipMemGenericAllocationHandle_t *handle, size_t size,
                              const hipMemAllocationProp *prop);
hipError_t hl_cuda_vmm_release(hipMemGenericAllocationHandle_t handle);
hipError_t hl_cuda_vmm_map(void *ptr, size_t size, size_t offset,
                           hipMemGenericAllocationHandle_t handle);
hipError_t hl_cuda_vmm_unmap(void *ptr, size_t size);
hipError_t hl_cuda_vmm_set_access(void *ptr, size_t size, const hipMemAccessDesc *desc,
                                  size_t count);

#endif
