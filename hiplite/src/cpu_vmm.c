// SPDX-License-Identifier: MIT
//
// Virtual memory management: addresses are reserved, memory is created, and mapping makes a range
// whose storage is the memory's. The CPU cannot touch it, not even on a unified device. The queue
// lock guards all of this.
#include <stdlib.h>
#include <sys/mman.h>

#include "cpu.h"
#include "runtime.h"

#define GRANULE ((size_t)2 << 20)

struct memory {
    struct hl_slot slot;
    int device;
    size_t size;
    char *storage;
    unsigned users; // the handle and each mapping
};

struct reservation {
    uintptr_t base;
    size_t size;
    struct reservation *next;
};

struct mapping {
    uintptr_t base;
    size_t size;
    struct memory *memory;
    struct mapping *next;
};

static struct hl_slots memories = {.object_size = sizeof(struct memory), .capacity = 1u << 16};
static struct reservation *reservations;
static struct mapping *mappings;

hipError_t hl_cpu_vmm_granularity(size_t *granularity, const hipMemAllocationProp *prop)
{
    (void)prop;
    *granularity = GRANULE;
    return hipSuccess;
}

// --- Addresses --------------------------------------------------------------------------------

hipError_t hl_cpu_vmm_reserve(void **ptr, size_t size, size_t alignment, void *hint)
{
    struct reservation *made;
    char *base;

    (void)hint;
    if (size % GRANULE != 0)
        return hipErrorInvalidValue;
    made = malloc(sizeof(*made));
    base = hl_cpu_pages(size, alignment > GRANULE ? alignment : GRANULE, PROT_NONE);
    if (made == NULL || base == NULL) {
        free(made);
        if (base != NULL)
            munmap(base, size);
        return hipErrorOutOfMemory;
    }
    made->base = (uintptr_t)base;
    made->size = size;
    hl_queue_lock();
    made->next = reservations;
    reservations = made;
    hl_queue_unlock();
    *ptr = base;
    return hipSuccess;
}

static bool overlaps(const struct mapping *mapping, uintptr_t base, size_t size)
{
    return mapping->base < base + size && base < mapping->base + mapping->size;
}

static bool is_mapped(uintptr_t base, size_t size)
{
    for (const struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
        if (overlaps(mapping, base, size))
            return true;
    }
    return false;
}

static struct reservation *reservation_remove(uintptr_t base, size_t size)
{
    struct reservation **link = &reservations;
    struct reservation *found;

    while (*link != NULL && (*link)->base != base)
        link = &(*link)->next;
    found = *link;
    if (found == NULL || found->size != size || is_mapped(base, size))
        return NULL;
    *link = found->next;
    return found;
}

hipError_t hl_cpu_vmm_unreserve(void *ptr, size_t size)
{
    struct reservation *gone;

    hl_queue_lock();
    gone = reservation_remove((uintptr_t)ptr, size);
    hl_queue_unlock();
    if (gone == NULL)
        return hipErrorInvalidValue;
    munmap(ptr, size);
    free(gone);
    return hipSuccess;
}

static bool is_reserved(uintptr_t base, size_t size)
{
    for (const struct reservation *r = reservations; r != NULL; r = r->next) {
        if (base >= r->base && size <= r->size && base - r->base <= r->size - size)
            return true;
    }
    return false;
}

// --- Memory -----------------------------------------------------------------------------------

static struct memory *memory_new(int device, size_t size, char *storage)
{
    struct memory *made;

    hl_queue_lock();
    made = hl_slot_take(&memories);
    if (made != NULL) {
        made->device = device;
        made->size = size;
        made->storage = storage;
        made->users = 1;
    }
    hl_queue_unlock();
    return made;
}

hipError_t hl_cpu_vmm_create(hipMemGenericAllocationHandle_t *handle, size_t size,
                             const hipMemAllocationProp *prop)
{
    int device = prop->location.id;
    hipError_t error = hl_capture_check_unsafe();
    struct memory *made = NULL;
    char *storage;

    if (error != hipSuccess)
        return error;
    if (size % GRANULE != 0)
        return hipErrorInvalidValue;
    if (!hl_cpu_reserve(device, size))
        return hipErrorOutOfMemory;
    storage = hl_cpu_pages(size, GRANULE, PROT_READ | PROT_WRITE);
    if (storage != NULL)
        made = memory_new(device, size, storage);
    if (made == NULL) {
        if (storage != NULL)
            munmap(storage, size);
        hl_cpu_unreserve(device, size);
        return hipErrorOutOfMemory;
    }
    *handle = (hipMemGenericAllocationHandle_t)made;
    return hipSuccess;
}

static void memory_drop(struct memory *memory)
{
    if (--memory->users > 0)
        return;
    munmap(memory->storage, memory->size);
    hl_cpu_unreserve(memory->device, memory->size);
    hl_slot_return(&memories, memory);
}

hipError_t hl_cpu_vmm_release(hipMemGenericAllocationHandle_t handle)
{
    struct memory *memory = (struct memory *)handle;
    bool valid;

    hl_queue_lock();
    valid = hl_slot_valid(&memories, memory);
    if (valid) {
        atomic_store(&memory->slot.live, false);
        memory_drop(memory);
    }
    hl_queue_unlock();
    return valid ? hipSuccess : hipErrorInvalidValue;
}

// --- Mappings ---------------------------------------------------------------------------------

static hipError_t map(struct mapping *made, size_t offset)
{
    const struct memory *memory = made->memory;
    struct hl_range range = {
        .base = made->base, .size = made->size, .kind = HL_KIND_MAPPED, .blocked = true};

    if (!hl_slot_valid(&memories, memory) || !is_reserved(made->base, made->size) ||
        offset > memory->size || made->size > memory->size - offset)
        return hipErrorInvalidValue;
    range.storage = memory->storage + offset;
    range.device = (uint8_t)memory->device;
    return hl_range_insert(&range);
}

hipError_t hl_cpu_vmm_map(void *ptr, size_t size, size_t offset,
                          hipMemGenericAllocationHandle_t handle)
{
    struct mapping *made;
    hipError_t error;

    if (((uintptr_t)ptr | size | offset) % GRANULE != 0)
        return hipErrorInvalidValue;
    made = malloc(sizeof(*made));
    if (made == NULL)
        return hipErrorOutOfMemory;
    *made = (struct mapping){(uintptr_t)ptr, size, (struct memory *)handle, NULL};
    hl_queue_lock();
    error = map(made, offset);
    if (error == hipSuccess) {
        made->memory->users++;
        made->next = mappings;
        mappings = made;
        made = NULL;
    }
    hl_queue_unlock();
    free(made);
    return error;
}

// The range is exactly one or more mappings, without a gap or a part left over.
static bool is_tiled(uintptr_t base, size_t size)
{
    size_t covered = 0;

    for (const struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
        if (!overlaps(mapping, base, size))
            continue;
        if (mapping->base < base || mapping->size > base + size - mapping->base)
            return false;
        covered += mapping->size;
    }
    return covered == size;
}

static void unmap(uintptr_t base, size_t size)
{
    struct mapping **link = &mappings;

    while (*link != NULL) {
        struct mapping *mapping = *link;
        struct hl_range gone;

        if (!overlaps(mapping, base, size)) {
            link = &mapping->next;
            continue;
        }
        *link = mapping->next;
        hl_range_remove(mapping->base, 1u << HL_KIND_MAPPED, &gone);
        memory_drop(mapping->memory);
        free(mapping);
    }
}

hipError_t hl_cpu_vmm_unmap(void *ptr, size_t size)
{
    hipError_t error = hl_capture_check_unsafe();
    bool tiled;

    if (error != hipSuccess)
        return error;
    hl_queue_lock();
    hl_streams_wait(-1);
    tiled = is_tiled((uintptr_t)ptr, size);
    if (tiled)
        unmap((uintptr_t)ptr, size);
    hl_queue_unlock();
    return tiled ? hipSuccess : hipErrorInvalidValue;
}

// Access is all or nothing, and the same for all devices.
hipError_t hl_cpu_vmm_set_access(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count)
{
    bool blocked = true;
    bool tiled;

    for (size_t i = 0; i < count; i++)
        blocked = blocked && desc[i].flags == hipMemAccessFlagsProtNone;
    hl_queue_lock();
    tiled = is_tiled((uintptr_t)ptr, size);
    for (const struct mapping *m = mappings; tiled && m != NULL; m = m->next) {
        if (overlaps(m, (uintptr_t)ptr, size))
            hl_range_block(m->base, blocked);
    }
    hl_queue_unlock();
    return tiled ? hipSuccess : hipErrorInvalidValue;
}
