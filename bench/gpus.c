// SPDX-License-Identifier: MIT
/*
 * Two GPUs of one host: a cached file into each, one after the other and both at once. Prints the
 * rates and the ratio; target 1.7.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"
#include "pairs.h"

#define GPUS  2
#define SIZE  ((size_t)1 << 30)
#define LOOPS 2

struct reader {
    int gpu;
    hipFileHandle_t handle;
    void *device, *pinned;
    hipStream_t stream;
    pthread_t thread;
    bool failed;
};

static struct reader readers[GPUS];

static bool make_file(const char *path, int *fd)
{
    char *block = malloc(4 << 20);
    bool fine;

    *fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    unlink(path);
    fine = *fd >= 0 && block;
    for (size_t i = 0; fine && i < 4 << 20; i++)
        block[i] = (char)(i * 2654435761u >> 13);
    for (size_t done = 0; fine && done < SIZE; done += 4 << 20)
        fine = write(*fd, block, 4 << 20) == 4 << 20;
    free(block);
    return fine;
}

static bool open_reader(struct reader *reader, int gpu, const char *directory)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    char path[4096];

    reader->gpu = gpu;
    snprintf(path, sizeof path, "%s/hipfile-gpus.%d", directory, gpu);
    return make_file(path, &descr.handle.fd) && hipSetDevice(gpu) == hipSuccess &&
           hipMalloc(&reader->device, SIZE) == hipSuccess &&
           hipHostMalloc(&reader->pinned, SIZE, 0) == hipSuccess &&
           hipStreamCreateWithFlags(&reader->stream, hipStreamNonBlocking) == hipSuccess &&
           hipFileHandleRegister(&reader->handle, &descr).err == hipFileSuccess &&
           hipFileBufRegister(reader->device, SIZE, 0).err == hipFileSuccess;
}

static void *read_file(void *argument)
{
    struct reader *reader = argument;

    for (int i = 0; i < LOOPS; i++)
        if (hipFileRead(reader->handle, reader->device, SIZE, 0, 0) != (ssize_t)SIZE)
            reader->failed = true;
    return NULL;
}

/* The links alone: pinned memory to the GPU. */
static void *copy_pinned(void *argument)
{
    struct reader *reader = argument;

    for (int i = 0; i < LOOPS; i++)
        if (hipSetDevice(reader->gpu) != hipSuccess ||
            hipMemcpyAsync(reader->device, reader->pinned, SIZE, hipMemcpyHostToDevice,
                           reader->stream) != hipSuccess ||
            hipStreamSynchronize(reader->stream) != hipSuccess)
            reader->failed = true;
    return NULL;
}

typedef void *(*work)(void *reader);

static bool failed(void)
{
    return readers[0].failed || readers[1].failed;
}

/* Seconds for one GiB, one GPU after the other. */
static double run_in_turn(void *argument)
{
    work run = *(work *)argument;
    double begin = bench_now();

    for (int i = 0; i < GPUS; i++)
        run(&readers[i]);
    return failed() ? -1 : (bench_now() - begin) / (GPUS * LOOPS);
}

static double run_at_once(void *argument)
{
    work run = *(work *)argument;
    double begin = bench_now();

    for (int i = 0; i < GPUS; i++)
        if (pthread_create(&readers[i].thread, NULL, run, &readers[i]) != 0)
            return -1;
    for (int i = 0; i < GPUS; i++)
        pthread_join(readers[i].thread, NULL);
    return failed() ? -1 : (bench_now() - begin) / (GPUS * LOOPS);
}

static bool compare(const char *what, work run, double target)
{
    struct bench_side both = {"both at once", run_at_once, &run};
    struct bench_side one = {"one", run_in_turn, &run};
    struct bench_result r;

    if (!bench_compare(&both, &one, 9, &r))
        return false;
    printf("two GPUs, %-14s both at once %6.2f GB/s, one %6.2f GB/s, ratio %.2f [%.2f - %.2f]",
           what, (double)SIZE / r.ours * 1e-9, (double)SIZE / r.peer * 1e-9, r.ratio, r.ratio_low,
           r.ratio_high);
    if (target > 0)
        printf(" target %.2f %s", target, r.ratio_high >= target ? "met" : "SHORT");
    printf("\n");
    return true;
}

int main(int argc, char **argv)
{
    int count = 0;

    if (hipGetDeviceCount(&count) != hipSuccess || count < GPUS) {
        printf("SKIP: %d device(s), two are needed\n", count);
        return 77;
    }
    for (int i = 0; i < GPUS; i++)
        if (!open_reader(&readers[i], i, argc > 1 ? argv[1] : "/var/tmp"))
            return 1;
    return compare("hipFileRead:", read_file, 1.7) && compare("pinned copies:", copy_pinned, 0) ? 0
                                                                                                : 1;
}
