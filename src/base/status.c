// SPDX-License-Identifier: MIT
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HF_STATUS_TEXTS(X)                                                                         \
    X(hipFileSuccess, "Success")                                                                   \
    X(hipFileDriverNotInitialized, "The hipFile driver is not open")                               \
    X(hipFileDriverInvalidProps, "A driver property is not valid")                                 \
    X(hipFileDriverUnsupportedLimit, "A driver limit is out of its range")                         \
    X(hipFileDriverVersionMismatch, "The HIP runtime is too old for hipFile")                      \
    X(hipFileDriverVersionReadError, "The HIP runtime's version cannot be read")                   \
    X(hipFileDriverClosing, "The hipFile driver is closed or closing")                             \
    X(hipFilePlatformNotSupported, "No usable HIP runtime or GPU on this machine")                 \
    X(hipFileIONotSupported, "No path is allowed for this kind of I/O")                            \
    X(hipFileDeviceNotSupported, "The GPU is not supported")                                       \
    X(hipFileDriverError, "The file driver in the kernel reported an error")                       \
    X(hipFileHipDriverError, "The HIP runtime reported an error")                                  \
    X(hipFileHipPointerInvalid, "The pointer is not valid for HIP")                                \
    X(hipFileHipMemoryTypeInvalid, "This type of memory is not supported")                         \
    X(hipFileHipPointerRangeError, "The range reaches beyond its allocation")                      \
    X(hipFileHipContextMismatch, "The memory belongs to another HIP context")                      \
    X(hipFileInvalidMappingSize, "The mapping size is not valid")                                  \
    X(hipFileInvalidMappingRange, "The mapping range is not valid")                                \
    X(hipFileInvalidFileType, "This type of file is not supported")                                \
    X(hipFileInvalidFileOpenFlag, "The file was opened with flags that are not supported")         \
    X(hipFileDIONotSet, "The file was not opened with O_DIRECT")                                   \
    X(hipFileInvalidValue, "An argument is not valid")                                             \
    X(hipFileMemoryAlreadyRegistered, "This memory is already registered")                         \
    X(hipFileMemoryNotRegistered, "This memory is not registered")                                 \
    X(hipFilePermissionDenied, "Permission denied")                                                \
    X(hipFileDriverAlreadyOpen, "The hipFile driver is already open")                              \
    X(hipFileHandleNotRegistered, "The file handle is not registered")                             \
    X(hipFileHandleAlreadyRegistered, "This file descriptor is already registered")                \
    X(hipFileDeviceNotFound, "The GPU was not found")                                              \
    X(hipFileInternalError, "Internal error")                                                      \
    X(hipFileGetNewFDFailed, "No further file descriptor could be had")                            \
    X(hipFileDriverSetupError, "The hipFile driver could not be set up")                           \
    X(hipFileIODisabled, "I/O on this file is disabled by the configuration")                      \
    X(hipFileBatchSubmitFailed, "The batch could not be submitted")                                \
    X(hipFileGPUMemoryPinningFailed, "The GPU memory could not be pinned")                         \
    X(hipFileBatchFull, "The batch is full")                                                       \
    X(hipFileAsyncNotSupported, "Asynchronous I/O is not possible on this stream")                 \
    X(hipFileIOMaxError, "One past the last hipFile error code")

static _Thread_local hipError_t last_hip_error = hipSuccess;

const char *hf_status_text(int code)
{
    switch (code) {
#define TEXT(name, text)                                                                           \
    case name:                                                                                     \
        return text;
        HF_STATUS_TEXTS(TEXT)
#undef TEXT
    default:
        return "Unknown hipFile error code";
    }
}

const char *hf_status_describe(ssize_t status)
{
    static _Thread_local char text[96];

    if (hf_status_is_hip(status))
        snprintf(text, sizeof text, "HIP error %d", (int)-status - HF_STATUS_HIP_BASE);
    else if (hf_status_is_errno(status))
        snprintf(text, sizeof text, "%s", strerrordesc_np((int)-status));
    else if (status < 0)
        snprintf(text, sizeof text, "%s (%d)", hf_status_text((int)-status), (int)-status);
    else
        snprintf(text, sizeof text, "%zd bytes", status);
    return text;
}

static hipFileOpError_t code_of_errno(int error)
{
    switch (error) {
    case EMFILE:
    case ENFILE:
        return hipFileGetNewFDFailed;
    case EACCES:
    case EPERM:
        return hipFilePermissionDenied;
    case EINVAL:
        return hipFileInvalidValue;
    default:
        return hipFileInternalError;
    }
}

static hipError_t keep_hip_error(ssize_t status)
{
    last_hip_error = (hipError_t)(-status - HF_STATUS_HIP_BASE);
    return last_hip_error;
}

hipFileError_t hf_status_to_error(int status)
{
    hipFileError_t error = {hipFileSuccess, hipSuccess};

    if (status >= 0)
        return error;
    if (hf_status_is_hip(status)) {
        error.err = hipFileHipDriverError;
        error.hip_drv_err = keep_hip_error(status);
    } else if (hf_status_is_errno(status)) {
        error.err = code_of_errno(-status);
    } else {
        error.err = (hipFileOpError_t)-status;
    }
    return error;
}

ssize_t hf_status_to_result(ssize_t status)
{
    if (hf_status_is_errno(status)) {
        errno = (int)-status;
        return -1;
    }
    return hf_status_to_completion(status);
}

ssize_t hf_status_to_completion(ssize_t status)
{
    if (hf_status_is_hip(status)) {
        keep_hip_error(status);
        return -hipFileHipDriverError;
    }
    return status == -EPERM ? -hipFilePermissionDenied : status;
}

hipError_t hf_status_last_hip_error(void)
{
    return last_hip_error;
}
