// SPDX-License-Identifier: MIT
/* The configuration file's parser, with any bytes as the file. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/config_rules.h"
#include "base/findings.h"
#include "base/settings.h"
#include "base/settings_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that values can be read by whoever takes them. */
static bool take(const char *key, const char *text, const char *where)
{
    enum hf_setting id = hf_setting_find(key);
    size_t number;

    assert(strncmp(where, "fuzz.json:", 10) == 0 && atoi(where + 10) >= 1);
    assert(strlen(key) < 256);
    if (id == HF_SETTINGS)
        return false;
    return hf_setting_parse(&hf_setting_rows[id], text, &number) || text[0] != 'x';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool silent;
    struct hf_config_rule rule;
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (!silent) { /* findings are made, but not printed a million times */
        setenv("HIPFILE_LOGGING_LEVEL", "OFF", 1);
        setenv("HIPFILE_ENV_PATH_JSON", "", 1);
        hf_settings_load();
        silent = true;
    }
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    hf_config_rules_clear();
    hf_config_take_text("fuzz.json", text, size, take);
    hf_config_rules_check();
    hf_findings_report();
    hf_config_rule("/mnt/a/file", "ext4", "nvme0n1p1", "nvme", &rule);
    assert(rule.direct <= HF_RULE_DENIED);
    assert(rule.direct_read_size_kb % 64 == 0 && rule.direct_read_size_kb <= 2097088);
    free(text);
    return 0;
}
