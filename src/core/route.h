// SPDX-License-Identifier: MIT
/* Which path takes a request. */
#ifndef HF_CORE_ROUTE_H
#define HF_CORE_ROUTE_H

#include "core/plan.h"
#include "path/path.h"

struct hf_route {
    const struct hf_path
        *path;             /* of the whole blocks, or of everything if the path does not split */
    enum hf_reason reason; /* why not direct */
    bool whole;            /* moved as one piece through the page cache, edges and all */
    int status;            /* 0, or why no path may take it: nothing is moved then */
};

void hf_route_choose(const struct hf_transfer *transfer, const struct hf_plan *plan,
                     struct hf_route *route);

/* The path for what the direct path did not move; NULL when bouncing it is forbidden. */
const struct hf_path *hf_route_fallback(const struct hf_segment *segment);

#endif
