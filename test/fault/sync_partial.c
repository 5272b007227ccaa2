// SPDX-License-Identifier: MIT
//
// Errors and short counts of the kernel in the middle of a request, by a replaced call in hf_os:
// the count is the contiguous prefix, the next request meets the error, and nothing is lost.
#include "sync_test.h"

#include "os/os.h"

#define PAGE  ((size_t)4096)
#define CHUNK ((size_t)256 << 10)
#define SIZE  (8 * CHUNK)

static int fd;
static hipFileHandle_t handle;
static unsigned char expected[SIZE], got[SIZE];

/* Every transfer that touches a byte from fail_from on is cut there, and fails if nothing is left:
   a medium with a bad place, a full disk, a file size limit. */
static _Atomic uint64_t fail_from;
static int fail_errno;
static struct hf_os_calls real;

static ssize_t cut(size_t *size, off_t offset)
{
    uint64_t from = fail_from;

    if ((uint64_t)offset >= from) {
        errno = fail_errno;
        return -1;
    }
    if ((uint64_t)offset + *size > from)
        *size = from - (uint64_t)offset;
    return 0;
}

static ssize_t cut_pread(int file, void *buffer, size_t size, off_t offset)
{
    return cut(&size, offset) ? -1 : real.pread(file, buffer, size, offset);
}

static ssize_t cut_pwrite(int file, const void *buffer, size_t size, off_t offset)
{
    return cut(&size, offset) ? -1 : real.pwrite(file, buffer, size, offset);
}

static void prepare(int flags)
{
    real = hf_os;
    fail_from = UINT64_MAX;
    fd = pattern_file(O_RDWR, SIZE, 1);
    handle = register_fd(open_again(fd, flags));
    hf_os.pread = cut_pread;
    hf_os.pwrite = cut_pwrite;
}

static const enum kind kinds[] = {DEVICE, PINNED};

static void reads_end_at_the_error(void)
{
    static const uint64_t places[] = {1, 100, PAGE, PAGE + 1, CHUNK, 3 * CHUNK + 777, SIZE - 1};

    prepare(O_RDWR);
    fail_errno = EIO;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 7; i++) {
            void *memory = memory_get(kinds[k], SIZE);

            fail_from = places[i];
            CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), places[i]);
            memory_read(kinds[k], got, memory, places[i]);
            fill(expected, places[i], 0, 1);
            CHECK_BYTES(got, expected, places[i]);
            CHECK_ERRNO(hipFileRead(handle, memory, SIZE - places[i], (off_t)places[i], 0), EIO);
            CHECK_ERRNO(hipFileRead(handle, memory, 1, (off_t)places[i], 0), EIO);
            fail_from = UINT64_MAX;
            CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
            memory_free(kinds[k], memory);
        }
}

/* What is written is the prefix; what is behind it may be anything that was to be written, or what
   was there before. */
static void writes_end_at_the_error(void)
{
    static const uint64_t places[] = {1, 100, PAGE, PAGE + 1, CHUNK, 3 * CHUNK + 777, SIZE - 1};
    static const int errors[] = {ENOSPC, EFBIG, EIO, EDQUOT};

    prepare(O_RDWR);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 7; i++) {
            void *memory = memory_get(kinds[k], SIZE);

            write_pattern(fd, SIZE, 1);
            fail_errno = errors[i % 4];
            fill(expected, SIZE, 0, 3);
            memory_write(kinds[k], memory, expected, SIZE);
            fail_from = places[i];
            CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), places[i]);
            CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
            CHECK_BYTES(got, expected, places[i]);
            CHECK_ERRNO(hipFileWrite(handle, memory, 10, (off_t)places[i], 0), errors[i % 4]);
            fail_from = UINT64_MAX;
            CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
            memory_free(kinds[k], memory);
        }
}

/* A loop that rounds up what is left of an O_DIRECT write goes on correctly. */
static void short_writes_with_o_direct_are_whole_blocks(void)
{
    static const uint64_t places[] = {PAGE, PAGE + 1, 3 * PAGE - 512, CHUNK + 5, SIZE - 1};

    prepare(O_RDWR | O_DIRECT);
    fail_errno = ENOSPC;
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], SIZE);

        for (int i = 0; i < 5; i++) {
            fail_from = places[i];
            CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), places[i] / PAGE * PAGE);
        }
        fail_from = 100; /* less than a block: nothing, and why */
        fail_errno = EFBIG;
        CHECK_ERRNO(hipFileWrite(handle, memory, SIZE, 0, 0), EFBIG);
        memory_free(kinds[k], memory);
    }
}

/* A request whose middle is in error: its head was moved, its tail is not told. */
static void an_unaligned_request_ends_at_the_error_too(void)
{
    prepare(O_RDWR);
    fail_errno = EIO;
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], SIZE);

        fail_from = PAGE / 2;
        CHECK_ERRNO(hipFileRead(handle, memory, 10 * PAGE, 3000, 0), EIO);
        CHECK_EQUAL(hipFileRead(handle, memory, 10 * PAGE, 1000, 0), PAGE / 2 - 1000);
        CHECK_EQUAL(hipFileWrite(handle, memory, 10 * PAGE, 1000, 0), PAGE / 2 - 1000);
        fail_from = PAGE;
        CHECK_EQUAL(hipFileRead(handle, memory, 10 * PAGE, 1000, 0), PAGE - 1000);
        fail_from = 5 * PAGE;
        CHECK_EQUAL(hipFileRead(handle, memory, 10 * PAGE, 1000, 0), 5 * PAGE - 1000);
        CHECK_EQUAL(hipFileWrite(handle, memory, 10 * PAGE, 1000, 0), 5 * PAGE - 1000);
        memory_free(kinds[k], memory);
    }
}

/* ---- writes that extend the file ---- */

static _Atomic uint64_t written_to;

static ssize_t ascending_pwrite(int file, const void *buffer, size_t size, off_t offset)
{
    CHECK_EQUAL(offset, written_to);
    usleep(500);
    written_to = (uint64_t)offset + size;
    return real.pwrite(file, buffer, size, offset);
}

static void a_write_that_extends_the_file_goes_upwards(void)
{
    prepare(O_RDWR);
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], SIZE);

        CHECK_EQUAL(ftruncate(fd, 0), 0);
        written_to = 0;
        hf_os.pwrite = ascending_pwrite;
        CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
        CHECK_EQUAL(file_size(fd), SIZE);
        hf_os.pwrite = cut_pwrite; /* and when it fails half-way, the file ends where it ended */
        CHECK_EQUAL(ftruncate(fd, 0), 0);
        fail_errno = ENOSPC;
        fail_from = 3 * CHUNK + 5;
        CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), 3 * CHUNK + 5);
        CHECK_EQUAL(file_size(fd), 3 * CHUNK + 5);
        fail_from = UINT64_MAX;
        memory_free(kinds[k], memory);
    }
}

/* ---- one writer through the page cache at a time ---- */

static atomic_int writers, most_writers;

static ssize_t counting_pwrite(int file, const void *buffer, size_t size, off_t offset)
{
    int now = atomic_fetch_add(&writers, 1) + 1;
    ssize_t n;

    if (now > most_writers)
        most_writers = now;
    usleep(2000);
    n = real.pwrite(file, buffer, size, offset);
    atomic_fetch_sub(&writers, 1);
    return n;
}

/* The inode's lock makes more of them useless, and they would keep each other from prefetching. */
static void buffered_writers_of_a_file_take_turns(void)
{
    void *memory = memory_get(DEVICE, SIZE);

    prepare(O_RDWR);
    hf_os.pwrite = counting_pwrite;
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(most_writers, 1);
    if ((fd = open_again(fd, O_RDWR | O_DIRECT)) < 0)
        return;
    handle = register_fd(fd); /* past the page cache they go together */
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
    CHECK(most_writers > 1);
}

/* ---- what goes past the page cache ---- */

static atomic_uint direct_calls;

static void look_at(int file, const void *buffer, size_t size, off_t offset)
{
    if (!(fcntl(file, F_GETFL) & O_DIRECT))
        return;
    direct_calls++;
    CHECK_EQUAL((size_t)offset % PAGE, 0);
    CHECK_EQUAL(size % PAGE, 0);
    CHECK_EQUAL((uintptr_t)buffer % 512, 0);
}

static ssize_t watched_pread(int file, void *buffer, size_t size, off_t offset)
{
    look_at(file, buffer, size, offset);
    return real.pread(file, buffer, size, offset);
}

static ssize_t watched_pwrite(int file, const void *buffer, size_t size, off_t offset)
{
    look_at(file, buffer, size, offset);
    return real.pwrite(file, buffer, size, offset);
}

/* Whole blocks go past it on an O_DIRECT descriptor, and nothing else ever does. */
static void only_whole_blocks_go_past_the_cache(void)
{
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], SIZE);

        prepare(O_RDWR | O_DIRECT);
        hf_os.pread = watched_pread;
        hf_os.pwrite = watched_pwrite;
        for (off_t at = 0; at < 3 * (off_t)PAGE; at += 1000)
            for (size_t size = 1; size < 20 * PAGE; size = size * 3 + 100) {
                CHECK_EQUAL(hipFileWrite(handle, memory, size, at, at), size);
                CHECK_EQUAL(hipFileRead(handle, memory, size, at, at), size);
            }
        direct_calls = 0;
        CHECK_EQUAL(hipFileWrite(handle, memory, 8 * PAGE, 0, 0), 8 * PAGE);
        CHECK(direct_calls > 0);
        direct_calls = 0;
        CHECK_EQUAL(hipFileWrite(handle, memory, 8 * PAGE, 100, 100), 8 * PAGE);
        CHECK(direct_calls > 0); /* its middle */
        hf_os = real;
        memory_free(kinds[k], memory);
    }
}

/* ---- O_DIRECT that the kernel refuses ---- */

static atomic_uint refused;
static int refusal;

static ssize_t refusing_pread(int file, void *buffer, size_t size, off_t offset)
{
    if (!(fcntl(file, F_GETFL) & O_DIRECT))
        return real.pread(file, buffer, size, offset);
    refused++;
    errno = refusal;
    return -1;
}

static ssize_t refusing_pwrite(int file, const void *buffer, size_t size, off_t offset)
{
    if (!(fcntl(file, F_GETFL) & O_DIRECT))
        return real.pwrite(file, buffer, size, offset);
    refused++;
    errno = refusal;
    return -1;
}

/* EINVAL or EFAULT: once, then through the page cache. */
static void o_direct_that_fails_is_given_up(void)
{
    for (refusal = EFAULT;; refusal = EINVAL) {
        for (int k = 0; k < 2; k++) {
            void *memory = memory_get(kinds[k], SIZE);

            prepare(O_RDWR | O_DIRECT);
            hf_os.pread = refusing_pread;
            hf_os.pwrite = refusing_pwrite;
            refused = 0;
            for (int i = 0; i < 5; i++) {
                CHECK_EQUAL(hipFileRead(handle, memory, 10 * PAGE, PAGE, 0), 10 * PAGE);
                memory_read(kinds[k], got, memory, 10 * PAGE);
                fill(expected, 10 * PAGE, PAGE, 1);
                CHECK_BYTES(got, expected, 10 * PAGE);
                CHECK_EQUAL(hipFileWrite(handle, memory, 10 * PAGE, PAGE, 0), 10 * PAGE);
            }
            CHECK_EQUAL(refused, 1);
            hf_os = real;
            memory_free(kinds[k], memory);
        }
        if (refusal == EINVAL)
            break;
    }
}

#define BOUNCE "HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=256"
#define ALONE  "HIPFILE_PARALLEL_IO=0"
#define MANY   "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_MAX_IO_THREADS=4"

int main(void)
{
    RUN(reads_end_at_the_error, BOUNCE, ALONE, NULL);
    RUN(reads_end_at_the_error, BOUNCE, MANY, NULL);
    RUN(reads_end_at_the_error, BOUNCE, ALONE, "HIPLITE_COPY_ENGINES=1", NULL);
    RUN(writes_end_at_the_error, BOUNCE, ALONE, "HIPLITE_COPY_ENGINES=1", NULL);
    RUN(a_write_that_extends_the_file_goes_upwards, BOUNCE, MANY, "HIPLITE_COPY_ENGINES=1", NULL);
    RUN(writes_end_at_the_error, BOUNCE, ALONE, NULL);
    RUN(writes_end_at_the_error, BOUNCE, MANY, NULL);
    RUN(short_writes_with_o_direct_are_whole_blocks, BOUNCE, ALONE, NULL);
    RUN(short_writes_with_o_direct_are_whole_blocks, BOUNCE, MANY, NULL);
    RUN(an_unaligned_request_ends_at_the_error_too, BOUNCE, NULL);
    RUN(a_write_that_extends_the_file_goes_upwards, BOUNCE, MANY, NULL);
    RUN(only_whole_blocks_go_past_the_cache, BOUNCE, NULL);
    RUN(only_whole_blocks_go_past_the_cache, BOUNCE, MANY, NULL);
    RUN(buffered_writers_of_a_file_take_turns, BOUNCE, MANY, NULL);
    RUN(o_direct_that_fails_is_given_up, BOUNCE, NULL);
    return finish();
}
