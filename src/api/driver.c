// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "observe/log.h"

HIPFILE_API hipFileError_t hipFileDriverOpen(void)
{
    HF_KEEP_ERRNO;

    hf_driver_open();
    return hf_status_to_error(0);
}

HIPFILE_API hipFileError_t hipFileDriverClose(void)
{
    HF_KEEP_ERRNO;
    int err = hf_driver_close();

    if (err) {
        hf_settings_load();
        hf_warn("hipFileDriverClose: the driver is not open");
    }
    return hf_status_to_error(err);
}

HIPFILE_API int64_t hipFileUseCount(void)
{
    return hf_driver_use_count;
}

HIPFILE_API hipFileError_t hipFileGetVersion(unsigned *major, unsigned *minor, unsigned *patch)
{
    if (major)
        *major = HIPFILE_VERSION_MAJOR;
    if (minor)
        *minor = HIPFILE_VERSION_MINOR;
    if (patch)
        *patch = HIPFILE_VERSION_PATCH;
    return hf_status_to_error(0);
}

HIPFILE_API const char *hipFileGetOpErrorString(hipFileOpError_t status)
{
    return hf_status_text((int)status);
}
