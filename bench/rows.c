// SPDX-License-Identifier: MIT
#include "rows.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"
#include "peers.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

extern char **environ;

void bench_print(const struct row_options *options, const char *what, const struct bench_result *r,
                 double bytes, double target)
{
    bool met = r->ratio_high >= target;
    char ours[32], peer[32], goal[32] = "";

    if (options->only_short && met)
        return;
    snprintf(ours, sizeof ours, bytes > 0 ? "%.2f GB/s" : "%.2f us",
             bytes > 0 ? bytes / r->ours * 1e-9 : r->ours * 1e6);
    snprintf(peer, sizeof peer, bytes > 0 ? "%.2f GB/s" : "%.2f us",
             bytes > 0 ? bytes / r->peer * 1e-9 : r->peer * 1e6);
    if (target > 0)
        snprintf(goal, sizeof goal, ">= %.2f %s", target, met ? "met" : "SHORT");
    printf("%-34s %12s %12s %6.2f [%5.2f - %5.2f] %s\n", what, ours, peer, r->ratio, r->ratio_low,
           r->ratio_high, goal);
}

void bench_print_extra(const struct row_options *options, const char *what,
                       const struct bench_result *r, double allowed_us)
{
    /* What the ratio's interval says about the difference, at the peer's median. */
    double low = r->peer / r->ratio_high - r->peer;
    double extra = r->ours - r->peer;
    bool met = low * 1e6 <= allowed_us;

    if (options->only_short && met)
        return;
    printf("%-34s %9.2f us %9.2f us    %+5.2f us               <= +%.0f us %s\n", what,
           r->ours * 1e6, r->peer * 1e6, extra * 1e6, allowed_us, met ? "met" : "SHORT");
}

/* A file with its handle, and device memory beside host memory of the same size. */
struct bed {
    char path[4096];
    int fd;
    hipFileHandle_t handle;
    char *device, *host;
    size_t size;
    size_t block; /* bytes of one hipFile call */
    bool write;
};

static bool fill_file(const char *path, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    char *block = malloc(MIB);
    bool fine = fd >= 0 && block;
    struct stat st;

    if (fine && fstat(fd, &st) == 0 && (size_t)st.st_size == size)
        goto out; /* another row made it */
    for (size_t i = 0; fine && i < MIB; i++)
        block[i] = (char)(i * 2654435761u >> 11);
    for (size_t done = 0; fine && done < size; done += MIB)
        fine = write(fd, block, MIB) == (ssize_t)MIB;
    fine = fine && fsync(fd) == 0;
out:
    free(block);
    if (fd >= 0)
        close(fd);
    return fine;
}

static bool open_bed(struct bed *bed, const struct row_options *options, size_t size, int flags)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};

    snprintf(bed->path, sizeof bed->path, "%s/hipfile-bench.data", options->directory);
    bed->size = size;
    bed->block = size;
    bed->write = false;
    if (!fill_file(bed->path, options->size))
        return false;
    bed->fd = open(bed->path, O_RDWR | flags);
    descr.handle.fd = bed->fd;
    bed->host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bed->fd < 0 || bed->host == MAP_FAILED || hipMalloc((void **)&bed->device, size) != 0)
        return false;
    memset(bed->host, 1, size);
    return hipMemset(bed->device, 1, size) == hipSuccess && hipDeviceSynchronize() == hipSuccess &&
           hipFileHandleRegister(&bed->handle, &descr).err == hipFileSuccess &&
           hipFileBufRegister(bed->device, size, 0).err == hipFileSuccess;
}

static void close_bed(struct bed *bed)
{
    (void)hipFileBufDeregister(bed->device);
    hipFileHandleDeregister(bed->handle);
    hipFree(bed->device);
    munmap(bed->host, bed->size);
    close(bed->fd);
}

static double run_ours(void *argument)
{
    const struct bed *bed = argument;
    double begin = bench_now();

    for (size_t done = 0; done < bed->size; done += bed->block) {
        ssize_t n =
            bed->write
                ? hipFileWrite(bed->handle, bed->device, bed->block, (hoff_t)done, (hoff_t)done)
                : hipFileRead(bed->handle, bed->device, bed->block, (hoff_t)done, (hoff_t)done);

        if (n != (ssize_t)bed->block)
            return -1;
    }
    return bench_now() - begin;
}

static struct peer_job job_of(const struct bed *bed, size_t block, unsigned depth)
{
    struct peer_job job = {.fd = bed->fd,
                           .memory = bed->host,
                           .size = bed->size,
                           .block = block,
                           .depth = depth,
                           .write = bed->write};

    return job;
}

static bool against(const struct row_options *options, const char *what, struct bed *bed,
                    bench_run *peer, struct peer_job *job, double target)
{
    struct bench_side ours = {"hipFile", run_ours, bed};
    struct bench_side other = {"peer", peer, job};
    struct bench_result result;

    if (!bench_compare(&ours, &other, options->pairs, &result))
        return false;
    bench_print(options, what, &result, (double)bed->size, target);
    return true;
}

static bool against_ring(const struct row_options *options, const char *read_name,
                         const char *write_name, double target)
{
    struct bed bed;
    struct peer_job job;
    bool fine = open_bed(&bed, options, options->size, O_DIRECT);

    job = job_of(&bed, MIB, 16);
    fine = fine && against(options, read_name, &bed, peer_ring, &job, target);
    bed.write = job.write = true;
    fine = fine && against(options, write_name, &bed, peer_ring, &job, target);
    close_bed(&bed);
    return fine;
}

static bool row_direct(const struct row_options *options)
{
    return against_ring(options, "1 read, direct / ring", "1 write, direct / ring", 0.95);
}

static bool row_bounce_direct(const struct row_options *options)
{
    return against_ring(options, "2 read, bounce O_DIRECT / ring",
                        "2 write, bounce O_DIRECT / ring", 0.90);
}

static bool row_cached(const struct row_options *options)
{
    struct bed bed;
    struct peer_job job;
    char *both;
    bool fine = open_bed(&bed, options, options->size, 0);

    both = mmap(NULL, 2 * bed.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fine = fine && both != MAP_FAILED;
    if (fine) {
        memset(both, 1, 2 * bed.size);
        job = job_of(&bed, MIB, 1);
        job.memory = both;
        job.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
        fine = against(options, "3 read, bounce cached / memcpy", &bed, peer_memcpy, &job, 0.85);
        munmap(both, 2 * bed.size);
    }
    close_bed(&bed);
    return fine;
}

static bool row_original(const struct row_options *options)
{
    struct bed bed;
    struct peer_job job;
    bool fine = open_bed(&bed, options, options->size, 0);

    job = job_of(&bed, bed.size, 1);
    fine = fine && against(options, "original: 1 GiB read, cached", &bed, peer_original, &job, 1.8);
    bed.write = job.write = true;
    fine = fine && against(options, "original: 1 GiB write", &bed, peer_original, &job, 2.5);
    bed.write = job.write = false;
    bed.size = job.size = 16 * MIB;
    bed.block = job.block = 4 * KIB;
    fine = fine && against(options, "original: 4 KiB reads, cached", &bed, peer_original, &job, 8);
    bed.size = options->size;
    close_bed(&bed);
    return fine;
}

/* Random reads, the same places for both sides. */
struct small {
    const struct bed *bed;
    size_t count;
    hipFileHandle_t handle;
    char *device; /* where to read to; device memory */
    bool plain;   /* pread instead */
};

static size_t place(const struct small *small, size_t i)
{
    return (i * 2654435761u) % (small->bed->size / (4 * KIB)) * 4 * KIB;
}

static double run_small(void *argument)
{
    const struct small *small = argument;
    double begin = bench_now();

    for (size_t i = 0; i < small->count; i++) {
        size_t at = place(small, i);
        ssize_t n = small->plain ? pread(small->bed->fd, small->bed->host + at, 4 * KIB, (off_t)at)
                                 : hipFileRead(small->handle, small->device, 4 * KIB, (hoff_t)at,
                                               (hoff_t)at);

        if (n != (ssize_t)(4 * KIB))
            return -1;
    }
    return (bench_now() - begin) / (double)small->count;
}

static bool small_against(const struct row_options *options, const char *what, struct small *ours,
                          struct small *peer, double allowed_us)
{
    struct bench_side a = {"hipFile", run_small, ours};
    struct bench_side b = {"peer", run_small, peer};
    struct bench_result result;

    if (!bench_compare(&a, &b, 2 * options->pairs, &result))
        return false;
    bench_print_extra(options, what, &result, allowed_us);
    return true;
}

static bool row_small_direct(const struct row_options *options)
{
    struct bed bed;
    bool fine = open_bed(&bed, options, 256 * MIB, O_DIRECT);
    struct small ours = {&bed, 2000, bed.handle, bed.device, false};
    struct small plain = {&bed, 2000, NULL, NULL, true};

    fine = fine && small_against(options, "4 4 KiB direct / pread", &ours, &plain, 1);
    (void)hipFileBufDeregister(bed.device);
    fine = fine && small_against(options, "4 4 KiB unregistered / pread", &ours, &plain, 2);
    close_bed(&bed);
    return fine;
}

static bool row_small_bounce(const struct row_options *options)
{
    struct bed bed;
    bool fine = open_bed(&bed, options, 256 * MIB, O_DIRECT);
    struct small ours = {&bed, 2000, bed.handle, bed.device, false};
    struct small plain = {&bed, 2000, NULL, NULL, true};

    fine = fine && small_against(options, "5 4 KiB bounce O_DIRECT / pread", &ours, &plain, 3);
    close_bed(&bed);
    return fine;
}

#define MANY 16u

static void *one_of_many(void *argument)
{
    struct small *small = argument;

    return run_small(small) < 0 ? argument : NULL;
}

/* Seconds for one read, all threads together. */
static double run_many(void *argument)
{
    struct small *small = argument;
    pthread_t threads[MANY];
    double begin = bench_now();
    unsigned started = 0;
    bool fine = true;
    void *failed;

    while (started < MANY && pthread_create(&threads[started], NULL, one_of_many, small) == 0)
        started++;
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], &failed);
        fine = fine && !failed;
    }
    return fine && started == MANY ? (bench_now() - begin) / (double)(MANY * small->count) : -1;
}

/* fio with as many jobs, for two seconds. */
static double run_fio(void *argument)
{
    const struct bed *bed = argument;
    char command[8192];
    double iops = 0;
    FILE *fio;

    snprintf(command, sizeof command,
             "fio --minimal --name=j --filename=%s --size=%zu --bs=4k --rw=randread --direct=1 "
             "--ioengine=psync --thread --numjobs=%u --group_reporting --time_based --runtime=2 "
             "2>/dev/null | cut -d';' -f8",
             bed->path, bed->size, MANY);
    fio = popen(command, "r");
    if (!fio)
        return -1;
    if (fscanf(fio, "%lf", &iops) != 1)
        iops = 0;
    return pclose(fio) == 0 && iops > 0 ? 1 / iops : -1;
}

static bool row_many(const struct row_options *options)
{
    struct bed bed;
    struct bench_result result;
    bool fine = open_bed(&bed, options, 256 * MIB, O_DIRECT);
    struct small ours = {&bed, 4000, bed.handle, bed.device, false};
    struct bench_side a = {"hipFile", run_many, &ours};
    struct bench_side b = {"fio", run_fio, &bed};

    fine = fine && bench_compare(&a, &b, options->pairs < 7 ? options->pairs : 7, &result);
    if (fine)
        bench_print(options, "6 16 threads x 4 KiB / fio psync", &result, 4 * KIB, 0.95);
    close_bed(&bed);
    return fine;
}

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

static bool row_aiscp(const struct row_options *options)
{
    static struct copying copying;
    struct bed bed;
    struct bench_result result;
    struct bench_side a = {"aiscp", run_aiscp, &copying};
    struct bench_side b = {"ring", run_ring_twice, &copying};
    bool fine = open_bed(&bed, options, options->size, O_DIRECT);

    snprintf(copying.program, sizeof copying.program, "%s/aiscp", options->binaries);
    snprintf(copying.from, sizeof copying.from, "%s", bed.path);
    snprintf(copying.to, sizeof copying.to, "%s/hipfile-bench.copy", options->directory);
    fine = fine && fill_file(copying.to, options->size);
    copying.read = job_of(&bed, MIB, 16);
    copying.write = copying.read;
    copying.write.write = true;
    copying.write.fd = open(copying.to, O_RDWR | O_DIRECT);
    fine = fine && bench_compare(&a, &b, options->pairs, &result);
    if (fine)
        bench_print(options, "8 aiscp / ring read + ring write", &result, (double)options->size,
                    1 / 1.05);
    close(copying.write.fd);
    unlink(copying.to);
    close_bed(&bed);
    return fine;
}

static long resident_kib(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (statm) {
        if (fscanf(statm, "%*d %ld", &pages) != 1)
            pages = 0;
        fclose(statm);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool row_memory(const struct row_options *options)
{
    struct bed bed;
    void *device;
    long before, extra;
    bool fine;

    if (hipMalloc(&device, options->size) != 0 || hipMemset(device, 1, options->size) != 0 ||
        hipFree(device) != 0)
        return false;
    before = resident_kib();
    fine = open_bed(&bed, options, options->size, 0) && run_ours(&bed) > 0;
    close_bed(&bed);
    extra = resident_kib() - before;
    if (fine && !(options->only_short && extra <= 40 * 1024))
        printf("%-34s %9.1f MiB more than before                    <= 40 MiB %s\n",
               "9 memory after 1 GiB read", (double)extra / 1024,
               extra <= 40 * 1024 ? "met" : "SHORT");
    return fine;
}

#define FORCE "HIPFILE_FORCE_COMPAT_MODE=true"

const struct row bench_rows[] = {
    {"direct", {NULL}, row_direct},
    {"bounce-direct", {FORCE}, row_bounce_direct},
    {"cached", {FORCE}, row_cached},
    {"original", {FORCE}, row_original},
    {"small-direct", {NULL}, row_small_direct},
    {"small-bounce", {FORCE}, row_small_bounce},
    {"many", {NULL}, row_many},
    {"aiscp", {NULL}, row_aiscp},
    {"memory", {FORCE}, row_memory},
};
const size_t bench_row_count = sizeof bench_rows / sizeof bench_rows[0];
