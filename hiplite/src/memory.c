// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "runtime.h"

hipError_t hipMalloc(void **ptr, size_t size)
{
    HL_ENTER(hipMalloc);
    if (ptr == NULL)
        return hl_leave(hipErrorInvalidValue);
    *ptr = NULL;
    if (size == 0)
        return hl_leave(hipSuccess);
    return hl_leave(hl_ops->mem_alloc(ptr, size, hipDeviceMallocDefault));
}

hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags)
{
    HL_ENTER(hipExtMallocWithFlags);
    if (ptr == NULL || flags > hipDeviceMallocContiguous)
        return hl_leave(hipErrorInvalidValue);
    if (flags == hipMallocSignalMemory && sizeBytes != 8)
        return hl_leave(hipErrorInvalidValue);
    *ptr = NULL;
    if (sizeBytes == 0)
        return hl_leave(hipSuccess);
    return hl_leave(hl_ops->mem_alloc(ptr, sizeBytes, flags));
}

hipError_t hipMallocManaged(void **dev_ptr, size_t size, unsigned int flags)
{
    HL_ENTER(hipMallocManaged);
    if (dev_ptr == NULL || size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->mem_alloc_managed(dev_ptr, size, flags));
}

hipError_t hipFree(void *ptr)
{
    HL_ENTER(hipFree);
    return hl_leave(hl_ops->mem_free(ptr));
}

static hipError_t host_alloc(void **ptr, size_t size, unsigned flags)
{
    const unsigned known = hipHostMallocPortable | hipHostMallocMapped |
                           hipHostMallocWriteCombined | hipHostMallocNumaUser |
                           hipHostMallocCoherent | hipHostMallocNonCoherent;
    const unsigned coherence = hipHostMallocCoherent | hipHostMallocNonCoherent;

    if (ptr == NULL || (flags & ~known) != 0 || (flags & coherence) == coherence)
        return hipErrorInvalidValue;
    *ptr = NULL;
    return size == 0 ? hipSuccess : hl_ops->host_alloc(ptr, size, flags);
}

hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags)
{
    HL_ENTER(hipHostMalloc);
    return hl_leave(host_alloc(ptr, size, flags));
}

hipError_t hipMallocHost(void **ptr, size_t size)
{
    HL_ENTER(hipMallocHost);
    return hl_leave(host_alloc(ptr, size, hipHostMallocDefault));
}

hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags)
{
    HL_ENTER(hipHostAlloc);
    return hl_leave(host_alloc(ptr, size, flags));
}

hipError_t hipHostFree(void *ptr)
{
    HL_ENTER(hipHostFree);
    return hl_leave(hl_ops->host_free(ptr));
}

hipError_t hipFreeHost(void *ptr)
{
    HL_ENTER(hipFreeHost);
    return hl_leave(hl_ops->host_free(ptr));
}

hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags)
{
    const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped |
                           hipHostRegisterIoMemory | hipHostRegisterReadOnly;

    HL_ENTER(hipHostRegister);
    if (hostPtr == NULL || sizeBytes == 0 || (flags & ~known) != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->host_register(hostPtr, sizeBytes, flags));
}

hipError_t hipHostUnregister(void *hostPtr)
{
    HL_ENTER(hipHostUnregister);
    if (hostPtr == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->host_unregister(hostPtr));
}

hipError_t hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags)
{
    HL_ENTER(hipHostGetDevicePointer);
    if (devPtr == NULL || hstPtr == NULL || flags != 0)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->host_device_pointer(devPtr, hstPtr));
}

hipError_t hipMemGetInfo(size_t *free, size_t *total)
{
    HL_ENTER(hipMemGetInfo);
    if (free == NULL || total == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->mem_info(free, total));
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr)
{
    void *base;
    size_t size;
    hipError_t error;

    HL_ENTER(hipMemGetAddressRange);
    if (dptr == NULL || (pbase == NULL && psize == NULL))
        return hl_leave(hipErrorInvalidValue);
    error = hl_ops->mem_range(&base, &size, dptr);
    if (error == hipSuccess && pbase != NULL)
        *pbase = base;
    if (error == hipSuccess && psize != NULL)
        *psize = size;
    return hl_leave(error);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr)
{
    HL_ENTER(hipPointerGetAttributes);
    if (attributes == NULL || ptr == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->mem_attributes(attributes, ptr));
}
