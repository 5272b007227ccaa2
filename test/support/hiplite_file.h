// SPDX-License-Identifier: MIT
//
// hipAmdFileRead and hipAmdFileWrite as a program finds them, and files to use them on.
#ifndef HIPLITE_FILE_TEST_H
#define HIPLITE_FILE_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "hiplite_test.h"

typedef union {
    void *handle;
    int fd;
    uint8_t pad[8];
} file_handle;

typedef hipError_t (*file_function)(file_handle handle, void *device_ptr, uint64_t size,
                                    int64_t file_offset, uint64_t *size_copied, int32_t *status);

static inline file_function file_function_get(const char *name)
{
    void *fn = NULL;
    file_function typed;
    int version;

    CHECK_OK(hipRuntimeGetVersion(&version));
    CHECK_OK(hipGetProcAddress(name, &fn, version, 0, NULL));
    CHECK(fn != NULL);
    memcpy(&typed, &fn, sizeof(typed));
    return typed;
}

// A temporary file of so many patterned bytes, opened O_DIRECT; -1 where the file system has none.
static inline int direct_file(size_t size, unsigned seed)
{
    char path[] = "hiplite-test-XXXXXX";
    int fd = mkstemp(path);
    int direct;
    unsigned char *bytes = malloc(size + 1);

    CHECK(fd >= 0 && bytes != NULL);
    pattern_fill(bytes, size, seed);
    CHECK(write(fd, bytes, size) == (ssize_t)size && fsync(fd) == 0);
    direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    close(fd);
    unlink(path);
    free(bytes);
    return direct;
}

static inline file_handle handle_of(int fd)
{
    file_handle handle;

    memset(&handle, 0, sizeof(handle));
    handle.fd = fd;
    return handle;
}

#endif
