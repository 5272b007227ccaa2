// SPDX-License-Identifier: MIT
//
// The system around a file: privilege that was given up, no /proc, no /run/udev, file locks and
// leases, and the page cache as others see it.
#include "sync_test.h"

#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#define PAGE 4096
#define SIZE (16 * PAGE)

static int fd;
static hipFileHandle_t handle;
static unsigned char expected[SIZE], got[SIZE];

static void expect_read_and_write(unsigned seed)
{
    void *memory = memory_get(DEVICE, SIZE);

    fill(expected, SIZE, 0, 1);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    memory_read(DEVICE, got, memory, SIZE);
    CHECK_BYTES(got, expected, SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, 1000, 77, 0), 1000);
    fill(expected, SIZE, 0, seed);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
    memory_free(DEVICE, memory);
}

/* ---- privilege ---- */

static void give_up_privilege(void)
{
    CHECK_EQUAL(setresgid(65534, 65534, 65534), 0);
    CHECK_EQUAL(setresuid(65534, 65534, 65534), 0);
    prctl(PR_SET_DUMPABLE, 1); /* or /proc/self is root's, which is another obstacle */
}

static void need_root(void)
{
    if (getuid() != 0)
        skip_test("needs root, to give privilege up");
}

/* The file can no longer be opened by this process, and goes on working by its descriptor. */
static void a_file_of_lost_privilege_goes_on(void)
{
    void *memory;

    need_root();
    fd = pattern_file(O_RDWR, SIZE, 1);
    CHECK_EQUAL(fchmod(fd, 0), 0);
    give_up_privilege();
    CHECK_EQUAL(open_again(fd, O_RDONLY), -1);
    handle = register_fd(fd);
    expect_read_and_write(2);
    memory = memory_get(DEVICE, SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, 1000, 77, 0), 1000);
}

/* A twin that cannot be had: EINVAL for what needs it, and only for that. */
static void what_needs_a_twin_is_einval(void)
{
    void *memory, *pinned;

    need_root();
    fd = pattern_file(O_RDWR | O_DIRECT, SIZE, 1);
    CHECK_EQUAL(fchmod(fd, 0), 0);
    give_up_privilege();
    handle = register_fd(fd);
    expect_read_and_write(2);
    memory = memory_get(DEVICE, SIZE);
    pinned = memory_get(PINNED, SIZE);
    CHECK_ERRNO(hipFileWrite(handle, memory, 1000, 77, 0), EINVAL);
    CHECK_ERRNO(hipFileWrite(handle, pinned, 1000, 77, 0), EINVAL);
    CHECK_EQUAL(hipFileWrite(handle, pinned, PAGE, PAGE, 0), PAGE);

    hipFileHandleDeregister(handle);
    CHECK_EQUAL(fcntl(fd, F_SETFL, O_APPEND), 0);
    handle = register_fd(fd);
    CHECK_EQUAL(hipFileRead(handle, memory, 1000, 77, 0), 1000);
    CHECK_ERRNO(hipFileWrite(handle, memory, PAGE, 0, 0), EINVAL);
    CHECK_EQUAL(file_size(fd), SIZE);
}

/* ---- containers ---- */

static void own_mounts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0)
        skip_test("needs root, to change mounts");
}

static void without_proc(void)
{
    void *memory;

    fd = pattern_file(O_RDWR, SIZE, 1);
    CHECK(!on_gpu() || runtime_works());
    own_mounts();
    CHECK_EQUAL(umount2("/proc", MNT_DETACH), 0);
    CHECK(access("/proc/self", F_OK) != 0);
    if (on_gpu() && !runtime_works())
        skip_test("on a GPU: its runtime needs /proc");
    handle = register_fd(fd);
    expect_read_and_write(2);
    memory = memory_get(PINNED, SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, 100, 5, 0), 100);
    CHECK_EQUAL(hipFileWrite(handle, memory, 100, 5, 0), 100);
    hipFileHandleDeregister(handle);
}

static void without_udev_and_sysfs(void)
{
    own_mounts();
    CHECK_EQUAL(mount("tmpfs", "/run", "tmpfs", 0, NULL), 0);
    CHECK_EQUAL(mount("tmpfs", "/sys", "tmpfs", 0, NULL), 0);
    fd = pattern_file(O_RDWR, SIZE, 1);
    handle = register_fd(fd);
    expect_read_and_write(2);
}

/* ---- locks and leases ---- */

static void flock_lasts_as_long_as_the_handle(void)
{
    int other;

    fd = pattern_file(O_RDWR, SIZE, 1);
    other = open_again(fd, O_RDWR);
    CHECK_EQUAL(flock(fd, LOCK_EX), 0);
    handle = register_fd(fd);
    expect_read_and_write(2); /* no lock is in the way of a request */
    close(fd);
    CHECK_EQUAL(flock(other, LOCK_EX | LOCK_NB), -1);
    hipFileHandleDeregister(handle);
    CHECK_EQUAL(flock(other, LOCK_EX | LOCK_NB), 0);
}

static void open_file_locks_last_as_long_as_the_handle(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int other;

    fd = pattern_file(O_RDWR, SIZE, 1);
    other = open_again(fd, O_RDWR);
    CHECK_EQUAL(fcntl(fd, F_OFD_SETLK, &lock), 0);
    handle = register_fd(fd);
    close(fd);
    CHECK_EQUAL(fcntl(other, F_OFD_SETLK, &lock), -1);
    hipFileHandleDeregister(handle);
    CHECK_EQUAL(fcntl(other, F_OFD_SETLK, &lock), 0);
}

static bool is_locked_for_others(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

/* As with any close of any descriptor of the file. */
static void record_locks_go_at_the_deregistration(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    fd = pattern_file(O_RDWR, SIZE, 1);
    handle = register_fd(fd);
    CHECK_EQUAL(fcntl(fd, F_SETLK, &lock), 0);
    expect_read_and_write(2);
    CHECK(is_locked_for_others());
    hipFileHandleDeregister(handle);
    CHECK(!is_locked_for_others());
}

static void leases_last_as_long_as_the_handle(void)
{
    int plain = pattern_file(O_RDWR, SIZE, 1), leased = open_again(plain, O_RDONLY);

    close(plain);
    if (fcntl(leased, F_SETLEASE, F_RDLCK) != 0)
        skip_test("%s: no leases (%s)", test_folder(), strerror(errno));
    handle = register_fd(leased);
    CHECK_EQUAL(fcntl(leased, F_GETLEASE), F_RDLCK);
    hipFileHandleDeregister(handle);
    CHECK_EQUAL(fcntl(leased, F_GETLEASE), F_RDLCK);
    handle = register_fd(leased);
    plain = open_again(leased, O_RDONLY);
    close(leased);
    CHECK_EQUAL(fcntl(plain, F_GETLEASE), F_UNLCK); /* of this description there is none */
    hipFileHandleDeregister(handle);
}

/* ---- the page cache ---- */

/* Each way to write beside each way to look, immediately. */
static void everyone_sees_the_same(void)
{
    static const struct {
        off_t offset;
        size_t size;
    } ranges[] = {{0, SIZE}, {PAGE, 4 * PAGE}, {1, SIZE - 1}, {PAGE - 1, 2 * PAGE + 2}, {100, 7}};
    unsigned char *mapped, *block = memory_get(PAGEABLE, SIZE);
    static const enum kind kinds[] = {DEVICE, PINNED};
    int direct;
    unsigned seed = 2;

    fd = pattern_file(O_RDWR, SIZE, 1);
    direct = open_again(fd, O_RDONLY | O_DIRECT);
    mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(mapped != MAP_FAILED);
    fill(expected, SIZE, 0, 1);
    for (int flags = 0; flags < 2; flags++) {
        int other = open_again(fd, flags ? O_RDWR | O_DIRECT : O_RDWR);

        if (other < 0)
            continue;
        handle = register_fd(other);
        for (int k = 0; k < 2; k++)
            for (int r = 0; r < 5; r++) {
                char *memory = memory_get(kinds[k], SIZE);
                off_t at = ranges[r].offset;

                CHECK_BYTES(mapped, expected, SIZE); /* the pages are in the cache now */
                fill(expected + at, ranges[r].size, 0, seed++);
                memory_write(kinds[k], memory, expected, SIZE);
                CHECK_EQUAL(hipFileWrite(handle, memory, ranges[r].size, at, at), ranges[r].size);
                CHECK_BYTES(mapped, expected, SIZE);
                CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
                CHECK_BYTES(got, expected, SIZE);
                if (direct >= 0) {
                    CHECK_EQUAL(pread(direct, block, SIZE, 0), SIZE);
                    CHECK_BYTES(block, expected, SIZE);
                }

                mapped[at] ^= 0x55; /* a store into the mapping, and a write */
                expected[at] ^= 0x55;
                CHECK_EQUAL(pwrite(fd, "new", 3, at + 2), 3);
                memcpy(expected + at + 2, "new", 3);
                CHECK_EQUAL(hipFileRead(handle, memory, ranges[r].size, at, at), ranges[r].size);
                memory_read(kinds[k], got, memory, SIZE);
                CHECK_BYTES(got, expected, SIZE);
                memory_free(kinds[k], memory);
            }
        hipFileHandleDeregister(handle);
        close(other);
    }
}

#define COMPAT "HIPFILE_FORCE_COMPAT_MODE=1"

int main(void)
{
    RUN(a_file_of_lost_privilege_goes_on, NULL);
    RUN(what_needs_a_twin_is_einval, NULL);
    RUN(what_needs_a_twin_is_einval, COMPAT, NULL);
    RUN(without_proc, NULL);
    RUN(without_udev_and_sysfs, NULL);
    RUN(flock_lasts_as_long_as_the_handle, NULL);
    RUN(open_file_locks_last_as_long_as_the_handle, NULL);
    RUN(record_locks_go_at_the_deregistration, NULL);
    RUN(leases_last_as_long_as_the_handle, NULL);
    RUN(everyone_sees_the_same, NULL);
    RUN(everyone_sees_the_same, COMPAT, NULL);
    RUN(everyone_sees_the_same, COMPAT, "HIPFILE_FORCE_ODIRECT_MODE=1", NULL);
    RUN(everyone_sees_the_same, "HIPFILE_UNSUPPORTED_FILE_SYSTEMS=1", "HIPFILE_TEST_DIR=/dev/shm",
        NULL);
    return finish();
}
