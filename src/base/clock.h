// SPDX-License-Identifier: MIT
/* The clock that waits and deadlines are told by: it never jumps. */
#ifndef HF_BASE_CLOCK_H
#define HF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define HF_NS_PER_SECOND INT64_C(1000000000)

static inline int64_t hf_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * HF_NS_PER_SECOND + now.tv_nsec;
}

#endif
