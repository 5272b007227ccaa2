// SPDX-License-Identifier: MIT
#include "core/route.h"
#include "core/transfer.h"
#include "observe/log.h"

/* The only part of a plan that has any bytes; NULL if there are more. */
static const struct hf_segment *only_part(const struct hf_plan *plan)
{
    if (plan->head.size == 0 && plan->tail.size == 0)
        return &plan->blocks;
    return plan->blocks.size == 0 && plan->tail.size == 0 ? &plan->head : NULL;
}

bool hf_request_single(const struct hf_request *request, size_t size, int64_t file_offset,
                       int64_t buffer_offset, size_t room, struct hf_single *single)
{
    const struct hf_segment *part = &single->segment;
    struct hf_route route;
    struct hf_plan plan;

    hf_request_describe(request, size, file_offset, buffer_offset, &single->transfer,
                        &single->segment);
    if (size == 0)
        return false;
    hf_plan_split(&single->segment, single->transfer.file->facts.unit, &plan);
    hf_route_choose(&single->transfer, &plan, &route);
    if (route.status || route.whole)
        return false;
    if (route.path->splits(&single->transfer))
        part = only_part(&plan);
    single->path = route.path;
    single->reason = route.reason;
    return part && route.path->single(&single->transfer, part, room, &single->io);
}

void hf_single_count(struct hf_file *file, const struct hf_single *single)
{
    enum hf_op op = single->transfer.op;

    hf_tally_request(&file->tally, single->path->id, single->reason);
    hf_tally_moved(&file->tally, single->path->id, op, single->segment.size);
    hf_debug("file %d: %s of %zu bytes at %llu in the ring, on the %s path (%s)", file->number,
             op == HF_READ ? "read" : "write", single->segment.size,
             (unsigned long long)single->segment.file_offset, single->path->name,
             hf_reason_text(single->reason));
}
