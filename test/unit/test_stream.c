// SPDX-License-Identifier: MIT
/* What operations in streams stand on: slots, holds and the lanes' priority, what is kept on
   shelves, what is known of a stream. On hiplite's CPU device. */
#include "unit.h"

#include <pthread.h>

#include "base/settings.h"
#include "base/shelf.h"
#include "core/slots.h"
#include "core/stream.h"
#include "hip/hold.h"
#include "hip/lane.h"
#include "hip/pinned.h"
#include "hip/stream.h"
#include "hipfile.h"

#define HIGH   (-1)
#define NORMAL 0
#define LOW    1

/* --- Slots ---------------------------------------------------------------------------------- */

static hipStream_t make_stream(void)
{
    hipStream_t stream;

    assert_int_equal(hf_hip.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    return stream;
}

/* The same word a million times, with values that only grow; a stream waits for some of them. */
static void test_slot_is_used_again(void **state)
{
    struct hf_hip_stream stream = {.handle = make_stream()};
    uint64_t *word = NULL;
    uint64_t value = 0;

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        struct hf_slot *slot;
        bool waits = i % 1000 == 0;

        assert_int_equal(hf_slot_get(0, &slot), 0);
        assert_true(word == NULL || slot->word == word);
        assert_true(slot->value > value);
        word = slot->word;
        value = slot->value;
        if (waits) {
            assert_int_equal(hf_hip_stream_wait(&stream, slot->word, slot->value), 0);
            assert_int_equal(hipStreamQuery(stream.handle), hipErrorNotReady);
        }
        hf_slot_raise(slot);
        assert_true(*word == value);
        hf_slot_put(slot);
        if (waits)
            assert_int_equal(hf_hip_stream_drain(&stream), 0);
    }
    assert_int_equal(hipStreamDestroy(stream.handle), hipSuccess);
}

static void test_slots_in_use_are_different(void **state)
{
    struct hf_slot *slots[100];

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(hf_slot_get(0, &slots[i]), 0);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(slots[i]->word, slots[j]->word);
    }
    for (int i = 0; i < 100; i++)
        hf_slot_put(slots[i]);
}

/* --- Holds ---------------------------------------------------------------------------------- */

static int lanes_priority(void)
{
    unsigned level = hf_hold_enter_level(0);

    hf_hold_leave_level(0, level);
    return hf_hold_priority(0, level);
}

static int restart_holds(void **state)
{
    (void)state;
    hf_hold_forget();
    return 0;
}

static void test_lanes_keep_away(void **state)
{
    (void)state;
    assert_int_not_equal(lanes_priority(), NORMAL);
    assert_int_equal(hf_hold_begin(0, NORMAL), HF_HOLD_APART);
    assert_int_equal(lanes_priority(), HIGH);
    assert_int_equal(hf_hold_begin(0, HIGH), HF_HOLD_APART);
    assert_int_equal(lanes_priority(), LOW);
    assert_int_equal(hf_holds(), 2);
    assert_int_equal(hf_hold_begin(0, LOW), HF_HOLD_NONE);
    assert_int_equal(hf_holds(), 2);
    assert_int_equal(lanes_priority(), LOW);
    hf_hold_end(0, NORMAL);
    assert_int_equal(hf_hold_begin(0, LOW), HF_HOLD_APART); /* now there is one left */
    assert_int_equal(lanes_priority(), NORMAL);
    hf_hold_end(0, LOW);
    hf_hold_end(0, HIGH);
    assert_int_equal(hf_holds(), 0);
}

/* A priority beyond the range is the nearest one's. */
static void test_priority_out_of_range(void **state)
{
    (void)state;
    assert_int_equal(hf_hold_begin(0, -100), HF_HOLD_APART);
    assert_int_equal(lanes_priority(), LOW);
    assert_int_equal(hf_hold_begin(0, 100), HF_HOLD_APART);
    assert_int_equal(lanes_priority(), NORMAL);
    hf_hold_end(0, 100);
    hf_hold_end(0, -100);
}

static hipError_t one_priority(int *least, int *greatest)
{
    *least = *greatest = 0;
    return hipSuccess;
}

static hipError_t no_priorities(int *least, int *greatest)
{
    (void)least;
    (void)greatest;
    return hipErrorNotSupported;
}

static void test_device_with_one_priority(void **state)
{
    __typeof__(hf_hip.hipDeviceGetStreamPriorityRange) real =
        hf_hip.hipDeviceGetStreamPriorityRange;

    (void)state;
    hf_hip.hipDeviceGetStreamPriorityRange = one_priority;
    assert_int_equal(hf_hold_begin(0, 0), HF_HOLD_SHARED);
    hf_hold_end(0, 0);
    hf_hold_forget();
    hf_hip.hipDeviceGetStreamPriorityRange = no_priorities;
    assert_int_equal(hf_hold_begin(0, 0), HF_HOLD_SHARED);
    hf_hold_end(0, 0);
    hf_hip.hipDeviceGetStreamPriorityRange = real;
}

static atomic_bool begun;

static void *begin_high(void *argument)
{
    (void)argument;
    assert_int_equal(hf_hold_begin(0, HIGH), HF_HOLD_APART);
    begun = true;
    return NULL;
}

/* An operation at the lanes' priority is not queued before the lanes in use there have come back.
 */
static void test_lanes_in_use_come_back_first(void **state)
{
    struct hf_lane *in_use, *other;
    pthread_t thread;

    (void)state;
    begun = false;
    assert_int_equal(hf_lane_get(0, &in_use), 0);
    assert_int_equal(hf_hold_priority(0, in_use->level), HIGH);
    pthread_create(&thread, NULL, begin_high, NULL);
    while (lanes_priority() == HIGH)
        sched_yield();
    assert_int_equal(hf_lane_get(0, &other), 0); /* at the new one, without delay */
    assert_int_equal(hf_hold_priority(0, other->level), LOW);
    assert_false(begun);
    hf_lane_put(in_use);
    pthread_join(thread, NULL);
    assert_true(begun);
    hf_lane_put(other);
    hf_hold_end(0, HIGH);
}

static void test_lane_has_its_priority(void **state)
{
    struct hf_lane *lane;
    int priority = 77;

    (void)state;
    assert_int_equal(hf_hold_begin(0, HIGH), HF_HOLD_APART);
    assert_int_equal(hf_lane_get(0, &lane), 0);
    assert_int_equal(hf_hip.hipStreamGetPriority(lane->stream, &priority), hipSuccess);
    assert_int_equal(priority, LOW);
    hf_lane_put(lane);
    hf_hold_end(0, HIGH);
}

/* --- Pinned buffers while something is held -------------------------------------------------- */

static void *get_in_worker(void *argument)
{
    int *err = argument;
    struct hf_pinned *buffer[2];

    hf_hip_enter_worker();
    assert_true(hf_hip_in_worker());
    assert_int_equal(hf_pinned_get(4096, true, &buffer[0]), 0);
    *err = hf_pinned_get(4096, false, &buffer[1]);
    if (*err == 0)
        hf_pinned_put(buffer[1]);
    hf_pinned_put(buffer[0]);
    return NULL;
}

static int second_buffer_in_worker(void)
{
    pthread_t thread;
    int err = 1;

    pthread_create(&thread, NULL, get_in_worker, &err);
    pthread_join(thread, NULL);
    return err;
}

static void test_workers_make_no_buffers(void **state)
{
    size_t one;

    (void)state;
    hf_pinned_forget();
    assert_int_equal(hf_pinned_prepare(1), 0);
    one = hf_pinned_total();
    assert_int_equal(hf_hold_begin(0, NORMAL), HF_HOLD_APART);
    assert_int_equal(second_buffer_in_worker(), -EAGAIN);
    assert_true(hf_pinned_total() == one);
    assert_int_equal(hf_pinned_prepare(2), 0); /* a submission may */
    assert_int_equal(second_buffer_in_worker(), 0);
    assert_true(hf_pinned_total() == 2 * one);
    hf_hold_end(0, NORMAL);
}

static void test_nothing_is_freed_while_held(void **state)
{
    size_t before;

    (void)state;
    hf_pinned_forget();
    assert_int_equal(hf_pinned_prepare(3), 0);
    before = hf_pinned_total();
    atomic_store(&hf_settings_in_force[HF_SET_PER_BUFFER_CACHE_SIZE_KB], 256);
    assert_int_equal(hf_hold_begin(0, NORMAL), HF_HOLD_APART);
    hf_pinned_resize();
    assert_true(hf_pinned_total() == before);
    assert_true(hf_pinned_size() == before / 3);
    hf_hold_end(0, NORMAL);
    hf_pinned_resize();
    assert_true(hf_pinned_total() == 0);
    assert_true(hf_pinned_size() == 256 * 1024);
}

/* --- Shelves --------------------------------------------------------------------------------- */

#define KEPT 200

static void test_shelf_keeps_all(void **state)
{
    static struct hf_kept things[KEPT];
    static struct hf_shelf shelf = HF_SHELF_INITIALIZER;
    bool seen[KEPT] = {false};
    struct hf_kept *kept;

    (void)state;
    assert_null(hf_shelf_take(&shelf));
    for (int i = 0; i < KEPT; i++)
        hf_shelf_put(&shelf, &things[i]);
    for (int i = 0; i < KEPT; i++) {
        kept = hf_shelf_take(&shelf);
        assert_non_null(kept);
        assert_false(seen[kept - things]);
        seen[kept - things] = true;
    }
    assert_null(hf_shelf_take(&shelf));
}

struct user {
    pthread_t thread;
    struct hf_shelf *shelf;
    atomic_int *owners;
    struct hf_kept *things;
};

static void *take_and_put(void *argument)
{
    struct user *user = argument;

    for (int i = 0; i < 50000; i++) {
        struct hf_kept *kept = hf_shelf_take(user->shelf);

        if (!kept)
            continue;
        assert_int_equal(atomic_fetch_add(&user->owners[kept - user->things], 1), 0);
        atomic_fetch_sub(&user->owners[kept - user->things], 1);
        hf_shelf_put(user->shelf, kept);
    }
    return NULL;
}

static void test_shelf_between_threads(void **state)
{
    static struct hf_kept things[40];
    static atomic_int owners[40];
    static struct hf_shelf shelf = HF_SHELF_INITIALIZER;
    struct user users[4];
    int found = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        hf_shelf_put(&shelf, &things[i]);
    for (int i = 0; i < 4; i++) {
        users[i] = (struct user){.shelf = &shelf, .owners = owners, .things = things};
        pthread_create(&users[i].thread, NULL, take_and_put, &users[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(users[i].thread, NULL);
    while (hf_shelf_take(&shelf))
        found++;
    assert_int_equal(found, 40);
}

/* --- What is known of a stream --------------------------------------------------------------- */

static void test_registration(void **state)
{
    hipStream_t handle = make_stream();
    struct hf_stream *stream, *again;
    unsigned flags = 77;

    (void)state;
    stream = hf_stream_enter(handle, &flags);
    assert_int_equal(flags, 0);
    assert_int_equal(hf_stream_register(handle, 5), 0);
    again = hf_stream_enter(handle, &flags);
    assert_ptr_equal(again, stream); /* one lock for all submitters */
    assert_int_equal(flags, 5);
    assert_int_equal(hf_stream_deregister(handle), 0);
    assert_int_equal(hf_stream_deregister(handle), -hipFileInvalidValue);
    hf_stream_leave(again);
    again = hf_stream_enter(handle, &flags);
    assert_ptr_equal(again, stream);
    assert_int_equal(flags, 0);
    hf_stream_leave(again);
    hf_stream_leave(stream);

    assert_int_equal(hf_stream_register(handle, 15), 0);
    hf_stream_deregister_all();
    assert_int_equal(hf_stream_deregister(handle), -hipFileInvalidValue);
    assert_int_equal(hipStreamDestroy(handle), hipSuccess);
}

static void test_many_registrations(void **state)
{
    enum { MANY = 1000 };
    hipStream_t streams[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        streams[i] = make_stream();
        assert_int_equal(hf_stream_register(streams[i], (unsigned)i % 16), 0);
    }
    for (int i = 0; i < MANY; i++) {
        unsigned flags;
        struct hf_stream *stream = hf_stream_enter(streams[i], &flags);

        assert_int_equal(flags, (unsigned)i % 16);
        hf_stream_leave(stream);
        assert_int_equal(hf_stream_deregister(streams[i]), 0);
        assert_int_equal(hipStreamDestroy(streams[i]), hipSuccess);
    }
}

static int start(void **state)
{
    (void)state;
    setenv("HIPLITE_DEVICE", "cpu", 1);
    hf_settings_load();
    return hf_hip_load();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot_is_used_again),
        cmocka_unit_test(test_slots_in_use_are_different),
        cmocka_unit_test_setup(test_lanes_keep_away, restart_holds),
        cmocka_unit_test_setup(test_priority_out_of_range, restart_holds),
        cmocka_unit_test_setup_teardown(test_device_with_one_priority, restart_holds,
                                        restart_holds),
        cmocka_unit_test_setup(test_lanes_in_use_come_back_first, restart_holds),
        cmocka_unit_test_setup(test_lane_has_its_priority, restart_holds),
        cmocka_unit_test_setup(test_workers_make_no_buffers, restart_holds),
        cmocka_unit_test_setup(test_nothing_is_freed_while_held, restart_holds),
        cmocka_unit_test(test_shelf_keeps_all),
        cmocka_unit_test(test_shelf_between_threads),
        cmocka_unit_test(test_registration),
        cmocka_unit_test(test_many_registrations),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
