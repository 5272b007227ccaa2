// SPDX-License-Identifier: MIT
//
// Many threads at once: lookups while the set of ranges changes, streams, events, registrations.
#include <pthread.h>
#include <stdatomic.h>

#include "../support/hiplite_test.h"

#define THREADS 8
#define ROUNDS  150

static unsigned char *shared; // device memory, 4096 bytes for each thread
static atomic_int host_calls;

static void count(void *arg)
{
    (void)arg;
    atomic_fetch_add(&host_calls, 1);
}

// Allocates and frees while the others look up.
static void memory_round(unsigned number)
{
    hipPointerAttribute_t attributes;
    unsigned char *mine, *pinned;
    void *base;
    size_t size;

    CHECK_OK(hipMalloc((void **)&mine, 5000 + number));
    CHECK_OK(hipHostMalloc((void **)&pinned, 5000, 0));
    CHECK_OK(hipMemGetAddressRange(&base, &size, mine + 4999));
    CHECK(base == mine && size == 5000 + number);
    CHECK_OK(hipPointerGetAttributes(&attributes, pinned));
    CHECK(attributes.type == hipMemoryTypeHost);
    CHECK_OK(hipPointerGetAttributes(&attributes, shared + number));
    CHECK(attributes.type == hipMemoryTypeDevice);
    CHECK_OK(hipFree(mine));
    CHECK_OK(hipHostFree(pinned));
}

static void stream_round(hipStream_t stream, hipStream_t other, unsigned char *mine,
                         unsigned number)
{
    unsigned char in[64], out[64];
    hipEvent_t event;

    pattern_fill(in, sizeof(in), number);
    CHECK_OK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    CHECK_OK(hipMemcpyAsync(mine, in, sizeof(in), hipMemcpyHostToDevice, stream));
    CHECK_OK(hipMemcpyAsync(mine + 1000, mine, sizeof(in), hipMemcpyDeviceToDevice, stream));
    CHECK_OK(hipEventRecord(event, stream));
    CHECK_OK(hipStreamWaitEvent(other, event, 0));
    CHECK_OK(hipMemcpyAsync(mine + 2000, mine + 1000, sizeof(in), hipMemcpyDeviceToDevice, other));
    CHECK_OK(hipLaunchHostFunc(other, count, NULL));
    CHECK_OK(hipStreamSynchronize(other));
    CHECK_OK(hipMemcpyWithStream(out, mine + 2000, sizeof(out), hipMemcpyDeviceToHost, stream));
    CHECK(pattern_holds(out, sizeof(out), number));
    CHECK_OK(hipEventDestroy(event));
}

static void *work(void *arg)
{
    unsigned number = *(unsigned *)arg;
    hipStream_t stream, other;

    for (unsigned round = 0; round < ROUNDS; round++) {
        CHECK_OK(hipStreamCreateWithFlags(&stream, round % 2));
        CHECK_OK(hipStreamCreateWithPriority(&other, hipStreamNonBlocking, (int)round % 3 - 1));
        memory_round(number);
        stream_round(stream, other, shared + number * 4096, number + round);
        CHECK_OK(hipStreamDestroy(stream));
        CHECK_OK(hipStreamDestroy(other));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];

    CHECK_OK(hipMalloc((void **)&shared, THREADS * 4096));
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_OK(hipDeviceSynchronize());
    CHECK(atomic_load(&host_calls) == THREADS * ROUNDS);
    CHECK_OK(hipFree(shared));
    return 0;
}
