// SPDX-License-Identifier: MIT
/*
 * A path: how bytes move between a file and memory.
 *
 * core/transfer.c chooses a path for a segment and lets one or several workers claim chunks of it;
 * a path moves the chunks that it claims, and knows nothing of requests, threads or order.
 */
#ifndef HF_PATH_PATH_H
#define HF_PATH_PATH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reason.h"
#include "base/terms.h"
#include "hip/memory.h"
#include "os/descriptor.h"

/* What all segments of one request have in common. */
struct hf_transfer {
    struct hf_descriptor *file;
    enum hf_op op;
    enum hf_memory_kind kind;
    int device;                   /* of the memory; meaningful for device memory */
    atomic_uint *devices_refused; /* of the file: bit d set when direct was refused for device d */
};

/* A contiguous part of a request. */
struct hf_segment {
    uint64_t file_offset;
    uintptr_t address; /* in device or host memory */
    size_t size;
    bool edge; /* part of a block: never on the direct side of the file when written */
};

/* One read or write of the file. */
struct hf_file_io {
    enum hf_side side;
    uint64_t offset;
    size_t size;
    size_t lead;  /* bytes before those that are wanted */
    void *memory; /* NULL: it needs staging memory of this size, and a copy from or to it */
};

/* A segment being worked on. */
struct hf_claims {
    const struct hf_transfer *transfer;
    struct hf_segment segment;
    size_t chunk;       /* bytes; chunks begin at its multiples in the file */
    atomic_size_t next; /* index of the next chunk that nobody has claimed */
    pthread_mutex_t lock;
    atomic_size_t stop; /* bytes of the segment that are, or can still be, moved without a gap */
    int status;         /* why it ends at stop: 0 at the end of the file */
};

struct hf_path {
    const char *name;
    enum hf_path_id id;

    /* HF_REASON_NONE, or why it does not take this segment. */
    enum hf_reason (*accepts)(const struct hf_transfer *transfer, const struct hf_segment *segment);

    /* Must whole blocks and edges be separate segments? */
    bool (*splits)(const struct hf_transfer *transfer);

    /* Describes the one read or write that moves the segment, if it comes down to that, with no
       more than `room` bytes of staging memory. */
    bool (*single)(const struct hf_transfer *transfer, const struct hf_segment *segment,
                   size_t room, struct hf_file_io *io);

    /* The chunk size for a segment that `workers` threads work on. */
    size_t (*chunk)(const struct hf_transfer *transfer, size_t size, unsigned workers);

    /* Moves chunks until none is left. Several threads may call it for the same claims. */
    void (*work)(struct hf_claims *claims);
};

extern const struct hf_path hf_path_direct;
extern const struct hf_path hf_path_bounce;
extern const struct hf_path hf_path_host;

/* The next chunk to move; false when there is none. */
bool hf_claims_next(struct hf_claims *claims, struct hf_segment *chunk);

/* A chunk ended after `done` bytes: with a negative status, or 0 at the end of the file. */
void hf_claims_stop(struct hf_claims *claims, const struct hf_segment *chunk, size_t done,
                    int status);

/* True if the segment ends before this chunk, so that nothing of it needs to be moved. */
bool hf_claims_stopped_before(struct hf_claims *claims, const struct hf_segment *chunk);

/* Where host memory meets the file: the side that fits the caller's mode and the settings. */
enum hf_side hf_path_file_side(const struct hf_transfer *transfer);

/* A read or write of host memory on that side; O_DIRECT that does not work for this memory or file
   is given up for the buffered side, and remembered. */
ssize_t hf_path_file_io(const struct hf_transfer *transfer, enum hf_side side, void *host,
                        size_t size, uint64_t offset);

static inline uint64_t hf_align_down(uint64_t value, uint64_t unit)
{
    return value - value % unit;
}

static inline uint64_t hf_align_up(uint64_t value, uint64_t unit)
{
    return hf_align_down(value + unit - 1, unit);
}

#endif
