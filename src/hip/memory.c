// SPDX-License-Identifier: MIT
#include "hip/memory.h"

#include "base/status.h"
#include "hip/device.h"
#include "hip/hip.h"

static size_t reach_of_allocation(uintptr_t address)
{
    hipDeviceptr_t base = NULL;
    size_t size = 0;

    if (hf_hip.hipMemGetAddressRange(&base, &size, (hipDeviceptr_t)address) != hipSuccess)
        return 0;
    return (uintptr_t)base + size - address;
}

static size_t reach(uintptr_t address, size_t wanted)
{
    size_t total = reach_of_allocation(address);
    size_t more = total;

    while (more && total < wanted && address + total > address) {
        more = reach_of_allocation(address + total);
        total += more;
    }
    return total;
}

static int kind_of_type(hipMemoryType type, enum hf_memory_kind *kind)
{
    switch (type) {
    case hipMemoryTypeDevice:
        *kind = HF_MEMORY_DEVICE;
        return 0;
    case hipMemoryTypeHost:
        *kind = HF_MEMORY_PINNED;
        return 0;
    case hipMemoryTypeManaged:
    case hipMemoryTypeUnified:
        *kind = HF_MEMORY_MANAGED;
        return 0;
    case hipMemoryTypeUnregistered:
        *kind = HF_MEMORY_PAGEABLE;
        return 0;
    default:
        return -hipFileHipMemoryTypeInvalid;
    }
}

static int describe(const void *pointer, size_t wanted, struct hf_memory *memory)
{
    hipPointerAttribute_t attributes = {0};
    hipError_t error = hf_hip.hipPointerGetAttributes(&attributes, pointer);
    int err;

    memory->kind = HF_MEMORY_PAGEABLE;
    memory->device = 0;
    memory->length = 0;
    if (error == hipErrorInvalidValue) /* one of two ways to say that it is not known */
        return 0;
    if (error != hipSuccess)
        return hf_status_from_hip(error);
    err = kind_of_type(attributes.type, &memory->kind);
    if (err || memory->kind == HF_MEMORY_PAGEABLE)
        return err;

    memory->device = attributes.device;
    memory->length = reach((uintptr_t)pointer, wanted);
    if (memory->length == 0) {
        /* Some runtimes give no range for host memory; the kernel checks such addresses. */
        if (memory->kind == HF_MEMORY_DEVICE)
            memory->kind = HF_MEMORY_PAGEABLE;
        else
            memory->length = SIZE_MAX - (uintptr_t)pointer;
    }
    return 0;
}

/* Asking about a pointer that HIP does not know is an error to some runtimes: it is not left
   pending. */
int hf_memory_describe(const void *pointer, size_t wanted, struct hf_memory *memory)
{
    struct hf_device_scope scope;
    int err;

    hf_device_enter_any(&scope);
    err = describe(pointer, wanted, memory);
    hf_device_leave(&scope);
    return err;
}
