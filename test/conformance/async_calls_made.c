// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-direct bypass direct
// ctest-args: bypass-bounce bypass bounce
/* Which HIP functions an operation calls, counted by hiplite: in its submission, and after it. */
#include <async_test.h>

#define SIZE  (8 << 20)
#define CHAIN 32

static uint64_t (*calls_of)(const char *function);

/* Each of them may wait for streams that are held, or makes something. */
static const char *const never[] = {
    "hipMalloc",
    "hipFree",
    "hipHostMalloc",
    "hipHostFree",
    "hipHostRegister",
    "hipHostUnregister",
    "hipMallocManaged",
    "hipExtMallocWithFlags",
    "hipMemset",
    "hipMemsetAsync",
    "hipMemcpy",
    "hipMemcpyWithStream",
    "hipDeviceSynchronize",
    "hipStreamCreateWithFlags",
    "hipStreamCreateWithPriority",
    "hipStreamDestroy",
    "hipEventCreateWithFlags",
    "hipEventDestroy",
    "hipStreamWriteValue64",
    "hipStreamWaitValue64",
    "hipLaunchHostFunc",
};
#define NEVER (sizeof never / sizeof never[0])

static void count(uint64_t *counts)
{
    for (size_t i = 0; i < NEVER; i++)
        counts[i] = calls_of(never[i]);
}

/* Between the opening of the gate and the end of the last operation. */
static void check_after_submission(hipFileHandle_t file, void *buffer, size_t size)
{
    static struct operation in[CHAIN], out[CHAIN];
    hipStream_t stream[2] = {make_stream(), make_stream()};
    uint64_t before[NEVER], after[NEVER];
    struct gate gate = make_gate();

    for (int i = 0; i < 2; i++) {
        gate.value = 0;
        close_gate(&gate, stream[i]);
    }
    for (int i = 0; i < CHAIN; i++) {
        in[i] = operation_of(size, 0, i % 2 * SIZE);
        out[i] = operation_of(size, (1 + i % 2) * SIZE, i % 2 * SIZE);
        CHECK_READ(file, buffer, &in[i], stream[i % 2]);
        CHECK_WRITE(file, buffer, &out[i], stream[i % 2]);
    }
    count(before);
    open_gate(&gate);
    CHECK_SYNC(stream[0]);
    CHECK_SYNC(stream[1]);
    count(after);
    for (size_t i = 0; i < NEVER; i++)
        if (after[i] != before[i])
            die(__FILE__, __LINE__, "%s was called %d times", never[i],
                (int)(after[i] - before[i]));
    for (int i = 0; i < CHAIN; i++) {
        CHECK_EQUAL(in[i].bytes, size);
        CHECK_EQUAL(out[i].bytes, size);
    }
    CHECK_HIP(hipStreamDestroy(stream[0]));
    CHECK_HIP(hipStreamDestroy(stream[1]));
}

static void check_counts(const uint64_t *before, const uint64_t *after, uint64_t calls,
                         uint64_t waits)
{
    for (size_t i = 0; i < NEVER; i++) {
        uint64_t expected = 0;

        if (strcmp(never[i], "hipLaunchHostFunc") == 0)
            expected = calls;
        if (strcmp(never[i], "hipStreamWaitValue64") == 0)
            expected = waits;
        if (after[i] - before[i] != expected)
            die(__FILE__, __LINE__, "%s was called %d times", never[i],
                (int)(after[i] - before[i]));
    }
}

/* Once all is there, a submission queues, and that is all: one wait, and before it one host
   function unless the stream has nothing else to do. */
static void check_submission(hipFileHandle_t file, void *buffer)
{
    struct operation in = operation_of(4096, 0, 0);
    hipStream_t stream = make_stream();
    uint64_t before[NEVER], after[NEVER];
    struct gate gate = make_gate();

    for (int i = 0; i < 3; i++) { /* what is made, is made by the first */
        count(before);
        CHECK_READ(file, buffer, &in, stream);
        count(after);
        CHECK_SYNC(stream);
    }
    check_counts(before, after, mode.bypass ? 1 : 0, mode.bypass ? 0 : 1);
    close_gate(&gate, stream);
    count(before);
    CHECK_READ(file, buffer, &in, stream);
    count(after);
    open_gate(&gate);
    CHECK_SYNC(stream);
    check_counts(before, after, mode.bypass ? 2 : 1, mode.bypass ? 0 : 1);
    CHECK_HIP(hipStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    hipFileHandle_t file;
    void *buffer;

    setenv("HIPLITE_COUNTS", "/dev/null", 1);
    setenv("HIPLITE_DEVICE", "cpu", 1);
    set_mode(argc, argv);
    CHECK_HIP(hipInit(0));
    if (hipGetProcAddress("hipliteCallCount", (void **)&calls_of, 70000000, 0, NULL) !=
            hipSuccess ||
        !calls_of) {
        printf("SKIP: this HIP runtime counts no calls\n");
        return 77;
    }
    file = register_file(make_file(3 * SIZE, mode.direct ? O_DIRECT : 0));
    buffer = make_buffer(2 * SIZE);
    check_after_submission(file, buffer, SIZE);
    check_after_submission(file, buffer, SIZE - 1001); /* edges of their own */
    check_after_submission(file, buffer, 4096);
    check_submission(file, buffer);
    return 0;
}
