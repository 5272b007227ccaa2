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

HIPFILE_API hipFileError_t hipFileGetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t *value)
{
    (void)param;
    return refuse("hipFileGetParameterSizeT", value != NULL);
}

HIPFILE_API hipFileError_t hipFileGetParameterBool(hipFileBoolConfigParameter_t param, bool *value)
{
    (void)param;
    return refuse("hipFileGetParameterBool", value != NULL);
}

HIPFILE_API hipFileError_t hipFileGetParameterString(hipFileStringConfigParameter_t param,
                                                     char *desc_str, int len)
{
    (void)param;
    return refuse("hipFileGetParameterString", desc_str && len > 0);
}

HIPFILE_API hipFileError_t hipFileSetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t value)
{
    (void)param;
    (void)value;
    return refuse("hipFileSetParameterSizeT", true);
}

HIPFILE_API hipFileError_t hipFileSetParameterBool(hipFileBoolConfigParameter_t param, bool value)
{
    (void)param;
    (void)value;
    return refuse("hipFileSetParameterBool", true);
}

HIPFILE_API hipFileError_t hipFileSetParameterString(hipFileStringConfigParameter_t param,
                                                     const char *desc_str)
{
    (void)param;
    return refuse("hipFileSetParameterString", desc_str != NULL);
}
