// SPDX-License-Identifier: MIT
#include "core/plan.h"

static struct hf_segment part(const struct hf_segment *request, uint64_t from, uint64_t to,
                              bool edge)
{
    struct hf_segment segment = {
        .file_offset = from,
        .address = request->address + (from - request->file_offset),
        .size = to - from,
        .edge = edge,
    };

    return segment;
}

void hf_plan_split(const struct hf_segment *request, uint32_t unit, struct hf_plan *plan)
{
    uint64_t begin = request->file_offset;
    uint64_t end = begin + request->size;
    uint64_t first = hf_align_up(begin, unit);
    uint64_t last = hf_align_down(end, unit);

    if (first >= last)
        first = last = end;
    plan->head = part(request, begin, first, true);
    plan->blocks = part(request, first, last, false);
    plan->tail = part(request, last, end, true);
}
