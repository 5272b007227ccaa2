// SPDX-License-Identifier: MIT
//
// Streams, events and copies: CUDA's own, by the same flags, modes and order.
#include "cuda.h"

static hipError_t run(CUresult result)
{
    return hl_cuda_error(result);
}

// Enters, and leaves the function if that fails.
#define ENTER()                                                                                    \
    do {                                                                                           \
        hipError_t enter_error = hl_cuda_enter();                                                  \
        if (enter_error != hipSuccess)                                                             \
            return enter_error;                                                                    \
    } while (0)

static hipError_t copy_async(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                             hipStream_t stream)
{
    ENTER();
    switch (kind) { // told, as cuMemcpyAsync takes a range of several mappings for host memory
    case hipMemcpyHostToDevice:
        return run(hl_cuda.cuMemcpyHtoDAsync_v2((CUdeviceptr)dst, src, size, stream));
    case hipMemcpyDeviceToHost:
        return run(hl_cuda.cuMemcpyDtoHAsync_v2(dst, (CUdeviceptr)src, size, stream));
    default:
        return run(hl_cuda.cuMemcpyAsync((CUdeviceptr)dst, (CUdeviceptr)src, size, stream));
    }
}

static hipError_t stream_synchronize(hipStream_t stream)
{
    ENTER();
    return run(hl_cuda.cuStreamSynchronize(stream));
}

static hipError_t copy(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                       hipStream_t stream)
{
    hipError_t error = copy_async(dst, src, size, kind, stream);

    return error != hipSuccess ? error : stream_synchronize(stream);
}

static hipError_t fill_async(void *dst, unsigned char value, size_t size, hipStream_t stream)
{
    ENTER();
    return run(hl_cuda.cuMemsetD8Async((CUdeviceptr)dst, value, size, stream));
}

static hipError_t fill(void *dst, unsigned char value, size_t size, hipStream_t stream)
{
    hipError_t error = fill_async(dst, value, size, stream);

    return error != hipSuccess ? error : stream_synchronize(stream);
}

static hipError_t stream_create(hipStream_t *stream, unsigned flags, int priority)
{
    ENTER();
    return run(hl_cuda.cuStreamCreateWithPriority(stream, flags, priority));
}

static hipError_t stream_destroy(hipStream_t stream)
{
    ENTER();
    return run(hl_cuda.cuStreamDestroy_v2(stream));
}

static hipError_t stream_query(hipStream_t stream)
{
    ENTER();
    return run(hl_cuda.cuStreamQuery(stream));
}

static hipError_t stream_flags(hipStream_t stream, unsigned *flags)
{
    ENTER();
    return run(hl_cuda.cuStreamGetFlags(stream, flags));
}

static hipError_t stream_priority(hipStream_t stream, int *priority)
{
    ENTER();
    return run(hl_cuda.cuStreamGetPriority(stream, priority));
}

static hipError_t stream_wait_event(hipStream_t stream, hipEvent_t event)
{
    ENTER();
    return run(hl_cuda.cuStreamWaitEvent(stream, event, 0));
}

static hipError_t stream_host_func(hipStream_t stream, hipHostFn_t fn, void *data)
{
    CUresult result;

    ENTER();
    hl_cuda_hold_begin();
    result = hl_cuda.cuLaunchHostFunc(stream, fn, data);
    hl_cuda_hold_end();
    return run(result);
}

static hipError_t stream_callback(hipStream_t stream, hipStreamCallback_t fn, void *data)
{
    CUresult result;

    ENTER();
    hl_cuda_hold_begin();
    result = hl_cuda.cuStreamAddCallback(stream, fn, data, 0);
    hl_cuda_hold_end();
    return run(result);
}

static CUresult wait_value(hipStream_t stream, const struct hl_value_op *op)
{
    CUdeviceptr pointer = (CUdeviceptr)op->ptr;

    if (op->width == 4)
        return hl_cuda.cuStreamWaitValue32_v2(stream, pointer, (uint32_t)op->value, op->flags);
    return hl_cuda.cuStreamWaitValue64_v2(stream, pointer, op->value, op->flags);
}

// The comparisons have CUDA's numbers; CUDA has no mask.
static hipError_t stream_wait_value(hipStream_t stream, const struct hl_value_op *op)
{
    CUresult result;

    ENTER();
    if (op->mask != (op->width == 4 ? UINT32_MAX : UINT64_MAX))
        return hipErrorNotSupported;
    hl_cuda_hold_begin();
    result = wait_value(stream, op);
    hl_cuda_hold_end();
    return run(result);
}

static hipError_t stream_write_value(hipStream_t stream, const struct hl_value_op *op)
{
    CUdeviceptr pointer = (CUdeviceptr)op->ptr;

    ENTER();
    if (op->width == 4)
        return run(hl_cuda.cuStreamWriteValue32_v2(stream, pointer, (uint32_t)op->value, 0));
    return run(hl_cuda.cuStreamWriteValue64_v2(stream, pointer, op->value, 0));
}

static hipError_t event_create(hipEvent_t *event, unsigned flags)
{
    ENTER();
    return run(hl_cuda.cuEventCreate(event, flags));
}

static hipError_t event_record(hipEvent_t event, hipStream_t stream)
{
    ENTER();
    return run(hl_cuda.cuEventRecord(event, stream));
}

static hipError_t event_query(hipEvent_t event)
{
    ENTER();
    return run(hl_cuda.cuEventQuery(event));
}

static hipError_t event_synchronize(hipEvent_t event)
{
    ENTER();
    return run(hl_cuda.cuEventSynchronize(event));
}

static hipError_t event_elapsed(float *ms, hipEvent_t start, hipEvent_t stop)
{
    ENTER();
    return run(hl_cuda.cuEventElapsedTime(ms, start, stop));
}

static hipError_t event_destroy(hipEvent_t event)
{
    ENTER();
    return run(hl_cuda.cuEventDestroy_v2(event));
}

static hipError_t capture_begin(hipStream_t stream, hipStreamCaptureMode mode)
{
    ENTER();
    return run(hl_cuda.cuStreamBeginCapture_v2(stream, (int)mode));
}

static hipError_t capture_end(hipStream_t stream, hipGraph_t *graph)
{
    ENTER();
    return run(hl_cuda.cuStreamEndCapture(stream, graph));
}

static hipError_t capture_status(hipStream_t stream, hipStreamCaptureStatus *status)
{
    int cuda = 0;
    hipError_t error;

    ENTER();
    error = run(hl_cuda.cuStreamIsCapturing(stream, &cuda));
    *status = (hipStreamCaptureStatus)cuda;
    return error;
}

static hipError_t capture_exchange_mode(hipStreamCaptureMode *mode)
{
    int cuda = (int)*mode;
    hipError_t error = run(hl_cuda.cuThreadExchangeStreamCaptureMode(&cuda));

    *mode = (hipStreamCaptureMode)cuda;
    return error;
}

static hipError_t graph_destroy(hipGraph_t graph)
{
    return run(hl_cuda.cuGraphDestroy(graph));
}

// NVIDIA's driver has no file I/O of this kind; hipGetProcAddress does not find the functions.
static hipError_t file_io(struct hl_file_io *io)
{
    (void)io;
    return hipErrorNotSupported;
}

const struct hl_device_ops hl_cuda_ops = {
    .name = "cuda",
    .has_file_io = false,
    .open = hl_cuda_open,
    .device_set = hl_cuda_device_set,
    .device_get = hl_cuda_device_get,
    .device_synchronize = hl_cuda_device_synchronize,
    .device_attribute = hl_cuda_device_attribute,
    .device_properties = hl_cuda_device_properties,
    .device_can_access_peer = hl_cuda_device_can_access_peer,
    .device_priority_range = hl_cuda_device_priority_range,
    .mem_alloc = hl_cuda_mem_alloc,
    .mem_alloc_managed = hl_cuda_mem_alloc_managed,
    .mem_free = hl_cuda_mem_free,
    .mem_info = hl_cuda_mem_info,
    .mem_range = hl_cuda_mem_range,
    .mem_attributes = hl_cuda_mem_attributes,
    .host_alloc = hl_cuda_host_alloc,
    .host_free = hl_cuda_host_free,
    .host_register = hl_cuda_host_register,
    .host_unregister = hl_cuda_host_unregister,
    .host_device_pointer = hl_cuda_host_device_pointer,
    .copy = copy,
    .copy_async = copy_async,
    .fill = fill,
    .fill_async = fill_async,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .stream_query = stream_query,
    .stream_device = hl_cuda_stream_device,
    .stream_flags = stream_flags,
    .stream_priority = stream_priority,
    .stream_wait_event = stream_wait_event,
    .stream_host_func = stream_host_func,
    .stream_callback = stream_callback,
    .stream_wait_value = stream_wait_value,
    .stream_write_value = stream_write_value,
    .event_create = event_create,
    .event_record = event_record,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_elapsed = event_elapsed,
    .event_destroy = event_destroy,
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .capture_status = capture_status,
    .capture_exchange_mode = capture_exchange_mode,
    .graph_destroy = graph_destroy,
    .vmm_granularity = hl_cuda_vmm_granularity,
    .vmm_reserve = hl_cuda_vmm_reserve,
    .vmm_unreserve = hl_cuda_vmm_unreserve,
    .vmm_create = hl_cuda_vmm_create,
    .vmm_release = hl_cuda_vmm_release,
    .vmm_map = hl_cuda_vmm_map,
    .vmm_unmap = hl_cuda_vmm_unmap,
    .vmm_set_access = hl_cuda_vmm_set_access,
    .file_io = file_io,
};
