// SPDX-License-Identifier: MIT
#include "core/buffers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "hipfile.h"
#include "os/mapping.h"

/*
 * Registrations stand in an array sorted by base address, under a sequence number that is odd while
 * a writer changes it. A reader searches, takes its reference, and then looks whether the number is
 * still the same: if so, the buffer was registered when the reference was taken, and a writer that
 * comes later sees the reference. Arrays that were outgrown are never freed, since a slow reader
 * may still look into them (all of them together are smaller than the one in use).
 */
struct entry {
    _Atomic uintptr_t base;
    _Atomic uintptr_t end;
    _Atomic uintptr_t reach; /* the furthest end of this and all entries before it */
    _Atomic(struct hf_buffer *) buffer;
};

struct table {
    size_t room;
    struct entry entry[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint sequence;
static _Atomic(struct table *) table;
static atomic_size_t count;
static size_t registered; /* bytes */
static struct hf_buffer *free_buffers;

/* Both with the lock held. */
static void begin_change(void)
{
    atomic_fetch_add(&sequence, 1);
}

static void end_change(void)
{
    atomic_fetch_add(&sequence, 1);
}

/* The number of entries whose base is at or below the address. */
static size_t entries_up_to(const struct entry *array, size_t n, uintptr_t address)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;

        if (array[middle].base <= address)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static struct hf_buffer *search(uintptr_t address)
{
    struct table *now = table;
    size_t n = count;
    struct hf_buffer *best = NULL;
    uintptr_t furthest = address;

    if (!now)
        return NULL;
    if (n > now->room) /* a count that is newer than the array */
        n = now->room;
    for (n = entries_up_to(now->entry, n, address); n > 0 && now->entry[n - 1].reach > furthest;
         n--) {
        struct entry *entry = &now->entry[n - 1];

        if (entry->end > furthest) {
            best = entry->buffer;
            furthest = entry->end;
        }
    }
    return best;
}

/* With the lock held. */
static void make_free(struct hf_buffer *buffer)
{
    hf_refs_free(&buffer->refs);
    buffer->next = free_buffers;
    free_buffers = buffer;
}

void hf_buffer_put(struct hf_buffer *buffer)
{
    if (!hf_refs_put(&buffer->refs))
        return;
    pthread_mutex_lock(&lock);
    make_free(buffer);
    pthread_mutex_unlock(&lock);
}

/* One try; *settled is false if a writer came in between. */
static struct hf_buffer *try_find(uintptr_t address, bool *settled)
{
    unsigned before = sequence;
    struct hf_buffer *buffer;

    *settled = false;
    if (before % 2)
        return NULL;
    buffer = search(address);
    if (!buffer) {
        *settled = sequence == before;
        return NULL;
    }
    *settled = hf_refs_get(&buffer->refs, 0) && sequence == before;
    if (*settled)
        return buffer;
    hf_buffer_put(buffer);
    return NULL;
}

struct hf_buffer *hf_buffer_find(const void *pointer)
{
    bool settled;
    struct hf_buffer *buffer = try_find((uintptr_t)pointer, &settled);

    while (!settled) {
        sched_yield();
        buffer = try_find((uintptr_t)pointer, &settled);
    }
    return buffer;
}

static void update_reach(struct entry *entries, size_t from)
{
    uintptr_t reach = from ? entries[from - 1].reach : 0;

    for (size_t i = from; i < count; i++) {
        if (entries[i].end > reach)
            reach = entries[i].end;
        entries[i].reach = reach;
    }
}

static void copy_entry(struct entry *to, const struct entry *from)
{
    to->base = from->base;
    to->end = from->end;
    to->reach = from->reach;
    to->buffer = from->buffer;
}

static int grow(void)
{
    struct table *before = table;
    size_t room = before ? 2 * before->room : 32;
    struct table *larger = calloc(1, sizeof *larger + room * sizeof larger->entry[0]);

    if (!larger)
        return -ENOMEM;
    larger->room = room;
    for (size_t i = 0; i < count; i++)
        copy_entry(&larger->entry[i], &before->entry[i]);
    table = larger;
    return 0;
}

static void insert(size_t at, struct hf_buffer *buffer)
{
    struct entry *entries = table->entry;

    begin_change();
    for (size_t i = count; i > at; i--)
        copy_entry(&entries[i], &entries[i - 1]);
    entries[at].base = buffer->base;
    entries[at].end = buffer->base + buffer->length;
    entries[at].buffer = buffer;
    count++;
    update_reach(entries, at);
    end_change();
}

static void cut_out(size_t at)
{
    struct entry *entries = table->entry;

    for (size_t i = at; i + 1 < count; i++)
        copy_entry(&entries[i], &entries[i + 1]);
    count--;
    update_reach(entries, at);
}

/* The place of the registration with this very base, or count. */
static size_t place_of(uintptr_t base)
{
    size_t n = count ? entries_up_to(table->entry, count, base) : 0;

    return n && table->entry[n - 1].base == base ? n - 1 : count;
}

static int take_free(struct hf_buffer **buffer)
{
    if (free_buffers) {
        *buffer = free_buffers;
        free_buffers = (*buffer)->next;
        return 0;
    }
    *buffer = aligned_alloc(HF_CACHE_LINE, sizeof **buffer);
    if (!*buffer)
        return -ENOMEM;
    memset(*buffer, 0, sizeof **buffer);
    return 0;
}

static int check(uintptr_t base, size_t length, struct hf_memory *memory)
{
    int err;

    if (base + length < base)
        return -hipFileHipPointerRangeError;
    err = hf_memory_describe((const void *)base, length, memory);
    if (err)
        return err;
    if (memory->kind == HF_MEMORY_PAGEABLE)
        return hf_mapping_is_readable(base, length ? length : 1) ? 0 : -hipFileInvalidValue;
    return memory->length < length ? -hipFileHipPointerRangeError : 0;
}

static int enter(uintptr_t base, size_t length, const struct hf_memory *memory)
{
    size_t limit = hf_setting_size(HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB) * 1024;
    struct hf_buffer *buffer;
    int err;

    if (place_of(base) < count)
        return -hipFileMemoryAlreadyRegistered;
    if (length > limit || registered > limit - length)
        return -hipFileGPUMemoryPinningFailed;
    err = !table || count == table->room ? grow() : 0;
    if (err)
        return err;
    err = take_free(&buffer);
    if (err)
        return err;
    buffer->base = base;
    buffer->length = length;
    buffer->kind = memory->kind;
    buffer->device = memory->device;
    hf_refs_open(&buffer->refs);
    insert(entries_up_to(table->entry, count, base), buffer);
    registered += length;
    return 0;
}

int hf_buffers_register(const void *base, size_t length)
{
    struct hf_memory memory;
    int err = check((uintptr_t)base, length, &memory);

    if (err)
        return err;
    pthread_mutex_lock(&lock);
    err = enter((uintptr_t)base, length, &memory);
    pthread_mutex_unlock(&lock);
    return err;
}

/* With the array marked as changing, no reader can keep a new reference: who has one, has it. */
static int leave(size_t at)
{
    struct hf_buffer *buffer = table->entry[at].buffer;
    int err = -hipFileInternalError;
    bool last = false;

    begin_change();
    if (hf_refs_idle(&buffer->refs)) {
        cut_out(at);
        hf_refs_close(&buffer->refs, hf_refs_use(&buffer->refs), &last);
        err = 0;
    }
    end_change();
    if (err)
        return err;
    registered -= buffer->length;
    if (last)
        make_free(buffer);
    return 0;
}

int hf_buffers_deregister(const void *base)
{
    int err = -hipFileMemoryNotRegistered;
    size_t at;

    pthread_mutex_lock(&lock);
    at = place_of((uintptr_t)base);
    if (at < count)
        err = leave(at);
    pthread_mutex_unlock(&lock);
    return err;
}

void hf_buffers_deregister_all(void)
{
    pthread_mutex_lock(&lock);
    begin_change();
    for (size_t i = 0; i < count; i++) {
        struct hf_buffer *buffer = table->entry[i].buffer;
        bool last = false;

        hf_refs_close(&buffer->refs, hf_refs_use(&buffer->refs), &last);
        if (last)
            make_free(buffer);
    }
    count = 0;
    registered = 0;
    end_change();
    pthread_mutex_unlock(&lock);
}

void hf_buffers_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void hf_buffers_after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* Buffers that were in use are lost to the child: a few bytes, once. */
void hf_buffers_after_fork_child(void)
{
    pthread_mutex_init(&lock, NULL);
    for (size_t i = 0; i < count; i++) {
        struct hf_buffer *buffer = table->entry[i].buffer;

        hf_refs_reset(&buffer->refs);
        make_free(buffer);
    }
    count = 0;
    registered = 0;
    sequence = 0;
}
