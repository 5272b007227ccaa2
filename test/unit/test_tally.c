// SPDX-License-Identifier: MIT
#include "observe/tally.h"

#include "unit.h"

static struct hf_tally tally;

static void *count(void *argument)
{
    (void)argument;
    for (int i = 0; i < 10000; i++) {
        hf_tally_moved(&tally, HF_PATH_BOUNCE, HF_WRITE, 3);
        hf_tally_request(&tally, HF_PATH_BOUNCE, HF_REASON_BELOW_UNIT);
    }
    return NULL;
}

static void threads_count_without_loss(void **state)
{
    pthread_t threads[16];
    struct hf_tally_sum sum;

    (void)state;
    hf_tally_clear(&tally);
    for (int i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (int i = 0; i < 16; i++)
        pthread_join(threads[i], NULL);
    hf_tally_add_up(&tally, &sum);
    assert_int_equal(sum.bytes[HF_PATH_BOUNCE][HF_WRITE], 16 * 10000 * 3);
    assert_int_equal(sum.reasons[HF_REASON_BELOW_UNIT], 16 * 10000);
    assert_int_equal(sum.bytes[HF_PATH_BOUNCE][HF_READ], 0);
    assert_int_equal(sum.bytes[HF_PATH_DIRECT][HF_WRITE], 0);
}

static void the_last_request_is_kept(void **state)
{
    struct hf_tally_sum sum;

    (void)state;
    hf_tally_clear(&tally);
    for (enum hf_path_id path = 0; path < HF_PATH_COUNT; path++)
        for (enum hf_reason reason = 0; reason < HF_REASON_COUNT; reason++) {
            hf_tally_request(&tally, path, reason);
            hf_tally_request(&tally, path, reason);
            hf_tally_add_up(&tally, &sum);
            assert_int_equal(sum.last_path, path);
            assert_int_equal(sum.last_reason, reason);
            assert_int_equal(sum.reasons[reason], 2 * (path + 1));
        }
    hf_tally_clear(&tally);
    hf_tally_add_up(&tally, &sum);
    for (int r = 0; r < HF_REASON_COUNT; r++)
        assert_int_equal(sum.reasons[r], 0);
}

static void the_line_names_bytes_and_reasons(void **state)
{
    struct hf_tally_sum sum = {
        .bytes = {
            [HF_PATH_DIRECT] = {11, 12}, [HF_PATH_BOUNCE] = {21, 22}, [HF_PATH_HOST] = {31, 32}}};
    char line[4096] = "";
    FILE *log = tmpfile();
    int error = dup(STDERR_FILENO);

    (void)state;
    for (int r = 0; r < HF_REASON_COUNT; r++)
        sum.reasons[r] = 1000000000000u + (unsigned)r; /* the longest line there can be */
    set(HF_SET_LOGGING_LEVEL, HF_LOG_INFO);
    dup2(fileno(log), STDERR_FILENO);
    hf_tally_log(&sum, 9, "ext4 on nvme0n1");
    dup2(error, STDERR_FILENO);
    close(error);
    rewind(log);
    assert_true(fread(line, 1, sizeof line - 1, log) > 0);
    fclose(log);
    assert_non_null(strstr(line, "file 9, ext4 on nvme0n1"));
    assert_non_null(strstr(line, "read direct 11 bounce 21 host 31"));
    assert_non_null(strstr(line, "wrote direct 12 bounce 22 host 32"));
    assert_non_null(strstr(line, "1000000000001 x "));
    assert_null(strstr(line, "1000000000000 x ")); /* direct is no reason */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_count_without_loss),
        cmocka_unit_test(the_last_request_is_kept),
        cmocka_unit_test(the_line_names_bytes_and_reasons),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
