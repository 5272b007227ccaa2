// SPDX-License-Identifier: MIT
/*
 * no-bufregister-write OUTPUT [GPUID]: writes a device buffer that was never registered.
 *
 * Registration is optional: hipFile finds out by itself what memory the pointer belongs to.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef NBW_SIZE
#define NBW_SIZE ((size_t)1024 * 1024)
#endif

static int write_buffer(const char *path, const void *devbuf, size_t size)
{
    hipFileHandle_t handle;
    ssize_t nwritten;
    int fd, ret;

    if (open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &fd, &handle)) {
        return 1;
    }
    /* O_DIRECT wants whole blocks: what the last one has too much is cut off again. */
    nwritten = hipFileWrite(handle, devbuf, align_up(size, BLOCK_ALIGN), 0, 0);
    ret = check_io("hipFileWrite", path, nwritten, size) || truncate_file(path, fd, size);
    return close_file(path, fd, handle) || ret;
}

static int no_bufregister_write(const char *path)
{
    const size_t size = NBW_SIZE;
    void *devbuf = NULL;
    uint64_t hash;
    int ret = 1;

    if (check_hip("hipMalloc", hipMalloc(&devbuf, align_up(size, BLOCK_ALIGN)))) {
        return 1;
    }
    if (upload_pattern(devbuf, size, &hash)) {
        goto free_devbuf;
    }
    /* hipFileWrite does not wait for work that is queued on the device: synchronise first. */
    if (check_hip("hipDeviceSynchronize", hipDeviceSynchronize())) {
        goto free_devbuf;
    }
    if (write_buffer(path, devbuf, size) || verify_file_hash(path, size, hash)) {
        goto free_devbuf;
    }
    printf("OK  %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", path, size, hash);
    ret = 0;

free_devbuf:
    check_hip("hipFree", hipFree(devbuf));
    return ret;
}

int main(int argc, char *argv[])
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "Usage: %s OUTPUT [GPUID]\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 2) || no_bufregister_write(argv[1])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
