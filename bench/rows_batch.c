// SPDX-License-Identifier: MIT
/* Rows about batches: random 4 KiB reads, the batch always full, beside fio's io_uring engine. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bed.h"

#define DEPTH   128u
#define BLOCK   (4 * KIB)
#define SPAN    (256 * MIB) /* of the file; where it is shorter, all of it */
#define SECONDS 1

struct reads {
    struct bed *bed;
    hipFileBatchHandle_t batch;
    char *memory; /* one block for each place in the batch */
    size_t blocks;
    uint64_t random;
    bool direct;
    double ours_cpu, fio_cpu; /* seconds of CPU time for a read, in the last run */
    hipFileIOParams_t entries[DEPTH];
    hipFileIOEvents_t events[DEPTH];
};

static double cpu_seconds(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void next_read(struct reads *reads, hipFileIOParams_t *entry, size_t place)
{
    reads->random = reads->random * 6364136223846793005u + 1442695040888963407u;
    *entry = (hipFileIOParams_t){
        .mode = hipFileBatch,
        .u.batch = {reads->memory, (int64_t)((reads->random >> 33) % reads->blocks * BLOCK),
                    (int64_t)(place * BLOCK), BLOCK},
        .fh = reads->bed->handle,
        .opcode = hipFileBatchRead,
        .cookie = (void *)place,
    };
}

static bool submit_all(struct reads *reads)
{
    for (unsigned i = 0; i < DEPTH; i++)
        next_read(reads, &reads->entries[i], i);
    return hipFileBatchIOSubmit(reads->batch, DEPTH, reads->entries, 0).err == hipFileSuccess;
}

/* Collects what has ended, at least `least`, and checks it. Returns how many; 0: it failed. */
static unsigned collect(struct reads *reads, unsigned least)
{
    unsigned count = DEPTH;

    if (hipFileBatchIOGetStatus(reads->batch, least, &count, reads->events, NULL).err !=
        hipFileSuccess)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (reads->events[i].status != hipFileComplete || reads->events[i].ret != BLOCK)
            return 0;
    return count;
}

/* Seconds for one read. */
static double run_batch(void *argument)
{
    struct reads *reads = argument;
    double begin = bench_now(), cpu = cpu_seconds(RUSAGE_SELF);
    unsigned count;
    size_t done = 0;

    if (!submit_all(reads))
        return -1;
    while (bench_now() - begin < SECONDS) {
        count = collect(reads, 1);
        if (count == 0)
            return -1;
        done += count;
        for (unsigned i = 0; i < count; i++)
            next_read(reads, &reads->entries[i], (size_t)reads->events[i].cookie);
        if (hipFileBatchIOSubmit(reads->batch, count, reads->entries, 0).err != hipFileSuccess)
            return -1;
    }
    if (collect(reads, DEPTH) != DEPTH)
        return -1;
    done += DEPTH;
    reads->ours_cpu = (cpu_seconds(RUSAGE_SELF) - cpu) / (double)done;
    return (bench_now() - begin) / (double)done;
}

static double run_fio(void *argument)
{
    struct reads *reads = argument;
    double cpu = cpu_seconds(RUSAGE_CHILDREN), iops;
    char command[8192];

    snprintf(command, sizeof command,
             "fio --minimal --name=j --filename='%s' --size=%zu --bs=4k --rw=randread --direct=%d "
             "--readonly --invalidate=0 --norandommap --ioengine=io_uring --iodepth=%u "
             "--time_based --runtime=%d 2>/dev/null | cut -d';' -f8",
             reads->bed->path, reads->blocks * BLOCK, reads->direct, DEPTH, SECONDS);
    iops = peer_command(command);
    if (iops <= 0)
        return -1;
    reads->fio_cpu = (cpu_seconds(RUSAGE_CHILDREN) - cpu) / (iops * SECONDS);
    return 1 / iops;
}

static bool print_submission(const struct row_options *options, struct reads *reads)
{
    double times[200];

    for (size_t n = 0; n < 200; n++) {
        double begin = bench_now();

        if (!submit_all(reads))
            return false;
        times[n] = bench_now() - begin;
        if (collect(reads, DEPTH) != DEPTH)
            return false;
    }
    bench_print_count(options, "  submission of 128 entries", bench_median(times, 200) * 1e6, "us",
                      100);
    return true;
}

static bool compare(const struct row_options *options, const char *what, struct reads *reads,
                    double target)
{
    struct bench_side ours = {"hipFile", run_batch, reads}, fio = {"fio", run_fio, reads};
    struct bench_result result;
    char cpu[64];

    if (!bench_compare(&ours, &fio, options->pairs < 7 ? options->pairs : 7, &result))
        return false;
    bench_print(options, what, &result, BLOCK, target);
    snprintf(cpu, sizeof cpu, "%9.2f us %9.2f us", reads->ours_cpu * 1e6, reads->fio_cpu * 1e6);
    bench_print_note(options, "  CPU time of a read", cpu);
    return print_submission(options, reads);
}

static bool warm_up(const struct reads *reads)
{
    char block[64 * KIB];
    bool fine = true;

    for (size_t at = 0; !reads->direct && fine && at < reads->blocks * BLOCK; at += sizeof block)
        fine = pread(reads->bed->fd, block, sizeof block, (off_t)at) > 0;
    return fine;
}

static bool run(const struct row_options *options, const char *what, bool on_host, bool direct)
{
    struct bed bed;
    struct reads reads = {.bed = &bed, .random = 1, .direct = direct};
    bool fine = bed_open(&bed, options, DEPTH * BLOCK, direct ? O_DIRECT : 0);

    reads.blocks = (options->size < SPAN ? options->size : SPAN) / BLOCK;
    reads.memory = on_host ? bed.host : bed.device;
    if (on_host)
        fine = fine && hipFileBufRegister(bed.host, bed.size, 0).err == hipFileSuccess;
    fine = fine && hipFileBatchIOSetUp(&reads.batch, DEPTH).err == hipFileSuccess;
    if (fine) {
        fine = warm_up(&reads) && compare(options, what, &reads, on_host ? 0.9 : 0.8);
        hipFileBatchIODestroy(reads.batch);
    }
    bed_close(&bed);
    return fine;
}

bool row_batch(const struct row_options *options)
{
    return run(options, "batch, host, O_DIRECT / fio", true, true) &&
           run(options, "batch, bounce, O_DIRECT / fio", false, true) &&
           run(options, "batch, host, cached / fio", true, false) &&
           run(options, "batch, bounce, cached / fio", false, false);
}
