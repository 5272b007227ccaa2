// SPDX-License-Identifier: MIT
#include "os/descriptor.h"

#include "fake_os.h"
#include "hipfile.h"

static struct hf_descriptor file;
static unsigned before;

/* Where O_DIRECT works; the descriptor stays the caller's to close. */
static int open_file(int flags)
{
    int fd = make_file("/var/tmp", 16384, flags);

    if (fd < 0) {
        print_message("SKIP: no O_DIRECT in /var/tmp\n");
        skip();
    }
    os_reset();
    assert_int_equal(hf_descriptor_open(&file, fd), 0);
    os_reset();
    return fd;
}

static void end(int fd)
{
    hf_descriptor_close(&file);
    close(fd);
    assert_int_equal(open_descriptors(), before);
}

static void it_keeps_a_duplicate_above_the_standard_streams(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    assert_true(file.fd >= 3 && file.fd != fd);
    assert_true(fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(open_descriptors(), before + 2); /* no twin before one is needed */
    close(fd);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_READ), file.fd);
    end(-1);
}

static void twins_are_opened_when_needed_and_kept(void **state)
{
    int fd = open_file(O_RDWR | O_DSYNC);
    int twin = hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ);

    (void)state;
    assert_true(twin >= 0 && twin != file.fd);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_WRITE), twin);
    assert_int_equal(fcntl(twin, F_GETFL) & (O_DIRECT | O_DSYNC | O_ACCMODE),
                     O_DIRECT | O_DSYNC | O_RDWR);
    assert_true(fcntl(twin, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(os_counts[OS_OPEN], 1);
    end(fd);

    fd = open_file(O_RDONLY | O_DIRECT);
    twin = hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_READ);
    assert_int_equal(fcntl(twin, F_GETFL) & (O_DIRECT | O_ACCMODE), O_RDONLY);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ), file.fd);
    end(fd);
}

/* On Linux pwrite on such a descriptor appends. */
static void writes_never_go_to_a_descriptor_with_o_append(void **state)
{
    int fd = open_file(O_RDWR | O_APPEND);
    int twin = hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_WRITE);

    (void)state;
    assert_true(twin >= 0 && twin != file.fd);
    assert_false(fcntl(twin, F_GETFL) & O_APPEND);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_READ), file.fd);
    assert_false(fcntl(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_WRITE), F_GETFL) & O_APPEND);
    end(fd);

    fd = open_file(O_RDWR); /* set later, on the description that is shared */
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_WRITE), file.fd);
    assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
    assert_int_not_equal(hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_WRITE), file.fd);
    end(fd);
}

static void o_direct_switched_by_the_caller_is_noticed(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    assert_false(hf_descriptor_refresh(&file));
    assert_int_equal(hf_descriptor_side(&file), HF_SIDE_BUFFERED);
    assert_int_equal(fcntl(fd, F_SETFL, O_DIRECT), 0);
    assert_true(hf_descriptor_refresh(&file));
    assert_false(hf_descriptor_refresh(&file));
    assert_int_equal(hf_descriptor_side(&file), HF_SIDE_DIRECT);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_WRITE), file.fd);
    assert_false(fcntl(hf_descriptor_fd(&file, HF_SIDE_BUFFERED, HF_WRITE), F_GETFL) & O_DIRECT);
    end(fd);
}

static void a_twin_that_cannot_be_had_is_not_asked_for_again(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    os_fail(OS_OPEN, 1, EACCES);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ), -EINVAL);
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ), -EINVAL);
    assert_int_equal(os_counts[OS_OPEN], 1);
    end(fd);
}

static void a_shortage_of_descriptors_passes(void **state)
{
    static const int errors[] = {EMFILE, ENFILE, EINTR};

    (void)state;
    for (int i = 0; i < 3; i++) {
        int fd = open_file(O_RDWR);

        os_fail(OS_OPEN, 1, errors[i]);
        assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ), -errors[i]);
        assert_true(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ) >= 0);
        end(fd);
    }
}

static int stranger;

static int open_stranger(const char *path, int flags)
{
    (void)path;
    (void)flags;
    return dup(stranger);
}

/* As an overlay file system may, after a copy-up. */
static void another_file_is_no_twin(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    stranger = make_file("/var/tmp", 10, O_RDWR);
    hf_os.open = open_stranger;
    assert_int_equal(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ), -EINVAL);
    close(stranger);
    end(fd);
}

/* Only the owner may ask for O_NOATIME. */
static void o_noatime_is_given_up(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    assert_int_equal(fcntl(fd, F_SETFL, O_NOATIME), 0);
    hf_descriptor_refresh(&file);
    os_fail(OS_OPEN, 1, EPERM);
    assert_true(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ) >= 0);
    assert_int_equal(os_counts[OS_OPEN], 2);
    end(fd);
}

static void the_same_open_file_is_recognised(void **state)
{
    int fd = open_file(O_RDWR);
    int same = dup(fd);
    char path[32];
    int other;

    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    other = open(path, O_RDWR);
    assert_true(hf_descriptor_is_same(&file, fd));
    assert_true(hf_descriptor_is_same(&file, same));
    assert_false(hf_descriptor_is_same(&file, other)); /* same file, opened again */
    close(same);
    close(other);
    assert_false(hf_descriptor_is_same(&file, same));
    os_fail(OS_FCNTL, 1, EINVAL); /* a kernel without F_DUPFD_QUERY */
    assert_true(hf_descriptor_is_same(&file, fd));
    end(fd);
}

static void access_is_checked(void **state)
{
    static const struct {
        int flags, read, write;
    } rows[] = {{O_RDONLY, 0, -EBADF}, {O_WRONLY, -EBADF, 0}, {O_RDWR, 0, 0}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        int fd = open_file(rows[i].flags);

        assert_int_equal(hf_descriptor_check_access(&file, HF_READ), rows[i].read);
        assert_int_equal(hf_descriptor_check_access(&file, HF_WRITE), rows[i].write);
        end(fd);
    }
}

static void an_opening_that_fails_leaves_nothing(void **state)
{
    int fd = make_file("/tmp", 0, O_RDWR);
    int path = open("/tmp", O_PATH);

    (void)state;
    os_reset();
    os_fail(OS_STATX, 1, EIO);
    assert_int_equal(hf_descriptor_open(&file, fd), -EIO);
    os_fail(OS_FCNTL, 1, EBADF);
    assert_int_equal(hf_descriptor_open(&file, fd), -EBADF);
    os_reset();
    os_fail(OS_FCNTL, 2, EMFILE);
    assert_int_equal(hf_descriptor_open(&file, fd), -EMFILE);
    os_reset();
    os_fail(OS_FCNTL, 2, EINVAL); /* the limit is below the lowest number that we ask for */
    assert_int_equal(hf_descriptor_open(&file, fd), -EMFILE);
    close(fd);
    assert_int_equal(hf_descriptor_open(&file, path), -hipFileInvalidFileType);
    close(path);
    path = open("/proc/self/exe", O_PATH);
    assert_int_equal(hf_descriptor_open(&file, path), -hipFileInvalidFileOpenFlag);
    close(path);
    assert_int_equal(open_descriptors(), before);
}

static void look_for_numbers(void)
{
    assert_true(file.fd < 0 || file.twin[HF_SIDE_DIRECT] < 0);
}

/* A child that is forked during a close must not close a number twice. */
static void numbers_are_forgotten_before_they_are_closed(void **state)
{
    int fd = open_file(O_RDWR);

    (void)state;
    assert_true(hf_descriptor_fd(&file, HF_SIDE_DIRECT, HF_READ) >= 0);
    os_add(OS_CLOSE, 0, 0, 0, look_for_numbers);
    end(fd);
    assert_int_equal(os_counts[OS_CLOSE], 2);
    assert_int_equal(file.fd, -1);
}

static void storage_is_read_once(void **state)
{
    int fd = open_file(O_RDWR);
    const struct hf_storage *storage = hf_descriptor_storage(&file);

    (void)state;
    assert_ptr_equal(storage, hf_descriptor_storage(&file));
    strcpy(file.storage.layer, "mark");
    assert_string_equal(hf_descriptor_storage(&file)->layer, "mark");
    end(fd);
}

static int begin(void **state)
{
    (void)state;
    before = open_descriptors();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_keeps_a_duplicate_above_the_standard_streams, begin),
        cmocka_unit_test_setup(twins_are_opened_when_needed_and_kept, begin),
        cmocka_unit_test_setup(writes_never_go_to_a_descriptor_with_o_append, begin),
        cmocka_unit_test_setup(o_direct_switched_by_the_caller_is_noticed, begin),
        cmocka_unit_test_setup(a_twin_that_cannot_be_had_is_not_asked_for_again, begin),
        cmocka_unit_test_setup(a_shortage_of_descriptors_passes, begin),
        cmocka_unit_test_setup(another_file_is_no_twin, begin),
        cmocka_unit_test_setup(o_noatime_is_given_up, begin),
        cmocka_unit_test_setup(the_same_open_file_is_recognised, begin),
        cmocka_unit_test_setup(access_is_checked, begin),
        cmocka_unit_test_setup(an_opening_that_fails_leaves_nothing, begin),
        cmocka_unit_test_setup(numbers_are_forgotten_before_they_are_closed, begin),
        cmocka_unit_test_setup(storage_is_read_once, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
