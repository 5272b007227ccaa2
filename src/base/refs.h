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

/* The calling thread's shard. */
unsigned hf_shard_assign(void);
extern _Thread_local unsigned hf_shard_of_thread;

static inline unsigned hf_shard(void)
{
    unsigned shard = hf_shard_of_thread;
    return shard ? shard - 1 : hf_shard_assign();
}

/* Begins a new use of a free object and returns the number of the use, which is never zero. */
uint64_t hf_refs_open(struct hf_refs *refs);

/* Takes a reference. True: the object is open, and still in that use (0: in any). On false the
   reference was taken all the same, and the caller puts it back at once. */
bool hf_refs_get(struct hf_refs *refs, uint64_t use);

/* Gives a reference back. True: the object was closed and this was the last one; the caller now
   frees what the object holds and then calls hf_refs_free. */
bool hf_refs_put(struct hf_refs *refs);

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
