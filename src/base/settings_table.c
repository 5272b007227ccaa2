// SPDX-License-Identifier: MIT
#include "base/settings_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hipfile.h"

const char *const hf_level_names[HF_LOG_LEVELS] = {
#define LEVEL(name) #name,
    HF_LEVELS(LEVEL)
#undef LEVEL
};

#define HF_SIZE(id_, parameter_, unit_, environment_, keys_, default_, minimum_, maximum_,         \
                multiple_, help_)                                                                  \
    [HF_SET_##id_] = {.type = HF_TYPE_SIZE,                                                        \
                      .name = #id_,                                                                \
                      .parameter = #parameter_,                                                    \
                      .unit = unit_,                                                               \
                      .environment = environment_,                                                 \
                      .keys = keys_,                                                               \
                      .number = default_,                                                          \
                      .text = "",                                                                  \
                      .minimum = minimum_,                                                         \
                      .maximum = maximum_,                                                         \
                      .multiple = multiple_,                                                       \
                      .help = help_},
#define ROW(type_, id_, parameter_, environment_, keys_, number_, text_, maximum_, help_)          \
    [HF_SET_##id_] = {.type = type_,                                                               \
                      .name = #id_,                                                                \
                      .parameter = parameter_,                                                     \
                      .unit = "",                                                                  \
                      .environment = environment_,                                                 \
                      .keys = keys_,                                                               \
                      .number = number_,                                                           \
                      .text = text_,                                                               \
                      .maximum = maximum_,                                                         \
                      .multiple = 1,                                                               \
                      .help = help_},
#define HF_BOOL(id_, parameter_, environment_, keys_, default_, help_)                             \
    ROW(HF_TYPE_BOOL, id_, #parameter_, environment_, keys_, default_, "", 1, help_)
#define HF_LEVEL(id_, parameter_, environment_, keys_, default_, help_)                            \
    ROW(HF_TYPE_LEVEL, id_, #parameter_, environment_, keys_, HF_LOG_##default_, "",               \
        HF_LOG_LEVELS - 1, help_)
#define HF_PATH(id_, parameter_, environment_, keys_, default_, help_)                             \
    ROW(HF_TYPE_PATH, id_, #parameter_, environment_, keys_, 0, default_, 0, help_)

const struct hf_setting_row hf_setting_rows[HF_SETTINGS] = {
#include "base/settings.def"
};

static bool parse_size(const char *text, size_t *number)
{
    char *end;
    unsigned long long value;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    *number = value;
    return errno == 0 && *end == '\0';
}

static bool parse_bool(const char *text, size_t *number)
{
    static const char *const words[] = {"false", "true", "0", "1", "off", "on", "no", "yes"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0) {
            *number = i % 2;
            return true;
        }
    return false;
}

static bool parse_level(const char *text, size_t *number)
{
    for (size_t i = 0; i < HF_LOG_LEVELS; i++)
        if (strcasecmp(text, hf_level_names[i]) == 0) {
            *number = i;
            return true;
        }
    return false;
}

bool hf_setting_parse(const struct hf_setting_row *row, const char *text, size_t *number)
{
    *number = 0;
    switch (row->type) {
    case HF_TYPE_SIZE:
        return parse_size(text, number);
    case HF_TYPE_BOOL:
        return parse_bool(text, number);
    case HF_TYPE_LEVEL:
        return parse_level(text, number);
    case HF_TYPE_PATH:
        return strlen(text) < PATH_MAX;
    }
    return false;
}

int hf_setting_check(const struct hf_setting_row *row, size_t number)
{
    if (number < row->minimum || number > row->maximum)
        return -hipFileDriverUnsupportedLimit;
    if (number % row->multiple != 0)
        return -hipFileDriverInvalidProps;
    return 0;
}

void hf_setting_format(const struct hf_setting_row *row, size_t number, char *text, size_t size)
{
    if (row->type == HF_TYPE_BOOL)
        snprintf(text, size, "%s", number ? "true" : "false");
    else if (row->type == HF_TYPE_LEVEL)
        snprintf(text, size, "%s", hf_level_names[number]);
    else
        snprintf(text, size, "%zu", number);
}

static void list_levels(char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "one of");

    for (size_t i = 0; i < HF_LOG_LEVELS && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, " %s", hf_level_names[i]);
}

void hf_setting_range(const struct hf_setting_row *row, char *text, size_t size)
{
    switch (row->type) {
    case HF_TYPE_SIZE:
        if (row->multiple > 1)
            snprintf(text, size, "%zu to %zu, a multiple of %zu", row->minimum, row->maximum,
                     row->multiple);
        else
            snprintf(text, size, "%zu to %zu", row->minimum, row->maximum);
        break;
    case HF_TYPE_BOOL:
        snprintf(text, size, "true or false");
        break;
    case HF_TYPE_LEVEL:
        list_levels(text, size);
        break;
    case HF_TYPE_PATH:
        snprintf(text, size, "a path");
        break;
    }
}

size_t hf_next_word(const char **list, const char **word)
{
    size_t length;

    *word = *list + strspn(*list, " ");
    length = strcspn(*word, " ");
    *list = *word + length;
    return length;
}
