// SPDX-License-Identifier: MIT
#include "hip/pinned.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/settings.h"
#include "base/status.h"
#include "hip/hip.h"
#include "hip/hold.h"
#include "hip/place.h"

static struct hf_shelf shelves[HF_PLACES] = {[0 ... HF_PLACES - 1] = HF_SHELF_INITIALIZER};
static atomic_size_t buffer_size; /* 0: not decided yet */
static atomic_size_t total;
static atomic_uint waiters;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;

static bool reserve(size_t size)
{
    size_t limit = hf_setting_size(HF_SET_MAX_DEVICE_CACHE_SIZE_KB) * 1024;
    size_t now = atomic_load(&total);

    do {
        if (now != 0 && now + size > limit)
            return false;
    } while (!atomic_compare_exchange_weak(&total, &now, now + size));
    return true;
}

size_t hf_pinned_size(void)
{
    size_t size = atomic_load_explicit(&buffer_size, memory_order_relaxed);

    if (size == 0) {
        size_t wanted = hf_setting_size(HF_SET_PER_BUFFER_CACHE_SIZE_KB) * 1024;

        if (atomic_compare_exchange_strong(&buffer_size, &size, wanted))
            size = wanted;
    }
    return size;
}

static hipError_t make_memory(struct hf_pinned *buffer, size_t size)
{
    struct hf_numa_policy before;
    hipError_t error;

    hf_numa_prefer(buffer->place, &before);
    error = hf_hip.hipHostMalloc(&buffer->host, size, hipHostMallocPortable);
    hf_numa_restore(&before);
    return error;
}

static int allocate(size_t size, struct hf_pinned **out)
{
    struct hf_pinned *buffer;
    hipError_t error;

    if (size < hf_pinned_size())
        size = hf_pinned_size();
    if (!reserve(size))
        return -EAGAIN;
    buffer = malloc(sizeof *buffer);
    if (!buffer) {
        atomic_fetch_sub(&total, size);
        return -ENOMEM;
    }
    buffer->place = hf_place_here();
    error = make_memory(buffer, size);
    if (error != hipSuccess) {
        free(buffer);
        atomic_fetch_sub(&total, size);
        return hf_status_from_hip(error);
    }
    buffer->size = size;
    *out = buffer;
    return 0;
}

/* Allocating was never seen to wait for streams, unlike freeing; but a worker should not depend on
   that. What no buffer can serve it must make all the same. */
static bool may_allocate(size_t size)
{
    return !hf_hip_in_worker() || hf_holds() == 0 || hf_pinned_total() == 0 ||
           size > hf_pinned_size();
}

static bool take_kept(unsigned place, size_t size, struct hf_pinned **out)
{
    struct hf_pinned *kept = (struct hf_pinned *)hf_shelf_take(&shelves[place]);

    if (kept && kept->size < size) {
        hf_shelf_put(&shelves[place], &kept->kept);
        kept = NULL;
    }
    *out = kept;
    return kept;
}

/* At the limit, one from far away is better than none. */
static int try_get(size_t size, struct hf_pinned **out)
{
    unsigned here = hf_place_here();
    int err;

    if (take_kept(here, size, out))
        return 0;
    err = may_allocate(size) ? allocate(size, out) : -EAGAIN;
    for (unsigned place = 0; err == -EAGAIN && place < HF_PLACES; place++)
        if (place != here && take_kept(place, size, out))
            err = 0;
    return err;
}

/* The count of waiters comes before the last look, as the giver's look at it comes after the
   giving: one of the two sees the other. */
static int wait_for_one(size_t size, struct hf_pinned **out)
{
    int err;

    pthread_mutex_lock(&lock);
    atomic_fetch_add(&waiters, 1);
    while ((err = try_get(size, out)) == -EAGAIN)
        pthread_cond_wait(&given_back, &lock);
    atomic_fetch_sub(&waiters, 1);
    pthread_mutex_unlock(&lock);
    return err;
}

int hf_pinned_get(size_t size, bool wait, struct hf_pinned **out)
{
    int err = try_get(size, out);

    return err == -EAGAIN && wait ? wait_for_one(size, out) : err;
}

void hf_pinned_put(struct hf_pinned *buffer)
{
    hf_shelf_put(&shelves[buffer->place], &buffer->kept);
    if (atomic_load(&waiters) > 0) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&given_back);
        pthread_mutex_unlock(&lock);
    }
}

bool hf_pinned_wanted(void)
{
    return atomic_load_explicit(&waiters, memory_order_relaxed) > 0;
}

int hf_pinned_prepare(unsigned count)
{
    struct hf_pinned *buffer;
    int err = 0;

    while (err == 0 && hf_pinned_total() < count * hf_pinned_size()) {
        err = allocate(hf_pinned_size(), &buffer);
        if (err == 0)
            hf_pinned_put(buffer);
    }
    return hf_pinned_total() > 0 ? 0 : err;
}

static void free_all(struct hf_shelf *shelf)
{
    struct hf_pinned *buffer;

    while ((buffer = (struct hf_pinned *)hf_shelf_take(shelf))) {
        hf_hip.hipHostFree(buffer->host);
        atomic_fetch_sub(&total, buffer->size);
        free(buffer);
    }
}

/* The only place where buffers are freed, as that waits for every stream; so it is done only when
   the size really changes and no stream is held. */
void hf_pinned_resize(void)
{
    size_t wanted = hf_setting_size(HF_SET_PER_BUFFER_CACHE_SIZE_KB) * 1024;

    if (atomic_load(&buffer_size) == wanted || hf_holds() > 0)
        return;
    for (unsigned place = 0; place < HF_PLACES; place++)
        free_all(&shelves[place]);
    if (hf_pinned_total() == 0)
        atomic_store(&buffer_size, wanted);
}

size_t hf_pinned_total(void)
{
    return atomic_load(&total);
}

void hf_pinned_forget(void)
{
    for (unsigned place = 0; place < HF_PLACES; place++)
        hf_shelf_init(&shelves[place]);
    buffer_size = 0;
    total = 0;
    waiters = 0;
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&given_back, NULL);
}
