// SPDX-License-Identifier: MIT
// ctest: RUN_SERIAL TRUE
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: bypass-direct bypass direct
/* Streams do not wait for each other, and nobody waits for a slow transfer but its own stream. */
#include <async_test.h>

#define SIZE    65536
#define THREADS 4
#define SLOW_MS 300

static hipFileHandle_t file;
static unsigned char *buffer;

static void test_submission_is_quick(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t stream = make_stream();
    int64_t before = now_ms();

    CHECK_READ(file, buffer, &in, stream);
    CHECK(now_ms() - before < SLOW_MS / 2);
    CHECK_SYNC(stream);
    CHECK(now_ms() - before >= SLOW_MS);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(stream));
}

static void test_gated_stream_delays_no_other(void)
{
    struct operation held = operation_of(SIZE, 0, 0), free_one = operation_of(SIZE, 0, SIZE);
    hipStream_t gated = make_stream(), other = make_stream();
    struct gate gate = make_gate();

    close_gate(&gate, gated);
    CHECK_READ(file, buffer, &held, gated);
    CHECK_READ(file, buffer, &free_one, other);
    CHECK_SYNC(other);
    CHECK_EQUAL(free_one.bytes, SIZE);
    CHECK_EQUAL(held.bytes, 0);
    open_gate(&gate);
    CHECK_SYNC(gated);
    CHECK_EQUAL(held.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(gated));
    CHECK_HIP(hipStreamDestroy(other));
}

static int64_t time_on_streams(int streams)
{
    struct operation in[2 * THREADS];
    hipStream_t stream[2 * THREADS];
    int64_t before;

    for (int i = 0; i < streams; i++) {
        in[i] = operation_of(SIZE, 0, i * SIZE);
        stream[i] = make_stream();
    }
    before = now_ms();
    for (int i = 0; i < streams; i++)
        CHECK_READ(file, buffer, &in[i], stream[i]);
    for (int i = 0; i < streams; i++)
        CHECK_SYNC(stream[i]);
    before = now_ms() - before;
    for (int i = 0; i < streams; i++) {
        CHECK_EQUAL(in[i].bytes, SIZE);
        CHECK_HIP(hipStreamDestroy(stream[i]));
    }
    return before;
}

/* As many at a time as there are workers. */
static void test_streams_overlap(void)
{
    int64_t one = time_on_streams(THREADS), two = time_on_streams(2 * THREADS);

    CHECK(one >= SLOW_MS && one < 2 * SLOW_MS);
    CHECK(two >= 2 * SLOW_MS && two < 3 * SLOW_MS);
}

static void note_time(void *argument)
{
    *(int64_t *)argument = now_ms();
}

/* The thread that runs host functions is free while an operation is under way. */
static void test_host_functions_run(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t slow = make_stream(), other = make_stream();
    int64_t begun = now_ms(), ran = 0;

    CHECK_READ(file, buffer, &in, slow);
    sleep_ms(SLOW_MS / 10); /* the operation is under way */
    CHECK_HIP(hipLaunchHostFunc(other, note_time, &ran));
    CHECK_SYNC(other);
    CHECK(ran - begun < SLOW_MS);
    CHECK_SYNC(slow);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(slow));
    CHECK_HIP(hipStreamDestroy(other));
}

int main(int argc, char **argv)
{
    if (under_valgrind()) {
        printf("SKIP: not under valgrind: it has one thread run at a time\n");
        return 77;
    }
    setenv("HIPLITE_FAULT", "hipAmdFileRead@1+=delay:300ms;hipMemcpyAsync@1+=delay:300ms", 1);
    setenv("HIPLITE_QUEUES", "16", 1);
    setenv("HIPLITE_DEVICE", "cpu", 1); /* which shows how slow things may be */
    set_mode(argc, argv);
    file = register_file(make_file(SIZE, mode.direct ? O_DIRECT : 0));
    buffer = make_buffer(2 * THREADS * SIZE);

    test_submission_is_quick();
    test_gated_stream_delays_no_other();
    if (!mode.bypass) {
        test_streams_overlap();
        test_host_functions_run();
    }
    return 0;
}
