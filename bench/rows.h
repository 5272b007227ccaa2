// SPDX-License-Identifier: MIT
/* The rows of bench/compare: each measures hipFile against a peer and prints lines with a ratio. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "pairs.h"

#define BENCH_FILE "hipfile-bench.data"

struct row_options {
    const char *directory; /* where files are made; on the file system to measure */
    const char *binaries;  /* where aiscp is */
    size_t size;           /* bytes of the large file */
    size_t pairs;
    bool only_short; /* print only what falls short */
};

typedef bool bench_row(const struct row_options *options);

struct row {
    const char *name;
    const char *environment[3]; /* "NAME=value", set before hipFile is used */
    bench_row *run;
};

extern const struct row bench_rows[];
extern const size_t bench_row_count;

/* rows_large.c */
bench_row row_direct, row_bounce_direct, row_cached, row_original, row_chunks, row_aiscp;
/* rows_small.c */
bench_row row_small_direct, row_small_bounce, row_many;
/* rows_batch.c */
bench_row row_batch;
/* rows_counts.c */
bench_row row_instructions, row_system_calls, row_memory, row_pool;

/* What row_instructions and row_system_calls look at from outside: `calls` 4 KiB reads in each of
   `threads` threads. */
bool bench_small_reads(const struct row_options *options, size_t calls, unsigned threads);

/* Prints one result. bytes > 0: as GB/s, else as microseconds. target: of the ratio, 0 for none. */
void bench_print(const struct row_options *options, const char *what,
                 const struct bench_result *result, double bytes, double target);

/* The same for a difference in microseconds that must not exceed `allowed_us`. */
void bench_print_extra(const struct row_options *options, const char *what,
                       const struct bench_result *result, double allowed_us);

/* What is counted and not timed. */
void bench_print_count(const struct row_options *options, const char *what, double count,
                       const char *unit, double allowed);

/* What has no target, or could not be measured. */
void bench_print_note(const struct row_options *options, const char *what, const char *text);

#endif
