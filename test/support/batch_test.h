// SPDX-License-Identifier: MIT
/* What the tests of batches share: checks that name line and value, files, memory of each kind. */
#ifndef BATCH_TEST_H
#define BATCH_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <hipfile.h>
#include <hipfile_ext.h>
#include <ours.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            die(__FILE__, __LINE__, "not true: %s", #condition);                                   \
    } while (0)

#define CHECK_EQUAL(value, expected)                                                               \
    do {                                                                                           \
        long long value_ = (long long)(value), expected_ = (long long)(expected);                  \
        if (value_ != expected_)                                                                   \
            die(__FILE__, __LINE__, "%s is %lld, not %lld", #value, value_, expected_);            \
    } while (0)

/* The call returns this code, and hipSuccess beside it. */
#define CHECK_CODE(call, code)                                                                     \
    do {                                                                                           \
        hipFileError_t error_ = (call);                                                            \
        if (error_.err != (code) || error_.hip_drv_err != hipSuccess)                              \
            die(__FILE__, __LINE__, "%s gives %d/%d, not %d", #call, error_.err,                   \
                error_.hip_drv_err, (int)(code));                                                  \
    } while (0)

#define CHECK_OK(call)  CHECK_CODE(call, hipFileSuccess)
#define CHECK_HIP(call) CHECK_EQUAL(call, hipSuccess)

__attribute__((noreturn, format(printf, 3, 4))) static inline void die(const char *file, int line,
                                                                       const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(1);
}

static inline int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void sleep_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&time, NULL);
}

static inline const char *test_folder(void)
{
    const char *folder = getenv("BUILD_DIR"); /* /tmp may be a file system without O_DIRECT */

    return folder ? folder : ".";
}

/* An unlinked file of `size` bytes, opened with O_RDWR and these flags. Byte i is pattern(i, 0). */
static inline unsigned char pattern(uint64_t i, unsigned seed)
{
    return (unsigned char)(i * 131 + (i >> 9) * 7 + (i >> 17) + seed + 1);
}

static inline int make_file(size_t size, int flags)
{
    unsigned char *bytes = malloc(size + 1);
    char path[4096];
    int plain, fd;

    snprintf(path, sizeof path, "%s/batch_test_XXXXXX", test_folder());
    plain = mkstemp(path);
    CHECK(plain >= 0 && bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(i, 0);
    CHECK_EQUAL(pwrite(plain, bytes, size, 0), size);
    free(bytes);
    fd = open(path, O_RDWR | O_CLOEXEC | flags);
    if (fd < 0 && errno == EINVAL && flags & O_DIRECT) {
        printf("SKIP: no O_DIRECT in %s\n", test_folder());
        unlink(path);
        exit(77);
    }
    CHECK(fd >= 0);
    close(plain);
    unlink(path);
    return fd;
}

static inline hipFileHandle_t register_file(int fd)
{
    hipFileDescr_t description = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = fd};
    hipFileHandle_t handle;

    CHECK_OK(hipFileHandleRegister(&handle, &description));
    return handle;
}

static inline hipFileIOParams_t entry_of(hipFileHandle_t fh, hipFileOpcode_t opcode, void *base,
                                         int64_t buffer_offset, size_t size, int64_t file_offset,
                                         void *cookie)
{
    return (hipFileIOParams_t){
        .mode = hipFileBatch,
        .u.batch = {base, file_offset, buffer_offset, size},
        .fh = fh,
        .opcode = opcode,
        .cookie = cookie,
    };
}

/* Waits for one event, and there is one. */
static inline hipFileIOEvents_t one_event(hipFileBatchHandle_t batch)
{
    hipFileIOEvents_t event;
    unsigned count = 1;

    CHECK_OK(hipFileBatchIOGetStatus(batch, 1, &count, &event, NULL));
    CHECK_EQUAL(count, 1);
    return event;
}

#endif
