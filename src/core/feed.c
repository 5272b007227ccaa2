// SPDX-License-Identifier: MIT
#include "core/feed.h"

#include <stdlib.h>

#include "base/settings.h"
#include "core/pool.h"

/* So many entries in a row, then the runner goes to the end of the pool's queue: others want the
   worker too. */
#define RUN_LENGTH 16

/* A task in the pool that runs entries while there are any. */
struct runner {
    struct hf_task task;
};

/* Taken before a batch's own lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TAILQ_HEAD(, hf_batch) turns = TAILQ_HEAD_INITIALIZER(turns);
static unsigned runners;

static void leave_turn(struct hf_batch *batch)
{
    TAILQ_REMOVE(&turns, batch, turn);
    batch->has_turn = false;
}

/* The next entry to run. NULL: there is none, and the runner that asked is counted out. */
static struct hf_entry *next_entry(void)
{
    struct hf_entry *entry = NULL;
    struct hf_batch *batch;
    bool more;

    pthread_mutex_lock(&lock);
    while (!entry && (batch = TAILQ_FIRST(&turns))) {
        entry = hf_batch_take(batch, &more);
        leave_turn(batch);
        if (more) {
            TAILQ_INSERT_TAIL(&turns, batch, turn);
            batch->has_turn = true;
        }
    }
    if (!entry)
        runners--;
    pthread_mutex_unlock(&lock);
    return entry;
}

static void run_entries(struct hf_task *task)
{
    for (int i = 0; i < RUN_LENGTH; i++) {
        struct hf_entry *entry = next_entry();

        if (!entry) {
            free(task);
            return;
        }
        hf_entry_run(entry);
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

void hf_feed_add(struct hf_batch *batch, unsigned count)
{
    struct hf_entry *entry;
    unsigned wanted;

    pthread_mutex_lock(&lock);
    if (!batch->has_turn) {
        TAILQ_INSERT_TAIL(&turns, batch, turn);
        batch->has_turn = true;
    }
    wanted = reserve_runners(count);
    pthread_mutex_unlock(&lock);
    while (wanted > 0 && start_runner())
        wanted--;
    /* Without a single thread in the pool the submitter does the work itself. */
    if (wanted > 0 && take_over(wanted))
        while ((entry = next_entry()))
            hf_entry_run(entry);
}

void hf_feed_remove(struct hf_batch *batch)
{
    pthread_mutex_lock(&lock);
    if (batch->has_turn)
        leave_turn(batch);
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
    TAILQ_INIT(&turns);
    runners = 0;
}
