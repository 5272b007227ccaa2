// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/config.h"
#include "base/config_parse.h"
#include "base/settings.h"
#include "in_child.h"

static char folder[] = "/tmp/test_config_XXXXXX";
static char file_path[64];

static void write_bytes(const char *text, size_t length)
{
    FILE *file = fopen(file_path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void write_text(const char *text)
{
    write_bytes(text, strlen(text));
}

static void load(void *path)
{
    struct timespec before, after;

    setenv("HIPFILE_ENV_PATH_JSON", path, 1);
    clock_gettime(CLOCK_MONOTONIC, &before);
    hf_settings_load();
    clock_gettime(CLOCK_MONOTONIC, &after);
    check(after.tv_sec - before.tv_sec < 5);
}

/* Loads the file; nothing of it may have come into force. */
static void load_nothing(void *path)
{
    load(path);
    for (enum hf_setting id = 0; id < HF_SETTINGS; id++) {
        struct hf_setting_info info;

        hf_setting_describe(id, &info);
        check(id == HF_SET_ENV_PATH_JSON || info.source == HF_SOURCE_DEFAULT);
    }
}

/* Expects exactly these complaints, in this order, and no other line. */
static void expect_lines(const char *const *parts, size_t count)
{
    char *line = child_stderr, *end;

    for (size_t i = 0; i < count; i++, line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (!strstr(line, parts[i]))
            fail_msg("\"%s\" does not say \"%s\"", line, parts[i]);
    }
    assert_string_equal(line, "");
}

static void expect_one_line(const char *part)
{
    expect_lines(&part, 1);
}

/* ---- files that cannot be used ---------------------------------------------------------- */

static void expect_malformed(const char *text, const char *complaint)
{
    char part[256];

    write_text(text);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    snprintf(part, sizeof(part), "%s:%s", file_path, complaint);
    expect_one_line(part);
}

static void test_malformed(void **state)
{
    static const char start[] = "{\"profile\": {\"nvtx\": true}";

    (void)state;
    expect_malformed("", "1: ");
    expect_malformed("\n\n  // only a comment\n", "4: ");
    expect_malformed(start, "1: ");
    expect_malformed("[1, 2]", "1: a JSON object is expected");
    expect_malformed("\"text\"", "1: a JSON object is expected");
    expect_malformed("{\n\"profile\": {\n\"nvtx\" true}}", "3: ");
    expect_malformed("{\n/* no end\n\"profile\": {}}", "3: ");
    expect_malformed("{\"profile\": {\"nvtx\": true}}\n}", "2: more text after the object");
    expect_malformed("{\"a\": \"\n\n", "3: ");
}

static void test_text_with_nul(void **state)
{
    (void)state;
    write_bytes("{\"profile\": {\"nvtx\": \0true}}", 29);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line(": not a text file");
}

static void test_deep_nesting(void **state)
{
    char text[60000];

    (void)state;
    memset(text, '[', sizeof(text));
    write_bytes(text, sizeof(text));
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line(":1: nesting too deep");
}

static void test_huge(void **state)
{
    (void)state;
    write_text("{}");
    assert_int_equal(truncate(file_path, (off_t)1 << 40), 0);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line("longer than 64 KiB");
    assert_int_equal(truncate(file_path, 64 * 1024 + 1), 0);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line("longer than 64 KiB");
}

/* As many keys as fit, each unknown and none to be found by its name. */
static void test_many_unknown_keys(void **state)
{
    static char text[65000];
    size_t length = 1;

    (void)state;
    text[0] = '{';
    while (length < sizeof(text) - 32)
        length += (size_t)sprintf(text + length, "\"\\u0061%zu\":0,", length);
    length += (size_t)sprintf(text + length, "\"z\":0}");
    write_bytes(text, length);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    assert_non_null(strstr(child_stderr, " unknown key a1\n"));
    assert_non_null(strstr(child_stderr, " more complaints about settings left out\n"));
}

static void test_not_regular_files(void **state)
{
    char path[96];

    (void)state;
    assert_int_equal(in_child(load_nothing, "/dev/zero"), 0);
    expect_one_line("/dev/zero: not a regular file; the file is not used");
    assert_int_equal(in_child(load_nothing, folder), 0);
    expect_one_line("not a regular file");

    snprintf(path, sizeof(path), "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(in_child(load_nothing, path), 0);
    unlink(path);
    expect_one_line("fifo: not a regular file");

    snprintf(path, sizeof(path), "%s/loop", folder);
    assert_int_equal(symlink(path, path), 0);
    assert_int_equal(in_child(load_nothing, path), 0);
    unlink(path);
    expect_one_line("loop: Too many levels of symbolic links");

    assert_int_equal(in_child(load_nothing, "/nowhere/at all.json"), 0);
    expect_one_line("/nowhere/at all.json: No such file or directory");
}

static void load_as_nobody(void *path)
{
    check(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    load_nothing(path);
}

static void test_unreadable(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    write_text("{\"profile\": {\"nvtx\": true}}");
    assert_int_equal(chmod(file_path, 0), 0);
    assert_int_equal(in_child(load_as_nobody, file_path), 0);
    assert_int_equal(chmod(file_path, 0600), 0);
    expect_one_line("Permission denied; the file is not used");
}

static void load_none(void *argument)
{
    (void)argument;
    load_nothing("");
}

static void test_empty_name_is_no_file(void **state)
{
    (void)state;
    assert_int_equal(in_child(load_none, NULL), 0);
    assert_string_equal(child_stderr, "");
}

/* ---- what a file says ------------------------------------------------------------------- */

static void check_cufile_values(void *path)
{
    load(path);
    check(hf_setting_size(HF_SET_LOGGING_LEVEL) == HF_LOG_ERROR);
    check(hf_setting_size(HF_SET_PROFILE_STATS) == 0);
    check(hf_setting_size(HF_SET_MAX_IO_THREADS) == 4);
    check(hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) == 8192);
    check(hf_setting_size(HF_SET_PER_BUFFER_CACHE_SIZE_KB) == 1024);
    check(!hf_setting_bool(HF_SET_PARALLEL_IO));
    check(hf_setting_bool(HF_SET_USE_POLL_MODE));
    check(hf_setting_bool(HF_SET_POSIX_UNALIGNED_WRITES));
}

/* The keys of a cufile.json, those with nothing to act on among them. */
static const char cufile[] =
    "\xef\xbb\xbf// how to write a file: \"logging\": {\n"
    "{\n"
    "    /* a \"block\" // comment\n"
    "     */\n"
    "    \"logging\": {\n"
    "        //\"dir\": \"/tmp\",\n"
    "        \"level\": \"ERROR\" // quiet\n"
    "    },\n"
    "\n"
    "    \"profile\": {\"nvtx\": false, \"cufile_stats\": 0},\n"
    "    \"execution\" : {\n"
    "        \"max_io_queue_depth\": 128, \"max_request_parallelism\" : 4,\n"
    "        \"max_io_threads\" : 4, \"parallel_io\" : false,\n"
    "        \"min_io_threshold_size_kb\" : 8192\n"
    "    },\n"
    "    \"properties\": {\n"
    "        \"max_direct_io_size_kb\" : 16384, \"max_device_cache_size_kb\" : 131072,\n"
    "        \"per_buffer_cache_size_kb\": 1024, \"max_device_pinned_mem_size_kb\" : 33554432,\n"
    "        \"use_poll_mode\" : true, \"poll_mode_max_size_kb\": 4, \"use_pci_p2pdma\": false,\n"
    "        \"allow_compat_mode\": true, \"gds_rdma_write_support\": true,\n"
    "        \"io_batchsize\": 128, \"io_priority\": \"default\",\n"
    "        \"rdma_dev_addr_list\": [\"192.0.2.1\"],\n"
    "        \"rdma_load_balancing_policy\": \"RoundRobin\", \"rdma_dynamic_routing\": false,\n"
    "        \"rdma_dynamic_routing_order\": [ \"GPU_MEM\", \"SYS_MEM\" ],\n"
    "        \"posix_pool_slab_size_kb\" : [ 4, 1024 ], \"posix_pool_slab_count\" : [ 128, 64 ]\n"
    "    },\n"
    "    \"fs\": {\n"
    "        \"generic\": {\"posix_unaligned_writes\": true},\n"
    "        \"beegfs\": {\"posix_gds_min_kb\": 0}, \"lustre\": {\"posix_gds_min_kb\": 0},\n"
    "        \"nfs\": {\"rdma_dev_addr_list\": [\"192.0.2.2\"]},\n"
    "        \"gpfs\": {\"gds_write_support\": false, \"gds_async_support\": true},\n"
    "        \"weka\": {\"rdma_write_support\": false}\n"
    "    },\n"
    "    \"denylist\": {\"drivers\": [ ], \"devices\": [ ], \"mounts\": [ ], \"filesystems\": [ "
    "]},\n"
    "    \"miscellaneous\": {\"api_check_aggressive\": false}\n"
    "}\n";

static void test_cufile_json_works_silently(void **state)
{
    (void)state;
    write_text(cufile);
    assert_int_equal(in_child(check_cufile_values, file_path), 0);
    assert_string_equal(child_stderr, "");
}

static void load_at_info(void *path)
{
    setenv("HIPFILE_LOGGING_LEVEL", "info", 1);
    load(path);
}

static void test_inert_keys_are_named_at_info(void **state)
{
    (void)state;
    write_text("{\"fs\": {\"nfs\":\n{\"any\": [1, 2]}}}");
    assert_int_equal(in_child(load_at_info, file_path), 0);
    expect_one_line(":2: fs.nfs.any: nothing to act on here");
}

static void check_odd_values(void *path)
{
    load(path);
    check(hf_setting_bool(HF_SET_NVTX));
    check(hf_setting_size(HF_SET_MAX_IO_QUEUE_DEPTH) == 128);
    check(hf_setting_size(HF_SET_IO_BATCHSIZE) == 200);
}

static void test_complaints_name_the_line(void **state)
{
    static const char text[] = "{\n"
                               "\"execution\": {\n"
                               "// \"max_io_queue_depth\": 1,\n"
                               "  \"max_io_queue_depth\": 4097,\n"
                               "  \"max_io_thread\": 4\n"
                               "},\n"
                               "\"profile\": {\"nvtx\": 1, \"cufile_stats\": 1.5},\n"
                               "\"properties\": {\n"
                               "  \"io_batchsize\": \"200\",\n"
                               "  \"max_direct_io_size_kb\": 100,\n"
                               "  \"use_poll_mode\": null,\n"
                               "  \"per_buffer_cache_size_kb\": {\"x\": 1},\n"
                               "  \"allow_compat_mode\": \"perhaps\"\n"
                               "},\n"
                               "\"logging\": [{}],\n"
                               "\"twice\": [1, 2, 3]\n"
                               "} // the end\n";
    static const char *const complaints[] = {
        ":4: execution.max_io_queue_depth=4097: not a number from 1 to 4096; 128 stays",
        ":5: unknown key execution.max_io_thread",
        ":7: profile.cufile_stats=1.5: not a number from 0 to 3; 1 stays",
        ":10: properties.max_direct_io_size_kb=100: not a number from 64 to 2097088, a multiple of",
        ":11: properties.use_poll_mode=null: not true or false; false stays",
        ":12: unknown key properties.per_buffer_cache_size_kb.x",
        ":13: properties.allow_compat_mode=perhaps: not true or false; true stays",
        ":15: unknown key logging",
        ":16: unknown key twice",
    };

    (void)state;
    write_text(text);
    assert_int_equal(in_child(check_odd_values, file_path), 0);
    expect_lines(complaints, sizeof(complaints) / sizeof(complaints[0]));
}

/* ---- rules ------------------------------------------------------------------------------ */

static struct hf_config_rule rule_of(const char *path, const char *fs_type, const char *device,
                                     const char *driver)
{
    struct hf_config_rule rule;

    memset(&rule, 0xff, sizeof(rule));
    hf_config_rule(path, fs_type, device, driver, &rule);
    return rule;
}

static bool denied(const char *path, const char *fs_type, const char *device, const char *driver)
{
    return rule_of(path, fs_type, device, driver).direct == HF_RULE_DENIED;
}

static void check_denials(void *path)
{
    load(path);
    check(denied("/mnt/a", "", "", ""));
    check(denied("/mnt/a/b/c", "", "", ""));
    check(!denied("/mnt/ab", "", "", ""));
    check(!denied("/mnt", "", "", ""));
    check(!denied("", "", "", ""));
    check(denied("/x", "xfs", "", ""));
    check(!denied("/x", "xfs2", "", ""));
    check(!denied("/x", "ext4", "", ""));
    check(denied("/x", "ext4", "sda", ""));
    check(denied("/x", "ext4", "sda1", ""));
    check(denied("/x", "ext4", "sda12", ""));
    check(!denied("/x", "ext4", "sdab", ""));
    check(!denied("/x", "ext4", "sdap1", ""));
    check(denied("/x", "ext4", "nvme0n1", ""));
    check(denied("/x", "ext4", "nvme0n1p3", ""));
    check(!denied("/x", "ext4", "nvme0n12", ""));
    check(!denied("/x", "ext4", "nvme0n123", ""));
    check(!denied("/x", "ext4", "nvme0n1p", ""));
    check(denied("/x", "ext4", "vdz", "virtio"));
    check(!denied("/x", "ext4", "vdz", "nvme"));
}

static void test_denylist(void **state)
{
    static const char text[] = "{\"denylist\": {\n"
                               "\"mounts\": [\"/mnt/a/\"], \"filesystems\": [\"xfs\"],\n"
                               "\"devices\": [\"/dev/sda\", \"nvme0n1\"],\n"
                               "\"drivers\": \"virtio\"}}";

    (void)state;
    write_text(text);
    assert_int_equal(in_child(check_denials, file_path), 0);
    assert_string_equal(child_stderr, "");
}

static void check_overrides(void *path)
{
    struct hf_config_rule rule;

    load(path);
    rule = rule_of("/elsewhere", "ext4", "sda", "sd");
    check(rule.direct == HF_RULE_DEFAULT && !rule.force_compat);
    check(rule.direct_read_size_kb == 0 && rule.direct_write_size_kb == 0);
    rule = rule_of("/data/set", "ext4", "", "");
    check(rule.direct == HF_RULE_ALLOWED && !rule.force_compat);
    check(rule.direct_read_size_kb == 4096 && rule.direct_write_size_kb == 0);
    rule = rule_of("/data/set", "nfs4", "", "");
    check(rule.direct == HF_RULE_ALLOWED && rule.force_compat);
    check(rule.direct_read_size_kb == 4096 && rule.direct_write_size_kb == 1024);
    rule = rule_of("/data/slow/x", "nfs4", "", "");
    check(rule.direct == HF_RULE_DENIED && !rule.force_compat);
    check(rule.direct_read_size_kb == 64);
    rule = rule_of("/data/denied", "ext4", "", "");
    check(rule.direct == HF_RULE_DENIED);
    rule = rule_of("/ro", "xfs", "", "");
    check(rule.direct == HF_RULE_ALLOWED);
    check(rule_of("/ro", "ext4", "", "").direct == HF_RULE_DEFAULT);
}

static void test_overrides(void **state)
{
    static const char text[] =
        "{\"overrides\": [\n"
        "{\"path\": \"/data\", \"allow_direct\": true, \"direct_read_size_kb\": 4096},\n"
        "{\"fs_type\": \"nfs4\", \"force_compat\": true, \"direct_write_size_kb\": 1024},\n"
        "{\"path\": \"/data/slow\", \"allow_direct\": false, \"force_compat\": false,\n"
        " \"direct_read_size_kb\": 64},\n"
        "{\"path\": \"/ro\", \"fs_type\": \"xfs\", \"allow_direct\": \"yes\"}],\n"
        "\"denylist\": {\"mounts\": [\"/data/denied\"]}}";

    (void)state;
    write_text(text);
    assert_int_equal(in_child(check_overrides, file_path), 0);
    assert_string_equal(child_stderr, "");
}

static void check_root_override(void *path)
{
    load(path);
    check(rule_of("/anything", "", "", "").force_compat);
    check(rule_of("/anything", "", "", "").direct == HF_RULE_DEFAULT);
    check(rule_of("/anything", "", "", "").direct_read_size_kb == 0);
}

static void test_bad_rules(void **state)
{
    static const char text[] = "{\"overrides\": [\n"
                               "{\"path\": \"data\"},\n"
                               "{\"allow_direct\": true},\n"
                               "{\"path\": \"/\", \"force_compat\": true, \"what\": 1,\n"
                               " \"direct_read_size_kb\": 100}],\n"
                               "\"denylist\": {\"mounts\": [\"\", null], \"nets\": [1]}}";
    static const char *const complaints[] = {
        ":2: overrides.path=data: unknown key or value; left out",
        ":4: overrides.what=1: unknown key or value; left out",
        ":5: overrides.direct_read_size_kb=100: unknown key or value; left out",
        ":6: denylist.mounts: a name is expected",
        ":6: unknown key denylist.nets",
        ":2: an override needs a path or an fs_type; left out",
        ":3: an override needs a path or an fs_type; left out",
    };

    (void)state;
    write_text(text);
    assert_int_equal(in_child(check_root_override, file_path), 0);
    expect_lines(complaints, sizeof(complaints) / sizeof(complaints[0]));

    write_text("{\"overrides\": {\"path\": \"/\"}}");
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line(":1: overrides is a list of objects");
}

static void test_too_many_rules(void **state)
{
    static char text[60000];
    size_t length = (size_t)sprintf(text, "{\"denylist\":{\"mounts\":[");

    (void)state;
    for (int i = 0; i < 300; i++)
        length += (size_t)sprintf(text + length, "\"/m/%d\",", i);
    length += (size_t)sprintf(text + length, "\"/n\"]},\"overrides\":[");
    for (int i = 0; i < 300; i++)
        length += (size_t)sprintf(text + length, "{\"path\":\"/o/%d\",\"force_compat\":1},", i);
    length += (size_t)sprintf(text + length, "{\"path\":\"/p\"}]}");
    write_bytes(text, length);
    assert_int_equal(in_child(load, file_path), 0);
    assert_non_null(strstr(child_stderr, "more than 256 entries in denylist"));
    assert_non_null(strstr(child_stderr, "more than 256 overrides"));
}

static void load_default_path(void *argument)
{
    (void)argument;
    unsetenv("HIPFILE_ENV_PATH_JSON");
    hf_settings_load();
}

static void test_missing_default_file_is_silent(void **state)
{
    (void)state;
    if (access("/etc/hipfile.json", F_OK) == 0)
        skip();
    assert_int_equal(in_child(load_default_path, NULL), 0);
    assert_string_equal(child_stderr, "");
}

/* ---- without json-c --------------------------------------------------------------------- */

static void test_file_that_is_not_read(void **state)
{
    (void)state;
    write_text(cufile);
    assert_int_equal(in_child(load_nothing, file_path), 0);
    expect_one_line("not read: the library was built without json-c");
}

static bool reads_json(void)
{
    char text[] = "{}";
    struct hf_config_error error;

    return hf_config_parse(text, 2, NULL, NULL, &error);
}

static int make_folder(void **state)
{
    (void)state;
    clean_environment();
    if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
        return -1;
    snprintf(file_path, sizeof(file_path), "%s/config.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest without[] = {
        cmocka_unit_test(test_not_regular_files),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_file_that_is_not_read),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_text_with_nul),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_many_unknown_keys),
        cmocka_unit_test(test_not_regular_files),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_empty_name_is_no_file),
        cmocka_unit_test(test_missing_default_file_is_silent),
        cmocka_unit_test(test_cufile_json_works_silently),
        cmocka_unit_test(test_inert_keys_are_named_at_info),
        cmocka_unit_test(test_complaints_name_the_line),
        cmocka_unit_test(test_denylist),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_too_many_rules),
    };

    if (!reads_json())
        return cmocka_run_group_tests(without, make_folder, remove_folder);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
