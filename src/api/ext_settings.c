// SPDX-License-Identifier: MIT
#include "hipfile_ext.h"

#include <stddef.h>
#include <string.h>

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"

_Static_assert((int)HF_TYPE_PATH == hipFileExtSettingPath &&
                   (int)HF_TYPE_LEVEL == hipFileExtSettingLevel,
               "types are numbered alike");
_Static_assert((int)HF_SOURCE_API == hipFileExtSettingFromProgram &&
                   (int)HF_SOURCE_ENVIRONMENT == hipFileExtSettingFromEnvironment,
               "sources are numbered alike");

static void copy_cut(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

static hipFileError_t describe(enum hf_setting id, hipFileExtSetting_t *out)
{
    hipFileExtSetting_t setting = {.struct_size = out->struct_size};
    size_t known = out->struct_size < sizeof setting ? out->struct_size : sizeof setting;
    struct hf_setting_info info;

    hf_setting_describe(id, &info);
    setting.type = (hipFileExtSettingType_t)info.type;
    setting.source = (hipFileExtSettingSource_t)info.source;
    setting.number = hf_setting_next_size(id);
    setting.default_number = info.initial;
    setting.minimum = info.minimum;
    setting.maximum = info.maximum;
    setting.multiple = info.multiple;
    setting.unit = info.unit;
    setting.environment = info.environment;
    setting.keys = info.keys;
    setting.parameter = info.parameter;
    setting.description = info.help;
    copy_cut(setting.value, sizeof setting.value, info.value);
    copy_cut(setting.default_value, sizeof setting.default_value, info.initial_text);
    copy_cut(setting.origin, sizeof setting.origin, info.origin);
    copy_cut(setting.name, sizeof setting.name, info.name);
    memcpy(out, &setting, known);
    return hf_status_to_error(0);
}

static bool is_usable(const hipFileExtSetting_t *setting)
{
    return setting && setting->struct_size >= offsetof(hipFileExtSetting_t, number);
}

HIPFILE_API hipFileError_t hipFileExtGetSetting(const char *name, hipFileExtSetting_t *setting)
{
    HF_KEEP_ERRNO;
    enum hf_setting id = name ? hf_setting_find(name) : HF_SETTINGS;

    if (id == HF_SETTINGS || !is_usable(setting))
        return hf_status_to_error(-hipFileInvalidValue);
    return describe(id, setting);
}

HIPFILE_API hipFileError_t hipFileExtGetSettingAt(unsigned index, hipFileExtSetting_t *setting)
{
    HF_KEEP_ERRNO;

    if (index >= HF_SETTINGS || !is_usable(setting))
        return hf_status_to_error(-hipFileInvalidValue);
    return describe((enum hf_setting)index, setting);
}
