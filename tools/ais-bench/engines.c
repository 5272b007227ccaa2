// SPDX-License-Identifier: MIT
/* The three ways to make requests. */
#include "job.h"
#include "runtime.h"

#include <errno.h>
#include <stdlib.h>

/* ---- sync ------------------------------------------------------------------------------- */

static void run_sync(struct worker *worker)
{
    hipFileHandle_t file = worker->job->handle;
    struct slot *slot = &worker->slots[0];
    ssize_t n;

    while (worker_next(worker, slot)) {
        n = slot->write ? hipFileWrite(file, worker->memory, slot->size, slot->offset, 0)
                        : hipFileRead(file, worker->memory, slot->size, slot->offset, 0);
        if (!worker_done(worker, slot, n, now_ns()))
            break;
    }
}

/* ---- async: a stream for each slot ------------------------------------------------------ */

static bool submit(struct worker *worker, struct slot *slot)
{
    char text[HIPFILE_EXT_TEXT_SIZE];
    hipFileError_t error = (slot->write ? hipFileWriteAsync : hipFileReadAsync)(
        worker->job->handle, worker->memory, &slot->size, &slot->offset, &slot->memory_offset,
        &slot->outcome, slot->stream);

    if (error.err == hipFileSuccess)
        return true;
    worker_fail(worker, "asynchronous %s at offset %lld: %s", slot->write ? "write" : "read",
                (long long)slot->offset, describe_error(error, text, sizeof text));
    return false;
}

static bool synchronize(struct worker *worker, struct slot *slot)
{
    hipError_t error = hip.StreamSynchronize(slot->stream);

    if (error == hipSuccess)
        return true;
    worker_fail(worker, "hipStreamSynchronize: %s", hip.GetErrorString(error));
    return false;
}

/* Round the slots: the oldest request is waited for, and a new one takes its place. */
static void go_round(struct worker *worker)
{
    unsigned depth = worker->job->options->depth;
    uint64_t submitted = 0, collected = 0;
    bool fine = true;

    while (fine) {
        struct slot *slot;

        while (submitted - collected < depth &&
               worker_next(worker, &worker->slots[submitted % depth])) {
            fine = submit(worker, &worker->slots[submitted % depth]);
            if (!fine)
                break;
            submitted++;
        }
        if (submitted == collected)
            break;
        slot = &worker->slots[collected++ % depth];
        fine =
            synchronize(worker, slot) && worker_done(worker, slot, slot->outcome, now_ns()) && fine;
    }
    /* After a failure the others still use their slots. */
    for (; collected < submitted; collected++)
        (void)hip.StreamSynchronize(worker->slots[collected % depth].stream);
}

static void run_async(struct worker *worker)
{
    unsigned made = 0, depth = worker->job->options->depth;
    hipError_t error = hipSuccess;

    while (made < depth && error == hipSuccess) {
        struct slot *slot = &worker->slots[made];

        error = hip.StreamCreateWithFlags(&slot->stream, hipStreamNonBlocking);
        if (error != hipSuccess)
            break;
        made++;
        (void)hipFileStreamRegister(slot->stream, HIPFILE_STREAM_FIXED_BUF_OFFSET |
                                                      HIPFILE_STREAM_FIXED_FILE_OFFSET |
                                                      HIPFILE_STREAM_FIXED_FILE_SIZE);
    }
    if (error == hipSuccess)
        go_round(worker);
    else
        worker_fail(worker, "hipStreamCreateWithFlags: %s", hip.GetErrorString(error));
    while (made > 0) {
        struct slot *slot = &worker->slots[--made];

        (void)hipFileStreamDeregister(slot->stream);
        (void)hip.StreamDestroy(slot->stream);
    }
}

/* ---- batch ------------------------------------------------------------------------------ */

struct batch {
    hipFileBatchHandle_t handle;
    hipFileIOParams_t *entries; /* the next to submit */
    hipFileIOEvents_t *events;
    unsigned ready, outstanding;
};

static bool check(struct worker *worker, const char *call, hipFileError_t error)
{
    char text[HIPFILE_EXT_TEXT_SIZE];

    if (error.err == hipFileSuccess)
        return true;
    worker_fail(worker, "%s: %s", call, describe_error(error, text, sizeof text));
    return false;
}

static bool batch_add(struct worker *worker, struct batch *batch, struct slot *slot)
{
    hipFileIOParams_t *entry = &batch->entries[batch->ready];

    if (!worker_next(worker, slot))
        return false;
    *entry = (hipFileIOParams_t){
        .mode = hipFileBatch,
        .u.batch = {worker->memory, slot->offset, slot->memory_offset, slot->size},
        .fh = worker->job->handle,
        .opcode = slot->write ? hipFileBatchWrite : hipFileBatchRead,
        .cookie = slot,
    };
    batch->ready++;
    return true;
}

static bool batch_submit(struct worker *worker, struct batch *batch)
{
    unsigned count = batch->ready;

    batch->ready = 0;
    if (count == 0)
        return true;
    if (!check(worker, "hipFileBatchIOSubmit",
               hipFileBatchIOSubmit(batch->handle, count, batch->entries, 0)))
        return false;
    batch->outstanding += count;
    return true;
}

/* Collects what has ended, at least one, and makes new entries of their slots. */
static bool batch_collect(struct worker *worker, struct batch *batch)
{
    unsigned count = worker->job->options->depth;
    uint64_t end;

    if (!check(worker, "hipFileBatchIOGetStatus",
               hipFileBatchIOGetStatus(batch->handle, 1, &count, batch->events, NULL)))
        return false;
    end = now_ns();
    batch->outstanding -= count;
    for (unsigned i = 0; i < count; i++) {
        hipFileStatus_t status = batch->events[i].status;
        ssize_t n = status == hipFileComplete || status == hipFileFailed
                        ? (ssize_t)batch->events[i].ret
                        : -ECANCELED;

        if (!worker_done(worker, batch->events[i].cookie, n, end))
            return false;
    }
    for (unsigned i = 0; i < count; i++)
        batch_add(worker, batch, batch->events[i].cookie);
    return true;
}

static void run_batch(struct worker *worker)
{
    unsigned depth = worker->job->options->depth;
    struct batch batch = {
        .entries = calloc(depth, sizeof *batch.entries),
        .events = calloc(depth, sizeof *batch.events),
    };

    if (!batch.entries || !batch.events) {
        worker_fail(worker, "no memory for a batch of %u", depth);
        goto out;
    }
    if (!check(worker, "--queue-depth: hipFileBatchIOSetUp (see HIPFILE_IO_BATCHSIZE)",
               hipFileBatchIOSetUp(&batch.handle, depth)))
        goto out;
    for (unsigned i = 0; i < depth && batch_add(worker, &batch, &worker->slots[i]); i++)
        ;
    while (batch_submit(worker, &batch) && batch.outstanding > 0 && batch_collect(worker, &batch))
        ;
    hipFileBatchIODestroy(batch.handle);
out:
    free(batch.events);
    free(batch.entries);
}

void (*const engines[])(struct worker *worker) = {
    [API_SYNC] = run_sync, [API_ASYNC] = run_async, [API_BATCH] = run_batch};
