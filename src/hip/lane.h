// SPDX-License-Identifier: MIT
/*
 * A lane: one worker's own non-blocking stream on one device, with an event for each of two buffers
 * in flight. Copies on it wait for nothing that the application queued; its priority is one at
 * which no stream is held (hold.h). Lanes are kept and reused, and never destroyed.
 */
#ifndef HF_HIP_LANE_H
#define HF_HIP_LANE_H

#include <stddef.h>
#include <stdint.h>

#include "base/shelf.h"
#include "hip/hip.h"

#define HF_LANE_DEPTH    2
#define HF_LANE_UNMARKED (-1)

struct hf_lane {
    struct hf_kept kept;
    int device;
    unsigned level;               /* of its priority */
    bool of_worker;               /* made for the pool's threads, and kept for them */
    hipStreamCaptureMode capture; /* of the thread that has the lane, for later */
    hipStream_t stream;
    hipEvent_t done[HF_LANE_DEPTH];
    bool polled[HF_LANE_DEPTH]; /* poll mode: the slot's copy is small enough to spin for */
    bool marked[HF_LANE_DEPTH]; /* the event follows the slot's copy */
    bool single; /* set by its user: one copy at a time, so that the stream itself can be waited for
                  */
};

/* The lane's device must be current for all of these. 0 or a status. A thread that has a lane takes
   no part in stream capture: some runtimes refuse to wait for an event, or to allocate, while any
   stream is captured, and break the capture off. */
int hf_lane_get(int device, struct hf_lane **lane);

/* Makes lanes until the pool's threads have this many on the device, so that none of them has to
   make one while streams are held. */
int hf_lane_prepare(int device, unsigned count);

void hf_lane_put(struct hf_lane *lane);

/* Starts a copy between host and device memory. slot: 0 .. HF_LANE_DEPTH - 1, or HF_LANE_UNMARKED
   for one that is waited for with a later one. */
int hf_lane_copy_in(struct hf_lane *lane, int slot, uintptr_t device_address, const void *host,
                    size_t size);
int hf_lane_copy_out(struct hf_lane *lane, int slot, void *host, uintptr_t device_address,
                     size_t size);

/* Waits for the slot's last copy. */
int hf_lane_wait(struct hf_lane *lane, int slot);

/* Waits for everything on the lane. */
int hf_lane_drain(struct hf_lane *lane);

/* In a forked child: the parent's lanes are forgotten. */
void hf_lane_forget(void);

#endif
