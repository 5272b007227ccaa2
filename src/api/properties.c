// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "base/settings.h"
#include "base/status.h"
#include "observe/log.h"

static hipFileError_t refuse(const char *function, bool valid)
{
    hf_settings_load();
    hf_warn("%s: %s", function, valid ? "not available yet" : "an argument is not valid");
    return hf_status_to_error(valid ? -hipFileInternalError : -hipFileInvalidValue);
}

HIPFILE_API hipFileError_t hipFileDriverGetProperties(hipFileDriverProps_t *props)
{
    return refuse("hipFileDriverGetProperties", props != NULL);
}

HIPFILE_API hipFileError_t hipFileDriverSetPollMode(bool poll, size_t poll_threshold_size)
{
    (void)poll;
    (void)poll_threshold_size;
    return refuse("hipFileDriverSetPollMode", true);
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxDirectIOSize(size_t max_direct_io_size)
{
    (void)max_direct_io_size;
    return refuse("hipFileDriverSetMaxDirectIOSize", true);
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxCacheSize(size_t max_cache_size)
{
    (void)max_cache_size;
    return refuse("hipFileDriverSetMaxCacheSize", true);
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxPinnedMemSize(size_t max_pinned_size)
{
    (void)max_pinned_size;
    return refuse("hipFileDriverSetMaxPinnedMemSize", true);
}
