// SPDX-License-Identifier: MIT
#include "core/transfer.h"

#include <errno.h>

#include "base/refs.h"
#include "base/settings.h"
#include "core/buffers.h"
#include "core/route.h"
#include "hip/hip.h"
#include "observe/log.h"

static const char *name_of(enum hf_op op)
{
    return op == HF_READ ? "read" : "write";
}

static int describe_unregistered(struct hf_request *request, uint64_t wanted)
{
    int err = hf_hip_load();

    if (err)
        return err;
    err = hf_memory_describe((const void *)request->base, wanted, &request->memory);
    if (err)
        return err;
    if (request->memory.kind != HF_MEMORY_PAGEABLE)
        return 0;
    hf_warn("%s: buffer_base %p is neither registered nor known to HIP", name_of(request->op),
            (void *)request->base);
    return -hipFileInvalidValue;
}

/* Memory may have been freed, and the address given out again, since it was registered. */
static int check_still_there(const struct hf_request *request)
{
    struct hf_memory now;
    int err = hf_memory_describe((const void *)request->base, 1, &now);

    if (err || (now.kind == request->memory.kind && now.device == request->memory.device))
        return err;
    hf_warn("%s: buffer_base %p is not the memory any more that was registered",
            name_of(request->op), (void *)request->base);
    return -hipFileInvalidValue;
}

static int find_memory(struct hf_request *request, uint64_t wanted)
{
    struct hf_buffer *buffer = hf_buffer_find((const void *)request->base);

    request->buffer = buffer;
    if (!buffer)
        return describe_unregistered(request, wanted);
    request->memory.kind = buffer->kind;
    request->memory.device = buffer->device;
    request->memory.length = buffer->base + buffer->length - request->base;
    return hf_setting_bool(HF_SET_API_CHECK_AGGRESSIVE) ? check_still_there(request) : 0;
}

int hf_request_open(struct hf_request *request, enum hf_op op, hipFileHandle_t handle,
                    const void *base, uint64_t wanted)
{
    int err;

    hf_shard_join();
    request->op = op;
    request->base = (uintptr_t)base;
    request->buffer = NULL;
    request->file = hf_file_get(handle);
    if (!request->file) {
        hf_warn("%s: handle %p is not registered", name_of(op), handle);
        return -hipFileHandleNotRegistered;
    }
    if (base) {
        err = find_memory(request, wanted);
    } else {
        hf_warn("%s: buffer_base is NULL", name_of(op));
        err = -hipFileInvalidValue;
    }
    if (err)
        hf_request_close(request);
    return err;
}

void hf_request_close(struct hf_request *request)
{
    if (request->buffer)
        hf_buffer_put(request->buffer);
    hf_file_put(request->file);
}

int hf_request_check(const struct hf_request *request, size_t *size, int64_t file_offset,
                     int64_t buffer_offset)
{
    size_t length = request->memory.length;

    if (*size > HF_REQUEST_MAX)
        *size = HF_REQUEST_MAX;
    if (file_offset < 0 || file_offset > INT64_MAX - (int64_t)*size || buffer_offset < 0) {
        hf_warn("%s: %s %lld is out of range", name_of(request->op),
                buffer_offset < 0 ? "buffer_offset" : "file_offset",
                (long long)(buffer_offset < 0 ? buffer_offset : file_offset));
        return -EINVAL;
    }
    if ((uint64_t)buffer_offset >= length || *size > length - (size_t)buffer_offset) {
        hf_warn("%s: size %zu at buffer_offset %lld exceeds the buffer's %zu bytes",
                name_of(request->op), *size, (long long)buffer_offset, length);
        return -hipFileInvalidValue;
    }
    if (hf_descriptor_check_access(&request->file->descriptor, request->op) == 0)
        return 0;
    hf_warn("%s: file %d was not opened for it", name_of(request->op), request->file->number);
    return -EBADF;
}

void hf_request_describe(const struct hf_request *request, size_t size, int64_t file_offset,
                         int64_t buffer_offset, struct hf_transfer *transfer,
                         struct hf_segment *segment)
{
    *transfer = (struct hf_transfer){
        .file = &request->file->descriptor,
        .op = request->op,
        .kind = request->memory.kind,
        .device = request->memory.device,
        .devices_refused = &request->file->devices_refused,
    };
    *segment = (struct hf_segment){
        .file_offset = (uint64_t)file_offset,
        .address = request->base + (uintptr_t)buffer_offset,
        .size = size,
    };
}

void hf_request_reach(struct hf_request *request, size_t size, int64_t buffer_offset)
{
    struct hf_memory memory;
    uint64_t end = (uint64_t)buffer_offset + size;

    if (request->buffer || buffer_offset < 0 || end <= request->memory.length)
        return;
    if (hf_memory_describe((const void *)request->base, end, &memory) == 0 &&
        memory.kind == request->memory.kind)
        request->memory = memory;
}

bool hf_request_goes_direct(const struct hf_request *request, size_t size, int64_t file_offset,
                            int64_t buffer_offset)
{
    struct hf_transfer transfer;
    struct hf_segment segment;
    struct hf_route route;
    struct hf_plan plan;

    hf_request_describe(request, size, file_offset, buffer_offset, &transfer, &segment);
    hf_plan_split(&segment, transfer.file->facts.unit, &plan);
    hf_route_choose(&transfer, &plan, &route);
    return route.path == &hf_path_direct;
}

ssize_t hf_request_run(const struct hf_request *request, size_t size, int64_t file_offset,
                       int64_t buffer_offset)
{
    struct hf_transfer transfer;
    struct hf_segment segment;

    hf_request_describe(request, size, file_offset, buffer_offset, &transfer, &segment);
    return hf_transfer_run(request->file, &transfer, &segment);
}
