// SPDX-License-Identifier: MIT
#include <string.h>

#include "cuda.h"
#include "runtime.h"

// CU_POINTER_ATTRIBUTE_*
enum {
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    IS_MANAGED = 8,
    DEVICE_ORDINAL = 9,
    RANGE_START = 11,
    RANGE_SIZE = 12,
};

// CU_MEMORYTYPE_*
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3 };

#define HOST_ALLOC_FLAGS 3u // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
#define HOST_ALLOC_WC    4u

struct pointer {
    int type;
    int device;
    int managed;
    CUdeviceptr device_pointer;
    void *host_pointer;
    CUdeviceptr range_start;
    size_t range_size;
};

// A pointer that CUDA does not know is a success with zeros.
static hipError_t ask(struct pointer *p, const void *ptr)
{
    int wanted[] = {MEMORY_TYPE,  DEVICE_ORDINAL, IS_MANAGED, DEVICE_POINTER,
                    HOST_POINTER, RANGE_START,    RANGE_SIZE};
    void *values[] = {&p->type,         &p->device,      &p->managed,   &p->device_pointer,
                      &p->host_pointer, &p->range_start, &p->range_size};
    hipError_t error = hl_cuda_enter();

    memset(p, 0, sizeof(*p));
    if (error != hipSuccess)
        return error;
    return hl_cuda_error(hl_cuda.cuPointerGetAttributes(sizeof(wanted) / sizeof(wanted[0]), wanted,
                                                        values, (CUdeviceptr)ptr));
}

hipError_t hl_cuda_mem_alloc(void **ptr, size_t size, unsigned flags)
{
    CUdeviceptr pointer = 0;
    hipError_t error;

    // Signal memory is stored to by the CPU and waited on by the device.
    if (flags == hipMallocSignalMemory)
        return hl_cuda_host_alloc(ptr, size, hipHostMallocPortable);
    error = hl_cuda_enter();
    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuMemAlloc_v2(&pointer, size));
    *ptr = (void *)pointer;
    return error;
}

hipError_t hl_cuda_mem_alloc_managed(void **ptr, size_t size, unsigned flags)
{
    CUdeviceptr pointer = 0;
    hipError_t error = hl_cuda_enter();

    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuMemAllocManaged(&pointer, size, flags));
    *ptr = (void *)pointer;
    return error;
}

static CUresult free_device(void *ptr)
{
    return hl_cuda.cuMemFree_v2((CUdeviceptr)ptr);
}

static CUresult free_host(void *ptr)
{
    return hl_cuda.cuMemFreeHost(ptr);
}

static CUresult unregister_host(void *ptr)
{
    return hl_cuda.cuMemHostUnregister(ptr);
}

hipError_t hl_cuda_mem_free(void *ptr)
{
    struct pointer p;
    hipError_t error;

    if (ptr == NULL)
        return hipSuccess;
    error = ask(&p, ptr);
    if (error != hipSuccess)
        return error;
    if (p.type == TYPE_HOST && !p.managed) // signal memory
        return hl_cuda_error(hl_cuda_free_quietly(free_host, ptr));
    return hl_cuda_error(hl_cuda_free_quietly(free_device, ptr));
}

hipError_t hl_cuda_mem_info(size_t *available, size_t *total)
{
    hipError_t error = hl_cuda_enter();

    return error != hipSuccess ? error : hl_cuda_error(hl_cuda.cuMemGetInfo_v2(available, total));
}

// The driver's own call knows mapped device memory alone. The pointer's attributes serve pinned
// memory; of addresses that are reserved and not mapped, they give the whole reservation.
hipError_t hl_cuda_mem_range(void **base, size_t *size, void *ptr)
{
    CUdeviceptr start = 0;
    struct pointer p;
    hipError_t error = hl_cuda_enter();

    if (error != hipSuccess)
        return error;
    if (hl_cuda.cuMemGetAddressRange_v2(&start, size, (CUdeviceptr)ptr) == 0) {
        *base = (void *)start;
        return hipSuccess;
    }
    error = ask(&p, ptr);
    if (error != hipSuccess)
        return error;
    if (p.type != TYPE_HOST || p.range_size == 0)
        return hipErrorNotFound;
    *base = (void *)p.range_start;
    *size = p.range_size;
    return hipSuccess;
}

static hipMemoryType type_of(const struct pointer *p)
{
    if (p->managed)
        return hipMemoryTypeManaged;
    switch (p->type) {
    case TYPE_HOST:
        return hipMemoryTypeHost;
    case TYPE_DEVICE:
        return hipMemoryTypeDevice;
    case TYPE_ARRAY:
        return hipMemoryTypeArray;
    default:
        return hipMemoryTypeUnregistered;
    }
}

hipError_t hl_cuda_mem_attributes(hipPointerAttribute_t *attributes, const void *ptr)
{
    struct pointer p;
    hipError_t error = ask(&p, ptr);

    if (error != hipSuccess)
        return error;
    memset(attributes, 0, sizeof(*attributes));
    attributes->type = type_of(&p);
    attributes->device = p.device;
    attributes->devicePointer = (void *)p.device_pointer;
    attributes->hostPointer = p.host_pointer;
    attributes->isManaged = p.managed;
    if (attributes->type == hipMemoryTypeUnregistered) {
        attributes->device = -1;
        attributes->devicePointer = NULL;
        attributes->hostPointer = NULL;
    }
    return hipSuccess;
}

// Always usable with every device and mapped into it: HIP's pinned memory is.
hipError_t hl_cuda_host_alloc(void **ptr, size_t size, unsigned flags)
{
    unsigned cuda = HOST_ALLOC_FLAGS | (flags & hipHostMallocWriteCombined ? HOST_ALLOC_WC : 0);
    hipError_t error = hl_cuda_enter();

    *ptr = NULL;
    return error != hipSuccess ? error : hl_cuda_error(hl_cuda.cuMemHostAlloc(ptr, size, cuda));
}

hipError_t hl_cuda_host_free(void *ptr)
{
    hipError_t error = ptr != NULL ? hl_cuda_enter() : hipSuccess;

    if (ptr == NULL || error != hipSuccess)
        return error;
    return hl_cuda_error(hl_cuda_free_quietly(free_host, ptr));
}

// The flags have CUDA's numbers.
hipError_t hl_cuda_host_register(void *ptr, size_t size, unsigned flags)
{
    unsigned cuda = flags | hipHostRegisterPortable | hipHostRegisterMapped;
    hipError_t error = hl_cuda_enter();

    return error != hipSuccess ? error
                               : hl_cuda_error(hl_cuda.cuMemHostRegister_v2(ptr, size, cuda));
}

hipError_t hl_cuda_host_unregister(void *ptr)
{
    hipError_t error = hl_cuda_enter();

    if (error != hipSuccess)
        return error;
    return hl_cuda_error(hl_cuda_free_quietly(unregister_host, ptr));
}

hipError_t hl_cuda_host_device_pointer(void **device_ptr, void *ptr)
{
    CUdeviceptr pointer = 0;
    hipError_t error = hl_cuda_enter();

    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuMemHostGetDevicePointer_v2(&pointer, ptr, 0));
    *device_ptr = (void *)pointer;
    return error;
}

// HIP's structures for mapped memory are laid out as CUDA's.
_Static_assert(sizeof(hipMemAllocationProp) == 32, "as CUmemAllocationProp");
_Static_assert(sizeof(hipMemAccessDesc) == 12, "as CUmemAccessDesc");

hipError_t hl_cuda_vmm_granularity(size_t *granularity, const hipMemAllocationProp *prop)
{
    return hl_cuda_error(hl_cuda.cuMemGetAllocationGranularity(granularity, prop, 0));
}

hipError_t hl_cuda_vmm_reserve(void **ptr, size_t size, size_t alignment, void *hint)
{
    CUdeviceptr pointer = 0;
    hipError_t error =
        hl_cuda_error(hl_cuda.cuMemAddressReserve(&pointer, size, alignment, (CUdeviceptr)hint, 0));

    *ptr = (void *)pointer;
    return error;
}

hipError_t hl_cuda_vmm_unreserve(void *ptr, size_t size)
{
    return hl_cuda_error(hl_cuda.cuMemAddressFree((CUdeviceptr)ptr, size));
}

hipError_t hl_cuda_vmm_create(hipMemGenericAllocationHandle_t *handle, size_t size,
                              const hipMemAllocationProp *prop)
{
    unsigned long long number = 0;
    hipError_t error = hl_cuda_error(hl_cuda.cuMemCreate(&number, size, prop, 0));

    *handle = (hipMemGenericAllocationHandle_t)(uintptr_t)number;
    return error;
}

hipError_t hl_cuda_vmm_release(hipMemGenericAllocationHandle_t handle)
{
    return hl_cuda_error(hl_cuda.cuMemRelease((uintptr_t)handle));
}

hipError_t hl_cuda_vmm_map(void *ptr, size_t size, size_t offset,
                           hipMemGenericAllocationHandle_t handle)
{
    return hl_cuda_error(hl_cuda.cuMemMap((CUdeviceptr)ptr, size, offset, (uintptr_t)handle, 0));
}

hipError_t hl_cuda_vmm_unmap(void *ptr, size_t size)
{
    return hl_cuda_error(hl_cuda.cuMemUnmap((CUdeviceptr)ptr, size));
}

hipError_t hl_cuda_vmm_set_access(void *ptr, size_t size, const hipMemAccessDesc *desc,
                                  size_t count)
{
    return hl_cuda_error(hl_cuda.cuMemSetAccess((CUdeviceptr)ptr, size, desc, count));
}
