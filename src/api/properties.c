// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include <string.h>

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "hip/hip.h"
#include "observe/log.h"

static unsigned bit(unsigned number, bool on)
{
    return on ? 1u << number : 0;
}

/* The runtime is looked for only once the driver is open: asking is no reason to start a GPU. */
static bool runtime_has_file_io(void)
{
    return hf_driver_is_open() && hf_hip_load() == 0 && hf_hip.has_file_io;
}

HIPFILE_API hipFileError_t hipFileDriverGetProperties(hipFileDriverProps_t *props)
{
    HF_KEEP_ERRNO;

    hf_settings_load();
    if (!props) {
        hf_warn("%s: props is NULL", __func__);
        return hf_status_to_error(-hipFileInvalidValue);
    }
    memset(props, 0, sizeof(*props));
    props->nvfs.major_version = HIPFILE_VERSION_MAJOR;
    props->nvfs.minor_version = HIPFILE_VERSION_MINOR;
    props->nvfs.poll_thresh_size = hf_setting_next_size(HF_SET_POLLTHRESHOLD_SIZE_KB);
    props->nvfs.max_direct_io_size = hf_setting_next_size(HF_SET_MAX_DIRECT_IO_SIZE_KB);
    props->nvfs.driver_status_flags = bit(hipFileNVMeSupported, runtime_has_file_io());
    props->nvfs.driver_control_flags =
        bit(hipFileUsePollMode, hf_setting_next_size(HF_SET_USE_POLL_MODE)) |
        bit(hipFileAllowCompatMode, hf_setting_next_size(HF_SET_ALLOW_COMPAT_MODE));
    props->feature_flags =
        bit(hipFileBatchIOSupported, true) | bit(hipFileStreamsSupported, true) |
        bit(hipFileParallelIOSupported, hf_setting_next_size(HF_SET_PARALLEL_IO));
    props->max_device_cache_size = hf_setting_next_size(HF_SET_MAX_DEVICE_CACHE_SIZE_KB);
    props->per_buffer_cache_size = hf_setting_next_size(HF_SET_PER_BUFFER_CACHE_SIZE_KB);
    props->max_device_pinned_mem_size = hf_setting_next_size(HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB);
    props->max_batch_io_count = (unsigned)hf_setting_next_size(HF_SET_IO_BATCHSIZE);
    props->max_batch_io_timeout_msecs = (unsigned)hf_setting_next_size(HF_SET_BATCH_IO_TIMEOUT_MS);
    return hf_status_to_error(0);
}

static hipFileError_t result(const char *function, size_t value, int status)
{
    if (status)
        hf_warn("%s: %zu KiB: %s", function, value, hf_status_describe(status));
    return hf_status_to_error(status);
}

HIPFILE_API hipFileError_t hipFileDriverSetPollMode(bool poll, size_t poll_threshold_size)
{
    HF_KEEP_ERRNO;

    return result(__func__, poll_threshold_size,
                  hf_setting_stage_poll_mode(poll, poll_threshold_size));
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxDirectIOSize(size_t max_direct_io_size)
{
    HF_KEEP_ERRNO;

    return result(__func__, max_direct_io_size,
                  hf_setting_stage_size(HF_SET_MAX_DIRECT_IO_SIZE_KB, max_direct_io_size));
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxCacheSize(size_t max_cache_size)
{
    HF_KEEP_ERRNO;

    return result(__func__, max_cache_size,
                  hf_setting_stage_size(HF_SET_MAX_DEVICE_CACHE_SIZE_KB, max_cache_size));
}

HIPFILE_API hipFileError_t hipFileDriverSetMaxPinnedMemSize(size_t max_pinned_size)
{
    HF_KEEP_ERRNO;

    return result(__func__, max_pinned_size,
                  hf_setting_stage_size(HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB, max_pinned_size));
}
