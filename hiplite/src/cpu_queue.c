// SPDX-License-Identifier: MIT
//
// Streams are put on few queues, as hardware has few. A queue does its work strictly in order, and
// only its first op can be under way. Copies are done by a thread of the queue, host functions by
// one thread for all, waits for values are watched by one thread for all; everything else is done
// by whichever thread notices that it can be. One mutex guards all of this; nobody polls.
#include <stdlib.h>

#include "cpu.h"
#include "runtime.h"

struct cpu_device {
    struct hl_queue queues[HL_CPU_PRIORITIES][HL_CPU_QUEUES_MAX];
    unsigned streams[HL_CPU_PRIORITIES]; // created so far
    struct hl_stream *null_stream;
    struct hl_stream *blocking; // the other streams that the default stream waits for
    atomic_ulong pending;       // work of the default and the blocking streams
};

pthread_mutex_t hl_queue_mutex = PTHREAD_MUTEX_INITIALIZER;
struct hl_slots hl_streams = {.object_size = sizeof(struct hl_stream), .capacity = 1u << 16};

static struct cpu_device devices[HL_MAX_DEVICES];
static struct hl_queue *listed_queues;
static uint64_t orders;

static bool is_blocking(const struct hl_stream *stream)
{
    return (stream->flags & hipStreamNonBlocking) == 0;
}

// --- Doing what can be done -------------------------------------------------------------------

static bool older(const struct hl_stream *stream, uint64_t order)
{
    return stream->first != NULL && stream->first->order < order;
}

static bool is_ready(const struct hl_op *op)
{
    const struct hl_stream *stream = op->stream;
    const struct cpu_device *device = &devices[stream->device];

    if (op->type == HL_OP_WAIT_POINT && !hl_point_reached(op->point))
        return false;
    if (!is_blocking(stream))
        return true;
    if (!stream->is_null)
        return !older(device->null_stream, op->order);
    for (stream = device->blocking; stream != NULL; stream = stream->next_blocking) {
        if (older(stream, op->order))
            return false;
    }
    return true;
}

static void stream_retire(struct hl_stream *stream)
{
    struct hl_stream **link = &devices[stream->device].blocking;

    while (*link != NULL && *link != stream)
        link = &(*link)->next_blocking;
    if (*link != NULL)
        *link = stream->next_blocking;
    hl_slot_return(&hl_streams, stream);
}

static void op_remove(struct hl_op *op)
{
    struct hl_stream *stream = op->stream;
    struct hl_queue *queue = stream->queue;

    queue->first = op->next_in_queue;
    if (queue->first == NULL)
        queue->last = NULL;
    stream->first = op->next_in_stream;
    if (stream->first == NULL)
        stream->last = NULL;
    queue->held = false;
    atomic_fetch_sub_explicit(&queue->pending, 1, memory_order_release);
    if (op->type != HL_OP_CALLER)
        free(op);
    if (is_blocking(stream))
        atomic_fetch_sub_explicit(&devices[stream->device].pending, 1, memory_order_release);
    atomic_fetch_add_explicit(&stream->completed, 1, memory_order_release);
    pthread_cond_broadcast(&stream->changed);
    if (stream->destroyed && stream->first == NULL)
        stream_retire(stream);
}

// Does the first op of a queue, or sees to it that it gets done; true if it is done already.
static bool queue_advance(struct hl_queue *queue)
{
    struct hl_op *op = queue->first;

    if (op == NULL || queue->held || !is_ready(op))
        return false;
    queue->held = true;
    switch (op->type) {
    case HL_OP_COPY:
    case HL_OP_FILL:
        queue->job = op;
        pthread_cond_signal(&queue->wake);
        return false;
    case HL_OP_CALLER:
        op->granted = true;
        pthread_cond_broadcast(&op->stream->changed);
        return false;
    case HL_OP_HOST:
        hl_host_thread_push(op);
        return false;
    case HL_OP_WAIT_VALUE:
        if (!hl_value_satisfied(op)) {
            hl_watcher_push(op);
            return false;
        }
        break;
    case HL_OP_WRITE_VALUE:
        hl_value_write(op);
        break;
    case HL_OP_RECORD:
        hl_event_reach(op);
        break;
    case HL_OP_WAIT_POINT:
        break;
    }
    op_remove(op);
    return true;
}

// An op that is done may let others begin, in any queue.
static void queues_advance(void)
{
    bool again = true;

    while (again) {
        again = false;
        for (struct hl_queue *queue = listed_queues; queue != NULL; queue = queue->next_listed) {
            while (queue_advance(queue))
                again = true;
        }
    }
}

void hl_queue_finish(struct hl_op *op)
{
    op_remove(op);
    queues_advance();
}

// --- Submission -------------------------------------------------------------------------------

struct hl_op *hl_op_new(enum hl_op_type type, struct hl_stream *stream)
{
    struct hl_op *op = calloc(1, sizeof(*op));

    if (op != NULL) {
        op->type = type;
        op->stream = stream;
    }
    return op;
}

void hl_queue_submit(struct hl_op *op)
{
    struct hl_stream *stream = op->stream;
    struct hl_queue *queue = stream->queue;

    op->order = ++orders;
    *(queue->first != NULL ? &queue->last->next_in_queue : &queue->first) = op;
    queue->last = op;
    atomic_fetch_add_explicit(&queue->pending, 1, memory_order_relaxed);
    *(stream->first != NULL ? &stream->last->next_in_stream : &stream->first) = op;
    stream->last = op;
    atomic_fetch_add_explicit(&stream->submitted, 1, memory_order_relaxed);
    if (is_blocking(stream))
        atomic_fetch_add_explicit(&devices[stream->device].pending, 1, memory_order_relaxed);
    if (!queue->listed) {
        queue->listed = true;
        queue->next_listed = listed_queues;
        listed_queues = queue;
    }
    queues_advance();
}

void hl_queue_borrow(struct hl_op *op)
{
    hl_queue_submit(op);
    while (!op->granted)
        pthread_cond_wait(&op->stream->changed, &hl_queue_mutex);
}

// --- Waiting ----------------------------------------------------------------------------------

static bool own_work_done(const struct hl_stream *stream)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) ==
           atomic_load_explicit(&stream->submitted, memory_order_acquire);
}

bool hl_stream_done(const struct hl_stream *stream)
{
    if (stream->is_null)
        return atomic_load_explicit(&devices[stream->device].pending, memory_order_acquire) == 0;
    return own_work_done(stream);
}

bool hl_stream_idle(const struct hl_stream *stream)
{
    if (!hl_stream_done(stream))
        return false;
    return !is_blocking(stream) || own_work_done(devices[stream->device].null_stream);
}

bool hl_stream_free(const struct hl_stream *stream)
{
    return atomic_load_explicit(&stream->queue->pending, memory_order_acquire) == 0 &&
           hl_stream_idle(stream);
}

void hl_point_wait(struct hl_point point)
{
    while (!hl_point_reached(point))
        pthread_cond_wait(&point.stream->changed, &hl_queue_mutex);
}

static void stream_drain(struct hl_stream *stream, uint64_t limit)
{
    while (stream->first != NULL && stream->first->order <= limit)
        pthread_cond_wait(&stream->changed, &hl_queue_mutex);
}

// A stream of the list with work up to the limit; the list may change while one is waited for.
static struct hl_stream *blocking_busy(const struct cpu_device *device, uint64_t limit)
{
    struct hl_stream *stream = device->blocking;

    while (stream != NULL && !older(stream, limit + 1))
        stream = stream->next_blocking;
    return stream;
}

void hl_stream_wait(struct hl_stream *stream)
{
    uint64_t limit = orders;
    struct hl_stream *busy;

    if (stream->is_null) {
        while ((busy = blocking_busy(&devices[stream->device], limit)) != NULL)
            stream_drain(busy, limit);
    }
    stream_drain(stream, limit);
}

void hl_streams_wait(int device)
{
    uint64_t limit = orders;

    for (uint32_t number = 1; number <= atomic_load(&hl_streams.used); number++) {
        struct hl_stream *stream = hl_slot_at(&hl_streams, number);
        if (device == -1 || stream->device == device)
            stream_drain(stream, limit);
    }
}

// --- Streams ----------------------------------------------------------------------------------

struct hl_stream *hl_stream_new(int device, unsigned flags, int priority)
{
    struct cpu_device *owner = &devices[device];
    unsigned row = (unsigned)(1 - priority);
    struct hl_stream *stream = hl_slot_take(&hl_streams);

    if (stream == NULL)
        return NULL;
    if (stream->queue == NULL) // the first life of this slot
        pthread_cond_init(&stream->changed, NULL);
    stream->device = device;
    stream->flags = flags;
    stream->priority = priority;
    stream->destroyed = false;
    stream->queue = &owner->queues[row][owner->streams[row]++ % hl_cpu_settings.queues];
    stream->next_blocking = NULL;
    if (is_blocking(stream) && owner->null_stream != NULL) {
        stream->next_blocking = owner->blocking;
        owner->blocking = stream;
    }
    return stream;
}

bool hl_stream_end(struct hl_stream *stream)
{
    if (!atomic_exchange(&stream->slot.live, false))
        return false; // another thread was first
    stream->destroyed = true;
    if (stream->first == NULL)
        stream_retire(stream);
    return true;
}

struct hl_stream *hl_stream_null(int device)
{
    return devices[device].null_stream;
}

bool hl_queues_open(void)
{
    for (int i = 0; i < hl_cpu_settings.devices; i++) {
        for (unsigned q = 0; q < HL_CPU_PRIORITIES * HL_CPU_QUEUES_MAX; q++)
            pthread_cond_init(&devices[i].queues[q / HL_CPU_QUEUES_MAX][q % HL_CPU_QUEUES_MAX].wake,
                              NULL);
        devices[i].null_stream = hl_stream_new(i, hipStreamDefault, 0);
        if (devices[i].null_stream == NULL)
            return false;
        devices[i].null_stream->is_null = true;
    }
    return true;
}

// --- Fork -------------------------------------------------------------------------------------

static void queue_reset(struct hl_queue *queue)
{
    struct hl_op *op = queue->first;

    while (op != NULL) {
        struct hl_op *next = op->next_in_queue;
        if (op->type != HL_OP_CALLER)
            free(op);
        op = next;
    }
    queue->first = queue->last = queue->job = NULL;
    queue->held = queue->has_copier = false;
    atomic_store(&queue->pending, 0);
    pthread_cond_init(&queue->wake, NULL);
}

void hl_queues_reset(void)
{
    for (struct hl_queue *queue = listed_queues; queue != NULL; queue = queue->next_listed)
        queue_reset(queue);
    for (int i = 0; i < hl_cpu_settings.devices; i++)
        atomic_store(&devices[i].pending, 0);
    for (uint32_t number = 1; number <= atomic_load(&hl_streams.used); number++) {
        struct hl_stream *stream = hl_slot_at(&hl_streams, number);
        bool had_work = stream->first != NULL;
        stream->first = stream->last = NULL;
        atomic_store(&stream->completed, atomic_load(&stream->submitted));
        pthread_cond_init(&stream->changed, NULL);
        if (stream->destroyed && had_work)
            stream_retire(stream);
    }
}
