// SPDX-License-Identifier: MIT
#include "base/status.h"

#include "unit.h"

static void the_three_ranges_are_disjoint(void **state)
{
    (void)state;
    for (int e = 1; e <= HF_STATUS_ERRNO_MAX; e++) {
        assert_true(hf_status_is_errno(-e));
        assert_false(hf_status_is_hip(-e));
    }
    for (int code = HIPFILE_BASE_ERR; code <= hipFileIOMaxError; code++) {
        assert_false(hf_status_is_errno(-code));
        assert_false(hf_status_is_hip(-code));
    }
    for (int e = 1; e < 1100; e++) {
        int status = hf_status_from_hip((hipError_t)e);

        assert_true(hf_status_is_hip(status));
        assert_false(hf_status_is_errno(status));
    }
    assert_int_equal(hf_status_from_hip(hipSuccess), 0);
    assert_false(hf_status_is_errno(0));
    assert_false(hf_status_is_hip(0));
    assert_false(hf_status_is_errno(4096));
}

static void statuses_become_error_structs(void **state)
{
    static const struct {
        int status;
        hipFileOpError_t err;
        hipError_t hip;
    } rows[] = {
        {0, hipFileSuccess, hipSuccess},
        {7, hipFileSuccess, hipSuccess},
        {-EMFILE, hipFileGetNewFDFailed, hipSuccess},
        {-ENFILE, hipFileGetNewFDFailed, hipSuccess},
        {-EACCES, hipFilePermissionDenied, hipSuccess},
        {-EPERM, hipFilePermissionDenied, hipSuccess},
        {-EINVAL, hipFileInvalidValue, hipSuccess},
        {-EBADF, hipFileInternalError, hipSuccess},
        {-EIO, hipFileInternalError, hipSuccess},
        {-hipFileInvalidFileType, hipFileInvalidFileType, hipSuccess},
        {-hipFileBatchFull, hipFileBatchFull, hipSuccess},
        {-(HF_STATUS_HIP_BASE + 2), hipFileHipDriverError, hipErrorOutOfMemory},
        {-(HF_STATUS_HIP_BASE + 999), hipFileHipDriverError, hipErrorUnknown},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hipFileError_t error = hf_status_to_error(rows[i].status);

        assert_int_equal(error.err, rows[i].err);
        assert_int_equal(error.hip_drv_err, rows[i].hip);
    }
}

static void results_set_errno_only_with_minus_one(void **state)
{
    (void)state;
    errno = 12345;
    assert_int_equal(hf_status_to_result(4096), 4096);
    assert_int_equal(hf_status_to_result(0), 0);
    assert_int_equal(hf_status_to_result(-hipFileInvalidValue), -hipFileInvalidValue);
    assert_int_equal(hf_status_to_result(hf_status_from_hip(hipErrorUnknown)),
                     -hipFileHipDriverError);
    assert_int_equal(errno, 12345);
    assert_int_equal(hf_status_to_result(-EFBIG), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(hf_status_to_result(-EPERM), -1);
    assert_int_equal(errno, EPERM);
}

/* EPERM is 1, and a bare -1 in *bytes_p would say nothing. */
static void completions_keep_the_errno_and_are_never_minus_one(void **state)
{
    (void)state;
    for (int e = 1; e < 200; e++) {
        ssize_t completion = hf_status_to_completion(-e);

        assert_int_equal(completion, e == EPERM ? -hipFilePermissionDenied : -e);
    }
    assert_int_equal(hf_status_to_completion(17), 17);
    assert_int_equal(hf_status_to_completion(hf_status_from_hip(hipErrorInvalidValue)),
                     -hipFileHipDriverError);
}

static void *read_last_error(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)hf_status_last_hip_error();
}

static void the_hip_error_is_kept_for_the_thread(void **state)
{
    pthread_t thread;
    void *seen;

    (void)state;
    hf_status_to_result(hf_status_from_hip(hipErrorIllegalAddress));
    assert_int_equal(hf_status_last_hip_error(), hipErrorIllegalAddress);
    hf_status_to_result(100);
    hf_status_to_error(-hipFileInvalidValue);
    assert_int_equal(hf_status_last_hip_error(), hipErrorIllegalAddress);
    hf_status_to_error(hf_status_from_hip(hipErrorOutOfMemory));
    assert_int_equal(hf_status_last_hip_error(), hipErrorOutOfMemory);
    assert_int_equal(pthread_create(&thread, NULL, read_last_error, NULL), 0);
    pthread_join(thread, &seen);
    assert_ptr_equal(seen, NULL);
}

static void every_code_has_its_own_text(void **state)
{
    static const int unused[] = {5021, 5032};
    const char *unknown = hf_status_text(4999);

    (void)state;
    for (int code = HIPFILE_BASE_ERR + 1; code <= hipFileIOMaxError; code++) {
        const char *text = hf_status_text(code);

        if (code == unused[0] || code == unused[1]) {
            assert_string_equal(text, unknown);
            continue;
        }
        assert_string_not_equal(text, unknown);
        assert_true(strlen(text) > 5);
        for (int other = HIPFILE_BASE_ERR + 1; other < code; other++)
            if (other != unused[0] && other != unused[1])
                assert_string_not_equal(text, hf_status_text(other));
    }
    assert_string_equal(hf_status_text(-1), unknown);
    assert_string_equal(hf_status_text(INT_MAX), unknown);
    assert_string_not_equal(hf_status_text(0), unknown);
}

static void descriptions_name_what_happened(void **state)
{
    (void)state;
    assert_string_equal(hf_status_describe(-ENOSPC), "No space left on device");
    assert_string_equal(hf_status_describe(12), "12 bytes");
    assert_non_null(strstr(hf_status_describe(hf_status_from_hip(hipErrorUnknown)), "999"));
    assert_non_null(strstr(hf_status_describe(-hipFileInvalidValue), "5022"));
    assert_non_null(hf_status_describe(-4000)); /* no such errno */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_ranges_are_disjoint),
        cmocka_unit_test(statuses_become_error_structs),
        cmocka_unit_test(results_set_errno_only_with_minus_one),
        cmocka_unit_test(completions_keep_the_errno_and_are_never_minus_one),
        cmocka_unit_test(the_hip_error_is_kept_for_the_thread),
        cmocka_unit_test(every_code_has_its_own_text),
        cmocka_unit_test(descriptions_name_what_happened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
