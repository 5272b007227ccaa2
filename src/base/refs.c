// SPDX-License-Identifier: MIT
#include "base/refs.h"

/* An object goes free -> open -> closed -> draining -> free. The number of the use is part of the
   state, so that a thread that was slow between two steps cannot act on a later use. */
enum phase { FREE, OPEN = HF_REFS_OPEN, CLOSED, DRAINING };

#define PHASE_MASK HF_REFS_PHASE_MASK

_Thread_local unsigned hf_shard_of_thread;
_Thread_local bool hf_shard_joined;

void hf_shard_assign(void)
{
    static atomic_uint next;

    hf_shard_of_thread = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % HF_SHARDS;
    hf_shard_joined = true;
}

static uint64_t make_state(uint64_t use, enum phase phase)
{
    return use << 2 | phase;
}

uint64_t hf_refs_open(struct hf_refs *refs)
{
    uint64_t use = (atomic_load(&refs->state) >> 2) + 1;

    atomic_store(&refs->state, make_state(use, OPEN));
    return use;
}

bool hf_refs_idle(struct hf_refs *refs)
{
    int sum = 0;

    for (unsigned i = 0; i < HF_SHARDS; i++)
        sum += atomic_load(&refs->shard[i].count);
    return sum == 0;
}

/* Gets only add before the close, so a sum of zero after it is final. */
bool hf_refs_drained(struct hf_refs *refs, uint64_t state)
{
    uint64_t draining = make_state(state >> 2, DRAINING);

    return (state & PHASE_MASK) == CLOSED && hf_refs_idle(refs) &&
           atomic_compare_exchange_strong(&refs->state, &state, draining);
}

bool hf_refs_close(struct hf_refs *refs, uint64_t use, bool *last)
{
    uint64_t open = make_state(use, OPEN);
    uint64_t closed = make_state(use, CLOSED);

    if (!atomic_compare_exchange_strong(&refs->state, &open, closed))
        return false;
    *last = hf_refs_drained(refs, closed);
    return true;
}

void hf_refs_free(struct hf_refs *refs)
{
    uint64_t state = atomic_load(&refs->state);

    atomic_store(&refs->state, make_state(state >> 2, FREE));
}

uint64_t hf_refs_use(struct hf_refs *refs)
{
    return atomic_load(&refs->state) >> 2;
}

bool hf_refs_is_open(struct hf_refs *refs)
{
    return (atomic_load(&refs->state) & PHASE_MASK) == OPEN;
}

bool hf_refs_is_free(struct hf_refs *refs)
{
    return (atomic_load(&refs->state) & PHASE_MASK) == FREE;
}

void hf_refs_reset(struct hf_refs *refs)
{
    for (unsigned i = 0; i < HF_SHARDS; i++)
        atomic_store(&refs->shard[i].count, 0);
    hf_refs_free(refs);
}
