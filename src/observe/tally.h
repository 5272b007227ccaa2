// SPDX-License-Identifier: MIT
/* What was moved for one file: bytes by path and direction, and why not by the direct path. */
#ifndef HF_OBSERVE_TALLY_H
#define HF_OBSERVE_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/reason.h"
#include "base/refs.h"
#include "base/terms.h"

/* Each thread counts in its own shard. */
struct hf_tally {
    struct {
        _Alignas(HF_CACHE_LINE) _Atomic uint64_t bytes[HF_PATH_COUNT][HF_OP_COUNT];
        _Atomic uint64_t reasons[HF_REASON_COUNT]; /* requests; NONE counts the direct ones */
    } shard[HF_SHARDS];
    _Alignas(HF_CACHE_LINE) atomic_uint last; /* path and reason of the last request that ended */
};

struct hf_tally_sum {
    uint64_t bytes[HF_PATH_COUNT][HF_OP_COUNT];
    uint64_t reasons[HF_REASON_COUNT];
    enum hf_path_id last_path;
    enum hf_reason last_reason;
};

void hf_tally_clear(struct hf_tally *tally);
void hf_tally_moved(struct hf_tally *tally, enum hf_path_id path, enum hf_op op, uint64_t bytes);

/* A request has ended: the path of its whole blocks, and why that was not the direct one. */
void hf_tally_request(struct hf_tally *tally, enum hf_path_id path, enum hf_reason reason);

void hf_tally_add_up(const struct hf_tally *tally, struct hf_tally_sum *sum);

/* The line that a file leaves in the log when it goes. where: "ext4 on nvme0n1", or "". */
void hf_tally_log(const struct hf_tally_sum *sum, int number, const char *where);

#endif
