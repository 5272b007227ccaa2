// SPDX-License-Identifier: MIT
//
// Contexts as AMD has them: one per device, so that a context is another name for a device, and
// making one current is hipSetDevice with a stack.
#include <stddef.h>

#include "device.h"
#include "runtime.h"

static char contexts[HL_MAX_DEVICES];

static hipCtx_t context_of(int device)
{
    return (hipCtx_t)(void *)&contexts[device];
}

// The device of a context, -1 if it is none.
static int device_of(hipCtx_t ctx)
{
    for (int device = 0; device < hl_device_count; device++) {
        if (context_of(device) == ctx)
            return device;
    }
    return -1;
}

static hipError_t push(int device)
{
    int previous = hl_thread.device;
    hipError_t error;

    if (hl_thread.context_count == HL_CONTEXT_DEPTH)
        return hipErrorOutOfMemory;
    error = hl_device_select(device);
    if (error == hipSuccess)
        hl_thread.contexts[hl_thread.context_count++] = (signed char)previous;
    return error;
}

hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device)
{
    hipError_t error;

    (void)flags; // how to wait: no effect here
    HL_ENTER(hipCtxCreate);
    if (ctx == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(device))
        return hl_leave(hipErrorInvalidDevice);
    error = push(device);
    if (error == hipSuccess)
        *ctx = context_of(device);
    return hl_leave(error);
}

static hipError_t pop(hipCtx_t *ctx)
{
    int current = hl_thread.device;
    hipError_t error;

    if (hl_thread.context_count == 0)
        return hipErrorInvalidContext;
    error = hl_device_select(hl_thread.contexts[hl_thread.context_count - 1]);
    if (error != hipSuccess)
        return error;
    hl_thread.context_count--;
    if (ctx != NULL)
        *ctx = context_of(current);
    return hipSuccess;
}

hipError_t hipCtxDestroy(hipCtx_t ctx)
{
    HL_ENTER(hipCtxDestroy);
    if (device_of(ctx) < 0)
        return hl_leave(hipErrorInvalidContext);
    if (hl_thread.context_count > 0 && context_of(hl_thread.device) == ctx)
        return hl_leave(pop(NULL));
    return hl_leave(hipSuccess);
}

hipError_t hipCtxGetCurrent(hipCtx_t *ctx)
{
    HL_ENTER(hipCtxGetCurrent);
    if (ctx == NULL)
        return hl_leave(hipErrorInvalidValue);
    *ctx = context_of(hl_thread.device);
    return hl_leave(hipSuccess);
}

hipError_t hipCtxGetDevice(hipDevice_t *device)
{
    HL_ENTER(hipCtxGetDevice);
    if (device == NULL)
        return hl_leave(hipErrorInvalidValue);
    *device = hl_thread.device;
    return hl_leave(hipSuccess);
}

hipError_t hipCtxPushCurrent(hipCtx_t ctx)
{
    HL_ENTER(hipCtxPushCurrent);
    return hl_leave(device_of(ctx) >= 0 ? push(device_of(ctx)) : hipErrorInvalidContext);
}

hipError_t hipCtxPopCurrent(hipCtx_t *ctx)
{
    HL_ENTER(hipCtxPopCurrent);
    return hl_leave(pop(ctx));
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags)
{
    int can = 0;
    int peer;
    hipError_t error;

    HL_ENTER(hipCtxEnablePeerAccess);
    peer = device_of(peerCtx);
    if (flags != 0)
        return hl_leave(hipErrorInvalidValue);
    if (peer < 0 || peer == hl_thread.device)
        return hl_leave(hipErrorInvalidContext);
    error = hl_ops->device_can_access_peer(&can, hl_thread.device, peer);
    if (error == hipSuccess && !can)
        error = hipErrorPeerAccessUnsupported;
    return hl_leave(error);
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev)
{
    HL_ENTER(hipDevicePrimaryCtxRetain);
    if (pctx == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(dev))
        return hl_leave(hipErrorInvalidDevice);
    *pctx = context_of(dev);
    return hl_leave(hipSuccess);
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev)
{
    HL_ENTER(hipDevicePrimaryCtxRelease);
    return hl_leave(hl_device_valid(dev) ? hipSuccess : hipErrorInvalidDevice);
}
