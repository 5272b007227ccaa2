// SPDX-License-Identifier: MIT
/*
 * The one body of all I/O: validate, plan, route, move. Synchronous calls, stream operations and
 * batch entries differ only in who calls hf_transfer_run and who waits.
 */
#ifndef HF_CORE_TRANSFER_H
#define HF_CORE_TRANSFER_H

#include <stdint.h>
#include <sys/types.h>

#include "core/files.h"
#include "core/plan.h"
#include "hip/memory.h"

/* The most that one request moves; more is cut to it, as by read(2). */
#define HF_REQUEST_MAX ((size_t)0x7ffff000)

/* A request whose arguments have been checked. Holds a reference on the file, and one on the buffer
   if that is registered. */
struct hf_request {
    struct hf_file *file;
    struct hf_buffer *buffer;
    struct hf_memory memory; /* from the buffer base on */
    uintptr_t base;
    enum hf_op op;
};

/* Resolves handle and buffer. wanted: bytes that should be there, from the base on. 0 or a status;
   hf_request_close is due after 0. */
int hf_request_open(struct hf_request *request, enum hf_op op, hipFileHandle_t handle,
                    const void *base, uint64_t wanted);
void hf_request_close(struct hf_request *request);

/* Checks a range and cuts its size. 0 or a status. */
int hf_request_check(const struct hf_request *request, size_t *size, int64_t file_offset,
                     int64_t buffer_offset);

/* Looks again how far memory that is not registered reaches, for a range beyond what was looked at
   when the request was opened. */
void hf_request_reach(struct hf_request *request, size_t size, int64_t buffer_offset);

/* Whether the direct path would take whole blocks of a range that hf_request_check accepted. */
bool hf_request_goes_direct(const struct hf_request *request, size_t size, int64_t file_offset,
                            int64_t buffer_offset);

/* Describes a range that hf_request_check accepted, for the paths. */
void hf_request_describe(const struct hf_request *request, size_t size, int64_t file_offset,
                         int64_t buffer_offset, struct hf_transfer *transfer,
                         struct hf_segment *segment);

/* Moves a range that hf_request_check accepted: the bytes moved without a gap from its start, or a
   status if there are none. */
ssize_t hf_request_run(const struct hf_request *request, size_t size, int64_t file_offset,
                       int64_t buffer_offset);

/* A request that comes down to one read or write of the file, for an engine that has many of those
   in flight. */
struct hf_single {
    struct hf_transfer transfer;
    struct hf_segment segment;
    const struct hf_path *path;
    enum hf_reason reason; /* why not direct */
    struct hf_file_io io;
};

/* Describes it for a range that hf_request_check accepted; room: of staging memory. False: it is
   not that simple, and hf_request_run does it. */
bool hf_request_single(const struct hf_request *request, size_t size, int64_t file_offset,
                       int64_t buffer_offset, size_t room, struct hf_single *single);

/* Counts one that moved whole. Whatever else happens to it, hf_request_run is to do it anew. */
void hf_single_count(struct hf_file *file, const struct hf_single *single);

/* Moves one segment: what hf_request_run comes down to. */
ssize_t hf_transfer_run(struct hf_file *file, const struct hf_transfer *transfer,
                        const struct hf_segment *segment);

#endif
