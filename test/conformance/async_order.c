// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-direct bypass direct
// ctest-args: bypass-bounce bypass bounce
// ctest-args: bypass-host bypass host
/* An operation stands in its stream's order, among copies, memsets, host functions and events. */
#include <async_test.h>

#define MB   (1 << 20)
#define SIZE (2 * MB)

static int fd;
static hipFileHandle_t file;
static unsigned char *buffer;
static struct gate gate;

static void test_bytes_and_counts(hipStream_t stream)
{
    struct operation in = operation_of(SIZE, 0, 0), out = operation_of(SIZE, SIZE, 0);

    fill_buffer(buffer, SIZE, 0x5a);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_WRITE(file, buffer, &out, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_EQUAL(out.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK(file_is_pattern(fd, SIZE, SIZE, 0, 0));
}

/* While the stream is held, nothing has happened but the zero. */
static void test_held(hipStream_t stream)
{
    struct operation in = operation_of(SIZE, 0, 0);

    fill_buffer(buffer, SIZE, 0x5a);
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_EQUAL(in.bytes, 0);
    sleep_ms(20);
    CHECK_EQUAL(in.bytes, 0);
    if (mode.host)
        CHECK(is_value(buffer, SIZE, 0x5a));
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
}

/* memset, read of the first half, copy of both halves, write of what came out: each sees the one
   before it. */
static void test_among_device_work(hipStream_t stream)
{
    struct operation in = operation_of(SIZE / 2, 0, 0), out = operation_of(SIZE, SIZE, 0);
    unsigned char *copy = make_buffer(SIZE);
    unsigned char *bytes = malloc(SIZE);

    CHECK(bytes);
    for (int round = 0; round < 8; round++) {
        CHECK_HIP(hipMemsetAsync(buffer, 0x40 + round, SIZE, stream));
        CHECK_READ(file, buffer, &in, stream);
        CHECK_HIP(hipMemcpyAsync(copy, buffer, SIZE, hipMemcpyDefault, stream));
        CHECK_HIP(hipMemsetAsync(buffer, 0xee, SIZE, stream));
        CHECK_WRITE(file, copy, &out, stream);
        CHECK_HIP(hipMemsetAsync(copy, 0xdd, SIZE, stream));
        CHECK_SYNC(stream);
        CHECK_EQUAL(in.bytes, SIZE / 2);
        CHECK_EQUAL(out.bytes, SIZE);
        read_file(fd, bytes, SIZE, SIZE);
        CHECK(is_pattern(bytes, SIZE / 2, 0, 0));
        CHECK(is_value(bytes + SIZE / 2, SIZE / 2, (unsigned char)(0x40 + round)));
    }
    free(bytes);
    free_buffer(copy);
}

static void test_read_after_write(hipStream_t stream)
{
    unsigned char *back = make_buffer(SIZE);

    for (unsigned round = 1; round <= 8; round++) {
        struct operation out = operation_of(SIZE - round * 1000, SIZE + round, 0);
        struct operation in = out;

        pattern_buffer(buffer, 0, SIZE, 0, round);
        fill_buffer(back, SIZE, 0);
        CHECK_WRITE(file, buffer, &out, stream);
        CHECK_HIP(hipMemsetAsync(buffer, 0, SIZE, stream));
        CHECK_READ(file, back, &in, stream);
        CHECK_SYNC(stream);
        CHECK_EQUAL(out.bytes, out.size);
        CHECK_EQUAL(in.bytes, in.size);
        CHECK(buffer_is_pattern(back, 0, in.size, 0, round));
        CHECK(buffer_is(back, in.size, SIZE - in.size, 0));
    }
    free_buffer(back);
}

struct seen {
    const ssize_t *bytes;
    ssize_t was;
};

static void look(void *argument)
{
    struct seen *seen = argument;

    seen->was = *seen->bytes;
}

/* Host functions and events behind an operation find its outcome; size 0 takes its turn too. */
static void test_outcome_is_there(hipStream_t stream)
{
    struct operation first = operation_of(SIZE, 0, 0), none = operation_of(0, 0, 0);
    struct seen after_first = {&first.bytes, -1}, before_none = {&none.bytes, -1};
    hipEvent_t event;

    CHECK_HIP(hipEventCreate(&event));
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &first, stream);
    CHECK_HIP(hipLaunchHostFunc(stream, look, &after_first));
    CHECK_HIP(hipLaunchHostFunc(stream, look, &before_none));
    CHECK_READ(file, buffer, &none, stream);
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_EQUAL(none.bytes, 0);
    sleep_ms(10);
    CHECK_EQUAL(hipEventQuery(event), hipErrorNotReady);
    open_gate(&gate);
    CHECK_HIP(hipEventSynchronize(event));
    CHECK_EQUAL(after_first.was, SIZE);
    CHECK_EQUAL(none.bytes, 0);
    CHECK_HIP(hipEventDestroy(event));
}

/* One stream's operation behind another's, by an event of the program. */
static void test_across_streams(hipStream_t stream)
{
    struct operation in = operation_of(SIZE, 0, 0), out = operation_of(SIZE, SIZE, 0);
    hipStream_t other = make_stream();
    hipEvent_t event;

    CHECK_HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    fill_buffer(buffer, SIZE, 0);
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_HIP(hipStreamWaitEvent(other, event, 0));
    CHECK_WRITE(file, buffer, &out, other);
    sleep_ms(10);
    CHECK_EQUAL(out.bytes, 0);
    open_gate(&gate);
    CHECK_SYNC(other);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_EQUAL(out.bytes, SIZE);
    CHECK(file_is_pattern(fd, SIZE, SIZE, 0, 0));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(other));
}

/* An operation that fails leaves the stream running. */
static void test_failure_passes(hipStream_t stream)
{
    struct operation before = operation_of(SIZE, 0, 0), bad = operation_of(4096, 0, 0),
                     after = operation_of(4096, 4096, 0);
    int read_only = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    hipFileHandle_t closed_to_writes = register_file(read_only);

    CHECK_READ(file, buffer, &before, stream);
    CHECK_WRITE(closed_to_writes, buffer, &bad, stream);
    CHECK_READ(file, buffer, &after, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(before.bytes, SIZE);
    CHECK_EQUAL(bad.bytes, -EBADF);
    CHECK_EQUAL(after.bytes, 4096);
    CHECK(buffer_is_pattern(buffer, 0, 4096, 4096, 0));
    hipFileHandleDeregister(closed_to_writes);
    close(read_only);
}

static void test_end_of_file(hipStream_t stream)
{
    struct operation across = operation_of(SIZE, 2 * SIZE - 5000, 0),
                     beyond = operation_of(4096, 3 * SIZE, 0);

    fill_buffer(buffer, SIZE, 0x11);
    CHECK_READ(file, buffer, &across, stream);
    CHECK_READ(file, buffer, &beyond, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(across.bytes, 5000);
    CHECK_EQUAL(beyond.bytes, 0);
    CHECK(buffer_is(buffer, 5000, SIZE - 5000, 0x11));
}

static void test_stream(hipStream_t stream)
{
    test_bytes_and_counts(stream);
    test_held(stream);
    test_among_device_work(stream);
    test_read_after_write(stream);
    test_outcome_is_there(stream);
    test_across_streams(stream);
    test_failure_passes(stream);
    test_end_of_file(stream);
}

int main(int argc, char **argv)
{
    hipStream_t blocking;

    set_mode(argc, argv);
    fd = make_file(2 * SIZE, mode.direct ? O_DIRECT : 0);
    file = register_file(fd);
    buffer = make_buffer(SIZE);
    gate = make_gate();

    test_stream(make_stream());
    CHECK_HIP(hipStreamCreate(&blocking));
    test_stream(blocking);
    test_stream(NULL);
    CHECK_OK(hipFileBufRegister(buffer, SIZE, 0));
    test_stream(make_stream());
    CHECK_OK(hipFileBufDeregister(buffer));
    return 0;
}
