// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_DIRECT */

#include "examples_common.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME  UINT64_C(1099511628211)

#define HASH_CHUNK ((size_t)1 << 16)

bool is_power_of_two(size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

size_t align_up(size_t value, size_t align)
{
    return (value + align - 1) & ~(align - 1);
}

size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t buffer_size_for(size_t size)
{
    return align_up(size > 0 ? size : 1, BLOCK_ALIGN);
}

void fill_pattern(void *buf, size_t size)
{
    unsigned char *bytes = buf;

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(i & 0xff);
    }
}

static uint64_t hash_more(uint64_t hash, const void *buf, size_t size)
{
    const unsigned char *bytes = buf;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * FNV_PRIME;
    }
    return hash;
}

uint64_t hash_buffer(const void *buf, size_t size)
{
    return hash_more(FNV_OFFSET, buf, size);
}

static int file_failed(const char *what, const char *path)
{
    fprintf(stderr, "Could not %s %s (%s)\n", what, path, strerror(errno));
    return 1;
}

int hash_file_range(const char *path, off_t offset, size_t size, uint64_t *hash)
{
    unsigned char buf[HASH_CHUNK];
    size_t done = 0;
    ssize_t n;
    int fd;

    fd = open(path, O_RDONLY);
    if (fd == -1) {
        return file_failed("open", path);
    }

    *hash = FNV_OFFSET;
    while (done < size) {
        n = pread(fd, buf, min_size(size - done, sizeof(buf)), offset + (off_t)done);
        if (n == -1 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        *hash = hash_more(*hash, buf, (size_t)n);
        done += (size_t)n;
    }
    if (done < size && n == -1) {
        file_failed("read", path);
    } else if (done < size) {
        fprintf(stderr, "%s ends after %zu of %zu bytes\n", path, done, size);
    }
    close(fd);
    return done < size;
}

static int write_all(int fd, const char *path, const unsigned char *buf, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, buf, size);

        if (n == -1 && errno == EINTR) {
            continue;
        }
        if (n == -1) {
            return file_failed("write to", path);
        }
        buf += n;
        size -= (size_t)n;
    }
    return 0;
}

int seed_read_file(const char *path, size_t size)
{
    unsigned char *buf;
    int fd, ret;

    buf = malloc(size > 0 ? size : 1);
    if (buf == NULL) {
        fprintf(stderr, "Could not allocate %zu bytes\n", size);
        return 1;
    }
    fill_pattern(buf, size);

    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, FILE_MODE);
    if (fd == -1) {
        ret = file_failed("open", path);
        goto free_buf;
    }
    ret = write_all(fd, path, buf, size);
    if (close(fd) == -1 && ret == 0) {
        ret = file_failed("close", path);
    }

free_buf:
    free(buf);
    return ret;
}

int verify_file_hash(const char *path, size_t size, uint64_t hash)
{
    uint64_t file_hash;

    if (hash_file_range(path, 0, size, &file_hash)) {
        return 1;
    }
    if (file_hash != hash) {
        fprintf(stderr, "%s holds other bytes (hash 0x%016" PRIx64 ", not 0x%016" PRIx64 ")\n",
                path, file_hash, hash);
        return 1;
    }
    return 0;
}

int verify_files_match(const char *a, const char *b, size_t size, uint64_t *hash)
{
    return hash_file_range(a, 0, size, hash) || verify_file_hash(b, size, *hash);
}

int open_file(const char *path, int flags, mode_t mode, int *fd, hipFileHandle_t *handle)
{
    hipFileDescr_t descr = {0};
    hipFileError_t err;

    *fd = open(path, flags, mode);
    if (*fd == -1) {
        return file_failed("open", path);
    }

    descr.type = hipFileHandleTypeOpaqueFD;
    descr.handle.fd = *fd;
    err = hipFileHandleRegister(handle, &descr);
    if (err.err != hipFileSuccess) {
        fprintf(stderr, "Could not register %s (%s)\n", path, hipFileGetOpErrorString(err.err));
        close(*fd);
        return 1;
    }
    return 0;
}

int close_file(const char *path, int fd, hipFileHandle_t handle)
{
    hipFileHandleDeregister(handle);
    return close(fd) == -1 ? file_failed("close", path) : 0;
}

int file_size(const char *path, int fd, size_t cap, size_t *size)
{
    struct stat statbuf;

    if (fstat(fd, &statbuf) == -1) {
        return file_failed("stat", path);
    }
    *size = min_size((size_t)statbuf.st_size, cap);
    return 0;
}

int truncate_file(const char *path, int fd, size_t size)
{
    return ftruncate(fd, (off_t)size) == -1 ? file_failed("truncate", path) : 0;
}

int write_file(const char *path, const void *devbuf, size_t size, hoff_t buffer_offset)
{
    hipFileHandle_t handle;
    ssize_t nwritten;
    int fd, ret;

    if (open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &fd, &handle)) {
        return 1;
    }
    nwritten = hipFileWrite(handle, devbuf, align_up(size, BLOCK_ALIGN), 0, buffer_offset);
    ret = check_io("hipFileWrite", path, nwritten, size) || truncate_file(path, fd, size);
    return close_file(path, fd, handle) || ret;
}

int upload_pattern(void *devbuf, size_t size, uint64_t *hash)
{
    unsigned char *pattern;
    int ret;

    pattern = malloc(size > 0 ? size : 1);
    if (pattern == NULL) {
        fprintf(stderr, "Could not allocate %zu bytes\n", size);
        return 1;
    }
    fill_pattern(pattern, size);
    *hash = hash_buffer(pattern, size);
    ret = check_hip("hipMemcpy", hipMemcpy(devbuf, pattern, size, hipMemcpyHostToDevice));
    free(pattern);
    return ret;
}

int select_gpu(int argc, char *argv[], int index)
{
    return check_hip("hipSetDevice", hipSetDevice(index < argc ? atoi(argv[index]) : 0));
}

int check_hip(const char *call, hipError_t err)
{
    if (err == hipSuccess) {
        return 0;
    }
    fprintf(stderr, "%s failed (%d) (%s)\n", call, err, hipGetErrorString(err));
    return 1;
}

int check_hipfile(const char *call, hipFileError_t err)
{
    if (err.err == hipFileSuccess) {
        return 0;
    }
    fprintf(stderr, "%s failed (%d) (%s)\n", call, err.err, hipFileGetOpErrorString(err.err));
    if (IS_HIP_DRV_ERR(err)) {
        fprintf(stderr, "HIP says: %s (%d)\n", hipGetErrorString(HIP_DRV_ERR(err)),
                HIP_DRV_ERR(err));
    }
    return 1;
}

static int check_count(const char *call, const char *path, ssize_t result, size_t least)
{
    if ((size_t)result >= least) {
        return 0;
    }
    fprintf(stderr, "%s on %s moved %zd of %zu bytes\n", call, path, result, least);
    return 1;
}

int check_io(const char *call, const char *path, ssize_t result, size_t least)
{
    if (result < 0) {
        fprintf(stderr, "%s on %s failed (%zd) (%s)\n", call, path, result,
                IS_HIPFILE_ERR(result) ? HIPFILE_ERRSTR(result) : strerror(errno));
        return 1;
    }
    return check_count(call, path, result, least);
}

int check_async(const char *call, const char *path, ssize_t result, size_t least)
{
    if (result < 0) {
        fprintf(stderr, "%s on %s failed (%zd) (%s)\n", call, path, result,
                IS_HIPFILE_ERR(result) ? HIPFILE_ERRSTR(result) : strerror((int)-result));
        return 1;
    }
    return check_count(call, path, result, least);
}
