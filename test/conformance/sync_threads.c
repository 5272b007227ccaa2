// SPDX-License-Identifier: MIT
//
// Many threads: on one handle and one buffer, on ranges that share blocks and pages, registering
// and deregistering what others use; and signals, which never change a result.
#include "sync_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>

#define PAGE    4096
#define THREADS 16

static int fd;
static hipFileHandle_t handle;
static pthread_barrier_t barrier;
static atomic_bool stop;

static void run_threads(int count, void *(*body)(void *))
{
    pthread_t threads[64];

    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (intptr_t i = 0; i < count; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, body, (void *)i), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

/* ---- neighbours ---- */

#define PIECE  1777 /* neither a block nor a part of one */
#define PIECES (THREADS * 8)

/* Each thread writes and reads its own pieces, which share blocks with those of others. */
static void *write_own_pieces(void *argument)
{
    static const enum kind kinds[] = {DEVICE, PINNED, MANAGED, DEVICE};
    int me = (int)(intptr_t)argument;
    enum kind kind = kinds[me % 4];
    char *memory = memory_get(kind, 8 * PAGE);
    unsigned char expected[3 * PIECE], got[3 * PIECE];

    pthread_barrier_wait(&barrier);
    for (unsigned round = 1; round < 12; round++)
        for (int piece = me; piece < PIECES; piece += THREADS) {
            off_t offset = (off_t)piece * PIECE;

            fill(expected, PIECE, (uint64_t)offset, round);
            memory_write(kind, memory + 5, expected, PIECE);
            CHECK_EQUAL(hipFileWrite(handle, memory, PIECE, offset, 5), PIECE);
            memset(got, 0, PIECE);
            memory_write(kind, memory + 5, got, PIECE);
            CHECK_EQUAL(hipFileRead(handle, memory, PIECE, offset, 5), PIECE);
            memory_read(kind, got, memory + 5, PIECE);
            CHECK_BYTES(got, expected, PIECE);
        }
    return NULL;
}

static void neighbours(int flags)
{
    unsigned char *got = bytes_get(PIECES * PIECE), *expected = bytes_get(PIECES * PIECE);

    fd = pattern_file(O_RDWR, PIECES * PIECE, 99);
    handle = register_fd(open_again(fd, flags));
    run_threads(THREADS, write_own_pieces);
    fill(expected, PIECES * PIECE, 0, 11);
    CHECK_EQUAL(pread(fd, got, PIECES * PIECE, 0), PIECES * PIECE);
    CHECK_BYTES(got, expected, PIECES * PIECE);
}

static void neighbours_in_one_block_do_not_disturb(void)
{
    neighbours(O_RDWR);
}

static void neighbours_in_one_block_with_o_direct(void)
{
    neighbours(O_RDWR | O_DIRECT);
}

/* Larger neighbours, with whole blocks in between that go direct. */
#define LARGE (5 * PAGE + 333)

static void *write_own_range(void *argument)
{
    int me = (int)(intptr_t)argument;
    char *memory = memory_get(DEVICE, 8 * PAGE);
    off_t offset = (off_t)me * LARGE;
    unsigned char *bytes = bytes_get(LARGE);

    pthread_barrier_wait(&barrier);
    for (unsigned round = 1; round < 30; round++) {
        fill(bytes, LARGE, (uint64_t)offset, round);
        memory_write(DEVICE, memory + offset % PAGE, bytes, LARGE);
        CHECK_EQUAL(hipFileWrite(handle, memory, LARGE, offset, offset % PAGE), LARGE);
    }
    return NULL;
}

static void edges_and_middles_of_neighbours(void)
{
    unsigned char *got = bytes_get(THREADS * LARGE), *expected = bytes_get(THREADS * LARGE);
    int medium;

    fd = pattern_file(O_RDWR, THREADS * LARGE, 99);
    handle = register_fd(fd);
    run_threads(THREADS, write_own_range);
    fill(expected, THREADS * LARGE, 0, 29);
    CHECK_EQUAL(pread(fd, got, THREADS * LARGE, 0), THREADS * LARGE);
    CHECK_BYTES(got, expected, THREADS * LARGE);
    CHECK_EQUAL(fsync(fd), 0); /* and on the medium */
    medium = open_again(fd, O_RDONLY | O_DIRECT);
    if (medium >= 0) {
        unsigned char *block = memory_get(PAGEABLE, PAGE);

        for (size_t at = 0; at < THREADS * LARGE / PAGE * PAGE; at += PAGE) {
            CHECK_EQUAL(pread(medium, block, PAGE, (off_t)at), PAGE);
            CHECK_BYTES(block, expected + at, PAGE);
        }
    }
}

/* ---- coming and going ---- */

static void *shared_memory;

static void *use_what_comes_and_goes(void *argument)
{
    char *memory = (char *)shared_memory + (intptr_t)argument * PAGE;

    while (!stop) {
        hipFileHandle_t now = __atomic_load_n(&handle, __ATOMIC_ACQUIRE);
        ssize_t n = hipFileRead(now, memory, PAGE, 0, 0);

        if (n != PAGE && n != -hipFileHandleNotRegistered)
            fail_at(__FILE__, __LINE__, "read returned %zd, errno %d", n, errno);
    }
    return NULL;
}

static void *handles_come_and_go(void *argument)
{
    for (int i = 0; i < 400; i++) {
        int own = dup(fd);
        hipFileHandle_t mine = register_fd(own);

        __atomic_store_n(&handle, mine, __ATOMIC_RELEASE);
        if (i % 2)
            close(own); /* the caller's descriptor may go first */
        sched_yield();
        hipFileHandleDeregister(mine);
        if (i % 2 == 0)
            close(own);
    }
    stop = true;
    return argument;
}

static void *buffers_come_and_go(void *argument)
{
    while (!stop) {
        hipFileError_t error = hipFileBufRegister(shared_memory, 64 * PAGE, 0);

        CHECK_EQUAL(error.err, hipFileSuccess);
        sched_yield();
        do
            error = hipFileBufDeregister(shared_memory);
        while (error.err == hipFileInternalError); /* in use */
        CHECK_EQUAL(error.err, hipFileSuccess);
    }
    return argument;
}

static void *one_role_each(void *argument)
{
    intptr_t me = (intptr_t)argument;

    pthread_barrier_wait(&barrier);
    return me == 0   ? handles_come_and_go(argument)
           : me == 1 ? buffers_come_and_go(argument)
                     : use_what_comes_and_goes(argument);
}

static void handles_and_buffers_come_and_go_in_use(void)
{
    unsigned before;

    fd = pattern_file(O_RDWR, PAGE, 1);
    shared_memory = memory_get(DEVICE, 64 * PAGE);
    CHECK_OK(hipFileDriverOpen());
    handle = register_fd(fd);
    CHECK_EQUAL(hipFileRead(handle, shared_memory, PAGE, 0, 0), PAGE);
    hipFileHandleDeregister(handle);
    before = count_descriptors();
    run_threads(8, one_role_each);
    CHECK_EQUAL(count_descriptors(), before);
}

static void *deregister_soon(void *argument)
{
    usleep(100000);
    hipFileHandleDeregister(handle);
    return argument;
}

/* What is under way completes on our own descriptor; what comes later is told. */
static void a_busy_handle_goes_at_once(void)
{
    unsigned char expected[16 * PAGE], got[16 * PAGE];
    void *memory = memory_get(DEVICE, sizeof got);
    unsigned before = count_descriptors();
    pthread_t thread;

    fd = pattern_file(O_RDWR, sizeof got, 1);
    handle = register_fd(fd);
    close(fd);
    CHECK_EQUAL(pthread_create(&thread, NULL, deregister_soon, NULL), 0);
    CHECK_EQUAL(hipFileRead(handle, memory, sizeof got, 0, 0), sizeof got); /* half a second */
    CHECK_EQUAL(hipFileRead(handle, memory, sizeof got, 0, 0), -hipFileHandleNotRegistered);
    pthread_join(thread, NULL);
    fill(expected, sizeof got, 0, 1);
    memory_read(DEVICE, got, memory, sizeof got);
    CHECK_BYTES(got, expected, sizeof got);
    CHECK_EQUAL(count_descriptors(), before);
}

/* ---- signals ---- */

static atomic_uint signals;

static void count_signal(int signal)
{
    (void)signal;
    signals++;
}

static void signals_do_not_change_results(void)
{
    struct sigaction action = {.sa_handler = count_signal}; /* without SA_RESTART */
    int us = runs_slowly() ? 20000 : 300;                   /* it has to get on between two */
    struct itimerval often = {{0, us}, {0, us}};
    size_t size = (size_t)4 << 20;
    unsigned char *expected = bytes_get(size), *got = bytes_get(size);

    fill(expected, size, 0, 1);
    fd = pattern_file(O_RDWR, size, 1);
    handle = register_fd(fd);
    CHECK_EQUAL(sigaction(SIGALRM, &action, NULL), 0);
    CHECK_EQUAL(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
        void *memory = memory_get(kind, size);

        for (int round = 0; round < 5; round++) {
            CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), size);
            memory_read(kind, got, memory, size);
            CHECK_BYTES(got, expected, size);
            CHECK_EQUAL(hipFileWrite(handle, memory, size, 0, 0), size);
            CHECK_EQUAL(hipFileWrite(handle, memory, size - 9, 7, 7), size - 9);
        }
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    CHECK(signals > 0);
    CHECK_EQUAL(hipFileRead(handle, memory_get(DEVICE, size), size, 0, 0), size);
}

static atomic_uint elsewhere;
static char program[16];

/* On a thread of a GPU's runtime it is none of our doing: those bear names of their own. */
static void note_thread(int signal)
{
    char name[sizeof program];

    (void)signal;
    signals++;
    prctl(PR_GET_NAME, name);
    elsewhere +=
        gettid() != getpid() && !is_thread_of_runtime(gettid()) && strcmp(name, program) == 0;
}

/* With an error pending, the request is made on another thread, while the caller only waits. */
static void handlers_run_on_threads_of_the_program(void)
{
    struct sigaction action = {.sa_handler = note_thread, .sa_flags = SA_RESTART};
    size_t size = (size_t)1 << 20;
    void *memory = memory_get(DEVICE, size);

    prctl(PR_GET_NAME, program);
    note_threads_of_runtime();
    handle = register_fd(pattern_file(O_RDWR, size, 1));
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    CHECK(hipSetDevice(99) != hipSuccess);
    for (int round = 0; round < 20; round++) {
        pid_t sender = fork();

        if (sender == 0) {
            for (int i = 0; i < 20; i++) {
                kill(getppid(), SIGUSR1);
                usleep(500);
            }
            _exit(0);
        }
        CHECK(sender > 0);
        for (int i = 0; i < 20; i++)
            CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), size);
        CHECK_EQUAL(waitpid(sender, NULL, 0), sender);
    }
    CHECK(signals > 0);
    CHECK_EQUAL(elsewhere, 0);
    CHECK_EQUAL(hipPeekAtLastError(), hipErrorInvalidDevice);
}

/* Handlers run on the program's threads only. */
static void expect_blocked(int number, void *others)
{
    static const int some[] = {SIGUSR1, SIGALRM, SIGINT, SIGCHLD};
    unsigned long long blocked = 0;
    char path[64], line[256];
    bool there = false;
    FILE *status;

    snprintf(path, sizeof path, "/proc/self/task/%d/status", number);
    status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        there |= sscanf(line, "SigBlk: %llx", &blocked) == 1;
    if (status)
        fclose(status);
    if (!there || number == getpid())
        return;
    *(unsigned *)others += 1;
    for (int i = 0; i < 4; i++)
        CHECK(blocked >> (some[i] - 1) & 1);
}

static void threads_of_the_library_block_all_signals(void)
{
    size_t size = (size_t)8 << 20;
    void *memory = memory_get(DEVICE, size);
    unsigned others = 0;

    note_threads_of_runtime();
    handle = register_fd(pattern_file(O_RDWR, size, 1));
    CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), size); /* workers are there now */
    for_each_thread(expect_blocked, &others);
    CHECK(others > 0);
}

#define COMPAT "HIPFILE_FORCE_COMPAT_MODE=1"
#define PIECES_OF_4K                                                                               \
    "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_MAX_IO_THREADS=4",                              \
        "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=64"

int main(void)
{
    RUN(neighbours_in_one_block_do_not_disturb, NULL);
    RUN(neighbours_in_one_block_do_not_disturb, COMPAT, NULL);
    RUN(neighbours_in_one_block_do_not_disturb, COMPAT, "HIPFILE_FORCE_ODIRECT_MODE=1", NULL);
    RUN(neighbours_in_one_block_with_o_direct, NULL);
    RUN(neighbours_in_one_block_with_o_direct, COMPAT, NULL);
    RUN(edges_and_middles_of_neighbours, NULL);
    RUN(edges_and_middles_of_neighbours, PIECES_OF_4K, NULL);
    RUN(edges_and_middles_of_neighbours, COMPAT, PIECES_OF_4K, NULL);
    RUN(handles_and_buffers_come_and_go_in_use, NULL);
    RUN(handles_and_buffers_come_and_go_in_use, COMPAT, NULL);
    RUN_ON_CPU("no direct path", a_busy_handle_goes_at_once,
               "HIPLITE_FAULT=hipAmdFileRead@1=delay:500ms", NULL);
    RUN(a_busy_handle_goes_at_once, COMPAT, "HIPLITE_FAULT=hipMemcpyAsync@1=delay:500ms", NULL);
    RUN(signals_do_not_change_results, NULL);
    RUN(signals_do_not_change_results, COMPAT, NULL);
    RUN(threads_of_the_library_block_all_signals, COMPAT, NULL);
    RUN(handlers_run_on_threads_of_the_program, NULL);
    return finish();
}
