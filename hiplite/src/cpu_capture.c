// SPDX-License-Identifier: MIT
//
// Stream capture: work of a capturing stream goes into a graph instead of being done. A graph here
// only counts its work; what matters is which calls a capture forbids, and how they fail.
#include <stdlib.h>

#include "cpu.h"
#include "runtime.h"

struct hl_capture {
    uint64_t id;
    struct hl_stream *origin;
    hipStreamCaptureMode mode;
    const struct hl_thread *thread; // that began it
    bool invalid;
    uint64_t work;
    struct hl_capture *next;
};

struct graph {
    struct hl_slot slot;
    uint64_t work;
};

static struct hl_slots graphs = {.object_size = sizeof(struct graph), .capacity = 1u << 16};
static struct hl_capture *captures; // under the queue lock
static atomic_uint capture_count;
static uint64_t capture_ids;

static bool none(void)
{
    return __builtin_expect(atomic_load_explicit(&capture_count, memory_order_acquire) == 0, 1);
}

static struct hl_capture *capture_find(uint64_t id)
{
    struct hl_capture *capture = captures;

    while (capture != NULL && capture->id != id)
        capture = capture->next;
    return capture;
}

// A capture with a stream that the default stream of the device waits for.
static struct hl_capture *capture_implicit(int device)
{
    for (uint32_t number = 1; number <= atomic_load(&hl_streams.used); number++) {
        const struct hl_stream *stream = hl_slot_at(&hl_streams, number);
        if (stream->capture != NULL && stream->device == device &&
            (stream->flags & hipStreamNonBlocking) == 0)
            return stream->capture;
    }
    return NULL;
}

static hipError_t spoil(struct hl_capture *capture, hipError_t error)
{
    capture->invalid = true;
    return error;
}

static hipError_t check(struct hl_stream *stream, enum hl_capture_use use, bool *captured)
{
    struct hl_capture *capture = stream->capture;

    if (capture == NULL) {
        capture = stream->is_null ? capture_implicit(stream->device) : NULL;
        return capture != NULL ? spoil(capture, hipErrorStreamCaptureImplicit) : hipSuccess;
    }
    if (use == HL_USE_REFUSED)
        return spoil(capture, hipErrorStreamCaptureUnsupported);
    if (capture->invalid)
        return hipErrorStreamCaptureInvalidated;
    stream->captured++;
    capture->work++;
    *captured = true;
    return hipSuccess;
}

hipError_t hl_capture_check(struct hl_stream *stream, enum hl_capture_use use, bool *captured)
{
    hipError_t error;

    *captured = false;
    if (none())
        return hipSuccess;
    hl_queue_lock();
    error = check(stream, use, captured);
    hl_queue_unlock();
    return error;
}

// Whether a capture forbids unsafe calls to this thread.
static bool forbids(const struct hl_capture *capture)
{
    if (capture->mode == hipStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == &hl_thread)
        return true;
    return capture->mode == hipStreamCaptureModeGlobal &&
           hl_thread.capture_mode == hipStreamCaptureModeGlobal;
}

hipError_t hl_capture_check_unsafe(void)
{
    hipError_t error = hipSuccess;

    if (none() || hl_thread.capture_mode == hipStreamCaptureModeRelaxed)
        return hipSuccess;
    hl_queue_lock();
    for (struct hl_capture *capture = captures; capture != NULL; capture = capture->next) {
        if (forbids(capture))
            error = spoil(capture, hipErrorStreamCaptureUnsupported);
    }
    hl_queue_unlock();
    return error;
}

// --- Events -----------------------------------------------------------------------------------

hipError_t hl_capture_record(struct hl_event *event, struct hl_stream *stream, bool *captured)
{
    hipError_t error;

    *captured = false;
    if (none())
        return hipSuccess;
    hl_queue_lock();
    error = check(stream, HL_USE_WORK, captured);
    if (error == hipSuccess && *captured) {
        event->capture_id = stream->capture->id;
        event->capture_stream = stream;
        event->captured = stream->captured;
        event->recorded = false;
        event->ticket++;
    }
    hl_queue_unlock();
    return error;
}

// The event is of a capture: the stream joins it, or is joined by the event's stream.
static hipError_t join(struct hl_stream *stream, const struct hl_event *event)
{
    struct hl_capture *capture = capture_find(event->capture_id);

    if (capture == NULL)
        return hipErrorCapturedEvent; // of a capture that has ended
    if (stream->is_null)
        return spoil(capture, hipErrorStreamCaptureImplicit);
    if (capture->invalid)
        return hipErrorStreamCaptureInvalidated;
    if (stream->capture != NULL && stream->capture != capture) {
        stream->capture->invalid = true;
        return spoil(capture, hipErrorStreamCaptureMerge);
    }
    if (stream->capture == NULL) {
        stream->capture = capture;
        stream->captured = stream->joined = 0;
    }
    stream->captured++;
    if (event->capture_stream != stream && event->capture_stream->joined < event->captured)
        event->capture_stream->joined = event->captured;
    return hipSuccess;
}

hipError_t hl_capture_wait(struct hl_stream *stream, struct hl_event *event, bool *captured)
{
    hipError_t error = hipSuccess;

    *captured = false;
    hl_queue_lock();
    if (event->capture_id != 0) {
        error = join(stream, event);
        *captured = true;
    } else if (stream->capture != NULL && event->recorded) {
        error = spoil(stream->capture, hipErrorStreamCaptureIsolation);
    } else {
        error = check(stream, HL_USE_WORK, captured);
    }
    hl_queue_unlock();
    return error;
}

hipError_t hl_capture_check_event(const struct hl_event *event)
{
    struct hl_capture *capture;
    hipError_t error = hipSuccess;

    hl_queue_lock();
    if (event->capture_id != 0) {
        error = hipErrorCapturedEvent;
        capture = capture_find(event->capture_id);
        if (capture != NULL)
            spoil(capture, error);
    }
    hl_queue_unlock();
    return error;
}

// --- Begin and end ----------------------------------------------------------------------------

static hipError_t begin(struct hl_stream *stream, struct hl_capture *capture)
{
    if (stream->capture != NULL)
        return hipErrorIllegalState;
    capture->id = ++capture_ids;
    capture->next = captures;
    captures = capture;
    stream->capture = capture;
    stream->captured = stream->joined = 0;
    atomic_fetch_add_explicit(&capture_count, 1, memory_order_release);
    return hipSuccess;
}

hipError_t hl_cpu_capture_begin(hipStream_t handle, hipStreamCaptureMode mode)
{
    struct hl_stream *stream = hl_stream_find(handle);
    struct hl_capture *capture;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    capture = calloc(1, sizeof(*capture));
    if (capture == NULL)
        return hipErrorOutOfMemory;
    capture->origin = stream;
    capture->mode = mode;
    capture->thread = &hl_thread;
    hl_queue_lock();
    error = begin(stream, capture);
    hl_queue_unlock();
    if (error != hipSuccess)
        free(capture);
    return error;
}

// Lets all streams of a capture go; false if one had work that the origin never waited for.
static bool streams_leave(const struct hl_capture *capture)
{
    bool joined = true;

    for (uint32_t number = 1; number <= atomic_load(&hl_streams.used); number++) {
        struct hl_stream *stream = hl_slot_at(&hl_streams, number);
        if (stream->capture != capture)
            continue;
        if (stream != capture->origin && stream->joined < stream->captured)
            joined = false;
        stream->capture = NULL;
    }
    return joined;
}

static void capture_remove(struct hl_capture *capture)
{
    struct hl_capture **link = &captures;

    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    atomic_fetch_sub_explicit(&capture_count, 1, memory_order_release);
}

static hipError_t end(struct hl_capture *capture, hipGraph_t *graph)
{
    bool joined = streams_leave(capture);
    struct graph *made;

    capture_remove(capture);
    if (capture->invalid)
        return hipErrorStreamCaptureInvalidated;
    if (!joined)
        return hipErrorStreamCaptureUnjoined;
    made = hl_slot_take(&graphs);
    if (made == NULL)
        return hipErrorOutOfMemory;
    made->work = capture->work;
    *graph = (hipGraph_t)made;
    return hipSuccess;
}

static hipError_t end_check(const struct hl_stream *stream)
{
    const struct hl_capture *capture = stream->capture;

    if (capture == NULL)
        return hipErrorIllegalState;
    if (capture->origin != stream)
        return hipErrorStreamCaptureUnmatched;
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != &hl_thread)
        return hipErrorStreamCaptureWrongThread;
    return hipSuccess;
}

hipError_t hl_cpu_capture_end(hipStream_t handle, hipGraph_t *graph)
{
    struct hl_stream *stream = hl_stream_find(handle);
    struct hl_capture *capture = NULL;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    hl_queue_lock();
    error = end_check(stream);
    if (error == hipSuccess) {
        capture = stream->capture;
        error = end(capture, graph);
    }
    hl_queue_unlock();
    free(capture);
    return error;
}

hipError_t hl_cpu_capture_status(hipStream_t handle, hipStreamCaptureStatus *status)
{
    const struct hl_stream *stream = hl_stream_find(handle);
    hipError_t error = hipSuccess;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    *status = hipStreamCaptureStatusNone;
    if (none())
        return hipSuccess;
    hl_queue_lock();
    if (stream->capture != NULL)
        *status = stream->capture->invalid ? hipStreamCaptureStatusInvalidated
                                           : hipStreamCaptureStatusActive;
    else if (stream->is_null && capture_implicit(stream->device) != NULL)
        error = hipErrorStreamCaptureImplicit;
    hl_queue_unlock();
    return error;
}

hipError_t hl_cpu_capture_exchange_mode(hipStreamCaptureMode *mode)
{
    hipStreamCaptureMode old = hl_thread.capture_mode;

    hl_thread.capture_mode = *mode;
    *mode = old;
    return hipSuccess;
}

hipError_t hl_cpu_graph_destroy(hipGraph_t graph)
{
    bool valid;

    hl_queue_lock();
    valid = hl_slot_valid(&graphs, graph);
    if (valid)
        hl_slot_return(&graphs, graph);
    hl_queue_unlock();
    return valid ? hipSuccess : hipErrorInvalidValue;
}
