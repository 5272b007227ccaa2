// SPDX-License-Identifier: MIT
#include "base/shelf.h"

#include <stdbool.h>
#include <stddef.h>

void hf_shelf_init(struct hf_shelf *shelf)
{
    for (unsigned s = 0; s < HF_SHARDS; s++)
        for (unsigned p = 0; p < HF_SHELF_PLACES; p++)
            atomic_store(&shelf->shard[s].place[p], NULL);
    pthread_mutex_init(&shelf->lock, NULL);
    atomic_store(&shelf->list, NULL);
}

static struct hf_kept *take_from_list(struct hf_shelf *shelf)
{
    struct hf_kept *kept;

    if (!atomic_load(&shelf->list))
        return NULL;
    pthread_mutex_lock(&shelf->lock);
    kept = atomic_load(&shelf->list);
    if (kept)
        atomic_store(&shelf->list, kept->next);
    pthread_mutex_unlock(&shelf->lock);
    return kept;
}

struct hf_kept *hf_shelf_take(struct hf_shelf *shelf)
{
    unsigned own = hf_shard();

    for (unsigned i = 0; i < HF_SHARDS; i++) {
        _Atomic(struct hf_kept *) *place = shelf->shard[(own + i) % HF_SHARDS].place;

        for (unsigned p = 0; p < HF_SHELF_PLACES; p++) {
            struct hf_kept *kept = atomic_load(&place[p]);

            if (kept && (kept = atomic_exchange(&place[p], NULL)))
                return kept;
        }
    }
    return take_from_list(shelf);
}

static bool put_into_place(struct hf_shelf *shelf, struct hf_kept *kept)
{
    unsigned own = hf_shard();

    for (unsigned i = 0; i < HF_SHARDS; i++) {
        _Atomic(struct hf_kept *) *place = shelf->shard[(own + i) % HF_SHARDS].place;

        for (unsigned p = 0; p < HF_SHELF_PLACES; p++) {
            struct hf_kept *empty = NULL;

            if (atomic_compare_exchange_strong(&place[p], &empty, kept))
                return true;
        }
    }
    return false;
}

void hf_shelf_put(struct hf_shelf *shelf, struct hf_kept *kept)
{
    if (put_into_place(shelf, kept))
        return;
    pthread_mutex_lock(&shelf->lock);
    kept->next = atomic_load(&shelf->list);
    atomic_store(&shelf->list, kept);
    pthread_mutex_unlock(&shelf->lock);
}
