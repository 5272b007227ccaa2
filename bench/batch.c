// SPDX-License-Identifier: MIT
/*
 * hipfile-batch: random 4 KiB reads in a batch against fio's io_uring engine on the same file, in
 * paired runs, and how long the submission of a full batch takes.
 *
 *     hipfile-batch [-p PAIRS] [-s SECONDS] [-q DEPTH] FOLDER
 *
 * The folder's file system is what is measured; a file of 256 MiB is made there. Rows: host and
 * device memory, O_DIRECT and from the page cache. Columns: ours, fio (reads a second), the median
 * ratio with its 95 % interval, and the CPU time of a read in microseconds, both sides.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"
#include "pairs.h"

#define KIB       ((size_t)1 << 10)
#define MIB       ((size_t)1 << 20)
#define FILE_SIZE (256 * MIB)
#define BLOCK     (4 * KIB)
#define MOST      4096

struct bed {
    char path[4096];
    bool direct;
    int fd;
    hipFileHandle_t file;
    hipFileBatchHandle_t batch;
    char *memory; /* one block for each place in the batch */
    unsigned depth;
    double seconds;
    uint64_t random;
    double ours_cpu, peer_cpu, reads; /* of the last run */
};

static hipFileIOParams_t entries[MOST];
static hipFileIOEvents_t events[MOST];

static double cpu_seconds(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void next_read(struct bed *bed, hipFileIOParams_t *entry, size_t place)
{
    bed->random = bed->random * 6364136223846793005u + 1442695040888963407u;
    *entry = (hipFileIOParams_t){
        .mode = hipFileBatch,
        .u.batch = {bed->memory, (int64_t)((bed->random >> 33) % (FILE_SIZE / BLOCK) * BLOCK),
                    (int64_t)(place * BLOCK), BLOCK},
        .fh = bed->file,
        .opcode = hipFileBatchRead,
        .cookie = (void *)place,
    };
}

/* Collects what is there, at least `least`, and checks it. */
static unsigned collect(struct bed *bed, unsigned least)
{
    unsigned count = bed->depth;

    if (hipFileBatchIOGetStatus(bed->batch, least, &count, events, NULL).err != hipFileSuccess)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (events[i].status != hipFileComplete || events[i].ret != BLOCK)
            return 0;
    return count;
}

/* Keeps the batch full. Seconds for one read. */
static double run_batch(void *argument)
{
    struct bed *bed = argument;
    double begin = bench_now(), cpu = cpu_seconds(RUSAGE_SELF);
    unsigned count = bed->depth;
    size_t reads = 0;

    for (unsigned i = 0; i < count; i++)
        next_read(bed, &entries[i], i);
    while (bench_now() - begin < bed->seconds) {
        if (hipFileBatchIOSubmit(bed->batch, count, entries, 0).err != hipFileSuccess)
            return -1;
        count = collect(bed, 1);
        if (count == 0)
            return -1;
        reads += count;
        for (unsigned i = 0; i < count; i++)
            next_read(bed, &entries[i], (size_t)events[i].cookie);
    }
    count = bed->depth - count;
    if (count > 0 && collect(bed, count) != count)
        return -1;
    reads += count;
    bed->ours_cpu = (cpu_seconds(RUSAGE_SELF) - cpu) / (double)reads;
    return (bench_now() - begin) / (double)reads;
}

static double run_fio(void *argument)
{
    struct bed *bed = argument;
    double cpu = cpu_seconds(RUSAGE_CHILDREN), iops = 0;
    char command[8192];
    FILE *fio;

    snprintf(command, sizeof command,
             "fio --minimal --name=j --filename=%s --size=%zu --bs=4k --rw=randread --direct=%d "
             "--invalidate=0 --norandommap --ioengine=io_uring --iodepth=%u --time_based "
             "--runtime=%g 2>/dev/null | cut -d';' -f8",
             bed->path, FILE_SIZE, bed->direct, bed->depth, bed->seconds);
    fio = popen(command, "r");
    if (!fio)
        return -1;
    if (fscanf(fio, "%lf", &iops) != 1)
        iops = 0;
    if (pclose(fio) != 0 || iops <= 0)
        return -1;
    bed->peer_cpu = (cpu_seconds(RUSAGE_CHILDREN) - cpu) / (iops * bed->seconds);
    return 1 / iops;
}

static void print_submission(struct bed *bed)
{
    double times[200];

    for (size_t n = 0; n < 200; n++) {
        double begin;

        for (unsigned i = 0; i < bed->depth; i++)
            next_read(bed, &entries[i], i);
        begin = bench_now();
        if (hipFileBatchIOSubmit(bed->batch, bed->depth, entries, 0).err != hipFileSuccess)
            return;
        times[n] = bench_now() - begin;
        if (collect(bed, bed->depth) != bed->depth)
            return;
    }
    printf("    submission of %u entries %26.1f us\n", bed->depth, bench_median(times, 200) * 1e6);
}

static bool compare(struct bed *bed, const char *what, size_t pairs, double target)
{
    struct bench_side ours = {"hipFile", run_batch, bed}, fio = {"fio", run_fio, bed};
    struct bench_result r;

    if (!bench_compare(&ours, &fio, pairs, &r))
        return false;
    printf("%-24s %9.0f/s %9.0f/s %6.2f [%5.2f - %5.2f] >= %.2f %s  cpu %.2f / %.2f us\n", what,
           1 / r.ours, 1 / r.peer, r.ratio, r.ratio_low, r.ratio_high, target,
           r.ratio_high >= target ? "met" : "SHORT", bed->ours_cpu * 1e6, bed->peer_cpu * 1e6);
    print_submission(bed);
    return true;
}

static bool fill(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    char *block = malloc(MIB);
    bool fine = fd >= 0 && block;

    if (fine)
        memset(block, 0x5a, MIB);
    for (size_t done = 0; fine && done < FILE_SIZE; done += MIB)
        fine = write(fd, block, MIB) == (ssize_t)MIB;
    fine = fine && fsync(fd) == 0;
    free(block);
    close(fd);
    return fine;
}

static bool run_row(struct bed *bed, const char *what, bool on_device, bool direct, size_t pairs)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    size_t size = bed->depth * BLOCK;
    bool fine;

    bed->direct = direct;
    bed->fd = open(bed->path, O_RDWR | (direct ? O_DIRECT : 0));
    descr.handle.fd = bed->fd;
    fine = hipFileHandleRegister(&bed->file, &descr).err == hipFileSuccess;
    if (on_device)
        fine = fine && hipMalloc((void **)&bed->memory, size) == hipSuccess;
    else
        fine = fine && (bed->memory = aligned_alloc(BLOCK, size)) && memset(bed->memory, 1, size);
    fine = fine && hipFileBufRegister(bed->memory, size, 0).err == hipFileSuccess &&
           hipFileBatchIOSetUp(&bed->batch, bed->depth).err == hipFileSuccess &&
           compare(bed, what, pairs, on_device ? 0.8 : 0.9);
    hipFileBatchIODestroy(bed->batch);
    (void)hipFileBufDeregister(bed->memory);
    if (on_device)
        hipFree(bed->memory);
    else
        free(bed->memory);
    hipFileHandleDeregister(bed->file);
    close(bed->fd);
    return fine;
}

int main(int argc, char *argv[])
{
    static struct bed bed = {.depth = 128, .seconds = 1, .random = 1};
    const char *rows = "hHbB";
    size_t pairs = 7;
    bool fine;
    int option;

    while ((option = getopt(argc, argv, "p:s:q:r:")) != -1) {
        if (option == 'p')
            pairs = strtoul(optarg, NULL, 10);
        else if (option == 's')
            bed.seconds = strtod(optarg, NULL);
        else if (option == 'q')
            bed.depth = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'r')
            rows = optarg;
        else
            return 2;
    }
    if (optind + 1 != argc || bed.depth == 0 || bed.depth > MOST || pairs > BENCH_PAIRS_MAX) {
        fprintf(stderr, "usage: %s [-p PAIRS] [-s SECONDS] [-q DEPTH] [-r hHbB] FOLDER\n", argv[0]);
        return 2;
    }
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1); /* device memory: the bounce path */
    setenv("HIPFILE_IO_BATCHSIZE", "4096", 1);
    snprintf(bed.path, sizeof bed.path, "%s/hipfile-batch.data", argv[optind]);
    fine = fill(bed.path);
    for (const char *row = rows; fine && *row; row++) {
        bool direct = *row == 'h' || *row == 'b', on_device = *row == 'b' || *row == 'B';
        char what[64];

        snprintf(what, sizeof what, "%s, %s", on_device ? "bounce" : "host",
                 direct ? "O_DIRECT" : "page cache");
        fine = run_row(&bed, what, on_device, direct, pairs);
    }
    unlink(bed.path);
    if (!fine)
        perror("failed");
    return !fine;
}
