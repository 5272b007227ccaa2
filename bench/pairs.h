// SPDX-License-Identifier: MIT
/*
 * Measuring one way against another: both run in turn, A B, B A, A B, ..., and each pair gives one
 * ratio. So a machine that gets slower or faster meanwhile does it to both.
 */
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#define BENCH_PAIRS_MAX 101

/* One run. Returns seconds (or any quantity of which less is better); negative: it failed. */
typedef double bench_run(void *argument);

struct bench_side {
    const char *name;
    bench_run *run;
    void *argument;
};

struct bench_result {
    size_t pairs;
    double ours, peer;            /* medians, in the runs' unit */
    double ratio;                 /* median of peer / ours: above 1, ours is faster */
    double ratio_low, ratio_high; /* 95 % interval of that median */
};

/* Runs both sides once to warm up, then `pairs` times in turn. False: a run failed. */
bool bench_compare(const struct bench_side *ours, const struct bench_side *peer, size_t pairs,
                   struct bench_result *result);

double bench_now(void);
double bench_median(double *values, size_t n); /* sorts them */

#endif
