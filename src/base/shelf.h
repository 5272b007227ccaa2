// SPDX-License-Identifier: MIT
/*
 * A shelf: objects that are kept for the next use, such as pinned buffers.
 *
 * Each shard of threads has a few places of its own, so that a thread takes back what it put
 * without a lock and without sharing a cache line. What finds no place goes onto a list. Nothing is
 * ever refused.
 */
#ifndef HF_BASE_SHELF_H
#define HF_BASE_SHELF_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/refs.h"

#define HF_SHELF_PLACES 4

/* The first member of what is kept. */
struct hf_kept {
    struct hf_kept *next;
};

struct hf_shelf {
    struct {
        _Alignas(HF_CACHE_LINE) _Atomic(struct hf_kept *) place[HF_SHELF_PLACES];
    } shard[HF_SHARDS];
    pthread_mutex_t lock; /* of the list */
    _Atomic(struct hf_kept *) list;
};

#define HF_SHELF_INITIALIZER                                                                       \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

void hf_shelf_init(struct hf_shelf *shelf);

/* NULL when nothing is kept. */
struct hf_kept *hf_shelf_take(struct hf_shelf *shelf);
void hf_shelf_put(struct hf_shelf *shelf, struct hf_kept *kept);

#endif
