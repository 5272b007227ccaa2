// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include <errno.h>

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/transfer.h"
#include "hip/device.h"
#include "observe/log.h"

struct call {
    enum hf_op op;
    hipFileHandle_t handle;
    const void *base;
    size_t size;
    hoff_t file_offset, buffer_offset;
    ssize_t status;
};

static uint64_t bytes_needed(const struct call *call)
{
    return call->buffer_offset < 0 ? call->size : call->size + (uint64_t)call->buffer_offset;
}

static void read_or_write(void *argument)
{
    struct call *call = argument;
    struct hf_request request;

    call->status =
        hf_request_open(&request, call->op, call->handle, call->base, bytes_needed(call));
    if (call->status)
        return;
    call->status = hf_request_check(&request, &call->size, call->file_offset, call->buffer_offset);
    if (call->status == 0 && hf_setting_bool(HF_SET_ORDER_DEFAULT_STREAM))
        call->status = hf_device_await_default_stream(request.memory.device);
    if (call->status == 0)
        call->status = hf_request_run(&request, call->size, call->file_offset, call->buffer_offset);
    hf_request_close(&request);
}

static void attempt(struct call *call)
{
    HF_KEEP_ERRNO;

    if (!hf_driver_is_open()) {
        hf_settings_load();
        hf_warn("%s: the driver is not open", call->op == HF_READ ? "hipFileRead" : "hipFileWrite");
        call->status = -EINVAL;
    } else if (hf_hip_load() == 0) {
        hf_device_isolate(read_or_write, call);
    } else {
        read_or_write(call);
    }
}

static ssize_t synchronous(struct call *call)
{
    attempt(call);
    return hf_status_to_result(call->status);
}

HIPFILE_API ssize_t hipFileRead(hipFileHandle_t fh, void *buffer_base, size_t size,
                                hoff_t file_offset, hoff_t buffer_offset)
{
    struct call call = {HF_READ, fh, buffer_base, size, file_offset, buffer_offset, 0};

    return synchronous(&call);
}

HIPFILE_API ssize_t hipFileWrite(hipFileHandle_t fh, const void *buffer_base, size_t size,
                                 hoff_t file_offset, hoff_t buffer_offset)
{
    struct call call = {HF_WRITE, fh, buffer_base, size, file_offset, buffer_offset, 0};

    return synchronous(&call);
}
