// SPDX-License-Identifier: MIT
/*
 * An operation's way: it is submitted by the application's thread, handed to the pool when the
 * stream reaches it (at once if the stream is idle, else by a host function), carried out by a
 * worker, and completed by raising the slot that the stream waits for. The second way has no slot:
 * a second host function waits for the worker. It is a second one since some runtimes have one
 * thread for all streams' host functions: so those of other streams hand over before it waits.
 *
 * Why nothing can wait in a circle:
 * - A worker gets an operation only when the stream has reached it. Whatever the operation had to
 *   follow, by stream order or by the application's events, is done by then. So a worker never
 *   waits for a stream of the application, and every thread of the pool comes back.
 * - A worker's copies run on lanes of a priority at which nothing of ours is held (hip/hold.h), so
 *   that no held stream can stand before them in a hardware queue.
 * - A worker that needs a lane, a pinned buffer or the file's writer lock waits only for threads
 *   that copy or do file I/O, and waits for its first buffer holding none. Lanes and at least one
 *   buffer exist from the submission on, so that no worker has to make what held streams might
 *   block.
 * - Helpers of a transfer are never waited for unless they have started (core/crew.c).
 * - Host functions of the second way block the runtime's callback thread, so that other host
 *   functions come later, but wait only for a worker.
 */
#include "core/operation.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/settings.h"
#include "base/status.h"
#include "core/buffers.h"
#include "core/pool.h"
#include "core/slots.h"
#include "core/stream.h"
#include "core/transfer.h"
#include "hip/device.h"
#include "hip/hold.h"
#include "hip/lane.h"
#include "hip/pinned.h"
#include "hip/stream.h"
#include "observe/log.h"

#define PAGE 4096

/* QUEUED -> HANDED when the stream has come to it, or QUEUED -> TAKEN_BACK by the submitter. */
enum state { QUEUED, HANDED, TAKEN_BACK };

struct range {
    size_t size;
    int64_t file_offset, buffer_offset;
};

struct operation {
    struct hf_task task;
    struct hf_request request;
    struct range range;      /* as submitted */
    const size_t *late_size; /* NULL: fixed; as the next two */
    const hoff_t *late_file_offset, *late_buffer_offset;
    bool promised_pages;
    ssize_t *bytes;
    struct hf_hip_stream stream;
    enum hf_hold hold;
    struct hf_slot *slot; /* NULL: a host function waits */
    _Atomic enum state state;
    sem_t done;
    atomic_int parties; /* the submitter, the worker, and each host function */
    struct operation *next_idle;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *idle;

static struct operation *get(void)
{
    struct operation *operation;

    pthread_mutex_lock(&lock);
    operation = idle;
    if (operation)
        idle = operation->next_idle;
    pthread_mutex_unlock(&lock);
    if (!operation && !(operation = malloc(sizeof *operation)))
        return NULL;
    operation->slot = NULL;
    operation->state = QUEUED;
    operation->parties = 1;
    sem_init(&operation->done, 0, 0);
    return operation;
}

/* Who comes last puts the operation aside for the next submission. */
static void leave(struct operation *operation)
{
    if (atomic_fetch_sub(&operation->parties, 1) != 1)
        return;
    if (operation->slot)
        hf_slot_put(operation->slot);
    sem_destroy(&operation->done);
    pthread_mutex_lock(&lock);
    operation->next_idle = idle;
    idle = operation;
    pthread_mutex_unlock(&lock);
}

/* Registrations may be ended, and memory freed, as soon as the stream goes on: so everything is let
   go before that. */
static void let_go(struct operation *operation)
{
    hf_request_close(&operation->request);
    if (operation->hold != HF_HOLD_NONE)
        hf_hold_end(operation->stream.device, operation->stream.priority);
}

/* Ends the worker's part. */
static void complete(struct operation *operation, ssize_t result)
{
    *operation->bytes = hf_status_to_completion(result);
    let_go(operation);
    if (operation->slot)
        hf_slot_raise(operation->slot);
    sem_post(&operation->done);
    leave(operation);
}

static void wait_until_done(struct operation *operation)
{
    while (sem_wait(&operation->done) != 0 && errno == EINTR)
        ;
}

/* --- In a worker --------------------------------------------------------------------------- */

static struct range bound_range(const struct operation *operation)
{
    struct range range = operation->range;

    if (operation->late_size)
        range.size = *operation->late_size;
    if (operation->late_file_offset)
        range.file_offset = *operation->late_file_offset;
    if (operation->late_buffer_offset)
        range.buffer_offset = *operation->late_buffer_offset;
    return range;
}

static bool is_whole_pages(const struct range *range)
{
    return range->size % PAGE == 0 && range->file_offset % PAGE == 0 &&
           range->buffer_offset % PAGE == 0;
}

static int check_bound(struct operation *operation, struct range *range)
{
    int err;

    if (range->size > operation->range.size) {
        hf_warn("stream %p: size %zu has grown from %zu since it was submitted",
                (void *)operation->stream.handle, range->size, operation->range.size);
        return -hipFileInvalidValue;
    }
    if (operation->promised_pages && !is_whole_pages(range)) {
        hf_warn("stream %p: size %zu, file_offset %lld or buffer_offset %lld is not a multiple of "
                "%d, as HIPFILE_STREAM_PAGE_ALIGNED_INPUTS promised",
                (void *)operation->stream.handle, range->size, (long long)range->file_offset,
                (long long)range->buffer_offset, PAGE);
        return -hipFileInvalidValue;
    }
    if (operation->late_buffer_offset)
        hf_request_reach(&operation->request, range->size, range->buffer_offset);
    err = hf_request_check(&operation->request, &range->size, range->file_offset,
                           range->buffer_offset);
    return err == -EINVAL ? -hipFileInvalidValue : err;
}

static void carry_out(struct operation *operation)
{
    struct range range = bound_range(operation);
    ssize_t result = check_bound(operation, &range);

    if (result == 0)
        result =
            hf_request_run(&operation->request, range.size, range.file_offset, range.buffer_offset);
    complete(operation, result);
}

static void work(struct hf_task *task)
{
    carry_out((struct operation *)task);
}

/* --- In the runtime's thread for host functions --------------------------------------------- */

static void hand_over(struct operation *operation)
{
    enum state expected = QUEUED;
    int err;

    if (!atomic_compare_exchange_strong(&operation->state, &expected, HANDED))
        return;
    err = hf_pool_submit(&operation->task);
    if (err)
        complete(operation, err);
}

static void on_reached(void *argument)
{
    hand_over(argument);
    leave(argument);
}

static void hold(void *argument)
{
    wait_until_done(argument);
    leave(argument);
}

/* --- In the submitting thread ----------------------------------------------------------------- */

static void capture_arguments(struct operation *operation, const struct hf_operation_call *call,
                              unsigned flags)
{
    operation->task.run = work;
    operation->bytes = call->bytes;
    operation->range.size = *call->size;
    operation->range.file_offset = *call->file_offset;
    operation->range.buffer_offset = *call->buffer_offset;
    operation->late_size = flags & HIPFILE_STREAM_FIXED_FILE_SIZE ? NULL : call->size;
    operation->late_file_offset =
        flags & HIPFILE_STREAM_FIXED_FILE_OFFSET ? NULL : call->file_offset;
    operation->late_buffer_offset =
        flags & HIPFILE_STREAM_FIXED_BUF_OFFSET ? NULL : call->buffer_offset;
    operation->promised_pages = flags & HIPFILE_STREAM_PAGE_ALIGNED_INPUTS;
}

/* That the file was not opened for it is an error of the file's, and comes as the outcome. */
static int check_submitted(const struct operation *operation)
{
    size_t size = operation->range.size;
    int err = hf_request_check(&operation->request, &size, operation->range.file_offset,
                               operation->range.buffer_offset);

    return err == -EBADF ? 0 : err;
}

static int check_device(const struct operation *operation)
{
    const struct hf_memory *memory = &operation->request.memory;

    if (hf_memory_on_host(memory->kind) || memory->device == operation->stream.device)
        return 0;
    hf_warn("stream %p is of device %d, and the buffer of device %d",
            (void *)operation->stream.handle, operation->stream.device, memory->device);
    return -hipFileInvalidValue;
}

/* How many workers the operations that are pending can have at a time. */
static unsigned workers_wanted(const struct operation *operation)
{
    unsigned threads = (unsigned)hf_setting_size(HF_SET_MAX_IO_THREADS);
    unsigned pending = hf_holds();

    if (hf_setting_bool(HF_SET_PARALLEL_IO) &&
        operation->range.size >= hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) * 1024)
        return threads;
    return pending < threads ? pending : threads;
}

/* What the bounce path needs; the direct path too, should it fail over. */
static int prepare_bounce(const struct operation *operation)
{
    bool direct =
        hf_request_goes_direct(&operation->request, operation->range.size,
                               operation->range.file_offset, operation->range.buffer_offset);
    unsigned workers = (unsigned)hf_setting_size(HF_SET_MAX_IO_THREADS) + 1; /* and the ring's */
    int err = hf_lane_prepare(operation->stream.device, workers);

    if (err)
        return err;
    return hf_pinned_prepare(direct ? 1 : HF_LANE_DEPTH * workers_wanted(operation));
}

static int prepare(struct operation *operation)
{
    int device = operation->stream.device;
    int err = hf_pool_prepare();

    if (err == 0 && operation->request.memory.kind == HF_MEMORY_DEVICE)
        err = prepare_bounce(operation);
    if (err == 0 && operation->hold == HF_HOLD_APART &&
        !hf_setting_bool(HF_SET_STREAM_MEMOPS_BYPASS) && hf_hip_stream_can_wait(device))
        err = hf_slot_get(device, &operation->slot);
    return err;
}

/* What the stream is to do is half queued. If the operation has not begun it never will, and the
   submission fails; else it is let finish, here. */
static int take_back(struct operation *operation, int err)
{
    enum state expected = QUEUED;

    if (!atomic_compare_exchange_strong(&operation->state, &expected, TAKEN_BACK) &&
        !hf_pool_withdraw(&operation->task)) {
        wait_until_done(operation);
        return 0;
    }
    leave(operation);
    return err;
}

static int queue_call(struct operation *operation, hipHostFn_t function)
{
    int err;

    atomic_fetch_add(&operation->parties, 1);
    err = hf_hip_stream_call(&operation->stream, function, operation);
    if (err)
        leave(operation);
    return err;
}

/* From where the stream reaches the operation on, it stands still until the operation is done. */
static int queue_hold(struct operation *operation)
{
    const struct hf_slot *slot = operation->slot;

    return slot ? hf_hip_stream_wait(&operation->stream, slot->word, slot->value)
                : queue_call(operation, hold);
}

/* Under the stream's lock from the first to the last step: an operation that another thread queued
   in between would not wait for this one. */
static int queue(struct operation *operation, struct hf_stream *stream)
{
    int err = 0;

    pthread_mutex_lock(&stream->order);
    *operation->bytes = 0;
    operation->parties++;
    if (hf_hip_stream_is_idle(&operation->stream))
        hand_over(operation);
    else
        err = queue_call(operation, on_reached);
    if (err)
        leave(operation);
    else if ((err = queue_hold(operation)) != 0)
        err = take_back(operation, err);
    pthread_mutex_unlock(&stream->order);
    return err;
}

/* Operations are pending at every priority of the device, and there would be none left for the
   copies, theirs included: so this one is done before the submission returns. */
static int do_now(struct operation *operation, struct hf_stream *stream)
{
    int err;

    hf_notice("device %d: operations are pending at every stream priority: a submission waits for "
              "its stream",
              operation->stream.device);
    pthread_mutex_lock(&stream->order);
    *operation->bytes = 0;
    err = hf_hip_stream_drain(&operation->stream);
    if (err == 0) {
        operation->parties++;
        carry_out(operation);
    }
    pthread_mutex_unlock(&stream->order);
    return err;
}

static int hold_and_queue(struct operation *operation, struct hf_stream *stream)
{
    int err;

    operation->hold = hf_hold_begin(operation->stream.device, operation->stream.priority);
    if (operation->hold == HF_HOLD_NONE)
        return do_now(operation, stream);
    err = prepare(operation);
    return err ? err : queue(operation, stream);
}

/* The request is open; a failure closes it. */
static int place(struct operation *operation, struct hf_stream *stream)
{
    struct hf_device_scope scope;
    int err;

    operation->hold = HF_HOLD_NONE;
    err = hf_device_enter(operation->stream.device, &scope);
    if (err == 0)
        err = hold_and_queue(operation, stream);
    if (err)
        let_go(operation);
    hf_device_leave(&scope);
    return err;
}

static int submit(struct operation *operation, const struct hf_operation_call *call,
                  struct hf_stream *stream)
{
    struct hf_request *request = &operation->request;
    int64_t offset = operation->range.buffer_offset;
    int err = hf_request_open(request, call->op, call->handle, call->base,
                              operation->range.size + (offset > 0 ? (uint64_t)offset : 0));

    if (err)
        return err;
    err = check_submitted(operation);
    if (err == 0)
        err = hf_hip_stream_describe(call->stream, &operation->stream);
    if (err == 0)
        err = check_device(operation);
    if (err == 0)
        return place(operation, stream);
    hf_request_close(request);
    return err;
}

int hf_operation_submit(const struct hf_operation_call *call)
{
    unsigned flags = 0;
    struct hf_stream *stream = hf_stream_enter(call->stream, &flags);
    struct operation *operation = get();
    struct hf_device_scope scope;
    hipStreamCaptureMode mode;
    int err = hf_device_enter(call->device, &scope);

    mode = hf_hip_capture_leave();
    if (!stream || !operation)
        err = -ENOMEM;
    if (err == 0) {
        capture_arguments(operation, call, flags);
        err = submit(operation, call, stream);
    }
    hf_hip_capture_return(mode);
    hf_device_leave(&scope);
    if (operation)
        leave(operation);
    if (stream)
        hf_stream_leave(stream);
    return err;
}

void hf_operations_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    idle = NULL;
}
