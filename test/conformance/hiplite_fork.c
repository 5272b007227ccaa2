// SPDX-License-Identifier: MIT
//
// A child of fork uses the CPU device anew: nothing hangs, however busy the parent was.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../support/hiplite_test.h"
#include "../support/instrumented.h"

#define SIZE ((size_t)1 << 20)

static hipStream_t stream, busy;
static unsigned char *device;
static uint64_t *slot;
static atomic_bool stop;

static void mark(void *arg)
{
    atomic_store((atomic_bool *)arg, true);
}

static void use_all(hipStream_t on)
{
    unsigned char *memory, *pinned;
    atomic_bool ran = false;
    hipEvent_t event;
    uint64_t *gate;

    CHECK_OK(hipMalloc((void **)&memory, SIZE));
    CHECK_OK(hipHostMalloc((void **)&pinned, SIZE, 0));
    CHECK_OK(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory));
    CHECK_OK(hipEventCreate(&event));
    CHECK_OK(hipMemsetAsync(memory, 5, SIZE, on));
    CHECK_OK(hipMemcpyAsync(pinned, memory, SIZE, hipMemcpyDeviceToHost, on));
    CHECK_OK(hipLaunchHostFunc(on, mark, &ran));
    CHECK_OK(hipStreamWaitValue64(on, gate, 1, hipStreamWaitValueGte, UINT64_MAX));
    CHECK_OK(hipEventRecord(event, on));
    sleep_ms(5);
    CHECK_IS(hipEventQuery(event), hipErrorNotReady);
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    CHECK_OK(hipEventSynchronize(event));
    CHECK(atomic_load(&ran) && bytes_are(pinned, SIZE, 5));
    CHECK_OK(hipEventDestroy(event));
    CHECK_OK(hipFree(memory)); // waits for all streams, so the parent's work must be gone
    CHECK_OK(hipHostFree(pinned));
    CHECK_OK(hipFree(gate));
}

static void child(void)
{
    hipStream_t own;
    unsigned char byte = 0;

    CHECK_OK(hipStreamQuery(busy)); // what was pending stays with the parent
    CHECK_OK(hipMemcpy(&byte, device, 1, hipMemcpyDeviceToHost));
    CHECK(byte == 9);
    CHECK_OK(hipStreamCreateWithFlags(&own, hipStreamNonBlocking));
    use_all(own);
    use_all(stream);
    use_all(busy);
    use_all(NULL);
    CHECK_OK(hipStreamDestroy(own));
    CHECK_OK(hipDeviceSynchronize());
    _exit(0); // a leak check would name what the parent's threads had on their stacks
}

static void *churn(void *arg)
{
    void *ptr;

    for (int i = 0; !atomic_load(&stop); i++) {
        if (i < 10000)
            CHECK_OK(hipMalloc(&ptr, 4096));
        CHECK_OK(hipMemsetAsync(ptr, 1, 4096, stream));
        CHECK_OK(hipStreamSynchronize(stream));
        sched_yield();
    }
    return arg;
}

int main(void)
{
    pthread_t thread;

    if (!may_fork())
        return 77;
    CHECK_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_OK(hipStreamCreateWithPriority(&busy, hipStreamNonBlocking, -1));
    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipMemset(device, 9, SIZE));
    CHECK_OK(hipDeviceSynchronize());
    use_all(stream);
    CHECK(in_child(child) == 0);

    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    CHECK_OK(hipStreamWaitValue64(busy, slot, 1, hipStreamWaitValueEq, UINT64_MAX));
    CHECK_OK(hipMemsetAsync(device + 1, 3, SIZE - 1, busy));
    CHECK(pthread_create(&thread, NULL, churn, NULL) == 0);
    if (UNDER_ASAN) // its allocator's locks, held by other threads, hang the child
        puts("SKIP: forks beside busy threads: not under a sanitizer of addresses");
    for (int i = 0; !UNDER_ASAN && i < 10; i++)
        CHECK(in_child(child) == 0);
    atomic_store(&stop, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_IS(hipStreamQuery(busy), hipErrorNotReady);
    __atomic_store_n(slot, 1, __ATOMIC_RELEASE);
    CHECK_OK(hipDeviceSynchronize()); // the parent goes on
    CHECK_OK(hipFree(slot));
    return 0;
}
