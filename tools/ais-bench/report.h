/* SPDX-License-Identifier: MIT */
/* The figures: for people, for programs, and as a picture. */
#ifndef AIS_BENCH_REPORT_H
#define AIS_BENCH_REPORT_H

#include <stdio.h>

#include "job.h"

/* What is measured; then a line for each block size and direction, as it comes. */
void table_begin(const struct options *options, const struct bench_file *file);
void table_add(const struct options *options, const struct result *result);

/* All of it; signal_seen: what ended it early, or 0. */
void json_print(const struct options *options, const struct bench_file *file,
                const struct result *results, unsigned count, int signal_seen);

void svg_print(FILE *out, const struct options *options, const struct result *results,
               unsigned count);

/* Whether requests of this direction were asked for. */
static inline bool has_direction(const struct options *options, int direction)
{
    return options->op == OP_MIXED || (options->op == OP_WRITE) == (direction == WRITES);
}

static inline double per_second(uint64_t amount, const struct result *result)
{
    return result->seconds > 0 ? (double)amount / result->seconds : 0;
}

/* "4 KiB"; bytes if it is no whole number of a unit. */
const char *size_text(uint64_t size, char text[32]);

extern const char *const direction_words[DIRECTIONS];

#endif
