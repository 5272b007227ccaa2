// SPDX-License-Identifier: MIT
#include "job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pattern.h"
#include "progress.h"
#include "runtime.h"

/* ---- one request ------------------------------------------------------------------------ */

void worker_fail(struct worker *worker, const char *format, ...)
{
    va_list arguments;

    worker->job->stop = true;
    if (atomic_exchange(&worker->job->failed, true))
        return;
    progress_clear();
    fprintf(stderr, "ais-bench: %s: ", worker->job->file->path);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* xorshift64* */
static uint64_t roll(struct worker *worker)
{
    worker->random ^= worker->random >> 12;
    worker->random ^= worker->random << 25;
    worker->random ^= worker->random >> 27;
    return worker->random * 0x2545f4914f6cdd1du;
}

static bool choose_write(struct worker *worker)
{
    const struct options *options = worker->job->options;

    if (options->op != OP_MIXED)
        return options->op == OP_WRITE;
    return (roll(worker) >> 32) % 100 >= options->read_percent;
}

static uint64_t choose_block(struct worker *worker)
{
    const struct job *job = worker->job;

    if (job->options->order == ORDER_RANDOM)
        return (roll(worker) >> 16) % (job->file->size / job->block);
    return worker->first + worker->turn++ % worker->count;
}

static char *slot_memory(const struct worker *worker, const struct slot *slot)
{
    return worker->memory + slot->memory_offset;
}

/* Bytes to write; or bytes that are none of the file's, so that a read that does nothing shows. */
static bool set_memory(struct worker *worker, const struct slot *slot, bool right)
{
    if (right)
        pattern_fill(worker->scratch, slot->size, (uint64_t)slot->offset,
                     worker->job->options->seed);
    else
        memset(worker->scratch, 0x5a, slot->size);
    if (memory_copy(slot_memory(worker, slot), worker->scratch, slot->size))
        return true;
    worker_fail(worker, "cannot copy to %s memory", memory_words[worker->job->options->memory]);
    return false;
}

bool worker_next(struct worker *worker, struct slot *slot)
{
    struct job *job = worker->job;

    slot->begin = now_ns();
    if (worker->left == 0 || job->stop || progress_interrupted() ||
        (job->deadline && slot->begin >= job->deadline))
        return false;
    worker->left--;
    slot->write = choose_write(worker);
    slot->offset = (hoff_t)(choose_block(worker) * job->block);
    if (job->options->verify) {
        if (!set_memory(worker, slot, slot->write))
            return false;
        slot->begin = now_ns();
    }
    return true;
}

static bool check_bytes(struct worker *worker, const struct slot *slot)
{
    unsigned char expected = 0;
    size_t at;

    if (!memory_copy(worker->scratch, slot_memory(worker, slot), slot->size)) {
        worker_fail(worker, "cannot copy from %s memory",
                    memory_words[worker->job->options->memory]);
        return false;
    }
    at = pattern_check(worker->scratch, slot->size, (uint64_t)slot->offset,
                       worker->job->options->seed, &expected);
    if (at == slot->size)
        return true;
    worker_fail(worker,
                "wrong byte at offset %lld (%zu of the block of %zu at %lld): %02x, not "
                "%02x, for --seed=%llu",
                (long long)slot->offset + (long long)at, at, slot->size, (long long)slot->offset,
                (unsigned char)worker->scratch[at], expected,
                (unsigned long long)worker->job->options->seed);
    return false;
}

static bool check_outcome(struct worker *worker, const struct slot *slot, bool write, ssize_t n)
{
    const struct job *job = worker->job;
    const char *what = write ? "write" : "read", *reason = NULL;
    hipFileExtRoute_t route = {.struct_size = sizeof route};
    char text[HIPFILE_EXT_TEXT_SIZE];

    if (n == (ssize_t)slot->size)
        return true;
    describe_result(n, text, sizeof text);
    if (-n == hipFileIONotSupported && hipFileExtQueryRequest && hipFileExtReasonString) {
        (void)hipFileExtQueryRequest(job->handle, worker->memory, slot->size, slot->offset,
                                     slot->memory_offset,
                                     write ? hipFileBatchWrite : hipFileBatchRead, &route);
        reason = hipFileExtReasonString(route.reason);
    }
    worker_fail(worker, "%s of %zu bytes at offset %lld: %s%s%s", what, slot->size,
                (long long)slot->offset, text, reason ? "; not direct: " : "",
                reason ? reason : "");
    return false;
}

static bool read_back(struct worker *worker, const struct slot *slot)
{
    return set_memory(worker, slot, false) &&
           check_outcome(worker, slot, false,
                         hipFileRead(worker->job->handle, worker->memory, slot->size, slot->offset,
                                     slot->memory_offset));
}

bool worker_done(struct worker *worker, struct slot *slot, ssize_t outcome, uint64_t end)
{
    int direction = slot->write ? WRITES : READS;

    if (!check_outcome(worker, slot, slot->write, outcome))
        return false;
    latency_add(&worker->latency[direction], end - slot->begin);
    worker->requests_bytes[direction] += slot->size;
    atomic_fetch_add_explicit(&worker->bytes, slot->size, memory_order_relaxed);
    if (!worker->job->options->verify)
        return true;
    return (!slot->write || read_back(worker, slot)) && check_bytes(worker, slot);
}

/* ---- the threads ------------------------------------------------------------------------ */

static uint64_t share(uint64_t total, unsigned threads, unsigned index)
{
    return total / threads + (index < total % threads);
}

static uint64_t requests_in_all(const struct job *job)
{
    if (job->options->bytes)
        return job->options->bytes / job->block;
    return job->options->seconds > 0 ? UINT64_MAX : job->file->size / job->block;
}

static bool worker_set_up(struct worker *worker, struct job *job, unsigned index, uint64_t first)
{
    const struct options *options = job->options;
    size_t size = job->block * options->depth;

    worker->job = job;
    worker->first = first;
    worker->count = share(job->file->size / job->block, options->threads, index);
    worker->left = share(requests_in_all(job), options->threads, index);
    worker->random = (options->seed + index + 1) * 0x9e3779b97f4a7c15u | 1;
    worker->slots = calloc(options->depth, sizeof *worker->slots);
    worker->scratch = malloc(job->block);
    if (!worker->slots || !worker->scratch || size / options->depth != job->block) {
        fprintf(stderr, "ais-bench: no memory for %u blocks of %zu bytes\n", options->depth,
                job->block);
        return false;
    }
    worker->memory = memory_get(options->memory, size);
    for (unsigned i = 0; worker->memory && i < options->depth; i++) {
        struct slot *slot = &worker->slots[i];

        slot->size = job->block;
        slot->memory_offset = (hoff_t)(i * job->block);
        slot->offset = (hoff_t)(first * job->block);
        if (!set_memory(worker, slot, true)) /* so that it is there, and no zeroes are written */
            return false;
    }
    return worker->memory != NULL;
}

static void worker_clear(struct worker *worker, const struct options *options)
{
    memory_put(options->memory, worker->memory);
    free(worker->scratch);
    free(worker->slots);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct job *job = worker->job;

    pthread_mutex_lock(&job->lock); /* the start */
    pthread_mutex_unlock(&job->lock);
    if (hip.SetDevice(job->options->gpu) == hipSuccess)
        engines[job->options->api](worker);
    else
        worker_fail(worker, "hipSetDevice failed");
    pthread_mutex_lock(&job->lock);
    job->running--;
    pthread_cond_signal(&job->ended);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

static double done_so_far(const struct job *job, const struct worker *workers, double seconds)
{
    const struct options *options = job->options;
    uint64_t goal = options->bytes ? options->bytes : options->seconds > 0 ? 0 : job->file->size;
    uint64_t bytes = 0;
    double done;

    for (unsigned i = 0; i < options->threads; i++)
        bytes += atomic_load_explicit(&workers[i].bytes, memory_order_relaxed);
    done = goal ? (double)bytes / (double)goal : 0;
    if (options->seconds > 0 && seconds / options->seconds > done)
        done = seconds / options->seconds;
    return done < 1 ? done : 1;
}

/* Called with the lock, which it lets go of while it waits. */
static void watch(struct job *job, const struct worker *workers, uint64_t begin)
{
    char what[64];

    snprintf(what, sizeof what, "blocks of %zu", job->block);
    while (job->running > 0) {
        struct timespec soon;

        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&job->ended, &job->lock, &soon);
        progress_show(what, done_so_far(job, workers, (double)(now_ns() - begin) * 1e-9));
    }
    progress_clear();
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void run_threads(struct job *job, struct worker *workers, struct result *result)
{
    const struct options *options = job->options;
    double cpu_before = cpu_seconds();
    unsigned started;
    uint64_t begin;

    pthread_mutex_lock(&job->lock);
    while (job->running < options->threads &&
           pthread_create(&workers[job->running].thread, NULL, work, &workers[job->running]) == 0)
        job->running++;
    if (job->running < options->threads)
        worker_fail(&workers[0], "cannot start %u threads", options->threads);
    started = job->running;
    begin = now_ns();
    if (options->seconds > 0)
        job->deadline = begin + (uint64_t)(options->seconds * 1e9);
    watch(job, workers, begin);
    pthread_mutex_unlock(&job->lock);
    if (options->fsync && !job->failed && fsync(job->file->fd) != 0)
        worker_fail(&workers[0], "fsync: %s", strerror(errno));
    result->seconds = (double)(now_ns() - begin) * 1e-9;
    result->cpu_seconds = cpu_seconds() - cpu_before;
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}

/* ---- the figures ------------------------------------------------------------------------ */

static void add_up(const struct options *options, const struct worker *workers,
                   struct result *result)
{
    static struct latency all;

    for (int d = 0; d < DIRECTIONS; d++) {
        struct figures *figures = &result->figures[d];

        memset(&all, 0, sizeof all);
        for (unsigned i = 0; i < options->threads; i++) {
            latency_merge(&all, &workers[i].latency[d]);
            figures->bytes += workers[i].requests_bytes[d];
        }
        figures->requests = all.count;
        figures->median_ns = latency_quantile(&all, 0.5);
        figures->p99_ns = latency_quantile(&all, 0.99);
        figures->max_ns = all.max;
    }
}

/* The handle is new for each block size, and so are its counters. */
static void ask_paths(const struct job *job, struct result *result)
{
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};

    if (!hipFileExtGetHandleInfo ||
        hipFileExtGetHandleInfo(job->handle, &info).err != hipFileSuccess)
        return;
    result->paths_known = true;
    memcpy(result->figures[READS].bytes_by_path, info.bytes_read, sizeof info.bytes_read);
    memcpy(result->figures[WRITES].bytes_by_path, info.bytes_written, sizeof info.bytes_written);
    memcpy(result->requests_by_reason, info.requests, sizeof info.requests);
    memcpy(result->layer, info.layer, sizeof info.layer);
}

static bool run_workers(struct job *job, struct worker *workers, struct result *result)
{
    uint64_t first = 0;

    for (unsigned i = 0; i < job->options->threads; i++) {
        if (!worker_set_up(&workers[i], job, i, first))
            return false;
        first += workers[i].count;
    }
    if (!file_prepare(job->file, job->options->cache))
        return false;
    result->cached = file_cached(job->file);
    run_threads(job, workers, result);
    add_up(job->options, workers, result);
    ask_paths(job, result);
    return !job->failed;
}

bool job_run(const struct options *options, const struct bench_file *file, size_t block,
             struct result *result)
{
    struct job job = {.options = options,
                      .file = file,
                      .block = block,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .ended = PTHREAD_COND_INITIALIZER};
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = file->fd};
    struct worker *workers = calloc(options->threads, sizeof *workers);
    hipFileError_t error = hipFileHandleRegister(&job.handle, &descr);
    char text[HIPFILE_EXT_TEXT_SIZE];
    bool fine = false;

    *result = (struct result){.block = block};
    if (error.err != hipFileSuccess)
        fprintf(stderr, "ais-bench: cannot register %s: %s\n", file->path,
                describe_error(error, text, sizeof text));
    else if (workers)
        fine = run_workers(&job, workers, result);
    else
        fprintf(stderr, "ais-bench: no memory for %u threads\n", options->threads);
    for (unsigned i = 0; workers && i < options->threads; i++)
        worker_clear(&workers[i], options);
    if (error.err == hipFileSuccess)
        hipFileHandleDeregister(job.handle);
    free(workers);
    return fine;
}
