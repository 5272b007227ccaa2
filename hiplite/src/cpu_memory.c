// SPDX-License-Identifier: MIT
//
// Device memory has two addresses: the one that the program gets is reserved and cannot be
// touched, the bytes are elsewhere (`storage`) and only copies and file transfers go there.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cpu.h"
#include "runtime.h"

#define HUGE_PAGE ((size_t)2 << 20)

#define KIND(kind) (1u << (kind))
#define FREE_KINDS (KIND(HL_KIND_DEVICE) | KIND(HL_KIND_MANAGED) | KIND(HL_KIND_SIGNAL))

static atomic_ulong used[HL_MAX_DEVICES];

bool hl_cpu_reserve(int device, size_t size)
{
    unsigned long now = atomic_load(&used[device]);

    do {
        if (size > hl_cpu_settings.memory - now)
            return false;
    } while (!atomic_compare_exchange_weak(&used[device], &now, now + size));
    return true;
}

void hl_cpu_unreserve(int device, size_t size)
{
    atomic_fetch_sub(&used[device], size);
}

size_t hl_cpu_page_round(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

char *hl_cpu_pages(size_t size, size_t alignment, int protection)
{
    size_t length = hl_cpu_page_round(size);
    size_t slack = alignment > 0 || length < HUGE_PAGE ? alignment : HUGE_PAGE;
    char *base, *aligned;

    if (length < size || length + slack < length)
        return NULL;
    base =
        mmap(NULL, length + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return base;
    aligned = (char *)(((uintptr_t)base + slack - 1) / slack * slack);
    if (aligned > base)
        munmap(base, (size_t)(aligned - base));
    if (base + slack > aligned)
        munmap(aligned + length, (size_t)(base + slack - aligned));
    if (protection != PROT_NONE)
        madvise(aligned, length, MADV_HUGEPAGE);
    return aligned;
}

// What pages were got for a range goes back.
static void range_release(const struct hl_range *range)
{
    size_t length = hl_cpu_page_round(range->size);

    if (range->kind == HL_KIND_SIGNAL) {
        free(range->storage);
        return;
    }
    munmap(range->storage, length);
    if ((uintptr_t)range->storage != range->base)
        munmap((void *)range->base, length);
}

static hipError_t range_publish(const struct hl_range *range, void **ptr)
{
    hipError_t error = hl_range_insert(range);

    if (error == hipSuccess)
        *ptr = (void *)range->base;
    else
        range_release(range);
    return error;
}

static struct hl_range range_new(enum hl_kind kind, size_t size, unsigned flags)
{
    return (struct hl_range){
        .size = size, .flags = flags, .kind = (uint16_t)kind, .device = (uint8_t)hl_thread.device};
}

static hipError_t signal_alloc(void **ptr)
{
    struct hl_range range = range_new(HL_KIND_SIGNAL, 8, hipMallocSignalMemory);

    // One in a cache line of its own.
    range.storage = aligned_alloc(64, 64);
    if (range.storage == NULL)
        return hipErrorOutOfMemory;
    memset(range.storage, 0, 64);
    range.base = (uintptr_t)range.storage;
    return range_publish(&range, ptr);
}

// Memory whose bytes are where its address says.
static hipError_t visible_alloc(enum hl_kind kind, void **ptr, size_t size, unsigned flags)
{
    struct hl_range range = range_new(kind, size, flags);

    range.storage = hl_cpu_pages(size, 0, PROT_READ | PROT_WRITE);
    if (range.storage == NULL)
        return hipErrorOutOfMemory;
    range.base = (uintptr_t)range.storage;
    return range_publish(&range, ptr);
}

static hipError_t opaque_alloc(void **ptr, size_t size, unsigned flags)
{
    struct hl_range range = range_new(HL_KIND_DEVICE, size, flags);
    char *address = hl_cpu_pages(size, 0, PROT_NONE);

    if (address == NULL)
        return hipErrorOutOfMemory;
    range.base = (uintptr_t)address;
    range.storage = hl_cpu_pages(size, 0, PROT_READ | PROT_WRITE);
    if (range.storage == NULL) {
        munmap(address, hl_cpu_page_round(size));
        return hipErrorOutOfMemory;
    }
    return range_publish(&range, ptr);
}

hipError_t hl_cpu_mem_alloc(void **ptr, size_t size, unsigned flags)
{
    int device = hl_thread.device;
    hipError_t error = hl_capture_check_unsafe();

    if (error != hipSuccess)
        return error;
    if (flags == hipMallocSignalMemory)
        return signal_alloc(ptr);
    if (!hl_cpu_reserve(device, size))
        return hipErrorOutOfMemory;
    error = hl_cpu_settings.unified ? visible_alloc(HL_KIND_DEVICE, ptr, size, flags)
                                    : opaque_alloc(ptr, size, flags);
    if (error != hipSuccess)
        hl_cpu_unreserve(device, size);
    return error;
}

hipError_t hl_cpu_mem_alloc_managed(void **ptr, size_t size, unsigned flags)
{
    hipError_t error = hl_capture_check_unsafe();

    return error == hipSuccess ? visible_alloc(HL_KIND_MANAGED, ptr, size, flags) : error;
}

hipError_t hl_cpu_host_alloc(void **ptr, size_t size, unsigned flags)
{
    hipError_t error = hl_capture_check_unsafe();

    return error == hipSuccess ? visible_alloc(HL_KIND_HOST, ptr, size, flags) : error;
}

static void all_streams_wait(void)
{
    hl_queue_lock();
    hl_streams_wait(-1);
    hl_queue_unlock();
}

// Forgets the range that starts at ptr, once no stream can use it any more.
static hipError_t range_drop(void *ptr, unsigned kinds, struct hl_range *range)
{
    hipError_t error = hl_capture_check_unsafe();

    if (error != hipSuccess)
        return error;
    if (!hl_range_find((uintptr_t)ptr, range) || range->base != (uintptr_t)ptr ||
        (kinds & KIND(range->kind)) == 0)
        return hipErrorInvalidValue;
    all_streams_wait();
    return hl_range_remove((uintptr_t)ptr, kinds, range) ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t memory_free(void *ptr, unsigned kinds)
{
    struct hl_range range;
    hipError_t error;

    if (ptr == NULL)
        return hipSuccess;
    error = range_drop(ptr, kinds, &range);
    if (error != hipSuccess)
        return error;
    range_release(&range);
    if (range.kind == HL_KIND_DEVICE)
        hl_cpu_unreserve(range.device, range.size);
    return hipSuccess;
}

hipError_t hl_cpu_mem_free(void *ptr)
{
    return memory_free(ptr, FREE_KINDS);
}

hipError_t hl_cpu_host_free(void *ptr)
{
    return memory_free(ptr, KIND(HL_KIND_HOST));
}

static bool byte_readable(uintptr_t address)
{
    char byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)address, 1};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

// Brings the pages in, as pinning does; false if some cannot be read.
static bool pages_touch(void *ptr, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)ptr / page * page;
    uintptr_t end = (uintptr_t)ptr + size;

    if (end < (uintptr_t)ptr)
        return false;
    if (madvise((void *)first, end - first, MADV_POPULATE_READ) == 0)
        return true;
    // EINVAL may also mean a kernel before 5.14, or device memory that cannot be populated.
    return errno == EINVAL && byte_readable((uintptr_t)ptr) && byte_readable(end - 1);
}

hipError_t hl_cpu_host_register(void *ptr, size_t size, unsigned flags)
{
    struct hl_range range = range_new(HL_KIND_REGISTERED, size, flags);
    hipError_t error = hl_capture_check_unsafe();

    if (error != hipSuccess)
        return error;
    if (!pages_touch(ptr, size))
        return hipErrorInvalidValue;
    range.base = (uintptr_t)ptr;
    range.storage = ptr;
    error = hl_range_insert(&range);
    return error == hipErrorAlreadyMapped ? hipErrorHostMemoryAlreadyRegistered : error;
}

hipError_t hl_cpu_host_unregister(void *ptr)
{
    struct hl_range range;
    hipError_t error = range_drop(ptr, KIND(HL_KIND_REGISTERED), &range);

    return error == hipErrorInvalidValue ? hipErrorHostMemoryNotRegistered : error;
}

hipError_t hl_cpu_host_device_pointer(void **device_ptr, void *ptr)
{
    struct hl_range range;

    if (!hl_range_find((uintptr_t)ptr, &range) || hl_kind_is_device(range.kind))
        return hipErrorInvalidValue;
    *device_ptr = ptr;
    return hipSuccess;
}

hipError_t hl_cpu_mem_info(size_t *available, size_t *total)
{
    *total = hl_cpu_settings.memory;
    *available = hl_cpu_settings.memory - atomic_load(&used[hl_thread.device]);
    return hipSuccess;
}

hipError_t hl_cpu_mem_range(void **base, size_t *size, void *ptr)
{
    struct hl_range range;

    if (!hl_range_find((uintptr_t)ptr, &range))
        return hipErrorNotFound;
    *base = (void *)range.base;
    *size = range.size;
    return hipSuccess;
}

static hipMemoryType type_of(unsigned kind)
{
    if (hl_kind_is_device(kind))
        return hipMemoryTypeDevice;
    return kind == HL_KIND_MANAGED ? hipMemoryTypeManaged : hipMemoryTypeHost;
}

hipError_t hl_cpu_mem_attributes(hipPointerAttribute_t *attributes, const void *ptr)
{
    struct hl_range range;

    *attributes =
        (hipPointerAttribute_t){.type = hipMemoryTypeUnregistered, .device = hipInvalidDeviceId};
    if (!hl_range_find((uintptr_t)ptr, &range))
        return hipSuccess;
    attributes->type = type_of(range.kind);
    attributes->device = range.device;
    attributes->devicePointer = (void *)ptr;
    if ((uintptr_t)range.storage == range.base)
        attributes->hostPointer = (void *)ptr;
    attributes->isManaged = range.kind == HL_KIND_MANAGED;
    attributes->allocationFlags = range.flags;
    return hipSuccess;
}
