// SPDX-License-Identifier: MIT
#include "core/files.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fake_os.h"

static hipFileHandle_t registered(int fd)
{
    hipFileHandle_t handle = NULL;

    assert_int_equal(hf_files_register(fd, &handle), 0);
    assert_non_null(handle);
    return handle;
}

static bool known(hipFileHandle_t handle)
{
    struct hf_file *file = hf_file_get(handle);

    if (file)
        hf_file_put(file);
    return file != NULL;
}

static void a_handle_is_known_until_deregistered(void **state)
{
    unsigned before = open_descriptors();
    int fd = make_file("/tmp", 10, O_RDWR);
    hipFileHandle_t handle = registered(fd);

    (void)state;
    assert_true(known(handle));
    assert_true(hf_files_deregister(handle));
    assert_false(known(handle));
    assert_false(hf_files_deregister(handle));
    close(fd);
    assert_int_equal(open_descriptors(), before);
}

/* Nothing is dereferenced before it is recognised. */
static void any_other_value_is_unknown(void **state)
{
    int fd = make_file("/tmp", 10, O_RDWR);
    uintptr_t handle = (uintptr_t)registered(fd);

    (void)state;
    assert_false(known(NULL));
    assert_false(known((void *)1));
    assert_false(known((void *)(uintptr_t)-1));
    assert_false(known(&fd));
    assert_false(known((void *)(handle + 1)));
    assert_false(known((void *)(handle + ((uintptr_t)1 << 20))));
    assert_false(known((void *)(handle - ((uintptr_t)1 << 20))));
    for (unsigned bit = 0; bit < 64; bit++)
        assert_false(known((void *)(handle ^ (uintptr_t)1 << bit)));
    assert_true(hf_files_deregister((void *)handle));
    close(fd);
}

static void a_place_used_again_has_another_handle(void **state)
{
    int fd = make_file("/tmp", 10, O_RDWR);
    hipFileHandle_t first = registered(fd), second;

    (void)state;
    hf_files_deregister(first);
    second = registered(fd);
    assert_ptr_not_equal(first, second);
    assert_false(known(first));
    assert_true(known(second));
    hf_files_deregister(second);
    close(fd);
}

static void one_number_is_registered_once_while_it_means_the_file(void **state)
{
    int fd = make_file("/tmp", 10, O_RDWR), other, moved;
    hipFileHandle_t handle = registered(fd), newer = NULL;

    (void)state;
    assert_int_equal(hf_files_register(fd, &newer), -hipFileHandleAlreadyRegistered);
    assert_null(newer);
    other = dup(fd); /* another number of the same open file is fine */
    newer = registered(other);
    hf_files_deregister(newer);
    close(other);

    close(fd);
    moved = make_file("/tmp", 20, O_RDWR);
    dup2(moved, fd); /* the number means another file now */
    newer = registered(fd);
    assert_true(known(handle));
    assert_int_equal(hf_files_register(fd, &handle), -hipFileHandleAlreadyRegistered);
    assert_true(known(handle));
    hf_files_deregister(handle);
    hf_files_deregister(newer);
    newer = registered(fd); /* and once more, now that it is free */
    hf_files_deregister(newer);
    close(moved);
    close(fd);
}

static void a_busy_file_goes_with_its_last_user(void **state)
{
    unsigned before = open_descriptors();
    int fd = make_file("/tmp", 10, O_RDWR);
    hipFileHandle_t handle = registered(fd);
    struct hf_file *file = hf_file_get(handle);

    (void)state;
    close(fd);
    assert_true(hf_files_deregister(handle));
    assert_false(known(handle));
    assert_int_equal(open_descriptors(), before + 1);
    assert_int_equal(hf_facts_size(file->descriptor.fd, false), 10);
    hf_file_put(file);
    assert_int_equal(open_descriptors(), before);
}

static void a_registration_that_fails_leaves_nothing(void **state)
{
    static const enum os_call calls[] = {OS_STATX, OS_FCNTL};
    int fd = make_file("/tmp", 10, O_RDWR);
    unsigned before = open_descriptors();
    hipFileHandle_t handle = (void *)77;

    (void)state;
    for (int c = 0; c < 2; c++)
        for (unsigned n = 1; n <= (c ? 2 : 1); n++) {
            os_reset();
            os_fail(calls[c], n, ENFILE);
            assert_int_equal(hf_files_register(fd, &handle), -ENFILE);
            assert_ptr_equal(handle, (void *)77);
            assert_int_equal(open_descriptors(), before);
        }
    os_reset();
    handle = registered(fd);
    hf_files_deregister(handle);
    close(fd);
}

/* Registering is cheap: what can wait until it is needed does wait. */
static void a_registration_costs_three_calls(void **state)
{
    int fd = make_file("/tmp", 10, O_RDWR);
    hipFileHandle_t handle;

    (void)state;
    os_reset();
    handle = registered(fd);
    assert_int_equal(os_counts[OS_STATX], 1);
    assert_int_equal(os_counts[OS_FCNTL], 2); /* the flags, and the duplicate */
    assert_int_equal(os_counts[OS_OPEN] + os_counts[OS_IOCTL] + os_counts[OS_PREAD], 0);
    hf_files_deregister(handle);
    close(fd);
}

/* A number that is no descriptor costs nothing, however large it is. */
static void a_huge_number_is_refused_at_once(void **state)
{
    hipFileHandle_t handle;
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        struct rusage usage;
        bool refused = hf_files_register(INT_MAX, &handle) == -EBADF &&
                       hf_files_register(-1, &handle) == -EBADF &&
                       hf_files_register(INT_MIN, &handle) == -EBADF;

        getrusage(RUSAGE_SELF, &usage);
        _exit(refused && usage.ru_maxrss < 1 << 20 ? 0 : 1); /* KiB */
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void the_table_grows(void **state)
{
    enum { FILES = 300 };
    hipFileHandle_t handles[FILES];
    unsigned before = open_descriptors();
    int fd[FILES];

    (void)state;
    for (int i = 0; i < FILES; i++) {
        fd[i] = make_file("/tmp", 1, O_RDWR);
        handles[i] = registered(fd[i]);
    }
    for (int i = 0; i < FILES; i++)
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(handles[i], handles[k]);
    hf_files_deregister_all();
    for (int i = 0; i < FILES; i++) {
        assert_false(known(handles[i]));
        close(fd[i]);
    }
    assert_int_equal(open_descriptors(), before);
}

/* While some register and deregister, others deregister all, and others use what is there. */
static atomic_bool stop;
static _Atomic(hipFileHandle_t) shown;

static void *come_and_go(void *argument)
{
    int fd = make_file("/tmp", 10, O_RDWR);

    while (!stop) {
        hipFileHandle_t handle;

        if (hf_files_register(fd, &handle) != 0)
            return argument;
        shown = handle;
        hf_files_deregister(handle);
    }
    close(fd);
    return NULL;
}

static void *drop_all(void *argument)
{
    (void)argument;
    while (!stop) {
        hf_files_deregister_all();
        sched_yield();
    }
    return NULL;
}

static void *look(void *argument)
{
    while (!stop) {
        struct hf_file *file = hf_file_get(shown);

        if (!file)
            continue;
        if (hf_facts_size(file->descriptor.fd, false) != 10)
            return argument;
        hf_file_put(file);
    }
    return NULL;
}

static void threads_come_and_go(void **state)
{
    static void *(*const roles[])(void *) = {come_and_go, come_and_go, drop_all, look, look, look};
    pthread_t threads[6];
    unsigned before = open_descriptors();

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, roles[i], &stop), 0);
    usleep(300000);
    stop = true;
    for (int i = 0; i < 6; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    hf_files_deregister_all();
    assert_int_equal(open_descriptors(), before);
}

static int begin(void **state)
{
    (void)state;
    os_reset();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_handle_is_known_until_deregistered, begin),
        cmocka_unit_test_setup(any_other_value_is_unknown, begin),
        cmocka_unit_test_setup(a_place_used_again_has_another_handle, begin),
        cmocka_unit_test_setup(one_number_is_registered_once_while_it_means_the_file, begin),
        cmocka_unit_test_setup(a_busy_file_goes_with_its_last_user, begin),
        cmocka_unit_test_setup(a_registration_that_fails_leaves_nothing, begin),
        cmocka_unit_test_setup(a_registration_costs_three_calls, begin),
        cmocka_unit_test_setup(a_huge_number_is_refused_at_once, begin),
        cmocka_unit_test_setup(the_table_grows, begin),
        cmocka_unit_test_setup(threads_come_and_go, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
