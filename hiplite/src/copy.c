// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "fault.h"
#include "runtime.h"

static bool kind_valid(hipMemcpyKind kind)
{
    return (unsigned)kind <= hipMemcpyDefault || kind == hipMemcpyDeviceToDeviceNoCU;
}

static hipError_t copy(enum hl_function fn, bool async, void *dst, const void *src, size_t size,
                       hipMemcpyKind kind, hipStream_t stream)
{
    hipError_t error;

    if (!kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    if (size == 0)
        return hipSuccess;
    if (dst == NULL || src == NULL)
        return hipErrorInvalidValue;
    if (kind == hipMemcpyDeviceToDeviceNoCU)
        kind = hipMemcpyDeviceToDevice;
    error = (async ? hl_ops->copy_async : hl_ops->copy)(dst, src, size, kind, stream);
    if (error == hipSuccess)
        hl_count_bytes(fn, size);
    return error;
}

static hipError_t fill(enum hl_function fn, bool async, void *dst, int value, size_t size,
                       hipStream_t stream)
{
    hipError_t error;

    if (size == 0)
        return hipSuccess;
    if (dst == NULL)
        return hipErrorInvalidValue;
    error = (async ? hl_ops->fill_async : hl_ops->fill)(dst, (unsigned char)value, size, stream);
    if (error == hipSuccess)
        hl_count_bytes(fn, size);
    return error;
}

hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind)
{
    HL_ENTER(hipMemcpy);
    return hl_leave(copy(HL_FN_hipMemcpy, false, dst, src, sizeBytes, kind, NULL));
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream)
{
    HL_ENTER(hipMemcpyWithStream);
    return hl_leave(copy(HL_FN_hipMemcpyWithStream, false, dst, src, sizeBytes, kind, stream));
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream)
{
    HL_ENTER(hipMemcpyAsync);
    return hl_leave(copy(HL_FN_hipMemcpyAsync, true, dst, src, sizeBytes, kind, stream));
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes)
{
    HL_ENTER(hipMemcpyHtoD);
    return hl_leave(
        copy(HL_FN_hipMemcpyHtoD, false, dst, src, sizeBytes, hipMemcpyHostToDevice, NULL));
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes)
{
    HL_ENTER(hipMemcpyDtoH);
    return hl_leave(
        copy(HL_FN_hipMemcpyDtoH, false, dst, src, sizeBytes, hipMemcpyDeviceToHost, NULL));
}

hipError_t hipMemset(void *dst, int value, size_t sizeBytes)
{
    HL_ENTER(hipMemset);
    return hl_leave(fill(HL_FN_hipMemset, false, dst, value, sizeBytes, NULL));
}

hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count)
{
    HL_ENTER(hipMemsetD8);
    return hl_leave(fill(HL_FN_hipMemsetD8, false, dest, value, count, NULL));
}

hipError_t hipMemsetAsync(void *dst, int value, size_t sizeBytes, hipStream_t stream)
{
    HL_ENTER(hipMemsetAsync);
    return hl_leave(fill(HL_FN_hipMemsetAsync, true, dst, value, sizeBytes, stream));
}
