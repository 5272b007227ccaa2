// SPDX-License-Identifier: MIT
//
// What a kind of device must do. The exported functions check NULL pointers, flags and device
// numbers, and then call one of these; streams and events are opaque to them. Unless told
// otherwise "current device" is hl_thread.device.
#ifndef HL_DEVICE_OPS_H
#define HL_DEVICE_OPS_H

#include <stdbool.h>

#include <hip/hip_runtime_api.h>

struct hl_file_io {
    bool write;
    int fd;
    void *device_ptr;
    uint64_t size; // above 0
    int64_t offset;
    uint64_t copied; // out
    int32_t status;  // out: 0 or -errno
};

struct hl_value_op {
    void *ptr;
    uint64_t value;
    uint64_t mask;
    unsigned flags; // hipStreamWaitValue*
    unsigned width; // bytes: 4 or 8
};

struct hl_device_ops {
    const char *name;
    bool has_file_io;

    // Called once; the number of devices, 0 if there is none.
    int (*open)(void);

    hipError_t (*device_set)(int device);
    hipError_t (*device_get)(int *device);
    hipError_t (*device_synchronize)(void);
    hipError_t (*device_attribute)(int *value, hipDeviceAttribute_t attribute, int device);
    hipError_t (*device_properties)(hipDeviceProp_t *prop, int device);
    hipError_t (*device_can_access_peer)(int *can, int device, int peer);
    hipError_t (*device_priority_range)(int *least, int *greatest);

    hipError_t (*mem_alloc)(void **ptr, size_t size, unsigned flags);
    hipError_t (*mem_alloc_managed)(void **ptr, size_t size, unsigned flags);
    hipError_t (*mem_free)(void *ptr);
    hipError_t (*mem_info)(size_t *available, size_t *total);
    hipError_t (*mem_range)(void **base, size_t *size, void *ptr);
    hipError_t (*mem_attributes)(hipPointerAttribute_t *attributes, const void *ptr);
    hipError_t (*host_alloc)(void **ptr, size_t size, unsigned flags);
    hipError_t (*host_free)(void *ptr);
    hipError_t (*host_register)(void *ptr, size_t size, unsigned flags);
    hipError_t (*host_unregister)(void *ptr);
    hipError_t (*host_device_pointer)(void **device_ptr, void *ptr);

    // Synchronous with the host, or queued.
    hipError_t (*copy)(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                       hipStream_t stream);
    hipError_t (*copy_async)(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                             hipStream_t stream);
    hipError_t (*fill)(void *dst, unsigned char value, size_t size, hipStream_t stream);
    hipError_t (*fill_async)(void *dst, unsigned char value, size_t size, hipStream_t stream);

    hipError_t (*stream_create)(hipStream_t *stream, unsigned flags, int priority);
    hipError_t (*stream_destroy)(hipStream_t stream);
    hipError_t (*stream_synchronize)(hipStream_t stream);
    hipError_t (*stream_query)(hipStream_t stream);
    hipError_t (*stream_device)(hipStream_t stream, int *device);
    hipError_t (*stream_flags)(hipStream_t stream, unsigned *flags);
    hipError_t (*stream_priority)(hipStream_t stream, int *priority);
    hipError_t (*stream_wait_event)(hipStream_t stream, hipEvent_t event);
    hipError_t (*stream_host_func)(hipStream_t stream, hipHostFn_t fn, void *data);
    hipError_t (*stream_callback)(hipStream_t stream, hipStreamCallback_t fn, void *data);
    hipError_t (*stream_wait_value)(hipStream_t stream, const struct hl_value_op *op);
    hipError_t (*stream_write_value)(hipStream_t stream, const struct hl_value_op *op);

    hipError_t (*event_create)(hipEvent_t *event, unsigned flags);
    hipError_t (*event_record)(hipEvent_t event, hipStream_t stream);
    hipError_t (*event_query)(hipEvent_t event);
    hipError_t (*event_synchronize)(hipEvent_t event);
    hipError_t (*event_elapsed)(float *ms, hipEvent_t start, hipEvent_t stop);
    hipError_t (*event_destroy)(hipEvent_t event);

    hipError_t (*capture_begin)(hipStream_t stream, hipStreamCaptureMode mode);
    hipError_t (*capture_end)(hipStream_t stream, hipGraph_t *graph);
    hipError_t (*capture_status)(hipStream_t stream, hipStreamCaptureStatus *status);
    hipError_t (*capture_exchange_mode)(hipStreamCaptureMode *mode);
    hipError_t (*graph_destroy)(hipGraph_t graph);

    hipError_t (*vmm_granularity)(size_t *granularity, const hipMemAllocationProp *prop);
    hipError_t (*vmm_reserve)(void **ptr, size_t size, size_t alignment, void *hint);
    hipError_t (*vmm_unreserve)(void *ptr, size_t size);
    hipError_t (*vmm_create)(hipMemGenericAllocationHandle_t *handle, size_t size,
                             const hipMemAllocationProp *prop);
    hipError_t (*vmm_release)(hipMemGenericAllocationHandle_t handle);
    hipError_t (*vmm_map)(void *ptr, size_t size, size_t offset,
                          hipMemGenericAllocationHandle_t handle);
    hipError_t (*vmm_unmap)(void *ptr, size_t size);
    hipError_t (*vmm_set_access)(void *ptr, size_t size, const hipMemAccessDesc *desc,
                                 size_t count);

    hipError_t (*file_io)(struct hl_file_io *io);
};

extern const struct hl_device_ops hl_cpu_ops;
extern const struct hl_device_ops hl_cuda_ops;

#endif
