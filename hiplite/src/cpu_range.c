// SPDX-License-Identifier: MIT
//
// All addresses that the runtime knows: an array sorted by base, read far more often than written.
//
// Readers take no lock. The array never moves and is never unmapped, so that a reader may look at
// any entry at any time; a version number, odd while a writer is at work, tells it to look again.
// Entries are stored with release and loaded with acquire order: whoever sees a new word also sees
// that the version is odd, or newer.
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu.h"

#define RANGES_MAX (1u << 18)
#define WORDS      4

// A struct hl_range in words that can be read while they change.
typedef struct {
    atomic_ulong word[WORDS];
} range_cell;
_Static_assert(sizeof(struct hl_range) == sizeof(range_cell), "a range is four words");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(range_cell *) cells;
static atomic_ulong version;
static atomic_uint cell_count;

static void cell_read(const range_cell *cell, struct hl_range *range)
{
    for (int i = 0; i < WORDS; i++) {
        unsigned long word = atomic_load_explicit(&cell->word[i], memory_order_acquire);
        memcpy((char *)range + i * sizeof(word), &word, sizeof(word));
    }
}

static void cell_write(range_cell *cell, const struct hl_range *range)
{
    unsigned long words[WORDS];

    memcpy(words, range, sizeof(words));
    for (int i = 0; i < WORDS; i++)
        atomic_store_explicit(&cell->word[i], words[i], memory_order_release);
}

static uintptr_t cell_base(const range_cell *cell)
{
    return atomic_load_explicit(&cell->word[0], memory_order_acquire);
}

// The number of ranges that begin at or below the address.
static unsigned rank(const range_cell *all, unsigned count, uintptr_t address)
{
    unsigned low = 0;

    while (count > 1) {
        unsigned half = count / 2;
        low += cell_base(&all[low + half - 1]) <= address ? half : 0; // no branch to mispredict
        count -= half;
    }
    return low + (count == 1 && cell_base(&all[low]) <= address);
}

static bool look(const range_cell *all, unsigned count, uintptr_t address, struct hl_range *range)
{
    unsigned below = rank(all, count, address);

    if (below == 0)
        return false;
    cell_read(&all[below - 1], range);
    return address - range->base < range->size;
}

bool hl_range_find(uintptr_t address, struct hl_range *range)
{
    for (;;) {
        unsigned long before = atomic_load_explicit(&version, memory_order_acquire);
        range_cell *all = atomic_load_explicit(&cells, memory_order_acquire);
        unsigned count = atomic_load_explicit(&cell_count, memory_order_acquire);
        bool found = all != NULL && before % 2 == 0 && look(all, count, address, range);

        if (before % 2 == 0 && atomic_load_explicit(&version, memory_order_relaxed) == before)
            return found;
        sched_yield();
    }
}

static void write_begin(void)
{
    atomic_store_explicit(&version, atomic_load_explicit(&version, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void write_end(void)
{
    atomic_store_explicit(&version, atomic_load_explicit(&version, memory_order_relaxed) + 1,
                          memory_order_release);
}

static range_cell *cells_get(void)
{
    range_cell *all = atomic_load_explicit(&cells, memory_order_relaxed);

    if (all != NULL)
        return all;
    all = mmap(NULL, RANGES_MAX * sizeof(range_cell), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    atomic_store_explicit(&cells, all, memory_order_release);
    return all;
}

static void cell_move(range_cell *all, unsigned from, unsigned to)
{
    struct hl_range range;

    cell_read(&all[from], &range);
    cell_write(&all[to], &range);
}

static hipError_t insert(const struct hl_range *range)
{
    range_cell *all = cells_get();
    unsigned count = atomic_load_explicit(&cell_count, memory_order_relaxed);
    unsigned at;
    struct hl_range other;

    if (all == NULL || count == RANGES_MAX)
        return hipErrorOutOfMemory;
    at = rank(all, count, range->base);
    if (at > 0) {
        cell_read(&all[at - 1], &other);
        if (range->base - other.base < other.size)
            return hipErrorAlreadyMapped;
    }
    if (at < count && cell_base(&all[at]) - range->base < range->size)
        return hipErrorAlreadyMapped;
    write_begin();
    for (unsigned i = count; i > at; i--)
        cell_move(all, i - 1, i);
    cell_write(&all[at], range);
    atomic_store_explicit(&cell_count, count + 1, memory_order_release);
    write_end();
    return hipSuccess;
}

hipError_t hl_range_insert(const struct hl_range *range)
{
    hipError_t error;

    hl_range_lock();
    error = insert(range);
    hl_range_unlock();
    return error;
}

// The cell of the range that starts at base, or the count of cells.
static unsigned cell_find(uintptr_t base)
{
    range_cell *all = atomic_load_explicit(&cells, memory_order_relaxed);
    unsigned count = atomic_load_explicit(&cell_count, memory_order_relaxed);
    unsigned below = all != NULL ? rank(all, count, base) : 0;

    return below > 0 && cell_base(&all[below - 1]) == base ? below - 1 : count;
}

bool hl_range_remove(uintptr_t base, unsigned kinds, struct hl_range *removed)
{
    unsigned count, at;
    bool found = false;

    hl_range_lock();
    count = atomic_load_explicit(&cell_count, memory_order_relaxed);
    at = cell_find(base);
    if (at < count) {
        range_cell *all = atomic_load_explicit(&cells, memory_order_relaxed);
        cell_read(&all[at], removed);
        found = (kinds >> removed->kind & 1) != 0;
        if (found) {
            write_begin();
            for (unsigned i = at; i + 1 < count; i++)
                cell_move(all, i + 1, i);
            atomic_store_explicit(&cell_count, count - 1, memory_order_release);
            write_end();
        }
    }
    hl_range_unlock();
    return found;
}

void hl_range_block(uintptr_t base, bool blocked)
{
    range_cell *all;
    struct hl_range range;
    unsigned at;

    hl_range_lock();
    all = atomic_load_explicit(&cells, memory_order_relaxed);
    at = cell_find(base);
    if (at < atomic_load_explicit(&cell_count, memory_order_relaxed)) {
        cell_read(&all[at], &range);
        range.blocked = blocked;
        write_begin();
        cell_write(&all[at], &range);
        write_end();
    }
    hl_range_unlock();
}

void hl_range_lock(void)
{
    pthread_mutex_lock(&lock);
}

void hl_range_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
