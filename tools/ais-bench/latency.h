/* SPDX-License-Identifier: MIT */
/* Latencies, counted by size: 64 steps to each power of two, so within 1.6 %. */
#ifndef AIS_BENCH_LATENCY_H
#define AIS_BENCH_LATENCY_H

#include <stdint.h>

#define LATENCY_STEP_BITS 6
#define LATENCY_STEPS     (1u << LATENCY_STEP_BITS)
#define LATENCY_CELLS     ((65 - LATENCY_STEP_BITS) * LATENCY_STEPS)

struct latency {
    uint64_t count;
    uint64_t max; /* nanoseconds */
    uint64_t cells[LATENCY_CELLS];
};

void latency_add(struct latency *latency, uint64_t ns);
void latency_merge(struct latency *into, const struct latency *from);

/* The latency that this share (0 to 1) of the requests did not exceed; 0 if there are none. */
uint64_t latency_quantile(const struct latency *latency, double share);

#endif
