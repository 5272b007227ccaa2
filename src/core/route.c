// SPDX-License-Identifier: MIT
#include "core/route.h"

#include "base/settings.h"
#include "hipfile.h"
#include "os/facts.h"

/* In order of preference. */
static const struct hf_path *const paths[] = {&hf_path_direct, &hf_path_host, &hf_path_bounce};
#define PATHS (sizeof paths / sizeof paths[0])

/* A loop that reads until 0 asks once more at the end of the file, wherever that lies in a block:
   of such a read there is no whole block to move. */
static bool ends_before_blocks(const struct hf_transfer *transfer, const struct hf_plan *plan)
{
    const struct hf_descriptor *file = transfer->file;
    int64_t end = hf_facts_size(file->fd, file->facts.is_block_device);

    return transfer->op == HF_READ && end >= 0 && (uint64_t)end <= plan->blocks.file_offset;
}

/* Compat mode forbidden: what the direct path refuses altogether is not bounced. A request without
   a whole block may always be, and a rule for the file can allow it. */
static bool may_bounce(const struct hf_transfer *transfer, const struct hf_plan *plan,
                       enum hf_reason reason)
{
    return reason == HF_REASON_BELOW_UNIT || hf_settings_bounce_allowed() ||
           hf_descriptor_storage(transfer->file)->rule.force_compat ||
           (reason == HF_REASON_MEMORY_ALIGNMENT && ends_before_blocks(transfer, plan));
}

static int refusal(enum hf_reason reason)
{
    return reason == HF_REASON_CONFIGURED ? -hipFileIODisabled : -hipFileIONotSupported;
}

/* A setting keeps unaligned writes whole: no direct middle between two buffered edges. */
static bool stays_whole(const struct hf_transfer *transfer, const struct hf_plan *plan)
{
    return transfer->op == HF_WRITE && plan->blocks.size > 0 &&
           (plan->head.size > 0 || plan->tail.size > 0) &&
           hf_setting_bool(HF_SET_POSIX_UNALIGNED_WRITES);
}

void hf_route_choose(const struct hf_transfer *transfer, const struct hf_plan *plan,
                     struct hf_route *route)
{
    route->path = NULL;
    route->reason = HF_REASON_NONE;
    route->status = 0;
    route->whole = stays_whole(transfer, plan);
    for (size_t i = 0; i < PATHS && !route->path; i++) {
        enum hf_reason reason = paths[i]->accepts(transfer, &plan->blocks);

        if (paths[i] == &hf_path_direct && reason == HF_REASON_NONE && route->whole)
            reason = HF_REASON_CONFIGURED;
        if (reason == HF_REASON_NONE)
            route->path = paths[i];
        else if (paths[i] == &hf_path_direct)
            route->reason = reason;
    }
    if (!route->path)
        route->status = -hipFileIONotSupported;
    else if (route->path == &hf_path_bounce && !route->whole &&
             !may_bounce(transfer, plan, route->reason))
        route->status = refusal(route->reason);
}

const struct hf_path *hf_route_fallback(const struct hf_segment *segment)
{
    return segment->edge || hf_settings_bounce_allowed() ? &hf_path_bounce : NULL;
}
