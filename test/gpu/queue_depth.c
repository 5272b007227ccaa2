// SPDX-License-Identifier: MIT
//
// What queueing on held streams comes to, and what it holds up: streams are held by a value or in a
// host function, made before the first is held or one by one, and host functions are queued on them
// in turn until that is done or stands still. A copy is tried on a stream of another priority, and
// the streams are let go. Measured, not judged; what hangs ends by SIGALRM.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "check.h"

#define MOST_STREAMS 256
#define SIZE         65536

static const struct load {
    int streams, functions; // on each stream
    bool by_value, made_first;
} loads[] = {
    {1, 8000, true, true},  {1, 8000, false, true}, {128, 4, false, true},
    {128, 4, false, false}, {256, 4, true, true},   {256, 4, true, false},
    {256, 4, false, true},  {256, 4, false, false}, {256, 30, false, true},
};

static hipStream_t held[MOST_STREAMS], aside;
static uint64_t *word; // streams are held until it is 1
static char *device, *pinned;
static atomic_int streams_held, queued, ran;
static atomic_bool copied;

static void count(void *unused)
{
    (void)unused;
    ran++;
}

static void wait_for_word(void *unused)
{
    (void)unused;
    while (atomic_load((_Atomic uint64_t *)word) == 0)
        usleep(100);
}

static void make_stream(int i)
{
    CHECK(hipStreamCreateWithFlags(&held[i], hipStreamNonBlocking));
}

static void hold(const struct load *load, int i)
{
    if (load->by_value)
        CHECK(hipStreamWaitValue64(held[i], word, 1, hipStreamWaitValueGte, UINT64_MAX));
    else
        CHECK(hipLaunchHostFunc(held[i], wait_for_word, NULL));
    streams_held++;
}

static void *queue_all(void *argument)
{
    const struct load *load = argument;

    for (int i = 0; i < load->streams; i++) {
        if (!load->made_first)
            make_stream(i);
        hold(load, i);
        for (int f = 0; f < load->functions; f++, queued++)
            CHECK(hipLaunchHostFunc(held[i], count, NULL));
    }
    return NULL;
}

static void *copy(void *unused)
{
    CHECK(hipMemcpyAsync(device, pinned, SIZE, hipMemcpyHostToDevice, aside));
    CHECK(hipStreamSynchronize(aside));
    copied = true;
    return unused;
}

static void set_up(const struct load *load)
{
    int least, greatest;

    CHECK(hipMalloc((void **)&device, SIZE));
    CHECK(hipHostMalloc((void **)&pinned, SIZE, 0));
    CHECK(hipExtMallocWithFlags((void **)&word, sizeof *word, hipMallocSignalMemory));
    atomic_store((_Atomic uint64_t *)word, 0);
    CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(hipStreamCreateWithPriority(&aside, hipStreamNonBlocking, greatest));
    copy(NULL);
    copied = false;
    for (int i = 0; i < load->streams && load->made_first; i++)
        make_stream(i);
}

// Until the number has not changed for a while.
static void settle(const atomic_int *number)
{
    int before;

    do {
        before = *number;
        usleep(500000);
    } while (*number != before);
}

static void measure(const struct load *load)
{
    int all = load->streams * load->functions;
    pthread_t queuer, copier;

    set_up(load);
    printf("%3d streams, made %s, held %s: ", load->streams,
           load->made_first ? "before" : "one by one",
           load->by_value ? "by values" : "in functions");
    pthread_create(&queuer, NULL, queue_all, (void *)(uintptr_t)load);
    settle(&queued);
    printf("%d held, %d queued%s; ", streams_held, queued, queued < all ? ", the next waits" : "");
    pthread_create(&copier, NULL, copy, NULL);
    usleep(500000);
    printf("a copy %s; ", copied ? "moves" : "stands still");
    fflush(stdout);
    atomic_store((_Atomic uint64_t *)word, 1);
    for (int i = 0; i < 50 && (ran < all || !copied); i++)
        usleep(100000);
    printf("let go, %d of %d ran, the copy %s\n", ran, all, copied ? "moves" : "stands still");
    fflush(stdout);
    _exit(0);
}

int main(void)
{
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        pid_t child = fork(); // the parent does not use HIP, so that it works in each child

        if (child == 0) {
            alarm(15);
            measure(&loads[i]);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
