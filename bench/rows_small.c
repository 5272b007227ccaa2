// SPDX-License-Identifier: MIT
/* Rows about the time of small requests. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "bed.h"

#define BLOCK (4 * KIB)
#define MANY  16u

/* Random reads, the same places for both sides. */
struct small {
    struct bed *bed;
    size_t count;
    bool plain;    /* pread instead */
    bool bounce;   /* not direct; see run_configured */
    bool at_start; /* always the first block: nothing to reckon */
};

static double run_small(void *argument)
{
    const struct small *small = argument;
    const struct bed *bed = small->bed;
    double begin = bench_now();

    for (size_t i = 0; i < small->count; i++) {
        size_t at = small->at_start ? 0 : i * 2654435761u % (bed->size / BLOCK) * BLOCK;
        ssize_t n = small->plain
                        ? pread(bed->fd, bed->host + at, BLOCK, (off_t)at)
                        : hipFileRead(bed->handle, bed->device, BLOCK, (hoff_t)at, (hoff_t)at);

        if (n != (ssize_t)BLOCK)
            return -1;
    }
    return (bench_now() - begin) / (double)small->count;
}

static double run_configured(void *argument)
{
    struct small *small = argument;
    struct bed_settings settings = {.force_compat = small->bounce};
    struct small warm_up = *small;

    warm_up.count = 10;
    if (!bed_configure(small->bed, &settings) || run_small(&warm_up) < 0)
        return -1;
    return run_small(small);
}

static bool compare(const struct row_options *options, const char *what, bench_run *run,
                    struct small *ours, struct small *peer, double allowed_us)
{
    struct bench_side a = {"hipFile", run, ours};
    struct bench_side b = {"peer", run, peer};
    struct bench_result result;

    if (!bench_compare(&a, &b, 2 * options->pairs, &result))
        return false;
    bench_print_extra(options, what, &result, allowed_us);
    return true;
}

bool row_small_direct(const struct row_options *options)
{
    struct bed bed;
    bool fine = bed_open(&bed, options, 256 * MIB, O_DIRECT);
    struct small ours = {.bed = &bed, .count = 1000};
    struct small plain = {.bed = &bed, .count = 1000, .plain = true};

    fine = fine && compare(options, "4 4 KiB direct / pread", run_small, &ours, &plain, 1);
    (void)hipFileBufDeregister(bed.device);
    fine = fine && compare(options, "4 4 KiB unregistered / pread", run_small, &ours, &plain, 2);
    bed_close(&bed);
    return fine;
}

bool row_small_bounce(const struct row_options *options)
{
    struct bed bed;
    bool fine = bed_open(&bed, options, 256 * MIB, O_DIRECT);
    struct small bounce = {.bed = &bed, .count = 1000, .bounce = true};
    struct small direct = {.bed = &bed, .count = 1000};

    fine = fine && compare(options, "5 4 KiB bounce O_DIRECT / direct", run_configured, &bounce,
                           &direct, 2);
    bed_close(&bed);
    return fine;
}

static void *one_of_many(void *argument)
{
    return run_small(argument) < 0 ? argument : NULL;
}

/* Seconds for one read, all threads together. */
static double run_threads(struct small *small, unsigned count)
{
    pthread_t threads[MANY];
    double begin = bench_now();
    unsigned started = 0;
    bool fine = true;
    void *failed;

    while (started < count && pthread_create(&threads[started], NULL, one_of_many, small) == 0)
        started++;
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], &failed);
        fine = fine && !failed;
    }
    return fine && started == count ? (bench_now() - begin) / (double)(count * small->count) : -1;
}

static double run_many(void *argument)
{
    return run_threads(argument, MANY);
}

/* fio with as many jobs, for two seconds. */
static double run_fio(void *argument)
{
    const struct bed *bed = argument;
    char command[8192];
    double iops;

    snprintf(command, sizeof command,
             "fio --minimal --name=j --filename=%s --size=%zu --bs=4k --rw=randread --direct=1 "
             "--ioengine=psync --thread --numjobs=%u --group_reporting --time_based --runtime=2 "
             "2>/dev/null | cut -d';' -f8",
             bed->path, bed->size, MANY);
    iops = peer_command(command);
    return iops > 0 ? 1 / iops : -1;
}

bool row_many(const struct row_options *options)
{
    struct bed bed;
    struct bench_result result;
    bool fine = bed_open(&bed, options, 256 * MIB, O_DIRECT);
    struct small ours = {.bed = &bed, .count = 4000};
    struct bench_side a = {"hipFile", run_many, &ours};
    struct bench_side b = {"fio", run_fio, &bed};

    fine = fine && bench_compare(&a, &b, options->pairs < 7 ? options->pairs : 7, &result);
    if (fine)
        bench_print(options, "6 16 threads x 4 KiB / fio psync", &result, BLOCK, 0.95);
    bed_close(&bed);
    return fine;
}

bool bench_small_reads(const struct row_options *options, size_t calls, unsigned threads)
{
    struct bed bed;
    bool fine = bed_open(&bed, options, 2 * MIB, O_DIRECT);
    struct small small = {.bed = &bed, .count = calls, .at_start = true};

    fine = fine && (threads == 1 ? run_small(&small) : run_threads(&small, threads)) > 0;
    bed_close(&bed);
    return fine;
}
