// SPDX-License-Identifier: MIT
/* File <-> device memory by the runtime's own file I/O, without a copy in host memory. */
#include "path/path.h"

#include <errno.h>
#include <string.h>

#include "base/settings.h"
#include "base/status.h"
#include "hip/device.h"
#include "hip/hip.h"

/* The kernel's contract for file offset, size and device address, whatever statx says. */
#define DRIVER_ALIGNMENT 4096u

/* A name in a char array, compared without a call. */
#define IS(name, literal) (memcmp(name, literal, sizeof literal) == 0)

static enum hf_reason judge_file_system(struct hf_descriptor *file)
{
    const struct hf_storage *storage = hf_descriptor_storage(file);

    if (storage->rule.direct == HF_RULE_DENIED || storage->rule.force_compat)
        return HF_REASON_CONFIGURED;
    if (file->facts.is_block_device || storage->rule.direct == HF_RULE_ALLOWED ||
        hf_setting_bool(HF_SET_UNSUPPORTED_FILE_SYSTEMS))
        return HF_REASON_NONE;
    if (IS(storage->file_system, "xfs"))
        return HF_REASON_NONE;
    if (!IS(storage->file_system, "ext4"))
        return HF_REASON_FILE_SYSTEM;
    return storage->journal == HF_JOURNAL_ORDERED ? HF_REASON_NONE : HF_REASON_JOURNAL_MODE;
}

/* What holds for every request on this file and device comes first: a caller that forbids bounce
   I/O must learn it from a small request too. */
static enum hf_reason judge_file(const struct hf_transfer *transfer)
{
    enum hf_reason reason;

    if (hf_setting_bool(HF_SET_FORCE_COMPAT_MODE))
        return HF_REASON_COMPAT_FORCED;
    if (transfer->kind != HF_MEMORY_DEVICE)
        return HF_REASON_NOT_DEVICE_MEMORY;
    if (!hf_hip.has_file_io)
        return HF_REASON_RUNTIME_LACKS_FILE_IO;
    if (atomic_load_explicit(transfer->devices_refused, memory_order_relaxed) &
        1u << transfer->device)
        return HF_REASON_REFUSED;
    reason = judge_file_system(transfer->file);
    if (reason != HF_REASON_NONE)
        return reason;
    /* Asked as for a read: a write looks at the caller's flags when it comes to it. */
    return hf_descriptor_fd(transfer->file, HF_SIDE_DIRECT, HF_READ) < 0
               ? HF_REASON_NO_DIRECT_DESCRIPTOR
               : HF_REASON_NONE;
}

static enum hf_reason judge_segment(const struct hf_transfer *transfer,
                                    const struct hf_segment *segment)
{
    uint32_t alignment = transfer->file->facts.memory_alignment;

    if (segment->size == 0)
        return HF_REASON_BELOW_UNIT;
    if (alignment < DRIVER_ALIGNMENT)
        alignment = DRIVER_ALIGNMENT;
    return segment->address % alignment ? HF_REASON_MEMORY_ALIGNMENT : HF_REASON_NONE;
}

static enum hf_reason accepts(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    enum hf_reason reason = judge_file(transfer);

    return reason == HF_REASON_NONE ? judge_segment(transfer, segment) : reason;
}

static bool splits(const struct hf_transfer *transfer)
{
    (void)transfer;
    return true;
}

static size_t largest_call(const struct hf_transfer *transfer)
{
    const struct hf_config_rule *rule = &hf_descriptor_storage(transfer->file)->rule;
    size_t ruled = transfer->op == HF_READ ? rule->direct_read_size_kb : rule->direct_write_size_kb;

    return (ruled ? ruled : hf_setting_size(HF_SET_MAX_DIRECT_IO_SIZE_KB)) * 1024;
}

static size_t chunk(const struct hf_transfer *transfer, size_t size, unsigned workers)
{
    size_t unit = transfer->file->facts.unit;
    size_t share = hf_align_up(size / workers, unit);
    size_t largest;

    if (share <= unit)
        return unit;
    largest = largest_call(transfer);
    if (share > largest)
        share = largest;
    return share > unit ? hf_align_down(share, unit) : unit;
}

/* The file I/O is the runtime's. */
static bool single(const struct hf_transfer *transfer, const struct hf_segment *segment,
                   size_t room, struct hf_file_io *io)
{
    (void)transfer;
    (void)segment;
    (void)room;
    (void)io;
    return false;
}

/* The status, an errno of either sign, says more than the HIP error, and comes first. */
static ssize_t call_runtime(const struct hf_transfer *transfer, const struct hf_segment *part)
{
    hf_hip_file_call call =
        transfer->op == HF_READ ? hf_hip.hipAmdFileRead : hf_hip.hipAmdFileWrite;
    int fd = hf_descriptor_fd(transfer->file, HF_SIDE_DIRECT, transfer->op);
    hf_hip_file file = {.pad = {0}};
    uint64_t moved = 0;
    int32_t status = 0;
    hipError_t error;

    if (fd < 0)
        return fd;
    file.fd = fd;
    error =
        call(file, (void *)part->address, part->size, (int64_t)part->file_offset, &moved, &status);
    if (status != 0)
        return status < 0 ? status : -status;
    if (error != hipSuccess)
        return hf_status_from_hip(error);
    return (ssize_t)(moved < part->size ? moved : part->size);
}

static ssize_t move(const struct hf_transfer *transfer, const struct hf_segment *part)
{
    ssize_t n;

    do
        n = call_runtime(transfer, part);
    while (n == -EINTR);
    return n;
}

static void work(struct hf_claims *claims)
{
    const struct hf_transfer *transfer = claims->transfer;
    struct hf_device_scope scope;
    struct hf_segment part;
    int err;

    hf_hip_enter_thread();
    err = hf_device_enter(transfer->device, &scope);
    while (hf_claims_next(claims, &part)) {
        ssize_t n = err ? err : move(transfer, &part);

        if (n < (ssize_t)part.size)
            hf_claims_stop(claims, &part, n < 0 ? 0 : (size_t)n, n < 0 ? (int)n : 0);
    }
    hf_device_leave(&scope);
}

const struct hf_path hf_path_direct = {
    .name = "direct",
    .id = HF_PATH_DIRECT,
    .accepts = accepts,
    .splits = splits,
    .single = single,
    .chunk = chunk,
    .work = work,
};
