// SPDX-License-Identifier: MIT
/* The rows of bench/compare: each measures hipFile against a peer and prints lines with a ratio. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "pairs.h"

struct row_options {
    const char *directory; /* where files are made; on the file system to measure */
    const char *binaries;  /* where aiscp is */
    size_t size;           /* bytes of the large file */
    size_t pairs;
    bool only_short; /* print only what falls short */
};

struct row {
    const char *name;
    const char *environment[3]; /* "NAME=value", set before hipFile is used */
    bool (*run)(const struct row_options *options);
};

extern const struct row bench_rows[];
extern const size_t bench_row_count;

/* Prints one result. bytes > 0: as GB/s, else as microseconds. target: of the ratio, 0 for none. */
void bench_print(const struct row_options *options, const char *what,
                 const struct bench_result *result, double bytes, double target);

/* The same for a difference in microseconds that must not exceed `allowed_us`. */
void bench_print_extra(const struct row_options *options, const char *what,
                       const struct bench_result *result, double allowed_us);

#endif
