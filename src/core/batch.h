// SPDX-License-Identifier: MIT
/*
 * A batch: a fixed number of entries, each of which is submitted, waits, runs, ends and is
 * collected. Engines take waiting entries from it; core/feed.h says whose turn it is.
 *
 *     spare -> waiting -> running -> ended -> spare
 *                 \_________________/  cancelled, or not started in time
 */
#ifndef HF_CORE_BATCH_H
#define HF_CORE_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <time.h>

#include "core/pool.h"
#include "core/transfer.h"
#include "hipfile.h"

/* Who runs an entry: a worker of the pool, or the ring (core/ring.h). */
enum hf_engine { HF_ENGINE_POOL, HF_ENGINE_RING, HF_ENGINES };

struct hf_batch;

struct hf_entry {
    struct hf_task task;         /* for the pool */
    STAILQ_ENTRY(hf_entry) link; /* on the list that its state says; while it runs, the engine's */
    struct hf_batch *batch;
    enum hf_engine engine;
    hipFileStatus_t status; /* Waiting, Pending (it runs), or how it ended */
    struct hf_request request;
    size_t size;
    bool large; /* too large for poll mode */
    int64_t file_offset, buffer_offset;
    int refused;      /* why it cannot but fail, or 0 */
    int64_t deadline; /* when it must have been started, in ns of CLOCK_MONOTONIC; 0: whenever */
    void *cookie;
    ssize_t result; /* a count or an internal status */

    /* For the ring. */
    struct hf_single single;
    char *staging;
};

STAILQ_HEAD(hf_entries, hf_entry);

struct hf_batch {
    /* For core/batches.c, under its lock. */
    hipFileBatchHandle_t handle;
    unsigned users;

    /* For core/feed.c, under its lock. */
    TAILQ_ENTRY(hf_batch) turn[HF_ENGINES];
    bool has_turn[HF_ENGINES];

    /* One submission or waiting cancel at a time; taken before the other lock. */
    pthread_mutex_t submitting;
    bool closed; /* nothing more may be submitted */

    pthread_mutex_t lock;
    pthread_cond_t events; /* enough have ended for a collector, or it must look again */
    pthread_cond_t idle;   /* nothing waits or runs */
    unsigned outstanding;  /* submitted and not collected */
    unsigned ready;        /* of these, ended */
    unsigned large;        /* of them all, too large for poll mode */
    unsigned collectors;   /* that wait */
    unsigned wanted;       /* the least number of ready ones that any of them waits for */
    struct hf_entries spare, waiting[HF_ENGINES], ended;

    unsigned capacity;
    struct hf_entry entry[];
};

int hf_batch_create(unsigned capacity, struct hf_batch **batch);

/* Nothing may be outstanding but ended entries. */
void hf_batch_free(struct hf_batch *batch);

/* All or none. 0 or a status. */
int hf_batch_submit(struct hf_batch *batch, const hipFileIOParams_t *params, unsigned count);

/* Waits until `least` entries have ended (or as many as are outstanding) or the time is over, and
   hands out up to `room` events, with internal statuses in ret. Returns their number. */
unsigned hf_batch_collect(struct hf_batch *batch, unsigned least, unsigned room,
                          hipFileIOEvents_t *events, const struct timespec *timeout);

/* Ends what waits. */
void hf_batch_cancel(struct hf_batch *batch);

/* Ends what waits, and waits for what runs. With `close` nothing can be submitted afterwards. */
void hf_batch_cancel_and_wait(struct hf_batch *batch, bool close);

/*
 * For engines.
 */

/* Takes the next entry that waits for the engine; NULL if there is none. *more: there are others.
 */
struct hf_entry *hf_batch_take(struct hf_batch *batch, enum hf_engine engine, bool *more);

/* Whether an entry that was just taken may still be started; if not, it has ended. */
bool hf_entry_start(struct hf_entry *entry);

/* Runs an entry that was started, on this thread, and ends it. */
void hf_entry_run(struct hf_entry *entry);

/* Ends entries in two steps: each is settled, which is the last use of its file and memory; then
   the events of all, from whatever batches, are published. */
void hf_entry_settle(struct hf_entry *entry, hipFileStatus_t status, ssize_t result);
void hf_entries_publish(struct hf_entries *settled);

#endif
