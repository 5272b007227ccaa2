// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/files.h"
#include "core/operation.h"
#include "core/stream.h"
#include "hip/device.h"
#include "observe/log.h"

struct submission {
    struct hf_operation_call call;
    int status;
};

static const char *name_of(enum hf_op op)
{
    return op == HF_READ ? "hipFileReadAsync" : "hipFileWriteAsync";
}

static hipFileError_t answer(const char *function, int status)
{
    if (status)
        hf_warn("%s: %s", function, hf_status_describe(status));
    return hf_status_to_error(status);
}

static void run(void *argument)
{
    struct submission *submission = argument;

    submission->status = hf_operation_submit(&submission->call);
}

/* hipStreamPerThread means this very thread's, so that the work cannot go to another thread to save
   the pending error. */
static void here_or_isolated(hipStream_t stream, void (*function)(void *), void *argument)
{
    struct hf_device_scope scope;

    if (stream != hipStreamPerThread) {
        hf_device_isolate(function, argument);
        return;
    }
    hf_device_enter_any(&scope);
    function(argument);
    hf_device_leave(&scope);
}

static int submit(struct submission *submission)
{
    struct hf_operation_call *call = &submission->call;

    if (hf_hip.hipGetDevice(&call->device) != hipSuccess)
        call->device = 0;
    here_or_isolated(call->stream, run, submission);
    return submission->status;
}

static bool is_handle(hipFileHandle_t handle)
{
    struct hf_file *file = hf_file_get(handle);

    if (file)
        hf_file_put(file);
    return file != NULL;
}

static hipFileError_t read_or_write(const struct hf_operation_call *call)
{
    struct submission submission = {.call = *call};
    bool was_open = hf_driver_is_open();
    int err;

    hf_driver_open_implicitly();
    if (!was_open || !call->base || !call->size || !call->file_offset || !call->buffer_offset ||
        !call->bytes)
        return answer(name_of(call->op), -hipFileInvalidValue);
    err = hf_hip_load();
    if (err)
        return answer(name_of(call->op),
                      is_handle(call->handle) ? err : -hipFileHandleNotRegistered);
    return answer(name_of(call->op), submit(&submission));
}

HIPFILE_API hipFileError_t hipFileReadAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                            hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                            ssize_t *bytes_read_p, hipStream_t stream)
{
    HF_KEEP_ERRNO;
    const struct hf_operation_call call = {
        HF_READ, fh, buffer_base, size_p, file_offset_p, buffer_offset_p, bytes_read_p, stream, 0};

    return read_or_write(&call);
}

HIPFILE_API hipFileError_t hipFileWriteAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                             hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                             ssize_t *bytes_written_p, hipStream_t stream)
{
    HF_KEEP_ERRNO;
    const struct hf_operation_call call = {
        HF_WRITE, fh, buffer_base, size_p, file_offset_p, buffer_offset_p, bytes_written_p,
        stream,   0};

    return read_or_write(&call);
}

struct registration {
    hipStream_t stream;
    unsigned flags;
    int status;
};

static void enter(void *argument)
{
    struct registration *registration = argument;

    registration->status = hf_stream_register(registration->stream, registration->flags);
}

HIPFILE_API hipFileError_t hipFileStreamRegister(hipStream_t stream, unsigned flags)
{
    HF_KEEP_ERRNO;
    struct registration registration = {stream, flags, 0};

    hf_settings_load();
    if (hf_hip_load() == 0)
        here_or_isolated(stream, enter, &registration);
    else
        enter(&registration);
    return answer("hipFileStreamRegister", registration.status);
}

HIPFILE_API hipFileError_t hipFileStreamDeregister(hipStream_t stream)
{
    HF_KEEP_ERRNO;

    hf_settings_load();
    return answer("hipFileStreamDeregister", hf_stream_deregister(stream));
}
