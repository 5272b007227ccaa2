// SPDX-License-Identifier: MIT
/*
 * Sharded reference counts.
 *
 * Each thread counts in its own cache line, so that threads that use one handle share nothing but
 * reads. An object is closed once; whoever brings the sum of the shards to zero after that frees
 * it.
 *
 * Objects that carry a count live in memory that is never given back (slots that are used again),
 * since a thread may touch the count of an object that has just gone. Such a late get finds the
 * closed mark or another use, and puts what it took.
 */
#ifndef HF_BASE_REFS_H
#define HF_BASE_REFS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HF_SHARDS     8u
#define HF_CACHE_LINE 64

struct hf_refs {
    struct {
        _Alignas(HF_CACHE_LINE) atomic_int count;
    } shard[HF_SHARDS];
    _Alignas(HF_CACHE_LINE) _Atomic uint64_t state; /* use << 2 | phase; see refs.c */
};

#define HF_REFS_PHASE_MASK 3u
#define HF_REFS_OPEN       1u

/* The calling thread's shard. Threads have the first one in common until they join. */
extern _Thread_local unsigned hf_shard_of_thread;
extern _Thread_local bool hf_shard_joined;
void hf_shard_assign(void);

static inline unsigned hf_shard(void)
{
    return hf_shard_of_thread;
}

/* At the start of a request, and of a thread of ours. */
static inline void hf_shard_join(void)
{
    if (!hf_shard_joined)
        hf_shard_assign();
}

/* Begins a new use of a free object and returns the number of the use, which is never zero. */
uint64_t hf_refs_open(struct hf_refs *refs);

/* Takes a reference. True: the object is open, and still in that use (0: in any). On false the
   reference was taken all the same, and the caller puts it back at once. The increment comes before
   the look at the state: the closer stores the state before it sums. */
static inline bool hf_refs_get(struct hf_refs *refs, uint64_t use)
{
    uint64_t state;

    atomic_fetch_add(&refs->shard[hf_shard()].count, 1);
    state = atomic_load(&refs->state);
    return (state & HF_REFS_PHASE_MASK) == HF_REFS_OPEN && (use == 0 || state >> 2 == use);
}

/* True, to one caller only, if the object was closed in that state and nobody holds a reference. */
bool hf_refs_drained(struct hf_refs *refs, uint64_t state);

/* Gives a reference back. True: the object was closed and this was the last one; the caller now
   frees what the object holds and then calls hf_refs_free. */
static inline bool hf_refs_put(struct hf_refs *refs)
{
    uint64_t state;

    atomic_fetch_sub(&refs->shard[hf_shard()].count, 1);
    state = atomic_load(&refs->state);
    return (state & HF_REFS_PHASE_MASK) != HF_REFS_OPEN && hf_refs_drained(refs, state);
}

/* Lets no one in any more. False: it was not open. *last as for hf_refs_put. */
bool hf_refs_close(struct hf_refs *refs, uint64_t use, bool *last);

/* True when nobody holds a reference (or is just trying to). */
bool hf_refs_idle(struct hf_refs *refs);

/* The number of the use that it is in. */
uint64_t hf_refs_use(struct hf_refs *refs);

bool hf_refs_is_open(struct hf_refs *refs);
bool hf_refs_is_free(struct hf_refs *refs);

/* The object may be opened again. */
void hf_refs_free(struct hf_refs *refs);

/* In a forked child: free, whatever the parent's threads were doing. */
void hf_refs_reset(struct hf_refs *refs);

#endif
