// SPDX-License-Identifier: MIT
//
// Scripted faults (HIPLITE_FAULT) and call counts (HIPLITE_COUNTS), for tests.
#ifndef HL_FAULT_H
#define HL_FAULT_H

#include <stdbool.h>

#include "functions.h"
#include <hip/hip_runtime_api.h>

struct hl_fault {
    hipError_t error; // what the function returns without running; hipSuccess: it runs
    int status;       // hipAmdFile*: -errno reported without I/O, or 0
    uint64_t limit;   // hipAmdFile*: at most so many bytes move; UINT64_MAX: no limit
};

// Reads HIPLITE_FAULT and HIPLITE_COUNTS; returns the HL_HOOK_* bits that they need.
unsigned hl_fault_init(void);

// Counts one call, sleeps as scripted, and tells what else shall happen to it.
void hl_fault_take(enum hl_function fn, struct hl_fault *fault);

// Adds to the bytes that fn moved; cheap while nothing counts.
void hl_count_bytes(enum hl_function fn, uint64_t bytes);

// What hipGetProcAddress hands out under these names, to tests. Asking for one starts counting.
uint64_t hipliteCallCount(const char *function);
uint64_t hipliteByteCount(const char *function);

#endif
