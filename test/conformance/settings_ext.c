// SPDX-License-Identifier: MIT
/* hipFileExtGetSetting and hipFileExtGetSettingAt. */
#include <assert.h>
#include <hipfile_ext.h>
#include <stdio.h>
#include <string.h>

#include "in_child.h"

static hipFileExtSetting_t by_name(const char *name)
{
    hipFileExtSetting_t setting = {.struct_size = sizeof(setting)};

    assert(hipFileExtGetSetting(name, &setting).err == hipFileSuccess);
    return setting;
}

static void check_one(void)
{
    static const char *const names[] = {"max_direct_io_size_kb", "HIPFILE_MAX_DIRECT_IO_SIZE_KB",
                                        "properties.max_direct_io_size_kb",
                                        "PropertiesMaxDirectIOSizeKB",
                                        "hipFileParamPropertiesMaxDirectIOSizeKB"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        hipFileExtSetting_t setting = by_name(names[i]);

        assert(setting.struct_size == sizeof(setting));
        assert(setting.type == hipFileExtSettingSize);
        assert(setting.source == hipFileExtSettingFromDefault);
        assert(setting.number == 16384 && setting.default_number == 16384);
        assert(setting.minimum == 64 && setting.maximum == 2097088 && setting.multiple == 64);
        assert(strcmp(setting.name, names[0]) == 0);
        assert(strcmp(setting.unit, "KiB") == 0);
        assert(strcmp(setting.environment, names[1]) == 0);
        assert(strcmp(setting.keys, names[2]) == 0);
        assert(strcmp(setting.parameter, names[3]) == 0);
        assert(strcmp(setting.value, "16384") == 0);
        assert(strcmp(setting.default_value, "16384") == 0);
        assert(setting.origin[0] == '\0' && strlen(setting.description) > 10);
    }
}

static void check_kinds_and_sources(void)
{
    hipFileExtSetting_t setting = by_name("logging_level");

    assert(setting.type == hipFileExtSettingLevel && setting.number == 0);
    assert(setting.source == hipFileExtSettingFromEnvironment);
    assert(strcmp(setting.origin, "HIPFILE_LOGGING_LEVEL") == 0);
    assert(strcmp(setting.value, "OFF") == 0 && strcmp(setting.default_value, "WARN") == 0);

    assert(hipFileSetParameterBool(hipFileParamProfileNvtx, true).err == hipFileSuccess);
    setting = by_name("nvtx");
    assert(setting.type == hipFileExtSettingBool && setting.number == 1);
    assert(setting.source == hipFileExtSettingFromProgram);
    assert(strcmp(setting.value, "true") == 0 && setting.default_number == 0);

    setting = by_name("env_path_json");
    assert(setting.type == hipFileExtSettingPath && setting.number == 0);
    assert(strcmp(setting.value, "") == 0);
    assert(strcmp(setting.default_value, "/etc/hipfile.json") == 0);
    assert(strcmp(setting.parameter, "") == 0);
}

static void check_listing(void)
{
    hipFileExtSetting_t setting = {.struct_size = sizeof(setting)};
    unsigned count = 0, parameters = 0;

    for (; hipFileExtGetSettingAt(count, &setting).err == hipFileSuccess; count++) {
        parameters += setting.parameter[0] != '\0';
        assert(strcmp(by_name(setting.name).name, setting.name) == 0);
        assert(setting.default_number >= setting.minimum);
        assert(setting.default_number <= setting.maximum);
        assert(setting.description[0] && setting.environment[0]);
    }
    assert(count == 33 && parameters == 27);
    assert(hipFileExtGetSettingAt(~0u, &setting).err == hipFileInvalidValue);
}

/* No byte behind struct_size is written, and on failure none at all. */
static void check_sizes(void)
{
    hipFileExtSetting_t setting;
    const unsigned char *bytes = (const unsigned char *)&setting;

    for (size_t size = 0; size <= sizeof(setting); size++) {
        bool enough = size >= sizeof(size_t) + sizeof(setting.type) + sizeof(setting.source);

        memset(&setting, 0xee, sizeof(setting));
        setting.struct_size = size;
        assert((hipFileExtGetSetting("nvtx", &setting).err == hipFileSuccess) == enough);
        for (size_t i = enough ? size : sizeof(size_t); i < sizeof(setting); i++)
            assert(bytes[i] == 0xee);
        if (enough)
            assert(setting.type == hipFileExtSettingBool);
    }
}

static void check_misuse(void)
{
    hipFileExtSetting_t setting = {.struct_size = sizeof(setting)};

    assert(hipFileExtGetSetting("no_such", &setting).err == hipFileInvalidValue);
    assert(hipFileExtGetSetting("", &setting).err == hipFileInvalidValue);
    assert(hipFileExtGetSetting(NULL, &setting).err == hipFileInvalidValue);
    assert(hipFileExtGetSetting("nvtx", NULL).err == hipFileInvalidValue);
    assert(hipFileExtGetSettingAt(0, NULL).err == hipFileInvalidValue);
}

int main(void)
{
    clean_environment();
    setenv("HIPFILE_ENV_PATH_JSON", "", 1);
    setenv("HIPFILE_LOGGING_LEVEL", "OFF", 1);
    check_one();
    check_kinds_and_sources();
    check_listing();
    check_sizes();
    check_misuse();
    assert(hipFileUseCount() == 0);
    puts("settings are described by name and by number");
    return 0;
}
