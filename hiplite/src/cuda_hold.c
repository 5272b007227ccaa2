// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <stdatomic.h>

#include "cuda.h"

// A free that is overtaken by new holds this often lets no more in while it waits.
#define PATIENCE 64

static pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static atomic_ulong holds;    // queued so far
static atomic_ulong finished; // as many of them are known to be over

void hl_cuda_hold_begin(void)
{
    pthread_rwlock_rdlock(&gate);
    atomic_fetch_add(&holds, 1);
}

void hl_cuda_hold_end(void)
{
    pthread_rwlock_unlock(&gate);
}

static void wait_for_holds(unsigned long queued)
{
    if (atomic_load(&finished) == queued)
        return;
    hl_cuda_synchronize_all();
    atomic_store(&finished, queued);
}

CUresult hl_cuda_free_quietly(CUresult (*release)(void *ptr), void *ptr)
{
    CUresult result;

    for (int tries = 0;; tries++) {
        unsigned long queued = atomic_load(&holds);

        wait_for_holds(queued);
        pthread_rwlock_wrlock(&gate);
        if (atomic_load(&holds) == queued)
            break;
        if (tries >= PATIENCE) {
            wait_for_holds(atomic_load(&holds));
            break;
        }
        pthread_rwlock_unlock(&gate);
    }
    result = release(ptr);
    pthread_rwlock_unlock(&gate);
    return result;
}
