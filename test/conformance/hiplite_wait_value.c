// SPDX-License-Identifier: MIT
//
// Streams that wait for a value, and write one.
#include <pthread.h>
#include <sched.h>

#include "../support/hiplite_test.h"

static hipStream_t stream;
static uint64_t *slot;

static void set(uint64_t value)
{
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

// The wait holds at the first value and not at the second.
static void check_wait(unsigned flags, uint64_t value, uint64_t mask, uint64_t holds, uint64_t goes)
{
    set(holds);
    CHECK_OK(hipStreamWaitValue64(stream, slot, value, flags, mask));
    sleep_ms(5);
    CHECK_IS(hipStreamQuery(stream), hipErrorNotReady);
    set(goes);
    CHECK_OK(hipStreamSynchronize(stream));
}

static void check_wait32(unsigned flags, uint32_t value, uint32_t mask, uint32_t holds,
                         uint32_t goes)
{
    uint32_t *half = (uint32_t *)slot + 1;

    __atomic_store_n(half, holds, __ATOMIC_RELEASE);
    CHECK_OK(hipStreamWaitValue32(stream, half, value, flags, mask));
    sleep_ms(5);
    CHECK_IS(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(half, goes, __ATOMIC_RELEASE);
    CHECK_OK(hipStreamSynchronize(stream));
}

static void test_conditions(void)
{
    check_wait(hipStreamWaitValueGte, 10, UINT64_MAX, 9, 10);
    check_wait(hipStreamWaitValueGte, 10, UINT64_MAX, 9, 1000);
    check_wait(hipStreamWaitValueGte, 2, UINT64_MAX, UINT64_MAX, 3); // counters wrap
    check_wait(hipStreamWaitValueGte, 5, 0xff, 0x1004, 0x1005);
    check_wait(hipStreamWaitValueEq, 10, UINT64_MAX, 11, 10);
    check_wait(hipStreamWaitValueEq, 0x34, 0xff, 0x1233, 0x1234);
    check_wait(hipStreamWaitValueAnd, 0x30, UINT64_MAX, 0x0f, 0x10);
    check_wait(hipStreamWaitValueAnd, 0x30, 0x10, 0x20, 0x10);
}

static void test_conditions_rest(void)
{
    check_wait(hipStreamWaitValueNor, UINT64_MAX - 1, UINT64_MAX, 1, 2);
    check_wait32(hipStreamWaitValueGte, 10, UINT32_MAX, 9, 10);
    check_wait32(hipStreamWaitValueGte, 1, UINT32_MAX, UINT32_MAX, 1);
    check_wait32(hipStreamWaitValueEq, 7, UINT32_MAX, 8, 7);
    check_wait32(hipStreamWaitValueAnd, 4, UINT32_MAX, 3, 4);
    check_wait32(hipStreamWaitValueNor, UINT32_MAX - 1, UINT32_MAX, 1, 0);
}

static void test_arguments(void)
{
    void *device, *pinned;
    int yes;

    CHECK_OK(hipDeviceGetAttribute(&yes, hipDeviceAttributeCanUseStreamWaitValue, 0));
    CHECK(yes == 1);
    CHECK_OK(hipMalloc(&device, 8));
    CHECK_OK(hipHostMalloc(&pinned, 8, 0));
    CHECK_IS(hipStreamWaitValue64(stream, NULL, 0, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWaitValue64(stream, slot, 0, 4, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWaitValue64(stream, (uint32_t *)slot + 1, 0, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWaitValue64(stream, device, 0, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWaitValue64(stream, pinned, 0, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWaitValue64(stream, &yes, 0, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWriteValue64(stream, slot, 0, 1), hipErrorInvalidValue);
    CHECK_IS(hipStreamWriteValue64(stream, &yes, 0, 0), hipErrorInvalidValue);
    CHECK_OK(hipFree(device));
    CHECK_OK(hipHostFree(pinned));
}

// One stream releases another, in order; device memory can be written to as well.
static void test_write(void)
{
    hipStream_t other;
    uint64_t *device, out = 0;

    CHECK_OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    CHECK_OK(hipMalloc((void **)&device, 16));
    set(0);
    CHECK_OK(hipStreamWaitValue64(stream, slot, 3, hipStreamWaitValueEq, UINT64_MAX));
    CHECK_OK(hipStreamWriteValue64(stream, slot, 4, 0));
    CHECK_OK(hipStreamWriteValue64(other, slot, 3, 0));
    CHECK_OK(hipStreamWaitValue64(other, slot, 4, hipStreamWaitValueEq, UINT64_MAX));
    CHECK_OK(hipStreamWriteValue64(other, device, 0x1122334455667788, 0));
    CHECK_OK(hipStreamWriteValue32(other, (uint32_t *)device + 1, 7, 0));
    CHECK_OK(hipMemcpyWithStream(&out, device, 8, hipMemcpyDeviceToHost, other));
    CHECK(out == 0x755667788);
    CHECK_IS(hipStreamWriteValue64(other, device + 2, 0, 0), hipErrorInvalidValue);
    CHECK_OK(hipStreamSynchronize(stream));
    CHECK(*slot == 4);
    CHECK_OK(hipStreamDestroy(other));
    CHECK_OK(hipFree(device));
}

// Stores by another thread, one after the other: none is lost, and each is noticed soon.
enum { TURNS = 2000 };
static uint64_t *ping, *pong;

static void *answer(void *arg)
{
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        while (__atomic_load_n(ping, __ATOMIC_ACQUIRE) < turn)
            sched_yield();
        __atomic_store_n(pong, turn, __ATOMIC_RELEASE);
    }
    return arg;
}

static void test_latency(void)
{
    pthread_t thread;
    double start;

    CHECK_OK(hipExtMallocWithFlags((void **)&ping, 8, hipMallocSignalMemory));
    CHECK_OK(hipExtMallocWithFlags((void **)&pong, 8, hipMallocSignalMemory));
    CHECK(*ping == 0 && *pong == 0);
    CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
    start = now_ms();
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        CHECK_OK(hipStreamWriteValue64(stream, ping, turn, 0));
        CHECK_OK(hipStreamWaitValue64(stream, pong, turn, hipStreamWaitValueGte, UINT64_MAX));
    }
    CHECK_OK(hipStreamSynchronize(stream));
    CHECK(pthread_join(thread, NULL) == 0);
    printf("%.1f us a turn\n", (now_ms() - start) * 1e3 / TURNS);
    CHECK_OK(hipFree(ping));
    CHECK_OK(hipFree(pong));
}

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// A program with nothing queued costs nothing.
static void test_idle(void)
{
    double start = cpu_ms();

    sleep_ms(300);
    CHECK(cpu_ms() - start < 5);
}

static void without_wait_values(void)
{
    int yes = -1;

    setenv("HIPLITE_WAIT_VALUE", "0", 1);
    CHECK_OK(hipDeviceGetAttribute(&yes, hipDeviceAttributeCanUseStreamWaitValue, 0));
    CHECK(yes == 0);
    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    CHECK_IS(hipStreamWaitValue64(NULL, slot, 0, 0, 1), hipErrorNotSupported);
}

int main(void)
{
    CHECK(in_child(without_wait_values) == 0);
    CHECK_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    test_conditions();
    test_conditions_rest();
    test_arguments();
    test_write();
    test_latency();
    test_idle();
    CHECK_OK(hipStreamDestroy(stream));
    CHECK_OK(hipFree(slot));
    return 0;
}
