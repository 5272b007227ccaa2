// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "runtime.h"

static hipError_t create(hipEvent_t *event, unsigned flags)
{
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess;

    if (event == NULL || (flags & ~known) != 0)
        return hipErrorInvalidValue;
    // An event shared between processes cannot keep time.
    if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming))
        return hipErrorInvalidValue;
    return hl_ops->event_create(event, flags);
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    HL_ENTER(hipEventCreate);
    return hl_leave(create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags)
{
    HL_ENTER(hipEventCreateWithFlags);
    return hl_leave(create(event, flags));
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    HL_ENTER(hipEventRecord);
    return hl_leave(event != NULL ? hl_ops->event_record(event, stream) : hipErrorInvalidHandle);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    HL_ENTER(hipEventQuery);
    return hl_leave(event != NULL ? hl_ops->event_query(event) : hipErrorInvalidHandle);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    HL_ENTER(hipEventSynchronize);
    return hl_leave(event != NULL ? hl_ops->event_synchronize(event) : hipErrorInvalidHandle);
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop)
{
    HL_ENTER(hipEventElapsedTime);
    if (ms == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (start == NULL || stop == NULL)
        return hl_leave(hipErrorInvalidHandle);
    return hl_leave(hl_ops->event_elapsed(ms, start, stop));
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    HL_ENTER(hipEventDestroy);
    return hl_leave(event != NULL ? hl_ops->event_destroy(event) : hipErrorInvalidHandle);
}
