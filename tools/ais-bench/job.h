/* SPDX-License-Identifier: MIT */
/* One block size: threads make requests until it is enough, and their figures are put together. */
#ifndef AIS_BENCH_JOB_H
#define AIS_BENCH_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "file.h"
#include "hipfile_ext.h"
#include "latency.h"
#include "options.h"

enum { READS, WRITES, DIRECTIONS };

/* ---- what comes out ---- */

struct figures {
    uint64_t requests, bytes;
    uint64_t median_ns, p99_ns, max_ns;
    uint64_t bytes_by_path[HIPFILE_EXT_PATHS];
};

struct result {
    size_t block;
    double seconds, cpu_seconds;
    double cached; /* share of the file in the page cache before; below 0: unknown */
    struct figures figures[DIRECTIONS];
    bool paths_known;
    uint64_t requests_by_reason[HIPFILE_EXT_REASONS];
    char layer[HIPFILE_EXT_LAYER_SIZE];
};

/* False after a message; the result is then of no use. An interruption is no failure. */
bool job_run(const struct options *options, const struct bench_file *file, size_t block,
             struct result *result);

/* ---- between a thread and its engine ---- */

struct job {
    const struct options *options;
    const struct bench_file *file;
    hipFileHandle_t handle;
    size_t block;
    uint64_t deadline; /* now_ns(); 0: none */
    atomic_bool stop, failed;
    pthread_mutex_t lock; /* held until the threads may start; then covers running */
    pthread_cond_t ended;
    unsigned running;
};

/* A request in flight. Its offsets and size are where an asynchronous one finds them. */
struct slot {
    hoff_t offset, memory_offset;
    size_t size;
    ssize_t outcome;
    hipStream_t stream;
    uint64_t begin;
    bool write;
};

struct worker {
    struct job *job;
    pthread_t thread;
    char *memory;  /* a block for each slot */
    char *scratch; /* with --verify, a block */
    struct slot *slots;
    uint64_t first, count; /* the thread's share of the file, in blocks */
    uint64_t turn, left;   /* requests made, and to be made */
    uint64_t random;
    atomic_uint_least64_t bytes; /* so far, for the progress */
    uint64_t requests_bytes[DIRECTIONS];
    struct latency latency[DIRECTIONS];
};

/* Chooses the next request and begins its time; false if there is none. */
bool worker_next(struct worker *worker, struct slot *slot);

/* Takes a request's outcome and end; false if it, or a check of its bytes, failed. */
bool worker_done(struct worker *worker, struct slot *slot, ssize_t outcome, uint64_t end);

/* Prints the first error of a job, and stops it. */
void worker_fail(struct worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* By enum api: makes all the thread's requests. */
extern void (*const engines[])(struct worker *worker);

static inline uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
