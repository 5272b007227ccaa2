// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "device.h"
#include "runtime.h"

static bool prop_valid(const hipMemAllocationProp *prop)
{
    return prop != NULL && prop->type == hipMemAllocationTypePinned &&
           prop->location.type == hipMemLocationTypeDevice;
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                                          hipMemAllocationGranularity_flags option)
{
    HL_ENTER(hipMemGetAllocationGranularity);
    if (granularity == NULL || !prop_valid(prop) ||
        (unsigned)option > hipMemAllocationGranularityRecommended)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(prop->location.id))
        return hl_leave(hipErrorInvalidDevice);
    return hl_leave(hl_ops->vmm_granularity(granularity, prop));
}

hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
                                unsigned long long flags)
{
    HL_ENTER(hipMemAddressReserve);
    if (ptr == NULL || size == 0 || flags != 0 || (alignment & (alignment - 1)) != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->vmm_reserve(ptr, size, alignment, addr));
}

hipError_t hipMemAddressFree(void *devPtr, size_t size)
{
    HL_ENTER(hipMemAddressFree);
    if (devPtr == NULL || size == 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->vmm_unreserve(devPtr, size));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *prop, unsigned long long flags)
{
    HL_ENTER(hipMemCreate);
    if (handle == NULL || size == 0 || !prop_valid(prop) || flags != 0)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(prop->location.id))
        return hl_leave(hipErrorInvalidDevice);
    return hl_leave(hl_ops->vmm_create(handle, size, prop));
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
    HL_ENTER(hipMemRelease);
    return hl_leave(handle != NULL ? hl_ops->vmm_release(handle) : hipErrorInvalidValue);
}

hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags)
{
    HL_ENTER(hipMemMap);
    if (ptr == NULL || size == 0 || handle == NULL || flags != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->vmm_map(ptr, size, offset, handle));
}

hipError_t hipMemUnmap(void *ptr, size_t size)
{
    HL_ENTER(hipMemUnmap);
    if (ptr == NULL || size == 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->vmm_unmap(ptr, size));
}

hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count)
{
    HL_ENTER(hipMemSetAccess);
    if (ptr == NULL || size == 0 || desc == NULL || count == 0)
        return hl_leave(hipErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (desc[i].location.type != hipMemLocationTypeDevice)
            return hl_leave(hipErrorInvalidValue);
        if (!hl_device_valid(desc[i].location.id))
            return hl_leave(hipErrorInvalidDevice);
    }
    return hl_leave(hl_ops->vmm_set_access(ptr, size, desc, count));
}
