// SPDX-License-Identifier: MIT
#include "base/shelf.h"

#include <sched.h>

#include "unit.h"

#define THINGS 100 /* more than there are places */

struct thing {
    struct hf_kept kept;
    atomic_int users;
};

static struct hf_shelf shelf = HF_SHELF_INITIALIZER;
static struct thing things[THINGS];

static void nothing_is_refused_or_lost(void **state)
{
    bool seen[THINGS] = {false};
    struct hf_kept *kept;

    (void)state;
    assert_null(hf_shelf_take(&shelf));
    for (int i = 0; i < THINGS; i++)
        hf_shelf_put(&shelf, &things[i].kept);
    for (int i = 0; i < THINGS; i++) {
        kept = hf_shelf_take(&shelf);
        assert_non_null(kept);
        assert_false(seen[(struct thing *)kept - things]);
        seen[(struct thing *)kept - things] = true;
    }
    assert_null(hf_shelf_take(&shelf));
}

static void a_thread_takes_back_what_it_put(void **state)
{
    (void)state;
    hf_shelf_put(&shelf, &things[7].kept);
    assert_ptr_equal(hf_shelf_take(&shelf), &things[7].kept);
}

static atomic_uint wrong;

static void *take_and_put(void *argument)
{
    for (int i = 0; i < 5000; i++) {
        struct thing *thing = (struct thing *)hf_shelf_take(&shelf);

        if (!thing) {
            sched_yield();
            continue;
        }
        if (atomic_fetch_add(&thing->users, 1) != 0)
            atomic_fetch_add(&wrong, 1);
        atomic_fetch_sub(&thing->users, 1);
        hf_shelf_put(&shelf, &thing->kept);
    }
    return argument;
}

static void a_thing_has_one_user_at_a_time(void **state)
{
    pthread_t threads[8];

    (void)state;
    for (int i = 0; i < 50; i++)
        hf_shelf_put(&shelf, &things[i].kept);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_put, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    for (int i = 0; i < 50; i++)
        assert_non_null(hf_shelf_take(&shelf));
    assert_null(hf_shelf_take(&shelf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_refused_or_lost),
        cmocka_unit_test(a_thread_takes_back_what_it_put),
        cmocka_unit_test(a_thing_has_one_user_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
