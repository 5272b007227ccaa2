// SPDX-License-Identifier: MIT
/*
 * batch-roundtrip READ_FILE WRITE_FILE FILE_SIZE GPUID: reads a file into device memory and writes
 * it to another one, in batches of small operations.
 *
 * READ_FILE is made by the program: FILE_SIZE bytes of a pattern. Up to BATCH_SIZE operations are
 * in flight, in no particular order, and each one that ends makes room for the next.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef BATCH_SIZE
#define BATCH_SIZE 128
#endif
#define OP_SIZE BLOCK_ALIGN

/* One pass over a file: operation i moves block i between the file and the buffer. */
struct phase {
    hipFileBatchHandle_t batch;
    hipFileOpcode_t opcode;
    hipFileHandle_t handle;
    const char *path;
    void *devbuf;
    size_t size;
};

/* The cookie comes back with the operation's event; the parameters are copied at submission. */
static void prepare(const struct phase *phase, size_t op, hipFileIOParams_t *params)
{
    *params = (hipFileIOParams_t){
        .mode = hipFileBatch,
        .u.batch =
            {
                .devPtr_base = phase->devbuf,
                .file_offset = (int64_t)(op * OP_SIZE),
                .devPtr_offset = (int64_t)(op * OP_SIZE),
                .size = OP_SIZE,
            },
        .fh = phase->handle,
        .opcode = phase->opcode,
        .cookie = (void *)(uintptr_t)op,
    };
}

/* Whole blocks are asked for. A read of the last one stops at the end of the file. */
static size_t expected_bytes(const struct phase *phase, size_t op)
{
    return phase->opcode == hipFileBatchRead ? min_size(OP_SIZE, phase->size - op * OP_SIZE)
                                             : OP_SIZE;
}

static int check_event(const struct phase *phase, const hipFileIOEvents_t *event)
{
    size_t op = (size_t)(uintptr_t)event->cookie;
    const char *name = phase->opcode == hipFileBatchRead ? "Batch read" : "Batch write";

    /* ret is unsigned, but carries a negative value if the operation failed. */
    if (check_async(name, phase->path, (ssize_t)event->ret, expected_bytes(phase, op))) {
        return 1;
    }
    if (event->status != hipFileComplete || event->ret != expected_bytes(phase, op)) {
        fprintf(stderr, "%s %zu on %s ended with status %d and %zu bytes\n", name, op, phase->path,
                (int)event->status, event->ret);
        return 1;
    }
    return 0;
}

static int submit(const struct phase *phase, size_t first, size_t count)
{
    hipFileIOParams_t params[BATCH_SIZE];

    for (size_t i = 0; i < count; i++) {
        prepare(phase, first + i, &params[i]);
    }
    return check_hipfile("hipFileBatchIOSubmit",
                         hipFileBatchIOSubmit(phase->batch, (unsigned)count, params, 0));
}

/* Waits until an operation has ended, and takes all that have. */
static int collect(const struct phase *phase, size_t *in_flight)
{
    hipFileIOEvents_t events[BATCH_SIZE];
    unsigned count = BATCH_SIZE;

    if (check_hipfile("hipFileBatchIOGetStatus",
                      hipFileBatchIOGetStatus(phase->batch, 1, &count, events, NULL))) {
        return 1;
    }
    for (unsigned i = 0; i < count; i++) {
        if (check_event(phase, &events[i])) {
            return 1;
        }
    }
    *in_flight -= count;
    return 0;
}

static int run(const struct phase *phase)
{
    size_t total = align_up(phase->size, OP_SIZE) / OP_SIZE;
    size_t submitted = 0, in_flight = 0;

    while (submitted < total || in_flight > 0) {
        size_t count = min_size(total - submitted, BATCH_SIZE - in_flight);

        if (count > 0 && submit(phase, submitted, count)) {
            return 1;
        }
        submitted += count;
        in_flight += count;
        if (collect(phase, &in_flight)) {
            return 1;
        }
    }
    return 0;
}

static int read_phase(const char *path, hipFileBatchHandle_t batch, void *devbuf, size_t size)
{
    struct phase phase = {batch, hipFileBatchRead, NULL, path, devbuf, size};
    int fd, ret;

    if (open_file(path, O_RDONLY | O_DIRECT, 0, &fd, &phase.handle)) {
        return 1;
    }
    ret = run(&phase);
    return close_file(path, fd, phase.handle) || ret;
}

static int write_phase(const char *path, hipFileBatchHandle_t batch, void *devbuf, size_t size)
{
    struct phase phase = {batch, hipFileBatchWrite, NULL, path, devbuf, size};
    int fd, ret;

    if (open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, FILE_MODE, &fd, &phase.handle)) {
        return 1;
    }
    ret = run(&phase) || truncate_file(path, fd, size);
    return close_file(path, fd, phase.handle) || ret;
}

static int batch_roundtrip(const char *in_path, const char *out_path, size_t size)
{
    size_t buffer_size = buffer_size_for(size);
    hipFileBatchHandle_t batch;
    void *devbuf = NULL;
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
    if (check_hipfile("hipFileBatchIOSetUp", hipFileBatchIOSetUp(&batch, BATCH_SIZE))) {
        goto deregister;
    }
    /*
     * A batch, like hipFileRead and hipFileWrite, does not wait for work that is queued on the
     * device. Here there is none; if a kernel used the buffer, the program would synchronise first.
     */
    if (read_phase(in_path, batch, devbuf, size) || write_phase(out_path, batch, devbuf, size) ||
        verify_files_match(in_path, out_path, size, &hash)) {
        goto destroy_batch;
    }
    printf("OK  %s == %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", in_path, out_path, size, hash);
    ret = 0;

destroy_batch:
    /* Cancels what has not begun and waits for the rest, before the buffer goes. */
    hipFileBatchIODestroy(batch);
deregister:
    check_hipfile("hipFileBufDeregister", hipFileBufDeregister(devbuf));
free_devbuf:
    check_hip("hipFree", hipFree(devbuf));
    return ret;
}

static int parse_size(const char *text, size_t *size)
{
    char *end;

    errno = 0;
    *size = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-') {
        fprintf(stderr, "FILE_SIZE is a number of bytes, not %s\n", text);
        return 1;
    }
    return 0;
}

int main(int argc, char *argv[])
{
    size_t size;

    if (argc != 5) {
        fprintf(stderr, "Usage: %s READ_FILE WRITE_FILE FILE_SIZE GPUID\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (parse_size(argv[3], &size) || select_gpu(argc, argv, 4) ||
        batch_roundtrip(argv[1], argv[2], size)) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
