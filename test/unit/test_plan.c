// SPDX-License-Identifier: MIT
#include "core/plan.h"

#include "unit.h"

static const uintptr_t address = 0x7f0000000123;

static struct hf_plan split(uint64_t offset, size_t size, uint32_t unit)
{
    struct hf_segment request = {.file_offset = offset, .address = address, .size = size};
    struct hf_plan plan;

    hf_plan_split(&request, unit, &plan);
    return plan;
}

/* Each part begins where the one before it ended, in the file and in memory. */
static uint64_t follow(const struct hf_segment *part, uint64_t at, uint64_t offset)
{
    if (part->size == 0)
        return at;
    assert_int_equal(part->file_offset, at);
    assert_int_equal(part->address, address + (at - offset));
    return at + part->size;
}

static void check(uint64_t offset, size_t size, uint32_t unit)
{
    struct hf_plan plan = split(offset, size, unit);
    uint64_t at = follow(&plan.head, offset, offset);

    at = follow(&plan.blocks, at, offset);
    at = follow(&plan.tail, at, offset);
    assert_int_equal(at, offset + size);
    assert_true(plan.head.edge && plan.tail.edge && !plan.blocks.edge);
    if (plan.blocks.size == 0) {
        assert_int_equal(plan.head.size, size);
        assert_true((offset + unit - 1) / unit >= (offset + size) / unit);
        return;
    }
    assert_int_equal(plan.blocks.file_offset % unit, 0);
    assert_int_equal(plan.blocks.size % unit, 0);
    assert_true(plan.head.size < unit && plan.tail.size < unit);
}

static void every_split_covers_the_request(void **state)
{
    static const uint32_t units[] = {4096, 8192, 65536, 1 << 20};
    static const int64_t steps[] = {-4097, -4096, -4095, -513, -1, 0, 1, 511, 4095, 4096};

    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
        for (uint64_t block = 0; block < 4; block++)
            for (uint64_t blocks = 0; blocks < 4; blocks++)
                for (size_t a = 0; a < 10; a++)
                    for (size_t b = 0; b < 10; b++) {
                        int64_t offset = (int64_t)(block * units[u]) + steps[a];
                        int64_t size = (int64_t)(blocks * units[u]) + steps[b];

                        if (offset >= 0 && size >= 0)
                            check((uint64_t)offset, (size_t)size, units[u]);
                    }
}

static void parts_are_the_ones_expected(void **state)
{
    struct hf_plan plan = split(4095, 4096 * 2 + 2, 4096);

    (void)state;
    assert_int_equal(plan.head.size, 1);
    assert_int_equal(plan.blocks.size, 8192);
    assert_int_equal(plan.tail.size, 1);
    plan = split(1, 4094, 4096);
    assert_int_equal(plan.head.size, 4094);
    plan = split(4095, 2, 4096); /* two blocks touched, none whole */
    assert_int_equal(plan.head.size, 2);
    assert_int_equal(plan.tail.size, 0);
    plan = split(4096, 4096, 4096);
    assert_int_equal(plan.head.size + plan.tail.size, 0);
}

static void the_end_of_the_offset_range_does_not_wrap(void **state)
{
    (void)state;
    check((uint64_t)INT64_MAX - 10000, 10000, 4096);
    check((uint64_t)INT64_MAX - 3, 3, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_covers_the_request),
        cmocka_unit_test(parts_are_the_ones_expected),
        cmocka_unit_test(the_end_of_the_offset_range_does_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
