// SPDX-License-Identifier: MIT
#include <time.h>

#include "cpu.h"
#include "runtime.h"

struct hl_slots hl_events = {.object_size = sizeof(struct hl_event), .capacity = 1u << 18};

hipError_t hl_cpu_event_create(hipEvent_t *event, unsigned flags)
{
    struct hl_event *made;

    hl_queue_lock();
    made = hl_slot_take(&hl_events);
    if (made != NULL) {
        made->device = hl_thread.device;
        made->flags = flags;
        made->recorded = false;
        made->capture_id = 0;
        made->ticket++;
    }
    hl_queue_unlock();
    if (made == NULL)
        return hipErrorOutOfMemory;
    *event = (hipEvent_t)made;
    return hipSuccess;
}

void hl_event_reach(const struct hl_op *op)
{
    struct hl_event *event = op->record.event;
    struct timespec now;

    if (event->ticket != op->record.ticket)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    event->time_ticket = event->ticket;
}

hipError_t hl_cpu_event_record(hipEvent_t handle, hipStream_t stream_handle)
{
    struct hl_event *event = (struct hl_event *)handle;
    struct hl_stream *stream = hl_stream_find(stream_handle);
    struct hl_op *op;
    bool captured = false;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    if (!hl_slot_valid(&hl_events, event) || event->device != stream->device)
        return hipErrorInvalidHandle;
    error = hl_capture_record(event, stream, &captured);
    if (error != hipSuccess || captured)
        return error;
    op = hl_op_new(HL_OP_RECORD, stream);
    if (op == NULL)
        return hipErrorOutOfMemory;
    hl_queue_lock();
    op->record.event = event;
    op->record.ticket = ++event->ticket;
    event->recorded = true;
    event->capture_id = 0;
    event->point.stream = stream;
    event->point.number = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    hl_queue_submit(op);
    hl_queue_unlock();
    return hipSuccess;
}

hipError_t hl_cpu_event_query(hipEvent_t handle)
{
    const struct hl_event *event = (const struct hl_event *)handle;
    hipError_t error;

    if (!hl_slot_valid(&hl_events, event))
        return hipErrorInvalidHandle;
    error = hl_capture_check_event(event);
    if (error != hipSuccess)
        return error;
    hl_queue_lock();
    if (event->recorded && !hl_point_reached(event->point))
        error = hipErrorNotReady;
    hl_queue_unlock();
    return error;
}

hipError_t hl_cpu_event_synchronize(hipEvent_t handle)
{
    const struct hl_event *event = (const struct hl_event *)handle;
    hipError_t error;

    if (!hl_slot_valid(&hl_events, event))
        return hipErrorInvalidHandle;
    error = hl_capture_check_event(event);
    if (error != hipSuccess)
        return error;
    hl_queue_lock();
    if (event->recorded)
        hl_point_wait(event->point);
    hl_queue_unlock();
    return hipSuccess;
}

static hipError_t elapsed(float *ms, const struct hl_event *start, const struct hl_event *stop)
{
    if (!start->recorded || !stop->recorded ||
        ((start->flags | stop->flags) & hipEventDisableTiming))
        return hipErrorInvalidHandle;
    if (start->time_ticket != start->ticket || stop->time_ticket != stop->ticket)
        return hipErrorNotReady;
    *ms = (float)((double)(stop->time_ns - start->time_ns) / 1e6);
    return hipSuccess;
}

hipError_t hl_cpu_event_elapsed(float *ms, hipEvent_t start, hipEvent_t stop)
{
    hipError_t error;

    if (!hl_slot_valid(&hl_events, start) || !hl_slot_valid(&hl_events, stop))
        return hipErrorInvalidHandle;
    hl_queue_lock();
    error = elapsed(ms, (const struct hl_event *)start, (const struct hl_event *)stop);
    hl_queue_unlock();
    return error;
}

hipError_t hl_cpu_event_destroy(hipEvent_t event)
{
    bool valid;

    hl_queue_lock();
    valid = hl_slot_valid(&hl_events, event);
    if (valid)
        hl_slot_return(&hl_events, event);
    hl_queue_unlock();
    return valid ? hipSuccess : hipErrorInvalidHandle;
}
