// SPDX-License-Identifier: MIT
#include "observe/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "observe/log.h"

static void add(_Atomic uint64_t *counter, uint64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void hf_tally_clear(struct hf_tally *tally)
{
    for (unsigned i = 0; i < HF_SHARDS; i++) {
        for (unsigned p = 0; p < HF_PATH_COUNT; p++)
            for (unsigned op = 0; op < HF_OP_COUNT; op++)
                tally->shard[i].bytes[p][op] = 0;
        for (unsigned r = 0; r < HF_REASON_COUNT; r++)
            tally->shard[i].reasons[r] = 0;
    }
    tally->last = 0;
}

void hf_tally_moved(struct hf_tally *tally, enum hf_path_id path, enum hf_op op, uint64_t bytes)
{
    add(&tally->shard[hf_shard()].bytes[path][op], bytes);
}

/* The last request is only stored when it differs: otherwise all threads would write one line. */
void hf_tally_request(struct hf_tally *tally, enum hf_path_id path, enum hf_reason reason)
{
    unsigned last = path * HF_REASON_COUNT + reason;

    add(&tally->shard[hf_shard()].reasons[reason], 1);
    if (atomic_load_explicit(&tally->last, memory_order_relaxed) != last)
        atomic_store_explicit(&tally->last, last, memory_order_relaxed);
}

void hf_tally_add_up(const struct hf_tally *tally, struct hf_tally_sum *sum)
{
    unsigned last = atomic_load_explicit(&tally->last, memory_order_relaxed);

    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < HF_SHARDS; i++) {
        for (unsigned p = 0; p < HF_PATH_COUNT; p++)
            for (unsigned op = 0; op < HF_OP_COUNT; op++)
                sum->bytes[p][op] += get(&tally->shard[i].bytes[p][op]);
        for (unsigned r = 0; r < HF_REASON_COUNT; r++)
            sum->reasons[r] += get(&tally->shard[i].reasons[r]);
    }
    sum->last_path = (enum hf_path_id)(last / HF_REASON_COUNT);
    sum->last_reason = (enum hf_reason)(last % HF_REASON_COUNT);
}

static void print_reasons(const struct hf_tally_sum *sum, char *text, size_t size)
{
    const char *separator = "; not direct: ";
    size_t length = 0;

    text[0] = '\0';
    for (unsigned r = HF_REASON_NONE + 1; r < HF_REASON_COUNT && length < size; r++) {
        if (!sum->reasons[r])
            continue;
        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64 " x %s", separator,
                                   sum->reasons[r], hf_reason_text((enum hf_reason)r));
        separator = ", ";
    }
}

void hf_tally_log(const struct hf_tally_sum *sum, int number, const char *where)
{
    char reasons[1024];

    print_reasons(sum, reasons, sizeof reasons);
    hf_info("file %d%s%s: read direct %" PRIu64 " bounce %" PRIu64 " host %" PRIu64
            ", wrote direct %" PRIu64 " bounce %" PRIu64 " host %" PRIu64 " bytes%s",
            number, *where ? ", " : "", where, sum->bytes[HF_PATH_DIRECT][HF_READ],
            sum->bytes[HF_PATH_BOUNCE][HF_READ], sum->bytes[HF_PATH_HOST][HF_READ],
            sum->bytes[HF_PATH_DIRECT][HF_WRITE], sum->bytes[HF_PATH_BOUNCE][HF_WRITE],
            sum->bytes[HF_PATH_HOST][HF_WRITE], reasons);
}
