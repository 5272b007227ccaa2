// SPDX-License-Identifier: MIT
/*
 * Settings: defaults, then the configuration file, then the environment, then the parameter API.
 * Each layer overrides the one before it. All settings are listed in settings.def.
 */
#ifndef HF_BASE_SETTINGS_H
#define HF_BASE_SETTINGS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/level.h"

enum hf_setting {
#define HF_SIZE(id, ...)  HF_SET_##id,
#define HF_BOOL(id, ...)  HF_SET_##id,
#define HF_LEVEL(id, ...) HF_SET_##id,
#define HF_PATH(id, ...)  HF_SET_##id,
#include "base/settings.def"
    HF_SETTINGS
};

enum hf_setting_type { HF_TYPE_SIZE, HF_TYPE_BOOL, HF_TYPE_LEVEL, HF_TYPE_PATH };

enum hf_source { HF_SOURCE_DEFAULT, HF_SOURCE_FILE, HF_SOURCE_ENVIRONMENT, HF_SOURCE_API };

/* Reads file and environment, once a process. Every public function that may be a program's first
   one calls it; it costs one load when done. What it finds wrong goes to the log. */
void hf_settings_load(void);

/* The values in force. Private: use the accessors. */
extern _Atomic size_t hf_settings_in_force[HF_SETTINGS];

/* One relaxed load. "auto" is already resolved. */
static inline size_t hf_setting_size(enum hf_setting id)
{
    return atomic_load_explicit(&hf_settings_in_force[id], memory_order_relaxed);
}

static inline bool hf_setting_bool(enum hf_setting id)
{
    return hf_setting_size(id) != 0;
}

/* Copies a path setting, cut to size, and returns its full length. Takes a lock. */
size_t hf_setting_string(enum hf_setting id, char *text, size_t size);

/* Whether whole blocks may be bounced: allowed, or forced. */
bool hf_settings_bounce_allowed(void);

/*
 * The parameter API. A value is staged while the driver is closed, comes into force when it opens,
 * and is forgotten when it closes for the last time.
 *
 * 0, or: -hipFileDriverAlreadyOpen; -hipFileDriverUnsupportedLimit, out of range or too long;
 * -hipFileDriverInvalidProps, not a multiple; -hipFileInvalidValue, no such level, or a setting of
 * another type; -ENOMEM.
 */
int hf_setting_stage_size(enum hf_setting id, size_t value);
int hf_setting_stage_bool(enum hf_setting id, bool value);
int hf_setting_stage_string(enum hf_setting id, const char *value);
int hf_setting_stage_poll_mode(bool on, size_t threshold_kb); /* both or neither */

/* What the parameter API reads back: the value in force, or while closed the staged one. */
size_t hf_setting_next_size(enum hf_setting id);
size_t hf_setting_next_string(enum hf_setting id, char *text, size_t size);

/* At the driver's first open and last close. A forked child clears too. */
void hf_settings_apply(void);
void hf_settings_clear(void);

/* Grows whenever values come into force, so that a user of strings knows when to read again. */
unsigned hf_settings_generation(void);

/* Makes a fork wait for the settings' lock. For modules that take it while they hold their own:
   they call this before their own pthread_atfork. */
void hf_settings_watch_forks(void);

/* Everything about one setting, for tools and range queries. */
struct hf_setting_info {
    enum hf_setting_type type;
    char name[48];         /* "max_io_threads" */
    const char *parameter; /* "ExecutionMaxIOThreads", or "" */
    const char *unit;
    const char *environment; /* names separated by blanks */
    const char *keys;        /* likewise */
    const char *help;
    size_t initial, minimum, maximum, multiple; /* as numbers; for a path 0 */
    char initial_text[64];
    char range[96]; /* for people */
    char value[PATH_MAX];
    enum hf_source source;
    char origin[PATH_MAX + 64]; /* the variable, or file:line: key; else "" */
};

void hf_setting_describe(enum hf_setting id, struct hf_setting_info *info);

/* "default", "file", "environment", "API". */
const char *hf_source_name(enum hf_source source);

/* The setting with this name, parameter (with or without hipFileParam), environment variable or
   configuration key; HF_SETTINGS if there is none. */
enum hf_setting hf_setting_find(const char *name);

#endif
