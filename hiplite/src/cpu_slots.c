// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "cpu.h"

// So many slots are used once before any is used again: a stale handle stays wrong for a while.
#define SLOTS_FRESH 1024

void *hl_slot_at(const struct hl_slots *slots, uint32_t number)
{
    return slots->base + (number - 1) * slots->object_size;
}

static bool slots_open(struct hl_slots *slots)
{
    void *base;

    if (slots->base != NULL)
        return true;
    base = mmap(NULL, slots->object_size * slots->capacity, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    slots->base = base;
    return true;
}

static struct hl_slot *slot_fresh(struct hl_slots *slots)
{
    unsigned used = atomic_load_explicit(&slots->used, memory_order_relaxed);

    if (used == slots->capacity)
        return NULL;
    atomic_store_explicit(&slots->used, used + 1, memory_order_release);
    return hl_slot_at(slots, used + 1);
}

static struct hl_slot *slot_again(struct hl_slots *slots)
{
    struct hl_slot *slot = hl_slot_at(slots, slots->first_free);

    slots->first_free = slot->next_free;
    if (slots->first_free == 0)
        slots->last_free = 0;
    return slot;
}

void *hl_slot_take(struct hl_slots *slots)
{
    unsigned used = atomic_load_explicit(&slots->used, memory_order_relaxed);
    struct hl_slot *slot;

    if (!slots_open(slots))
        return NULL;
    if (slots->first_free == 0 || used < SLOTS_FRESH)
        slot = slot_fresh(slots);
    else
        slot = slot_again(slots);
    if (slot != NULL)
        atomic_store_explicit(&slot->live, true, memory_order_release);
    return slot;
}

void hl_slot_return(struct hl_slots *slots, void *object)
{
    struct hl_slot *slot = object;
    uint32_t number = (uint32_t)((size_t)((char *)object - slots->base) / slots->object_size) + 1;

    atomic_store_explicit(&slot->live, false, memory_order_release);
    slot->next_free = 0;
    if (slots->last_free == 0)
        slots->first_free = number;
    else
        ((struct hl_slot *)hl_slot_at(slots, slots->last_free))->next_free = number;
    slots->last_free = number;
}

bool hl_slot_valid(const struct hl_slots *slots, const void *object)
{
    unsigned used = atomic_load_explicit(&slots->used, memory_order_acquire);
    size_t offset;

    if (used == 0)
        return false;
    offset = (uintptr_t)object - (uintptr_t)slots->base;
    if (offset >= used * slots->object_size || offset % slots->object_size != 0)
        return false;
    return atomic_load_explicit(&((const struct hl_slot *)object)->live, memory_order_acquire);
}
