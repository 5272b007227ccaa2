// SPDX-License-Identifier: MIT
//
// hipAmdFileRead and hipAmdFileWrite: bytes, the driver's contract, threads.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include "../support/hiplite_file.h"

#define BLOCK ((size_t)4096)
#define SIZE  (64 * BLOCK)
#define LARGE ((size_t)20 << 20)

static file_function file_read, file_write;
static unsigned char host[LARGE];

// What the call reports.
struct result {
    hipError_t error;
    int32_t status;
    uint64_t copied;
};

static struct result transfer(file_function fn, int fd, void *ptr, uint64_t size, int64_t offset)
{
    struct result result = {hipSuccess, 99, 99};

    result.error = fn(handle_of(fd), ptr, size, offset, &result.copied, &result.status);
    return result;
}

static void check_moves(file_function fn, int fd, void *ptr, uint64_t size, int64_t offset,
                        uint64_t copied)
{
    struct result result = transfer(fn, fd, ptr, size, offset);

    CHECK_OK(result.error);
    CHECK(result.status == 0 && result.copied == copied);
}

static void check_refused(int fd, void *ptr, uint64_t size, int64_t offset, int32_t status)
{
    struct result result = transfer(file_read, fd, ptr, size, offset);

    CHECK_IS(result.error, hipErrorUnknown);
    CHECK(result.status == status && result.copied == 0);
    result = transfer(file_write, fd, ptr, size, offset);
    CHECK_IS(result.error, hipErrorUnknown);
    CHECK(result.status == status && result.copied == 0);
}

static void test_names(void)
{
    hipDriverProcAddressQueryResult status;
    void *fn = &status;

    CHECK(dlsym(RTLD_DEFAULT, "hipAmdFileRead") == NULL);
    CHECK_OK(hipGetProcAddress("hipMalloc", &fn, HIP_VERSION, 0, &status));
    CHECK(fn == dlsym(RTLD_DEFAULT, "hipMalloc") && status == HIP_GET_PROC_ADDRESS_SUCCESS);
    CHECK_OK(hipGetProcAddress("hipGetDeviceProperties", &fn, HIP_VERSION, 0, NULL));
    CHECK(fn == dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
    CHECK_IS(hipGetProcAddress("hipNothing", &fn, HIP_VERSION, 0, &status), hipErrorInvalidValue);
    CHECK(fn == NULL && status == HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK_IS(hipGetProcAddress(NULL, &fn, HIP_VERSION, 0, &status), hipErrorInvalidValue);
    CHECK_IS(hipGetProcAddress("", &fn, HIP_VERSION, 0, &status), hipErrorInvalidValue);
    CHECK_IS(hipGetProcAddress("hipInit", NULL, HIP_VERSION, 0, &status), hipErrorInvalidValue);
}

static void test_read(int fd, unsigned char *device)
{
    CHECK_OK(hipMemset(device, 0xee, SIZE + BLOCK));
    CHECK_OK(hipDeviceSynchronize());
    check_moves(file_read, fd, device + BLOCK, 2 * BLOCK, (int64_t)BLOCK, 2 * BLOCK);
    CHECK_OK(hipMemcpy(host + BLOCK, device + BLOCK, 2 * BLOCK, hipMemcpyDeviceToHost));
    CHECK_OK(hipMemcpy(host + LARGE / 2, device, SIZE + BLOCK, hipMemcpyDeviceToHost));
    for (size_t i = BLOCK; i < 3 * BLOCK; i++)
        CHECK(host[i] == pattern_at(i, 1));
    CHECK(bytes_are(host + LARGE / 2, BLOCK, 0xee));
    CHECK(bytes_are(host + LARGE / 2 + 3 * BLOCK, SIZE - 2 * BLOCK, 0xee));
    // The end of the file is 100 bytes beyond SIZE.
    check_moves(file_read, fd, device, BLOCK, (int64_t)SIZE, 100);
    check_moves(file_read, fd, device, BLOCK, (int64_t)(SIZE + BLOCK), 0);
    check_moves(file_read, -1, device + 1, 0, 5, 0); // nothing is looked at
}

static void test_write(int fd, unsigned char *device)
{
    struct stat before, after;

    CHECK(fstat(fd, &before) == 0);
    pattern_fill(host, SIZE, 2);
    CHECK_OK(hipMemcpy(device, host, SIZE, hipMemcpyHostToDevice));
    check_moves(file_write, fd, device + BLOCK, 3 * BLOCK, (int64_t)(2 * BLOCK), 3 * BLOCK);
    check_moves(file_write, fd, device, 0, 0, 0);
    CHECK(fstat(fd, &after) == 0 && after.st_size == before.st_size);
    CHECK(fcntl(fd, F_SETFL, O_RDWR) == 0);
    CHECK(pread(fd, host, SIZE, 0) == (ssize_t)SIZE);
    CHECK(fcntl(fd, F_SETFL, O_RDWR | O_DIRECT) == 0);
    CHECK(pattern_holds(host, 2 * BLOCK, 1));
    for (size_t i = 0; i < 3 * BLOCK; i++)
        CHECK(host[2 * BLOCK + i] == pattern_at(BLOCK + i, 2));
    for (size_t i = 5 * BLOCK; i < SIZE; i++)
        CHECK(host[i] == pattern_at(i, 1));
}

static void test_refusals(int fd, unsigned char *device)
{
    uint64_t copied;
    int32_t status;
    void *other;

    check_refused(fd, device, 100, 0, -EINVAL);
    check_refused(fd, device, BLOCK, 512, -EINVAL);
    check_refused(fd, device + 512, BLOCK, 0, -EINVAL);
    check_refused(fd, device, BLOCK, -(int64_t)BLOCK, -EINVAL);
    check_refused(fd, device + BLOCK, SIZE + BLOCK, 0, -EINVAL); // beyond the allocation
    check_refused(fd, device, 0x80000000, 0, -ESPIPE);
    check_refused(-1, device, BLOCK, 0, -EBADF);
    check_refused(9999, device, BLOCK, 0, -EBADF);
    CHECK_OK(hipHostMalloc(&other, BLOCK, 0));
    check_refused(fd, other, BLOCK, 0, -EINVAL);
    CHECK_OK(hipHostFree(other));
    CHECK_OK(hipMallocManaged(&other, BLOCK, hipMemAttachGlobal));
    check_refused(fd, other, BLOCK, 0, -EINVAL);
    CHECK_OK(hipFree(other));
    CHECK_IS(file_read(handle_of(fd), device, BLOCK, 0, NULL, &status), hipErrorInvalidValue);
    CHECK_IS(file_read(handle_of(fd), device, BLOCK, 0, &copied, NULL), hipErrorInvalidValue);
    CHECK_IS(file_read(handle_of(fd), NULL, BLOCK, 0, &copied, &status), hipErrorInvalidValue);
}

static void test_large(void)
{
    int fd = direct_file(LARGE, 3);
    void *device;

    CHECK_OK(hipMalloc(&device, LARGE));
    check_moves(file_read, fd, device, LARGE, 0, LARGE);
    CHECK_OK(hipMemcpy(host, device, LARGE, hipMemcpyDeviceToHost));
    CHECK(pattern_holds(host, LARGE, 3));
    check_moves(file_write, fd, device, LARGE, (int64_t)LARGE, LARGE);
    CHECK_OK(hipMemset(device, 0, LARGE));
    CHECK_OK(hipDeviceSynchronize());
    check_moves(file_read, fd, device, LARGE, (int64_t)LARGE, LARGE);
    CHECK_OK(hipMemcpy(host, device, LARGE, hipMemcpyDeviceToHost));
    CHECK(pattern_holds(host, LARGE, 3));
    CHECK_OK(hipFree(device));
    close(fd);
}

// As on ROCm, the first call of a thread must not be one of these two.
static struct result first_call, second_call;
static unsigned char *thread_device;
static int thread_fd;

static void *read_first(void *arg)
{
    first_call = transfer(file_read, thread_fd, thread_device, BLOCK, 0);
    (void)hipInit(0);
    second_call = transfer(file_read, thread_fd, thread_device, BLOCK, 0);
    return arg;
}

static void test_thread(int fd, unsigned char *device)
{
    pthread_t thread;

    thread_fd = fd;
    thread_device = device;
    CHECK(pthread_create(&thread, NULL, read_first, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK_IS(first_call.error, hipErrorInvalidDevice);
    CHECK_OK(second_call.error);
    CHECK(second_call.copied == BLOCK);
}

int main(void)
{
    unsigned char *device;
    int fd = direct_file(SIZE + 100, 1);

    if (fd < 0) {
        puts("SKIP: the current directory's file system has no O_DIRECT");
        return 77;
    }
    file_read = file_function_get("hipAmdFileRead");
    file_write = file_function_get("hipAmdFileWrite");
    test_names();
    CHECK_OK(hipMalloc((void **)&device, SIZE + BLOCK));
    test_read(fd, device);
    test_write(fd, device);
    test_refusals(fd, device);
    test_thread(fd, device);
    CHECK_OK(hipFree(device));
    check_refused(fd, device, BLOCK, 0, -EINVAL);
    close(fd);
    test_large();
    return 0;
}
