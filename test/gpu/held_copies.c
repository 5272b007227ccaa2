// SPDX-License-Identifier: MIT
//
// Which copies stand still while other streams are held: N streams are held, by a value wait or
// inside a host function, with some work queued on each before and behind that, and a copy is tried
// on a stream of its own, of the default and of the highest priority. Prints the combinations where
// the copy did not finish; nothing waits for ever, since the streams are let go afterwards.
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "check.h"

#define MOST     32
#define SLICE    ((size_t)65536)
#define SLICES   (MOST + 1)
#define LIMIT_MS 40.0

enum work { NOTHING, HOST_FUNCTION, MEMSET, TO_DEVICE, TO_HOST, ON_DEVICE, WORKS };
static const char *const names[] = {"nothing", "host func", "memset",
                                    "copy in", "copy out",  "copy on device"};

struct probe {
    const char *name;
    hipStream_t stream;
    hipEvent_t event;
};

static char *device, *other, *pinned;
static hipStream_t held[MOST];
static uint64_t *word[MOST];
static uint64_t round_number;
static sem_t let_go;

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void nothing(void *unused)
{
    (void)unused;
}

static void wait_in_host_function(void *unused)
{
    (void)unused;
    sem_wait(&let_go);
}

static void queue(enum work work, hipStream_t stream, size_t slice)
{
    char *a = device + slice * SLICE, *b = other + slice * SLICE, *p = pinned + slice * SLICE;

    switch (work) {
    case HOST_FUNCTION:
        CHECK(hipLaunchHostFunc(stream, nothing, NULL));
        break;
    case MEMSET:
        CHECK(hipMemsetAsync(a, 1, SLICE, stream));
        break;
    case TO_DEVICE:
        CHECK(hipMemcpyAsync(a, p, SLICE, hipMemcpyHostToDevice, stream));
        break;
    case TO_HOST:
        CHECK(hipMemcpyAsync(p, a, SLICE, hipMemcpyDeviceToHost, stream));
        break;
    case ON_DEVICE:
        CHECK(hipMemcpyAsync(a, b, SLICE, hipMemcpyDeviceToDevice, stream));
        break;
    default:
        break;
    }
}

static void hold(int i, bool by_value)
{
    if (by_value)
        CHECK(hipStreamWaitValue64(held[i], word[i], round_number, hipStreamWaitValueGte,
                                   UINT64_MAX));
    else
        CHECK(hipLaunchHostFunc(held[i], wait_in_host_function, NULL));
}

static void release(int i, bool by_value)
{
    if (by_value)
        atomic_store((_Atomic uint64_t *)word[i], round_number);
    else
        sem_post(&let_go);
}

static bool finishes(const struct probe *probe, enum work copy)
{
    double begin = now_ms();

    queue(copy, probe->stream, MOST);
    CHECK(hipEventRecord(probe->event, probe->stream));
    while (hipEventQuery(probe->event) == hipErrorNotReady) {
        if (now_ms() - begin > LIMIT_MS)
            return false;
        usleep(20);
    }
    return true;
}

static void try_one(int count, bool by_value, enum work before, enum work behind,
                    const struct probe *probe, enum work copy)
{
    round_number++;
    for (int i = 0; i < count; i++) {
        queue(before, held[i], (size_t)i);
        hold(i, by_value);
        queue(behind, held[i], (size_t)i);
    }
    usleep(500);
    if (!finishes(probe, copy))
        printf("%2d held %s, %s before and %s behind: %s at %s priority stands still\n", count,
               by_value ? "by values" : "in host functions", names[before], names[behind],
               names[copy], probe->name);
    for (int i = 0; i < count; i++)
        release(i, by_value);
    for (int i = 0; i < count; i++)
        CHECK(hipStreamSynchronize(held[i]));
    CHECK(hipStreamSynchronize(probe->stream));
}

static void try_all(int count, bool by_value, const struct probe *probe)
{
    for (enum work before = 0; before < WORKS; before++)
        for (enum work behind = 0; behind < WORKS; behind++)
            for (enum work copy = TO_DEVICE; copy <= TO_HOST; copy++)
                try_one(count, by_value, before, behind, probe, copy);
}

static void set_up(struct probe *probes)
{
    int least, greatest;

    sem_init(&let_go, 0, 0);
    CHECK(hipMalloc((void **)&device, SLICES * SLICE));
    CHECK(hipMalloc((void **)&other, SLICES * SLICE));
    CHECK(hipHostMalloc((void **)&pinned, SLICES * SLICE, 0));
    CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    for (int i = 0; i < MOST; i++) {
        CHECK(hipStreamCreateWithFlags(&held[i], hipStreamNonBlocking));
        CHECK(hipExtMallocWithFlags((void **)&word[i], sizeof *word[i], hipMallocSignalMemory));
    }
    for (int p = 0; p < 2; p++) {
        probes[p].name = p ? "the highest" : "the default";
        CHECK(
            hipStreamCreateWithPriority(&probes[p].stream, hipStreamNonBlocking, p ? greatest : 0));
        CHECK(hipEventCreateWithFlags(&probes[p].event, hipEventDisableTiming));
        for (enum work work = 0; work < WORKS; work++) /* what is loaded when first used */
            queue(work, probes[p].stream, MOST);
    }
    CHECK(hipDeviceSynchronize());
}

int main(void)
{
    static const int counts[] = {1, 4, 16, 32};
    struct probe probes[2];

    set_up(probes);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int p = 0; p < 2; p++) {
            try_all(counts[i], true, &probes[p]);
            try_all(counts[i], false, &probes[p]);
        }
    puts("all tried");
    return 0;
}
