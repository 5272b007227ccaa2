// SPDX-License-Identifier: MIT
// ctest-args: wait wait direct
// ctest-args: bypass bypass bounce
/* The codes of the four calls: what a submission refuses, in which order, and what it leaves. */
#include <async_test.h>

#define SIZE  65536
#define LIMIT 0x7ffff000

static int fd;
static hipFileHandle_t file;
static unsigned char *buffer;
static hipStream_t stream;

static hipFileError_t read_range(hipFileHandle_t handle, void *base, size_t size,
                                 hoff_t file_offset, hoff_t buffer_offset)
{
    struct operation operation = operation_of(size, file_offset, buffer_offset);
    hipFileError_t error = submit(false, handle, base, &operation, stream);

    CHECK_SYNC(stream);
    if (error.err != hipFileSuccess)
        CHECK(operation.bytes == -77 || operation.bytes == 0);
    return error;
}

/* On a closed library: refused, but it is open afterwards. */
static void test_closed(void)
{
    struct operation operation = operation_of(1, 0, 0);

    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_CODE(submit(false, NULL, buffer, &operation, stream), hipFileInvalidValue);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_OK(hipFileDriverClose());
    CHECK_CODE(hipFileWriteAsync(NULL, NULL, NULL, NULL, NULL, NULL, NULL), hipFileInvalidValue);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_CODE(hipFileReadAsync(NULL, NULL, NULL, NULL, NULL, NULL, NULL), hipFileInvalidValue);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_EQUAL(operation.bytes, -77);
    CHECK_OK(hipFileDriverClose());
}

static void test_nulls(void)
{
    size_t size = 1;
    hoff_t zero = 0;
    ssize_t bytes = -77;

    CHECK_CODE(hipFileReadAsync(file, NULL, &size, &zero, &zero, &bytes, stream),
               hipFileInvalidValue);
    CHECK_CODE(hipFileReadAsync(file, buffer, NULL, &zero, &zero, &bytes, stream),
               hipFileInvalidValue);
    CHECK_CODE(hipFileReadAsync(file, buffer, &size, NULL, &zero, &bytes, stream),
               hipFileInvalidValue);
    CHECK_CODE(hipFileReadAsync(file, buffer, &size, &zero, NULL, &bytes, stream),
               hipFileInvalidValue);
    CHECK_CODE(hipFileReadAsync(file, buffer, &size, &zero, &zero, NULL, stream),
               hipFileInvalidValue);
    CHECK_CODE(hipFileWriteAsync(NULL, buffer, &size, &zero, &zero, NULL, stream),
               hipFileInvalidValue); /* before the handle */
    CHECK_EQUAL(bytes, -77);
}

static void test_handles(void)
{
    hipFileHandle_t gone = register_file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    static char pageable[SIZE];

    hipFileHandleDeregister(gone);
    CHECK_CODE(read_range(NULL, buffer, 1, 0, 0), hipFileHandleNotRegistered);
    CHECK_CODE(read_range((hipFileHandle_t)0xdead, buffer, 1, 0, 0), hipFileHandleNotRegistered);
    CHECK_CODE(read_range(gone, buffer, 1, 0, 0), hipFileHandleNotRegistered);
    CHECK_CODE(read_range(gone, pageable, 1, -1, -1), hipFileHandleNotRegistered);
    CHECK_CODE(read_range(file, pageable, 1, 0, 0), hipFileInvalidValue);
}

/* Whatever the flags say, the values as they are now are judged. */
static void test_values(void)
{
    for (unsigned flags = 0; flags <= HIPFILE_STREAM_FLAGS_MASK; flags++) {
        CHECK_OK(hipFileStreamRegister(stream, flags));
        CHECK_CODE(read_range(file, buffer, 1, -1, 0), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, 1, INT64_MIN, 0), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, 1, INT64_MAX, 0), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, 1, 0, -1), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, 0, 0, SIZE), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, SIZE + 1, 0, 0), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, 2, 0, SIZE - 1), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, SIZE_MAX, 0, 0), hipFileInvalidValue);
        CHECK_CODE(read_range(file, buffer, SIZE_MAX, 0, INT64_MAX), hipFileInvalidValue);
        CHECK_OK(read_range(file, buffer, 0, 0, 0));
        CHECK_OK(read_range(file, buffer, SIZE, 0, 0));
        CHECK_OK(hipFileStreamDeregister(stream));
    }
}

static void test_registered_bounds(void)
{
    CHECK_OK(hipFileBufRegister(buffer, 4096, 0));
    CHECK_CODE(read_range(file, buffer, 4097, 0, 0), hipFileInvalidValue);
    CHECK_CODE(read_range(file, buffer, 1, 0, 4096), hipFileInvalidValue);
    CHECK_OK(read_range(file, buffer, 4096, 0, 0));
    CHECK_OK(hipFileBufDeregister(buffer));
}

static void test_stream_registration(void)
{
    hipStream_t other = make_stream();

    for (unsigned bit = 4; bit < 32; bit++)
        CHECK_CODE(hipFileStreamRegister(other, 1u << bit), hipFileInvalidValue);
    CHECK_CODE(hipFileStreamDeregister(other), hipFileInvalidValue);
    CHECK_OK(hipFileStreamRegister(other, HIPFILE_STREAM_FLAGS_MASK));
    CHECK_CODE(hipFileStreamRegister(other, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileStreamDeregister(stream), hipFileInvalidValue);
    CHECK_OK(hipFileStreamDeregister(other));
    CHECK_CODE(hipFileStreamDeregister(other), hipFileInvalidValue);
    CHECK_OK(hipFileStreamRegister(NULL, 0));
    CHECK_CODE(hipFileStreamRegister(NULL, 0), hipFileInvalidValue);
    CHECK_OK(hipFileStreamDeregister(NULL));
    CHECK_CODE(hipFileStreamDeregister(NULL), hipFileInvalidValue);
    CHECK_CODE(hipFileStreamDeregister((hipStream_t)0xdead0), hipFileInvalidValue);
    CHECK_HIP(hipStreamDestroy(other));
}

/* Registered or not, a stream that HIP does not know is HIP's error. */
static void test_not_a_stream(void)
{
    struct operation operation = operation_of(1, 0, 0);
    hipStream_t gone = make_stream();
    hipFileError_t error;

    CHECK_HIP(hipStreamDestroy(gone));
    error = submit(false, file, buffer, &operation, gone);
    CHECK_EQUAL(error.err, hipFileHipDriverError);
    CHECK(error.hip_drv_err != hipSuccess);
    error = hipFileStreamRegister(gone, 0);
    CHECK_EQUAL(error.err, hipFileHipDriverError);
    CHECK_CODE(hipFileStreamDeregister(gone), hipFileInvalidValue);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
}

/* Works while the library is closed, and the close drops it. */
static void test_registration_and_driver(void)
{
    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_OK(hipFileStreamRegister(stream, 0));
    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_OK(hipFileStreamDeregister(stream));
    CHECK_OK(hipFileStreamRegister(stream, 0));
    CHECK_OK(hipFileDriverOpen());
    CHECK_CODE(hipFileStreamRegister(stream, 0), hipFileInvalidValue);
    CHECK_OK(hipFileDriverClose());
    CHECK_CODE(hipFileStreamDeregister(stream), hipFileInvalidValue);
    CHECK_EQUAL(hipFileUseCount(), 0);
}

/* The buffer's device must be the stream's, and the caller's own stays. */
static void test_devices(void)
{
    struct operation operation = operation_of(SIZE, 0, 0);
    void *second = NULL, *pinned = NULL;
    hipStream_t of_second;
    int device = -1;

    CHECK_HIP(hipSetDevice(1));
    CHECK_HIP(hipMalloc(&second, SIZE));
    CHECK_HIP(hipHostMalloc(&pinned, SIZE, hipHostMallocDefault));
    of_second = make_stream();
    CHECK_CODE(submit(false, file, buffer, &operation, of_second), hipFileInvalidValue);
    CHECK_CODE(submit(false, file, buffer, &operation, NULL), hipFileInvalidValue);
    CHECK_CODE(submit(false, file, second, &operation, stream), hipFileInvalidValue);
    CHECK_READ(file, second, &operation, NULL);
    CHECK_SYNC(NULL);
    CHECK_EQUAL(operation.bytes, SIZE);
    CHECK_HIP(hipGetDevice(&device));
    CHECK_EQUAL(device, 1);

    CHECK_HIP(hipSetDevice(0));
    CHECK_READ(file, second, &operation, of_second);
    CHECK_SYNC(of_second);
    CHECK_EQUAL(operation.bytes, SIZE);
    CHECK(buffer_is_pattern(second, 0, SIZE, 0, 0));
    CHECK_READ(file, pinned, &operation, stream); /* the CPU's memory goes with any stream */
    CHECK_SYNC(stream);
    CHECK_READ(file, pinned, &operation, of_second);
    CHECK_SYNC(of_second);
    CHECK_EQUAL(operation.bytes, SIZE);
    CHECK_HIP(hipGetDevice(&device));
    CHECK_EQUAL(device, 0);
    CHECK_HIP(hipFree(second));
    CHECK_HIP(hipHostFree(pinned));
    CHECK_HIP(hipStreamDestroy(of_second));
}

/* An error that the program has not asked about yet is still there, and only that one. */
static void test_pending_error(void)
{
    struct operation operation = operation_of(SIZE, 0, 0);

    CHECK(hipSetDevice(77) != hipSuccess);
    CHECK_READ(file, buffer, &operation, stream);
    CHECK_CODE(read_range(NULL, buffer, 1, 0, 0), hipFileHandleNotRegistered);
    CHECK_CODE(read_range(file, &operation, 1, 0, 0), hipFileInvalidValue);
    CHECK_SYNC(stream);
    CHECK_EQUAL(hipGetLastError(), hipErrorInvalidDevice);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
    CHECK_READ(file, buffer, &operation, stream);
    CHECK_CODE(read_range(file, &operation, 1, 0, 0), hipFileInvalidValue);
    CHECK_SYNC(stream);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
}

static void test_per_thread_stream(void)
{
    struct operation operation = operation_of(SIZE, 0, 0);

    fill_buffer(buffer, SIZE, 0);
    CHECK_READ(file, buffer, &operation, hipStreamPerThread);
    CHECK_SYNC(hipStreamPerThread);
    CHECK_EQUAL(operation.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
}

/* A file that was not opened for it is found out by the operation, as the file's error. */
static void test_access(void)
{
    struct operation out = operation_of(SIZE, 0, 0);
    int read_only = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    hipFileHandle_t handle = register_file(read_only);

    CHECK_WRITE(handle, buffer, &out, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(out.bytes, -EBADF);
    hipFileHandleDeregister(handle);
    close(read_only);
}

/* Above the limit the size is cut, and the bounds are those of what is left. */
static void test_huge(void)
{
    struct operation in = operation_of((size_t)LIMIT + 4096, 0, 0);
    void *huge = NULL;

    if (hipMalloc(&huge, (size_t)LIMIT + 4096) != hipSuccess) {
        printf("SKIP: there is no memory for a request above the limit\n");
        hipGetLastError();
        return;
    }
    CHECK_READ(file, huge, &in, stream);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE); /* all there is in the file */
    CHECK_HIP(hipFree(huge));
}

int main(int argc, char **argv)
{
    setenv("HIPLITE_DEVICE", "cpu", 1); /* which checks handles, and can be two */
    setenv("HIPLITE_CPU_DEVICES", "2", 1);
    set_mode(argc, argv);
    buffer = make_buffer(SIZE);
    stream = make_stream();
    test_closed();
    test_registration_and_driver();

    fd = make_file(SIZE, 0);
    file = register_file(fd);
    test_nulls();
    test_handles();
    test_values();
    test_registered_bounds();
    test_stream_registration();
    test_not_a_stream();
    test_devices();
    test_pending_error();
    test_per_thread_stream();
    test_access();
    test_huge();
    return 0;
}
