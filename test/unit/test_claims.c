// SPDX-License-Identifier: MIT
#include "fake_os.h"
#include "path/path.h"

static const uintptr_t address = 0x10000;

static void begin(struct hf_claims *claims, uint64_t offset, size_t size, size_t chunk)
{
    memset(claims, 0, sizeof *claims);
    claims->segment =
        (struct hf_segment){.file_offset = offset, .address = address, .size = size, .edge = true};
    claims->chunk = chunk;
    claims->stop = size;
    pthread_mutex_init(&claims->lock, NULL);
}

static void chunks_cover_the_segment(void **state)
{
    static const uint64_t offsets[] = {0, 1, 4095, 4096, 10000, (uint64_t)INT64_MAX - 100000};
    static const size_t sizes[] = {1, 4095, 4096, 4097, 65536, 99999};
    static const size_t chunk_sizes[] = {4096, 8192, 65536, 1 << 20};

    (void)state;
    for (size_t o = 0; o < 6; o++)
        for (size_t s = 0; s < 6; s++)
            for (size_t c = 0; c < 4; c++) {
                struct hf_claims claims;
                struct hf_segment chunk;
                uint64_t at = offsets[o];

                begin(&claims, at, sizes[s], chunk_sizes[c]);
                while (hf_claims_next(&claims, &chunk)) {
                    assert_int_equal(chunk.file_offset, at);
                    assert_int_equal(chunk.address, address + (at - offsets[o]));
                    assert_true(chunk.size > 0 && chunk.size <= chunk_sizes[c]);
                    assert_true(chunk.edge);
                    at += chunk.size;
                    assert_true(at % chunk_sizes[c] == 0 || at == offsets[o] + sizes[s]);
                }
                assert_int_equal(at, offsets[o] + sizes[s]);
            }
}

static void an_empty_segment_has_no_chunk(void **state)
{
    struct hf_claims claims;
    struct hf_segment chunk;

    (void)state;
    begin(&claims, 4096, 0, 4096);
    assert_false(hf_claims_next(&claims, &chunk));
    begin(&claims, 4097, 0, 4096);
    assert_false(hf_claims_next(&claims, &chunk));
}

static void the_first_gap_counts(void **state)
{
    struct hf_claims claims;
    struct hf_segment chunk[4];

    (void)state;
    begin(&claims, 0, 16384, 4096);
    for (int i = 0; i < 4; i++)
        assert_true(hf_claims_next(&claims, &chunk[i]));
    hf_claims_stop(&claims, &chunk[3], 7, -EIO);
    assert_int_equal(claims.stop, 3 * 4096 + 7);
    assert_int_equal(claims.status, -EIO);
    hf_claims_stop(&claims, &chunk[1], 100, 0);
    assert_int_equal(claims.stop, 4096 + 100);
    assert_int_equal(claims.status, 0);
    hf_claims_stop(&claims, &chunk[2], 0, -ENOSPC);
    assert_int_equal(claims.stop, 4096 + 100);
    assert_int_equal(claims.status, 0);
    assert_false(hf_claims_stopped_before(&claims, &chunk[1]));
    assert_true(hf_claims_stopped_before(&claims, &chunk[2]));
}

static void behind_a_gap_nothing_is_claimed(void **state)
{
    struct hf_claims claims;
    struct hf_segment chunk;

    (void)state;
    begin(&claims, 1000, 100000, 4096);
    assert_true(hf_claims_next(&claims, &chunk));
    hf_claims_stop(&claims, &chunk, 5, 0);
    assert_false(hf_claims_next(&claims, &chunk));
    assert_int_equal(claims.stop, 5);
}

static struct hf_claims shared;
static atomic_uint taken[256];

static void *claim_all(void *argument)
{
    struct hf_segment chunk;

    (void)argument;
    while (hf_claims_next(&shared, &chunk))
        atomic_fetch_add(&taken[chunk.file_offset / 4096], 1);
    return NULL;
}

static void threads_claim_each_chunk_once(void **state)
{
    pthread_t threads[8];

    (void)state;
    begin(&shared, 0, 256 * 4096, 4096);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, claim_all, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 256; i++)
        assert_int_equal(taken[i], 1);
}

static struct hf_transfer open_transfer(struct hf_descriptor *file, int flags)
{
    int fd = make_file("/var/tmp", 8192, flags);

    assert_true(fd >= 0);
    assert_int_equal(hf_descriptor_open(file, fd), 0);
    close(fd);
    return (struct hf_transfer){.file = file, .op = HF_READ};
}

static void the_side_is_the_callers_unless_a_setting_says_otherwise(void **state)
{
    struct hf_descriptor file;
    struct hf_transfer transfer = open_transfer(&file, O_RDWR);

    (void)state;
    os_reset();
    assert_int_equal(hf_path_file_side(&transfer), HF_SIDE_BUFFERED);
    set(HF_SET_FORCE_ODIRECT_MODE, true);
    assert_int_equal(hf_path_file_side(&transfer), HF_SIDE_DIRECT);
    file.direct_side_broken = true;
    assert_int_equal(hf_path_file_side(&transfer), HF_SIDE_BUFFERED);
    set(HF_SET_FORCE_ODIRECT_MODE, false);
    hf_descriptor_close(&file);

    transfer = open_transfer(&file, O_RDWR | O_DIRECT);
    assert_int_equal(hf_path_file_side(&transfer), HF_SIDE_DIRECT);
    hf_descriptor_close(&file);
}

/* O_DIRECT that does not work with this memory is given up once, and not tried again. */
static void o_direct_that_fails_is_given_up(void **state)
{
    static const int errors[] = {EINVAL, EFAULT};
    struct hf_descriptor file;
    unsigned char *buffer = aligned_alloc(4096, 8192);

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hf_transfer transfer = open_transfer(&file, O_RDWR | O_DIRECT);

        os_reset();
        os_fail(OS_PREAD, 1, errors[i]);
        assert_int_equal(hf_path_file_io(&transfer, HF_SIDE_DIRECT, buffer, 4096, 4096), 4096);
        assert_int_equal(buffer[1], pattern(4097));
        assert_int_equal(os_counts[OS_PREAD], 2);
        assert_true(file.direct_side_broken);
        assert_int_equal(hf_path_file_side(&transfer), HF_SIDE_BUFFERED);
        hf_descriptor_close(&file);
    }
    free(buffer);
}

static void an_error_of_both_sides_is_the_first_one(void **state)
{
    struct hf_descriptor file;
    struct hf_transfer transfer = open_transfer(&file, O_RDWR | O_DIRECT);
    char *buffer = aligned_alloc(4096, 4096);

    (void)state;
    os_reset();
    os_fail(OS_PREAD, 1, EFAULT);
    os_fail(OS_PREAD, 2, EIO);
    assert_int_equal(hf_path_file_io(&transfer, HF_SIDE_DIRECT, buffer, 4096, 0), -EFAULT);
    assert_false(file.direct_side_broken);
    os_reset();
    os_fail(OS_PREAD, 1, EIO); /* no reason to look at the other side */
    assert_int_equal(hf_path_file_io(&transfer, HF_SIDE_DIRECT, buffer, 4096, 0), -EIO);
    assert_int_equal(os_counts[OS_PREAD], 1);
    hf_descriptor_close(&file);
    free(buffer);
}

static int set_up(void **state)
{
    (void)state;
    load_default_settings();
    os_reset();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_cover_the_segment),
        cmocka_unit_test(an_empty_segment_has_no_chunk),
        cmocka_unit_test(the_first_gap_counts),
        cmocka_unit_test(behind_a_gap_nothing_is_claimed),
        cmocka_unit_test(threads_claim_each_chunk_once),
        cmocka_unit_test(the_side_is_the_callers_unless_a_setting_says_otherwise),
        cmocka_unit_test(o_direct_that_fails_is_given_up),
        cmocka_unit_test(an_error_of_both_sides_is_the_first_one),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
