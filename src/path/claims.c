// SPDX-License-Identifier: MIT
#include "path/path.h"

#include <errno.h>

#include "base/settings.h"
#include "os/io.h"

bool hf_claims_next(struct hf_claims *claims, struct hf_segment *chunk)
{
    const struct hf_segment *segment = &claims->segment;
    size_t lead = segment->file_offset % claims->chunk; /* of the first chunk, before the segment */
    size_t end = (atomic_fetch_add(&claims->next, 1) + 1) * claims->chunk - lead;
    size_t begin = end > claims->chunk ? end - claims->chunk : 0;

    if (begin >= segment->size)
        return false;
    if (end > segment->size)
        end = segment->size;
    chunk->file_offset = segment->file_offset + begin;
    chunk->address = segment->address + begin;
    chunk->size = end - begin;
    chunk->edge = segment->edge;
    return begin < atomic_load(&claims->stop);
}

void hf_claims_stop(struct hf_claims *claims, const struct hf_segment *chunk, size_t done,
                    int status)
{
    size_t stop = chunk->file_offset - claims->segment.file_offset + done;

    pthread_mutex_lock(&claims->lock);
    if (stop < claims->stop) {
        claims->stop = stop;
        claims->status = status;
    }
    pthread_mutex_unlock(&claims->lock);
}

bool hf_claims_stopped_before(struct hf_claims *claims, const struct hf_segment *chunk)
{
    return chunk->file_offset - claims->segment.file_offset >= atomic_load(&claims->stop);
}

enum hf_side hf_path_file_side(const struct hf_transfer *transfer)
{
    struct hf_descriptor *file = transfer->file;
    bool direct = hf_descriptor_side(file) == HF_SIDE_DIRECT ||
                  (hf_setting_bool(HF_SET_FORCE_ODIRECT_MODE) &&
                   hf_descriptor_fd(file, HF_SIDE_DIRECT, transfer->op) >= 0);

    return direct && !file->direct_side_broken ? HF_SIDE_DIRECT : HF_SIDE_BUFFERED;
}

static ssize_t io(const struct hf_transfer *transfer, enum hf_side side, void *host, size_t size,
                  uint64_t offset)
{
    return transfer->op == HF_READ ? hf_io_read(transfer->file, side, host, size, offset)
                                   : hf_io_write(transfer->file, side, host, size, offset);
}

ssize_t hf_path_file_io(const struct hf_transfer *transfer, enum hf_side side, void *host,
                        size_t size, uint64_t offset)
{
    ssize_t n = io(transfer, side, host, size, offset);
    ssize_t again;

    if (side == HF_SIDE_BUFFERED || (n != -EINVAL && n != -EFAULT))
        return n;
    again = io(transfer, HF_SIDE_BUFFERED, host, size, offset);
    if (again < 0)
        return n;
    transfer->file->direct_side_broken = true;
    return again;
}
