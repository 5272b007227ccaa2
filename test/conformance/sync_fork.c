// SPDX-License-Identifier: MIT
//
// fork: in the child the library is closed and knows nothing of the parent's, nothing hangs
// whatever other threads were doing, and the parent notices nothing.
#include "sync_test.h"

#include <pthread.h>

#define SIZE  65536
#define LARGE (8 << 20)

static int fd;
static hipFileHandle_t handle;
static void *memory;

static void prepare(size_t size)
{
    fd = pattern_file(O_RDWR, size, 1);
    memory = memory_get(DEVICE, size);
    handle = register_fd(fd);
    CHECK_OK(hipFileBufRegister(memory, size, 0));
    CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), size);
}

/* Runs the body in a forked child that may take ten seconds. */
static void fork_and(void (*body)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(10);
        body();
        _exit(0);
    }
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    if (status)
        fail_at(__FILE__, __LINE__, "the child ended with status %#x", status);
}

static void expect_closed(void)
{
    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_ERRNO(hipFileRead(handle, memory, SIZE, 0, 0), EINVAL);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileDriverClosing);
    CHECK_CODE(hipFileDriverClose(), hipFileDriverNotInitialized);
    hipFileHandleDeregister(handle);
}

static void expect_unknown_when_opened_anew(void)
{
    CHECK_OK(hipFileDriverOpen());
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHandleNotRegistered);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);
    hipFileHandleDeregister(handle);
}

/* What a child is told where the runtime does not work in it, whatever memory it is. */
static void expect_hip_failure(void)
{
    static char pageable[SIZE];
    hipFileHandle_t mine = register_fd(fd);
    hipFileError_t error = hipFileBufRegister(pageable, SIZE, 0);

    CHECK_EQUAL(hipFileRead(mine, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorNotInitialized);
    CHECK_EQUAL(hipFileWrite(mine, memory, 99, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(error.err, hipFileHipDriverError);
    CHECK_EQUAL(error.hip_drv_err, hipErrorNotInitialized);
    CHECK_EQUAL(hipFileRead(mine, pageable, SIZE, 0, 0), -hipFileHipDriverError);
    hipFileHandleDeregister(mine);
    CHECK_OK(hipFileDriverClose());
}

static void transfer_anew(void)
{
    static unsigned char expected[SIZE], got[SIZE];
    hipFileHandle_t mine = register_fd(fd);

    for (enum kind kind = DEVICE; kind < KINDS; kind++) {
        void *own = memory_get(kind, SIZE);

        CHECK_OK(hipFileBufRegister(own, SIZE, 0));
        CHECK_EQUAL(hipFileRead(mine, own, SIZE, 0, 0), SIZE);
        memory_read(kind, got, own, SIZE);
        fill(expected, SIZE, 0, 1);
        CHECK_BYTES(got, expected, SIZE);
        CHECK_EQUAL(hipFileWrite(mine, own, SIZE, 0, 0), SIZE);
        CHECK_EQUAL(hipFileWrite(mine, own, 99, 0, 0), 99);
        CHECK_OK(hipFileBufDeregister(own));
    }
    CHECK(mine != handle);
    hipFileHandleDeregister(mine);
    CHECK_OK(hipFileDriverClose());
}

static void use_anew(void)
{
    if (on_gpu())
        expect_hip_failure();
    else
        transfer_anew();
}

static unsigned parents_descriptors;

/* Our duplicates are closed in the child: nothing of ours lives on in it. */
static void expect_fewer_descriptors(void)
{
    CHECK_EQUAL(count_descriptors(), parents_descriptors);
}

static void the_child_begins_closed(void)
{
    unsigned without = count_descriptors();

    prepare(SIZE);
    parents_descriptors = without + 1; /* the file itself */
    fork_and(expect_closed);
    fork_and(expect_unknown_when_opened_anew);
    fork_and(expect_fewer_descriptors);
    fork_and(use_anew);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_OK(hipFileBufDeregister(memory));
}

static void grandchild(void)
{
    use_anew();
    CHECK_OK(hipFileDriverOpen());
    fork_and(use_anew);
}

static void children_may_fork(void)
{
    prepare(SIZE);
    fork_and(grandchild);
}

/* ---- while other threads are at work ---- */

static atomic_bool stop;

static void *write_large(void *argument)
{
    while (!stop)
        CHECK_EQUAL(hipFileWrite(handle, memory, LARGE, 0, 0), LARGE);
    return argument;
}

static void *write_small(void *argument)
{
    char *own = memory_get(DEVICE, SIZE);

    memset(argument, 0, 1);
    while (!stop)
        CHECK_EQUAL(hipFileWrite(handle, own, 100, 1, 1), 100);
    return argument;
}

static void *come_and_go(void *argument)
{
    int file = new_file(O_RDWR);
    void *own = memory_get(DEVICE, SIZE);

    while (!stop) {
        hipFileHandle_t mine = register_fd(file);

        CHECK_OK(hipFileBufRegister(own, SIZE, 0));
        CHECK_OK(hipFileBufDeregister(own));
        hipFileHandleDeregister(mine);
    }
    return argument;
}

static void write_to_the_same_file(void)
{
    hipFileHandle_t mine;
    void *own;

    if (on_gpu()) {
        expect_hip_failure();
        return;
    }
    mine = register_fd(fd);
    own = memory_get(DEVICE, SIZE);

    CHECK_EQUAL(hipFileWrite(mine, own, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileWrite(mine, own, 50, 7, 7), 50);
    CHECK_EQUAL(hipFileRead(mine, own, SIZE, 0, 0), SIZE);
    CHECK_OK(hipFileDriverClose());
}

static void no_lock_of_the_parent_is_met(void)
{
    static void *(*const roles[])(void *) = {write_large, write_large, write_small, come_and_go};
    pthread_t threads[4];
    char marks[4];

    if (UNDER_ASAN) /* its allocator's locks, held by other threads, hang the child */
        skip_test("forks beside busy threads: not under a sanitizer of addresses");
    prepare(LARGE);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, roles[i], &marks[i]), 0);
    for (int i = 0; i < 20; i++)
        fork_and(write_to_the_same_file);
    stop = true;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(hipFileRead(handle, memory, LARGE, 0, 0), LARGE);
}

/* ---- a runtime that does not work in a child ---- */

static void a_runtime_that_fails_in_the_child_is_told(void)
{
    prepare(SIZE); /* takes the first two queries */
    fork_and(expect_hip_failure);
}

int main(void)
{
    if (!may_fork())
        return 77;
    RUN(the_child_begins_closed, NULL);
    RUN(the_child_begins_closed, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(children_may_fork, NULL);
    RUN(no_lock_of_the_parent_is_met, NULL);
    RUN(no_lock_of_the_parent_is_met, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(a_runtime_that_fails_in_the_child_is_told,
        "HIPLITE_FAULT=hipPointerGetAttributes@2+=hipErrorNotInitialized", NULL);
    return finish();
}
