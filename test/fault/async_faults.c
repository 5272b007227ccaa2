// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-direct bypass direct
// ctest-args: bypass-bounce bypass bounce
/*
 * One operation of three in a stream meets a fault, with every combination of the FIXED flags, in
 * reads and writes, on each path: its outcome is the right one, and its neighbours do not notice.
 */
#include <async_test.h>
#include <hip/hip_runtime_api.h>

#include "hip/hip.h"
#include "os/os.h"

#define SIZE  65536
#define PLACE (4 * SIZE) /* in the file, where the fault is */

/* What the calls answer at PLACE. */
static struct {
    int status;       /* errno of the direct path's calls, or of pread and pwrite */
    hipError_t error; /* of copies, whatever the place */
    atomic_bool armed;
} fault;

static struct hf_hip_calls real_hip;
static struct hf_os_calls real_os;

static bool strikes(int64_t offset, size_t size)
{
    return fault.armed && offset < PLACE + SIZE && offset + (int64_t)size > PLACE;
}

static hipError_t amd_read(hf_hip_file file, void *device, uint64_t size, int64_t offset,
                           uint64_t *copied, int32_t *status)
{
    if (!fault.status || !strikes(offset, size))
        return real_hip.hipAmdFileRead(file, device, size, offset, copied, status);
    *copied = 0;
    *status = -fault.status;
    return hipErrorUnknown;
}

static hipError_t amd_write(hf_hip_file file, void *device, uint64_t size, int64_t offset,
                            uint64_t *copied, int32_t *status)
{
    if (!fault.status || !strikes(offset, size))
        return real_hip.hipAmdFileWrite(file, device, size, offset, copied, status);
    *copied = 0;
    *status = -fault.status;
    return hipErrorUnknown;
}

static ssize_t failing_pread(int fd, void *bytes, size_t size, off_t offset)
{
    if (mode.direct || !fault.status || !strikes(offset, size))
        return real_os.pread(fd, bytes, size, offset);
    errno = fault.status;
    return -1;
}

static ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (mode.direct || !fault.status || !strikes(offset, size))
        return real_os.pwrite(fd, bytes, size, offset);
    errno = fault.status;
    return -1;
}

static hipError_t failing_copy(void *to, const void *from, size_t size, hipMemcpyKind kind,
                               hipStream_t stream)
{
    return fault.armed && fault.error ? fault.error
                                      : real_hip.hipMemcpyAsync(to, from, size, kind, stream);
}

static void replace_calls(void)
{
    CHECK_EQUAL(hf_hip_load(), 0);
    real_hip = hf_hip;
    real_os = hf_os;
    hf_hip.hipAmdFileRead = amd_read;
    hf_hip.hipAmdFileWrite = amd_write;
    hf_hip.hipMemcpyAsync = failing_copy;
    hf_os.pread = failing_pread;
    hf_os.pwrite = failing_pwrite;
}

struct kind {
    int status;
    hipError_t error;
    ssize_t read, write; /* the outcomes */
};

static const struct kind direct_faults[] = {
    {ENODEV, 0, SIZE, SIZE},    /* bounced, for good */
    {EREMOTEIO, 0, SIZE, SIZE}, /* so too */
    {EINVAL, 0, SIZE, SIZE},    /* bounced, this time */
    {EIO, 0, SIZE, -EIO},       /* a read may have met the end of the file, and looks */
    {ENOSPC, 0, -ENOSPC, -ENOSPC}, {EPERM, 0, -hipFilePermissionDenied, -hipFilePermissionDenied},
};

static const struct kind host_faults[] = {
    {EIO, 0, -EIO, -EIO},
    {ENOSPC, 0, -ENOSPC, -ENOSPC},
    {EPERM, 0, -hipFilePermissionDenied, -hipFilePermissionDenied},
    {ESTALE, 0, -ESTALE, -ESTALE},
};

static const struct kind copy_faults[] = {
    {0, hipErrorUnknown, -hipFileHipDriverError, -hipFileHipDriverError},
    {0, hipErrorInvalidValue, -hipFileHipDriverError, -hipFileHipDriverError},
};

static int fd;
static void *buffer;
static hipStream_t stream;
static struct gate gate;

static void arm(void *argument)
{
    (void)argument;
    fault.armed = true;
}

static void disarm(void *argument)
{
    (void)argument;
    fault.armed = false;
}

/* The values of all three are changed after the submission, to what they are anyway where they are
   late, and to what would fail where they are fixed. */
static void change(struct operation *operation, unsigned flags)
{
    if (flags & HIPFILE_STREAM_FIXED_FILE_SIZE)
        operation->size = SIZE_MAX;
    if (flags & HIPFILE_STREAM_FIXED_FILE_OFFSET)
        operation->file_offset = -1;
    if (flags & HIPFILE_STREAM_FIXED_BUF_OFFSET)
        operation->buffer_offset = -1;
}

static void run_three(const struct kind *kind, bool write, unsigned flags)
{
    struct operation three[] = {operation_of(SIZE, 0, 0), operation_of(SIZE, PLACE, SIZE),
                                operation_of(SIZE, SIZE, 2 * SIZE)};
    ssize_t outcome = write ? kind->write : kind->read;
    hipFileHandle_t file = register_file(fd);

    fault.status = kind->status;
    fault.error = kind->error;
    pattern_buffer(buffer, 0, 3 * SIZE, 0, flags);
    CHECK_OK(hipFileStreamRegister(stream, flags));
    close_gate(&gate, stream);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            CHECK_HIP(hipLaunchHostFunc(stream, arm, NULL));
        CHECK_OK(submit(write, file, buffer, &three[i], stream));
        if (i == 1)
            CHECK_HIP(hipLaunchHostFunc(stream, disarm, NULL));
        change(&three[i], flags);
    }
    CHECK_OK(hipFileStreamDeregister(stream));
    hipFileHandleDeregister(file);
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(three[0].bytes, SIZE);
    CHECK_EQUAL(three[1].bytes, outcome);
    CHECK_EQUAL(three[2].bytes, SIZE);
}

static void check_bytes(const struct kind *kind, bool write, unsigned flags)
{
    if (write) {
        CHECK(file_is_pattern(fd, SIZE, 0, 0, flags));
        CHECK(file_is_pattern(fd, SIZE, SIZE, 2 * SIZE, flags));
        if (kind->write == SIZE)
            CHECK(file_is_pattern(fd, SIZE, PLACE, SIZE, flags));
        return;
    }
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK(buffer_is_pattern(buffer, 2 * SIZE, SIZE, SIZE, 0));
    if (kind->read == SIZE)
        CHECK(buffer_is_pattern(buffer, SIZE, SIZE, PLACE, 0));
    else
        CHECK(buffer_is_pattern(buffer, SIZE, SIZE, SIZE, flags)); /* untouched */
}

static void test_kinds(const struct kind *kinds, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (unsigned flags = 0; flags < 8; flags++) {
            fd = make_file(8 * SIZE, mode.direct ? O_DIRECT : 0);
            run_three(&kinds[k], false, flags);
            check_bytes(&kinds[k], false, flags);
            run_three(&kinds[k], true, flags);
            check_bytes(&kinds[k], true, flags);
            close(fd);
        }
    }
}

#define TEST_KINDS(kinds) test_kinds(kinds, sizeof kinds / sizeof kinds[0])

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    CHECK_OK(hipFileDriverOpen());
    replace_calls();
    buffer = make_buffer(3 * SIZE);
    stream = make_stream();
    gate = make_gate();

    if (mode.direct)
        TEST_KINDS(direct_faults);
    else
        TEST_KINDS(host_faults);
    if (!mode.direct && !mode.host)
        TEST_KINDS(copy_faults);
    return 0;
}
