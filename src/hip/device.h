// SPDX-License-Identifier: MIT
/* The calling thread's HIP state, left as found: its current device and its pending error. */
#ifndef HF_HIP_DEVICE_H
#define HF_HIP_DEVICE_H

#include <stdbool.h>

#include "hip/hip.h"

#define HF_MAX_DEVICES 16

struct hf_device_scope {
    int previous; /* -1: not switched */
    bool clean;   /* no error was pending, and none of ours may stay */
};

/* Makes the device current. 0 or a HIP status; hf_device_leave is due in both cases. For the pool's
   threads, and under hf_device_isolate, which looks after pending errors. */
int hf_device_switch(int device, struct hf_device_scope *scope);

static inline int hf_device_enter(int device, struct hf_device_scope *scope)
{
    scope->previous = -1;
    scope->clean = false;
    return hf_hip.devices == 1 ? 0 : hf_device_switch(device, scope);
}

/* For calls that need no particular device and are not under hf_device_isolate. */
static inline void hf_device_enter_any(struct hf_device_scope *scope)
{
    scope->previous = -1;
    scope->clean = hf_hip.hipPeekAtLastError() == hipSuccess;
}

void hf_device_switch_back(const struct hf_device_scope *scope);

static inline void hf_device_leave(const struct hf_device_scope *scope)
{
    if (scope->previous >= 0 || scope->clean)
        hf_device_switch_back(scope);
}

/* Whether copies are done by something else than the CPU, and so beside it. */
bool hf_device_has_copy_engine(int device);

/* Waits for what the application has queued on the device's default stream. 0 or a HIP status. */
int hf_device_await_default_stream(int device);

/*
 * Calls run(argument) and leaves the caller's pending error as it was. HIP keeps only the last
 * error and has no call to put one back, so that with one pending the work is done on a thread of
 * its own.
 */
void hf_device_run_apart(void (*run)(void *argument), void *argument);

static inline void hf_device_isolate(void (*run)(void *argument), void *argument)
{
    if (hf_hip.hipPeekAtLastError() != hipSuccess) {
        hf_device_run_apart(run, argument);
        return;
    }
    run(argument);
    if (hf_hip.hipPeekAtLastError() != hipSuccess)
        hf_hip.hipGetLastError();
}

#endif
