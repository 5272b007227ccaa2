// SPDX-License-Identifier: MIT
/*
 * A HIP runtime as a unit test wants it: hf_hip with functions that count, and fail on request.
 * "Device memory" is ordinary memory that fake_allocate lists.
 */
#ifndef FAKE_HIP_H
#define FAKE_HIP_H

#include "hip/hip.h"
#include "unit.h"

enum hip_call {
    HIP_POINTER,
    HIP_RANGE,
    HIP_HOST_MALLOC,
    HIP_HOST_FREE,
    HIP_COPY,
    HIP_STREAM_CREATE,
    HIP_STREAM_DESTROY,
    HIP_STREAM_SYNC,
    HIP_EVENT_CREATE,
    HIP_EVENT_DESTROY,
    HIP_EVENT_RECORD,
    HIP_EVENT_SYNC,
    HIP_GET_DEVICE,
    HIP_SET_DEVICE,
    HIP_CALLS
};

static struct {
    atomic_uint calls[HIP_CALLS];
    unsigned fail_at[HIP_CALLS]; /* the n-th call fails; 0: none */
    hipError_t error[HIP_CALLS];
} fake;

static _Thread_local hipError_t fake_pending;
static _Thread_local int fake_device;

#define FAKE_RANGES 64
static struct {
    uintptr_t base;
    size_t size;
    hipMemoryType type;
    int device;
} fake_ranges[FAKE_RANGES];

static hipError_t fake_leave(hipError_t error)
{
    if (error != hipSuccess)
        fake_pending = error;
    return error;
}

static hipError_t fake_call(enum hip_call call)
{
    unsigned n = atomic_fetch_add(&fake.calls[call], 1) + 1;

    return fake_leave(n == fake.fail_at[call] ? fake.error[call] : hipSuccess);
}

static int fake_find(uintptr_t address)
{
    for (int i = 0; i < FAKE_RANGES; i++)
        if (address - fake_ranges[i].base < fake_ranges[i].size)
            return i;
    return -1;
}

static hipError_t fake_attribute(int *value, hipDeviceAttribute_t attribute, int device)
{
    (void)device;
    *value = attribute == hipDeviceAttributeAsyncEngineCount;
    return hipSuccess;
}

/* Bus 1 for device 0, and so on. */
static hipError_t fake_bus_id(char *text, int size, int device)
{
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)device + 1);
    return hipSuccess;
}

static hipError_t fake_attributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    hipError_t error = fake_call(HIP_POINTER);
    int i = fake_find((uintptr_t)pointer);

    if (error != hipSuccess)
        return error;
    attributes->type = i < 0 ? hipMemoryTypeUnregistered : fake_ranges[i].type;
    attributes->device = i < 0 ? 0 : fake_ranges[i].device;
    return hipSuccess;
}

static hipError_t fake_range(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t pointer)
{
    hipError_t error = fake_call(HIP_RANGE);
    int i = fake_find((uintptr_t)pointer);

    if (error != hipSuccess)
        return error;
    if (i < 0)
        return fake_leave(hipErrorNotFound);
    *base = (hipDeviceptr_t)fake_ranges[i].base;
    *size = fake_ranges[i].size;
    return hipSuccess;
}

static hipError_t fake_host_malloc(void **pointer, size_t size, unsigned flags)
{
    hipError_t error = fake_call(HIP_HOST_MALLOC);

    (void)flags;
    if (error == hipSuccess && posix_memalign(pointer, 4096, size) != 0)
        error = hipErrorOutOfMemory;
    return error;
}

static hipError_t fake_host_free(void *pointer)
{
    free(pointer);
    return fake_call(HIP_HOST_FREE);
}

static hipError_t fake_copy(void *to, const void *from, size_t size, hipMemcpyKind kind,
                            hipStream_t stream)
{
    hipError_t error = fake_call(HIP_COPY);

    (void)kind;
    (void)stream;
    if (error == hipSuccess)
        memcpy(to, from, size);
    return error;
}

static hipError_t fake_stream_create(hipStream_t *stream, unsigned flags)
{
    hipError_t error = fake_call(HIP_STREAM_CREATE);

    assert_int_equal(flags, hipStreamNonBlocking);
    *stream = (hipStream_t)(uintptr_t)(0x1000 + fake.calls[HIP_STREAM_CREATE]);
    return error;
}

static hipError_t fake_stream_create_with_priority(hipStream_t *stream, unsigned flags,
                                                   int priority)
{
    (void)priority;
    return fake_stream_create(stream, flags);
}

/* From 1, the least, to -1. */
static _Thread_local hipStreamCaptureMode fake_capture_mode;

static hipError_t fake_exchange_capture_mode(hipStreamCaptureMode *mode)
{
    hipStreamCaptureMode before = fake_capture_mode;

    fake_capture_mode = *mode;
    *mode = before;
    return hipSuccess;
}

static hipError_t fake_priority_range(int *least, int *greatest)
{
    *least = 1;
    *greatest = -1;
    return hipSuccess;
}

static hipError_t fake_stream_destroy(hipStream_t stream)
{
    (void)stream;
    return fake_call(HIP_STREAM_DESTROY);
}

static hipError_t fake_stream_sync(hipStream_t stream)
{
    (void)stream;
    return fake_call(HIP_STREAM_SYNC);
}

static hipError_t fake_event_create(hipEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (hipEvent_t)(uintptr_t)0x2000;
    return fake_call(HIP_EVENT_CREATE);
}

static hipError_t fake_event_destroy(hipEvent_t event)
{
    (void)event;
    return fake_call(HIP_EVENT_DESTROY);
}

static hipError_t fake_event_record(hipEvent_t event, hipStream_t stream)
{
    (void)event;
    (void)stream;
    return fake_call(HIP_EVENT_RECORD);
}

static hipError_t fake_event_sync(hipEvent_t event)
{
    (void)event;
    return fake_call(HIP_EVENT_SYNC);
}

static hipError_t fake_get_device(int *device)
{
    *device = fake_device;
    return fake_call(HIP_GET_DEVICE);
}

static hipError_t fake_set_device(int device)
{
    hipError_t error = fake_call(HIP_SET_DEVICE);

    if (error == hipSuccess)
        fake_device = device;
    return error;
}

static hipError_t fake_get_last(void)
{
    hipError_t error = fake_pending;

    fake_pending = hipSuccess;
    return error;
}

static hipError_t fake_peek(void)
{
    return fake_pending;
}

static hipError_t fake_init(unsigned flags)
{
    (void)flags;
    return hipSuccess;
}

/* A fresh runtime: no memory listed, nothing counted, nothing failing. */
static inline void hip_reset(int devices)
{
    memset(&fake, 0, sizeof fake);
    memset(fake_ranges, 0, sizeof fake_ranges);
    fake_pending = hipSuccess;
    fake_device = 0;
    fake_capture_mode = hipStreamCaptureModeGlobal;
    hf_hip = (struct hf_hip_calls){
        .hipInit = fake_init,
        .hipGetDevice = fake_get_device,
        .hipSetDevice = fake_set_device,
        .hipDeviceGetAttribute = fake_attribute,
        .hipDeviceGetPCIBusId = fake_bus_id,
        .hipGetLastError = fake_get_last,
        .hipPeekAtLastError = fake_peek,
        .hipPointerGetAttributes = fake_attributes,
        .hipMemGetAddressRange = fake_range,
        .hipHostMalloc = fake_host_malloc,
        .hipHostFree = fake_host_free,
        .hipMemcpyAsync = fake_copy,
        .hipStreamCreateWithFlags = fake_stream_create,
        .hipStreamCreateWithPriority = fake_stream_create_with_priority,
        .hipDeviceGetStreamPriorityRange = fake_priority_range,
        .hipThreadExchangeStreamCaptureMode = fake_exchange_capture_mode,
        .hipStreamDestroy = fake_stream_destroy,
        .hipStreamSynchronize = fake_stream_sync,
        .hipEventCreateWithFlags = fake_event_create,
        .hipEventDestroy = fake_event_destroy,
        .hipEventRecord = fake_event_record,
        .hipEventSynchronize = fake_event_sync,
        .devices = devices,
        .version = 70200000,
    };
}

static inline void hip_fail(enum hip_call call, unsigned nth, hipError_t error)
{
    fake.fail_at[call] = nth;
    fake.error[call] = error;
}

/* Lists a range as an allocation of this type. */
static inline void hip_list(uintptr_t base, size_t size, hipMemoryType type, int device)
{
    for (int i = 0; i < FAKE_RANGES; i++) {
        if (fake_ranges[i].size)
            continue;
        fake_ranges[i].base = base;
        fake_ranges[i].size = size;
        fake_ranges[i].type = type;
        fake_ranges[i].device = device;
        return;
    }
    fail_msg("too many ranges");
}

#endif
