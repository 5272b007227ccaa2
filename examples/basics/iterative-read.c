// SPDX-License-Identifier: MIT
/*
 * iterative-read INPUT OUTPUT [GPUID]: reads a file chunk by chunk, each to its own device pointer.
 *
 * The pointers lie inside one allocation, and are not registered. The chunks are then written to
 * OUTPUT at once. At most IR_CAP bytes of INPUT are taken.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef IR_CHUNK_SIZE
#define IR_CHUNK_SIZE ((size_t)64 * 1024)
#endif
#ifndef IR_CAP
#define IR_CAP ((size_t)16 * 1024 * 1024)
#endif

static int read_chunks(const char *path, hipFileHandle_t handle, char *devbuf, size_t size)
{
    size_t done = 0;

    while (done < size) {
        /* Whole blocks, for O_DIRECT: at the end of the file the count is what there is. */
        size_t chunk = min_size(IR_CHUNK_SIZE, align_up(size - done, BLOCK_ALIGN));
        ssize_t nread = hipFileRead(handle, devbuf + done, chunk, (hoff_t)done, 0);

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

static int iterative_read(const char *in_path, const char *out_path)
{
    void *devbuf = NULL;
    hipFileHandle_t handle;
    uint64_t hash;
    size_t size;
    int fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &fd, &handle)) {
        return 1;
    }
    if (file_size(in_path, fd, IR_CAP, &size)) {
        goto close_input;
    }
    if (check_hip("hipMalloc", hipMalloc(&devbuf, buffer_size_for(size)))) {
        goto close_input;
    }
    /*
     * hipFileRead and hipFileWrite do not wait for work that is queued on the device. Here there is
     * none; if a kernel used the buffer, the program would synchronise before these calls.
     */
    if (read_chunks(in_path, handle, devbuf, size) || write_file(out_path, devbuf, size, 0) ||
        verify_files_match(in_path, out_path, size, &hash)) {
        goto free_devbuf;
    }
    printf("OK  %s -> %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", in_path, out_path, size, hash);
    ret = 0;

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
    if (select_gpu(argc, argv, 3) || iterative_read(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
