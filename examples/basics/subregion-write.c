// SPDX-License-Identifier: MIT
/*
 * subregion-write INPUT OUTPUT [GPUID]: reads a file, and writes all but its first 8192 bytes.
 *
 * The write starts inside the registered buffer (SW_BUFFER_OFFSET) and goes to the start of OUTPUT:
 * the two offsets have nothing to do with each other. At most SW_CAP bytes of INPUT are taken.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef SW_BUFFER_OFFSET
#define SW_BUFFER_OFFSET 8192
#endif
#ifndef SW_CAP
#define SW_CAP ((size_t)1024 * 1024)
#endif

static int write_subregion(const char *path, const void *devbuf, size_t size)
{
    hipFileHandle_t handle;
    ssize_t nwritten;
    int fd, ret;

    if (open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &fd, &handle)) {
        return 1;
    }
    /* O_DIRECT wants whole blocks: what the last one has too much is cut off again. */
    nwritten = hipFileWrite(handle, devbuf, align_up(size, BLOCK_ALIGN), 0, SW_BUFFER_OFFSET);
    ret = check_io("hipFileWrite", path, nwritten, size) || truncate_file(path, fd, size);
    return close_file(path, fd, handle) || ret;
}

/* The subregion of the input and the whole output must be the same bytes. */
static int verify_subregion(const char *in_path, const char *out_path, size_t size, uint64_t *hash)
{
    return hash_file_range(in_path, SW_BUFFER_OFFSET, size, hash) ||
           verify_file_hash(out_path, size, *hash);
}

static int copy_subregion(const char *in_path, hipFileHandle_t handle, const char *out_path,
                          void *devbuf, size_t size)
{
    size_t region_size = size - SW_BUFFER_OFFSET;
    uint64_t hash;
    ssize_t nread;

    /*
     * hipFileRead and hipFileWrite do not wait for work that is queued on the device. Here there is
     * none; if a kernel used the buffer, the program would synchronise before these calls.
     */
    nread = hipFileRead(handle, devbuf, align_up(size, BLOCK_ALIGN), 0, 0);
    if (check_io("hipFileRead", in_path, nread, size) ||
        write_subregion(out_path, devbuf, region_size) ||
        verify_subregion(in_path, out_path, region_size, &hash)) {
        return 1;
    }
    printf("OK  %s[%d:%zu] -> %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", in_path, SW_BUFFER_OFFSET,
           size, out_path, region_size, hash);
    return 0;
}

static int subregion_write(const char *in_path, const char *out_path)
{
    void *devbuf = NULL;
    hipFileHandle_t handle;
    size_t size, buffer_size;
    int fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &fd, &handle)) {
        return 1;
    }
    if (file_size(in_path, fd, SW_CAP, &size)) {
        goto close_input;
    }
    if (size <= SW_BUFFER_OFFSET) {
        fprintf(stderr, "%s must be longer than %d bytes\n", in_path, SW_BUFFER_OFFSET);
        goto close_input;
    }
    buffer_size = align_up(size, BLOCK_ALIGN);
    if (check_hip("hipMalloc", hipMalloc(&devbuf, buffer_size))) {
        goto close_input;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(devbuf, buffer_size, 0))) {
        goto free_devbuf;
    }
    ret = copy_subregion(in_path, handle, out_path, devbuf, size);

    check_hipfile("hipFileBufDeregister", hipFileBufDeregister(devbuf));
free_devbuf:
    check_hip("hipFree", hipFree(devbuf));
close_input:
    return close_file(in_path, fd, handle) || ret;
}

int main(int argc, char *argv[])
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "Usage: %s INPUT OUTPUT [GPUID]\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 3) || subregion_write(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
