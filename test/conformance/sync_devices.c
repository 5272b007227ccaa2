// SPDX-License-Identifier: MIT
//
// Several devices: memory of any of them, whichever is current, and the caller's current device and
// pending error left as they were, after failures too.
#include "sync_test.h"

#include <pthread.h>

#define MOST_DEVICES 3
#define SIZE         65536

static hipFileHandle_t handle;
static int devices; /* three; of GPUs, as many as there are */
static void *memory[MOST_DEVICES];
static unsigned char expected[SIZE], got[SIZE];

static void prepare(void)
{
    CHECK_HIP(hipGetDeviceCount(&devices));
    if (on_gpu() && devices < 2)
        skip_test("needs two NVIDIA GPUs");
    CHECK(on_gpu() || devices == MOST_DEVICES);
    if (devices > MOST_DEVICES)
        devices = MOST_DEVICES;
    for (int d = 0; d < devices; d++) {
        CHECK_HIP(hipSetDevice(d));
        memory[d] = memory_get(DEVICE, SIZE);
    }
    handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
}

static void expect_current(int device)
{
    int current = -1;

    CHECK_HIP(hipGetDevice(&current));
    CHECK_EQUAL(current, device);
}

static void expect_bytes(void *where)
{
    fill(expected, SIZE, 0, 1);
    memory_read(DEVICE, got, where, SIZE);
    CHECK_BYTES(got, expected, SIZE);
    memset(got, 0, SIZE);
    memory_write(DEVICE, where, got, SIZE);
}

static void any_device_from_any_other(void)
{
    prepare();
    for (int registered = 0; registered < 2; registered++)
        for (int current = 0; current < devices; current++)
            for (int d = 0; d < devices; d++) {
                CHECK_HIP(hipSetDevice(current));
                if (registered)
                    CHECK_OK(hipFileBufRegister(memory[d], SIZE, 0));
                expect_current(current);
                CHECK_EQUAL(hipFileRead(handle, memory[d], SIZE, 0, 0), SIZE);
                expect_current(current);
                CHECK_EQUAL(hipFileWrite(handle, memory[d], SIZE, 0, 0), SIZE);
                CHECK_EQUAL(hipFileWrite(handle, memory[d], 999, 1, 1), 999);
                expect_current(current);
                expect_bytes(memory[d]);
                if (registered)
                    CHECK_OK(hipFileBufDeregister(memory[d]));
                CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
            }
}

/* Requests that fail, each in its own place. */
static void fail_in_many_ways(void)
{
    void *last = memory[devices - 1];

    CHECK_EQUAL(hipFileRead(handle, last, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileWrite(handle, last, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileRead(handle, last, SIZE + 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, (void *)64, 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(NULL, last, SIZE, 0, 0), -hipFileHandleNotRegistered);
    CHECK_ERRNO(hipFileRead(handle, last, 1, -1, 0), EINVAL);
    CHECK_CODE(hipFileBufRegister(last, SIZE + 1, 0), hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister((void *)64, 1, 0), hipFileInvalidValue);
}

static void failures_leave_the_device_and_no_error(void)
{
    prepare();
    CHECK_HIP(hipSetDevice(devices - 2));
    fail_in_many_ways();
    expect_current(devices - 2);
    CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
}

static void a_pending_error_stays_through_failures(void)
{
    prepare();
    CHECK_HIP(hipSetDevice(devices - 2));
    CHECK(hipSetDevice(77) != hipSuccess);
    fail_in_many_ways();
    CHECK_EQUAL(hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK_EQUAL(hipGetLastError(), hipErrorInvalidDevice);
    expect_current(devices - 2);
}

#define PART (SIZE / 4)

static void *first_call(void *argument)
{
    int d = (int)(intptr_t)argument % devices;
    off_t at = (intptr_t)argument / devices * PART; /* a part of its own */

    for (int i = 0; i < 20; i++) {
        CHECK_EQUAL(hipFileRead(handle, memory[d], PART, at, at), PART);
        CHECK_EQUAL(hipFileWrite(handle, memory[d], PART, at, at), PART);
    }
    return NULL;
}

/* A thread's first HIP call may be a request, on a device that is not its current one. */
static void threads_begin_with_a_request(void)
{
    pthread_t threads[4 * MOST_DEVICES];

    prepare();
    for (intptr_t i = 0; i < 4 * devices; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, first_call, (void *)i), 0);
    for (int i = 0; i < 4 * devices; i++)
        pthread_join(threads[i], NULL);
    for (int d = 0; d < devices; d++)
        expect_bytes(memory[d]);
}

/* Nothing is done on a device that has no part in a request, nor switched without need. */
static void only_the_device_in_use_is_touched(void)
{
    uint64_t (*count_calls)(const char *function);
    hipDriverProcAddressQueryResult result;
    uint64_t before;
    int last;

    prepare();
    last = devices - 1;
    CHECK_HIP(hipGetProcAddress("hipliteCallCount", (void **)&count_calls, 70200000, 0, &result));
    CHECK_HIP(hipSetDevice(last));
    CHECK_EQUAL(hipFileRead(handle, memory[last], SIZE, 0, 0), SIZE);
    before = count_calls("hipSetDevice");
    for (int i = 0; i < 10; i++) {
        CHECK_EQUAL(hipFileRead(handle, memory[last], SIZE, 0, 0), SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory[last], SIZE, 0, 0), SIZE);
    }
    CHECK_EQUAL(count_calls("hipSetDevice"), before);
    CHECK_EQUAL(hipFileRead(handle, memory[last - 1], SIZE, 0, 0), SIZE);
    CHECK_EQUAL(count_calls("hipSetDevice"), before + 2); /* there and back */
}

#define THREE "HIPLITE_CPU_DEVICES=3"
#define BROKEN                                                                                     \
    "HIPLITE_FAULT=hipMemcpyAsync@1+=hipErrorUnknown;hipAmdFileRead@1+=hipErrorUnknown;"           \
    "hipAmdFileWrite@1+=hipErrorUnknown"

int main(void)
{
    RUN(any_device_from_any_other, THREE, NULL);
    RUN(any_device_from_any_other, THREE, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(any_device_from_any_other, THREE, "HIPFILE_FORCE_COMPAT_MODE=1",
        "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=64", NULL);
    RUN(failures_leave_the_device_and_no_error, THREE, BROKEN, NULL);
    RUN(failures_leave_the_device_and_no_error, THREE, BROKEN, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(a_pending_error_stays_through_failures, THREE, BROKEN, NULL);
    RUN(a_pending_error_stays_through_failures, THREE, BROKEN, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(only_the_device_in_use_is_touched, THREE, "HIPFILE_PARALLEL_IO=0", NULL);
    RUN(only_the_device_in_use_is_touched, THREE, "HIPFILE_PARALLEL_IO=0",
        "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(threads_begin_with_a_request, THREE, NULL);
    RUN(threads_begin_with_a_request, THREE, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    return finish();
}
