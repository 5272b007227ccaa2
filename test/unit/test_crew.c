// SPDX-License-Identifier: MIT
#include "core/crew.h"

#include <sched.h>

#include "core/pool.h"
#include "unit.h"

#define CHUNK ((size_t)256 << 10)
#define SIZE  (64 * CHUNK)

static struct hf_descriptor file;
static struct hf_transfer transfer;
static pthread_t caller;
static atomic_uint workers, chunks, by_helpers, wanted;
static atomic_size_t bytes;
static size_t fail_at;
static int fail_status;

static size_t chunk_size(const struct hf_transfer *t, size_t size, unsigned n)
{
    (void)t;
    (void)size;
    wanted = n;
    return CHUNK;
}

static void work(struct hf_claims *claims)
{
    struct hf_segment chunk;

    atomic_fetch_add(&workers, 1);
    while (hf_claims_next(claims, &chunk)) {
        size_t at = chunk.file_offset - claims->segment.file_offset;

        atomic_fetch_add(&chunks, 1);
        if (!pthread_equal(pthread_self(), caller))
            atomic_fetch_add(&by_helpers, 1);
        if (fail_at >= at && fail_at < at + chunk.size)
            hf_claims_stop(claims, &chunk, fail_at - at, fail_status);
        else
            atomic_fetch_add(&bytes, chunk.size);
        usleep(200);
    }
}

static const struct hf_path path = {.name = "test", .chunk = chunk_size, .work = work};

static size_t move(size_t size, int *status)
{
    struct hf_segment segment = {.file_offset = 0, .address = 1, .size = size};

    workers = chunks = by_helpers = wanted = 0;
    bytes = 0;
    *status = 77;
    return hf_crew_move(&path, &transfer, &segment, status);
}

static int begin(void **state)
{
    (void)state;
    transfer = (struct hf_transfer){.file = &file, .op = HF_READ};
    fail_at = SIZE_MAX;
    fail_status = 0;
    caller = pthread_self();
    set(HF_SET_MAX_IO_THREADS, 4);
    set(HF_SET_MAX_REQUEST_PARALLELISM, 4);
    set(HF_SET_MIN_IO_THRESHOLD_KB, 1024);
    set(HF_SET_PARALLEL_IO, true);
    return 0;
}

static void helpers_share_a_large_segment(void **state)
{
    int status;

    (void)state;
    assert_int_equal(move(SIZE, &status), SIZE);
    assert_int_equal(status, 0);
    assert_int_equal(wanted, 4);
    assert_int_equal(chunks, 64);
    assert_int_equal(bytes, SIZE);
    assert_true(workers > 1 && workers <= 4);
    assert_true(by_helpers > 0);
}

static void the_settings_bound_the_crew(void **state)
{
    int status;

    (void)state;
    set(HF_SET_MAX_REQUEST_PARALLELISM, 2);
    move(SIZE, &status);
    assert_int_equal(wanted, 2);
    assert_true(workers <= 2);
    set(HF_SET_MAX_REQUEST_PARALLELISM, 100);
    set(HF_SET_MAX_IO_THREADS, 2);
    move(SIZE, &status);
    assert_int_equal(wanted, 3); /* they and the caller */
    set(HF_SET_MAX_IO_THREADS, 1000);
    set(HF_SET_MAX_REQUEST_PARALLELISM, 1000);
    move(SIZE, &status);
    assert_int_equal(wanted, 7); /* of use for 16 MiB */
    set(HF_SET_PARALLEL_IO, false);
    move(SIZE, &status);
    assert_int_equal(workers, 1);
    assert_int_equal(by_helpers, 0);
}

static void small_segments_stay_on_the_thread(void **state)
{
    int status;

    (void)state;
    assert_int_equal(move(((size_t)1 << 20) - 1, &status), (1 << 20) - 1);
    assert_int_equal(workers, 1);
    assert_int_equal(by_helpers, 0);
    move((size_t)1 << 20, &status);
    assert_int_equal(wanted, 2);
    set(HF_SET_MIN_IO_THRESHOLD_KB, 4);
    move(CHUNK, &status); /* one chunk is for one */
    assert_int_equal(workers, 1);
}

static void the_first_failure_is_told(void **state)
{
    int status;

    (void)state;
    fail_at = 10 * CHUNK + 5;
    fail_status = -EIO;
    assert_int_equal(move(SIZE, &status), 10 * CHUNK + 5);
    assert_int_equal(status, -EIO);
    assert_true(chunks < 64); /* nobody went on to the end */
    fail_status = 0;
    assert_int_equal(move(SIZE, &status), 10 * CHUNK + 5);
    assert_int_equal(status, 0);
}

/* Growing the file in several places at once could leave a hole behind after an error. */
static void writes_that_extend_the_file_have_one_worker(void **state)
{
    int status;

    (void)state;
    transfer.op = HF_WRITE;
    move(SIZE, &status); /* the file has SIZE - 1 bytes */
    assert_int_equal(workers, 1);
    assert_int_equal(ftruncate(file.fd, SIZE), 0);
    move(SIZE, &status);
    assert_int_equal(wanted, 4);
}

static atomic_bool gate_open;

static void hold(struct hf_task *task)
{
    (void)task;
    while (!gate_open)
        usleep(1000);
}

/* All workers busy: the caller does all of it, and waits for nobody. */
static void the_caller_needs_no_helper(void **state)
{
    static struct hf_task busy[4] = {{hold, NULL}, {hold, NULL}, {hold, NULL}, {hold, NULL}};
    int status;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(hf_pool_submit(&busy[i]), 0);
    assert_int_equal(move(SIZE, &status), SIZE);
    assert_int_equal(by_helpers, 0);
    assert_int_equal(bytes, SIZE);
    gate_open = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(helpers_share_a_large_segment, begin),
        cmocka_unit_test_setup(small_segments_stay_on_the_thread, begin),
        cmocka_unit_test_setup(the_first_failure_is_told, begin),
        cmocka_unit_test_setup(writes_that_extend_the_file_have_one_worker, begin),
        cmocka_unit_test_setup(the_caller_needs_no_helper, begin),
        cmocka_unit_test_setup(the_settings_bound_the_crew, begin),
    };
    int fd = make_file("/tmp", 0, O_RDWR);

    load_default_settings();
    if (hf_descriptor_open(&file, fd) != 0 || ftruncate(fd, SIZE - 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
