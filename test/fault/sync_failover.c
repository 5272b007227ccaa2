// SPDX-License-Identifier: MIT
//
// The direct path fails in every way that a driver can: what is served otherwise, what is
// remembered, and what the caller is told. hiplite's HIPLITE_FAULT makes the n-th call fail.
#include "sync_test.h"

#include <sys/sysmacros.h>

#define PAGE 4096
#define SIZE (64 * PAGE)
#define ENDS (10 * PAGE + 1234) /* the size of a file that ends inside a block */

static int fd;
static hipFileHandle_t handle;
static void *memory;
static unsigned char expected[SIZE + PAGE], got[SIZE + PAGE];
static uint64_t (*count_calls)(const char *function);

static void prepare(size_t size)
{
    hipDriverProcAddressQueryResult result;

    CHECK_HIP(hipGetProcAddress("hipliteCallCount", (void **)&count_calls, 70200000, 0, &result));
    fd = pattern_file(O_RDWR, size, 1);
    handle = register_fd(fd);
    memory = memory_get(DEVICE, SIZE);
}

static hipFileExtHandleInfo_t info(void)
{
    hipFileExtHandleInfo_t now = {.struct_size = sizeof now};

    CHECK_OK(hipFileExtGetHandleInfo(handle, &now));
    return now;
}

static void need_direct(void)
{
    hipFileExtRoute_t route = {.struct_size = sizeof route};

    CHECK_OK(hipFileExtQueryRequest(handle, memory, SIZE, 0, 0, hipFileBatchRead, &route));
    if (route.path != hipFileExtPathDirect)
        skip_test("%s: no direct I/O: %s", test_folder(), hipFileExtReasonString(route.reason));
}

/* Reads and checks all bytes, before and behind the range too. */
static void expect_read(size_t size, off_t offset, size_t count)
{
    fill(expected, SIZE, 0, 2);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, size, offset, offset % PAGE), count);
    fill(expected + offset % PAGE, count, (uint64_t)offset, 1);
    memory_read(DEVICE, got, memory, SIZE);
    memcpy(expected + offset % PAGE + count, got + offset % PAGE + count, size - count);
    CHECK_BYTES(got, expected, SIZE);
}

static void expect_write(size_t size, off_t offset)
{
    fill(expected, SIZE, 0, 1);
    CHECK_EQUAL(pwrite(fd, expected, SIZE, 0), SIZE);
    fill(expected + offset, size, 0, 3);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, size, offset, offset), size);
    CHECK_EQUAL(pread(fd, got, SIZE + PAGE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
    write_pattern(fd, SIZE, 1);
}

/* What the kernel calls the device under the file, and what kind of storage that is. */
static const char *expected_layer(void)
{
    static const char *const kinds[][2] = {{"nvme", "nvme"}, {"loop", "loop"}, {"vd", "virtio"},
                                           {"dm-", "dm"},    {"md", "md"},     {"sd", "scsi"}};
    char path[64], target[512] = "";
    const char *name;
    struct stat st;

    CHECK_EQUAL(fstat(fd, &st), 0);
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
    if (readlink(path, target, sizeof target - 1) < 0)
        return NULL;
    name = strrchr(target, '/') + 1;
    for (int i = 0; i < 6; i++)
        if (strncmp(name, kinds[i][0], strlen(kinds[i][0])) == 0)
            return kinds[i][1];
    return NULL;
}

/* ENODEV and EREMOTEIO will not change: asked once, and never again for this file and device. */
static void a_refusal_is_remembered(void)
{
    hipFileExtRoute_t route = {.struct_size = sizeof route};
    int other;

    prepare(SIZE);
    need_direct();
    expect_read(SIZE, 0, SIZE);
    CHECK_EQUAL(count_calls("hipAmdFileRead"), 1);
    for (int i = 0; i < 5; i++) {
        expect_read(SIZE, 0, SIZE);
        expect_read(5 * PAGE + 1, 77, 5 * PAGE + 1);
        expect_write(SIZE, 0);
    }
    CHECK_EQUAL(count_calls("hipAmdFileRead"), 1);
    CHECK_EQUAL(count_calls("hipAmdFileWrite"), 0);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], 0);
    CHECK_EQUAL(info().last_reason, hipFileExtReasonRefused);
    CHECK_EQUAL(info().last_path, hipFileExtPathBounce);
    CHECK_EQUAL(info().requests[hipFileExtReasonRefused], 16);
    CHECK_EQUAL(info().requests[hipFileExtReasonNone], 0);
    CHECK_OK(hipFileExtQueryRequest(handle, memory, SIZE, 0, 0, hipFileBatchRead, &route));
    CHECK_EQUAL(route.reason, hipFileExtReasonRefused);
    CHECK_EQUAL(strcmp(route.layer, info().layer), 0);
    if (expected_layer())
        CHECK_EQUAL(strcmp(route.layer, expected_layer()), 0);

    other = pattern_file(O_RDWR, SIZE, 1); /* another file is asked for itself */
    handle = register_fd(other);
    expect_read(SIZE, 0, SIZE);
    CHECK_EQUAL(count_calls("hipAmdFileRead"), 2);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], SIZE);
}

static void a_refused_write_is_remembered(void)
{
    prepare(SIZE);
    need_direct();
    expect_write(SIZE, 0);
    expect_write(7 * PAGE, PAGE);
    expect_read(SIZE - 8 * PAGE, 8 * PAGE, SIZE - 8 * PAGE);
    CHECK_EQUAL(count_calls("hipAmdFileWrite"), 1);
    CHECK_EQUAL(count_calls("hipAmdFileRead"), 0);
}

static void a_refusal_counts_for_one_device(void)
{
    void *others;

    prepare(SIZE);
    need_direct();
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE); /* refused */
    CHECK_HIP(hipSetDevice(1));
    others = memory_get(DEVICE, SIZE);
    CHECK_EQUAL(hipFileRead(handle, others, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], SIZE);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathBounce], 2 * SIZE);
}

/* Refused after a part: what was moved stays, the rest goes by bounce. */
static void a_refusal_half_way(void)
{
    prepare(SIZE);
    need_direct();
    expect_read(SIZE, 0, SIZE);
    expect_write(SIZE, 0);
    CHECK_EQUAL(info().last_reason, hipFileExtReasonRefused);
}

/* Kernels may answer EIO where a read ends with the file, or crosses its end. */
static void the_end_of_the_file_is_found(void)
{
    prepare(ENDS);
    need_direct();
    expect_read(SIZE, 0, ENDS);
    expect_read(PAGE, 10 * PAGE, 1234);
    expect_read(2 * PAGE, 9 * PAGE, PAGE + 1234);
    expect_read(3 * PAGE + 5, 8 * PAGE + 5, 2 * PAGE + 1229);
    expect_read(PAGE, 11 * PAGE, 0);
    expect_read(PAGE, 400 * PAGE, 0);
    expect_read(10 * PAGE, 0, 10 * PAGE);
    CHECK_EQUAL(ftruncate(fd, 12 * PAGE), 0); /* and at a block's end, with a hole */
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), 12 * PAGE);
}

/* The storage works, only the direct path does not: wherever pread works, so does hipFileRead. */
static void reads_are_served_by_bounce(void)
{
    prepare(SIZE);
    need_direct();
    expect_read(SIZE, 0, SIZE);
    expect_read(10 * PAGE + 3, 5, 10 * PAGE + 3);
    expect_read(PAGE, SIZE - PAGE, PAGE);
    expect_read(SIZE, SIZE - PAGE, PAGE);
}

/* EIO and EINVAL pass: the next request is direct again. */
static void a_passing_failure_is_not_remembered(void)
{
    prepare(SIZE);
    need_direct();
    expect_read(SIZE, 0, SIZE);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], 0);
    expect_read(SIZE, 0, SIZE);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], SIZE);
}

static void short_counts_are_carried_on(void)
{
    prepare(SIZE);
    need_direct();
    for (int i = 0; i < 3; i++) {
        expect_read(SIZE, 0, SIZE);
        expect_read(20 * PAGE + 100, PAGE + 1, 20 * PAGE + 100);
        expect_write(SIZE, 0);
        expect_write(20 * PAGE + 100, PAGE + 1);
    }
}

static void short_counts_before_the_end_of_the_file(void)
{
    prepare(ENDS);
    need_direct();
    expect_read(SIZE, 0, ENDS);
    expect_read(8 * PAGE, 7 * PAGE, 3 * PAGE + 1234);
}

/* An error that is nobody's but the caller's goes to the caller. */
static void other_errors_are_told(void)
{
    prepare(SIZE);
    need_direct();
    CHECK_ERRNO(hipFileWrite(handle, memory, SIZE, 0, 0), ENOSPC);
    CHECK_ERRNO(hipFileWrite(handle, memory, SIZE, 0, 0), EFBIG);
    CHECK_ERRNO(hipFileWrite(handle, memory, SIZE, 0, 0), EIO);
    CHECK_ERRNO(hipFileRead(handle, memory, SIZE, 0, 0), ENOMEM);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorOutOfMemory);
    expect_write(SIZE, 0);
    expect_read(SIZE, 0, SIZE);
}

/* An unaligned write whose middle fails: the head counts, and the tail is not written. */
static void an_error_in_the_middle_ends_the_request(void)
{
    off_t offset = 3000;
    size_t size = 5 * PAGE, head = PAGE - 3000;

    prepare(SIZE);
    need_direct();
    fill(expected, SIZE, 0, 3);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, size, offset, offset), head);
    fill(expected, (size_t)offset, 0, 1);
    fill(expected + PAGE, SIZE - PAGE, PAGE, 1);
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
    CHECK_ERRNO(hipFileWrite(handle, memory, size - head, PAGE, PAGE), ENOSPC);
}

static void interrupted_calls_are_taken_up_again(void)
{
    prepare(SIZE);
    need_direct();
    expect_read(SIZE, 0, SIZE);
    CHECK_EQUAL(count_calls("hipAmdFileRead"), 3);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], SIZE);
}

/* ---- compat mode forbidden ---- */

static void refused_and_not_to_be_bounced(void)
{
    prepare(SIZE);
    fill(expected, SIZE, 0, 9);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileIONotSupported);
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), -hipFileIONotSupported);
    CHECK_EQUAL(hipFileRead(handle, memory, 3 * PAGE, 5, 5), -hipFileIONotSupported);
    memory_read(DEVICE, got, memory, SIZE);
    CHECK_BYTES(got, expected, SIZE); /* nothing was moved, the edges neither */
    fill(expected, SIZE, 0, 1);
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
}

static void edges_are_staged_all_the_same(void)
{
    prepare(ENDS);
    need_direct();
    expect_read(SIZE, 0, ENDS);
    expect_read(3 * PAGE + 7, 1, 3 * PAGE + 7);
    expect_read(100, 9 * PAGE + 4000, 100);
    write_pattern(fd, SIZE, 1);
    expect_write(3 * PAGE + 7, 1);
    expect_write(100, 4000);
    CHECK_EQUAL(info().bytes_read[hipFileExtPathDirect], ENDS + 2 * PAGE);
}

static void a_failing_storage_is_not_a_refusal(void)
{
    prepare(SIZE);
    need_direct();
    CHECK_ERRNO(hipFileRead(handle, memory, SIZE, 0, 0), EIO);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, SIZE, 0), 0); /* at the end it is no failure */
    CHECK_EQUAL(hipFileRead(handle, memory, PAGE, 2 * SIZE, 0), 0);
}

static void host_memory_needs_no_compat_mode(void)
{
    void *pinned = memory_get(PINNED, SIZE);

    prepare(SIZE);
    CHECK_EQUAL(hipFileRead(handle, pinned, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileWrite(handle, pinned, 77, 3, 0), 77);
}

#define FORBIDDEN "HIPFILE_ALLOW_COMPAT_MODE=false", "HIPFILE_LOGGING_LEVEL=OFF"
#define PIECES                                                                                     \
    "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_MAX_IO_THREADS=4",                              \
        "HIPFILE_MAX_DIRECT_IO_SIZE_KB=64"

int main(void)
{
    RUN(a_refusal_is_remembered, "HIPLITE_FAULT=hipAmdFileRead@1=ENODEV", NULL);
    RUN(a_refusal_is_remembered, "HIPLITE_FAULT=hipAmdFileRead@1=EREMOTEIO", NULL);
    RUN(a_refused_write_is_remembered, "HIPLITE_FAULT=hipAmdFileWrite@1=ENODEV", NULL);
    RUN(a_refusal_counts_for_one_device, "HIPLITE_FAULT=hipAmdFileRead@1=ENODEV",
        "HIPLITE_CPU_DEVICES=2", NULL);
    RUN(a_refusal_half_way, PIECES, "HIPLITE_FAULT=hipAmdFileRead@2+=ENODEV", NULL);
    RUN(the_end_of_the_file_is_found, "HIPLITE_COUNTS=/dev/null", NULL);
    RUN(the_end_of_the_file_is_found, "HIPLITE_FAULT=hipAmdFileRead@1+=EIO", NULL);
    RUN(the_end_of_the_file_is_found, PIECES, "HIPLITE_FAULT=hipAmdFileRead@2+=EIO", NULL);
    RUN(the_end_of_the_file_is_found,
        "HIPLITE_FAULT=hipAmdFileRead@1=EIO;hipAmdFileRead@3=EIO;hipAmdFileRead@5=EIO", NULL);
    RUN(reads_are_served_by_bounce, "HIPLITE_FAULT=hipAmdFileRead@1+=EIO", NULL);
    RUN(reads_are_served_by_bounce, "HIPLITE_FAULT=hipAmdFileRead@1+=EINVAL", NULL);
    RUN(reads_are_served_by_bounce, "HIPLITE_FAULT=hipAmdFileRead@1+=short:0", NULL);
    RUN(reads_are_served_by_bounce, PIECES, "HIPLITE_FAULT=hipAmdFileRead@3+=EIO", NULL);
    RUN(a_passing_failure_is_not_remembered, "HIPLITE_FAULT=hipAmdFileRead@1=EIO", NULL);
    RUN(a_passing_failure_is_not_remembered, "HIPLITE_FAULT=hipAmdFileRead@1=EINVAL", NULL);
    static const char *const limits[] = {"0", "1", "511", "4095", "4096", "4097", "20000", "81920"};
    for (int i = 0; i < 8; i++) {
        char fault[128];

        snprintf(fault, sizeof fault,
                 "HIPLITE_FAULT=hipAmdFileRead@1+=short:%s;hipAmdFileWrite@1+=short:%s", limits[i],
                 limits[i]);
        RUN(short_counts_are_carried_on, fault, NULL);
        RUN(short_counts_are_carried_on, PIECES, fault, NULL);
        RUN(short_counts_before_the_end_of_the_file, fault, NULL);
    }
    RUN(other_errors_are_told,
        "HIPLITE_FAULT=hipAmdFileWrite@1=ENOSPC;hipAmdFileWrite@2=EFBIG;hipAmdFileWrite@3=EIO;"
        "hipAmdFileRead@1=ENOMEM;hipAmdFileRead@2=hipErrorOutOfMemory",
        NULL);
    RUN(an_error_in_the_middle_ends_the_request, "HIPLITE_FAULT=hipAmdFileWrite@1+=ENOSPC", NULL);
    RUN(interrupted_calls_are_taken_up_again,
        "HIPLITE_FAULT=hipAmdFileRead@1=EINTR;hipAmdFileRead@2=EINTR", NULL);
    RUN(refused_and_not_to_be_bounced, FORBIDDEN,
        "HIPLITE_FAULT=hipAmdFileRead@1+=ENODEV;hipAmdFileWrite@1+=ENODEV", NULL);
    RUN(refused_and_not_to_be_bounced, FORBIDDEN, "HIPFILE_TEST_DIR=/dev/shm", NULL);
    RUN(edges_are_staged_all_the_same, FORBIDDEN, NULL);
    RUN(a_failing_storage_is_not_a_refusal, FORBIDDEN, "HIPLITE_FAULT=hipAmdFileRead@1+=EIO", NULL);
    RUN(host_memory_needs_no_compat_mode, FORBIDDEN, NULL);
    return finish();
}
