// SPDX-License-Identifier: MIT
/*
 * iterative-devmem-offset-read INPUT OUTPUT [GPUID]: reads a file chunk by chunk into one
 * registered buffer, each chunk at its own buffer offset.
 *
 * The pointer stays the registered one and the offset grows. The chunks are then written to OUTPUT
 * at once. At most IDOR_CAP bytes of INPUT are taken.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef IDOR_CHUNK_SIZE
#define IDOR_CHUNK_SIZE ((size_t)64 * 1024)
#endif
#ifndef IDOR_CAP
#define IDOR_CAP ((size_t)1024 * 1024)
#endif

static int read_chunks(const char *path, hipFileHandle_t handle, void *devbuf, size_t size)
{
    size_t done = 0;

    while (done < size) {
        /* Whole blocks, for O_DIRECT: at the end of the file the count is what there is. */
        size_t chunk = min_size(IDOR_CHUNK_SIZE, align_up(size - done, BLOCK_ALIGN));
        ssize_t nread = hipFileRead(handle, devbuf, chunk, (hoff_t)done, (hoff_t)done);

        if (check_io("hipFileRead", path, nread, 0)) {
            return 1;
        }
        if (nread == 0) {
            break;
        }
        done += (size_t)nread;
    }
    return check_io("hipFileRead", path, (ssize_t)done, size);
}

static int iterative_devmem_offset_read(const char *in_path, const char *out_path)
{
    void *devbuf = NULL;
    hipFileHandle_t handle;
    uint64_t hash;
    size_t size, buffer_size;
    int fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &fd, &handle)) {
        return 1;
    }
    if (file_size(in_path, fd, IDOR_CAP, &size)) {
        goto close_input;
    }
    buffer_size = buffer_size_for(size);
    if (check_hip("hipMalloc", hipMalloc(&devbuf, buffer_size))) {
        goto close_input;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(devbuf, buffer_size, 0))) {
        goto free_devbuf;
    }
    /*
     * hipFileRead and hipFileWrite do not wait for work that is queued on the device. Here there is
     * none; if a kernel used the buffer, the program would synchronise before these calls.
     */
    if (read_chunks(in_path, handle, devbuf, size) || write_file(out_path, devbuf, size, 0) ||
        verify_files_match(in_path, out_path, size, &hash)) {
        goto deregister;
    }
    printf("OK  %s -> %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", in_path, out_path, size, hash);
    ret = 0;

deregister:
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
    if (select_gpu(argc, argv, 3) || iterative_devmem_offset_read(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
