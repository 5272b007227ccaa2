// SPDX-License-Identifier: MIT
#include "base/refs.h"

#include <sched.h>

#include "unit.h"

static struct hf_refs *new_refs(void)
{
    struct hf_refs *refs = aligned_alloc(HF_CACHE_LINE, sizeof *refs);

    assert_non_null(refs);
    memset(refs, 0, sizeof *refs);
    return refs;
}

static void an_object_goes_when_closed_and_put(void **state)
{
    struct hf_refs *refs = new_refs();
    bool last = true;
    uint64_t use = hf_refs_open(refs);

    (void)state;
    assert_int_not_equal(use, 0);
    assert_true(hf_refs_is_open(refs));
    assert_true(hf_refs_get(refs, use));
    assert_false(hf_refs_idle(refs));
    assert_true(hf_refs_close(refs, use, &last));
    assert_false(last);
    assert_false(hf_refs_is_open(refs));
    assert_false(hf_refs_is_free(refs));
    assert_false(hf_refs_get(refs, use)); /* too late, and taken all the same */
    assert_false(hf_refs_put(refs));
    assert_true(hf_refs_put(refs));
    hf_refs_free(refs);
    assert_true(hf_refs_is_free(refs));
    free(refs);
}

static void an_idle_object_goes_at_the_close(void **state)
{
    struct hf_refs *refs = new_refs();
    uint64_t use = hf_refs_open(refs);
    bool last = false;

    (void)state;
    assert_true(hf_refs_close(refs, use, &last));
    assert_true(last);
    assert_false(hf_refs_close(refs, use, &last));
    free(refs);
}

static void a_later_use_is_another_one(void **state)
{
    struct hf_refs *refs = new_refs();
    uint64_t first = hf_refs_open(refs), second;
    bool last;

    (void)state;
    hf_refs_close(refs, first, &last);
    hf_refs_free(refs);
    second = hf_refs_open(refs);
    assert_int_not_equal(first, second);
    assert_int_equal(hf_refs_use(refs), second);
    assert_false(hf_refs_get(refs, first));
    assert_false(hf_refs_put(refs));
    assert_false(hf_refs_close(refs, first, &last));
    assert_true(hf_refs_is_open(refs));
    assert_true(hf_refs_get(refs, 0));
    assert_false(hf_refs_put(refs));
    free(refs);
}

static void a_reset_object_is_free(void **state)
{
    struct hf_refs *refs = new_refs();
    uint64_t use = hf_refs_open(refs);

    (void)state;
    hf_refs_get(refs, use);
    hf_refs_reset(refs);
    assert_true(hf_refs_is_free(refs));
    assert_true(hf_refs_idle(refs));
    assert_int_not_equal(hf_refs_open(refs), use);
    free(refs);
}

/* Threads take and give while the object is closed and opened again and again: nobody may hold a
   reference of a use that has been freed, and each use is freed exactly once. */
#define THREADS 8
#define USES    500

static struct hf_refs *shared;
static _Atomic uint64_t current;
static atomic_uint freed, wrong;
static _Atomic uint64_t freed_use;
static atomic_bool stop;

static void free_shared(void)
{
    atomic_store(&freed_use, hf_refs_use(shared));
    hf_refs_free(shared);
    atomic_fetch_add(&freed, 1); /* it is opened anew as soon as this is seen */
}

static void *use_it(void *argument)
{
    (void)argument;
    while (!stop) {
        uint64_t use = current;
        bool got = use && hf_refs_get(shared, use);

        if (got && atomic_load(&freed_use) >= use)
            atomic_fetch_add(&wrong, 1);
        if (use && hf_refs_put(shared))
            free_shared();
        if (!use)
            sched_yield();
    }
    return NULL;
}

static void each_use_is_freed_once_and_after_its_last_reference(void **state)
{
    pthread_t threads[THREADS];
    unsigned uses = 0;

    (void)state;
    shared = new_refs();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_it, NULL), 0);
    for (unsigned i = 0; i < USES; i++) {
        uint64_t use = hf_refs_open(shared);
        bool last = false;

        current = use;
        uses++;
        if (i % 16 == 0)
            sched_yield();
        assert_true(hf_refs_close(shared, use, &last));
        current = 0;
        if (last)
            free_shared();
        while (freed < uses)
            sched_yield();
    }
    stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(freed, uses);
    assert_int_equal(wrong, 0);
    assert_true(hf_refs_idle(shared));
    free(shared);
}

static void *put_it(void *refs)
{
    return (void *)(uintptr_t)hf_refs_put(refs);
}

static void a_reference_may_be_put_by_another_thread(void **state)
{
    struct hf_refs *refs = new_refs();
    uint64_t use = hf_refs_open(refs);
    pthread_t thread;
    bool last;
    void *was_last;

    (void)state;
    assert_true(hf_refs_get(refs, use));
    assert_true(hf_refs_close(refs, use, &last));
    assert_int_equal(pthread_create(&thread, NULL, put_it, refs), 0);
    pthread_join(thread, &was_last);
    assert_int_equal((uintptr_t)was_last, true);
    free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_goes_when_closed_and_put),
        cmocka_unit_test(an_idle_object_goes_at_the_close),
        cmocka_unit_test(a_later_use_is_another_one),
        cmocka_unit_test(a_reset_object_is_free),
        cmocka_unit_test(a_reference_may_be_put_by_another_thread),
        cmocka_unit_test(each_use_is_freed_once_and_after_its_last_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
