// SPDX-License-Identifier: MIT
#ifndef HL_DEVICE_H
#define HL_DEVICE_H

#include <stdbool.h>

#include <hip/hip_runtime_api.h>

extern int hl_device_count;

// Makes a device the current one of this thread.
hipError_t hl_device_select(int device);

static inline bool hl_device_valid(int device)
{
    return device >= 0 && device < hl_device_count;
}

#endif
