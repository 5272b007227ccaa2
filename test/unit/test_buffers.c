// SPDX-License-Identifier: MIT
#include "core/buffers.h"

#include <sched.h>
#include <sys/mman.h>

#include "fake_hip.h"
#include "hipfile.h"

#define MIB ((size_t)1 << 20)
static const uintptr_t base = 0x700000000000;

static int put_in(uintptr_t address, size_t length)
{
    return hf_buffers_register((void *)address, length);
}

/* What a lookup finds: base and length, or 0 and 0. */
static void expect(uintptr_t address, uintptr_t found_base, size_t length)
{
    struct hf_buffer *buffer = hf_buffer_find((void *)address);

    if (!found_base) {
        assert_null(buffer);
        return;
    }
    assert_non_null(buffer);
    assert_int_equal(buffer->base, found_base);
    assert_int_equal(buffer->length, length);
    hf_buffer_put(buffer);
}

static int begin(void **state)
{
    (void)state;
    hip_reset(1);
    hip_list(base, 64 * MIB, hipMemoryTypeDevice, 0);
    hf_buffers_deregister_all();
    set(HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB, (size_t)1 << 30);
    return 0;
}

static void a_range_is_found_by_any_of_its_bytes(void **state)
{
    (void)state;
    assert_int_equal(put_in(base + 100, 1000), 0);
    expect(base + 99, 0, 0);
    expect(base + 100, base + 100, 1000);
    expect(base + 1099, base + 100, 1000);
    expect(base + 1100, 0, 0);
    assert_int_equal(hf_buffers_deregister((void *)(base + 101)), -hipFileMemoryNotRegistered);
    assert_int_equal(hf_buffers_deregister((void *)(base + 100)), 0);
    expect(base + 100, 0, 0);
    assert_int_equal(hf_buffers_deregister((void *)(base + 100)), -hipFileMemoryNotRegistered);
}

static void the_range_that_reaches_furthest_is_found(void **state)
{
    (void)state;
    assert_int_equal(put_in(base, 10000), 0);
    assert_int_equal(put_in(base + 1000, 100), 0);   /* inside */
    assert_int_equal(put_in(base + 5000, 10000), 0); /* overlaps the end */
    assert_int_equal(put_in(base + 20000, 100), 0);  /* apart */
    expect(base + 500, base, 10000);
    expect(base + 1050, base, 10000);
    expect(base + 4999, base, 10000);
    expect(base + 5000, base + 5000, 10000);
    expect(base + 14999, base + 5000, 10000);
    expect(base + 15000, 0, 0);
    expect(base + 20050, base + 20000, 100);
    assert_int_equal(hf_buffers_deregister((void *)base), 0);
    expect(base + 500, 0, 0);
    expect(base + 1050, base + 1000, 100);
    expect(base + 1100, 0, 0);
}

static void what_is_refused(void **state)
{
    (void)state;
    assert_int_equal(put_in(base, 100), 0);
    assert_int_equal(put_in(base, 200), -hipFileMemoryAlreadyRegistered);
    assert_int_equal(put_in(base + 1, 64 * MIB), -hipFileHipPointerRangeError);
    assert_int_equal(put_in(base + 1, 64 * MIB - 1), 0);
    assert_int_equal(put_in(base + 2, SIZE_MAX), -hipFileHipPointerRangeError);
    assert_int_equal(put_in(base + 2, SIZE_MAX - base - 1), -hipFileHipPointerRangeError);
    assert_int_equal(put_in(64, 100), -hipFileInvalidValue); /* no memory at all */
}

static void an_empty_range_is_accepted_and_never_found(void **state)
{
    (void)state;
    assert_int_equal(put_in(base + 10, 0), 0);
    assert_int_equal(put_in(base + 10, 0), -hipFileMemoryAlreadyRegistered);
    expect(base + 10, 0, 0);
    assert_int_equal(hf_buffers_deregister((void *)(base + 10)), 0);
}

/* Also with length 0: an address that is nothing is no buffer. */
static void pageable_memory_must_be_there_and_readable(void **state)
{
    char *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_int_equal(put_in((uintptr_t)pages, 8192), 0);
    assert_int_equal(hf_buffers_deregister(pages), 0);
    assert_int_equal(put_in((uintptr_t)pages, SIZE_MAX), -hipFileHipPointerRangeError);
    assert_int_equal(put_in((uintptr_t)pages, -(uintptr_t)pages + 1), -hipFileHipPointerRangeError);
    mprotect(pages + 4096, 4096, PROT_NONE);
    assert_int_equal(put_in((uintptr_t)pages, 8192), -hipFileInvalidValue);
    assert_int_equal(put_in((uintptr_t)pages + 4096, 0), -hipFileInvalidValue);
    munmap(pages, 8192);
    assert_int_equal(put_in((uintptr_t)pages, 1), -hipFileInvalidValue);
    assert_int_equal(put_in((uintptr_t)pages, 0), -hipFileInvalidValue);
}

static void the_sum_of_lengths_is_bounded(void **state)
{
    (void)state;
    set(HF_SET_MAX_DEVICE_PINNED_MEM_SIZE_KB, 8);
    assert_int_equal(put_in(base, 8193), -hipFileGPUMemoryPinningFailed);
    assert_int_equal(put_in(base, 8000), 0);
    assert_int_equal(put_in(base + 1, 193), -hipFileGPUMemoryPinningFailed);
    assert_int_equal(put_in(base + 1, 192), 0);
    assert_int_equal(hf_buffers_deregister((void *)base), 0);
    assert_int_equal(put_in(base + 2, 8000), 0);
    hf_buffers_deregister_all();
    assert_int_equal(put_in(base, 8192), 0);
}

static void a_busy_buffer_stays(void **state)
{
    struct hf_buffer *buffer;

    (void)state;
    assert_int_equal(put_in(base, 100), 0);
    buffer = hf_buffer_find((void *)base);
    assert_int_equal(hf_buffers_deregister((void *)base), -hipFileInternalError);
    expect(base, base, 100);
    hf_buffers_deregister_all(); /* forgotten at once, freed by its user */
    expect(base, 0, 0);
    assert_int_equal(buffer->length, 100);
    assert_int_equal(put_in(base, 200), 0);
    assert_int_equal(buffer->length, 100);
    hf_buffer_put(buffer);
    expect(base, base, 200);
}

/* Against a plain list: many ranges, in no order, put in and taken out. */
#define MANY 200
static struct {
    uintptr_t base;
    size_t length;
} list[MANY];
static unsigned listed;

static unsigned next_random(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20);
}

static uintptr_t furthest(uintptr_t address)
{
    uintptr_t end = 0;

    for (unsigned i = 0; i < listed; i++)
        if (address >= list[i].base && address < list[i].base + list[i].length &&
            list[i].base + list[i].length > end)
            end = list[i].base + list[i].length;
    return end;
}

static void check_against_list(void)
{
    for (int i = 0; i < 50; i++) {
        uintptr_t address = base + next_random() % MIB;
        struct hf_buffer *buffer = hf_buffer_find((void *)address);
        uintptr_t end = furthest(address);

        assert_int_equal(buffer ? buffer->base + buffer->length : 0, end);
        if (buffer)
            hf_buffer_put(buffer);
    }
}

static void many_ranges_are_kept_in_order(void **state)
{
    (void)state;
    listed = 0;
    for (int step = 0; step < 2000; step++) {
        if (listed < MANY && next_random() % 3) {
            uintptr_t at = base + next_random() % MIB;
            size_t length = next_random() % 30000;
            int err = put_in(at, length);

            for (unsigned i = 0; i < listed && err == 0; i++)
                assert_int_not_equal(list[i].base, at);
            if (err == 0) {
                list[listed].base = at;
                list[listed++].length = length;
            }
        } else if (listed) {
            unsigned which = next_random() % listed;

            assert_int_equal(hf_buffers_deregister((void *)list[which].base), 0);
            list[which] = list[--listed];
        }
        if (step % 10 == 0)
            check_against_list();
    }
}

/* Readers look up one range that stays while writers put in and take out others around it. */
static atomic_bool stop;
static atomic_uint wrong;

static void *reader(void *argument)
{
    (void)argument;
    while (!stop) {
        struct hf_buffer *buffer = hf_buffer_find((void *)(base + MIB / 2));

        if (!buffer || buffer->base != base || buffer->length != MIB)
            atomic_fetch_add(&wrong, 1);
        if (buffer)
            hf_buffer_put(buffer);
    }
    return NULL;
}

static void *writer(void *argument)
{
    uintptr_t mine = base + 2 * MIB + (uintptr_t)argument * 65536;

    while (!stop) {
        if (put_in(mine, 100) != 0 || hf_buffers_deregister((void *)mine) != 0)
            atomic_fetch_add(&wrong, 1);
        sched_yield();
    }
    return NULL;
}

static void readers_see_whole_tables(void **state)
{
    pthread_t threads[6];

    (void)state;
    assert_int_equal(put_in(base, MIB), 0);
    for (uintptr_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < 3 ? reader : writer, (void *)i), 0);
    usleep(300000);
    stop = true;
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_range_is_found_by_any_of_its_bytes, begin),
        cmocka_unit_test_setup(the_range_that_reaches_furthest_is_found, begin),
        cmocka_unit_test_setup(what_is_refused, begin),
        cmocka_unit_test_setup(an_empty_range_is_accepted_and_never_found, begin),
        cmocka_unit_test_setup(pageable_memory_must_be_there_and_readable, begin),
        cmocka_unit_test_setup(the_sum_of_lengths_is_bounded, begin),
        cmocka_unit_test_setup(a_busy_buffer_stays, begin),
        cmocka_unit_test_setup(many_ranges_are_kept_in_order, begin),
        cmocka_unit_test_setup(readers_see_whole_tables, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
