// SPDX-License-Identifier: MIT
/*
 * roundtrip-async-nonblocking-stream READ_FILE WRITE_FILE [GPUID]: reads a file into device memory
 * and writes it to another one, both queued on a stream of the program's own.
 *
 * The stream is a non-blocking one: it does not wait for the legacy default stream, nor make it
 * wait.
 *
 * READ_FILE is made by the program: RANS_SIZE bytes of a pattern.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef RANS_SIZE
#define RANS_SIZE ((size_t)1024 * 1024)
#endif

/*
 * hipFile reads size and offsets through pointers when the operation runs, and stores the counts
 * when it is done: all of it stays valid until the stream has been synchronised.
 */
struct transfer {
    size_t size;
    hoff_t file_offset;
    hoff_t buffer_offset;
    ssize_t bytes_read;
    ssize_t bytes_written;
};

/* In one stream the write runs after the read: nothing has to wait in between. */
static int submit(struct transfer *t, hipFileHandle_t in, hipFileHandle_t out, void *devbuf,
                  hipStream_t stream)
{
    return check_hipfile("hipFileReadAsync",
                         hipFileReadAsync(in, devbuf, &t->size, &t->file_offset, &t->buffer_offset,
                                          &t->bytes_read, stream)) ||
           check_hipfile("hipFileWriteAsync",
                         hipFileWriteAsync(out, devbuf, &t->size, &t->file_offset,
                                           &t->buffer_offset, &t->bytes_written, stream));
}

static int roundtrip(const char *in_path, const char *out_path, void *devbuf, size_t size,
                     hipStream_t stream)
{
    struct transfer t = {.size = align_up(size, BLOCK_ALIGN)};
    hipFileHandle_t in, out;
    int in_fd, out_fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &in_fd, &in)) {
        return 1;
    }
    if (open_file(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &out_fd, &out)) {
        goto close_in;
    }

    ret = submit(&t, in, out, devbuf, stream);
    /* Also after a failure: what was submitted before it still uses t, devbuf and the files. */
    ret |= check_hip("hipStreamSynchronize", hipStreamSynchronize(stream));
    ret = ret || check_async("hipFileReadAsync", in_path, t.bytes_read, size) ||
          check_async("hipFileWriteAsync", out_path, t.bytes_written, size) ||
          truncate_file(out_path, out_fd, size);

    ret |= close_file(out_path, out_fd, out);
close_in:
    return close_file(in_path, in_fd, in) || ret;
}

static int roundtrip_async_nonblocking(const char *in_path, const char *out_path)
{
    const size_t size = RANS_SIZE;
    size_t buffer_size = align_up(size, BLOCK_ALIGN);
    void *devbuf = NULL;
    hipStream_t stream;
    uint64_t hash;
    int ret = 1;

    if (seed_read_file(in_path, size)) {
        return 1;
    }
    if (check_hip("hipMalloc", hipMalloc(&devbuf, buffer_size))) {
        return 1;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(devbuf, buffer_size, 0))) {
        goto free_devbuf;
    }
    if (check_hip("hipStreamCreateWithFlags",
                  hipStreamCreateWithFlags(&stream, hipStreamNonBlocking))) {
        goto deregister;
    }
    /*
     * Asynchronous calls are ordered with whatever else is in their stream. (The synchronous
     * hipFileRead and hipFileWrite wait for no stream: before them a program synchronises.)
     */
    if (check_hip("hipMemsetAsync", hipMemsetAsync(devbuf, 0, buffer_size, stream))) {
        goto destroy_stream;
    }
    if (roundtrip(in_path, out_path, devbuf, size, stream) ||
        verify_files_match(in_path, out_path, size, &hash)) {
        goto destroy_stream;
    }
    printf("OK  %s == %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", in_path, out_path, size, hash);
    ret = 0;

destroy_stream:
    check_hip("hipStreamDestroy", hipStreamDestroy(stream));
deregister:
    check_hipfile("hipFileBufDeregister", hipFileBufDeregister(devbuf));
free_devbuf:
    check_hip("hipFree", hipFree(devbuf));
    return ret;
}

int main(int argc, char *argv[])
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "Usage: %s READ_FILE WRITE_FILE [GPUID]\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 3) || roundtrip_async_nonblocking(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
