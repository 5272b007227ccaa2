// SPDX-License-Identifier: MIT
#include "core/batches.h"

#include <errno.h>
#include <stdlib.h>

#include "base/status.h"
#include "core/driver.h"
#include "core/feed.h"

/* A handle is a number, not an address: the batch's place in the table, and above it a count of
   all batches there ever were, so that a handle that has gone is recognised. */
#define PLACE_BITS 20u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hf_batch **table;
static size_t places;
static uint64_t created;

/* Called with the lock held. */
static int find_place(size_t *place)
{
    size_t room = places ? 2 * places : 16;
    struct hf_batch **larger;

    for (*place = 0; *place < places; ++*place)
        if (!table[*place])
            return 0;
    if (room > (size_t)1 << PLACE_BITS)
        return -ENOMEM;
    larger = realloc(table, room * sizeof *table);
    if (!larger)
        return -ENOMEM;
    for (size_t i = places; i < room; i++)
        larger[i] = NULL;
    table = larger;
    places = room;
    return 0;
}

static int enter(struct hf_batch *batch)
{
    size_t place;
    int err;

    pthread_mutex_lock(&lock);
    err = find_place(&place);
    if (err == 0) {
        batch->handle = (hipFileBatchHandle_t)(uintptr_t)(++created << PLACE_BITS | place);
        batch->users = 1; /* the table */
        table[place] = batch;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

int hf_batches_create(unsigned capacity, hipFileBatchHandle_t *handle)
{
    struct hf_batch *batch;
    int err;

    hf_driver_watch_forks();
    err = hf_batch_create(capacity, &batch);
    if (err)
        return err;
    err = enter(batch);
    if (err == 0)
        *handle = batch->handle;
    else
        hf_batch_free(batch);
    return err;
}

/* Called with the lock held. */
static struct hf_batch **find(hipFileBatchHandle_t handle)
{
    size_t place = (uintptr_t)handle & (((uintptr_t)1 << PLACE_BITS) - 1);

    return place < places && table[place] && table[place]->handle == handle ? &table[place] : NULL;
}

struct hf_batch *hf_batches_get(hipFileBatchHandle_t handle)
{
    struct hf_batch **found, *batch = NULL;

    pthread_mutex_lock(&lock);
    found = find(handle);
    if (found) {
        batch = *found;
        batch->users++;
    }
    pthread_mutex_unlock(&lock);
    return batch;
}

void hf_batches_put(struct hf_batch *batch)
{
    bool last;

    pthread_mutex_lock(&lock);
    last = --batch->users == 0;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    hf_feed_remove(batch);
    hf_batch_free(batch);
}

bool hf_batches_destroy(hipFileBatchHandle_t handle)
{
    struct hf_batch **found, *batch = NULL;

    pthread_mutex_lock(&lock);
    found = find(handle);
    if (found) {
        batch = *found;
        *found = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!batch)
        return false;
    hf_batch_cancel_and_wait(batch, true);
    hf_batches_put(batch);
    return true;
}

void hf_batches_destroy_all(void)
{
    hipFileBatchHandle_t handle;

    for (size_t place = 0;; place++) {
        pthread_mutex_lock(&lock);
        if (place >= places)
            break;
        handle = table[place] ? table[place]->handle : NULL;
        pthread_mutex_unlock(&lock);
        hf_batches_destroy(handle);
    }
    pthread_mutex_unlock(&lock);
}

void hf_batches_before_fork(void)
{
    pthread_mutex_lock(&lock);
    hf_feed_before_fork();
}

void hf_batches_after_fork_parent(void)
{
    hf_feed_after_fork_parent();
    pthread_mutex_unlock(&lock);
}

/* What the parent's entries hold goes with its files and buffers. */
void hf_batches_after_fork_child(void)
{
    pthread_mutex_init(&lock, NULL);
    hf_feed_after_fork_child();
    for (size_t place = 0; place < places; place++) {
        free(table[place]);
        table[place] = NULL;
    }
}
