// SPDX-License-Identifier: MIT
#include "core/feed.h"

#include <stdlib.h>

#include "base/settings.h"
#include "core/pool.h"
#include "core/ring.h"

/* So many entries in a row, then the runner goes to the end of the pool's queue: others want the
   worker too. */
#define RUN_LENGTH 16

/* A task in the pool that runs entries while there are any. */
struct runner {
    struct hf_task task;
};

/* Taken before a batch's own lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TAILQ_HEAD(turns, hf_batch) turns[HF_ENGINES] = {
    [HF_ENGINE_POOL] = TAILQ_HEAD_INITIALIZER(turns[HF_ENGINE_POOL]),
    [HF_ENGINE_RING] = TAILQ_HEAD_INITIALIZER(turns[HF_ENGINE_RING]),
};
static unsigned runners;

static void leave_turn(struct hf_batch *batch, enum hf_engine engine)
{
    TAILQ_REMOVE(&turns[engine], batch, turn[engine]);
    batch->has_turn[engine] = false;
}

static void enter_turn(struct hf_batch *batch, enum hf_engine engine)
{
    if (batch->has_turn[engine])
        return;
    TAILQ_INSERT_TAIL(&turns[engine], batch, turn[engine]);
    batch->has_turn[engine] = true;
}

/* Called with the lock held. */
static struct hf_entry *take(enum hf_engine engine)
{
    struct hf_entry *entry = NULL;
    struct hf_batch *batch;
    bool more;

    while (!entry && (batch = TAILQ_FIRST(&turns[engine]))) {
        entry = hf_batch_take(batch, engine, &more);
        leave_turn(batch, engine);
        if (more)
            enter_turn(batch, engine);
    }
    return entry;
}

struct hf_entry *hf_feed_take_for_ring(void)
{
    struct hf_entry *entry;

    pthread_mutex_lock(&lock);
    entry = take(HF_ENGINE_RING);
    pthread_mutex_unlock(&lock);
    return entry;
}

bool hf_feed_has_for_ring(void)
{
    bool has;

    pthread_mutex_lock(&lock);
    has = !TAILQ_EMPTY(&turns[HF_ENGINE_RING]);
    pthread_mutex_unlock(&lock);
    return has;
}

/* The next entry to run. NULL: there is none, and the runner that asked is counted out. */
static struct hf_entry *next_entry(void)
{
    struct hf_entry *entry;

    pthread_mutex_lock(&lock);
    entry = take(HF_ENGINE_POOL);
    if (!entry)
        runners--;
    pthread_mutex_unlock(&lock);
    return entry;
}

static void start_and_run(struct hf_entry *entry)
{
    if (hf_entry_start(entry))
        hf_entry_run(entry);
}

static void run_entries(struct hf_task *task)
{
    for (int i = 0; i < RUN_LENGTH; i++) {
        struct hf_entry *entry = next_entry();

        if (!entry) {
            free(task);
            return;
        }
        start_and_run(entry);
    }
    hf_pool_submit(task); /* the pool has a thread: this one */
}

static bool start_runner(void)
{
    struct runner *runner = malloc(sizeof *runner);

    if (!runner)
        return false;
    runner->task.run = run_entries;
    if (hf_pool_submit(&runner->task) == 0)
        return true;
    free(runner);
    return false;
}

/* How many more runners are of use. They are counted at once. */
static unsigned reserve_runners(unsigned wanted)
{
    size_t limit = hf_setting_size(HF_SET_MAX_IO_THREADS);
    size_t depth = hf_setting_size(HF_SET_MAX_IO_QUEUE_DEPTH);

    if (depth < limit)
        limit = depth;
    if (runners >= limit)
        return 0;
    if (wanted > limit - runners)
        wanted = (unsigned)limit - runners;
    runners += wanted;
    return wanted;
}

/* Counts runners out that could not be started. True: none is left, and the caller is the last. */
static bool take_over(unsigned missing)
{
    bool alone;

    pthread_mutex_lock(&lock);
    alone = runners == missing;
    runners -= alone ? missing - 1 : missing;
    pthread_mutex_unlock(&lock);
    return alone;
}

void hf_feed_add(struct hf_batch *batch, const unsigned count[HF_ENGINES])
{
    struct hf_entry *entry;
    unsigned wanted;

    pthread_mutex_lock(&lock);
    for (enum hf_engine e = HF_ENGINE_POOL; e < HF_ENGINES; e++)
        if (count[e])
            enter_turn(batch, e);
    wanted = reserve_runners(count[HF_ENGINE_POOL]);
    pthread_mutex_unlock(&lock);
    if (count[HF_ENGINE_RING])
        hf_ring_wake();
    while (wanted > 0 && start_runner())
        wanted--;
    /* Without a single thread in the pool the submitter does the work itself. */
    if (wanted > 0 && take_over(wanted))
        while ((entry = next_entry()))
            start_and_run(entry);
}

void hf_feed_remove(struct hf_batch *batch)
{
    pthread_mutex_lock(&lock);
    for (enum hf_engine e = HF_ENGINE_POOL; e < HF_ENGINES; e++)
        if (batch->has_turn[e])
            leave_turn(batch, e);
    pthread_mutex_unlock(&lock);
}

void hf_feed_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void hf_feed_after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

void hf_feed_after_fork_child(void)
{
    pthread_mutex_init(&lock, NULL);
    hf_ring_forget();
    for (enum hf_engine e = HF_ENGINE_POOL; e < HF_ENGINES; e++)
        TAILQ_INIT(&turns[e]);
    runners = 0;
}
