// SPDX-License-Identifier: MIT
#include "hip/pinned.h"

#include "base/status.h"
#include "fake_hip.h"

#define KIB ((size_t)1024)

/* A pool of four buffers of 64 KiB. */
static int begin(void **state)
{
    (void)state;
    hf_pinned_forget();
    hip_reset(1);
    set(HF_SET_PER_BUFFER_CACHE_SIZE_KB, 64);
    set(HF_SET_MAX_DEVICE_CACHE_SIZE_KB, 256);
    return 0;
}

static void buffers_are_kept_and_taken_again(void **state)
{
    struct hf_pinned *first, *again;

    (void)state;
    assert_int_equal(hf_pinned_get(100, true, &first), 0);
    assert_int_equal(first->size, 64 * KIB);
    assert_int_equal((uintptr_t)first->host % 4096, 0);
    assert_int_equal(hf_pinned_total(), 64 * KIB);
    hf_pinned_put(first);
    assert_int_equal(hf_pinned_get(64 * KIB, true, &again), 0);
    assert_ptr_equal(again, first);
    assert_int_equal(fake.calls[HIP_HOST_MALLOC], 1);
    assert_int_equal(hf_pinned_total(), 64 * KIB);
}

static void the_pool_is_bounded(void **state)
{
    struct hf_pinned *buffer[4], *more;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(hf_pinned_get(64 * KIB, false, &buffer[i]), 0);
    assert_int_equal(hf_pinned_get(64 * KIB, false, &more), -EAGAIN);
    assert_int_equal(hf_pinned_total(), 256 * KIB);
    hf_pinned_put(buffer[2]);
    assert_int_equal(hf_pinned_get(64 * KIB, false, &more), 0);
    assert_int_equal(fake.calls[HIP_HOST_MALLOC], 4);
}

/* One buffer there always is, however small the limit. */
static void one_buffer_is_above_any_limit(void **state)
{
    struct hf_pinned *buffer, *more;

    (void)state;
    set(HF_SET_PER_BUFFER_CACHE_SIZE_KB, 1024);
    hf_pinned_forget();
    assert_int_equal(hf_pinned_get(1, false, &buffer), 0);
    assert_int_equal(hf_pinned_get(1, false, &more), -EAGAIN);
}

static void an_allocation_that_fails_is_not_counted(void **state)
{
    struct hf_pinned *buffer;

    (void)state;
    hip_fail(HIP_HOST_MALLOC, 1, hipErrorOutOfMemory);
    assert_int_equal(hf_pinned_get(1, true, &buffer), hf_status_from_hip(hipErrorOutOfMemory));
    assert_int_equal(hf_pinned_total(), 0);
    assert_int_equal(hf_pinned_get(1, true, &buffer), 0);
}

static void a_new_size_replaces_what_is_kept(void **state)
{
    struct hf_pinned *buffer, *used;

    (void)state;
    assert_int_equal(hf_pinned_get(1, true, &buffer), 0);
    assert_int_equal(hf_pinned_get(1, true, &used), 0);
    hf_pinned_put(buffer);
    hf_pinned_resize();
    assert_int_equal(fake.calls[HIP_HOST_FREE], 0); /* same size: freeing would wait for streams */
    set(HF_SET_PER_BUFFER_CACHE_SIZE_KB, 128);
    hf_pinned_resize();
    assert_int_equal(fake.calls[HIP_HOST_FREE], 1);
    assert_int_equal(hf_pinned_size(), 64 * KIB); /* one is in use */
    assert_int_equal(hf_pinned_total(), 64 * KIB);
    hf_pinned_put(used);
    hf_pinned_resize();
    assert_int_equal(hf_pinned_total(), 0);
    assert_int_equal(hf_pinned_size(), 128 * KIB);
    assert_int_equal(hf_pinned_get(128 * KIB, true, &buffer), 0);
    assert_int_equal(buffer->size, 128 * KIB);
}

/* Freeing would wait for every stream. */
static void nothing_is_freed_while_in_use(void **state)
{
    struct hf_pinned *small, *large, *many[40];

    (void)state;
    assert_int_equal(hf_pinned_get(1, true, &small), 0);
    hf_pinned_put(small);
    assert_int_equal(hf_pinned_get(100 * KIB, true, &large), 0);
    assert_int_equal(large->size, 100 * KIB);
    assert_int_equal(hf_pinned_total(), 164 * KIB);
    hf_pinned_put(large);

    hf_pinned_forget();
    set(HF_SET_MAX_DEVICE_CACHE_SIZE_KB, 40 * 64);
    for (int i = 0; i < 40; i++)
        assert_int_equal(hf_pinned_get(1, false, &many[i]), 0);
    for (int i = 0; i < 40; i++)
        hf_pinned_put(many[i]);
    for (int i = 0; i < 40; i++)
        assert_int_equal(hf_pinned_get(1, false, &many[i]), 0);
    assert_int_equal(hf_pinned_total(), 40 * 64 * KIB);
    assert_int_equal(fake.calls[HIP_HOST_FREE], 0);
}

static void buffers_are_made_ahead(void **state)
{
    struct hf_pinned *buffer;

    (void)state;
    assert_int_equal(hf_pinned_prepare(3), 0);
    assert_int_equal(hf_pinned_total(), 3 * 64 * KIB);
    assert_int_equal(hf_pinned_prepare(2), 0);
    assert_int_equal(hf_pinned_prepare(100), 0); /* as many as the limit allows */
    assert_int_equal(hf_pinned_total(), 256 * KIB);
    assert_int_equal(hf_pinned_get(1, false, &buffer), 0);
    assert_int_equal(fake.calls[HIP_HOST_MALLOC], 4);
    hf_pinned_forget();
    hip_fail(HIP_HOST_MALLOC, 5, hipErrorOutOfMemory);
    assert_int_equal(hf_pinned_prepare(2), hf_status_from_hip(hipErrorOutOfMemory));
    assert_int_equal(hf_pinned_total(), 0);
}

static void *take_and_give(void *argument)
{
    for (int i = 0; i < 300; i++) {
        struct hf_pinned *buffer;

        if (hf_pinned_get(64 * KIB, true, &buffer) != 0)
            return argument;
        memset(buffer->host, 1, 64);
        hf_pinned_put(buffer);
    }
    return NULL;
}

static void many_threads_share_one_buffer(void **state)
{
    pthread_t threads[64];
    void *failed;

    (void)state;
    set(HF_SET_MAX_DEVICE_CACHE_SIZE_KB, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &fake), 0);
    for (int i = 0; i < 64; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(hf_pinned_total(), 64 * KIB);
    assert_int_equal(fake.calls[HIP_HOST_MALLOC], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(buffers_are_kept_and_taken_again, begin),
        cmocka_unit_test_setup(the_pool_is_bounded, begin),
        cmocka_unit_test_setup(one_buffer_is_above_any_limit, begin),
        cmocka_unit_test_setup(an_allocation_that_fails_is_not_counted, begin),
        cmocka_unit_test_setup(a_new_size_replaces_what_is_kept, begin),
        cmocka_unit_test_setup(nothing_is_freed_while_in_use, begin),
        cmocka_unit_test_setup(buffers_are_made_ahead, begin),
        cmocka_unit_test_setup(many_threads_share_one_buffer, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
