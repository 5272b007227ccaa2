// SPDX-License-Identifier: MIT
#include "core/route.h"

#include "base/settings.h"
#include "hipfile.h"
#include "os/facts.h"

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

static bool takes(const struct hf_path *path, const struct hf_transfer *transfer,
                  const struct hf_plan *plan)
{
    return path->accepts(transfer, &plan->blocks) == HF_REASON_NONE;
}

/* Why not direct. */
static enum hf_reason judge(const struct hf_transfer *transfer, const struct hf_plan *plan,
                            bool whole)
{
    enum hf_reason reason = hf_path_direct.accepts(transfer, &plan->blocks);

    return reason == HF_REASON_NONE && whole ? HF_REASON_CONFIGURED : reason;
}

void hf_route_choose(const struct hf_transfer *transfer, const struct hf_plan *plan,
                     struct hf_route *route)
{
    route->status = 0;
    route->whole = stays_whole(transfer, plan);
    route->reason = judge(transfer, plan, route->whole);
    if (route->reason == HF_REASON_NONE) {
        route->path = &hf_path_direct;
    } else if (takes(&hf_path_host, transfer, plan)) {
        route->path = &hf_path_host;
    } else if (takes(&hf_path_bounce, transfer, plan)) {
        route->path = &hf_path_bounce;
        if (!route->whole && !may_bounce(transfer, plan, route->reason))
            route->status = refusal(route->reason);
    } else {
        route->path = NULL;
        route->status = -hipFileIONotSupported;
    }
}

const struct hf_path *hf_route_fallback(const struct hf_segment *segment)
{
    return segment->edge || hf_settings_bounce_allowed() ? &hf_path_bounce : NULL;
}
