// SPDX-License-Identifier: MIT
/* Splitting a request at block boundaries of the file. Pure arithmetic. */
#ifndef HF_CORE_PLAN_H
#define HF_CORE_PLAN_H

#include "path/path.h"

struct hf_plan {
    struct hf_segment head, blocks, tail; /* size 0: not there */
};

/* Head and tail are the parts of blocks at either end. A request that holds no whole block is not
   split: it is all head. unit: a power of two. */
void hf_plan_split(const struct hf_segment *request, uint32_t unit, struct hf_plan *plan);

#endif
