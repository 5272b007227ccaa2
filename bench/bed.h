// SPDX-License-Identifier: MIT
/* What the rows of bench/compare lie on: a file with its handle, and device memory beside host
   memory of the same size and kind of pages. */
#ifndef BENCH_BED_H
#define BENCH_BED_H

#include <stdbool.h>
#include <stddef.h>

#include "hipfile.h"
#include "peers.h"
#include "rows.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

struct bed {
    char path[4096];
    int fd;
    hipFileHandle_t handle;
    char *device, *host; /* both touched, on huge pages where there are any */
    size_t size;
    size_t block; /* bytes of one hipFile call */
    bool write;
};

/* flags: of the file, O_RDWR apart. */
bool bed_open(struct bed *bed, const struct row_options *options, size_t size, int flags);
void bed_close(struct bed *bed);

/* Settings take effect when the driver opens: so it is closed and opened around them. */
struct bed_settings {
    bool force_compat;
    bool one_thread;
    size_t buffer_kib; /* 0: the default */
};
bool bed_configure(struct bed *bed, const struct bed_settings *settings);

/* Reads or writes the whole of it by hipFile, block by block. Seconds; negative: it failed. */
double bed_run(void *bed);

/* The same for a peer. */
struct peer_job bed_job(const struct bed *bed, size_t block, unsigned depth);

/* Makes a file of random-looking bytes, unless there is one of this size. */
bool bed_fill_file(const char *path, size_t size);

/* Touched host memory on huge pages where there are any; NULL. */
char *bed_memory(size_t size);

#endif
