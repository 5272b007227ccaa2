// SPDX-License-Identifier: MIT
/* File <-> memory that the CPU can address: pinned, managed or pageable. */
#include "path/path.h"

#include "base/settings.h"
#include "os/io.h"

#define CHUNK ((size_t)4 << 20)

static enum hf_reason accepts(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    (void)segment;
    if (!hf_memory_on_host(transfer->kind))
        return HF_REASON_NOT_HOST_MEMORY;
    return hf_setting_bool(HF_SET_ALLOW_SYSTEM_MEMORY) ? HF_REASON_NONE : HF_REASON_CONFIGURED;
}

static bool splits(const struct hf_transfer *transfer)
{
    return hf_path_file_side(transfer) == HF_SIDE_DIRECT;
}

static size_t chunk(const struct hf_transfer *transfer, size_t size, unsigned workers)
{
    (void)transfer;
    return workers > 1 ? CHUNK : size + CHUNK;
}

/* Edges, and memory that is not aligned for O_DIRECT, go through the page cache. */
static enum hf_side side_of(const struct hf_transfer *transfer, const struct hf_segment *part)
{
    if (part->edge || part->address % transfer->file->facts.memory_alignment)
        return HF_SIDE_BUFFERED;
    return hf_path_file_side(transfer);
}

static bool single(const struct hf_transfer *transfer, const struct hf_segment *segment,
                   size_t room, struct hf_file_io *io)
{
    (void)room;
    *io = (struct hf_file_io){
        .side = side_of(transfer, segment),
        .offset = segment->file_offset,
        .size = segment->size,
        .memory = (void *)segment->address,
    };
    return true;
}

static void work(struct hf_claims *claims)
{
    const struct hf_transfer *transfer = claims->transfer;
    struct hf_segment part;

    while (hf_claims_next(claims, &part)) {
        ssize_t n = hf_path_file_io(transfer, side_of(transfer, &part), (void *)part.address,
                                    part.size, part.file_offset);

        if (n < (ssize_t)part.size)
            hf_claims_stop(claims, &part, n < 0 ? 0 : (size_t)n, n < 0 ? (int)n : 0);
    }
}

const struct hf_path hf_path_host = {
    .name = "host",
    .id = HF_PATH_HOST,
    .accepts = accepts,
    .splits = splits,
    .single = single,
    .chunk = chunk,
    .work = work,
};
