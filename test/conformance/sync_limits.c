// SPDX-License-Identifier: MIT
//
// Limits of the system: file sizes, full file systems, 2 GiB, and files that change size meanwhile.
#include "sync_test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#define PAGE 4096
#define SIZE (64 * PAGE)

static int fd;
static hipFileHandle_t handle;

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};

    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* ---- RLIMIT_FSIZE ---- */

static void file_size_limits_are_efbig(void)
{
    static const enum kind kinds[] = {DEVICE, PINNED};

    signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], SIZE);

        fd = new_file(O_RDWR);
        handle = register_fd(fd);
        limit_file_size(10 * PAGE + 100);
        CHECK_EQUAL(hipFileWrite(handle, memory, PAGE, 0, 0), PAGE);
        CHECK_EQUAL(hipFileWrite(handle, memory, 20 * PAGE, 0, 0), 10 * PAGE + 100);
        CHECK_EQUAL(file_size(fd), 10 * PAGE + 100);
        CHECK_ERRNO(hipFileWrite(handle, memory, PAGE, 10 * PAGE + 100, 0), EFBIG);
        CHECK_ERRNO(hipFileWrite(handle, memory, PAGE, 11 * PAGE, 0), EFBIG);
        CHECK_ERRNO(hipFileWrite(handle, memory, 1, 30 * PAGE, 0), EFBIG);
        CHECK_EQUAL(file_size(fd), 10 * PAGE + 100);
        limit_file_size(10 * PAGE); /* at a block's end */
        CHECK_EQUAL(hipFileWrite(handle, memory, 20 * PAGE, 0, 0), 10 * PAGE);
        CHECK_ERRNO(hipFileWrite(handle, memory, PAGE, 10 * PAGE, 0), EFBIG);
        limit_file_size(RLIM_INFINITY);
        CHECK_EQUAL(hipFileWrite(handle, memory, 20 * PAGE, 0, 0), 20 * PAGE);
    }
}

static void o_direct_and_a_limit_inside_a_block(void)
{
    void *memory = memory_get(DEVICE, SIZE);

    signal(SIGXFSZ, SIG_IGN);
    fd = new_file(O_RDWR | O_DIRECT);
    handle = register_fd(fd);
    limit_file_size(10 * PAGE + 100);
    CHECK_EQUAL(hipFileWrite(handle, memory, 20 * PAGE, 0, 0), 10 * PAGE);
    limit_file_size(100);
    CHECK_ERRNO(hipFileWrite(handle, memory, 20 * PAGE, 0, 0), EFBIG);
}

static void write_above_the_limit(void)
{
    void *memory = memory_get(DEVICE, SIZE);

    handle = register_fd(new_file(O_RDWR));
    limit_file_size(PAGE);
    hipFileWrite(handle, memory, PAGE, 2 * PAGE, 0);
}

static void the_signal_is_the_programs(void)
{
    int status = in_child(write_above_the_limit, NULL);

    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

/* ---- a full file system ---- */

static void a_full_file_system_is_enospc(void)
{
    static const enum kind kinds[] = {DEVICE, PINNED};
    char folder[] = "/var/tmp/hipfile_full_XXXXXX";

    CHECK(mkdtemp(folder) != NULL);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", folder, "tmpfs", 0, "size=1m") != 0) {
        rmdir(folder);
        skip_test("needs root, to mount a small file system");
    }
    setenv("HIPFILE_TEST_DIR", folder, 1);
    for (int k = 0; k < 2; k++) {
        void *memory = memory_get(kinds[k], 4 << 20);
        ssize_t n;

        fd = new_file(O_RDWR);
        handle = register_fd(fd);
        n = hipFileWrite(handle, memory, 4 << 20, 0, 0);
        CHECK(n > 0 && n <= 1 << 20);
        CHECK_EQUAL(file_size(fd), n);
        CHECK_ERRNO(hipFileWrite(handle, memory, 1 << 20, n, 0), ENOSPC);
        CHECK_ERRNO(hipFileWrite(handle, memory, 77, n, 0), ENOSPC);
        hipFileHandleDeregister(handle);
        close(fd);
        memory_free(kinds[k], memory);
    }
    umount2(folder, MNT_DETACH);
    rmdir(folder);
}

/* ---- 2 GiB ---- */

/* Gigabytes of addresses over a few megabytes of memory. */
static unsigned char *wide_memory(size_t size)
{
    size_t piece = (size_t)16 << 20;
    int file = memfd_create("wide", MFD_CLOEXEC);
    unsigned char *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    CHECK_EQUAL(ftruncate(file, (off_t)piece), 0);
    for (size_t at = 0; at < size; at += piece)
        CHECK(mmap(memory + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
              MAP_FAILED);
    return memory;
}

static void one_request_moves_2_gib_at_most(void)
{
    size_t most = 0x7ffff000, size = (size_t)3 << 30;
    unsigned char *memory;

    fd = memfd_create("large", MFD_CLOEXEC);
    CHECK_EQUAL(ftruncate(fd, (off_t)size), 0); /* nothing but a hole */
    CHECK_EQUAL(pwrite(fd, "end", 3, (off_t)most - 3), 3);
    handle = register_fd(fd);
    memory = wide_memory(size);
    CHECK_OK(hipFileBufRegister(memory, size, 0));
    CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), most);
    CHECK_BYTES(memory + most - 3, (const unsigned char *)"end", 3);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE_MAX, (off_t)size - 100, 0), 100);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE_MAX, 0, (off_t)(size - most + 1)),
                -hipFileInvalidValue); /* the bounds are those of the size that counts */
}

/* ---- truncation ---- */

static atomic_bool stop;
static unsigned char whole[SIZE];

static void *change_size(void *argument)
{
    uint64_t seed = 7;

    while (!stop) {
        off_t size = (off_t)(next_random(&seed) % SIZE);

        CHECK_EQUAL(ftruncate(fd, size), 0);
        CHECK_EQUAL(pwrite(fd, whole, (size_t)(next_random(&seed) % SIZE), 0) >= 0, 1);
        sched_yield();
    }
    return argument;
}

/* The file only ever holds these bytes, or zeroes where it was extended. */
static void reads_of_a_file_that_changes_size(void)
{
    static unsigned char got[SIZE], zeroes[SIZE];
    void *memory = memory_get(DEVICE, SIZE);
    uint64_t seed = 3;
    pthread_t thread;

    for (size_t i = 0; i < SIZE; i++)
        whole[i] = (unsigned char)(pattern(i, 1) | 1);
    fd = pattern_file(O_RDWR, 0, 1);
    handle = register_fd(fd);
    CHECK_EQUAL(pthread_create(&thread, NULL, change_size, NULL), 0);
    for (int round = 0; round < 500; round++) {
        off_t offset = (off_t)(next_random(&seed) % SIZE);
        size_t size = 1 + next_random(&seed) % (SIZE - (size_t)offset);
        ssize_t n;

        memory_write(DEVICE, memory, zeroes, size);
        n = hipFileRead(handle, memory, size, offset, 0);
        CHECK(n >= 0 && n <= (ssize_t)size);
        memory_read(DEVICE, got, memory, (size_t)n);
        for (ssize_t i = 0; i < n; i++)
            if (got[i] != 0 && got[i] != whole[offset + i])
                fail_at(__FILE__, __LINE__, "byte %lld was never in the file",
                        (long long)offset + i);
    }
    stop = true;
    pthread_join(thread, NULL);
}

int main(void)
{
    RUN(file_size_limits_are_efbig, NULL);
    RUN(file_size_limits_are_efbig, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(o_direct_and_a_limit_inside_a_block, NULL);
    RUN(o_direct_and_a_limit_inside_a_block, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(the_signal_is_the_programs, NULL);
    RUN(a_full_file_system_is_enospc, NULL);
    /* One chunk after the other: their memory is the same, and the last is looked at. */
    RUN(one_request_moves_2_gib_at_most, "HIPFILE_PARALLEL_IO=0", NULL);
    RUN(reads_of_a_file_that_changes_size, NULL);
    RUN(reads_of_a_file_that_changes_size, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(reads_of_a_file_that_changes_size, "HIPFILE_FORCE_COMPAT_MODE=1",
        "HIPFILE_FORCE_ODIRECT_MODE=1", NULL);
    return finish();
}
