// SPDX-License-Identifier: MIT
/*
 * File <-> pinned host buffers <-> device memory. Each worker has its own lane and up to two
 * buffers: while one chunk is copied, the next one is read or written.
 */
#include "path/path.h"

#include <errno.h>

#include "base/settings.h"
#include "hip/device.h"
#include "hip/lane.h"
#include "hip/pinned.h"
#include "hip/place.h"
#include "os/io.h"

#define SMALLEST_CHUNK ((size_t)256 << 10)

/* One buffer, and the chunk whose copy is in flight through it. */
struct slot {
    struct hf_pinned *buffer;
    struct hf_segment part;
    bool busy;
    size_t moved; /* reads: bytes of the part that came from the file */
    int status;   /* reads: why fewer than the part */
};

struct worker {
    struct hf_claims *claims;
    const struct hf_transfer *transfer;
    struct hf_device_scope scope;
    struct hf_lane *lane;
    struct slot slot[HF_LANE_DEPTH];
    int slots;
};

static enum hf_reason accepts(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    (void)segment;
    return transfer->kind == HF_MEMORY_DEVICE ? HF_REASON_NONE : HF_REASON_NOT_DEVICE_MEMORY;
}

/* A read of any range can take the enclosing blocks; a write must not write more than it has. */
static bool splits(const struct hf_transfer *transfer)
{
    return transfer->op == HF_WRITE && hf_path_file_side(transfer) == HF_SIDE_DIRECT;
}

/* Chunks begin at their multiples in the file and are whole units, so that the enclosing blocks of
   any part of a chunk fit into a buffer. */
static size_t chunk(const struct hf_transfer *transfer, size_t size, unsigned workers)
{
    size_t unit = transfer->file->facts.unit;
    size_t limit = hf_pinned_size();
    size_t share = size / (2 * workers);

    if (share < SMALLEST_CHUNK)
        share = SMALLEST_CHUNK;
    if (share > limit)
        share = limit;
    return share > unit ? hf_align_down(share, unit) : share;
}

/* A second buffer is of use where there is a next chunk to read and something else than this CPU to
   copy the last one. */
static int slots_wanted(const struct hf_claims *claims)
{
    return claims->segment.size > claims->chunk &&
                   hf_device_has_copy_engine(claims->transfer->device)
               ? HF_LANE_DEPTH
               : 1;
}

static void add_slot(struct worker *worker)
{
    worker->slot[worker->slots++].busy = false;
}

/* The second buffer is only tried for: a worker that waited for one while it held another could
   wait for ever. */
static int open_worker(struct worker *worker, struct hf_claims *claims)
{
    int err;

    worker->claims = claims;
    worker->transfer = claims->transfer;
    worker->lane = NULL;
    worker->slots = 0;
    err = hf_device_enter(claims->transfer->device, &worker->scope);
    if (err)
        return err;
    hf_place_worker(claims->transfer->device);
    err = hf_lane_get(claims->transfer->device, &worker->lane);
    if (err)
        return err;
    err = hf_pinned_get(claims->chunk, true, &worker->slot[0].buffer);
    if (err)
        return err;
    add_slot(worker);
    while (worker->slots < slots_wanted(claims) &&
           hf_pinned_get(claims->chunk, false, &worker->slot[worker->slots].buffer) == 0)
        add_slot(worker);
    worker->lane->single = !hf_device_has_copy_engine(claims->transfer->device);
    return 0;
}

static void close_worker(struct worker *worker)
{
    for (int i = 0; i < worker->slots; i++)
        hf_pinned_put(worker->slot[i].buffer);
    if (worker->lane)
        hf_lane_put(worker->lane);
    hf_device_leave(&worker->scope);
}

static enum hf_side side_of(const struct hf_transfer *transfer, const struct hf_segment *part,
                            size_t chunk_size)
{
    if (transfer->op == HF_WRITE && part->edge)
        return HF_SIDE_BUFFERED;
    if (transfer->file->facts.unit > chunk_size)
        return HF_SIDE_BUFFERED;
    return hf_path_file_side(transfer);
}

/* What to read for a part: with O_DIRECT, the blocks around it. */
static struct hf_file_io enclosing(const struct hf_transfer *transfer,
                                   const struct hf_segment *part, size_t chunk_size)
{
    enum hf_side side = side_of(transfer, part, chunk_size);
    uint64_t unit = side == HF_SIDE_DIRECT ? transfer->file->facts.unit : 1;
    uint64_t from = hf_align_down(part->file_offset, unit);
    uint64_t to = hf_align_up(part->file_offset + part->size, unit);

    return (struct hf_file_io){
        .side = side, .offset = from, .size = to - from, .lead = part->file_offset - from};
}

static bool single(const struct hf_transfer *transfer, const struct hf_segment *segment,
                   size_t room, struct hf_file_io *io)
{
    if (transfer->op == HF_READ)
        *io = enclosing(transfer, segment, room);
    else
        *io = (struct hf_file_io){.side = side_of(transfer, segment, room),
                                  .offset = segment->file_offset,
                                  .size = segment->size};
    return io->size <= room;
}

/* Returns how many bytes of the part are there, and where. */
static ssize_t read_enclosing(const struct worker *worker, const struct slot *slot,
                              const char **found)
{
    struct hf_file_io io = enclosing(worker->transfer, &slot->part, worker->claims->chunk);
    ssize_t n = hf_path_file_io(worker->transfer, io.side, slot->buffer->host, io.size, io.offset);

    *found = (const char *)slot->buffer->host + io.lead;
    if (n < 0)
        return n;
    n = n > (ssize_t)io.lead ? n - (ssize_t)io.lead : 0;
    return n < (ssize_t)slot->part.size ? n : (ssize_t)slot->part.size;
}

/* Ends the slot's copy in, and with it its part. */
static void finish_read(struct worker *worker, int index)
{
    struct slot *slot = &worker->slot[index];
    int err;

    if (!slot->busy)
        return;
    slot->busy = false;
    err = hf_lane_wait(worker->lane, index);
    if (err)
        hf_claims_stop(worker->claims, &slot->part, 0, err);
    else if (slot->moved < slot->part.size)
        hf_claims_stop(worker->claims, &slot->part, slot->moved, slot->status);
}

static void start_read(struct worker *worker, int index)
{
    struct slot *slot = &worker->slot[index];
    const char *found;
    ssize_t n = read_enclosing(worker, slot, &found);
    int err;

    slot->moved = n > 0 ? (size_t)n : 0;
    slot->status = n < 0 ? (int)n : 0;
    if (n <= 0) {
        hf_claims_stop(worker->claims, &slot->part, 0, slot->status);
        return;
    }
    err = hf_lane_copy_in(worker->lane, index, slot->part.address, found, (size_t)n);
    if (err) {
        hf_lane_drain(worker->lane); /* what was queued before the error still uses the buffer */
        hf_claims_stop(worker->claims, &slot->part, 0, err);
        return;
    }
    slot->busy = true;
}

static void start_write(struct worker *worker, int index)
{
    struct slot *slot = &worker->slot[index];
    int err = hf_lane_copy_out(worker->lane, index, slot->buffer->host, slot->part.address,
                               slot->part.size);

    if (err) {
        hf_lane_drain(worker->lane);
        hf_claims_stop(worker->claims, &slot->part, 0, err);
        return;
    }
    slot->busy = true;
}

static ssize_t write_part(struct worker *worker, const struct slot *slot)
{
    enum hf_side side = side_of(worker->transfer, &slot->part, worker->claims->chunk);
    pthread_mutex_t *writer = hf_io_writer_lock(worker->transfer->file);
    ssize_t n;

    if (side == HF_SIDE_DIRECT)
        return hf_path_file_io(worker->transfer, side, slot->buffer->host, slot->part.size,
                               slot->part.file_offset);
    pthread_mutex_lock(writer);
    n = hf_path_file_io(worker->transfer, side, slot->buffer->host, slot->part.size,
                        slot->part.file_offset);
    pthread_mutex_unlock(writer);
    return n;
}

/* Ends the slot's copy out and writes what it brought, unless an earlier part has failed. */
static void finish_write(struct worker *worker, int index)
{
    struct slot *slot = &worker->slot[index];
    ssize_t n;

    if (!slot->busy)
        return;
    slot->busy = false;
    n = hf_lane_wait(worker->lane, index);
    if (n == 0 && hf_claims_stopped_before(worker->claims, &slot->part))
        return;
    if (n == 0)
        n = write_part(worker, slot);
    if (n < (ssize_t)slot->part.size)
        hf_claims_stop(worker->claims, &slot->part, n > 0 ? (size_t)n : 0, n < 0 ? (int)n : 0);
}

/* Slots take turns: before one is used again, what is in flight through it is ended. */
static void run(struct worker *worker, void (*start)(struct worker *, int),
                void (*finish)(struct worker *, int))
{
    int turn = 0;

    for (;;) {
        finish(worker, turn);
        if (!hf_claims_next(worker->claims, &worker->slot[turn].part))
            break;
        start(worker, turn);
        turn = turn + 1 < worker->slots ? turn + 1 : 0;
    }
    for (int i = 0; i < worker->slots; i++)
        finish(worker, (turn + i) % worker->slots);
}

static void fail_all(struct hf_claims *claims, int err)
{
    struct hf_segment part;

    while (hf_claims_next(claims, &part))
        hf_claims_stop(claims, &part, 0, err);
}

static void work(struct hf_claims *claims)
{
    struct worker worker;
    int err = open_worker(&worker, claims);

    if (err)
        fail_all(claims, err);
    else if (claims->transfer->op == HF_READ)
        run(&worker, start_read, finish_read);
    else
        run(&worker, start_write, finish_write);
    close_worker(&worker);
}

const struct hf_path hf_path_bounce = {
    .name = "bounce",
    .id = HF_PATH_BOUNCE,
    .accepts = accepts,
    .splits = splits,
    .single = single,
    .chunk = chunk,
    .work = work,
};
