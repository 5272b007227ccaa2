// SPDX-License-Identifier: MIT
/* The rows of settings.def, and their values as text. */
#ifndef HF_BASE_SETTINGS_TABLE_H
#define HF_BASE_SETTINGS_TABLE_H

#include "base/settings.h"

struct hf_setting_row {
    enum hf_setting_type type;
    const char *name; /* in capitals */
    const char *parameter;
    const char *unit;
    const char *environment;
    const char *keys;
    size_t number;    /* the default; of a path: 0 */
    const char *text; /* the default of a path */
    size_t minimum, maximum, multiple;
    const char *help;
};

extern const struct hf_setting_row hf_setting_rows[HF_SETTINGS];

/* The number that a text means; for a path 0. False: it means none. */
bool hf_setting_parse(const struct hf_setting_row *row, const char *text, size_t *number);

/* 0, or the code of a number that the setting does not take. */
int hf_setting_check(const struct hf_setting_row *row, size_t number);

/* The other way round; not for paths. */
void hf_setting_format(const struct hf_setting_row *row, size_t number, char *text, size_t size);

/* "64 to 2097088, a multiple of 64", "true or false", ... */
void hf_setting_range(const struct hf_setting_row *row, char *text, size_t size);

/* Takes the next word off a list separated by blanks; returns its length, 0 at the end. */
size_t hf_next_word(const char **list, const char **word);

#endif
