/* SPDX-License-Identifier: MIT */
/* The file that is measured. */
#ifndef AIS_BENCH_FILE_H
#define AIS_BENCH_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct bench_file {
    const char *path;
    int fd;    /* the one to register */
    int plain; /* never O_DIRECT */
    uint64_t size;
    bool made;
};

/*
 * Opens or makes the file, and fills one that is made. False after a message; arguments that do not
 * fit the file end the program with status 2.
 */
bool file_open(struct bench_file *file, const struct options *options);

/* Closes it; removes it if it was made and is not to be kept. */
void file_close(struct bench_file *file, const struct options *options);

/* Brings the page cache to the state that is asked for; false after a message. */
bool file_prepare(const struct bench_file *file, enum cache cache);

/* The share of the file's pages in the page cache, 0 to 1; below 0 if that cannot be told. */
double file_cached(const struct bench_file *file);

#endif
