// SPDX-License-Identifier: MIT
/*
 * roundtrip-async-multi-stream-registered READ_FILE WRITE_FILE [GPUID]: reads a file into device
 * memory and writes it to another one, in slices on registered streams that run concurrently.
 *
 * READ_FILE is made by the program: NUM_STREAMS * SLICE_SIZE bytes of a pattern.
 *
 * Registration tells hipFile what stays fixed in every later submission on the stream, so that it
 * need not look again when the operation runs.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef NUM_STREAMS
#define NUM_STREAMS 4
#endif
#ifndef SLICE_SIZE
#define SLICE_SIZE (1024 * 1024)
#endif
#define TOTAL_SIZE ((size_t)(NUM_STREAMS) * (SLICE_SIZE))

static_assert(NUM_STREAMS > 0, "there must be a stream");
static_assert(SLICE_SIZE > 0 && SLICE_SIZE % BLOCK_ALIGN == 0,
              "the streams promise page-aligned offsets and sizes");

#define STREAM_FLAGS                                                                               \
    (HIPFILE_STREAM_FIXED_BUF_OFFSET | HIPFILE_STREAM_FIXED_FILE_OFFSET |                          \
     HIPFILE_STREAM_FIXED_FILE_SIZE | HIPFILE_STREAM_PAGE_ALIGNED_INPUTS)

/*
 * One slice of the file and the stream that moves it. Sizes, offsets and counts are handed over by
 * pointer: all of it stays valid until the stream has been synchronised.
 */
struct slice_state {
    void *devbuf;
    hipStream_t stream;
    size_t size;
    hoff_t file_offset;
    hoff_t buffer_offset;
    ssize_t bytes_read;
    ssize_t bytes_written;
    bool buf_registered;
    bool stream_created;
    bool stream_registered;
};

/* What was set up is noted as it goes, so that teardown_slice can follow a failure anywhere. */
static int setup_slice(struct slice_state *slice, size_t index)
{
    slice->size = SLICE_SIZE;
    slice->file_offset = (hoff_t)(index * SLICE_SIZE);
    slice->buffer_offset = 0;

    if (check_hip("hipMalloc", hipMalloc(&slice->devbuf, SLICE_SIZE))) {
        slice->devbuf = NULL;
        return 1;
    }
    if (check_hipfile("hipFileBufRegister", hipFileBufRegister(slice->devbuf, SLICE_SIZE, 0))) {
        return 1;
    }
    slice->buf_registered = true;

    if (check_hip("hipStreamCreateWithFlags",
                  hipStreamCreateWithFlags(&slice->stream, hipStreamNonBlocking))) {
        return 1;
    }
    slice->stream_created = true;

    /*
     * What the stream holds already comes before the read. (The synchronous hipFileRead and
     * hipFileWrite wait for no stream: before them a program synchronises.)
     */
    if (check_hip("hipMemsetAsync", hipMemsetAsync(slice->devbuf, 0, SLICE_SIZE, slice->stream))) {
        return 1;
    }
    if (check_hipfile("hipFileStreamRegister",
                      hipFileStreamRegister(slice->stream, STREAM_FLAGS))) {
        return 1;
    }
    slice->stream_registered = true;
    return 0;
}

static void teardown_slice(struct slice_state *slice)
{
    if (slice->stream_registered) {
        check_hipfile("hipFileStreamDeregister", hipFileStreamDeregister(slice->stream));
    }
    if (slice->stream_created) {
        check_hip("hipStreamDestroy", hipStreamDestroy(slice->stream));
    }
    if (slice->buf_registered) {
        check_hipfile("hipFileBufDeregister", hipFileBufDeregister(slice->devbuf));
    }
    if (slice->devbuf != NULL) {
        check_hip("hipFree", hipFree(slice->devbuf));
    }
}

/*
 * All reads first, so that they run side by side. Each write is in the stream of its read and so
 * comes after it; between slices there is no order, and none is needed.
 */
static int submit(struct slice_state *slices, hipFileHandle_t in, hipFileHandle_t out)
{
    for (struct slice_state *s = slices; s < slices + NUM_STREAMS; s++) {
        if (check_hipfile("hipFileReadAsync",
                          hipFileReadAsync(in, s->devbuf, &s->size, &s->file_offset,
                                           &s->buffer_offset, &s->bytes_read, s->stream))) {
            return 1;
        }
    }
    for (struct slice_state *s = slices; s < slices + NUM_STREAMS; s++) {
        if (check_hipfile("hipFileWriteAsync",
                          hipFileWriteAsync(out, s->devbuf, &s->size, &s->file_offset,
                                            &s->buffer_offset, &s->bytes_written, s->stream))) {
            return 1;
        }
    }
    return 0;
}

static int synchronize(struct slice_state *slices)
{
    int ret = 0;

    for (int i = 0; i < NUM_STREAMS; i++) {
        ret |= check_hip("hipStreamSynchronize", hipStreamSynchronize(slices[i].stream));
    }
    return ret;
}

static int check_counts(const struct slice_state *slices, const char *in_path, const char *out_path)
{
    int ret = 0;

    for (int i = 0; i < NUM_STREAMS; i++) {
        ret |= check_async("hipFileReadAsync", in_path, slices[i].bytes_read, SLICE_SIZE);
        ret |= check_async("hipFileWriteAsync", out_path, slices[i].bytes_written, SLICE_SIZE);
    }
    return ret;
}

static int roundtrip(struct slice_state *slices, const char *in_path, const char *out_path)
{
    hipFileHandle_t in, out;
    int in_fd, out_fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &in_fd, &in)) {
        return 1;
    }
    if (open_file(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &out_fd, &out)) {
        goto close_in;
    }

    ret = submit(slices, in, out);
    /* Also after a failure: what was submitted before it still uses the slices and the files. */
    ret |= synchronize(slices);
    ret = ret || check_counts(slices, in_path, out_path);

    ret |= close_file(out_path, out_fd, out);
close_in:
    return close_file(in_path, in_fd, in) || ret;
}

static int roundtrip_registered(const char *in_path, const char *out_path)
{
    struct slice_state slices[NUM_STREAMS] = {0};
    uint64_t hash;
    int ret = 1;

    if (seed_read_file(in_path, TOTAL_SIZE)) {
        return 1;
    }
    for (size_t i = 0; i < NUM_STREAMS; i++) {
        if (setup_slice(&slices[i], i)) {
            goto teardown;
        }
    }
    if (roundtrip(slices, in_path, out_path) ||
        verify_files_match(in_path, out_path, TOTAL_SIZE, &hash)) {
        goto teardown;
    }
    printf("OK  %s == %s  (%zu bytes across %d registered streams, hash 0x%016" PRIx64 ")\n",
           in_path, out_path, TOTAL_SIZE, NUM_STREAMS, hash);
    ret = 0;

teardown:
    for (size_t i = NUM_STREAMS; i-- > 0;) {
        teardown_slice(&slices[i]);
    }
    return ret;
}

int main(int argc, char *argv[])
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "Usage: %s READ_FILE WRITE_FILE [GPUID]\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 3) || roundtrip_registered(argv[1], argv[2])) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
