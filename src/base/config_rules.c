// SPDX-License-Identifier: MIT
#include "base/config_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/findings.h"
#include "base/settings_table.h"

/* More than anyone writes by hand. */
#define RULES_MAX 256

enum deny_kind { DENY_DEVICE, DENY_MOUNT, DENY_FILE_SYSTEM, DENY_DRIVER, DENY_KINDS };

static const char *const deny_keys[DENY_KINDS] = {
    [DENY_DEVICE] = "denylist.devices",
    [DENY_MOUNT] = "denylist.mounts",
    [DENY_FILE_SYSTEM] = "denylist.filesystems",
    [DENY_DRIVER] = "denylist.drivers",
};

struct deny {
    enum deny_kind kind;
    char *text;
};

enum choice { UNSAID, NO, YES };

struct override {
    char *path, *fs_type; /* where it applies; NULL: anywhere */
    enum choice allow_direct, force_compat;
    size_t direct_read_size_kb, direct_write_size_kb;
    char *where; /* of the first member */
};

/* Written while the settings load, only read after that. */
static struct deny denials[RULES_MAX];
static struct override overrides[RULES_MAX];
static size_t deny_count, override_count;

static void forget_override(struct override *override)
{
    free(override->path);
    free(override->fs_type);
    free(override->where);
    *override = (struct override){0};
}

void hf_config_rules_clear(void)
{
    while (deny_count > 0)
        free(denials[--deny_count].text);
    while (override_count > 0)
        forget_override(&overrides[--override_count]);
}

/* ---- taking ----------------------------------------------------------------------------- */

/* A copy without slashes at the end; "/" stays. */
static char *copy_path(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

static bool take_denial(const char *key, const char *text, const char *where)
{
    for (enum deny_kind kind = 0; kind < DENY_KINDS; kind++) {
        struct deny denial = {.kind = kind};

        if (strcmp(key, deny_keys[kind]) != 0)
            continue;
        if (!text || !*text || strcmp(text, "null") == 0)
            hf_finding_add(HF_LOG_WARN, "%s: %s: a name is expected", where, key);
        else if (deny_count == RULES_MAX)
            hf_finding_add(HF_LOG_WARN, "%s: more than %d entries in denylist", where, RULES_MAX);
        else if ((denial.text = copy_path(text)) != NULL)
            denials[deny_count++] = denial;
        return true;
    }
    return false;
}

static void begin_override(const char *where)
{
    if (override_count == RULES_MAX) {
        hf_finding_add(HF_LOG_WARN, "%s: more than %d overrides", where, RULES_MAX);
        return;
    }
    overrides[override_count++] = (struct override){0};
}

/* Values are written and limited as those of the setting that they override. */
static bool take_number(enum hf_setting like, const char *text, size_t *field)
{
    const struct hf_setting_row *row = &hf_setting_rows[like];
    size_t number;

    if (!hf_setting_parse(row, text, &number) || hf_setting_check(row, number) != 0)
        return false;
    *field = number;
    return true;
}

static bool take_choice(const char *text, enum choice *choice)
{
    size_t number;

    if (!take_number(HF_SET_FORCE_COMPAT_MODE, text, &number))
        return false;
    *choice = number ? YES : NO;
    return true;
}

static bool take_copy(char *copy, char **field)
{
    free(*field);
    *field = copy;
    return true;
}

/* False: no such member, or no such value. */
static bool take_member(struct override *override, const char *member, const char *text,
                        const char *where)
{
    if (!override->where)
        override->where = strdup(where);
    if (strcmp(member, "path") == 0)
        return text[0] == '/' && take_copy(copy_path(text), &override->path);
    if (strcmp(member, "fs_type") == 0)
        return text[0] && take_copy(strdup(text), &override->fs_type);
    if (strcmp(member, "allow_direct") == 0)
        return take_choice(text, &override->allow_direct);
    if (strcmp(member, "force_compat") == 0)
        return take_choice(text, &override->force_compat);
    if (strcmp(member, "direct_read_size_kb") == 0)
        return take_number(HF_SET_MAX_DIRECT_IO_SIZE_KB, text, &override->direct_read_size_kb);
    if (strcmp(member, "direct_write_size_kb") == 0)
        return take_number(HF_SET_MAX_DIRECT_IO_SIZE_KB, text, &override->direct_write_size_kb);
    return false;
}

bool hf_config_rule_take(const char *key, const char *text, const char *where)
{
    const size_t length = strlen("overrides");

    if (take_denial(key, text, where))
        return true;
    if (strncmp(key, "overrides", length) != 0 || (key[length] && key[length] != '.'))
        return false;
    if (!key[length] && !text)
        begin_override(where);
    else if (!key[length] || override_count == 0)
        hf_finding_add(HF_LOG_WARN, "%s: overrides is a list of objects", where);
    else if (!text || !take_member(&overrides[override_count - 1], key + length + 1, text, where))
        hf_finding_add(HF_LOG_WARN, "%s: %s=%.200s: unknown key or value; left out", where, key,
                       text ? text : "{}");
    return true;
}

void hf_config_rules_check(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < override_count; i++) {
        if (overrides[i].path || overrides[i].fs_type) {
            overrides[kept++] = overrides[i];
            continue;
        }
        hf_finding_add(HF_LOG_WARN, "%s: an override needs a path or an fs_type; left out",
                       overrides[i].where ? overrides[i].where : "overrides");
        forget_override(&overrides[i]);
    }
    override_count = kept;
}

/* ---- asking ----------------------------------------------------------------------------- */

static bool is_under(const char *path, const char *folder)
{
    const size_t length = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return path[0] == '/';
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* "nvme0n1" and "/dev/nvme0n1" name the device and its partitions nvme0n1p1, ...; "sda" sda1. */
static bool is_on(const char *device, const char *name)
{
    const char *slash = strrchr(name, '/'), *rest;
    size_t length;

    name = slash ? slash + 1 : name;
    length = strlen(name);
    if (length == 0 || strncmp(device, name, length) != 0)
        return false;
    rest = device + length;
    if (*rest == '\0')
        return true;
    if (isdigit((unsigned char)name[length - 1]) && *rest++ != 'p')
        return false;
    return *rest && rest[strspn(rest, "0123456789")] == '\0';
}

static void override_rule(const struct override *override, struct hf_config_rule *rule)
{
    if (override->allow_direct != UNSAID)
        rule->direct = override->allow_direct == YES ? HF_RULE_ALLOWED : HF_RULE_DENIED;
    if (override->force_compat != UNSAID)
        rule->force_compat = override->force_compat == YES;
    if (override->direct_read_size_kb)
        rule->direct_read_size_kb = override->direct_read_size_kb;
    if (override->direct_write_size_kb)
        rule->direct_write_size_kb = override->direct_write_size_kb;
}

void hf_config_rule(const char *path, const char *fs_type, const char *device, const char *driver,
                    struct hf_config_rule *rule)
{
    *rule = (struct hf_config_rule){0};
    for (size_t i = 0; i < override_count; i++)
        if ((!overrides[i].path || is_under(path, overrides[i].path)) &&
            (!overrides[i].fs_type || strcmp(fs_type, overrides[i].fs_type) == 0))
            override_rule(&overrides[i], rule);
    for (size_t i = 0; i < deny_count; i++) {
        const char *text = denials[i].text;
        enum deny_kind kind = denials[i].kind;

        if ((kind == DENY_DEVICE && is_on(device, text)) ||
            (kind == DENY_MOUNT && is_under(path, text)) ||
            (kind == DENY_FILE_SYSTEM && strcmp(fs_type, text) == 0) ||
            (kind == DENY_DRIVER && strcmp(driver, text) == 0))
            rule->direct = HF_RULE_DENIED;
    }
}
