// SPDX-License-Identifier: MIT
//
// Streams: order, queues, the default stream, host functions, waiting.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../support/hiplite_test.h"

#define SIZE ((size_t)1 << 20)

static void gate_wait(void *gate)
{
    while (!atomic_load((atomic_bool *)gate))
        sleep_ms(1);
}

// Holds a stream until the value is 1.
static uint64_t *hold(hipStream_t stream)
{
    uint64_t *slot;

    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    CHECK_OK(hipStreamWaitValue64(stream, slot, 1, hipStreamWaitValueEq, UINT64_MAX));
    return slot;
}

static void release(uint64_t *slot)
{
    __atomic_store_n(slot, 1, __ATOMIC_RELEASE);
}

static hipStream_t stream_make(unsigned flags)
{
    hipStream_t stream;

    CHECK_OK(hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

static void test_handles(void)
{
    hipStream_t stream, other;
    unsigned flags;
    int value;

    CHECK_IS(hipStreamCreate(NULL), hipErrorInvalidValue);
    CHECK_IS(hipStreamCreateWithFlags(&stream, 2), hipErrorInvalidValue);
    CHECK_OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -99));
    CHECK_OK(hipStreamGetPriority(stream, &value));
    CHECK(value == -1);
    CHECK_OK(hipStreamGetFlags(stream, &flags));
    CHECK(flags == hipStreamNonBlocking);
    CHECK_OK(hipStreamGetDevice(stream, &value));
    CHECK(value == 0);
    CHECK_OK(hipStreamGetPriority(NULL, &value));
    CHECK(value == 0);
    CHECK_OK(hipStreamGetFlags(NULL, &flags));
    CHECK(flags == hipStreamDefault);
    CHECK_OK(hipStreamQuery(stream));
    CHECK_OK(hipStreamDestroy(stream));
    CHECK_OK(hipStreamCreate(&other));
    CHECK(other != stream); // the old handle stays wrong
    CHECK_IS(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    CHECK_IS(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    CHECK_IS(hipStreamQuery((hipStream_t)&value), hipErrorContextIsDestroyed);
    CHECK_IS(hipStreamGetDevice((hipStream_t)0x12345, &value), hipErrorContextIsDestroyed);
    CHECK_IS(hipStreamDestroy(NULL), hipErrorInvalidHandle);
    CHECK_OK(hipStreamSynchronize(hipStreamLegacy));
    CHECK_OK(hipStreamSynchronize(hipStreamPerThread));
    CHECK_OK(hipStreamDestroy(other));
}

// A copy, a fill and a copy back, in the order of one stream.
static void test_order(hipStream_t stream)
{
    unsigned char *device, *in, *out;

    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipHostMalloc((void **)&in, SIZE, 0));
    CHECK_OK(hipHostMalloc((void **)&out, SIZE, 0));
    for (unsigned round = 0; round < 20; round++) {
        pattern_fill(in, SIZE, round);
        CHECK_OK(hipMemcpyAsync(device, in, SIZE, hipMemcpyHostToDevice, stream));
        CHECK_OK(hipMemsetAsync(device + SIZE / 2, (int)round, 1000, stream));
        CHECK_OK(hipMemcpyAsync(out, device, SIZE, hipMemcpyDeviceToHost, stream));
        CHECK_OK(hipStreamSynchronize(stream));
        CHECK_OK(hipStreamQuery(stream));
        CHECK(pattern_holds(out, SIZE / 2, round));
        CHECK(bytes_are(out + SIZE / 2, 1000, (unsigned char)round));
        CHECK(out[SIZE - 1] == in[SIZE - 1]);
    }
    CHECK_OK(hipFree(device));
    CHECK_OK(hipHostFree(in));
    CHECK_OK(hipHostFree(out));
}

// --- Host functions ---------------------------------------------------------------------------

static atomic_int calls;
static pthread_t caller;
static hipError_t inside[4];

static void count(void *arg)
{
    CHECK(atomic_fetch_add(&calls, 1) == *(int *)arg);
    caller = pthread_self();
}

static void call_hip(void *arg)
{
    void *ptr;

    (void)arg;
    inside[0] = hipMalloc(&ptr, 1);
    inside[1] = hipStreamQuery(NULL);
    inside[2] = hipGetDevice((int *)&ptr);
    inside[3] = hipPeekAtLastError();
}

static void callback(hipStream_t stream, hipError_t status, void *arg)
{
    *(hipStream_t *)arg = status == hipSuccess ? stream : NULL;
}

static void test_host_functions(void)
{
    enum { COUNT = 200 };
    static int numbers[COUNT];
    hipStream_t a = stream_make(hipStreamNonBlocking);
    hipStream_t b = stream_make(hipStreamNonBlocking);
    hipStream_t seen = NULL;
    pthread_t first;

    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
        CHECK_OK(hipLaunchHostFunc(a, count, &numbers[i]));
    }
    CHECK_OK(hipStreamSynchronize(a));
    CHECK(atomic_load(&calls) == COUNT);
    first = caller;
    atomic_store(&calls, 0);
    CHECK_OK(hipLaunchHostFunc(b, count, &numbers[0]));
    CHECK_OK(hipStreamSynchronize(b));
    CHECK(pthread_equal(first, caller) && !pthread_equal(first, pthread_self()));

    (void)hipGetLastError();
    CHECK_OK(hipLaunchHostFunc(b, call_hip, NULL));
    CHECK_OK(hipStreamSynchronize(b));
    for (int i = 0; i < 4; i++)
        CHECK(inside[i] == hipErrorIllegalState);
    CHECK_OK(hipGetLastError()); // it was the other thread's error

    CHECK_OK(hipStreamAddCallback(a, callback, &seen, 0));
    CHECK_OK(hipStreamSynchronize(a));
    CHECK(seen == a);
    CHECK_IS(hipStreamAddCallback(a, callback, &seen, 1), hipErrorInvalidValue);
    CHECK_IS(hipLaunchHostFunc(a, NULL, NULL), hipErrorInvalidValue);
    CHECK_OK(hipStreamDestroy(a));
    CHECK_OK(hipStreamDestroy(b));
}

// One thread for all: a host function that waits holds up those of every other stream.
static void test_host_functions_serial(void)
{
    hipStream_t a = stream_make(hipStreamNonBlocking);
    hipStream_t b = stream_make(hipStreamNonBlocking);
    atomic_bool gate = false;
    int zero = 0;

    (void)hipGetLastError();
    atomic_store(&calls, 0);
    CHECK_OK(hipLaunchHostFunc(a, gate_wait, &gate));
    CHECK_OK(hipLaunchHostFunc(b, count, &zero));
    sleep_ms(50);
    CHECK(atomic_load(&calls) == 0);
    CHECK_IS(hipStreamQuery(b), hipErrorNotReady);
    CHECK_OK(hipPeekAtLastError()); // not ready is no error to remember
    atomic_store(&gate, true);
    CHECK_OK(hipStreamSynchronize(b));
    CHECK(atomic_load(&calls) == 1);
    CHECK_OK(hipStreamSynchronize(a));
    CHECK_OK(hipStreamDestroy(a));
    CHECK_OK(hipStreamDestroy(b));
}

// --- Queues -----------------------------------------------------------------------------------

// A little work gets done soon.
static bool runs(hipStream_t stream)
{
    static atomic_bool open = true;
    double end = now_ms() + 100;
    hipError_t error;

    CHECK_OK(hipLaunchHostFunc(stream, gate_wait, &open));
    do {
        sleep_ms(1);
        error = hipStreamQuery(stream);
    } while (error == hipErrorNotReady && now_ms() < end);
    return error == hipSuccess;
}

// The streams of a priority share its queues in the order of their creation; others do not.
static void test_queues(void)
{
    enum { STREAMS = 9, QUEUES = 4 };
    hipStream_t streams[STREAMS], high;
    uint64_t *slot;

    for (int i = 0; i < STREAMS; i++)
        streams[i] = stream_make(hipStreamNonBlocking);
    CHECK_OK(hipStreamCreateWithPriority(&high, hipStreamNonBlocking, -1));
    slot = hold(streams[0]);
    for (int i = 1; i < STREAMS; i++)
        CHECK(runs(streams[i]) == (i % QUEUES != 0));
    CHECK(runs(high));
    release(slot);
    for (int i = 0; i < STREAMS; i++) {
        CHECK_OK(hipStreamSynchronize(streams[i]));
        CHECK_OK(hipStreamDestroy(streams[i]));
    }
    CHECK_OK(hipStreamDestroy(high));
    CHECK_OK(hipFree(slot));
}

static void one_queue(void)
{
    hipStream_t first, second;
    uint64_t *slot;

    setenv("HIPLITE_QUEUES", "1", 1);
    first = stream_make(hipStreamNonBlocking);
    second = stream_make(hipStreamNonBlocking);
    slot = hold(first);
    CHECK(!runs(second));
    release(slot);
    CHECK_OK(hipDeviceSynchronize());
}

// --- The default stream -----------------------------------------------------------------------

static void test_default_stream(void)
{
    hipStream_t nonblocking = stream_make(hipStreamNonBlocking);
    hipStream_t blocking; // not on a queue of the default stream's
    unsigned char *device, out = 1;
    uint64_t *slot;

    CHECK_OK(hipStreamCreateWithPriority(&blocking, hipStreamDefault, 1));

    CHECK_OK(hipMalloc((void **)&device, SIZE));
    // The default stream waits for blocking streams...
    slot = hold(blocking);
    CHECK_OK(hipMemsetAsync(device, 5, SIZE, NULL));
    CHECK_IS(hipStreamQuery(NULL), hipErrorNotReady);
    CHECK(runs(nonblocking));
    CHECK_OK(hipMemcpyWithStream(&out, device, 1, hipMemcpyDeviceToHost, nonblocking));
    sleep_ms(20);
    CHECK_IS(hipStreamQuery(NULL), hipErrorNotReady);
    release(slot);
    CHECK_OK(hipMemcpy(&out, device + SIZE - 1, 1, hipMemcpyDeviceToHost)); // so does this one
    CHECK(out == 5);
    CHECK_OK(hipStreamQuery(blocking));
    CHECK_OK(hipFree(slot));
    // ... and they for it.
    slot = hold(NULL);
    CHECK(!runs(blocking));
    release(slot);
    CHECK_OK(hipStreamSynchronize(blocking));
    CHECK_OK(hipFree(slot));
    CHECK_OK(hipFree(device));
    CHECK_OK(hipStreamDestroy(blocking));
    CHECK_OK(hipStreamDestroy(nonblocking));
}

// --- What waits for all streams ---------------------------------------------------------------

static uint64_t *held_slot;

static void *release_later(void *arg)
{
    sleep_ms(60);
    release(held_slot);
    return arg;
}

static void test_waiting_calls(void)
{
    static char own[4096];
    hipStream_t stream = stream_make(hipStreamNonBlocking);
    void *device, *pinned;

    CHECK_OK(hipMalloc(&device, SIZE));
    CHECK_OK(hipHostMalloc(&pinned, SIZE, 0));
    CHECK_OK(hipHostRegister(own, sizeof(own), 0));
    for (int call = 0; call < 5; call++) {
        pthread_t thread;
        double start = now_ms();
        held_slot = hold(stream);
        CHECK(pthread_create(&thread, NULL, release_later, NULL) == 0);
        if (call == 0)
            CHECK_OK(hipFree(device));
        if (call == 1)
            CHECK_OK(hipHostFree(pinned));
        if (call == 2)
            CHECK_OK(hipHostUnregister(own));
        if (call == 3)
            CHECK_OK(hipDeviceSynchronize());
        if (call == 4)
            CHECK_OK(hipStreamSynchronize(stream));
        CHECK(now_ms() - start > 50);
        CHECK_OK(hipStreamQuery(stream));
        pthread_join(thread, NULL);
        CHECK_OK(hipFree(held_slot));
    }
    CHECK_OK(hipStreamDestroy(stream));
}

// Allocation, stream creation and copies elsewhere go on while a stream is held.
static void test_not_waiting_calls(void)
{
    hipStream_t stream = stream_make(hipStreamNonBlocking);
    uint64_t *slot = hold(stream);
    void *device, *pinned;
    hipStream_t other;
    char byte = 1;

    CHECK_OK(hipMalloc(&device, 100));
    CHECK_OK(hipHostMalloc(&pinned, 100, 0));
    CHECK_OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    CHECK_OK(hipMemcpyWithStream(device, &byte, 1, hipMemcpyHostToDevice, other));
    CHECK_OK(hipMemcpyWithStream(pinned, device, 1, hipMemcpyDeviceToHost, other));
    CHECK(*(char *)pinned == 1);
    CHECK_IS(hipStreamQuery(stream), hipErrorNotReady);
    release(slot);
    CHECK_OK(hipDeviceSynchronize());
    CHECK_OK(hipFree(slot));
    CHECK_OK(hipFree(device));
    CHECK_OK(hipHostFree(pinned));
    CHECK_OK(hipStreamDestroy(stream));
    CHECK_OK(hipStreamDestroy(other));
}

// Work that is queued when its stream is destroyed is still done.
static void test_destroy_busy(void)
{
    hipStream_t stream = stream_make(hipStreamNonBlocking);
    uint64_t *slot = hold(stream);
    unsigned char *device, out = 0;

    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipMemsetAsync(device, 3, SIZE, stream));
    CHECK_OK(hipStreamDestroy(stream));
    CHECK_IS(hipStreamQuery(stream), hipErrorContextIsDestroyed);
    release(slot);
    CHECK_OK(hipDeviceSynchronize());
    CHECK_OK(hipMemcpy(&out, device + SIZE - 1, 1, hipMemcpyDeviceToHost));
    CHECK(out == 3);
    CHECK_OK(hipFree(device));
    CHECK_OK(hipFree(slot));
}

static void test_many_streams(void)
{
    enum { STREAMS = 256, ROUNDS = 20 };
    static hipStream_t streams[STREAMS];
    unsigned char *device, *host;

    CHECK_OK(hipMalloc((void **)&device, STREAMS * ROUNDS));
    CHECK_OK(hipHostMalloc((void **)&host, STREAMS * ROUNDS, 0));
    for (int i = 0; i < STREAMS; i++)
        streams[i] = stream_make(i % 2 ? hipStreamNonBlocking : hipStreamDefault);
    for (int i = 0; i < STREAMS * ROUNDS; i++)
        CHECK_OK(hipMemsetAsync(device + i, i / ROUNDS, 1, streams[i / ROUNDS]));
    CHECK_OK(hipDeviceSynchronize());
    CHECK_OK(hipMemcpy(host, device, STREAMS * ROUNDS, hipMemcpyDeviceToHost));
    for (int i = 0; i < STREAMS * ROUNDS; i++)
        CHECK(host[i] == (unsigned char)(i / ROUNDS));
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(hipStreamDestroy(streams[i]));
    CHECK_OK(hipFree(device));
    CHECK_OK(hipHostFree(host));
}

// The handles of streams that were destroyed while they had work are used again.
static void test_slots(void)
{
    hipStream_t gate = stream_make(hipStreamNonBlocking);
    hipStream_t stream;
    hipEvent_t event;
    uint64_t *slot;

    CHECK_OK(hipEventCreate(&event));
    for (int round = 0; round < 70; round++) {
        slot = hold(gate);
        CHECK_OK(hipEventRecord(event, gate));
        for (int i = 0; i < 1000; i++) {
            CHECK_OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, 1));
            CHECK_OK(hipStreamWaitEvent(stream, event, 0));
            CHECK_OK(hipStreamDestroy(stream));
        }
        release(slot);
        CHECK_OK(hipDeviceSynchronize());
        CHECK_OK(hipFree(slot));
    }
    CHECK_OK(hipEventDestroy(event));
    CHECK_OK(hipStreamDestroy(gate));
}

int main(void)
{
    hipStream_t stream;

    CHECK(in_child(one_queue) == 0);
    stream = stream_make(hipStreamNonBlocking);
    test_handles();
    test_order(stream);
    test_order(NULL);
    test_order(hipStreamPerThread);
    CHECK_OK(hipStreamDestroy(stream));
    test_host_functions();
    test_host_functions_serial();
    test_queues();
    test_default_stream();
    test_waiting_calls();
    test_not_waiting_calls();
    test_destroy_busy();
    test_many_streams();
    test_slots();
    return 0;
}
