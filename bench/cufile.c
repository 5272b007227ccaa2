// SPDX-License-Identifier: MIT
/*
 * hipFile (with hiplite on an NVIDIA GPU) beside NVIDIA's cuFile, on the same file and the same
 * device memory, in turn. libcufile is loaded at run time; nothing of CUDA is needed to build.
 *
 * cuFile reads its configuration once a process, so each of its configurations gets a process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"
#include "pairs.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

/* cuFile's interface has the shape of hipFile's, call by call and structure by structure. */
static struct {
    hipFileError_t (*open)(void);
    hipFileError_t (*register_handle)(hipFileHandle_t *, hipFileDescr_t *);
    void (*deregister_handle)(hipFileHandle_t);
    hipFileError_t (*register_buffer)(const void *, size_t, int);
    hipFileError_t (*deregister_buffer)(const void *);
    ssize_t (*read)(hipFileHandle_t, void *, size_t, hoff_t, hoff_t);
    ssize_t (*write)(hipFileHandle_t, const void *, size_t, hoff_t, hoff_t);
} cufile;

static bool look_up(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);

    memcpy(slot, &symbol, sizeof symbol);
    if (!symbol)
        fprintf(stderr, "libcufile has no %s\n", name);
    return symbol != NULL;
}

static bool load_cufile(void)
{
    const char *named = getenv("CUFILE_LIBRARY");
    void *library = dlopen(named ? named : "libcufile.so.0", RTLD_NOW | RTLD_GLOBAL);

    if (!library) {
        fprintf(stderr, "no libcufile: %s\n", dlerror());
        return false;
    }
    return look_up(library, "cuFileDriverOpen", &cufile.open) &&
           look_up(library, "cuFileHandleRegister", &cufile.register_handle) &&
           look_up(library, "cuFileHandleDeregister", &cufile.deregister_handle) &&
           look_up(library, "cuFileBufRegister", &cufile.register_buffer) &&
           look_up(library, "cuFileBufDeregister", &cufile.deregister_buffer) &&
           look_up(library, "cuFileRead", &cufile.read) &&
           look_up(library, "cuFileWrite", &cufile.write);
}

/* One side of a comparison: a library, a handle of its own, and what to move. */
struct side {
    bool nvidia;
    bool write;
    hipFileHandle_t handle;
    char *device;
    size_t size; /* of one call */
    size_t calls;
    size_t stride; /* in file and buffer, from call to call */
};

static double run_side(void *argument)
{
    const struct side *side = argument;
    double begin = bench_now();

    for (size_t i = 0; i < side->calls; i++) {
        hoff_t at = (hoff_t)(i * side->stride);
        ssize_t n;

        if (side->write)
            n = (side->nvidia ? cufile.write : hipFileWrite)(side->handle, side->device, side->size,
                                                             at, at);
        else
            n = (side->nvidia ? cufile.read : hipFileRead)(side->handle, side->device, side->size,
                                                           at, at);
        if (n != (ssize_t)side->size) {
            fprintf(stderr, "%s: %zd of %zu bytes at %lld (%s)\n",
                    side->nvidia ? "cuFile" : "hipFile", n, side->size, (long long)at,
                    strerror(errno));
            return -1;
        }
    }
    return (bench_now() - begin) / (double)side->calls;
}

static void print(const char *what, const char *peer, const struct bench_result *r, size_t bytes,
                  double target)
{
    char goal[40] = "";

    if (target > 0)
        snprintf(goal, sizeof goal, "target %.2f %s", target,
                 r->ratio_high >= target ? "met" : "SHORT");
    if (bytes >= MIB)
        printf("%-26s hipFile %7.2f GB/s  %s %7.2f GB/s", what, (double)bytes / r->ours * 1e-9,
               peer, (double)bytes / r->peer * 1e-9);
    else
        printf("%-26s hipFile %7.2f us    %s %7.2f us  ", what, r->ours * 1e6, peer, r->peer * 1e6);
    printf("  ratio %5.2f [%5.2f - %5.2f] %s\n", r->ratio, r->ratio_low, r->ratio_high, goal);
    fflush(stdout);
}

static bool compare(const char *what, const char *peer, struct side *ours, bench_run *run,
                    void *argument, size_t pairs, double target)
{
    struct bench_side a = {"hipFile", run_side, ours};
    struct bench_side b = {peer, run, argument};
    struct bench_result result;

    if (!bench_compare(&a, &b, pairs, &result))
        return false;
    print(what, peer, &result, ours->size, target);
    return true;
}

struct bed {
    int fd;
    char *device, *pinned;
    size_t size;
    hipStream_t stream;
    hipFileHandle_t hip, cu;
};

static bool both(const struct bed *bed, const char *what, size_t size, size_t calls, bool write,
                 size_t pairs, double target)
{
    struct side ours = {false, write, bed->hip, bed->device, size, calls, size};
    struct side theirs = {true, write, bed->cu, bed->device, size, calls, size};

    return compare(what, "cuFile", &ours, run_side, &theirs, pairs, target);
}

/* The link itself: one large copy from pinned memory. */
struct link {
    const struct bed *bed;
    size_t size;
};

static double run_link(void *argument)
{
    const struct link *link = argument;
    double begin = bench_now();

    for (size_t at = 0; at < link->size; at += 256 * MIB) {
        size_t bytes = link->size - at < 256 * MIB ? link->size - at : 256 * MIB;

        if (hipMemcpyAsync(link->bed->device + at, link->bed->pinned, bytes, hipMemcpyHostToDevice,
                           link->bed->stream) != hipSuccess)
            return -1;
    }
    return hipStreamSynchronize(link->bed->stream) == hipSuccess ? bench_now() - begin : -1;
}

/* One core writing the same bytes into the page cache. */
static double run_pwrite(void *argument)
{
    const struct link *link = argument;
    double begin = bench_now();

    for (size_t at = 0; at < link->size; at += 4 * MIB)
        if (pwrite(link->bed->fd, link->bed->pinned, 4 * MIB, (off_t)at) != (ssize_t)(4 * MIB))
            return -1;
    return bench_now() - begin;
}

/* Four streams, each with a quarter of the file in slices. */
#define STREAMS 4
#define SLICES  4

static double run_streams(void *argument)
{
    const struct bed *bed = argument;
    static hipStream_t streams[STREAMS];
    size_t size = GIB / (STREAMS * SLICES);
    hoff_t at[STREAMS * SLICES];
    ssize_t moved[STREAMS * SLICES];
    double begin;
    bool fine = true;

    for (int i = 0; i < STREAMS && !streams[STREAMS - 1]; i++)
        fine = fine && hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking) == hipSuccess;
    begin = bench_now();
    for (int i = 0; i < STREAMS * SLICES && fine; i++) {
        at[i] = (hoff_t)((size_t)i * size);
        fine = hipFileReadAsync(bed->hip, bed->device, &size, &at[i], &at[i], &moved[i],
                                streams[i / SLICES])
                   .err == hipFileSuccess;
    }
    for (int i = 0; i < STREAMS; i++)
        fine = hipStreamSynchronize(streams[i]) == hipSuccess && fine;
    for (int i = 0; i < STREAMS * SLICES; i++)
        fine = fine && moved[i] == (ssize_t)size;
    return fine ? bench_now() - begin : -1;
}

/* The disk alone: O_DIRECT reads of 1 MiB by 16 threads, into memory that is used again. */
#define DISK_THREADS 16

struct disk {
    int fd;
    size_t size;
    atomic_size_t next;
    atomic_bool failed;
};

static void *read_disk(void *argument)
{
    struct disk *disk = argument;
    void *memory = aligned_alloc(4 * KIB, MIB);
    size_t at;

    while ((at = atomic_fetch_add(&disk->next, MIB)) < disk->size)
        if (!memory || pread(disk->fd, memory, MIB, (off_t)at) != (ssize_t)MIB)
            disk->failed = true;
    free(memory);
    return NULL;
}

static double run_disk(void *argument)
{
    struct disk *disk = argument;
    pthread_t threads[DISK_THREADS];
    double begin = bench_now();

    disk->next = 0;
    for (int i = 0; i < DISK_THREADS; i++)
        if (pthread_create(&threads[i], NULL, read_disk, disk) != 0)
            return -1;
    for (int i = 0; i < DISK_THREADS; i++)
        pthread_join(threads[i], NULL);
    return disk->failed ? -1 : bench_now() - begin;
}

/* The same file through an O_DIRECT descriptor. */
static bool cold_row(const struct bed *bed, const char *path, size_t pairs)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    struct side ours = {false, false, NULL, bed->device, GIB, 1, GIB};
    struct disk disk = {.size = GIB};
    bool fine;

    descr.handle.fd = disk.fd = open(path, O_RDWR | O_DIRECT);
    fine = disk.fd >= 0 && hipFileHandleRegister(&ours.handle, &descr).err == hipFileSuccess &&
           compare("1 GiB read, O_DIRECT", "disk  ", &ours, run_disk, &disk, pairs, 0.95);
    if (fine)
        hipFileHandleDeregister(ours.handle);
    close(disk.fd);
    return fine;
}

static bool unregistered_row(const struct bed *bed, size_t pairs)
{
    struct side ours = {false, false, bed->hip, bed->device, 4 * KIB, 2000, 4 * KIB};
    struct side theirs = {true, false, bed->cu, bed->device, 4 * KIB, 2000, 4 * KIB};
    bool fine = hipFileBufDeregister(bed->device).err == hipFileSuccess &&
                compare("4 KiB reads, unregistered", "cuFile", &ours, run_side, &theirs, pairs, 0);

    return hipFileBufRegister(bed->device, bed->size, 0).err == hipFileSuccess && fine;
}

static bool stream_row(const struct bed *bed, size_t pairs)
{
    struct side sync = {false, false, bed->hip, bed->device, GIB, 1, GIB};
    struct bench_side a = {"streams", run_streams, (void *)bed};
    struct bench_side b = {"sync", run_side, &sync};
    struct bench_result result;

    if (!bench_compare(&a, &b, pairs, &result))
        return false;
    print("1 GiB on 4 streams", "sync  ", &result, GIB, 0.9);
    return true;
}

static bool small_rows(const struct bed *bed, size_t pairs)
{
    struct side ours = {false, false, bed->hip, bed->device, 4 * KIB, 2000, 4 * KIB};
    struct link link = {bed, 4 * KIB};

    return both(bed, "4 KiB reads", 4 * KIB, 2000, false, pairs, 1.0) &&
           compare("4 KiB read / pinned copy", "copy  ", &ours, run_link, &link, pairs, 0);
}

static bool cached_rows(const struct bed *bed, const char *path, bool tuned, size_t pairs)
{
    struct side all = {false, false, bed->hip, bed->device, GIB, bed->size / GIB, GIB};
    struct side store = {false, true, bed->hip, bed->device, GIB, bed->size / GIB, GIB};
    struct link link = {bed, GIB};

    if (!both(bed, "4 x 1 GiB read, cached", GIB, bed->size / GIB, false, pairs, tuned ? 1.1 : 1.5))
        return false;
    if (tuned)
        return true;
    return compare("1 GiB read / PCIe", "link  ", &all, run_link, &link, pairs, 0.85) &&
           both(bed, "1 MiB reads, cached", MIB, 200, false, pairs, 0) &&
           both(bed, "4 MiB reads, cached", 4 * MIB, 100, false, pairs, 0) &&
           both(bed, "16 MiB reads, cached", 16 * MIB, 60, false, pairs, 2.0) &&
           both(bed, "64 MiB reads, cached", 64 * MIB, 20, false, pairs, 0) &&
           small_rows(bed, pairs) && unregistered_row(bed, pairs) && stream_row(bed, pairs) &&
           cold_row(bed, path, pairs) &&
           both(bed, "4 x 1 GiB write, cached", GIB, bed->size / GIB, true, pairs, 1.0) &&
           compare("1 GiB write / one core", "pwrite", &store, run_pwrite, &link, pairs, 0.85);
}

static bool open_bed(struct bed *bed, const char *path, size_t size)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    hipFileError_t err;

    bed->size = size;
    bed->fd = open(path, O_RDWR);
    if (bed->fd < 0 || hipMalloc((void **)&bed->device, size) != hipSuccess ||
        hipHostMalloc((void **)&bed->pinned, 256 * MIB, 0) != hipSuccess ||
        hipStreamCreateWithFlags(&bed->stream, hipStreamNonBlocking) != hipSuccess) {
        fprintf(stderr, "no file or memory\n");
        return false;
    }
    memset(bed->pinned, 1, 256 * MIB);
    descr.handle.fd = bed->fd;
    err = hipFileHandleRegister(&bed->hip, &descr);
    if (err.err == hipFileSuccess)
        err = hipFileBufRegister(bed->device, size, 0);
    if (err.err != hipFileSuccess) {
        fprintf(stderr, "hipFile: %d\n", (int)err.err);
        return false;
    }
    err = cufile.open();
    if (err.err == hipFileSuccess)
        err = cufile.register_handle(&bed->cu, &descr);
    if (err.err == hipFileSuccess)
        err = cufile.register_buffer(bed->device, size, 0);
    if (err.err != hipFileSuccess)
        fprintf(stderr, "cuFile: %d\n", (int)err.err);
    return err.err == hipFileSuccess;
}

/* From an existing GPU context to the first registered buffer. */
static int measure_opening(bool nvidia, const char *path)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    hipFileHandle_t handle;
    hipFileError_t err;
    void *device;
    double begin;

    if (hipMalloc(&device, 64 * MIB) != hipSuccess || (nvidia && !load_cufile()))
        return 1;
    descr.handle.fd = open(path, O_RDWR);
    begin = bench_now();
    err = (nvidia ? cufile.open : hipFileDriverOpen)();
    if (err.err == hipFileSuccess)
        err = (nvidia ? cufile.register_handle : hipFileHandleRegister)(&handle, &descr);
    if (err.err == hipFileSuccess)
        err = (nvidia ? cufile.register_buffer : hipFileBufRegister)(device, 64 * MIB, 0);
    printf("open + first registration  %s %7.2f ms%s\n", nvidia ? "cuFile " : "hipFile",
           (bench_now() - begin) * 1e3, err.err == hipFileSuccess ? "" : " (failed)");
    fflush(stdout);
    _exit(err.err != hipFileSuccess); /* without cuFile's own slow end */
}

static int child(int (*run)(void *), void *argument, const char *name, const char *value)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        if (name)
            setenv(name, value, 1);
        _exit(run(argument));
    }
    return pid < 0 || waitpid(pid, &status, 0) != pid ? 1 : status;
}

struct job {
    const char *path;
    size_t size, pairs;
    bool tuned, nvidia;
};

static int run_cached(void *argument)
{
    const struct job *job = argument;
    struct bed bed = {0};
    bool fine = load_cufile() && open_bed(&bed, job->path, job->size) &&
                cached_rows(&bed, job->path, job->tuned, job->pairs);

    fflush(stdout);
    _exit(!fine);
}

static int run_opening(void *argument)
{
    const struct job *job = argument;

    return measure_opening(job->nvidia, job->path);
}

static bool write_config(const char *path, unsigned threads)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(
        file,
        "{ \"execution\": { \"parallel_io\": true, \"max_io_threads\": %u, "
        "\"max_io_queue_depth\": 128, \"min_io_threshold_size_kb\": 1024, "
        "\"max_request_parallelism\": %u }, \"properties\": { \"allow_compat_mode\": true } }\n",
        threads, threads < 8 ? threads : 8); /* more than 8 is refused */
    return fclose(file) == 0;
}

static bool make_file(const char *path, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    char *block = malloc(4 * MIB);
    bool fine = fd >= 0 && block;

    for (size_t i = 0; fine && i < 4 * MIB; i++)
        block[i] = (char)(i * 2654435761u >> 13);
    for (size_t done = 0; fine && done < size; done += 4 * MIB)
        fine = write(fd, block, 4 * MIB) == (ssize_t)(4 * MIB);
    free(block);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    return fine;
}

int main(int argc, char **argv)
{
    struct job job = {.size = 4 * GIB, .pairs = 9};
    char config[4096];
    int failed = 0;

    if (argc < 2 || argc > 3) {
        fprintf(stderr,
                "usage: %s FILE [PAIRS]\nFILE is made, 4 GiB, on the file system to measure.\n",
                argv[0]);
        return 2;
    }
    job.path = argv[1];
    if (argc == 3)
        job.pairs = strtoul(argv[2], NULL, 10);
    if (!make_file(job.path, job.size)) {
        fprintf(stderr, "%s: %s\n", job.path, strerror(errno));
        return 1;
    }
    snprintf(config, sizeof config, "%s.cufile.json", job.path);
    for (int i = 0; i < 2; i++) {
        job.nvidia = i;
        failed += child(run_opening, &job, NULL, NULL) != 0;
    }
    printf("-- cuFile as it comes\n");
    failed += child(run_cached, &job, NULL, NULL) != 0;
    job.tuned = true;
    for (unsigned threads = 8; threads <= 16; threads += 8) {
        printf("-- cuFile with parallel_io and %u threads\n", threads);
        failed += !write_config(config, threads) ||
                  child(run_cached, &job, "CUFILE_ENV_PATH_JSON", config) != 0;
    }
    unlink(config);
    return failed ? 1 : 0;
}
