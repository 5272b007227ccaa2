// SPDX-License-Identifier: MIT
/*
 * roundtrip-verify CREATED COPIED [GPUID]: device memory to a file, back to device memory, to a
 * second file; and both files must be the same.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef RV_SIZE
#define RV_SIZE ((size_t)64 * 1024)
#endif

static int create(const char *path, void *devbuf, size_t size)
{
    uint64_t hash;

    if (upload_pattern(devbuf, size, &hash)) {
        return 1;
    }
    /* hipFileWrite does not wait for work that is queued on the device: synchronise first. */
    if (check_hip("hipDeviceSynchronize", hipDeviceSynchronize())) {
        return 1;
    }
    return write_file(path, devbuf, size, 0) || verify_file_hash(path, size, hash);
}

static int read_back(const char *path, void *devbuf, size_t size)
{
    hipFileHandle_t handle;
    ssize_t nread;
    int fd, ret;

    /* Whatever is in the buffer afterwards came from the file. */
    if (check_hip("hipMemset", hipMemset(devbuf, 0, size))) {
        return 1;
    }
    /* hipFileRead does not wait either, and the memset must not come after the data. */
    if (check_hip("hipDeviceSynchronize", hipDeviceSynchronize())) {
        return 1;
    }
    if (open_file(path, O_RDONLY | O_DIRECT, 0, &fd, &handle)) {
        return 1;
    }
    nread = hipFileRead(handle, devbuf, align_up(size, BLOCK_ALIGN), 0, 0);
    ret = check_io("hipFileRead", path, nread, size);
    return close_file(path, fd, handle) || ret;
}

static int roundtrip_verify(const char *created, const char *copied)
{
    const size_t size = RV_SIZE;
    size_t buffer_size = align_up(size, BLOCK_ALIGN);
    void *devbuf = NULL;
    uint64_t hash;
    int ret = 1;

    if (check_hip("hipMalloc", hipMalloc(&devbuf, buffer_size))) {
        return 1;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(devbuf, buffer_size, 0))) {
        goto free_devbuf;
    }
    if (create(created, devbuf, size) || read_back(created, devbuf, size) ||
        write_file(copied, devbuf, size, 0) || verify_files_match(created, copied, size, &hash)) {
        goto deregister;
    }
    printf("OK  %s == %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", created, copied, size, hash);
    ret = 0;

deregister:
    check_hipfile("hipFileBufDeregister", hipFileBufDeregister(devbuf));
free_devbuf:
    check_hip("hipFree", hipFree(devbuf));
    return ret;
}

int main(int argc, char *argv[])
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "Usage: %s CREATED COPIED [GPUID]\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 3) || roundtrip_verify(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
