// SPDX-License-Identifier: MIT
/* Workers and pinned buffers near their device, where it is known which node that is. */
#ifndef HF_HIP_PLACE_H
#define HF_HIP_PLACE_H

#include "base/numa.h"

/* The place of a device. 0 too when SkipTopologyDetection is set. */
unsigned hf_place_of_device(int device);

/* The place of the device that is current. */
unsigned hf_place_here(void);

/* A thread of the pool is to work for the device; other threads stay where they are. */
void hf_place_worker(int device);

/* In a forked child: devices are asked again. */
void hf_place_forget(void);

#endif
