// SPDX-License-Identifier: MIT
#include "hip/memory.h"

#include "base/status.h"
#include "fake_hip.h"

static const uintptr_t base = 0x700000000000;
#define MIB ((size_t)1 << 20)

static struct hf_memory describe(uintptr_t address, size_t wanted)
{
    struct hf_memory memory = {.device = -1, .length = 12345};

    assert_int_equal(hf_memory_describe((void *)address, wanted, &memory), 0);
    return memory;
}

static void each_type_has_its_kind(void **state)
{
    static const struct {
        hipMemoryType type;
        enum hf_memory_kind kind;
    } rows[] = {{hipMemoryTypeDevice, HF_MEMORY_DEVICE},
                {hipMemoryTypeHost, HF_MEMORY_PINNED},
                {hipMemoryTypeManaged, HF_MEMORY_MANAGED},
                {hipMemoryTypeUnified, HF_MEMORY_MANAGED}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct hf_memory memory;

        hip_reset(3);
        hip_list(base, MIB, rows[i].type, 2);
        memory = describe(base + 1000, 1);
        assert_int_equal(memory.kind, rows[i].kind);
        assert_int_equal(memory.device, 2);
        assert_int_equal(memory.length, MIB - 1000);
    }
}

static void arrays_are_refused(void **state)
{
    struct hf_memory memory;

    (void)state;
    hip_reset(1);
    hip_list(base, MIB, hipMemoryTypeArray, 0);
    assert_int_equal(hf_memory_describe((void *)base, 1, &memory), -hipFileHipMemoryTypeInvalid);
}

/* Runtimes say it in two ways. */
static void unknown_memory_is_pageable(void **state)
{
    (void)state;
    hip_reset(1);
    assert_int_equal(describe(base, 1).kind, HF_MEMORY_PAGEABLE);
    assert_int_equal(describe(base, 1).length, 0);
    hip_fail(HIP_POINTER, 3, hipErrorInvalidValue);
    assert_int_equal(describe(base, 1).kind, HF_MEMORY_PAGEABLE);
}

static void other_failures_are_passed_on(void **state)
{
    struct hf_memory memory;

    (void)state;
    hip_reset(1);
    hip_list(base, MIB, hipMemoryTypeDevice, 0);
    hip_fail(HIP_POINTER, 1, hipErrorNotInitialized);
    assert_int_equal(hf_memory_describe((void *)base, 1, &memory),
                     hf_status_from_hip(hipErrorNotInitialized));
}

static void adjacent_allocations_are_walked(void **state)
{
    (void)state;
    hip_reset(1);
    for (int i = 0; i < 4; i++)
        hip_list(base + i * 2 * MIB, 2 * MIB, hipMemoryTypeDevice, 0);
    hip_list(base + 9 * MIB, MIB, hipMemoryTypeDevice, 0); /* behind a gap of one MiB */
    assert_int_equal(describe(base, 2 * MIB).length, 2 * MIB);
    assert_int_equal(fake.calls[HIP_RANGE], 1);
    assert_true(describe(base, 2 * MIB + 1).length >= 2 * MIB + 1);
    assert_int_equal(describe(base, 8 * MIB).length, 8 * MIB);
    assert_int_equal(describe(base, 8 * MIB + 1).length, 8 * MIB); /* up to the gap */
    assert_int_equal(describe(base + 5 * MIB, SIZE_MAX).length, 3 * MIB);
}

static void the_walk_ends_at_the_top_of_the_address_space(void **state)
{
    (void)state;
    hip_reset(1);
    hip_list(UINTPTR_MAX - MIB + 1, MIB, hipMemoryTypeDevice, 0);
    hip_list(0, MIB, hipMemoryTypeDevice, 0);
    assert_int_equal(describe(UINTPTR_MAX - MIB + 1, SIZE_MAX).length, MIB);
}

/* Some runtimes give no range for host memory, and none for device memory that has gone. */
static void a_missing_range_is_tolerated_for_host_memory(void **state)
{
    struct hf_memory memory;

    (void)state;
    hip_reset(1);
    hip_list(base, MIB, hipMemoryTypeHost, 0);
    hip_fail(HIP_RANGE, 1, hipErrorNotFound);
    memory = describe(base, 100);
    assert_int_equal(memory.kind, HF_MEMORY_PINNED);
    assert_true(memory.length >= MIB && base + memory.length >= base);
    hip_reset(1);
    hip_list(base, MIB, hipMemoryTypeDevice, 0);
    hip_fail(HIP_RANGE, 1, hipErrorNotFound);
    assert_int_equal(describe(base, 100).kind, HF_MEMORY_PAGEABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_has_its_kind),
        cmocka_unit_test(arrays_are_refused),
        cmocka_unit_test(unknown_memory_is_pageable),
        cmocka_unit_test(other_failures_are_passed_on),
        cmocka_unit_test(adjacent_allocations_are_walked),
        cmocka_unit_test(the_walk_ends_at_the_top_of_the_address_space),
        cmocka_unit_test(a_missing_range_is_tolerated_for_host_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
