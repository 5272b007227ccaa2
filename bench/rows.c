// SPDX-License-Identifier: MIT
#include "rows.h"

#include <stdio.h>

#define FORCE "HIPFILE_FORCE_COMPAT_MODE=true"

const struct row bench_rows[] = {
    {"direct", {NULL}, row_direct},
    {"bounce-direct", {FORCE}, row_bounce_direct},
    {"cached", {FORCE}, row_cached},
    {"original", {FORCE}, row_original},
    {"small-direct", {NULL}, row_small_direct},
    {"instructions", {NULL}, row_instructions},
    {"system-calls", {NULL}, row_system_calls},
    {"small-bounce", {NULL}, row_small_bounce},
    {"many", {NULL}, row_many},
    {"chunks", {NULL}, row_chunks},
    {"aiscp", {NULL}, row_aiscp},
    {"batch", {FORCE}, row_batch},
    {"memory", {FORCE}, row_memory},
    {"pool", {FORCE, "HIPFILE_MAX_DEVICE_CACHE_SIZE_KB=8192"}, row_pool},
};
const size_t bench_row_count = sizeof bench_rows / sizeof bench_rows[0];

static const char *verdict(bool met)
{
    return met ? "met" : "SHORT";
}

void bench_print(const struct row_options *options, const char *what, const struct bench_result *r,
                 double bytes, double target)
{
    bool met = r->ratio_high >= target;
    char ours[32], peer[32], goal[32] = "";

    if (options->only_short && met)
        return;
    snprintf(ours, sizeof ours, bytes > 0 ? "%.2f GB/s" : "%.2f us",
             bytes > 0 ? bytes / r->ours * 1e-9 : r->ours * 1e6);
    snprintf(peer, sizeof peer, bytes > 0 ? "%.2f GB/s" : "%.2f us",
             bytes > 0 ? bytes / r->peer * 1e-9 : r->peer * 1e6);
    if (target > 0)
        snprintf(goal, sizeof goal, ">= %.2f %s", target, verdict(met));
    printf("%-34s %12s %12s %6.2f [%5.2f - %5.2f] %s\n", what, ours, peer, r->ratio, r->ratio_low,
           r->ratio_high, goal);
}

void bench_print_extra(const struct row_options *options, const char *what,
                       const struct bench_result *r, double allowed_us)
{
    /* What the ratio's interval says about the difference, at the peer's median. */
    double low = r->peer / r->ratio_high - r->peer;
    double high = r->peer / r->ratio_low - r->peer;
    double extra = r->peer / r->ratio - r->peer;
    bool met = low * 1e6 <= allowed_us;

    if (options->only_short && met)
        return;
    printf("%-34s %9.2f us %9.2f us %+6.2f [%+5.2f - %+5.2f] <= +%.0f us %s\n", what, r->ours * 1e6,
           r->peer * 1e6, extra * 1e6, low * 1e6, high * 1e6, allowed_us, verdict(met));
}

void bench_print_count(const struct row_options *options, const char *what, double count,
                       const char *unit, double allowed)
{
    bool met = count <= allowed;

    if (options->only_short && met)
        return;
    printf("%-34s %12.1f %-12s %24s <= %g %s\n", what, count, unit, "", allowed, verdict(met));
}

void bench_print_note(const struct row_options *options, const char *what, const char *text)
{
    if (!options->only_short)
        printf("%-34s %s\n", what, text);
}
