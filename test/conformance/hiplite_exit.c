// SPDX-License-Identifier: MIT
//
// A process ends at once, whatever is pending, and may use the runtime until it does.
#include <stdatomic.h>

#include "../support/hiplite_test.h"

#define SIZE ((size_t)64 << 20)

static void held(void)
{
    hipStream_t stream;
    uint64_t *slot;
    void *ptr;

    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    for (int i = 0; i < 20; i++) {
        CHECK_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        CHECK_OK(hipStreamWaitValue64(stream, slot, 1, hipStreamWaitValueEq, UINT64_MAX));
    }
    CHECK_OK(hipMalloc(&ptr, 4096));
    CHECK_OK(hipMemset(ptr, 1, 4096)); // waits behind the held queues
}

static void copying(void)
{
    char *device, *pinned;

    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipHostMalloc((void **)&pinned, SIZE, 0));
    for (int i = 0; i < 4000; i++)
        CHECK_OK(hipMemcpyAsync(device, pinned, SIZE, hipMemcpyHostToDevice, NULL));
}

static void use_late(void)
{
    char byte = 3, back = 0;
    void *ptr;

    CHECK_OK(hipMalloc(&ptr, SIZE));
    CHECK_OK(hipMemcpy(ptr, &byte, 1, hipMemcpyHostToDevice));
    CHECK_OK(hipMemcpyAsync(&back, ptr, 1, hipMemcpyDeviceToHost, NULL));
    CHECK_OK(hipMemset(ptr, 4, SIZE));
    CHECK_OK(hipDeviceSynchronize());
    CHECK(back == 3);
    CHECK_OK(hipFree(ptr));
}

static void late(void)
{
    CHECK(atexit(use_late) == 0);
    use_late();
}

static void nap(void *arg)
{
    (void)arg;
    sleep_ms(50000);
}

static void in_host_function(void)
{
    CHECK_OK(hipLaunchHostFunc(NULL, nap, NULL));
    sleep_ms(10);
}

int main(void)
{
    void (*const bodies[])(void) = {held, copying, late, in_host_function};

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        double start = now_ms();
        CHECK(in_child(bodies[i]) == 0);
        CHECK(now_ms() - start < 15000); // far less than what is pending would take
    }
    return 0;
}
