// SPDX-License-Identifier: MIT
#include "core/batch.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/feed.h"
#include "core/ring.h"
#include "observe/log.h"

#define FOR_EVER INT64_MAX

/* ---- creation -------------------------------------------------------------------------------- */

static void init_locks(struct hf_batch *batch)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&batch->submitting, NULL);
    pthread_mutex_init(&batch->lock, NULL);
    pthread_cond_init(&batch->events, &attributes);
    pthread_cond_init(&batch->idle, NULL);
    pthread_condattr_destroy(&attributes);
}

int hf_batch_create(unsigned capacity, struct hf_batch **out)
{
    struct hf_batch *batch = calloc(1, sizeof *batch + capacity * sizeof batch->entry[0]);

    if (!batch)
        return -ENOMEM;
    init_locks(batch);
    STAILQ_INIT(&batch->spare);
    for (unsigned e = 0; e < HF_ENGINES; e++)
        STAILQ_INIT(&batch->waiting[e]);
    STAILQ_INIT(&batch->ended);
    batch->capacity = capacity;
    batch->wanted = UINT_MAX;
    for (unsigned i = 0; i < capacity; i++) {
        batch->entry[i].batch = batch;
        STAILQ_INSERT_TAIL(&batch->spare, &batch->entry[i], link);
    }
    *out = batch;
    return 0;
}

void hf_batch_free(struct hf_batch *batch)
{
    pthread_cond_destroy(&batch->idle);
    pthread_cond_destroy(&batch->events);
    pthread_mutex_destroy(&batch->lock);
    pthread_mutex_destroy(&batch->submitting);
    free(batch);
}

/* ---- the end of entries ---------------------------------------------------------------------- */

void hf_entry_settle(struct hf_entry *entry, hipFileStatus_t status, ssize_t result)
{
    hf_request_close(&entry->request);
    entry->status = status;
    entry->result = result;
}

/* Makes the events of settled entries visible. When the last one is, the batch may be gone as soon
   as the lock is released. */
static void publish(struct hf_batch *batch, struct hf_entries *entries, unsigned count)
{
    pthread_mutex_lock(&batch->lock);
    STAILQ_CONCAT(&batch->ended, entries);
    batch->ready += count;
    if (batch->ready >= batch->wanted) {
        batch->wanted = UINT_MAX;
        pthread_cond_broadcast(&batch->events);
    }
    if (batch->ready == batch->outstanding)
        pthread_cond_broadcast(&batch->idle);
    pthread_mutex_unlock(&batch->lock);
}

/* Ends entries that were taken off the waiting list and have not been started. */
static void end_unstarted(struct hf_batch *batch, struct hf_entries *entries,
                          hipFileStatus_t status)
{
    struct hf_entry *entry;
    unsigned count = 0;

    STAILQ_FOREACH (entry, entries, link) {
        hf_entry_settle(entry, status, 0);
        count++;
    }
    if (count)
        publish(batch, entries, count);
}

/* Neighbours from one batch are published together. */
void hf_entries_publish(struct hf_entries *settled)
{
    struct hf_entry *entry;

    while ((entry = STAILQ_FIRST(settled))) {
        struct hf_entries same = STAILQ_HEAD_INITIALIZER(same);
        struct hf_batch *batch = entry->batch;
        unsigned count = 0;

        for (; entry && entry->batch == batch; entry = STAILQ_FIRST(settled)) {
            STAILQ_REMOVE_HEAD(settled, link);
            STAILQ_INSERT_TAIL(&same, entry, link);
            count++;
        }
        publish(batch, &same, count);
    }
}

static void end(struct hf_entry *entry, hipFileStatus_t status, ssize_t result)
{
    struct hf_entries one = STAILQ_HEAD_INITIALIZER(one);

    hf_entry_settle(entry, status, result);
    STAILQ_INSERT_TAIL(&one, entry, link);
    publish(entry->batch, &one, 1);
}

/* ---- for engines ----------------------------------------------------------------------------- */

struct hf_entry *hf_batch_take(struct hf_batch *batch, enum hf_engine engine, bool *more)
{
    struct hf_entries *waiting = &batch->waiting[engine];
    struct hf_entry *entry;

    pthread_mutex_lock(&batch->lock);
    entry = STAILQ_FIRST(waiting);
    if (entry) {
        STAILQ_REMOVE_HEAD(waiting, link);
        entry->status = hipFilePending;
    }
    *more = !STAILQ_EMPTY(waiting);
    pthread_mutex_unlock(&batch->lock);
    return entry;
}

bool hf_entry_start(struct hf_entry *entry)
{
    if (!entry->deadline || hf_clock_ns() < entry->deadline)
        return true;
    end(entry, hipFileTimeout, 0);
    return false;
}

void hf_entry_run(struct hf_entry *entry)
{
    ssize_t n = entry->refused;

    if (n == 0)
        n = hf_request_run(&entry->request, entry->size, entry->file_offset, entry->buffer_offset);
    end(entry, n < 0 ? hipFileFailed : hipFileComplete, n);
}

/* ---- submission ------------------------------------------------------------------------------ */

static uint64_t bytes_needed(const hipFileIOParams_t *params)
{
    int64_t offset = params->u.batch.devPtr_offset;

    return params->u.batch.size + (offset < 0 ? 0 : (uint64_t)offset);
}

/* A descriptor that was opened for the other direction is what the transfer itself would find: the
   entry fails with it, as hipFileRead would, and the others go on. */
static int check(struct hf_entry *entry)
{
    int err =
        hf_request_check(&entry->request, &entry->size, entry->file_offset, entry->buffer_offset);

    entry->refused = err == -EBADF ? err : 0;
    return err == -EBADF ? 0 : err;
}

static int prepare(struct hf_entry *entry, const hipFileIOParams_t *params)
{
    enum hf_op op = params->opcode == hipFileBatchRead ? HF_READ : HF_WRITE;
    int err;

    if (params->mode != hipFileBatch ||
        (params->opcode != hipFileBatchRead && params->opcode != hipFileBatchWrite)) {
        hf_warn("batch: mode %d, opcode %d", (int)params->mode, (int)params->opcode);
        return -hipFileInvalidValue;
    }
    entry->size = params->u.batch.size;
    entry->file_offset = params->u.batch.file_offset;
    entry->buffer_offset = params->u.batch.devPtr_offset;
    entry->cookie = params->cookie;
    entry->status = hipFileWaiting;
    err = hf_request_open(&entry->request, op, params->fh, params->u.batch.devPtr_base,
                          bytes_needed(params));
    if (err)
        return err;
    err = check(entry);
    if (err)
        hf_request_close(&entry->request);
    else
        entry->engine = hf_ring_takes(entry) ? HF_ENGINE_RING : HF_ENGINE_POOL;
    return err;
}

static int prepare_all(struct hf_entries *entries, const hipFileIOParams_t *params)
{
    int64_t limit = (int64_t)hf_setting_size(HF_SET_BATCH_IO_TIMEOUT_MS) * 1000000;
    int64_t deadline = limit ? hf_clock_ns() + limit : 0;
    struct hf_entry *entry, *bad;
    int err = 0;

    STAILQ_FOREACH (entry, entries, link) {
        entry->deadline = deadline;
        err = prepare(entry, params++);
        if (err)
            break;
    }
    bad = entry;
    if (bad)
        for (entry = STAILQ_FIRST(entries); entry != bad; entry = STAILQ_NEXT(entry, link))
            hf_request_close(&entry->request);
    return err;
}

static int take_spare(struct hf_batch *batch, struct hf_entries *entries, unsigned count)
{
    int err = 0;

    pthread_mutex_lock(&batch->lock);
    if (count > batch->capacity - batch->outstanding)
        err = -hipFileBatchFull;
    for (; err == 0 && count > 0; count--) {
        struct hf_entry *entry = STAILQ_FIRST(&batch->spare);

        STAILQ_REMOVE_HEAD(&batch->spare, link);
        STAILQ_INSERT_TAIL(entries, entry, link);
    }
    pthread_mutex_unlock(&batch->lock);
    return err;
}

/* A collector that waits reckons with the deadlines that it saw, and looks again. */
static void commit(struct hf_batch *batch, struct hf_entries *entries, unsigned count[HF_ENGINES])
{
    bool may_time_out = STAILQ_FIRST(entries)->deadline != 0;
    size_t polled = hf_setting_size(HF_SET_POLLTHRESHOLD_SIZE_KB) * 1024;
    struct hf_entry *entry;

    pthread_mutex_lock(&batch->lock);
    while ((entry = STAILQ_FIRST(entries))) {
        STAILQ_REMOVE_HEAD(entries, link);
        STAILQ_INSERT_TAIL(&batch->waiting[entry->engine], entry, link);
        count[entry->engine]++;
        entry->large = entry->size > polled;
        batch->large += entry->large;
        batch->outstanding++;
    }
    if (may_time_out && batch->collectors)
        pthread_cond_broadcast(&batch->events);
    pthread_mutex_unlock(&batch->lock);
}

static int submit(struct hf_batch *batch, const hipFileIOParams_t *params, unsigned count)
{
    unsigned taken[HF_ENGINES] = {0};
    struct hf_entries entries = STAILQ_HEAD_INITIALIZER(entries);
    int err;

    if (batch->closed)
        return -hipFileInvalidValue;
    if (!hf_driver_is_open()) {
        hf_warn("hipFileBatchIOSubmit: the driver is not open");
        return -hipFileInternalError;
    }
    err = take_spare(batch, &entries, count);
    if (err)
        return err;
    err = prepare_all(&entries, params);
    if (err == 0) {
        commit(batch, &entries, taken);
        hf_feed_add(batch, taken);
        return 0;
    }
    pthread_mutex_lock(&batch->lock);
    STAILQ_CONCAT(&batch->spare, &entries);
    pthread_mutex_unlock(&batch->lock);
    return err;
}

int hf_batch_submit(struct hf_batch *batch, const hipFileIOParams_t *params, unsigned count)
{
    int err;

    pthread_mutex_lock(&batch->submitting);
    err = submit(batch, params, count);
    pthread_mutex_unlock(&batch->submitting);
    return err;
}

/* ---- collection ------------------------------------------------------------------------------ */

static int64_t deadline_after(const struct timespec *timeout)
{
    if (!timeout || timeout->tv_sec >= FOR_EVER / HF_NS_PER_SECOND / 2)
        return FOR_EVER;
    return hf_clock_ns() + timeout->tv_sec * HF_NS_PER_SECOND + timeout->tv_nsec;
}

/* Takes off a waiting list what was not started in time. They all had the same time, so that the
   first one is the next. Returns when that one will be due. */
static int64_t find_expired(struct hf_entries *waiting, struct hf_entries *expired)
{
    struct hf_entry *entry;

    while ((entry = STAILQ_FIRST(waiting)) && entry->deadline) {
        if (entry->deadline > hf_clock_ns())
            return entry->deadline;
        STAILQ_REMOVE_HEAD(waiting, link);
        STAILQ_INSERT_TAIL(expired, entry, link);
    }
    return FOR_EVER;
}

static int64_t find_all_expired(struct hf_batch *batch, struct hf_entries *expired)
{
    int64_t earliest = FOR_EVER;

    for (unsigned e = 0; e < HF_ENGINES; e++) {
        int64_t next = find_expired(&batch->waiting[e], expired);

        if (next < earliest)
            earliest = next;
    }
    return earliest;
}

static void wait_until(struct hf_batch *batch, unsigned least, int64_t deadline)
{
    struct timespec until = {.tv_sec = deadline / HF_NS_PER_SECOND,
                             .tv_nsec = deadline % HF_NS_PER_SECOND};

    batch->collectors++;
    if (least < batch->wanted)
        batch->wanted = least;
    if (deadline == FOR_EVER)
        pthread_cond_wait(&batch->events, &batch->lock);
    else
        pthread_cond_timedwait(&batch->events, &batch->lock, &until);
    batch->collectors--;
}

/* In poll mode, with nothing but small entries outstanding. */
static bool spins(const struct hf_batch *batch)
{
    return batch->large == 0 && hf_setting_bool(HF_SET_USE_POLL_MODE);
}

static void spin_once(struct hf_batch *batch)
{
    pthread_mutex_unlock(&batch->lock);
    sched_yield();
    pthread_mutex_lock(&batch->lock);
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Called, and returns, with the lock held. */
static void wait_for_events(struct hf_batch *batch, unsigned least, int64_t deadline)
{
    least = smaller(least, batch->outstanding);
    for (;;) {
        struct hf_entries expired = STAILQ_HEAD_INITIALIZER(expired);
        int64_t next = find_all_expired(batch, &expired);

        if (!STAILQ_EMPTY(&expired)) {
            pthread_mutex_unlock(&batch->lock);
            end_unstarted(batch, &expired, hipFileTimeout);
            pthread_mutex_lock(&batch->lock);
            continue;
        }
        least = smaller(least, batch->outstanding); /* others may have collected */
        if (batch->ready >= least || (deadline != FOR_EVER && hf_clock_ns() >= deadline))
            return;
        if (spins(batch))
            spin_once(batch);
        else
            wait_until(batch, least, next < deadline ? next : deadline);
    }
}

unsigned hf_batch_collect(struct hf_batch *batch, unsigned least, unsigned room,
                          hipFileIOEvents_t *events, const struct timespec *timeout)
{
    int64_t deadline = least ? deadline_after(timeout) : 0;
    unsigned count;

    pthread_mutex_lock(&batch->lock);
    wait_for_events(batch, least, deadline);
    count = smaller(batch->ready, room);
    for (unsigned i = 0; i < count; i++) {
        struct hf_entry *entry = STAILQ_FIRST(&batch->ended);

        STAILQ_REMOVE_HEAD(&batch->ended, link);
        STAILQ_INSERT_HEAD(&batch->spare, entry, link);
        batch->large -= entry->large;
        events[i] = (hipFileIOEvents_t){entry->cookie, entry->status, (size_t)entry->result};
    }
    batch->ready -= count;
    batch->outstanding -= count;
    if (count && batch->collectors)
        pthread_cond_broadcast(&batch->events);
    pthread_mutex_unlock(&batch->lock);
    return count;
}

/* ---- cancellation ---------------------------------------------------------------------------- */

void hf_batch_cancel(struct hf_batch *batch)
{
    struct hf_entries waiting = STAILQ_HEAD_INITIALIZER(waiting);

    pthread_mutex_lock(&batch->lock);
    for (unsigned e = 0; e < HF_ENGINES; e++)
        STAILQ_CONCAT(&waiting, &batch->waiting[e]);
    pthread_mutex_unlock(&batch->lock);
    end_unstarted(batch, &waiting, hipFileCanceled);
}

/* No submission gets in while it waits, so that it has an end. */
void hf_batch_cancel_and_wait(struct hf_batch *batch, bool close)
{
    pthread_mutex_lock(&batch->submitting);
    if (close)
        batch->closed = true;
    hf_batch_cancel(batch);
    pthread_mutex_lock(&batch->lock);
    while (batch->ready < batch->outstanding)
        pthread_cond_wait(&batch->idle, &batch->lock);
    pthread_mutex_unlock(&batch->lock);
    pthread_mutex_unlock(&batch->submitting);
}
