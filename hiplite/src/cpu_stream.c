// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "cpu.h"
#include "runtime.h"

// --- The stream of each thread ----------------------------------------------------------------

static pthread_key_t thread_stream_key;
static pthread_once_t thread_stream_once = PTHREAD_ONCE_INIT;

static void thread_stream_end(void *stream)
{
    hl_queue_lock();
    hl_stream_end(stream);
    hl_queue_unlock();
}

static void thread_stream_key_make(void)
{
    pthread_key_create(&thread_stream_key, thread_stream_end);
}

static struct hl_stream *thread_stream(void)
{
    struct hl_stream *stream;

    if (hl_thread.stream != NULL)
        return (struct hl_stream *)hl_thread.stream;
    pthread_once(&thread_stream_once, thread_stream_key_make);
    hl_queue_lock();
    stream = hl_stream_new(hl_thread.device, hipStreamDefault, 0);
    hl_queue_unlock();
    if (stream != NULL)
        pthread_setspecific(thread_stream_key, stream);
    hl_thread.stream = (hipStream_t)stream;
    return stream;
}

struct hl_stream *hl_stream_find(hipStream_t handle)
{
    if (handle == NULL || handle == hipStreamLegacy)
        return hl_stream_null(hl_thread.device);
    if (handle == hipStreamPerThread)
        return thread_stream();
    return hl_slot_valid(&hl_streams, handle) ? (struct hl_stream *)handle : NULL;
}

// --- Streams ----------------------------------------------------------------------------------

hipError_t hl_cpu_stream_create(hipStream_t *stream, unsigned flags, int priority)
{
    struct hl_stream *made;

    hl_queue_lock();
    made = hl_stream_new(hl_thread.device, flags, priority);
    hl_queue_unlock();
    if (made == NULL)
        return hipErrorOutOfMemory;
    *stream = (hipStream_t)made;
    return hipSuccess;
}

// For calls that no graph can hold: the stream, unless a capture forbids them.
static hipError_t stream_uncaptured(hipStream_t handle, struct hl_stream **stream)
{
    bool captured;

    *stream = hl_stream_find(handle);
    if (*stream == NULL)
        return hipErrorContextIsDestroyed;
    return hl_capture_check(*stream, HL_USE_REFUSED, &captured);
}

hipError_t hl_cpu_stream_destroy(hipStream_t handle)
{
    struct hl_stream *stream;
    hipError_t error = stream_uncaptured(handle, &stream);

    if (error != hipSuccess)
        return error;
    hl_queue_lock();
    if (!hl_stream_end(stream))
        error = hipErrorContextIsDestroyed;
    hl_queue_unlock();
    return error;
}

hipError_t hl_cpu_stream_synchronize(hipStream_t handle)
{
    struct hl_stream *stream;
    hipError_t error = stream_uncaptured(handle, &stream);

    if (error != hipSuccess || hl_stream_done(stream))
        return error;
    hl_queue_lock();
    hl_stream_wait(stream);
    hl_queue_unlock();
    return hipSuccess;
}

hipError_t hl_cpu_stream_query(hipStream_t handle)
{
    struct hl_stream *stream;
    hipError_t error = stream_uncaptured(handle, &stream);

    if (error != hipSuccess)
        return error;
    return hl_stream_done(stream) ? hipSuccess : hipErrorNotReady;
}

hipError_t hl_cpu_stream_device(hipStream_t handle, int *device)
{
    const struct hl_stream *stream = hl_stream_find(handle);

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    *device = stream->device;
    return hipSuccess;
}

hipError_t hl_cpu_stream_flags(hipStream_t handle, unsigned *flags)
{
    const struct hl_stream *stream = hl_stream_find(handle);

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    *flags = stream->flags;
    return hipSuccess;
}

hipError_t hl_cpu_stream_priority(hipStream_t handle, int *priority)
{
    const struct hl_stream *stream = hl_stream_find(handle);

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    *priority = stream->priority;
    return hipSuccess;
}

// --- Work -------------------------------------------------------------------------------------

hipError_t hl_cpu_stream_wait_event(hipStream_t handle, hipEvent_t event_handle)
{
    struct hl_stream *stream = hl_stream_find(handle);
    struct hl_event *event = (struct hl_event *)event_handle;
    struct hl_op *op;
    bool captured = false;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    if (!hl_slot_valid(&hl_events, event))
        return hipErrorInvalidHandle;
    error = hl_capture_wait(stream, event, &captured);
    if (error != hipSuccess || captured)
        return error;
    op = hl_op_new(HL_OP_WAIT_POINT, stream);
    if (op == NULL)
        return hipErrorOutOfMemory;
    hl_queue_lock();
    if (event->recorded && !hl_point_reached(event->point)) {
        op->point = event->point;
        hl_queue_submit(op);
        op = NULL;
    }
    hl_queue_unlock();
    free(op);
    return hipSuccess;
}

// An op that some thread of ours will do; the thread is started before the op is queued.
static hipError_t submit(struct hl_op *op, hipError_t (*start)(void))
{
    hipError_t error;

    hl_queue_lock();
    error = start();
    if (error == hipSuccess)
        hl_queue_submit(op);
    hl_queue_unlock();
    if (error != hipSuccess)
        free(op);
    return error;
}

// The stream for asynchronous work; *op is NULL when a capture took it.
static hipError_t work_begin(hipStream_t handle, enum hl_op_type type, enum hl_capture_use use,
                             struct hl_op **op)
{
    struct hl_stream *stream = hl_stream_find(handle);
    bool captured = false;
    hipError_t error;

    *op = NULL;
    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    error = hl_capture_check(stream, use, &captured);
    if (error != hipSuccess || captured)
        return error;
    *op = hl_op_new(type, stream);
    return *op != NULL ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hl_cpu_stream_host_func(hipStream_t handle, hipHostFn_t fn, void *data)
{
    struct hl_op *op;
    hipError_t error = work_begin(handle, HL_OP_HOST, HL_USE_WORK, &op);

    if (op == NULL)
        return error;
    op->host.fn = fn;
    op->host.data = data;
    return submit(op, hl_host_thread_start);
}

hipError_t hl_cpu_stream_callback(hipStream_t handle, hipStreamCallback_t fn, void *data)
{
    struct hl_op *op;
    hipError_t error = work_begin(handle, HL_OP_HOST, HL_USE_REFUSED, &op);

    if (op == NULL)
        return error;
    op->host.callback = fn;
    op->host.data = data;
    op->host.handle = handle;
    return submit(op, hl_host_thread_start);
}

static hipError_t nothing_to_start(void)
{
    return hipSuccess;
}

hipError_t hl_cpu_stream_wait_value(hipStream_t handle, const struct hl_value_op *value)
{
    struct hl_range range;
    struct hl_op *op;
    hipError_t error;

    if (!hl_cpu_settings.wait_value)
        return hipErrorNotSupported;
    if (!hl_range_find((uintptr_t)value->ptr, &range) || range.kind != HL_KIND_SIGNAL)
        return hipErrorInvalidValue;
    error = work_begin(handle, HL_OP_WAIT_VALUE, HL_USE_REFUSED, &op);
    if (op == NULL)
        return error;
    op->value.op = *value;
    op->value.address = value->ptr;
    return submit(op, hl_watcher_start);
}

hipError_t hl_cpu_stream_write_value(hipStream_t handle, const struct hl_value_op *value)
{
    struct hl_range range;
    struct hl_op *op;
    uintptr_t offset;
    hipError_t error;

    if (!hl_range_find((uintptr_t)value->ptr, &range) || range.blocked)
        return hipErrorInvalidValue;
    offset = (uintptr_t)value->ptr - range.base;
    if (range.size - offset < value->width)
        return hipErrorInvalidValue;
    error = work_begin(handle, HL_OP_WRITE_VALUE, HL_USE_REFUSED, &op);
    if (op == NULL)
        return error;
    op->value.op = *value;
    op->value.address = range.storage + offset;
    return submit(op, nothing_to_start);
}
