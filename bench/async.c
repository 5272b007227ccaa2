// SPDX-License-Identifier: MIT
/*
 * Operations in streams: what a submission costs, how long 4 KiB take, and what 1, 4 and 16 streams
 * move, beside the synchronous call on the same cached file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"
#include "pairs.h"

#define SIZE    ((size_t)512 << 20)
#define PIECE   ((size_t)4 << 20)
#define SMALL   4096
#define STREAMS 16
#define PAIRS   15

struct operation {
    size_t size;
    hoff_t file_offset, buffer_offset;
    ssize_t bytes;
};

static hipFileHandle_t file;
static void *memory;
static hipStream_t streams[STREAMS];
static struct operation operations[SIZE / PIECE];

static bool make_file(const char *directory, int *fd)
{
    char *block = malloc(PIECE);
    char path[4096];
    bool fine;

    snprintf(path, sizeof path, "%s/hipfile-async.%d", directory, getpid());
    *fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    unlink(path);
    fine = *fd >= 0 && block;
    for (size_t i = 0; fine && i < PIECE; i++)
        block[i] = (char)(i * 2654435761u >> 13);
    for (size_t done = 0; fine && done < SIZE; done += PIECE)
        fine = write(*fd, block, PIECE) == (ssize_t)PIECE;
    free(block);
    return fine;
}

static bool start(const char *directory)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    bool fine = make_file(directory, &descr.handle.fd) && hipMalloc(&memory, SIZE) == hipSuccess &&
                hipFileHandleRegister(&file, &descr).err == hipFileSuccess &&
                hipFileBufRegister(memory, SIZE, 0).err == hipFileSuccess;

    for (int i = 0; fine && i < STREAMS; i++)
        fine = hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking) == hipSuccess;
    return fine;
}

static bool submit(struct operation *operation, hipStream_t stream)
{
    return hipFileReadAsync(file, memory, &operation->size, &operation->file_offset,
                            &operation->buffer_offset, &operation->bytes, stream)
               .err == hipFileSuccess;
}

/* Seconds for each of 64 submissions, the waiting left out. */
static double run_submissions(void *argument)
{
    enum { BURST = 64, ROUNDS = 8 };
    struct operation burst[BURST];
    double spent = 0;

    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = bench_now();

        for (int i = 0; i < BURST; i++) {
            burst[i] = (struct operation){SMALL, i * SMALL, i * SMALL, 0};
            if (!submit(&burst[i], streams[0]))
                return -1;
        }
        spent += bench_now() - begin;
        if (hipStreamSynchronize(streams[0]) != hipSuccess || burst[BURST - 1].bytes != SMALL)
            return -1;
    }
    return spent / (BURST * ROUNDS);
}

static double run_small(void *argument)
{
    enum { ROUNDS = 500 };
    double begin = bench_now();

    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        struct operation one = {SMALL, i * SMALL, i * SMALL, 0};

        if (!submit(&one, streams[0]) || hipStreamSynchronize(streams[0]) != hipSuccess ||
            one.bytes != SMALL)
            return -1;
    }
    return (bench_now() - begin) / ROUNDS;
}

static double run_small_synchronous(void *argument)
{
    enum { ROUNDS = 500 };
    double begin = bench_now();

    (void)argument;
    for (int i = 0; i < ROUNDS; i++)
        if (hipFileRead(file, memory, SMALL, i * SMALL, i * SMALL) != SMALL)
            return -1;
    return (bench_now() - begin) / ROUNDS;
}

/* The whole file in pieces, over as many streams as the argument says. */
static double run_streams(void *argument)
{
    int count = *(int *)argument;
    double begin = bench_now();

    for (size_t i = 0; i < SIZE / PIECE; i++) {
        hoff_t place = (hoff_t)(i * PIECE);

        operations[i] = (struct operation){PIECE, place, place, 0};
        if (!submit(&operations[i], streams[i % (size_t)count]))
            return -1;
    }
    for (int i = 0; i < count; i++)
        if (hipStreamSynchronize(streams[i]) != hipSuccess)
            return -1;
    for (size_t i = 0; i < SIZE / PIECE; i++)
        if (operations[i].bytes != (ssize_t)PIECE)
            return -1;
    return bench_now() - begin;
}

static double run_pieces_synchronous(void *argument)
{
    double begin = bench_now();

    (void)argument;
    for (size_t place = 0; place < SIZE; place += PIECE)
        if (hipFileRead(file, memory, PIECE, (hoff_t)place, (hoff_t)place) != (ssize_t)PIECE)
            return -1;
    return bench_now() - begin;
}

static bool compare_small(void)
{
    const struct bench_side stream = {"stream", run_small, NULL};
    const struct bench_side synchronous = {"synchronous", run_small_synchronous, NULL};
    struct bench_result r;

    if (!bench_compare(&stream, &synchronous, PAIRS, &r))
        return false;
    printf("4 KiB read: in a stream, synchronised %.1f us; synchronous %.1f us\n", r.ours * 1e6,
           r.peer * 1e6);
    return true;
}

static bool compare_streams(int count)
{
    const struct bench_side stream = {"streams", run_streams, &count};
    const struct bench_side synchronous = {"synchronous", run_pieces_synchronous, NULL};
    struct bench_result r;

    if (!bench_compare(&stream, &synchronous, PAIRS, &r))
        return false;
    printf("4 MiB reads, %2d stream%s: %.1f GB/s; one thread, synchronous %.1f GB/s; ratio %.2f "
           "[%.2f - %.2f]\n",
           count, count == 1 ? " " : "s", (double)SIZE / r.ours * 1e-9,
           (double)SIZE / r.peer * 1e-9, r.ratio, r.ratio_low, r.ratio_high);
    return true;
}

int main(int argc, char **argv)
{
    double submission;

    if (!start(argc > 1 ? argv[1] : "/var/tmp"))
        return 1;
    run_submissions(NULL);
    submission = run_submissions(NULL);
    if (submission < 0)
        return 1;
    printf("a submission: %.1f us\n", submission * 1e6);
    return compare_small() && compare_streams(1) && compare_streams(4) && compare_streams(16) ? 0
                                                                                              : 1;
}
