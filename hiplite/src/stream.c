// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "runtime.h"

static hipError_t create(hipStream_t *stream, unsigned flags, int priority)
{
    int least, greatest;
    hipError_t error;

    if (stream == NULL || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
        return hipErrorInvalidValue;
    error = hl_ops->device_priority_range(&least, &greatest);
    if (error != hipSuccess)
        return error;
    if (priority > least)
        priority = least;
    if (priority < greatest)
        priority = greatest;
    return hl_ops->stream_create(stream, flags, priority);
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    HL_ENTER(hipStreamCreate);
    return hl_leave(create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
    HL_ENTER(hipStreamCreateWithFlags);
    return hl_leave(create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority)
{
    HL_ENTER(hipStreamCreateWithPriority);
    return hl_leave(create(stream, flags, priority));
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    HL_ENTER(hipStreamDestroy);
    if (stream == NULL || stream == hipStreamLegacy || stream == hipStreamPerThread)
        return hl_leave(hipErrorInvalidHandle);
    return hl_leave(hl_ops->stream_destroy(stream));
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    HL_ENTER(hipStreamSynchronize);
    return hl_leave(hl_ops->stream_synchronize(stream));
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    HL_ENTER(hipStreamQuery);
    return hl_leave(hl_ops->stream_query(stream));
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
    HL_ENTER(hipStreamGetDevice);
    if (device == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_device(stream, device));
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags)
{
    HL_ENTER(hipStreamGetFlags);
    if (flags == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_flags(stream, flags));
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
    HL_ENTER(hipStreamGetPriority);
    if (priority == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_priority(stream, priority));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    HL_ENTER(hipStreamWaitEvent);
    if (event == NULL)
        return hl_leave(hipErrorInvalidHandle);
    if (flags != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_wait_event(stream, event));
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData)
{
    HL_ENTER(hipLaunchHostFunc);
    if (fn == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_host_func(stream, fn, userData));
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                                unsigned int flags)
{
    HL_ENTER(hipStreamAddCallback);
    if (callback == NULL || flags != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->stream_callback(stream, callback, userData));
}

static hipError_t wait_value(hipStream_t stream, const struct hl_value_op *op)
{
    if (op->ptr == NULL || op->flags > hipStreamWaitValueNor || (uintptr_t)op->ptr % op->width != 0)
        return hipErrorInvalidValue;
    return hl_ops->stream_wait_value(stream, op);
}

static hipError_t write_value(hipStream_t stream, const struct hl_value_op *op)
{
    if (op->ptr == NULL || op->flags != 0 || (uintptr_t)op->ptr % op->width != 0)
        return hipErrorInvalidValue;
    return hl_ops->stream_write_value(stream, op);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                                uint32_t mask)
{
    const struct hl_value_op op = {ptr, value, mask, flags, 4};

    HL_ENTER(hipStreamWaitValue32);
    return hl_leave(wait_value(stream, &op));
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask)
{
    const struct hl_value_op op = {ptr, value, mask, flags, 8};

    HL_ENTER(hipStreamWaitValue64);
    return hl_leave(wait_value(stream, &op));
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags)
{
    const struct hl_value_op op = {ptr, value, UINT32_MAX, flags, 4};

    HL_ENTER(hipStreamWriteValue32);
    return hl_leave(write_value(stream, &op));
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags)
{
    const struct hl_value_op op = {ptr, value, UINT64_MAX, flags, 8};

    HL_ENTER(hipStreamWriteValue64);
    return hl_leave(write_value(stream, &op));
}
