// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-direct bypass direct
// ctest-args: bypass-bounce bypass bounce
// ctest-args: bypass-host bypass host
/* When the values behind the pointers are read, what may change, and what is refused. */
#include <async_test.h>

#define SIZE  (1 << 20)
#define PART  65536
#define OTHER 131072 /* where late values point to */

static int fd;
static hipFileHandle_t file;
static unsigned char *buffer;
static hipStream_t stream;
static struct gate gate;

#define FIXED_ALL                                                                                  \
    (HIPFILE_STREAM_FIXED_BUF_OFFSET | HIPFILE_STREAM_FIXED_FILE_OFFSET |                          \
     HIPFILE_STREAM_FIXED_FILE_SIZE)

/* Submits behind a gate, changes all three values, and returns what the operation then was. */
static struct operation change_all(bool write, unsigned flags)
{
    struct operation given = operation_of(PART, 4096, 8192);
    struct operation effective = given;

    close_gate(&gate, stream);
    CHECK_OK(submit(write, file, buffer, &given, stream));
    given.size = PART / 2;
    given.file_offset = OTHER;
    given.buffer_offset = OTHER + 4096;
    open_gate(&gate);
    CHECK_SYNC(stream);
    if (!(flags & HIPFILE_STREAM_FIXED_FILE_SIZE))
        effective.size = given.size;
    if (!(flags & HIPFILE_STREAM_FIXED_FILE_OFFSET))
        effective.file_offset = given.file_offset;
    if (!(flags & HIPFILE_STREAM_FIXED_BUF_OFFSET))
        effective.buffer_offset = given.buffer_offset;
    effective.bytes = given.bytes;
    CHECK_EQUAL(given.size, PART / 2); /* read, never written */
    CHECK_EQUAL(given.file_offset, OTHER);
    CHECK_EQUAL(given.buffer_offset, OTHER + 4096);
    return effective;
}

static void write_file_pattern(unsigned seed)
{
    struct operation out = operation_of(SIZE, 0, 0);

    pattern_buffer(buffer, 0, SIZE, 0, seed);
    CHECK_WRITE(file, buffer, &out, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(out.bytes, SIZE);
}

static void check_read(unsigned flags)
{
    struct operation was;
    size_t end;

    write_file_pattern(3);
    fill_buffer(buffer, SIZE, 0xc3);
    was = change_all(false, flags);
    end = (size_t)was.buffer_offset + was.size;
    CHECK_EQUAL(was.bytes, was.size);
    CHECK(buffer_is(buffer, 0, (size_t)was.buffer_offset, 0xc3));
    CHECK(buffer_is_pattern(buffer, (size_t)was.buffer_offset, was.size, (uint64_t)was.file_offset,
                            3));
    CHECK(buffer_is(buffer, end, SIZE - end, 0xc3));
}

static void check_write(unsigned flags)
{
    struct operation was;
    size_t end;

    write_file_pattern(3);
    pattern_buffer(buffer, 0, SIZE, 0, 9);
    was = change_all(true, flags);
    end = (size_t)was.file_offset + was.size;
    CHECK_EQUAL(was.bytes, was.size);
    CHECK(file_is_pattern(fd, (size_t)was.file_offset, 0, 0, 3));
    CHECK(file_is_pattern(fd, was.size, was.file_offset, (uint64_t)was.buffer_offset, 9));
    CHECK(file_is_pattern(fd, SIZE - end, (off_t)end, end, 3));
}

static void test_all_flags(void)
{
    for (unsigned flags = 0; flags <= HIPFILE_STREAM_FLAGS_MASK; flags++) {
        CHECK_OK(hipFileStreamRegister(stream, flags));
        check_read(flags);
        check_write(flags);
        CHECK_OK(hipFileStreamDeregister(stream));
    }
    check_read(0); /* a stream that is not registered */
    check_write(0);
}

/* With everything fixed the variables may be gone. */
static void test_fixed_variables_go(void)
{
    struct operation *given = malloc(sizeof *given);
    ssize_t bytes = -77;

    CHECK(given);
    *given = operation_of(PART, 4096, 0);
    CHECK_OK(hipFileStreamRegister(stream, FIXED_ALL));
    write_file_pattern(5);
    close_gate(&gate, stream);
    CHECK_OK(hipFileReadAsync(file, buffer, &given->size, &given->file_offset,
                              &given->buffer_offset, &bytes, stream));
    memset(given, 0xff, sizeof *given);
    free(given);
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(bytes, PART);
    CHECK(buffer_is_pattern(buffer, 0, PART, 4096, 5));
    CHECK_OK(hipFileStreamDeregister(stream));
}

/* The flags of an operation are those at its submission. */
static void test_flags_at_submission(void)
{
    struct operation fixed = operation_of(PART, 0, 0), late = operation_of(PART, 0, PART);

    write_file_pattern(6);
    close_gate(&gate, stream);
    CHECK_OK(hipFileStreamRegister(stream, FIXED_ALL));
    CHECK_READ(file, buffer, &fixed, stream);
    CHECK_OK(hipFileStreamDeregister(stream));
    CHECK_READ(file, buffer, &late, stream);
    CHECK_OK(hipFileStreamRegister(stream, FIXED_ALL));
    fixed.file_offset = late.file_offset = OTHER;
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_OK(hipFileStreamDeregister(stream));
    CHECK_EQUAL(fixed.bytes, PART);
    CHECK_EQUAL(late.bytes, PART);
    CHECK(buffer_is_pattern(buffer, 0, PART, 0, 6));
    CHECK(buffer_is_pattern(buffer, PART, PART, OTHER, 6));
}

/* One value after the other becomes bad behind the submission's back. */
static void expect_late(struct operation given, struct operation later, ssize_t outcome)
{
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &given, stream);
    given.size = later.size;
    given.file_offset = later.file_offset;
    given.buffer_offset = later.buffer_offset;
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(given.bytes, outcome);
}

static void test_late_and_bad(void)
{
    const struct operation given = operation_of(PART, 0, 0);

    write_file_pattern(7);
    fill_buffer(buffer, SIZE, 0x3c);
    expect_late(given, operation_of(PART + 1, 0, 0), -hipFileInvalidValue);
    expect_late(given, operation_of(SIZE_MAX, 0, 0), -hipFileInvalidValue);
    expect_late(given, operation_of(PART, -1, 0), -hipFileInvalidValue);
    expect_late(given, operation_of(PART, INT64_MAX, 0), -hipFileInvalidValue);
    expect_late(given, operation_of(PART, 0, -1), -hipFileInvalidValue);
    expect_late(given, operation_of(PART, 0, SIZE), -hipFileInvalidValue);
    expect_late(given, operation_of(PART, 0, SIZE - PART + 1), -hipFileInvalidValue);
    CHECK(buffer_is(buffer, 0, SIZE, 0x3c));
    expect_late(given, operation_of(0, 0, 0), 0);
    CHECK(buffer_is(buffer, 0, SIZE, 0x3c));
    expect_late(given, operation_of(1, 0, SIZE - 1), 1);
    CHECK(buffer_is(buffer, 0, SIZE - 1, 0x3c));
    expect_late(given, operation_of(PART, 0, SIZE - PART), PART);
}

/* A broken promise is an error and moves nothing; the values are judged when they are bound. */
static void test_page_promise(void)
{
    const struct operation even = operation_of(PART, 4096, 8192);
    const struct operation odd[] = {
        operation_of(PART - 1, 4096, 8192),
        operation_of(PART - 512, 4096, 8192),
        operation_of(PART, 4095, 8192),
        operation_of(PART, 4096, 512),
    };

    write_file_pattern(8);
    fill_buffer(buffer, SIZE, 0x77);
    CHECK_OK(hipFileStreamRegister(stream, HIPFILE_STREAM_PAGE_ALIGNED_INPUTS));
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct operation in = odd[i], out = odd[i];

        expect_late(even, odd[i], -hipFileInvalidValue);
        CHECK_READ(file, buffer, &in, stream);
        CHECK_WRITE(file, buffer, &out, stream);
        CHECK_SYNC(stream);
        CHECK_EQUAL(in.bytes, -hipFileInvalidValue);
        CHECK_EQUAL(out.bytes, -hipFileInvalidValue);
    }
    CHECK(buffer_is(buffer, 0, SIZE, 0x77));
    CHECK(file_is_pattern(fd, SIZE, 0, 0, 8));
    expect_late(odd[0], operation_of(4096, 4096, 8192), 4096);
    expect_late(even, even, PART);
    CHECK(buffer_is_pattern(buffer, 8192, PART, 4096, 8));
    CHECK_OK(hipFileStreamDeregister(stream));
}

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    fd = make_file(SIZE, mode.direct ? O_DIRECT : 0);
    file = register_file(fd);
    buffer = make_buffer(SIZE);
    stream = make_stream();
    gate = make_gate();

    test_all_flags();
    test_fixed_variables_go();
    test_flags_at_submission();
    if (!mode.host) /* a runtime may give pinned memory more room than was asked for */
        test_late_and_bad();
    test_page_promise();
    CHECK_OK(hipFileBufRegister(buffer, SIZE, 0));
    test_all_flags();
    test_late_and_bad();
    CHECK_OK(hipFileBufDeregister(buffer));
    return 0;
}
