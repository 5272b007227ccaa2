// SPDX-License-Identifier: MIT
//
// HIPLITE_FAULT and HIPLITE_COUNTS: scripted faults hit the call they name, and calls are counted.
#include <sys/stat.h>

#include "../support/hiplite_file.h"

#define BLOCK 4096

static void test_errors(void)
{
    void *ptr[4];

    setenv("HIPLITE_FAULT",
           "hipMalloc@2=hipErrorOutOfMemory;hipMalloc@4+=hipErrorNotSupported;"
           "hipGetErrorName@1=delay:1us",
           1);
    CHECK_OK(hipMalloc(&ptr[0], 10));
    CHECK_IS(hipMalloc(&ptr[1], 10), hipErrorOutOfMemory);
    CHECK_IS(hipGetLastError(), hipErrorOutOfMemory);
    CHECK_OK(hipMalloc(&ptr[2], 10));
    CHECK_IS(hipMalloc(&ptr[3], 10), hipErrorNotSupported);
    CHECK_IS(hipMalloc(&ptr[3], 10), hipErrorNotSupported);
    CHECK_OK(hipFree(ptr[0]));
    CHECK_OK(hipFree(ptr[2]));
}

static void test_delay(void)
{
    double start;

    setenv("HIPLITE_FAULT", "hipStreamQuery@1=delay:30ms", 1);
    start = now_ms();
    CHECK_OK(hipStreamQuery(NULL));
    CHECK(now_ms() - start >= 29);
    start = now_ms();
    CHECK_OK(hipStreamQuery(NULL));
    CHECK(now_ms() - start < 25);
}

static void check_read(file_function fn, int fd, void *ptr, hipError_t error, int32_t status,
                       uint64_t copied)
{
    uint64_t seen_copied = 1;
    int32_t seen_status = 1;

    CHECK_IS(fn(handle_of(fd), ptr, 4 * BLOCK, 0, &seen_copied, &seen_status), error);
    CHECK(seen_status == status && seen_copied == copied);
}

static void test_file(void)
{
    unsigned char out[4 * BLOCK];
    file_function read;
    int fd = direct_file(4 * BLOCK, 4);
    void *ptr;

    if (fd < 0) {
        puts("SKIP: the current directory's file system has no O_DIRECT");
        return;
    }
    setenv("HIPLITE_FAULT",
           "hipAmdFileRead@2=ENODEV;hipAmdFileRead@3=EREMOTEIO;"
           "hipAmdFileRead@4=short:4096;hipAmdFileRead@5=short:5000;"
           "hipAmdFileRead@6=short:0;hipAmdFileRead@7=hipErrorUnknown",
           1);
    CHECK_OK(hipMalloc(&ptr, 4 * BLOCK));
    read = file_function_get("hipAmdFileRead");
    check_read(read, fd, ptr, hipSuccess, 0, 4 * BLOCK);
    CHECK_OK(hipMemset(ptr, 0, 4 * BLOCK));
    CHECK_OK(hipDeviceSynchronize());
    check_read(read, fd, ptr, hipErrorUnknown, -ENODEV, 0);
    check_read(read, fd, ptr, hipErrorUnknown, -EREMOTEIO, 0);
    CHECK_OK(hipMemcpy(out, ptr, sizeof(out), hipMemcpyDeviceToHost));
    CHECK(bytes_are(out, sizeof(out), 0)); // neither moved a byte
    check_read(read, fd, ptr, hipSuccess, 0, 4096);
    CHECK_OK(hipMemcpy(out, ptr, sizeof(out), hipMemcpyDeviceToHost));
    CHECK(pattern_holds(out, BLOCK, 4) && bytes_are(out + BLOCK, 3 * BLOCK, 0));
    check_read(read, fd, ptr, hipSuccess, 0, 5000);
    check_read(read, fd, ptr, hipSuccess, 0, 0);
    check_read(read, fd, ptr, hipErrorUnknown, 1, 1); // returns at once
    check_read(read, fd, ptr, hipSuccess, 0, 4 * BLOCK);
}

// A rule that cannot be read is named, and the others hold.
static void bad_rules(void)
{
    void *ptr;

    setenv("HIPLITE_FAULT",
           "hipMalloc=EIO;hipNothing@1=hipErrorUnknown;hipMalloc@0=hipErrorUnknown;"
           "hipMalloc@1=hipErrorNone;hipMalloc@1=EIO;hipMalloc@1=short:1;hipMalloc@x=EIO;"
           "hipMalloc@1=hipSuccess;hipMalloc@1=delay:1;hipMalloc@1++=hipErrorUnknown;"
           "hipGetErrorName@1=hipErrorUnknown;;hipMalloc@2=hipErrorNotFound",
           1);
    CHECK_OK(hipMalloc(&ptr, 1));
    CHECK_IS(hipMalloc(&ptr, 1), hipErrorNotFound);
}

static void test_bad_rules(void)
{
    FILE *output = tmpfile();
    char line[200];
    int saved = dup(STDERR_FILENO);
    int lines = 0;

    CHECK(output != NULL && dup2(fileno(output), STDERR_FILENO) >= 0);
    CHECK(in_child(bad_rules) == 0);
    dup2(saved, STDERR_FILENO);
    rewind(output);
    for (; fgets(line, sizeof(line), output) != NULL; lines++)
        CHECK(strstr(line, "HIPLITE_FAULT") != NULL && strstr(line, "ignored") != NULL);
    CHECK(lines == 11);
    fclose(output);
}

typedef uint64_t (*count_function)(const char *name);

static count_function count_function_get(const char *name)
{
    void *fn = NULL;
    count_function typed;

    CHECK_OK(hipGetProcAddress(name, &fn, HIP_VERSION, 0, NULL));
    memcpy(&typed, &fn, sizeof(typed));
    return typed;
}

static void test_counts(void)
{
    count_function calls = count_function_get("hipliteCallCount");
    count_function bytes = count_function_get("hipliteByteCount");
    char local[100] = {0};
    void *ptr;

    CHECK_OK(hipMalloc(&ptr, 100));
    CHECK_OK(hipMemcpy(ptr, local, 60, hipMemcpyHostToDevice));
    CHECK_OK(hipMemcpy(ptr, local, 7, hipMemcpyHostToDevice));
    CHECK_IS(hipMemcpy(ptr, local, 101, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK(calls("hipMemcpy") == 3 && bytes("hipMemcpy") == 67);
    CHECK(calls("hipMalloc") == 1 && calls("hipFree") == 0 && calls("hipNothing") == 0);
    CHECK_OK(hipFree(ptr));
}

static char counts_file[] = "hiplite-counts-XXXXXX";

static void nothing(void)
{
}

static void counted(void)
{
    struct stat file;
    void *ptr;

    setenv("HIPLITE_COUNTS", counts_file, 1);
    CHECK_OK(hipMalloc(&ptr, 8192));
    CHECK_OK(hipMemset(ptr, 0, 100));
    CHECK_OK(hipFree(ptr));
    CHECK(in_child(nothing) == 0);
    CHECK(stat(counts_file, &file) == 0 && file.st_size == 0); // the child did not write it
}

static void test_counts_file(void)
{
    char text[200] = {0};
    int fd = mkstemp(counts_file);

    CHECK(fd >= 0);
    CHECK(in_child(counted) == 0);
    CHECK(read(fd, text, sizeof(text) - 1) > 0);
    CHECK(strcmp(text, "hipMalloc 1 0\nhipFree 1 0\nhipMemset 1 100\n") == 0);
    close(fd);
    unlink(counts_file);
}

int main(void)
{
    CHECK(in_child(test_errors) == 0);
    CHECK(in_child(test_delay) == 0);
    CHECK(in_child(test_file) == 0);
    test_bad_rules();
    CHECK(in_child(test_counts) == 0);
    test_counts_file();
    return 0;
}
