// SPDX-License-Identifier: MIT
/*
 * aiscp SOURCE DEST: copies a file, every byte of it through GPU memory.
 *
 * The whole of a synchronous hipFile program: open with O_DIRECT, register the files, allocate a
 * device buffer, hipFileRead and hipFileWrite in a loop, clean up.
 *
 * hipFileRead and hipFileWrite do not wait for work that is queued on the device. A program that
 * fills or uses the buffer on the device (a kernel, hipMemset, hipMemcpyAsync) synchronises before
 * it calls them. Here nothing else touches the buffer, so there is nothing to wait for.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>
#include <hipfile.h>

/* The most that one call moves, and so the largest buffer: Linux's MAX_RW_COUNT. */
#ifndef AISCP_CHUNK_SIZE
#define AISCP_CHUNK_SIZE 0x7ffff000LU
#endif

static_assert(AISCP_CHUNK_SIZE > 0, "AISCP_CHUNK_SIZE must be positive");

#define DST_MODE (S_IWUSR | S_IRUSR | S_IRGRP | S_IROTH)

static inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* align is a power of two. */
static inline size_t align_up(size_t value, size_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Makes an empty file if there is none; true only if it was this call that made it. */
static bool create_file(const char *path, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);

    if (fd == -1) {
        return false;
    }
    close(fd);
    return true;
}

static int open_file(const char *path, int flags, mode_t mode, int *fd, hipFileHandle_t *handle)
{
    hipFileError_t hipfile_err;
    hipFileDescr_t descr = {0};

    *fd = open(path, flags | O_DIRECT, mode);
    if (*fd == -1) {
        fprintf(stderr, "Could not open %s (%s)\n", path, strerror(errno));
        return 1;
    }

    descr.type = hipFileHandleTypeOpaqueFD;
    descr.handle.fd = *fd;

    hipfile_err = hipFileHandleRegister(handle, &descr);
    if (hipfile_err.err != hipFileSuccess) {
        fprintf(stderr, "Could not register %s (%s)\n", path,
                hipFileGetOpErrorString(hipfile_err.err));
        close(*fd);
        return 1;
    }

    return 0;
}

static int close_file(const char *path, int fd, hipFileHandle_t handle)
{
    hipFileHandleDeregister(handle);
    if (close(fd) == -1) {
        fprintf(stderr, "Could not close %s (%s)\n", path, strerror(errno));
        return 1;
    }
    return 0;
}

/*
 * Looks at the open source (statbuf) and refuses what cannot be copied: the destination itself
 * under whatever name, and what is no regular file, since its st_size does not tell its size.
 */
static int stat_source(const char *src_path, int src_fd, const char *dst_path, int dst_fd,
                       struct stat *statbuf)
{
    struct stat dst;

    if (fstat(src_fd, statbuf) == -1 || fstat(dst_fd, &dst) == -1) {
        fprintf(stderr, "Could not stat %s and %s (%s)\n", src_path, dst_path, strerror(errno));
        return 1;
    }
    if (statbuf->st_dev == dst.st_dev && statbuf->st_ino == dst.st_ino) {
        fprintf(stderr, "Could not copy %s to %s (they are the same file)\n", src_path, dst_path);
        return 1;
    }
    if (!S_ISREG(statbuf->st_mode)) {
        fprintf(stderr, "Could not copy %s (not a regular file)\n", src_path);
        return 1;
    }
    return 0;
}

static int copy_data(const char *src_path, hipFileHandle_t src_handle, const char *dst_path,
                     hipFileHandle_t dst_handle, void *devbuf, size_t buffer_size,
                     size_t block_size)
{
    hoff_t file_offset = 0;
    ssize_t nread, nwrite, nbytes;

    do {
        nread = hipFileRead(src_handle, devbuf, buffer_size, file_offset, 0);
        if (nread < 0) {
            fprintf(stderr, "Could not read from %s (%zd) (%s)\n", src_path, nread,
                    IS_HIPFILE_ERR(nread) ? HIPFILE_ERRSTR(nread) : strerror(errno));
            return 1;
        }

        /* O_DIRECT wants whole blocks: the last write may pass the end, and is cut off below. */
        nwrite = 0;
        while (nwrite < nread) {
            nbytes =
                hipFileWrite(dst_handle, devbuf, align_up((size_t)(nread - nwrite), block_size),
                             file_offset + nwrite, nwrite);
            if (nbytes < 0) {
                fprintf(stderr, "Could not write to %s (%zd) (%s)\n", dst_path, nbytes,
                        IS_HIPFILE_ERR(nbytes) ? HIPFILE_ERRSTR(nbytes) : strerror(errno));
                return 1;
            }
            nwrite += nbytes;
        }
        file_offset += nread;
    } while (nread > 0);

    return 0;
}

static int copy_file(const char *src_path, const char *dst_path)
{
    hipFileHandle_t src_handle, dst_handle;
    int src_fd, dst_fd;
    struct stat statbuf;
    size_t file_size, block_size, buffer_size;
    void *devbuf = NULL;
    hipError_t hip_err;
    bool remove_dst;
    int ret = EXIT_FAILURE;

    /* What this run makes it takes away again, if it ends before there is anything to copy. */
    remove_dst = create_file(dst_path, DST_MODE);

    if (open_file(dst_path, O_WRONLY | O_CREAT, DST_MODE, &dst_fd, &dst_handle)) {
        goto program_exit;
    }
    if (open_file(src_path, O_RDONLY, 0, &src_fd, &src_handle)) {
        goto close_dst;
    }

    if (stat_source(src_path, src_fd, dst_path, dst_fd, &statbuf)) {
        goto close_src;
    }
    file_size = (size_t)statbuf.st_size;
    block_size = (size_t)statbuf.st_blksize;

    if (file_size > 0) {
        buffer_size = align_up(min_size(file_size, AISCP_CHUNK_SIZE), block_size);
        hip_err = hipMalloc(&devbuf, buffer_size);
        if (hip_err != hipSuccess) {
            fprintf(stderr, "Could not allocate device buffer (%d)\n", hip_err);
            goto close_src;
        }
        remove_dst = false;
        if (copy_data(src_path, src_handle, dst_path, dst_handle, devbuf, buffer_size,
                      block_size)) {
            goto free_devbuf;
        }
    }

    if (ftruncate(dst_fd, (off_t)file_size) == -1) {
        fprintf(stderr, "Could not truncate %s (%zu) (%s)\n", dst_path, file_size, strerror(errno));
        goto free_devbuf;
    }
    remove_dst = false;
    ret = EXIT_SUCCESS;

free_devbuf:
    hipFree(devbuf);
close_src:
    if (close_file(src_path, src_fd, src_handle)) {
        ret = EXIT_FAILURE;
    }
close_dst:
    if (close_file(dst_path, dst_fd, dst_handle)) {
        ret = EXIT_FAILURE;
    }
program_exit:
    if (remove_dst) {
        unlink(dst_path);
    }
    return ret;
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "Usage: %s SOURCE DEST\n", argc > 0 ? argv[0] : "aiscp");
        return EXIT_FAILURE;
    }

    /* The driver was opened by the first registration, and is closed by the end of the program. */
    return copy_file(argv[1], argv[2]);
}
