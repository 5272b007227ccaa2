// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/files.h"
#include "observe/log.h"

static hipFileError_t refuse(const char *function, int status)
{
    hf_warn("%s: %s", function, hf_status_text(-status));
    return hf_status_to_error(status);
}

static hipFileError_t submit(const char *function, hipFileHandle_t fh, const void *buffer_base,
                             const size_t *size_p, const hoff_t *file_offset_p,
                             const hoff_t *buffer_offset_p, const ssize_t *bytes_p)
{
    bool was_open = hf_driver_is_open();
    struct hf_file *file;

    hf_driver_open_implicitly();
    if (!was_open || !buffer_base || !size_p || !file_offset_p || !buffer_offset_p || !bytes_p)
        return refuse(function, -hipFileInvalidValue);
    file = hf_file_get(fh);
    if (!file)
        return refuse(function, -hipFileHandleNotRegistered);
    hf_file_put(file);
    return refuse(function, -hipFileAsyncNotSupported);
}

HIPFILE_API hipFileError_t hipFileReadAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                            hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                            ssize_t *bytes_read_p, hipStream_t stream)
{
    (void)stream;
    return submit("hipFileReadAsync", fh, buffer_base, size_p, file_offset_p, buffer_offset_p,
                  bytes_read_p);
}

HIPFILE_API hipFileError_t hipFileWriteAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                             hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                             ssize_t *bytes_written_p, hipStream_t stream)
{
    (void)stream;
    return submit("hipFileWriteAsync", fh, buffer_base, size_p, file_offset_p, buffer_offset_p,
                  bytes_written_p);
}

HIPFILE_API hipFileError_t hipFileStreamRegister(hipStream_t stream, unsigned flags)
{
    (void)stream;
    hf_settings_load();
    if (flags & ~HIPFILE_STREAM_FLAGS_MASK)
        return refuse("hipFileStreamRegister", -hipFileInvalidValue);
    return refuse("hipFileStreamRegister", -hipFileAsyncNotSupported);
}

HIPFILE_API hipFileError_t hipFileStreamDeregister(hipStream_t stream)
{
    (void)stream;
    hf_settings_load();
    return refuse("hipFileStreamDeregister", -hipFileInvalidValue);
}
