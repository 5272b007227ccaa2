// SPDX-License-Identifier: MIT
#include "os/io.h"

#include "fake_os.h"

#define FILE_SIZE 40000 /* 9 blocks and 3136 bytes */

static struct hf_descriptor file;
static int caller;
static unsigned char *buffer;

static void begin_with(int flags)
{
    caller = make_file("/var/tmp", FILE_SIZE, flags);
    if (caller < 0) {
        print_message("SKIP: no O_DIRECT in /var/tmp\n");
        skip();
    }
    os_reset();
    assert_int_equal(hf_descriptor_open(&file, caller), 0);
    memset(buffer, 0xee, 65536);
}

static void end(void)
{
    hf_descriptor_close(&file);
    close(caller);
}

static void assert_bytes(size_t n, uint64_t offset)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(buffer[i], pattern(offset + i));
}

static void assert_read(size_t n, uint64_t offset)
{
    assert_bytes(n, offset);
    assert_int_equal(buffer[n], 0xee);
}

static void interrupted_and_short_reads_go_on(void **state)
{
    (void)state;
    begin_with(O_RDWR);
    os_fail(OS_PREAD, 1, EINTR);
    os_shorten(OS_PREAD, 2, 1);
    os_shorten(OS_PREAD, 3, 999);
    os_fail(OS_PREAD, 4, EINTR);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 20000, 5), 20000);
    assert_read(20000, 5);
    assert_int_equal(os_counts[OS_PREAD], 5);
    end();
}

static void a_read_ends_with_the_file(void **state)
{
    (void)state;
    begin_with(O_RDWR);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 100, FILE_SIZE - 7), 7);
    assert_read(7, FILE_SIZE - 7);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 100, FILE_SIZE), 0);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 100, 1 << 30), 0);
    end();
    begin_with(O_RDWR | O_DIRECT);
    assert_int_equal(hf_io_read(&file, HF_SIDE_DIRECT, buffer, 8192, 36864), FILE_SIZE - 36864);
    assert_bytes(FILE_SIZE - 36864, 36864); /* what follows in the block is the kernel's */
    assert_int_equal(hf_io_read(&file, HF_SIDE_DIRECT, buffer, 8192, 40960), 0);
    end();
}

static void an_error_after_some_bytes_is_a_short_count(void **state)
{
    (void)state;
    begin_with(O_RDWR);
    os_shorten(OS_PREAD, 1, 3000);
    os_fail(OS_PREAD, 2, EIO);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 10000, 0), 3000);
    os_reset();
    os_fail(OS_PREAD, 1, EIO);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 10000, 0), -EIO);
    os_reset();
    os_shorten(OS_PWRITE, 1, 3000);
    os_fail(OS_PWRITE, 2, ENOSPC);
    assert_int_equal(hf_io_write(&file, HF_SIDE_BUFFERED, buffer, 10000, 0), 3000);
    os_reset();
    os_fail(OS_PWRITE, 1, ENOSPC);
    assert_int_equal(hf_io_write(&file, HF_SIDE_BUFFERED, buffer, 10000, 0), -ENOSPC);
    end();
}

/* A direct read that stops inside a block must not go on at an offset that is not aligned. */
static void a_short_direct_read_goes_on_through_the_cache(void **state)
{
    (void)state;
    begin_with(O_RDWR | O_DIRECT);
    os_shorten(OS_PREAD, 1, 4096 + 512);
    assert_int_equal(hf_io_read(&file, HF_SIDE_DIRECT, buffer, 16384, 4096), 16384);
    assert_read(16384, 4096);
    assert_int_equal(os_counts[OS_PREAD], 2);
    assert_int_equal(os_counts[OS_OPEN], 1); /* the buffered twin */
    os_reset();
    os_shorten(OS_PREAD, 1, 8192); /* at a block's end it stays direct */
    assert_int_equal(hf_io_read(&file, HF_SIDE_DIRECT, buffer, 16384, 4096), 16384);
    assert_int_equal(os_counts[OS_OPEN], 0);
    end();
}

static void switch_o_direct_on(void)
{
    assert_int_equal(fcntl(caller, F_SETFL, O_DIRECT), 0);
}

/* The caller switches O_DIRECT on the description that we share, between our look and the call. */
static void o_direct_switched_meanwhile_does_no_harm(void **state)
{
    (void)state;
    begin_with(O_RDWR);
    os_add(OS_PREAD, 1, 0, SIZE_MAX, switch_o_direct_on);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer + 1, 1000, 3), 1000);
    assert_int_equal(buffer[1], pattern(3));
    assert_int_equal(buffer[1000], pattern(1002));
    assert_int_equal(hf_descriptor_side(&file), HF_SIDE_DIRECT);
    end();
    begin_with(O_RDWR);
    os_add(OS_PWRITE, 1, 0, SIZE_MAX, switch_o_direct_on);
    assert_int_equal(hf_io_write(&file, HF_SIDE_BUFFERED, buffer + 1, 1000, 3), 1000);
    end();
}

static void writes_land_where_they_should(void **state)
{
    unsigned char got[3];

    (void)state;
    begin_with(O_RDWR);
    os_shorten(OS_PWRITE, 1, 10);
    os_fail(OS_PWRITE, 2, EINTR);
    assert_int_equal(hf_io_write(&file, HF_SIDE_BUFFERED, buffer, 1000, 4095), 1000);
    assert_int_equal(pread(caller, got, 2, 4094), 2);
    assert_int_equal(got[0], pattern(4094));
    assert_int_equal(got[1], 0xee);
    assert_int_equal(pread(caller, got, 2, 5094), 2);
    assert_int_equal(got[0], 0xee);
    assert_int_equal(got[1], pattern(5095));
    end();
}

static void a_side_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    begin_with(O_RDWR | O_DIRECT);
    os_fail(OS_OPEN, 1, EMFILE);
    assert_int_equal(hf_io_read(&file, HF_SIDE_BUFFERED, buffer, 100, 0), -EMFILE);
    assert_int_equal(os_counts[OS_PREAD], 0);
    end();
}

static void one_inode_has_one_writer_lock(void **state)
{
    struct hf_descriptor a = {.facts = {.device = 8, .inode = 100}}, b = a, c = a;

    (void)state;
    c.facts.inode = 101;
    assert_ptr_equal(hf_io_writer_lock(&a), hf_io_writer_lock(&b));
    assert_ptr_not_equal(hf_io_writer_lock(&a), hf_io_writer_lock(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_and_short_reads_go_on),
        cmocka_unit_test(a_read_ends_with_the_file),
        cmocka_unit_test(an_error_after_some_bytes_is_a_short_count),
        cmocka_unit_test(a_short_direct_read_goes_on_through_the_cache),
        cmocka_unit_test(o_direct_switched_meanwhile_does_no_harm),
        cmocka_unit_test(writes_land_where_they_should),
        cmocka_unit_test(a_side_that_is_not_there_is_an_error),
        cmocka_unit_test(one_inode_has_one_writer_lock),
    };

    load_default_settings();
    buffer = aligned_alloc(4096, 65536);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
