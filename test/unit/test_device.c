// SPDX-License-Identifier: MIT
#include "hip/device.h"

#include "base/status.h"
#include "fake_hip.h"

static void the_current_device_comes_back(void **state)
{
    struct hf_device_scope scope;

    (void)state;
    hip_reset(3);
    fake_device = 1;
    assert_int_equal(hf_device_enter(2, &scope), 0);
    assert_int_equal(fake_device, 2);
    hf_device_leave(&scope);
    assert_int_equal(fake_device, 1);
    assert_int_equal(hf_device_enter(1, &scope), 0);
    hf_device_leave(&scope);
    assert_int_equal(fake.calls[HIP_SET_DEVICE], 2); /* none for the one that is current */
}

static void a_single_device_costs_no_call(void **state)
{
    struct hf_device_scope scope;

    (void)state;
    hip_reset(1);
    assert_int_equal(hf_device_enter(0, &scope), 0);
    hf_device_leave(&scope);
    assert_int_equal(fake.calls[HIP_GET_DEVICE], 0);
    assert_int_equal(fake.calls[HIP_SET_DEVICE], 0);
}

static void a_switch_that_fails_leaves_nothing(void **state)
{
    static const enum hip_call calls[] = {HIP_GET_DEVICE, HIP_SET_DEVICE};
    struct hf_device_scope scope;

    (void)state;
    for (int i = 0; i < 2; i++) {
        hip_reset(3);
        hip_fail(calls[i], 1, hipErrorInvalidDevice);
        assert_int_equal(hf_device_enter(2, &scope), hf_status_from_hip(hipErrorInvalidDevice));
        hf_device_leave(&scope);
        assert_int_equal(fake_device, 0);
        assert_int_equal(fake_pending, hipSuccess);
    }
}

static void our_error_does_not_stay_behind(void **state)
{
    struct hf_device_scope scope;

    (void)state;
    hip_reset(1);
    hf_device_enter_any(&scope);
    fake_pending = hipErrorOutOfMemory;
    hf_device_leave(&scope);
    assert_int_equal(fake_pending, hipSuccess);
}

static void the_callers_error_stays(void **state)
{
    struct hf_device_scope scope;

    (void)state;
    hip_reset(1);
    fake_pending = hipErrorIllegalAddress;
    hf_device_enter_any(&scope);
    hf_device_leave(&scope);
    assert_int_equal(fake_pending, hipErrorIllegalAddress);
}

static pthread_t ran_on;

static void fail_inside(void *argument)
{
    ran_on = pthread_self();
    *(int *)argument = 1;
    fake_pending = hipErrorOutOfMemory;
}

static void isolation_keeps_a_pending_error(void **state)
{
    int ran = 0;

    (void)state;
    hip_reset(1);
    fake_pending = hipErrorIllegalAddress;
    hf_device_isolate(fail_inside, &ran);
    assert_int_equal(ran, 1);
    assert_int_equal(fake_pending, hipErrorIllegalAddress);
    assert_false(pthread_equal(ran_on, pthread_self()));
}

static void isolation_without_one_stays_on_the_thread_and_clears_ours(void **state)
{
    int ran = 0;

    (void)state;
    hip_reset(1);
    hf_device_isolate(fail_inside, &ran);
    assert_int_equal(ran, 1);
    assert_true(pthread_equal(ran_on, pthread_self()));
    assert_int_equal(fake_pending, hipSuccess);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_current_device_comes_back),
        cmocka_unit_test(a_single_device_costs_no_call),
        cmocka_unit_test(a_switch_that_fails_leaves_nothing),
        cmocka_unit_test(our_error_does_not_stay_behind),
        cmocka_unit_test(the_callers_error_stays),
        cmocka_unit_test(isolation_keeps_a_pending_error),
        cmocka_unit_test(isolation_without_one_stays_on_the_thread_and_clears_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
