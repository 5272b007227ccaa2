// SPDX-License-Identifier: MIT
#include "core/transfer.h"

#include <errno.h>
#include <semaphore.h>

#include "base/settings.h"
#include "base/status.h"
#include "core/crew.h"
#include "core/pool.h"
#include "core/route.h"
#include "observe/log.h"

/* One request on its way. */
struct run {
    struct hf_file *file;
    const struct hf_transfer *transfer;
    const struct hf_path *path; /* of the whole blocks */
    enum hf_reason reason;      /* why that is not the direct one */
    size_t moved;               /* contiguous, from the start of the request */
    int status;                 /* what ended it, if negative */
};

/* Moves a segment on one path. Returns the bytes from its start; *status as for hf_claims. */
static size_t move(struct run *run, const struct hf_path *path, const struct hf_segment *segment,
                   int *status)
{
    size_t moved = hf_crew_move(path, run->transfer, segment, status);

    hf_tally_moved(&run->file->tally, path->id, run->transfer->op, moved);
    return moved;
}

static struct hf_segment after(const struct hf_segment *segment, size_t moved)
{
    struct hf_segment rest = *segment;

    rest.file_offset += moved;
    rest.address += moved;
    rest.size -= moved;
    return rest;
}

static struct hf_segment first(const struct hf_segment *segment, size_t size)
{
    struct hf_segment part = *segment;

    part.size = size;
    return part;
}

/* ENODEV and EREMOTEIO: the driver cannot reach this file's storage from this device, and will not
   another time. The layer that stopped it is named once. */
static bool refused_for_good(struct run *run, int status)
{
    const struct hf_transfer *transfer = run->transfer;
    unsigned bit = 1u << transfer->device;

    if (status != -ENODEV && status != -EREMOTEIO)
        return false;
    if (!(atomic_fetch_or(transfer->devices_refused, bit) & bit)) {
        const struct hf_storage *storage = hf_descriptor_storage(transfer->file);

        hf_notice("file %d: direct I/O with device %d refused (%s) on %s%s%s: using bounce",
                  run->file->number, transfer->device, hf_status_describe(status),
                  storage->block_device[0] ? storage->block_device : "unknown storage",
                  storage->layer[0] ? ", layer " : "", storage->layer);
    }
    run->path = &hf_path_bounce;
    run->reason = HF_REASON_REFUSED;
    return true;
}

/* What the direct path left. Where that may not be bounced, an error of the storage stays what it
   is; anything else was a refusal. */
static size_t bounce(struct run *run, const struct hf_segment *segment, int *status)
{
    const struct hf_path *path = hf_route_fallback(segment);

    if (path)
        return move(run, path, segment, status);
    if (*status != -EIO)
        *status = -hipFileIONotSupported;
    return 0;
}

/* The file ends within what a direct read was to bring: whole blocks before the end go direct once
   more, the block that holds the end is staged, and so is what the direct path still does not
   bring.
   */
static size_t read_to_end(struct run *run, const struct hf_segment *rest, uint64_t end, int *status)
{
    uint32_t unit = run->transfer->file->facts.unit;
    size_t left = end - rest->file_offset;
    size_t blocks = left - left % unit;
    size_t moved = 0;
    struct hf_segment part = first(rest, blocks);

    if (blocks) {
        moved = move(run, &hf_path_direct, &part, status);
        moved -= moved % unit;
    }
    part = after(rest, moved);
    part.edge = moved == blocks;
    if (part.edge && part.size > unit)
        part.size = unit;
    return moved + bounce(run, &part, status);
}

/* The direct path moved `moved` bytes and ended with *status (0: short). Goes on from there, at a
   block boundary. Returns the bytes from the start of the segment. */
static size_t carry_on(struct run *run, const struct hf_segment *segment, size_t moved, int *status)
{
    size_t aligned = moved - moved % run->transfer->file->facts.unit;
    struct hf_segment rest = after(segment, aligned);
    bool reading = run->transfer->op == HF_READ;
    int64_t end;

    if (reading && (*status == 0 || *status == -EIO)) {
        end = hf_facts_size(run->transfer->file->fd, run->transfer->file->facts.is_block_device);
        if (end >= 0 && (uint64_t)end <= segment->file_offset + moved) {
            *status = 0;
            return moved;
        }
        if (end >= 0 && (uint64_t)end < rest.file_offset + rest.size)
            return aligned + read_to_end(run, &rest, (uint64_t)end, status);
    } else if (!refused_for_good(run, *status) && *status != 0 && *status != -EINVAL) {
        return moved;
    }
    return aligned + bounce(run, &rest, status);
}

struct outcome {
    size_t moved; /* contiguous, from the start of the segment */
    int status;   /* what ended it, if negative */
};

/* A write stopped without an error: the next byte tells which, and else there is no room. */
static void ask_why(struct run *run, const struct hf_path *path, const struct hf_segment *segment,
                    struct outcome *outcome)
{
    struct hf_segment rest = after(segment, outcome->moved);

    rest.edge = true;
    outcome->moved +=
        move(run, path == &hf_path_host ? path : &hf_path_bounce, &rest, &outcome->status);
    if (outcome->moved < segment->size && outcome->status == 0)
        outcome->status = -ENOSPC;
}

static struct outcome run_segment(struct run *run, const struct hf_path *path,
                                  const struct hf_segment *segment)
{
    struct outcome outcome = {0, 0};

    if (segment->size == 0)
        return outcome;
    outcome.moved = move(run, path, segment, &outcome.status);
    if (path == &hf_path_direct && outcome.moved < segment->size)
        outcome.moved = carry_on(run, segment, outcome.moved, &outcome.status);
    if (outcome.moved < segment->size && outcome.status == 0 && run->transfer->op == HF_WRITE)
        ask_why(run, path, segment, &outcome);
    return outcome;
}

/* Adds a segment to the request's prefix. False: the prefix ends in it. */
static bool add(struct run *run, const struct hf_segment *segment, struct outcome outcome)
{
    run->moved += outcome.moved;
    run->status = outcome.status;
    return outcome.moved == segment->size;
}

/* The edges of a read, which a helper may move beside the blocks. */
struct edges {
    struct hf_task task;
    struct run *run;
    const struct hf_path *path;
    const struct hf_plan *plan;
    struct outcome head, tail;
    sem_t moved;
};

static void move_edges(struct edges *edges)
{
    edges->head = run_segment(edges->run, edges->path, &edges->plan->head);
    edges->tail = run_segment(edges->run, edges->path, &edges->plan->tail);
}

static void help_with_edges(struct hf_task *task)
{
    struct edges *edges = (struct edges *)task;

    move_edges(edges);
    sem_post(&edges->moved);
}

/* As ever, the caller does what no helper has begun. */
static void run_beside(struct run *run, const struct hf_path *path,
                       const struct hf_path *edges_path, const struct hf_plan *plan)
{
    struct edges edges = {
        .task = {.run = help_with_edges}, .run = run, .path = edges_path, .plan = plan};
    struct outcome blocks;
    bool called;

    sem_init(&edges.moved, 0, 0);
    called = hf_pool_submit(&edges.task) == 0;
    blocks = run_segment(run, path, &plan->blocks);
    if (!called || hf_pool_withdraw(&edges.task))
        move_edges(&edges);
    else
        while (sem_wait(&edges.moved) != 0)
            ;
    sem_destroy(&edges.moved);
    if (add(run, &plan->head, edges.head) && add(run, &plan->blocks, blocks))
        add(run, &plan->tail, edges.tail);
}

/* An edge of a write shares a page with the blocks beside it, and never moves at their time. */
static bool goes_beside(const struct hf_transfer *transfer, const struct hf_plan *plan)
{
    return transfer->op == HF_READ && hf_setting_bool(HF_SET_PARALLEL_IO) &&
           plan->blocks.size >= hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) * 1024;
}

/* In ascending order; but where the direct path must take the blocks or nothing may move at all,
   the blocks come first. */
static void run_split(struct run *run, const struct hf_path *path, const struct hf_plan *plan)
{
    const struct hf_path *edges = path == &hf_path_host ? path : &hf_path_bounce;
    bool blocks_first = path == &hf_path_direct && !hf_settings_bounce_allowed();
    struct outcome blocks = {0, 0};

    if (!blocks_first && goes_beside(run->transfer, plan)) {
        run_beside(run, path, edges, plan);
        return;
    }
    if (blocks_first) {
        blocks = run_segment(run, path, &plan->blocks);
        run->status = blocks.status;
        if (blocks.moved == 0 && blocks.status)
            return;
    }
    if (!add(run, &plan->head, run_segment(run, edges, &plan->head)))
        return;
    if (!blocks_first)
        blocks = run_segment(run, path, &plan->blocks);
    if (add(run, &plan->blocks, blocks))
        add(run, &plan->tail, run_segment(run, edges, &plan->tail));
}

/* Moves a request in one piece; an unaligned write that is kept whole goes as edges go. */
static void run_whole(struct run *run, const struct hf_route *route,
                      const struct hf_segment *segment)
{
    struct hf_segment edge;

    if (route->whole) {
        edge = *segment;
        edge.edge = true;
        segment = &edge;
    }
    add(run, segment, run_segment(run, route->path, segment));
}

/* Callers that write through O_DIRECT go on after a short count with whole blocks. */
static size_t reported(const struct run *run, const struct hf_segment *segment)
{
    uint32_t unit = run->transfer->file->facts.unit;

    if (run->transfer->op == HF_WRITE && run->moved < segment->size &&
        hf_descriptor_side(run->transfer->file) == HF_SIDE_DIRECT &&
        segment->file_offset % unit == 0)
        return run->moved - run->moved % unit;
    return run->moved;
}

ssize_t hf_transfer_run(struct hf_file *file, const struct hf_transfer *transfer,
                        const struct hf_segment *segment)
{
    struct run run = {.file = file, .transfer = transfer};
    struct hf_route route;
    struct hf_plan plan;
    size_t moved;

    if (segment->size == 0)
        return 0;
    hf_plan_split(segment, transfer->file->facts.unit, &plan);
    hf_route_choose(transfer, &plan, &route);
    run.path = route.path ? route.path : &hf_path_bounce;
    run.reason = route.reason;
    if (route.status) {
        hf_tally_request(&file->tally, run.path->id, run.reason);
        return route.status;
    }
    hf_debug("file %d: %s of %zu bytes at %llu on the %s path (%s)", file->number,
             transfer->op == HF_READ ? "read" : "write", segment->size,
             (unsigned long long)segment->file_offset, route.path->name,
             hf_reason_text(route.reason));
    if ((plan.head.size || plan.tail.size) && route.path->splits(transfer) && !route.whole)
        run_split(&run, route.path, &plan);
    else
        run_whole(&run, &route, segment);
    hf_tally_request(&file->tally, run.path->id, run.reason);
    moved = reported(&run, segment);
    return moved ? (ssize_t)moved : run.status;
}
