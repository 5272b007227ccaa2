// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config_parse.h"
#include "base/settings.h"
#include "base/settings_table.h"
#include "hipfile.h"
#include "in_child.h"

/* The settings as they are specified, written down a second time. */
static const struct expected {
    enum hf_setting id;
    enum hf_setting_type type;
    const char *parameter, *environment, *keys, *initial;
    size_t minimum, maximum, multiple;
} table[] = {
#define SIZE HF_TYPE_SIZE
#define BOOL HF_TYPE_BOOL
    {HF_SET_PROFILE_STATS, SIZE, "ProfileStats", "HIPFILE_STATS_LEVEL",
     "profile.cufile_stats profile.hipfile_stats", "1", 0, 3, 1},
    {HF_SET_MAX_IO_QUEUE_DEPTH, SIZE, "ExecutionMaxIOQueueDepth", "HIPFILE_MAX_IO_QUEUE_DEPTH",
     "execution.max_io_queue_depth", "128", 1, 4096, 1},
    {HF_SET_MAX_IO_THREADS, SIZE, "ExecutionMaxIOThreads", "HIPFILE_MAX_IO_THREADS",
     "execution.max_io_threads", "0", 0, 1024, 1},
    {HF_SET_MIN_IO_THRESHOLD_KB, SIZE, "ExecutionMinIOThresholdSizeKB",
     "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB", "execution.min_io_threshold_size_kb", NULL, 4, 1048576, 1},
    {HF_SET_MAX_REQUEST_PARALLELISM, SIZE, "ExecutionMaxRequestParallelism",
     "HIPFILE_MAX_REQUEST_PARALLELISM", "execution.max_request_parallelism", "0", 0, 1024, 1},
    {HF_SET_MAX_DIRECT_IO_SIZE_KB, SIZE, "PropertiesMaxDirectIOSizeKB",
     "HIPFILE_MAX_DIRECT_IO_SIZE_KB", "properties.max_direct_io_size_kb", "16384", 64, 2097088, 64},
    {HF_SET_MAX_DEVICE_CACHE_SIZE_KB, SIZE, "PropertiesMaxDeviceCacheSizeKB",
     "HIPFILE_MAX_DEVICE_CACHE_SIZE_KB", "properties.max_device_cache_size_kb", "131072", 256,
     67108864, 4},
    {HF_SET_PER_BUFFER_CACHE_SIZE_KB, SIZE, "PropertiesPerBufferCacheSizeKB",
     "HIPFILE_PER_BUFFER_CACHE_SIZE_KB", "properties.per_buffer_cache_size_kb", "2048", 64, 1048576,
     4},
    {HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB, SIZE, "PropertiesMaxDevicePinnedMemSizeKB",
     "HIPFILE_MAX_DEVICE_PINNED_MEM_SIZE_KB", "properties.max_device_pinned_mem_size_kb",
     "33554432", 4, (size_t)1 << 40, 4},
    {HF_SET_IO_BATCHSIZE, SIZE, "PropertiesIOBatchsize", "HIPFILE_IO_BATCHSIZE",
     "properties.io_batchsize", "128", 1, 4096, 1},
    {HF_SET_POLLTHRESHOLD_SIZE_KB, SIZE, "PollthresholdSizeKB", "HIPFILE_POLLTHRESHOLD_SIZE_KB",
     "properties.poll_mode_max_size_kb", "4", 0, 1048576, 4},
    {HF_SET_BATCH_IO_TIMEOUT_MS, SIZE, "PropertiesBatchIOTimeoutMs", "HIPFILE_BATCH_IO_TIMEOUT_MS",
     "properties.batch_io_timeout_ms", "0", 0, 86400000, 1},
    {HF_SET_USE_POLL_MODE, BOOL, "PropertiesUsePollMode", "HIPFILE_USE_POLL_MODE",
     "properties.use_poll_mode", "false", 0, 1, 1},
    {HF_SET_ALLOW_COMPAT_MODE, BOOL, "PropertiesAllowCompatMode", "HIPFILE_ALLOW_COMPAT_MODE",
     "properties.allow_compat_mode", "true", 0, 1, 1},
    {HF_SET_FORCE_COMPAT_MODE, BOOL, "ForceCompatMode", "HIPFILE_FORCE_COMPAT_MODE",
     "properties.force_compat_mode", "false", 0, 1, 1},
    {HF_SET_API_CHECK_AGGRESSIVE, BOOL, "FsMiscApiCheckAggressive", "HIPFILE_API_CHECK_AGGRESSIVE",
     "miscellaneous.api_check_aggressive", "false", 0, 1, 1},
    {HF_SET_PARALLEL_IO, BOOL, "ExecutionParallelIO", "HIPFILE_PARALLEL_IO",
     "execution.parallel_io", "true", 0, 1, 1},
    {HF_SET_NVTX, BOOL, "ProfileNvtx", "HIPFILE_NVTX", "profile.nvtx", "false", 0, 1, 1},
    {HF_SET_ALLOW_SYSTEM_MEMORY, BOOL, "PropertiesAllowSystemMemory",
     "HIPFILE_ALLOW_SYSTEM_MEMORY HIPFILE_HOST", "properties.allow_system_memory", "true", 0, 1, 1},
    {HF_SET_USE_PCI_P2PDMA, BOOL, "UsePcip2pdma", "HIPFILE_USE_PCI_P2PDMA",
     "properties.use_pci_p2pdma", "false", 0, 1, 1},
    {HF_SET_PREFER_IO_URING, BOOL, "PreferIOUring", "HIPFILE_PREFER_IO_URING",
     "properties.prefer_io_uring", "true", 0, 1, 1},
    {HF_SET_FORCE_ODIRECT_MODE, BOOL, "ForceOdirectMode", "HIPFILE_FORCE_ODIRECT_MODE",
     "properties.force_odirect_mode", "false", 0, 1, 1},
    {HF_SET_SKIP_TOPOLOGY_DETECTION, BOOL, "SkipTopologyDetection",
     "HIPFILE_SKIP_TOPOLOGY_DETECTION", "properties.skip_topology_detection", "false", 0, 1, 1},
    {HF_SET_STREAM_MEMOPS_BYPASS, BOOL, "StreamMemopsBypass", "HIPFILE_STREAM_MEMOPS_BYPASS",
     "properties.stream_memops_bypass", "false", 0, 1, 1},
    {HF_SET_LOGGING_LEVEL, HF_TYPE_LEVEL, "LoggingLevel", "HIPFILE_LOGGING_LEVEL", "logging.level",
     "WARN", 0, 6, 1},
    {HF_SET_LOGFILE_PATH, HF_TYPE_PATH, "EnvLogfilePath", "HIPFILE_LOGFILE_PATH", "", "", 0, 0, 1},
    {HF_SET_LOG_DIR, HF_TYPE_PATH, "LogDir", "HIPFILE_LOG_DIR", "logging.dir", "", 0, 0, 1},
    {HF_SET_UNSUPPORTED_FILE_SYSTEMS, BOOL, "", "HIPFILE_UNSUPPORTED_FILE_SYSTEMS",
     "properties.allow_unsupported_file_systems", "false", 0, 1, 1},
    {HF_SET_ORDER_DEFAULT_STREAM, BOOL, "", "HIPFILE_ORDER_DEFAULT_STREAM",
     "properties.order_default_stream", "false", 0, 1, 1},
    {HF_SET_POSIX_UNALIGNED_WRITES, BOOL, "", "HIPFILE_POSIX_UNALIGNED_WRITES",
     "fs.generic.posix_unaligned_writes", "false", 0, 1, 1},
    {HF_SET_ASYNC_BUFFER_SIZE, SIZE, "", "HIPFILE_ASYNC_BUFFER_SIZE", "", "0", 0, (size_t)1 << 40,
     1},
    {HF_SET_HIP_LIBRARY, HF_TYPE_PATH, "", "HIPFILE_HIP_LIBRARY", "", "", 0, 0, 1},
    {HF_SET_ENV_PATH_JSON, HF_TYPE_PATH, "", "HIPFILE_ENV_PATH_JSON", "", "/etc/hipfile.json", 0, 0,
     1},
#undef SIZE
#undef BOOL
};
#define TABLE_SIZE (sizeof(table) / sizeof(table[0]))

/* A file for the child's HIPFILE_ENV_PATH_JSON. */
static char config_path[] = "/tmp/test_settings_XXXXXX";

static void write_config(const char *text)
{
    FILE *file = fopen(config_path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool reads_json(void)
{
    char text[] = "{}";
    struct hf_config_error error;

    return hf_config_parse(text, 2, NULL, NULL, &error);
}

static void needs_json(void)
{
    if (!reads_json()) {
        print_message("SKIP: built without json-c\n");
        skip();
    }
}

/* ---- the table -------------------------------------------------------------------------- */

static void test_table_is_the_specified_one(void **state)
{
    (void)state;
    assert_int_equal(TABLE_SIZE, HF_SETTINGS);
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        const struct expected *expected = &table[i];
        struct hf_setting_info info;

        hf_setting_describe(expected->id, &info);
        assert_int_equal(info.type, expected->type);
        assert_string_equal(info.parameter, expected->parameter);
        assert_string_equal(info.environment, expected->environment);
        assert_string_equal(info.keys, expected->keys);
        if (expected->initial)
            assert_string_equal(info.initial_text, expected->initial);
        assert_int_equal(info.minimum, expected->minimum);
        assert_int_equal(info.maximum, expected->maximum);
        assert_int_equal(info.multiple, expected->multiple);
        assert_true(strlen(info.help) > 10);
        assert_int_equal(info.initial % info.multiple, 0);
        assert_true(info.initial >= info.minimum && info.initial <= info.maximum);
    }
}

static void test_every_name_finds_its_setting(void **state)
{
    char name[64];

    (void)state;
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        const char *list = table[i].environment, *word;
        size_t length;

        while ((length = hf_next_word(&list, &word)) > 0) {
            snprintf(name, sizeof(name), "%.*s", (int)length, word);
            assert_int_equal(hf_setting_find(name), table[i].id);
        }
        if (table[i].parameter[0]) {
            assert_int_equal(hf_setting_find(table[i].parameter), table[i].id);
            snprintf(name, sizeof(name), "hipFileParam%s", table[i].parameter);
            assert_int_equal(hf_setting_find(name), table[i].id);
        }
    }
    assert_int_equal(hf_setting_find("max_io_threads"), HF_SET_MAX_IO_THREADS);
    assert_int_equal(hf_setting_find("profile.hipfile_stats"), HF_SET_PROFILE_STATS);
    assert_int_equal(hf_setting_find("no_such_setting"), HF_SETTINGS);
    assert_int_equal(hf_setting_find(""), HF_SETTINGS);
}

/* ---- one setting, by each way in -------------------------------------------------------- */

/* A value that is not the default, as text. */
static const char *other_value(const struct expected *expected, char *text, size_t size)
{
    size_t number = expected->maximum;

    if (expected->type == HF_TYPE_BOOL)
        return strcmp(expected->initial, "true") == 0 ? "off" : "Yes";
    if (expected->type == HF_TYPE_LEVEL)
        return "debug";
    if (expected->type == HF_TYPE_PATH)
        return "/nowhere/else";
    snprintf(text, size, "%zu", number);
    return text;
}

static void check_other_value(const struct expected *expected, enum hf_source source)
{
    struct hf_setting_info info;
    char text[PATH_MAX];

    hf_settings_load();
    hf_setting_describe(expected->id, &info);
    check(info.source == source);
    if (expected->type == HF_TYPE_SIZE) {
        check(hf_setting_size(expected->id) == expected->maximum);
    } else if (expected->type == HF_TYPE_BOOL) {
        check(hf_setting_bool(expected->id) != (strcmp(expected->initial, "true") == 0));
    } else if (expected->type == HF_TYPE_LEVEL) {
        check(hf_setting_size(expected->id) == HF_LOG_DEBUG);
    } else {
        check(hf_setting_string(expected->id, text, sizeof(text)) == strlen("/nowhere/else"));
        check(strcmp(text, "/nowhere/else") == 0);
    }
}

struct entry {
    const struct expected *expected;
    char name[64];
};

static void set_by_environment(void *argument)
{
    const struct entry *entry = argument;
    char text[32];

    setenv(entry->name, other_value(entry->expected, text, sizeof(text)), 1);
    check_other_value(entry->expected, HF_SOURCE_ENVIRONMENT);
}

static void set_by_file(void *argument)
{
    const struct entry *entry = argument;

    setenv("HIPFILE_ENV_PATH_JSON", config_path, 1);
    check_other_value(entry->expected, HF_SOURCE_FILE);
}

static void set_by_both(void *argument)
{
    const struct entry *entry = argument;
    const struct expected *expected = entry->expected;
    char name[64], text[32];

    setenv("HIPFILE_ENV_PATH_JSON", config_path, 1);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(expected->environment, " "),
             expected->environment);
    setenv(name, other_value(expected, text, sizeof(text)), 1);
    check_other_value(expected, HF_SOURCE_ENVIRONMENT);
}

static void test_every_variable(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        struct entry entry = {.expected = &table[i]};
        const char *list = table[i].environment, *word;
        size_t length;

        while ((length = hf_next_word(&list, &word)) > 0) {
            snprintf(entry.name, sizeof(entry.name), "%.*s", (int)length, word);
            assert_int_equal(in_child(set_by_environment, &entry), 0);
        }
    }
}

/* {"section":{"key":value}}, as deep as the key says. */
static void write_key(const char *key, const char *value, bool quoted)
{
    char text[512], *out = text;
    unsigned depth = 1;

    out += sprintf(out, "{\"");
    for (; *key; key++)
        if (*key == '.') {
            out += sprintf(out, "\":{\"");
            depth++;
        } else {
            *out++ = *key;
        }
    out += sprintf(out, quoted ? "\":\"%s\"" : "\":%s", value);
    while (depth-- > 0)
        *out++ = '}';
    *out = '\0';
    write_config(text);
}

static void test_every_key(void **state)
{
    char text[32];

    (void)state;
    needs_json();
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        struct entry entry = {.expected = &table[i]};
        const char *list = table[i].keys, *word;
        size_t length;

        while ((length = hf_next_word(&list, &word)) > 0) {
            bool is_size = table[i].type == HF_TYPE_SIZE;

            snprintf(entry.name, sizeof(entry.name), "%.*s", (int)length, word);
            write_key(entry.name, other_value(&table[i], text, sizeof(text)), !is_size);
            assert_int_equal(in_child(set_by_file, &entry), 0);
            assert_string_equal(child_stderr, "");
            write_key(entry.name, table[i].initial && table[i].initial[0] ? table[i].initial : "4",
                      true);
            assert_int_equal(in_child(set_by_both, &entry), 0);
        }
    }
}

/* ---- bad values ------------------------------------------------------------------------- */

static const char *bad_value;

static void set_bad_value(void *argument)
{
    const struct entry *entry = argument;
    struct hf_setting_info info;

    setenv(entry->name, bad_value, 1);
    hf_settings_load();
    hf_setting_describe(entry->expected->id, &info);
    check(info.source == HF_SOURCE_DEFAULT);
}

static void expect_bad(const struct expected *expected, const char *value)
{
    struct entry entry = {.expected = expected};

    bad_value = value;
    snprintf(entry.name, sizeof(entry.name), "%.*s", (int)strcspn(expected->environment, " "),
             expected->environment);
    assert_int_equal(in_child(set_bad_value, &entry), 0);
    assert_non_null(strstr(child_stderr, " WARN hipfile: "));
    assert_non_null(strstr(child_stderr, entry.name));
    assert_non_null(strstr(child_stderr, value));
}

static void test_bad_values_are_named_and_left_out(void **state)
{
    char number[32];

    (void)state;
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        if (table[i].type == HF_TYPE_PATH)
            continue;
        expect_bad(&table[i], "");
        expect_bad(&table[i], "maybe");
        if (table[i].type != HF_TYPE_SIZE)
            continue;
        snprintf(number, sizeof(number), "%zu", table[i].maximum + table[i].multiple);
        expect_bad(&table[i], number);
        if (table[i].minimum > 0)
            expect_bad(&table[i], "0");
        if (table[i].multiple > 1) {
            snprintf(number, sizeof(number), "%zu", table[i].maximum - 1);
            expect_bad(&table[i], number);
        }
    }
    expect_bad(&table[HF_SET_MAX_IO_THREADS], "-1");
    expect_bad(&table[HF_SET_MAX_IO_THREADS], "+1");
    expect_bad(&table[HF_SET_MAX_IO_THREADS], " 1");
    expect_bad(&table[HF_SET_MAX_IO_THREADS], "1k");
    expect_bad(&table[HF_SET_MAX_IO_THREADS], "0x10");
    expect_bad(&table[HF_SET_MAX_IO_THREADS], "18446744073709551617");
    expect_bad(&table[HF_SET_NVTX], "2");
    expect_bad(&table[HF_SET_LOGGING_LEVEL], "3");
}

static void read_booleans(void *argument)
{
    setenv("HIPFILE_NVTX", argument, 1);
    setenv("HIPFILE_PARALLEL_IO", argument, 1);
    hf_settings_load();
    check(hf_setting_bool(HF_SET_NVTX) == hf_setting_bool(HF_SET_PARALLEL_IO));
    _exit(hf_setting_bool(HF_SET_NVTX) ? 11 : 10);
}

static void test_booleans_in_every_spelling(void **state)
{
    static const char *const no[] = {"false", "FALSE", "0", "off", "Off", "no", "nO"};
    static const char *const yes[] = {"true", "True", "1", "on", "ON", "yes", "YES"};

    (void)state;
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        assert_int_equal(WEXITSTATUS(in_child(read_booleans, (void *)no[i])), 10);
        assert_int_equal(WEXITSTATUS(in_child(read_booleans, (void *)yes[i])), 11);
    }
}

static void contradict(void *argument)
{
    (void)argument;
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1);
    setenv("HIPFILE_ALLOW_COMPAT_MODE", "false", 1);
    hf_settings_load();
    check(hf_settings_bounce_allowed());
    check(!hf_setting_bool(HF_SET_ALLOW_COMPAT_MODE));
    hf_settings_apply();
}

static void forbid(void *argument)
{
    (void)argument;
    check(hf_settings_bounce_allowed());
    setenv("HIPFILE_ALLOW_COMPAT_MODE", "false", 1);
    hf_settings_load();
    check(!hf_settings_bounce_allowed());
    check(hf_setting_stage_bool(HF_SET_FORCE_COMPAT_MODE, true) == 0);
    hf_settings_apply();
    check(hf_settings_bounce_allowed());
}

static void test_forced_compat_mode_is_allowed(void **state)
{
    const char *line;

    (void)state;
    assert_int_equal(in_child(contradict, NULL), 0);
    line = strstr(child_stderr, "both forced and forbidden");
    assert_non_null(line);
    assert_null(strstr(line + 1, "both forced and forbidden"));
    assert_int_equal(in_child(forbid, NULL), 0);
    assert_non_null(strstr(child_stderr, "both forced and forbidden"));
}

static void first_name_counts(void *argument)
{
    (void)argument;
    setenv("HIPFILE_ALLOW_SYSTEM_MEMORY", "yes", 1);
    setenv("HIPFILE_HOST", "no", 1);
    hf_settings_load();
    check(hf_setting_bool(HF_SET_ALLOW_SYSTEM_MEMORY));
}

static void test_first_variable_counts(void **state)
{
    (void)state;
    assert_int_equal(in_child(first_name_counts, NULL), 0);
}

/* ---- the parameter API ------------------------------------------------------------------ */

static void stage_and_open(void *argument)
{
    const struct expected *expected = argument;
    bool initial = expected->initial && strcmp(expected->initial, "true") == 0;
    size_t before;
    int status;

    hf_settings_load();
    before = hf_setting_size(expected->id);
    if (expected->type == HF_TYPE_SIZE)
        status = hf_setting_stage_size(expected->id, expected->maximum);
    else if (expected->type == HF_TYPE_BOOL)
        status = hf_setting_stage_bool(expected->id, !initial);
    else
        status = hf_setting_stage_string(
            expected->id, expected->type == HF_TYPE_LEVEL ? "Debug" : "/nowhere/else");
    check(status == 0);
    check(hf_setting_size(expected->id) == before);
    if (expected->type == HF_TYPE_SIZE)
        check(hf_setting_next_size(expected->id) == expected->maximum);
    hf_settings_apply();
    check_other_value(expected, HF_SOURCE_API);
    hf_settings_clear();
    check(hf_setting_size(expected->id) == before);
    check(hf_setting_next_size(expected->id) == before);
    hf_settings_apply();
    check(hf_setting_size(expected->id) == before);
}

static void test_every_parameter_is_staged_applied_and_cleared(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE_SIZE; i++)
        assert_int_equal(in_child(stage_and_open, (void *)&table[i]), 0);
}

static void stage_badly(void *argument)
{
    const enum hf_setting size = HF_SET_MAX_DIRECT_IO_SIZE_KB;
    char text[PATH_MAX + 1];

    (void)argument;
    check(hf_setting_stage_size(size, 0) == -hipFileDriverUnsupportedLimit);
    check(hf_setting_stage_size(size, 63) == -hipFileDriverUnsupportedLimit);
    check(hf_setting_stage_size(size, 2097088 + 64) == -hipFileDriverUnsupportedLimit);
    check(hf_setting_stage_size(size, SIZE_MAX) == -hipFileDriverUnsupportedLimit);
    check(hf_setting_stage_size(size, 100) == -hipFileDriverInvalidProps);
    check(hf_setting_stage_size(HF_SET_NVTX, 1) == -hipFileInvalidValue);
    check(hf_setting_stage_bool(size, true) == -hipFileInvalidValue);
    check(hf_setting_stage_string(size, "64") == -hipFileInvalidValue);
    check(hf_setting_stage_string(HF_SET_LOGGING_LEVEL, "LOUD") == -hipFileInvalidValue);
    memset(text, 'a', sizeof(text));
    text[PATH_MAX] = '\0';
    check(hf_setting_stage_string(HF_SET_LOG_DIR, text) == -hipFileDriverUnsupportedLimit);
    text[PATH_MAX - 1] = '\0';
    check(hf_setting_stage_string(HF_SET_LOG_DIR, text) == 0);
    check(hf_setting_stage_size(size, 64) == 0);
    check(hf_setting_stage_size(size, 65) == -hipFileDriverInvalidProps);
    check(hf_setting_next_size(size) == 64);
    hf_settings_apply();
    check(hf_setting_stage_size(size, 128) == -hipFileDriverAlreadyOpen);
    check(hf_setting_stage_bool(HF_SET_NVTX, true) == -hipFileDriverAlreadyOpen);
    check(hf_setting_stage_string(HF_SET_LOG_DIR, "/") == -hipFileDriverAlreadyOpen);
    check(hf_setting_size(size) == 64);
}

static void test_bad_parameters(void **state)
{
    (void)state;
    assert_int_equal(in_child(stage_badly, NULL), 0);
}

static void parameter_over_environment(void *argument)
{
    char text[PATH_MAX];
    unsigned before;

    (void)argument;
    setenv("HIPFILE_IO_BATCHSIZE", "7", 1);
    setenv("HIPFILE_LOG_DIR", "/a", 1);
    before = hf_settings_generation();
    check(hf_setting_next_size(HF_SET_IO_BATCHSIZE) == 7);
    check(hf_settings_generation() != before);
    check(hf_setting_stage_size(HF_SET_IO_BATCHSIZE, 9) == 0);
    check(hf_setting_stage_string(HF_SET_LOG_DIR, "/b") == 0);
    check(hf_setting_string(HF_SET_LOG_DIR, text, sizeof(text)) == 2 && text[1] == 'a');
    check(hf_setting_next_string(HF_SET_LOG_DIR, text, sizeof(text)) == 2 && text[1] == 'b');
    hf_settings_apply();
    check(hf_setting_size(HF_SET_IO_BATCHSIZE) == 9);
    check(hf_setting_string(HF_SET_LOG_DIR, text, sizeof(text)) == 2 && text[1] == 'b');
    check(hf_setting_string(HF_SET_LOG_DIR, text, 2) == 2 && strcmp(text, "/") == 0);
    hf_settings_clear();
    check(hf_setting_size(HF_SET_IO_BATCHSIZE) == 7);
    check(hf_setting_string(HF_SET_LOG_DIR, text, sizeof(text)) == 2 && text[1] == 'a');
}

static void test_order_of_layers(void **state)
{
    (void)state;
    assert_int_equal(in_child(parameter_over_environment, NULL), 0);
}

static void auto_values(void *argument)
{
    (void)argument;
    hf_settings_load();
    check(hf_setting_size(HF_SET_MAX_IO_THREADS) >= 1);
    check(hf_setting_size(HF_SET_MAX_IO_THREADS) <= 32);
    check(hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM) >= 2);
    check(hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM) <= 12);
    check(hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM) <=
          hf_setting_size(HF_SET_MAX_IO_THREADS) + 1);
    check(hf_setting_stage_size(HF_SET_MAX_IO_THREADS, 33) == 0);
    check(hf_setting_stage_size(HF_SET_MAX_REQUEST_PARALLELISM, 0) == 0);
    hf_settings_apply();
    check(hf_setting_size(HF_SET_MAX_IO_THREADS) == 33);
    check(hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM) == 12);
}

static void few_threads(void *argument)
{
    (void)argument;
    hf_settings_load();
    check(hf_setting_stage_size(HF_SET_MAX_IO_THREADS, 3) == 0);
    hf_settings_apply();
    check(hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM) == 4); /* they and the caller */
}

static void test_auto_is_resolved(void **state)
{
    (void)state;
    assert_int_equal(in_child(auto_values, NULL), 0);
    assert_int_equal(in_child(few_threads, NULL), 0);
}

static int make_config(void **state)
{
    int fd = mkstemp(config_path);

    (void)state;
    clean_environment();
    setenv("HIPFILE_ENV_PATH_JSON", "", 1);
    return fd < 0 ? -1 : close(fd);
}

static int remove_config(void **state)
{
    (void)state;
    return unlink(config_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* The children come first: a child of a process that has loaded would not load. */
        cmocka_unit_test(test_every_variable),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_bad_values_are_named_and_left_out),
        cmocka_unit_test(test_booleans_in_every_spelling),
        cmocka_unit_test(test_forced_compat_mode_is_allowed),
        cmocka_unit_test(test_first_variable_counts),
        cmocka_unit_test(test_every_parameter_is_staged_applied_and_cleared),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_order_of_layers),
        cmocka_unit_test(test_auto_is_resolved),
        cmocka_unit_test(test_table_is_the_specified_one),
        cmocka_unit_test(test_every_name_finds_its_setting),
    };

    return cmocka_run_group_tests(tests, make_config, remove_config);
}
