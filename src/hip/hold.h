// SPDX-License-Identifier: MIT
/*
 * Streams of the application that are, or will be, held by our operations.
 *
 * Two rules follow from such holds, and they are kept here.
 *
 * - AMD maps all streams of one priority onto four hardware queues, so that a held stream can hold
 *   up any other stream of its priority: a worker's copy must never be on one of those. The lanes
 *   of a device therefore have a priority at which nothing is held, and move to another one before
 *   the first operation at theirs is queued.
 * - Freeing memory, and the like, waits for all streams: while anything is held nothing is freed,
 *   and a worker makes no HIP object.
 */
#ifndef HF_HIP_HOLD_H
#define HF_HIP_HOLD_H

#include <stdbool.h>

#define HF_PRIORITY_LEVELS 8

enum hf_hold {
    HF_HOLD_APART,  /* no lane has, or gets, this priority while it is held */
    HF_HOLD_SHARED, /* the device has one priority only: all streams share it */
    HF_HOLD_NONE,   /* the other priorities are all held: this one must not be, and is not */
};

/* Before an operation is queued on a stream of this priority; the device is current. hf_hold_end is
   due when the stream goes on, unless it is HF_HOLD_NONE. */
enum hf_hold hf_hold_begin(int device, int priority);
void hf_hold_end(int device, int priority);

/* Operations that are pending, on all devices. */
unsigned hf_holds(void);

/* Takes part in the lanes' level (0 is the highest priority): none is moved away from under the
   caller before hf_hold_leave_level. The device must be current. */
unsigned hf_hold_enter_level(int device);
void hf_hold_leave_level(int device, unsigned level);

/* HIP's number for a level. */
int hf_hold_priority(int device, unsigned level);

/* In a forked child: nothing is held. */
void hf_hold_forget(void);

#endif
