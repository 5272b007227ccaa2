// SPDX-License-Identifier: MIT
//
// Events: record, query, wait, time, across streams and devices.
#include <stdatomic.h>

#include "../support/hiplite_test.h"

#define SIZE ((size_t)1 << 20)

static uint64_t *slot;

static void hold(hipStream_t stream)
{
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    CHECK_OK(hipStreamWaitValue64(stream, slot, 1, hipStreamWaitValueGte, UINT64_MAX));
}

static void release(void)
{
    __atomic_store_n(slot, 1, __ATOMIC_RELEASE);
}

static void test_arguments(void)
{
    hipEvent_t event, other;

    CHECK_IS(hipEventCreate(NULL), hipErrorInvalidValue);
    CHECK_IS(hipEventCreateWithFlags(&event, 0x80), hipErrorInvalidValue);
    CHECK_IS(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
    CHECK_IS(hipEventRecord(NULL, NULL), hipErrorInvalidHandle);
    CHECK_IS(hipEventQuery(NULL), hipErrorInvalidHandle);
    CHECK_IS(hipEventSynchronize(NULL), hipErrorInvalidHandle);
    CHECK_IS(hipEventDestroy(NULL), hipErrorInvalidHandle);
    CHECK_OK(hipEventCreate(&event));
    CHECK_OK(hipEventQuery(event)); // never recorded: nothing to wait for
    CHECK_OK(hipEventSynchronize(event));
    CHECK_OK(hipStreamWaitEvent(NULL, event, 0));
    CHECK_IS(hipStreamWaitEvent(NULL, event, 1), hipErrorInvalidValue);
    CHECK_OK(hipEventDestroy(event));
    CHECK_OK(hipEventCreate(&other));
    CHECK_IS(hipEventQuery(event), hipErrorInvalidHandle);
    CHECK_IS(hipEventDestroy(event), hipErrorInvalidHandle);
    CHECK_OK(hipEventDestroy(other));
}

static void test_record(hipStream_t stream)
{
    hipEvent_t event;

    (void)hipGetLastError();
    CHECK_OK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    hold(stream);
    CHECK_OK(hipEventRecord(event, stream));
    CHECK_IS(hipEventQuery(event), hipErrorNotReady);
    CHECK_OK(hipGetLastError());
    release();
    CHECK_OK(hipEventSynchronize(event));
    CHECK_OK(hipEventQuery(event));
    CHECK_OK(hipEventDestroy(event));
}

// The second stream sees what the first wrote before the event.
static void test_wait(hipStream_t first, hipStream_t second)
{
    unsigned char *device, *out;
    hipEvent_t event;

    CHECK_OK(hipEventCreate(&event));
    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipHostMalloc((void **)&out, SIZE, 0));
    hold(first);
    CHECK_OK(hipMemsetAsync(device, 9, SIZE, first));
    CHECK_OK(hipEventRecord(event, first));
    CHECK_OK(hipStreamWaitEvent(second, event, 0));
    CHECK_OK(hipMemcpyAsync(out, device, SIZE, hipMemcpyDeviceToHost, second));
    sleep_ms(20);
    CHECK_IS(hipStreamQuery(second), hipErrorNotReady);
    CHECK_OK(hipEventDestroy(event)); // the waits stay
    release();
    CHECK_OK(hipStreamSynchronize(second));
    CHECK(bytes_are(out, SIZE, 9));
    CHECK_OK(hipStreamSynchronize(first));
    CHECK_OK(hipFree(device));
    CHECK_OK(hipHostFree(out));
}

static void nap(void *arg)
{
    (void)arg;
    sleep_ms(30);
}

static void test_elapsed(hipStream_t stream)
{
    hipEvent_t start, stop, timeless;
    float ms = -1;

    CHECK_OK(hipEventCreate(&start));
    CHECK_OK(hipEventCreate(&stop));
    CHECK_OK(hipEventCreateWithFlags(&timeless, hipEventDisableTiming));
    CHECK_IS(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle);
    CHECK_OK(hipEventRecord(start, stream));
    CHECK_OK(hipLaunchHostFunc(stream, nap, NULL));
    CHECK_OK(hipEventRecord(stop, stream));
    CHECK_IS(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
    CHECK_OK(hipEventSynchronize(stop));
    CHECK_OK(hipEventElapsedTime(&ms, start, stop));
    CHECK(ms > 25 && ms < 5000);
    CHECK_OK(hipEventRecord(timeless, stream));
    CHECK_OK(hipEventSynchronize(timeless));
    CHECK_IS(hipEventElapsedTime(&ms, start, timeless), hipErrorInvalidHandle);
    CHECK_IS(hipEventElapsedTime(NULL, start, stop), hipErrorInvalidValue);
    CHECK_OK(hipEventDestroy(start));
    CHECK_OK(hipEventDestroy(stop));
    CHECK_OK(hipEventDestroy(timeless));
}

// An event that is recorded anew while a wait for its last record is queued.
static void test_record_again(hipStream_t first, hipStream_t second)
{
    hipEvent_t event;

    CHECK_OK(hipEventCreate(&event));
    CHECK_OK(hipEventRecord(event, first));
    CHECK_OK(hipStreamWaitEvent(second, event, 0));
    hold(first);
    CHECK_OK(hipEventRecord(event, first));
    CHECK_OK(hipStreamSynchronize(second)); // waits for the first record only
    CHECK_IS(hipEventQuery(event), hipErrorNotReady);
    release();
    CHECK_OK(hipEventSynchronize(event));
    CHECK_OK(hipEventDestroy(event));
}

// A record that is reached after a later one does not count any more.
static void test_record_overtaken(hipStream_t first, hipStream_t second)
{
    hipEvent_t start, stop;
    float before, after;

    CHECK_OK(hipEventCreate(&start));
    CHECK_OK(hipEventCreate(&stop));
    CHECK_OK(hipEventRecord(start, second));
    hold(first);
    CHECK_OK(hipEventRecord(stop, first));
    CHECK_OK(hipEventRecord(stop, second));
    CHECK_OK(hipEventSynchronize(stop));
    CHECK_OK(hipEventElapsedTime(&before, start, stop));
    release();
    CHECK_OK(hipStreamSynchronize(first));
    CHECK_OK(hipEventElapsedTime(&after, start, stop));
    CHECK(after >= before && after <= before);
    CHECK_OK(hipEventDestroy(start));
    CHECK_OK(hipEventDestroy(stop));
}

static void test_devices(void)
{
    hipStream_t here, there;
    hipEvent_t event;
    unsigned char *device, out = 0;
    int number;

    CHECK_OK(hipStreamCreateWithFlags(&here, hipStreamNonBlocking));
    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipSetDevice(1));
    CHECK_OK(hipStreamCreateWithFlags(&there, hipStreamNonBlocking));
    CHECK_OK(hipEventCreate(&event));
    CHECK_IS(hipEventRecord(event, here), hipErrorInvalidHandle); // of another device
    hold(there);
    CHECK_OK(hipEventRecord(event, there));
    CHECK_OK(hipStreamWaitEvent(here, event, 0));
    CHECK_OK(hipMemsetAsync(device, 4, SIZE, here));
    CHECK_OK(hipStreamGetDevice(there, &number));
    CHECK(number == 1);
    CHECK_OK(hipSetDevice(0));
    CHECK_IS(hipStreamQuery(here), hipErrorNotReady);
    release();
    CHECK_OK(hipDeviceSynchronize());
    CHECK_OK(hipMemcpy(&out, device + SIZE - 1, 1, hipMemcpyDeviceToHost));
    CHECK(out == 4);
    CHECK_OK(hipFree(device));
    CHECK_OK(hipEventDestroy(event));
    CHECK_OK(hipStreamDestroy(here));
    CHECK_OK(hipStreamDestroy(there));
}

int main(void)
{
    hipStream_t streams[5];

    setenv("HIPLITE_CPU_DEVICES", "2", 1);
    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    for (int i = 0; i < 5; i++)
        CHECK_OK(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    test_arguments();
    test_record(streams[0]);
    test_record(NULL);
    test_wait(streams[0], streams[1]);
    test_wait(streams[0], streams[4]); // on one queue
    test_elapsed(streams[2]);
    test_record_again(streams[0], streams[1]);
    test_record_overtaken(streams[0], streams[1]);
    test_devices();
    for (int i = 0; i < 5; i++)
        CHECK_OK(hipStreamDestroy(streams[i]));
    CHECK_OK(hipFree(slot));
    return 0;
}
