// SPDX-License-Identifier: MIT
/*
 * no-odirect-write OUTPUT [GPUID]: writes to a file that is open without O_DIRECT.
 *
 * Without O_DIRECT any size and offset will do, and nothing has to be cut off afterwards. hipFile
 * may still move the whole blocks directly.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef NOW_SIZE
#define NOW_SIZE ((size_t)128 * 1024)
#endif

static int write_buffer(const char *path, const void *devbuf, size_t size)
{
    hipFileHandle_t handle;
    ssize_t nwritten;
    int fd, ret;

    if (open_file(path, O_WRONLY | O_CREAT | O_TRUNC, FILE_MODE, &fd, &handle)) {
        return 1;
    }
    nwritten = hipFileWrite(handle, devbuf, size, 0, 0);
    ret = check_io("hipFileWrite", path, nwritten, size);
    return close_file(path, fd, handle) || ret;
}

static int no_odirect_write(const char *path)
{
    const size_t size = NOW_SIZE;
    void *devbuf = NULL;
    uint64_t hash;
    int ret = 1;

    if (check_hip("hipMalloc", hipMalloc(&devbuf, size))) {
        return 1;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(devbuf, size, 0))) {
        goto free_devbuf;
    }
    if (upload_pattern(devbuf, size, &hash)) {
        goto deregister;
    }
    /* hipFileWrite does not wait for work that is queued on the device: synchronise first. */
    if (check_hip("hipDeviceSynchronize", hipDeviceSynchronize())) {
        goto deregister;
    }
    if (write_buffer(path, devbuf, size) || verify_file_hash(path, size, hash)) {
        goto deregister;
    }
    printf("OK  %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", path, size, hash);
    ret = 0;

deregister:
    check_hipfile("hipFileBufDeregister", hipFileBufDeregister(devbuf));
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
    if (select_gpu(argc, argv, 2) || no_odirect_write(argv[1])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
