// SPDX-License-Identifier: MIT
#include "core/route.h"

#include "fake_hip.h"
#include "fake_os.h"
#include "hipfile.h"

static struct hf_descriptor file;
static atomic_uint refused;
static struct hf_transfer transfer;
static struct hf_plan plan;

/* An aligned read of one block of device memory in an ext4 file: what the direct path takes. */
static void begin(void)
{
    load_default_settings();
    hip_reset(1);
    hf_hip.has_file_io = true;
    refused = 0;
    file.facts.unit = 4096;
    file.facts.memory_alignment = 512;
    file.facts.is_block_device = false;
    file.direct_side_broken = false;
    memset(&file.storage, 0, sizeof file.storage);
    strcpy(file.storage.file_system, "ext4");
    file.storage_known = true;
    transfer = (struct hf_transfer){
        .file = &file, .op = HF_READ, .kind = HF_MEMORY_DEVICE, .devices_refused = &refused};
    hf_plan_split(&(struct hf_segment){.address = 0x100000, .size = 8192}, 4096, &plan);
}

static void expect(const struct hf_path *path, enum hf_reason reason, int status)
{
    struct hf_route route;

    hf_route_choose(&transfer, &plan, &route);
    assert_ptr_equal(route.path, path);
    assert_int_equal(route.reason, reason);
    assert_int_equal(route.status, status);
}

static void plan_at(uint64_t offset, uintptr_t address, size_t size)
{
    hf_plan_split(&(struct hf_segment){.file_offset = offset, .address = address, .size = size},
                  4096, &plan);
}

static void direct_takes_whole_blocks(void **state)
{
    (void)state;
    begin();
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    plan_at(4095, 0x100fff, 8192); /* file and memory out of step by the same */
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    strcpy(file.storage.file_system, "xfs");
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    strcpy(file.storage.file_system, "block");
    file.facts.is_block_device = true;
    expect(&hf_path_direct, HF_REASON_NONE, 0);
}

static void each_reason_is_told(void **state)
{
    (void)state;
    begin();
    plan_at(0, 0x100200, 8192);
    expect(&hf_path_bounce, HF_REASON_MEMORY_ALIGNMENT, 0);
    plan_at(1, 0x100001, 8190);
    expect(&hf_path_bounce, HF_REASON_BELOW_UNIT, 0);

    begin();
    strcpy(file.storage.file_system, "btrfs");
    expect(&hf_path_bounce, HF_REASON_FILE_SYSTEM, 0);
    set(HF_SET_UNSUPPORTED_FILE_SYSTEMS, true);
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    set(HF_SET_UNSUPPORTED_FILE_SYSTEMS, false);
    file.storage.rule.direct = HF_RULE_ALLOWED;
    expect(&hf_path_direct, HF_REASON_NONE, 0);

    begin();
    file.storage.journal = HF_JOURNAL_OTHER;
    expect(&hf_path_bounce, HF_REASON_JOURNAL_MODE, 0);
    begin();
    hf_hip.has_file_io = false;
    expect(&hf_path_bounce, HF_REASON_RUNTIME_LACKS_FILE_IO, 0);
    begin();
    file.storage.rule.direct = HF_RULE_DENIED;
    expect(&hf_path_bounce, HF_REASON_CONFIGURED, 0);
    begin();
    set(HF_SET_FORCE_COMPAT_MODE, true);
    expect(&hf_path_bounce, HF_REASON_COMPAT_FORCED, 0);
    set(HF_SET_FORCE_COMPAT_MODE, false);
}

static void refusal_counts_for_its_device_alone(void **state)
{
    (void)state;
    begin();
    refused = 1u << 2;
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    transfer.device = 2;
    expect(&hf_path_bounce, HF_REASON_REFUSED, 0);
}

static void host_memory_takes_the_host_path(void **state)
{
    static const enum hf_memory_kind kinds[] = {HF_MEMORY_PINNED, HF_MEMORY_MANAGED,
                                                HF_MEMORY_PAGEABLE};

    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        transfer.kind = kinds[i];
        expect(&hf_path_host, HF_REASON_NOT_DEVICE_MEMORY, 0);
    }
    set(HF_SET_ALLOW_COMPAT_MODE, false); /* is about bouncing */
    expect(&hf_path_host, HF_REASON_NOT_DEVICE_MEMORY, 0);
    set(HF_SET_ALLOW_COMPAT_MODE, true);
    set(HF_SET_ALLOW_SYSTEM_MEMORY, false);
    expect(NULL, HF_REASON_NOT_DEVICE_MEMORY, -hipFileIONotSupported);
    set(HF_SET_ALLOW_SYSTEM_MEMORY, true);
}

static void without_compat_mode_only_edges_bounce(void **state)
{
    struct hf_segment edge = {.size = 10, .edge = true}, blocks = {.size = 4096};

    (void)state;
    begin();
    set(HF_SET_ALLOW_COMPAT_MODE, false);
    expect(&hf_path_direct, HF_REASON_NONE, 0);
    plan_at(3, 0x100003, 100);
    expect(&hf_path_bounce, HF_REASON_BELOW_UNIT, 0);
    strcpy(file.storage.file_system, "nfs");
    expect(&hf_path_bounce, HF_REASON_FILE_SYSTEM, -hipFileIONotSupported);
    plan_at(0, 0x100000, 8192);
    expect(&hf_path_bounce, HF_REASON_FILE_SYSTEM, -hipFileIONotSupported);
    file.storage.rule.direct = HF_RULE_DENIED;
    expect(&hf_path_bounce, HF_REASON_CONFIGURED, -hipFileIODisabled);
    file.storage.rule.force_compat = true; /* a rule that allows it here */
    expect(&hf_path_bounce, HF_REASON_CONFIGURED, 0);

    assert_ptr_equal(hf_route_fallback(&edge), &hf_path_bounce);
    assert_ptr_equal(hf_route_fallback(&blocks), NULL);
    set(HF_SET_FORCE_COMPAT_MODE, true); /* forced is allowed */
    assert_ptr_equal(hf_route_fallback(&blocks), &hf_path_bounce);
    set(HF_SET_FORCE_COMPAT_MODE, false);
    set(HF_SET_ALLOW_COMPAT_MODE, true);
    assert_ptr_equal(hf_route_fallback(&blocks), &hf_path_bounce);
}

static void no_o_direct_is_a_reason(void **state)
{
    (void)state;
    os_reset();
    os_fail(OS_OPEN, 0, EINVAL);
    begin();
    hf_descriptor_close(&file);
    assert_int_equal(hf_descriptor_open(&file, make_file("/var/tmp", 0, O_RDWR)), 0);
    begin();
    expect(&hf_path_bounce, HF_REASON_NO_DIRECT_DESCRIPTOR, 0);
    os_reset();
}

static int set_up(void **state)
{
    int fd = make_file("/var/tmp", 0, O_RDWR | O_DIRECT);

    (void)state;
    os_reset();
    if (fd < 0)
        return -1;
    return hf_descriptor_open(&file, fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_takes_whole_blocks),
        cmocka_unit_test(each_reason_is_told),
        cmocka_unit_test(refusal_counts_for_its_device_alone),
        cmocka_unit_test(host_memory_takes_the_host_path),
        cmocka_unit_test(without_compat_mode_only_edges_bounce),
        cmocka_unit_test(no_o_direct_is_a_reason),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
