// SPDX-License-Identifier: MIT
#include "base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/config.h"
#include "base/findings.h"
#include "base/settings_table.h"
#include "hipfile.h"

/* "auto": more threads on one request gained nothing, and kept those of other requests waiting;
   more in all gained nothing for two GPUs (docs/performance.md). */
#define AUTO_PARALLELISM_MAX 12
#define AUTO_THREADS_MAX     32

struct value {
    bool set;
    enum hf_source source;
    size_t number;
    char *text;   /* of a path */
    char *origin; /* the variable, or file:line */
};

#define HF_SIZE(id, parameter, unit, environment, keys, default_, ...) [HF_SET_##id] = default_,
#define HF_BOOL(id, parameter, environment, keys, default_, help)      [HF_SET_##id] = default_,
#define HF_LEVEL(id, parameter, environment, keys, default_, help)                                 \
    [HF_SET_##id] = HF_LOG_##default_,
_Atomic size_t hf_settings_in_force[HF_SETTINGS] = {
#include "base/settings.def"
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_loaded;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static atomic_uint generation;

/* Guards what follows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct value loaded[HF_SETTINGS]; /* from file and environment */
static struct value staged[HF_SETTINGS]; /* from the parameter API */
static bool is_open;                     /* staged values are in force */

static void acquire(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    pthread_atfork(acquire, release, release);
}

void hf_settings_watch_forks(void)
{
    pthread_once(&forks_once, watch_forks);
}

static void forget(struct value *value)
{
    free(value->text);
    free(value->origin);
    *value = (struct value){0};
}

/* The layer that counts for a setting; NULL: the default does. */
static const struct value *top_layer(enum hf_setting id, bool with_staged)
{
    if (with_staged && staged[id].set)
        return &staged[id];
    return loaded[id].set ? &loaded[id] : NULL;
}

static size_t number_of(enum hf_setting id, const struct value *value)
{
    return value ? value->number : hf_setting_rows[id].number;
}

static const char *text_of(enum hf_setting id, const struct value *value)
{
    return value ? value->text : hf_setting_rows[id].text;
}

static size_t auto_parallelism(size_t threads)
{
    return threads < AUTO_PARALLELISM_MAX ? threads + 1 : AUTO_PARALLELISM_MAX;
}

static size_t auto_threads(void)
{
    cpu_set_t cpus;
    size_t count;

    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        count = (size_t)CPU_COUNT(&cpus);
    else /* more CPUs than the set holds */
        count = AUTO_THREADS_MAX;
    return count < AUTO_THREADS_MAX ? count : AUTO_THREADS_MAX;
}

/* Lets the values of the layers rule, "auto" resolved. */
static void put_in_force(bool with_staged)
{
    size_t numbers[HF_SETTINGS];

    for (enum hf_setting id = 0; id < HF_SETTINGS; id++)
        numbers[id] = number_of(id, top_layer(id, with_staged));
    if (numbers[HF_SET_MAX_IO_THREADS] == 0)
        numbers[HF_SET_MAX_IO_THREADS] = auto_threads();
    if (numbers[HF_SET_MAX_REQUEST_PARALLELISM] == 0)
        numbers[HF_SET_MAX_REQUEST_PARALLELISM] = auto_parallelism(numbers[HF_SET_MAX_IO_THREADS]);
    for (enum hf_setting id = 0; id < HF_SETTINGS; id++)
        atomic_store_explicit(&hf_settings_in_force[id], numbers[id], memory_order_relaxed);
    atomic_fetch_add(&generation, 1);
}

/* ---- loading ---------------------------------------------------------------------------- */

static void reject(enum hf_setting id, const char *origin, const char *text)
{
    const struct hf_setting_row *row = &hf_setting_rows[id];
    char range[96], kept[64];

    hf_setting_range(row, range, sizeof(range));
    hf_setting_format(row, number_of(id, top_layer(id, false)), kept, sizeof(kept));
    hf_finding_add(HF_LOG_WARN, "%s=%.200s: not %s%s; %s stays", origin, text,
                   row->type == HF_TYPE_SIZE ? "a number from " : "", range,
                   row->type == HF_TYPE_PATH ? "what was" : kept);
}

static void set_from_text(enum hf_setting id, enum hf_source source, const char *origin,
                          const char *text)
{
    const struct hf_setting_row *row = &hf_setting_rows[id];
    struct value value = {.set = true, .source = source};

    if (!hf_setting_parse(row, text, &value.number) || hf_setting_check(row, value.number) != 0) {
        reject(id, origin, text);
        return;
    }
    value.text = strdup(row->type == HF_TYPE_PATH ? text : "");
    value.origin = strdup(origin);
    if (!value.text || !value.origin) {
        forget(&value);
        return;
    }
    forget(&loaded[id]);
    loaded[id] = value;
}

static void set_from_environment(enum hf_setting id)
{
    const struct hf_setting_row *row = &hf_setting_rows[id];
    const char *list = row->environment, *word, *text;
    char name[64];
    size_t length;

    while ((length = hf_next_word(&list, &word)) > 0) {
        snprintf(name, sizeof(name), "%.*s", (int)length, word);
        text = row->type == HF_TYPE_PATH ? secure_getenv(name) : getenv(name);
        if (text) {
            set_from_text(id, HF_SOURCE_ENVIRONMENT, name, text);
            return;
        }
    }
}

static bool in_list(const char *name, const char *list)
{
    const char *word;
    size_t length;

    while ((length = hf_next_word(&list, &word)) > 0)
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return true;
    return false;
}

static bool set_from_file(const char *key, const char *text, const char *where)
{
    char origin[PATH_MAX + 64];

    for (enum hf_setting id = 0; id < HF_SETTINGS; id++)
        if (in_list(key, hf_setting_rows[id].keys)) {
            snprintf(origin, sizeof(origin), "%s: %s", where, key);
            set_from_text(id, HF_SOURCE_FILE, origin, text);
            return true;
        }
    return false;
}

bool hf_settings_bounce_allowed(void)
{
    return hf_setting_bool(HF_SET_ALLOW_COMPAT_MODE) || hf_setting_bool(HF_SET_FORCE_COMPAT_MODE);
}

static const char *contradiction(void)
{
    if (hf_setting_bool(HF_SET_FORCE_COMPAT_MODE) && !hf_setting_bool(HF_SET_ALLOW_COMPAT_MODE))
        return "compat mode is both forced and forbidden: it is forced";
    return NULL;
}

static void load(void)
{
    const char *path;
    bool named;

    hf_settings_watch_forks();
    acquire();
    set_from_environment(HF_SET_ENV_PATH_JSON);
    named = loaded[HF_SET_ENV_PATH_JSON].set;
    path = text_of(HF_SET_ENV_PATH_JSON, top_layer(HF_SET_ENV_PATH_JSON, false));
    hf_config_read(path, named, set_from_file);
    for (enum hf_setting id = 0; id < HF_SETTINGS; id++)
        set_from_environment(id);
    put_in_force(false);
    release();

    if (contradiction())
        hf_finding_add(HF_LOG_WARN, "%s", contradiction());
    hf_findings_report();
    atomic_store_explicit(&is_loaded, true, memory_order_release);
}

void hf_settings_load(void)
{
    if (!atomic_load_explicit(&is_loaded, memory_order_acquire))
        pthread_once(&once, load);
}

/* ---- the parameter API ------------------------------------------------------------------ */

/* All of them or none. Takes over what the values hold. */
static int stage(const enum hf_setting *ids, struct value *values, size_t count)
{
    int status = -hipFileDriverAlreadyOpen;

    acquire();
    if (!is_open) {
        for (size_t i = 0; i < count; i++) {
            forget(&staged[ids[i]]);
            staged[ids[i]] = values[i];
            values[i] = (struct value){0};
        }
        status = 0;
    }
    release();
    for (size_t i = 0; i < count; i++)
        forget(&values[i]);
    return status;
}

static int stage_number(enum hf_setting id, size_t number)
{
    struct value value = {.set = true, .source = HF_SOURCE_API, .number = number};
    int status = hf_setting_check(&hf_setting_rows[id], number);

    return status ? status : stage(&id, &value, 1);
}

int hf_setting_stage_size(enum hf_setting id, size_t number)
{
    hf_settings_load();
    if (hf_setting_rows[id].type != HF_TYPE_SIZE)
        return -hipFileInvalidValue;
    return stage_number(id, number);
}

int hf_setting_stage_bool(enum hf_setting id, bool on)
{
    hf_settings_load();
    if (hf_setting_rows[id].type != HF_TYPE_BOOL)
        return -hipFileInvalidValue;
    return stage_number(id, on);
}

int hf_setting_stage_poll_mode(bool on, size_t threshold_kb)
{
    const enum hf_setting ids[2] = {HF_SET_USE_POLL_MODE, HF_SET_POLLTHRESHOLD_SIZE_KB};
    struct value values[2] = {{.set = true, .source = HF_SOURCE_API, .number = on},
                              {.set = true, .source = HF_SOURCE_API, .number = threshold_kb}};
    int status = hf_setting_check(&hf_setting_rows[HF_SET_POLLTHRESHOLD_SIZE_KB], threshold_kb);

    hf_settings_load();
    return status ? status : stage(ids, values, 2);
}

int hf_setting_stage_string(enum hf_setting id, const char *text)
{
    const struct hf_setting_row *row = &hf_setting_rows[id];
    struct value value = {.set = true, .source = HF_SOURCE_API};

    hf_settings_load();
    if (row->type == HF_TYPE_LEVEL) {
        if (!hf_setting_parse(row, text, &value.number))
            return -hipFileInvalidValue;
        return stage_number(id, value.number);
    }
    if (row->type != HF_TYPE_PATH)
        return -hipFileInvalidValue;
    if (!hf_setting_parse(row, text, &value.number))
        return -hipFileDriverUnsupportedLimit;
    value.text = strdup(text);
    return value.text ? stage(&id, &value, 1) : -ENOMEM;
}

size_t hf_setting_next_size(enum hf_setting id)
{
    size_t number;

    hf_settings_load();
    acquire();
    number = !is_open && staged[id].set ? staged[id].number : hf_setting_size(id);
    release();
    return number;
}

static size_t copy_text(const char *from, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "%s", from);
}

size_t hf_setting_next_string(enum hf_setting id, char *text, size_t size)
{
    size_t length;

    hf_settings_load();
    if (hf_setting_rows[id].type == HF_TYPE_LEVEL)
        return copy_text(hf_level_names[hf_setting_next_size(id)], text, size);
    acquire();
    length = copy_text(text_of(id, top_layer(id, true)), text, size);
    release();
    return length;
}

void hf_settings_apply(void)
{
    bool contradicted;

    hf_settings_load();
    contradicted = contradiction();
    acquire();
    is_open = true;
    put_in_force(true);
    release();
    if (contradiction() && !contradicted)
        hf_log_finding(HF_LOG_WARN, contradiction());
}

void hf_settings_clear(void)
{
    acquire();
    is_open = false;
    for (enum hf_setting id = 0; id < HF_SETTINGS; id++)
        forget(&staged[id]);
    put_in_force(false);
    release();
}

/* ---- reading ---------------------------------------------------------------------------- */

size_t hf_setting_string(enum hf_setting id, char *text, size_t size)
{
    size_t length;

    acquire();
    length = copy_text(text_of(id, top_layer(id, is_open)), text, size);
    release();
    return length;
}

unsigned hf_settings_generation(void)
{
    return atomic_load(&generation);
}

const char *hf_source_name(enum hf_source source)
{
    static const char *const names[] = {"default", "file", "environment", "API"};

    return names[source];
}

static void describe_row(const struct hf_setting_row *row, struct hf_setting_info *info)
{
    info->type = row->type;
    copy_text(row->name, info->name, sizeof(info->name));
    for (char *c = info->name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    info->parameter = row->parameter;
    info->unit = row->unit;
    info->environment = row->environment;
    info->keys = row->keys;
    info->help = row->help;
    info->initial = row->number;
    info->minimum = row->minimum;
    info->maximum = row->maximum;
    info->multiple = row->multiple;
    if (row->type == HF_TYPE_PATH)
        copy_text(row->text, info->initial_text, sizeof(info->initial_text));
    else
        hf_setting_format(row, row->number, info->initial_text, sizeof(info->initial_text));
    hf_setting_range(row, info->range, sizeof(info->range));
}

void hf_setting_describe(enum hf_setting id, struct hf_setting_info *info)
{
    const struct hf_setting_row *row = &hf_setting_rows[id];
    const struct value *value;

    hf_settings_load();
    *info = (struct hf_setting_info){0};
    describe_row(row, info);
    acquire();
    value = top_layer(id, true);
    if (value) {
        info->source = value->source;
        copy_text(value->origin ? value->origin : "", info->origin, sizeof(info->origin));
    }
    if (row->type == HF_TYPE_PATH)
        copy_text(text_of(id, value), info->value, sizeof(info->value));
    release();
    if (row->type != HF_TYPE_PATH)
        hf_setting_format(row, hf_setting_next_size(id), info->value, sizeof(info->value));
}

enum hf_setting hf_setting_find(const char *name)
{
    const size_t prefix = strlen("hipFileParam");
    const char *parameter = strncmp(name, "hipFileParam", prefix) == 0 ? name + prefix : name;

    for (enum hf_setting id = 0; id < HF_SETTINGS; id++) {
        const struct hf_setting_row *row = &hf_setting_rows[id];

        if (strcasecmp(name, row->name) == 0 || in_list(name, row->environment) ||
            in_list(name, row->keys) ||
            (row->parameter[0] && strcmp(parameter, row->parameter) == 0))
            return id;
    }
    return HF_SETTINGS;
}
