// SPDX-License-Identifier: MIT
//
// Opening and closing: use counts, what opens the library by itself, what closing forgets.
#include "sync_test.h"

#include <pthread.h>

#define SIZE 65536

static void use_counts_add_up(void)
{
    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_CODE(hipFileDriverClose(), hipFileDriverNotInitialized);
    CHECK_EQUAL(hipFileUseCount(), 0);
    for (int i = 1; i <= 10; i++) {
        CHECK_OK(hipFileDriverOpen());
        CHECK_EQUAL(hipFileUseCount(), i);
    }
    for (int i = 9; i >= 0; i--) {
        CHECK_OK(hipFileDriverClose());
        CHECK_EQUAL(hipFileUseCount(), i);
    }
    CHECK_CODE(hipFileDriverClose(), hipFileDriverNotInitialized);
    CHECK_OK(hipFileDriverOpen());
    CHECK_EQUAL(hipFileUseCount(), 1);
}

static void registering_opens_once(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    void *memory = memory_get(DEVICE, SIZE);

    register_fd(fd);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_OK(hipFileDriverOpen());
    CHECK_EQUAL(hipFileUseCount(), 2);
    CHECK_OK(hipFileDriverClose());
    CHECK_OK(hipFileDriverClose());
    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(hipFileUseCount(), 1);
}

static void a_registration_that_is_refused_opens_nothing(void)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = -1};
    hipFileHandle_t handle = (void *)7;

    CHECK_CODE(hipFileHandleRegister(NULL, &descr), hipFileInvalidValue);
    CHECK_CODE(hipFileHandleRegister(&handle, NULL), hipFileInvalidValue);
    CHECK_CODE(hipFileHandleRegister(NULL, NULL), hipFileInvalidValue);
    CHECK_CODE(hipFileHandleRegister(&handle, &descr), hipFileInternalError);
    descr.type = hipFileHandleTypeUserspaceFS;
    CHECK_CODE(hipFileHandleRegister(&handle, &descr), hipFileIONotSupported);
    descr.type = hipFileHandleTypeOpaqueWin32;
    CHECK_CODE(hipFileHandleRegister(&handle, &descr), hipFileIONotSupported);
    CHECK(handle == (void *)7);
    CHECK_EQUAL(hipFileUseCount(), 0);
}

/* Programs rely on it: the opening comes before the look at the arguments. */
static void a_refused_buffer_opens_all_the_same(void)
{
    CHECK_CODE(hipFileBufRegister(NULL, SIZE, 0), hipFileInvalidValue);
    CHECK_EQUAL(hipFileUseCount(), 1);
}

static void calls_that_do_not_open(void)
{
    char byte = 0;
    unsigned version;
    hipFileHandleDeregister(NULL);
    hipFileHandleDeregister((void *)&byte);
    CHECK_CODE(hipFileBufDeregister(NULL), hipFileDriverClosing);
    CHECK_CODE(hipFileBufDeregister(&byte), hipFileDriverClosing);
    CHECK_ERRNO(hipFileRead(NULL, &byte, 1, 0, 0), EINVAL);
    CHECK_ERRNO(hipFileWrite((void *)&byte, &byte, 1, 0, 0), EINVAL);
    CHECK_OK(hipFileGetVersion(&version, NULL, NULL));
    CHECK(hipFileGetOpErrorString(hipFileInvalidValue) != NULL);
    CHECK_EQUAL(hipFileUseCount(), 0);
}

static void closing_forgets_files_and_buffers(void)
{
    unsigned before = count_descriptors();
    int fd = pattern_file(O_RDWR, SIZE, 1);
    void *memory = memory_get(DEVICE, SIZE);
    hipFileHandle_t handle = register_fd(fd), again;

    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_OK(hipFileDriverClose());
    CHECK_EQUAL(count_descriptors(), before + 1); /* the duplicate and the twins are closed */
    CHECK_ERRNO(hipFileRead(handle, memory, SIZE, 0, 0), EINVAL);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileDriverClosing);

    CHECK_OK(hipFileDriverOpen());
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHandleNotRegistered);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);
    again = register_fd(fd); /* the same number and the same memory are free again */
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(hipFileRead(again, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHandleNotRegistered);
    CHECK_OK(hipFileDriverClose());
}

/* ---- many threads ---- */

#define THREADS 64

static pthread_barrier_t barrier;
static int fds[THREADS];
static void *memories[THREADS];

static void *register_one(void *argument)
{
    size_t i = (size_t)argument;

    pthread_barrier_wait(&barrier);
    if (i % 2)
        register_fd(fds[i]);
    else
        CHECK_OK(hipFileBufRegister(memories[i], 4096, 0));
    return NULL;
}

static void start_threads(void *(*body)(void *))
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, body, (void *)i), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void racing_threads_open_once(void)
{
    for (int i = 0; i < THREADS; i++) {
        fds[i] = new_file(O_RDWR);
        memories[i] = memory_get(DEVICE, 4096);
    }
    for (int round = 0; round < (runs_slowly() ? 5 : 20); round++) {
        start_threads(register_one);
        CHECK_EQUAL(hipFileUseCount(), 1);
        CHECK_OK(hipFileDriverClose());
        CHECK_EQUAL(hipFileUseCount(), 0);
    }
}

static void *open_and_close(void *argument)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < (runs_slowly() ? 20 : 200); i++) {
        CHECK_OK(hipFileDriverOpen());
        CHECK(hipFileUseCount() > 0);
        CHECK_OK(hipFileDriverClose());
    }
    return argument;
}

static void opens_and_closes_of_threads_add_up(void)
{
    start_threads(open_and_close);
    CHECK_EQUAL(hipFileUseCount(), 0);
}

static hipFileHandle_t shared_handle;
static void *shared_memory;

static void *read_until_closed(void *argument)
{
    char *memory = (char *)shared_memory + (size_t)argument * SIZE;

    for (;;) {
        ssize_t n;

        errno = 0;
        n = hipFileRead(shared_handle, memory, SIZE, 0, 0);
        if (n == SIZE)
            continue;
        /* closed, or open anew and this handle unknown */
        CHECK((n == -1 && errno == EINVAL) || n == -hipFileHandleNotRegistered);
        return NULL;
    }
}

/* What is under way completes; what comes later is told that there is nothing any more. */
static void closing_with_work_in_flight(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    unsigned before = count_descriptors();

    shared_memory = memory_get(DEVICE, 8 * SIZE);
    for (int round = 0; round < (runs_slowly() ? 5 : 20); round++) {
        pthread_t threads[8];

        shared_handle = register_fd(fd);
        CHECK_OK(hipFileBufRegister(shared_memory, 8 * SIZE, 0));
        for (size_t i = 0; i < 8; i++)
            CHECK_EQUAL(pthread_create(&threads[i], NULL, read_until_closed, (void *)i), 0);
        usleep(2000);
        CHECK_OK(hipFileDriverClose());
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        CHECK_EQUAL(count_descriptors(), before);
    }
}

/* A process may end without closing anything, also while threads are at work. The runtime of a GPU
   ends before the thread does, which is told so. */
static atomic_bool leaving;

static void *read_for_ever(void *argument)
{
    ssize_t n;

    do
        n = hipFileRead(shared_handle, argument, SIZE, 0, 0);
    while (n == SIZE);
    if (on_gpu() && leaving)
        CHECK_EQUAL(n, -hipFileHipDriverError);
    else
        CHECK_EQUAL(n, SIZE);
    return NULL;
}

static void leave(void)
{
    pthread_t thread;

    shared_handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
    CHECK_EQUAL(pthread_create(&thread, NULL, read_for_ever, memory_get(DEVICE, SIZE)), 0);
    usleep(20000);
    leaving = true;
    exit(0);
}

static void the_process_may_end_at_any_time(void)
{
    for (int i = 0; i < 10; i++)
        CHECK_EQUAL(in_child(leave, NULL), 0);
}

int main(void)
{
    RUN(use_counts_add_up, NULL);
    RUN(registering_opens_once, NULL);
    RUN(a_registration_that_is_refused_opens_nothing, NULL);
    RUN(a_refused_buffer_opens_all_the_same, NULL);
    RUN(calls_that_do_not_open, NULL);
    RUN(closing_forgets_files_and_buffers, NULL);
    RUN(racing_threads_open_once, NULL);
    RUN(opens_and_closes_of_threads_add_up, NULL);
    RUN(closing_with_work_in_flight, NULL);
    RUN(closing_with_work_in_flight, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(the_process_may_end_at_any_time, NULL);
    return finish();
}
