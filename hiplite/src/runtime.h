// SPDX-License-Identifier: MIT
//
// What every exported function does first and last: HL_ENTER and hl_leave.
#ifndef HL_RUNTIME_H
#define HL_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>

#include <hip/hip_runtime_api.h>

#include "device_ops.h"
#include "functions.h"

#define HL_MAX_DEVICES   16
#define HL_CONTEXT_DEPTH 16

#define HL_THREAD_NEW           1u // has called no HIP function yet
#define HL_THREAD_HOST_FUNCTION 2u // is running a host function

struct hl_thread {
    unsigned state;
    int device;
    hipError_t last_error;
    hipError_t last_call;
    hipStreamCaptureMode capture_mode;
    hipStream_t stream; // what hipStreamPerThread means here
    unsigned context_count;
    signed char contexts[HL_CONTEXT_DEPTH];
    int fault_status; // scripted for the call in progress, see hl_fault
    uint64_t fault_limit;
};
// Small enough for the space that the C library keeps for libraries loaded late; no call to find
// it.
extern _Thread_local struct hl_thread hl_thread __attribute__((tls_model("initial-exec")));

// Reasons to leave the fast path of HL_ENTER.
#define HL_HOOK_START     1u // the runtime is not initialised
#define HL_HOOK_NO_DEVICE 2u
#define HL_HOOK_FAULTS    4u
#define HL_HOOK_COUNTS    8u
extern atomic_uint hl_hooks;

hipError_t hl_enter_slow(enum hl_function fn);

static inline hipError_t hl_enter(enum hl_function fn)
{
    unsigned why = atomic_load_explicit(&hl_hooks, memory_order_acquire) | hl_thread.state;
    return __builtin_expect(why != 0, 0) ? hl_enter_slow(fn) : hipSuccess;
}

// For the functions that leave the last error alone: only counts and delays.
void hl_enter_free_slow(enum hl_function fn);

static inline void hl_enter_free(enum hl_function fn)
{
    if (__builtin_expect(atomic_load_explicit(&hl_hooks, memory_order_acquire) != 0, 0))
        hl_enter_free_slow(fn);
}

static inline hipError_t hl_leave(hipError_t error)
{
    hl_thread.last_call = error;
    if (error != hipSuccess && error != hipErrorNotReady)
        hl_thread.last_error = error;
    return error;
}

// Returns from the function when it may not go on.
#define HL_ENTER(name)                                                                             \
    do {                                                                                           \
        hipError_t enter_error = hl_enter(HL_FN_##name);                                           \
        if (enter_error != hipSuccess)                                                             \
            return hl_leave(enter_error);                                                          \
    } while (0)

// The device in use, chosen at the first call; never NULL after HL_ENTER.
extern const struct hl_device_ops *hl_ops;

#endif
