// SPDX-License-Identifier: MIT
/* Rows about throughput. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bed.h"

extern char **environ;

static bool against(const struct row_options *options, const char *what, struct bed *bed,
                    bench_run *peer, struct peer_job *job, double target)
{
    struct bench_side ours = {"hipFile", bed_run, bed};
    struct bench_side other = {"peer", peer, job};
    struct bench_result result;
    size_t pairs = options->pairs;

    if (job->write && peer == peer_original && pairs > 7)
        pairs = 7; /* it takes seconds */
    if (!bench_compare(&ours, &other, pairs, &result))
        return false;
    bench_print(options, what, &result, (double)bed->size, target);
    return true;
}

/* fio reuses 16 MiB of memory, and so sees warmer memory than a read of a GiB does. */
static void note_fio(const struct row_options *options, const struct bed *bed)
{
    char command[8192], text[64];
    double kib;

    if (options->only_short)
        return;
    snprintf(command, sizeof command,
             "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 fio --minimal --name=j --filename=%s "
             "--size=%zu --bs=1m --rw=read --direct=1 "
             "--ioengine=io_uring --iodepth=16 --readonly 2>/dev/null | cut -d';' -f7",
             bed->path, bed->size);
    kib = peer_command(command);
    snprintf(text, sizeof text, kib > 0 ? "%21s %.2f GB/s" : "%21s none", "fio:", kib * 1024e-9);
    bench_print_note(options, "  fio io_uring, 1 MiB, depth 16", text);
}

static bool against_ring(const struct row_options *options, const char *read_name,
                         const char *write_name, double target)
{
    struct bed bed;
    struct peer_job job;
    bool fine = bed_open(&bed, options, options->size, O_DIRECT);

    job = bed_job(&bed, MIB, 16);
    fine = fine && against(options, read_name, &bed, peer_ring, &job, target);
    if (fine)
        note_fio(options, &bed);
    bed.write = job.write = true;
    fine = fine && against(options, write_name, &bed, peer_ring, &job, target);
    bed_close(&bed);
    return fine;
}

bool row_direct(const struct row_options *options)
{
    return against_ring(options, "1 read, direct / ring", "1 write, direct / ring", 0.95);
}

bool row_bounce_direct(const struct row_options *options)
{
    return against_ring(options, "2 read, bounce O_DIRECT / ring",
                        "2 write, bounce O_DIRECT / ring", 0.90);
}

bool row_cached(const struct row_options *options)
{
    struct bed bed;
    struct peer_job job;
    bool fine = bed_open(&bed, options, options->size, 0);

    job = bed_job(&bed, MIB, 1);
    job.memory = bed_memory(2 * bed.size);
    job.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    fine = fine && job.memory &&
           against(options, "3 read, bounce cached / memcpy", &bed, peer_memcpy, &job, 0.85);
    if (job.memory)
        munmap(job.memory, 2 * bed.size);
    bed_close(&bed);
    return fine;
}

bool row_original(const struct row_options *options)
{
    struct bed bed;
    struct peer_job job;
    bool fine = bed_open(&bed, options, options->size, 0);

    job = bed_job(&bed, bed.size, 1);
    fine = fine && against(options, "original: 1 GiB read, cached", &bed, peer_original, &job, 1.8);
    bed.write = job.write = true;
    fine = fine && against(options, "original: 1 GiB write", &bed, peer_original, &job, 2.5);
    bed.write = job.write = false;
    bed.size = job.size = 16 * MIB;
    bed.block = job.block = 4 * KIB;
    fine = fine && against(options, "original: 4 KiB reads, cached", &bed, peer_original, &job, 8);
    bed.size = options->size;
    bed_close(&bed);
    return fine;
}

/* --- Chunk sizes -------------------------------------------------------------------------- */

/* hipFile with settings of its own: they are made before the time is taken. */
struct configured {
    struct bed *bed;
    struct bed_settings settings;
};

static double run_configured(void *argument)
{
    struct configured *configured = argument;

    if (!bed_configure(configured->bed, &configured->settings) || bed_run(configured->bed) < 0)
        return -1; /* the first run makes buffers and wakes threads */
    return bed_run(configured->bed);
}

#define SCAN_RUNS 5

/* The fastest of all chunk sizes, on one thread and on all. */
static bool find_best(struct bed *bed, struct configured *best)
{
    double fastest = -1;

    for (unsigned i = 0; i < 14; i++) {
        struct configured fixed = {bed, {true, i >= 7, (size_t)64 << i % 7}};
        double times[SCAN_RUNS];

        for (int run = 0; run < SCAN_RUNS; run++)
            if ((times[run] = run_configured(&fixed)) < 0)
                return false;
        if (fastest < 0 || bench_median(times, SCAN_RUNS) < fastest) {
            fastest = bench_median(times, SCAN_RUNS);
            *best = fixed;
        }
    }
    return true;
}

static bool compare_chunks(const struct row_options *options, struct bed *bed, size_t block)
{
    struct configured ours = {bed, {true, false, 0}}, best;
    struct bench_side a = {"default", run_configured, &ours};
    struct bench_side b = {"fixed", run_configured, &best};
    struct bench_result result;
    char what[64];

    bed->block = block;
    if (!find_best(bed, &best) || !bench_compare(&a, &b, options->pairs, &result))
        return false;
    snprintf(what, sizeof what, "7 %zu MiB / chunk %zu KiB%s", block / MIB,
             best.settings.buffer_kib, best.settings.one_thread ? ", 1 thread" : "");
    bench_print(options, what, &result, (double)bed->size, 0.9);
    return true;
}

bool row_chunks(const struct row_options *options)
{
    struct bed bed;
    bool fine = bed_open(&bed, options, 128 * MIB, 0);

    for (size_t block = MIB; fine && block <= 64 * MIB; block *= 4)
        fine = compare_chunks(options, &bed, block);
    bed_close(&bed);
    return fine;
}

/* --- aiscp -------------------------------------------------------------------------------- */

static double run_command(char *const argv[])
{
    double begin = bench_now();
    pid_t pid;
    int status;

    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0)
        return -1;
    return bench_now() - begin;
}

struct copying {
    char program[4096], from[4096], to[4096];
    struct peer_job read, write;
};

static double run_aiscp(void *argument)
{
    struct copying *copying = argument;
    char *argv[] = {copying->program, copying->from, copying->to, NULL};

    return run_command(argv);
}

static double run_ring_twice(void *argument)
{
    struct copying *copying = argument;
    double reading = peer_ring(&copying->read);
    double writing = peer_ring(&copying->write);

    return reading > 0 && writing > 0 ? reading + writing : -1;
}

bool row_aiscp(const struct row_options *options)
{
    static struct copying copying;
    struct bed bed;
    struct bench_result result;
    struct bench_side a = {"aiscp", run_aiscp, &copying};
    struct bench_side b = {"ring", run_ring_twice, &copying};
    bool fine = bed_open(&bed, options, options->size, O_DIRECT);

    snprintf(copying.program, sizeof copying.program, "%s/aiscp", options->binaries);
    snprintf(copying.from, sizeof copying.from, "%s", bed.path);
    snprintf(copying.to, sizeof copying.to, "%s/hipfile-bench.copy", options->directory);
    fine = fine && bed_fill_file(copying.to, options->size);
    copying.read = bed_job(&bed, MIB, 16);
    copying.write = copying.read;
    copying.write.write = true;
    copying.write.fd = open(copying.to, O_RDWR | O_DIRECT);
    fine = fine && bench_compare(&a, &b, options->pairs < 9 ? options->pairs : 9, &result);
    if (fine)
        bench_print(options, "8 aiscp / ring read + ring write", &result, (double)options->size,
                    1 / 1.05);
    close(copying.write.fd);
    unlink(copying.to);
    bed_close(&bed);
    return fine;
}
