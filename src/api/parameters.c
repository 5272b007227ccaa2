// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include <string.h>

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/settings_table.h"
#include "base/status.h"
#include "observe/log.h"

#define HF_PARAMETERS_ONLY
#define MAP(id, parameter, ...) [hipFileParam##parameter] = HF_SET_##id,

#define HF_SIZE MAP
static const enum hf_setting sizes[] = {
#include "base/settings.def"
};

#define HF_BOOL MAP
static const enum hf_setting bools[] = {
#include "base/settings.def"
};

#define HF_LEVEL MAP
#define HF_PATH  MAP
static const enum hf_setting strings[] = {
#include "base/settings.def"
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
_Static_assert(COUNT(sizes) == 12 && COUNT(bools) == 12 && COUNT(strings) == 3,
               "each parameter has its setting");

/* The setting of a parameter, HF_SETTINGS if there is none: programs pass any number. */
#define SETTING(list, parameter)                                                                   \
    ((size_t)(parameter) < COUNT(list) ? (list)[(size_t)(parameter)] : HF_SETTINGS)

/* Says what was wrong. */
static hipFileError_t result(const char *function, enum hf_setting id, int status)
{
    if (status)
        hf_warn("%s: %s: %s", function,
                id < HF_SETTINGS ? hf_setting_rows[id].name : "no such parameter",
                hf_status_describe(status));
    return hf_status_to_error(status);
}

HIPFILE_API hipFileError_t hipFileGetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t *value)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(sizes, param);

    hf_settings_load();
    if (id == HF_SETTINGS || !value)
        return result(__func__, id, -hipFileInvalidValue);
    *value = hf_setting_next_size(id);
    return hf_status_to_error(0);
}

HIPFILE_API hipFileError_t hipFileGetParameterBool(hipFileBoolConfigParameter_t param, bool *value)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(bools, param);

    hf_settings_load();
    if (id == HF_SETTINGS || !value)
        return result(__func__, id, -hipFileInvalidValue);
    *value = hf_setting_next_size(id) != 0;
    return hf_status_to_error(0);
}

HIPFILE_API hipFileError_t hipFileGetParameterString(hipFileStringConfigParameter_t param,
                                                     char *desc_str, int len)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(strings, param);
    char text[PATH_MAX];
    size_t length;

    hf_settings_load();
    if (id == HF_SETTINGS || !desc_str || len <= 0)
        return result(__func__, id, -hipFileInvalidValue);
    length = hf_setting_next_string(id, text, sizeof(text));
    if (length >= (size_t)len)
        return result(__func__, id, -hipFileInvalidValue);
    memcpy(desc_str, text, length + 1);
    return hf_status_to_error(0);
}

HIPFILE_API hipFileError_t hipFileSetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t value)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(sizes, param);

    hf_settings_load();
    return result(__func__, id,
                  id < HF_SETTINGS ? hf_setting_stage_size(id, value) : -hipFileInvalidValue);
}

HIPFILE_API hipFileError_t hipFileSetParameterBool(hipFileBoolConfigParameter_t param, bool value)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(bools, param);

    hf_settings_load();
    return result(__func__, id,
                  id < HF_SETTINGS ? hf_setting_stage_bool(id, value) : -hipFileInvalidValue);
}

HIPFILE_API hipFileError_t hipFileSetParameterString(hipFileStringConfigParameter_t param,
                                                     const char *desc_str)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = SETTING(strings, param);

    hf_settings_load();
    return result(__func__, id,
                  id < HF_SETTINGS && desc_str ? hf_setting_stage_string(id, desc_str)
                                               : -hipFileInvalidValue);
}
