// SPDX-License-Identifier: MIT
#include "hip/lane.h"

#include "base/refs.h"
#include "base/status.h"
#include "fake_hip.h"
#include "hip/device.h"
#include "hip/hold.h"

static int begin(void **state)
{
    (void)state;
    hf_lane_forget();
    hf_hold_forget();
    hip_reset(2);
    return 0;
}

static void a_lane_given_back_is_taken_again(void **state)
{
    struct hf_lane *first, *again, *other;

    (void)state;
    assert_int_equal(hf_lane_get(0, &first), 0);
    hf_lane_put(first);
    assert_int_equal(hf_lane_get(1, &other), 0); /* of another device: not that one */
    assert_ptr_not_equal(other, first);
    assert_int_equal(other->device, 1);
    assert_int_equal(hf_lane_get(0, &again), 0);
    assert_ptr_equal(again, first);
    assert_int_equal(fake.calls[HIP_STREAM_CREATE], 2);
}

/* Destroying one would wait for its stream. */
static void any_number_of_lanes_is_kept(void **state)
{
    enum { MANY = HF_SHARDS * HF_SHELF_PLACES + 3 };
    struct hf_lane *lanes[MANY];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MANY; i++)
            assert_int_equal(hf_lane_get(0, &lanes[i]), 0);
        for (unsigned i = 0; i < MANY; i++)
            hf_lane_put(lanes[i]);
    }
    assert_int_equal(fake.calls[HIP_STREAM_CREATE], MANY);
    assert_int_equal(fake.calls[HIP_STREAM_DESTROY], 0);
}

static void a_creation_that_fails_leaves_nothing(void **state)
{
    struct hf_lane *lane;

    (void)state;
    hip_fail(HIP_STREAM_CREATE, 1, hipErrorOutOfMemory);
    assert_int_equal(hf_lane_get(0, &lane), hf_status_from_hip(hipErrorOutOfMemory));
    assert_int_equal(fake.calls[HIP_STREAM_DESTROY], 0);
    for (unsigned n = 1; n <= HF_LANE_DEPTH; n++) {
        hip_reset(2);
        hip_fail(HIP_EVENT_CREATE, n, hipErrorInvalidValue);
        assert_int_equal(hf_lane_get(0, &lane), hf_status_from_hip(hipErrorInvalidValue));
        assert_int_equal(fake.calls[HIP_STREAM_DESTROY], 1);
        assert_int_equal(fake.calls[HIP_EVENT_DESTROY], n - 1);
    }
    hip_reset(2);
    assert_int_equal(hf_lane_get(0, &lane), 0);
}

static hipStreamCaptureMode capture_mode(void)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;

    hf_hip.hipThreadExchangeStreamCaptureMode(&mode);
    hf_hip.hipThreadExchangeStreamCaptureMode(&(hipStreamCaptureMode){mode});
    return mode;
}

static void a_thread_with_a_lane_takes_no_part_in_capture(void **state)
{
    struct hf_lane *lane;

    (void)state;
    assert_int_equal(capture_mode(), hipStreamCaptureModeGlobal);
    assert_int_equal(hf_lane_get(0, &lane), 0);
    assert_int_equal(capture_mode(), hipStreamCaptureModeRelaxed);
    hf_lane_put(lane);
    assert_int_equal(capture_mode(), hipStreamCaptureModeGlobal);
    hf_lane_forget();
    hip_fail(HIP_STREAM_CREATE, 2, hipErrorOutOfMemory);
    assert_int_equal(hf_lane_get(0, &lane), hf_status_from_hip(hipErrorOutOfMemory));
    assert_int_equal(capture_mode(), hipStreamCaptureModeGlobal);
}

static void a_device_out_of_range_is_refused(void **state)
{
    struct hf_lane *lane;

    (void)state;
    assert_int_equal(hf_lane_get(HF_MAX_DEVICES, &lane), -hipFileDeviceNotSupported);
    assert_int_equal(hf_lane_get(-1, &lane), -hipFileDeviceNotSupported);
}

static void copies_go_where_they_say(void **state)
{
    char host[16] = "host", device[16] = "device";
    struct hf_lane *lane;

    (void)state;
    assert_int_equal(hf_lane_get(0, &lane), 0);
    assert_int_equal(hf_lane_copy_in(lane, 0, (uintptr_t)device, host, 5), 0);
    assert_string_equal(device, "host");
    strcpy(device, "other");
    assert_int_equal(hf_lane_copy_out(lane, 1, host, (uintptr_t)device, 6), 0);
    assert_string_equal(host, "other");
    assert_int_equal(hf_lane_wait(lane, 0), 0);
    assert_int_equal(hf_lane_drain(lane), 0);
    hip_fail(HIP_COPY, 3, hipErrorUnknown);
    assert_int_equal(hf_lane_copy_in(lane, 0, (uintptr_t)device, host, 5),
                     hf_status_from_hip(hipErrorUnknown));
    hip_fail(HIP_EVENT_RECORD, fake.calls[HIP_EVENT_RECORD] + 1, hipErrorNotReady);
    assert_int_equal(hf_lane_copy_in(lane, 0, (uintptr_t)device, host, 5),
                     hf_status_from_hip(hipErrorNotReady));
    hip_fail(HIP_EVENT_SYNC, 2, hipErrorLaunchFailure);
    assert_int_equal(hf_lane_wait(lane, 0), hf_status_from_hip(hipErrorLaunchFailure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_lane_given_back_is_taken_again, begin),
        cmocka_unit_test_setup(any_number_of_lanes_is_kept, begin),
        cmocka_unit_test_setup(a_creation_that_fails_leaves_nothing, begin),
        cmocka_unit_test_setup(a_thread_with_a_lane_takes_no_part_in_capture, begin),
        cmocka_unit_test_setup(a_device_out_of_range_is_refused, begin),
        cmocka_unit_test_setup(copies_go_where_they_say, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
