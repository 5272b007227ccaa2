// SPDX-License-Identifier: MIT
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The ranks between which the true median lies in 95 of 100 such measurements (binomial). */
static size_t low_rank(size_t n)
{
    double rank = ((double)n - 1.96 * sqrt((double)n)) / 2;

    return rank > 0 ? (size_t)rank : 0;
}

static bool run_pair(const struct bench_side *first, const struct bench_side *second, double *a,
                     double *b)
{
    *a = first->run(first->argument);
    *b = second->run(second->argument);
    return *a > 0 && *b > 0;
}

bool bench_compare(const struct bench_side *ours, const struct bench_side *peer, size_t pairs,
                   struct bench_result *result)
{
    double a[BENCH_PAIRS_MAX], b[BENCH_PAIRS_MAX], ratio[BENCH_PAIRS_MAX];
    bool fine = run_pair(ours, peer, &a[0], &b[0]);

    if (pairs > BENCH_PAIRS_MAX)
        pairs = BENCH_PAIRS_MAX;
    for (size_t i = 0; i < pairs && fine; i++) {
        fine = i % 2 ? run_pair(peer, ours, &b[i], &a[i]) : run_pair(ours, peer, &a[i], &b[i]);
        ratio[i] = b[i] / a[i];
    }
    if (!fine)
        return false;
    result->pairs = pairs;
    result->ours = bench_median(a, pairs);
    result->peer = bench_median(b, pairs);
    result->ratio = bench_median(ratio, pairs);
    result->ratio_low = ratio[low_rank(pairs)];
    result->ratio_high = ratio[pairs - 1 - low_rank(pairs)];
    return true;
}
