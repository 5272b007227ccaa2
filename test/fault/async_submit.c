// SPDX-License-Identifier: MIT
// ctest-args: wait wait bounce
// ctest-args: bypass bypass bounce
/* Submissions that fail at each of their steps: the code is HIP's, nothing is left in the stream,
   and the next submission works. */
#include <async_test.h>

#include "hip/hip.h"
#include "hip/hold.h"
#include "os/os.h"

#define SIZE 65536

static struct hf_hip_calls real;
static int fd;
static hipFileHandle_t file;
static void *buffer;
static hipStream_t stream;
static struct gate gate;

static atomic_int failures; /* how many calls are still to fail */
static atomic_bool waits_for_end, pread_is_slow, pread_began;

static bool fails(void)
{
    return failures > 0 && failures-- > 0;
}

static hipError_t call(hipStream_t on, hipHostFn_t function, void *argument)
{
    return fails() ? hipErrorUnknown : real.hipLaunchHostFunc(on, function, argument);
}

static hipError_t wait_value(hipStream_t on, void *word, uint64_t value, unsigned flags,
                             uint64_t mask)
{
    if (!fails())
        return real.hipStreamWaitValue64(on, word, value, flags, mask);
    while (waits_for_end && hf_holds() > 0)
        sleep_ms(1);
    while (pread_is_slow && !pread_began)
        sleep_ms(1);
    return hipErrorIllegalState;
}

static hipError_t word_make(void **word, size_t size, unsigned flags)
{
    return fails() ? hipErrorOutOfMemory : real.hipExtMallocWithFlags(word, size, flags);
}

static hipError_t host_malloc(void **memory, size_t size, unsigned flags)
{
    return fails() ? hipErrorOutOfMemory : real.hipHostMalloc(memory, size, flags);
}

static hipError_t stream_create(hipStream_t *made, unsigned flags, int priority)
{
    return fails() ? hipErrorOutOfMemory : real.hipStreamCreateWithPriority(made, flags, priority);
}

static hipError_t event_create(hipEvent_t *made, unsigned flags)
{
    return fails() ? hipErrorOutOfMemory : real.hipEventCreateWithFlags(made, flags);
}

static hipError_t get_priority(hipStream_t of, int *priority)
{
    return fails() ? hipErrorInvalidHandle : real.hipStreamGetPriority(of, priority);
}

static ssize_t (*real_pread)(int, void *, size_t, off_t);

static ssize_t slow_pread(int from, void *bytes, size_t size, off_t offset)
{
    if (pread_is_slow) {
        pread_began = true;
        sleep_ms(50);
    }
    return real_pread(from, bytes, size, offset);
}

static hipFileError_t read_once(struct operation *in)
{
    *in = operation_of(SIZE, 0, 0);
    return submit(false, file, buffer, in, stream);
}

static void expect_hip_error(hipError_t error)
{
    struct operation in;
    hipFileError_t result;

    failures = 1;
    result = read_once(&in);
    CHECK_EQUAL(failures, 0); /* the call was made */
    CHECK_EQUAL(result.err, hipFileHipDriverError);
    CHECK_EQUAL(result.hip_drv_err, error);
    CHECK(in.bytes == 0 || in.bytes == -77);
    CHECK_SYNC(stream);
    CHECK(in.bytes == 0 || in.bytes == -77);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
}

static void expect_success(void)
{
    struct operation in;

    failures = 0;
    fill_buffer(buffer, SIZE, 0);
    CHECK_OK(read_once(&in));
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
}

/* In the order in which a first submission comes by. */
static void test_making(void)
{
    hf_hip.hipStreamGetPriority = get_priority;
    expect_hip_error(hipErrorInvalidHandle);
    hf_hip.hipStreamGetPriority = real.hipStreamGetPriority;
    hf_hip.hipStreamCreateWithPriority = stream_create;
    expect_hip_error(hipErrorOutOfMemory);
    hf_hip.hipStreamCreateWithPriority = real.hipStreamCreateWithPriority;
    hf_hip.hipEventCreateWithFlags = event_create;
    expect_hip_error(hipErrorOutOfMemory);
    hf_hip.hipEventCreateWithFlags = real.hipEventCreateWithFlags;
    hf_hip.hipHostMalloc = host_malloc;
    expect_hip_error(hipErrorOutOfMemory);
    hf_hip.hipHostMalloc = real.hipHostMalloc;
    if (!mode.bypass) {
        hf_hip.hipExtMallocWithFlags = word_make;
        expect_hip_error(hipErrorOutOfMemory);
        hf_hip.hipExtMallocWithFlags = real.hipExtMallocWithFlags;
    }
    expect_success();
}

/* That which tells when the stream has come to the operation. */
static void test_host_function(void)
{
    hipFileError_t error;
    struct operation in;

    hf_hip.hipLaunchHostFunc = call;
    for (int i = 0; i < 100; i++) {
        close_gate(&gate, stream);
        failures = 1;
        error = read_once(&in);
        CHECK_EQUAL(failures, 0);
        CHECK_EQUAL(error.err, hipFileHipDriverError);
        CHECK_EQUAL(error.hip_drv_err, hipErrorUnknown);
        open_gate(&gate);
        CHECK_SYNC(stream);
        CHECK_EQUAL(in.bytes, 0);
    }
    expect_success();
    hf_hip.hipLaunchHostFunc = real.hipLaunchHostFunc;
}

/* Nothing was begun: it is taken back, whatever becomes of the arguments. */
static void test_wait_fails_early(void)
{
    struct operation before, taken_back, after;
    hipFileError_t error;

    fill_buffer(buffer, SIZE, 0x55);
    close_gate(&gate, stream);
    failures = 1;
    error = read_once(&taken_back);
    CHECK_EQUAL(error.err, hipFileHipDriverError);
    CHECK_EQUAL(error.hip_drv_err, hipErrorIllegalState);
    taken_back.size = SIZE_MAX;
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(taken_back.bytes, 0);
    CHECK(buffer_is(buffer, 0, SIZE, 0x55));

    close_gate(&gate, stream);
    CHECK_OK(read_once(&before));
    failures = 1;
    CHECK_EQUAL(read_once(&taken_back).err, hipFileHipDriverError);
    CHECK_OK(read_once(&after));
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(before.bytes, SIZE);
    CHECK_EQUAL(taken_back.bytes, 0);
    CHECK_EQUAL(after.bytes, SIZE);
}

/* It was done already when the wait failed, or is let finish: then it is no failure. */
static void test_wait_fails_late(void)
{
    struct operation in;

    fill_buffer(buffer, SIZE, 0);
    failures = 1;
    waits_for_end = true;
    CHECK_OK(read_once(&in));
    waits_for_end = false;
    CHECK_EQUAL(in.bytes, SIZE); /* before any synchronisation */
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK_SYNC(stream);

    failures = 1;
    pread_began = false;
    pread_is_slow = true;
    CHECK_OK(read_once(&in));
    pread_is_slow = false;
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_SYNC(stream);
}

/* At whatever moment it fails, the answer and what has happened go together. */
static void test_wait_fails_sometime(void)
{
    int done = 0;

    for (int i = 0; i < 2000; i++) {
        struct operation in;
        hipFileError_t error;

        failures = i % 2;
        error = read_once(&in);
        if (error.err == hipFileSuccess) {
            if (i % 2)
                CHECK_EQUAL(in.bytes, SIZE);
            CHECK_SYNC(stream);
            CHECK_EQUAL(in.bytes, SIZE);
            done++;
        } else {
            CHECK_EQUAL(error.hip_drv_err, hipErrorIllegalState);
            CHECK_SYNC(stream);
            CHECK_EQUAL(in.bytes, 0);
        }
    }
    CHECK(done >= 1000);
}

static hipError_t no_wait_value(int *value, hipDeviceAttribute_t attribute, int device)
{
    if (attribute != hipDeviceAttributeCanUseStreamWaitValue)
        return real.hipDeviceGetAttribute(value, attribute, device);
    *value = 0;
    return hipSuccess;
}

/* A device that cannot wait for values is not asked to. */
static void test_device_cannot_wait(void)
{
    hf_hip.hipDeviceGetAttribute = no_wait_value;
    hf_hip.hipStreamWaitValue64 = wait_value;
    failures = 1;
    for (int i = 0; i < 100; i++) {
        struct operation in;

        CHECK_OK(read_once(&in));
        CHECK_SYNC(stream);
        CHECK_EQUAL(in.bytes, SIZE);
    }
    CHECK_EQUAL(failures, 1);
}

static void start(void)
{
    fd = make_file(SIZE, 0);
    file = register_file(fd);
    buffer = make_buffer(SIZE);
    stream = make_stream();
    gate = make_gate();
    CHECK_EQUAL(hf_hip_load(), 0);
    real = hf_hip;
    real_pread = hf_os.pread;
    hf_os.pread = slow_pread;
}

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    start();
    if (mode.bypass) {
        unsetenv("HIPFILE_STREAM_MEMOPS_BYPASS");
        test_making();
        test_host_function();
        CHECK_OK(hipFileDriverClose());
        CHECK_OK(hipFileSetParameterBool(hipFileParamStreamMemopsBypass, false));
        file = register_file(fd);
        test_device_cannot_wait();
        return 0;
    }
    test_making();
    test_host_function();
    hf_hip.hipStreamWaitValue64 = wait_value;
    test_wait_fails_early();
    test_wait_fails_late();
    test_wait_fails_sometime();
    return 0;
}
