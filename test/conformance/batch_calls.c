// SPDX-License-Identifier: MIT
/* The codes and counts of the batch calls, in host memory: spec 2.7, row by row. */
#include <batch_test.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define KB       1024
#define CAPACITY 128

static char memory[256 * KB];
static int fd;
static hipFileHandle_t file;

static hipFileIOParams_t read_at(size_t i, void *cookie)
{
    return entry_of(file, hipFileBatchRead, memory, (int64_t)i * KB, KB, (int64_t)i * KB, cookie);
}

static hipFileBatchHandle_t make_batch(unsigned capacity)
{
    hipFileBatchHandle_t batch;

    CHECK_OK(hipFileBatchIOSetUp(&batch, capacity));
    return batch;
}

/* A child knows no batch that was set up before the library was first opened. */
static void test_fork_while_closed(void)
{
    hipFileBatchHandle_t batch = make_batch(1);
    int status;
    pid_t child = fork();

    if (child == 0) {
        CHECK_CODE(hipFileBatchIOCancel(batch), hipFileInvalidValue);
        _exit(0);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_OK(hipFileBatchIOCancel(batch));
    hipFileBatchIODestroy(batch);
}

static void test_set_up(void)
{
    hipFileBatchHandle_t batch = NULL, other = NULL;
    size_t largest;

    CHECK_OK(hipFileGetParameterSizeT(hipFileParamPropertiesIOBatchsize, &largest));
    CHECK_EQUAL(largest, 128);
    CHECK_CODE(hipFileBatchIOSetUp(NULL, 1), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOSetUp(&batch, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOSetUp(&batch, 129), hipFileInvalidValue);
    CHECK(batch == NULL);
    CHECK_OK(hipFileBatchIOSetUp(&batch, 1));
    CHECK_OK(hipFileBatchIOSetUp(&other, 128));
    CHECK(batch && other && batch != other);
    hipFileBatchIODestroy(batch);
    hipFileBatchIODestroy(other);
    hipFileBatchIODestroy(other);
    hipFileBatchIODestroy(NULL);
    CHECK_EQUAL(hipFileUseCount(), 0); /* none of it opens the library */
    test_fork_while_closed();

    CHECK_OK(hipFileSetParameterSizeT(hipFileParamPropertiesIOBatchsize, 4096));
    CHECK_CODE(hipFileBatchIOSetUp(&batch, 4097), hipFileInvalidValue);
    CHECK_OK(hipFileBatchIOSetUp(&batch, 4096));
    hipFileBatchIODestroy(batch);
    CHECK_OK(hipFileSetParameterSizeT(hipFileParamPropertiesIOBatchsize, 128));
}

/* No value is taken for an address. */
static void test_not_a_batch(void)
{
    hipFileBatchHandle_t gone = make_batch(1);
    void *values[] = {NULL, (void *)1, (void *)0xdeadbeef, memory, (void *)UINTPTR_MAX, gone};
    hipFileIOParams_t entry = read_at(0, NULL);
    hipFileIOEvents_t event;

    hipFileBatchIODestroy(gone);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        unsigned count = 1;

        CHECK_CODE(hipFileBatchIOSubmit(values[i], 1, &entry, 0), hipFileInvalidValue);
        CHECK_CODE(hipFileBatchIOGetStatus(values[i], 0, &count, &event, NULL),
                   hipFileInvalidValue);
        CHECK_CODE(hipFileBatchIOCancel(values[i]), hipFileInvalidValue);
        CHECK_CODE(hipFileExtBatchIOCancelNoWait(values[i]), hipFileInvalidValue);
        hipFileBatchIODestroy(values[i]);
        CHECK_EQUAL(count, 1);
    }
}

static void expect_nothing(hipFileBatchHandle_t batch)
{
    hipFileIOEvents_t events[CAPACITY];
    unsigned count = CAPACITY;

    CHECK_OK(hipFileBatchIOGetStatus(batch, CAPACITY, &count, events, NULL));
    CHECK_EQUAL(count, 0);
}

/* One bad entry among good ones: nothing is started. */
static void refuse(hipFileBatchHandle_t batch, hipFileIOParams_t bad, hipFileOpError_t code)
{
    hipFileIOParams_t entries[3] = {read_at(0, NULL), bad, read_at(1, NULL)};

    CHECK_CODE(hipFileBatchIOSubmit(batch, 3, entries, 0), code);
    expect_nothing(batch);
}

static void test_submit(void)
{
    hipFileBatchHandle_t batch = make_batch(CAPACITY);
    hipFileIOParams_t entry = read_at(0, NULL), bad;

    CHECK_CODE(hipFileBatchIOSubmit(batch, 0, &entry, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOSubmit(batch, 1, NULL, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOSubmit(NULL, 0, &entry, 0), hipFileInvalidValue);

    bad = read_at(0, NULL), bad.fh = NULL;
    refuse(batch, bad, hipFileHandleNotRegistered);
    bad.fh = (void *)memory;
    refuse(batch, bad, hipFileHandleNotRegistered);
    bad = read_at(0, NULL), bad.mode = 0;
    refuse(batch, bad, hipFileInvalidValue);
    bad.mode = 2;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.opcode = 2;
    refuse(batch, bad, hipFileInvalidValue);
    bad.opcode = (hipFileOpcode_t)-1;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.u.batch.devPtr_base = NULL;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.u.batch.file_offset = -1;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.u.batch.devPtr_offset = -1;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.u.batch.size = sizeof memory + 1;
    refuse(batch, bad, hipFileInvalidValue);
    bad = read_at(0, NULL), bad.u.batch.devPtr_offset = sizeof memory;
    refuse(batch, bad, hipFileInvalidValue);
    bad.u.batch.size = 0;
    refuse(batch, bad, hipFileInvalidValue);

    /* Flags are not looked at. */
    CHECK_OK(hipFileBatchIOSubmit(batch, 1, &entry, 0xffffffff));
    one_event(batch);
    hipFileBatchIODestroy(batch);
}

/* Ended entries hold their place until their event is collected. */
static void test_full(void)
{
    hipFileBatchHandle_t batch = make_batch(4);
    hipFileIOParams_t entries[5];
    hipFileIOEvents_t events[4];
    unsigned count = 4;

    for (size_t i = 0; i < 5; i++)
        entries[i] = read_at(i, NULL);
    CHECK_CODE(hipFileBatchIOSubmit(batch, 5, entries, 0), hipFileBatchFull);
    CHECK_OK(hipFileBatchIOSubmit(batch, 3, entries, 0));
    CHECK_CODE(hipFileBatchIOSubmit(batch, 2, entries, 0), hipFileBatchFull);
    CHECK_OK(hipFileBatchIOSubmit(batch, 1, entries, 0));
    CHECK_OK(hipFileBatchIOCancel(batch));
    CHECK_CODE(hipFileBatchIOSubmit(batch, 1, entries, 0), hipFileBatchFull);
    one_event(batch);
    CHECK_OK(hipFileBatchIOSubmit(batch, 1, entries, 0));
    CHECK_OK(hipFileBatchIOGetStatus(batch, 4, &count, events, NULL));
    CHECK_EQUAL(count, 4);
    expect_nothing(batch);
    hipFileBatchIODestroy(batch);
}

static void test_get_status(void)
{
    hipFileBatchHandle_t batch = make_batch(CAPACITY);
    struct timespec bad[] = {{-1, 0}, {0, -1}, {0, 1000000000}, {1, 2000000000}};
    struct timespec none = {0, 0}, long_time = {INT64_MAX, 999999999};
    hipFileIOParams_t entries[CAPACITY];
    hipFileIOEvents_t events[CAPACITY];
    bool seen[CAPACITY] = {false};
    unsigned count = 1, sum = 0;

    CHECK_CODE(hipFileBatchIOGetStatus(batch, 0, &count, NULL, NULL), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOGetStatus(batch, 0, NULL, events, NULL), hipFileInvalidValue);
    CHECK_CODE(hipFileBatchIOGetStatus(batch, 2, &count, events, NULL), hipFileInvalidValue);
    for (size_t i = 0; i < 4; i++)
        CHECK_CODE(hipFileBatchIOGetStatus(batch, 0, &count, events, &bad[i]), hipFileInvalidValue);
    CHECK_EQUAL(count, 1);
    count = 0;
    CHECK_CODE(hipFileBatchIOGetStatus(batch, 0, &count, events, NULL), hipFileInvalidValue);
    expect_nothing(batch);

    for (size_t i = 0; i < CAPACITY; i++)
        entries[i] = read_at(i, (void *)(i + 1));
    CHECK_OK(hipFileBatchIOSubmit(batch, CAPACITY, entries, 0));
    memset(entries, 0xff, sizeof entries); /* they were copied */
    while (sum < CAPACITY) {
        count = 7; /* room for fewer than have ended */
        CHECK_OK(hipFileBatchIOGetStatus(batch, 7, &count, events, sum % 2 ? NULL : &long_time));
        CHECK_EQUAL(count, sum + 7 <= CAPACITY ? 7 : CAPACITY - sum);
        for (unsigned i = 0; i < count; i++) {
            size_t n = (size_t)events[i].cookie - 1;

            CHECK(n < CAPACITY && !seen[n]);
            seen[n] = true;
            CHECK_EQUAL(events[i].status, hipFileComplete);
            CHECK_EQUAL(events[i].ret, KB);
        }
        sum += count;
    }
    for (size_t i = 0; i < CAPACITY * KB; i++)
        CHECK((unsigned char)memory[i] == pattern(i, 0));
    count = 5;
    CHECK_OK(hipFileBatchIOGetStatus(batch, 5, &count, events, &none));
    CHECK_EQUAL(count, 0);
    hipFileBatchIODestroy(batch);
}

static void test_sizes_and_end_of_file(void)
{
    hipFileBatchHandle_t batch = make_batch(4);
    hipFileIOParams_t entries[4] = {
        entry_of(file, hipFileBatchRead, memory, 0, 0, 0, (void *)0),
        entry_of(file, hipFileBatchRead, memory, 0, 5000, 256 * KB - 3000, (void *)3000),
        entry_of(file, hipFileBatchRead, memory, 5000, 5000, 256 * KB + 1, (void *)0),
        entry_of(file, hipFileBatchWrite, memory, 0, 0, 300 * KB, (void *)0),
    };

    CHECK_OK(hipFileBatchIOSubmit(batch, 4, entries, 0));
    for (int i = 0; i < 4; i++) {
        hipFileIOEvents_t event = one_event(batch);

        CHECK_EQUAL(event.status, hipFileComplete);
        CHECK_EQUAL(event.ret, (size_t)event.cookie);
    }
    CHECK_EQUAL(lseek(fd, 0, SEEK_END), 256 * KB);
    hipFileBatchIODestroy(batch);
}

static void test_cancel(void)
{
    hipFileBatchHandle_t batch = make_batch(CAPACITY);
    hipFileIOParams_t entries[CAPACITY];
    hipFileIOEvents_t events[CAPACITY];
    unsigned count;

    CHECK_OK(hipFileBatchIOCancel(batch));
    CHECK_OK(hipFileExtBatchIOCancelNoWait(batch));
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < CAPACITY; i++)
            entries[i] = read_at(i, (void *)i);
        CHECK_OK(hipFileBatchIOSubmit(batch, CAPACITY, entries, 0));
        CHECK_OK(round % 2 ? hipFileBatchIOCancel(batch) : hipFileExtBatchIOCancelNoWait(batch));
        count = CAPACITY;
        if (round % 2) { /* after the one that waits all events are there */
            struct timespec none = {0, 0};

            CHECK_OK(hipFileBatchIOGetStatus(batch, 0, &count, events, &none));
        } else {
            CHECK_OK(hipFileBatchIOGetStatus(batch, CAPACITY, &count, events, NULL));
        }
        CHECK_EQUAL(count, CAPACITY);
        for (unsigned i = 0; i < count; i++)
            CHECK((events[i].status == hipFileComplete && events[i].ret == KB) ||
                  (events[i].status == hipFileCanceled && events[i].ret == 0));
    }
    hipFileBatchIODestroy(batch);
}

/* Failures are events of their own entries only, with the system's errno. */
static void test_failures(void)
{
    hipFileBatchHandle_t batch = make_batch(4);
    char link[64];
    int read_only;
    hipFileHandle_t other;
    hipFileIOParams_t entries[2];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    read_only = open(link, O_RDONLY);
    CHECK(read_only >= 0);
    other = register_file(read_only);
    entries[0] = entry_of(other, hipFileBatchWrite, memory, 0, KB, 0, (void *)1);
    entries[1] = read_at(0, (void *)2);
    CHECK_OK(hipFileBatchIOSubmit(batch, 2, entries, 0));
    for (int i = 0; i < 2; i++) {
        hipFileIOEvents_t event = one_event(batch);

        CHECK_EQUAL(event.status, event.cookie == (void *)1 ? hipFileFailed : hipFileComplete);
        CHECK_EQUAL((ssize_t)event.ret, event.cookie == (void *)1 ? -EBADF : KB);
    }
    hipFileHandleDeregister(other);
    close(read_only);

    entries[0] = entry_of(file, hipFileBatchWrite, memory, 0, KB, 512 * KB, (void *)1);
    CHECK_OK(hipFileBatchIOSubmit(batch, 1, entries, 0));
    one_event(batch);
    hipFileBatchIODestroy(batch);
    CHECK_EQUAL(ftruncate(fd, 256 * KB), 0);
}

/* Beyond the limit of the process, a write is EFBIG; the signal for it ends nobody. */
static void write_above_limit(rlim_t most)
{
    struct rlimit limit = {1024 * KB, most};
    hipFileBatchHandle_t batch = make_batch(2);
    hipFileIOParams_t entries[2] = {
        entry_of(file, hipFileBatchWrite, memory, 0, 4 * KB, 1024 * KB, (void *)1),
        entry_of(file, hipFileBatchWrite, memory, 0, 4 * KB, 1024 * KB - 2 * KB, (void *)2),
    };

    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_OK(hipFileBatchIOSubmit(batch, 2, entries, 0));
    for (int i = 0; i < 2; i++) {
        hipFileIOEvents_t event = one_event(batch);

        CHECK_EQUAL(event.status, event.cookie == (void *)1 ? hipFileFailed : hipFileComplete);
        CHECK_EQUAL((ssize_t)event.ret, event.cookie == (void *)1 ? -EFBIG : 2 * KB);
    }
    hipFileBatchIODestroy(batch);
    CHECK_EQUAL(ftruncate(fd, 256 * KB), 0);
}

static void test_size_limit(void)
{
    struct rlimit before;

    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    write_above_limit(before.rlim_max);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void use_anew(hipFileBatchHandle_t own)
{
    hipFileIOParams_t entry = read_at(3, NULL);

    CHECK_OK(hipFileBufRegister(memory, sizeof memory, 0));
    memset(memory, 0, sizeof memory);
    CHECK_OK(hipFileBatchIOSubmit(own, 1, &entry, 0));
    CHECK_EQUAL(one_event(own).ret, KB);
    CHECK((unsigned char)memory[3 * KB] == pattern(3 * KB, 0));
}

/* The runtime of a GPU does not work in a child, and is asked about host memory, too. */
static void be_told_that_nothing_works(hipFileBatchHandle_t own)
{
    hipFileIOParams_t entry = read_at(3, NULL);
    hipFileError_t registered = hipFileBufRegister(memory, sizeof memory, 0);
    hipFileError_t submitted = hipFileBatchIOSubmit(own, 1, &entry, 0);

    CHECK_EQUAL(registered.err, hipFileHipDriverError);
    CHECK_EQUAL(registered.hip_drv_err, hipErrorNotInitialized);
    CHECK_EQUAL(submitted.err, hipFileHipDriverError);
    CHECK_EQUAL(submitted.hip_drv_err, hipErrorNotInitialized);
    expect_nothing(own);
}

/* A child knows no batch of its parent's, and the parent's goes on. */
static void test_fork(void)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOParams_t entry = read_at(0, NULL);
    int status;
    pid_t child;

    CHECK_OK(hipFileBatchIOSubmit(batch, 1, &entry, 0));
    child = fork();
    if (child == 0) {
        hipFileBatchHandle_t own;
        hipFileIOEvents_t event;
        unsigned count = 1;

        alarm(30);
        CHECK_CODE(hipFileBatchIOGetStatus(batch, 1, &count, &event, NULL), hipFileInvalidValue);
        CHECK_CODE(hipFileBatchIOCancel(batch), hipFileInvalidValue);
        hipFileBatchIODestroy(batch);
        CHECK_OK(hipFileBatchIOSetUp(&own, 8));
        CHECK(own != batch);
        CHECK_CODE(hipFileBatchIOSubmit(own, 1, &entry, 0), hipFileInternalError);
        file = register_file(fd);
        if (on_gpu())
            be_told_that_nothing_works(own);
        else
            use_anew(own);
        hipFileBatchIODestroy(own);
        _exit(0);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(one_event(batch).ret, KB);
    hipFileBatchIODestroy(batch);
}

/* Neither the ring's thread nor the workers do anything while nothing is outstanding. */
static void test_idle(void)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOParams_t entry = read_at(0, NULL);
    int64_t before;

    CHECK_OK(hipFileBatchIOSubmit(batch, 1, &entry, 0));
    one_event(batch);
    sleep_ms(50);
    before = cpu_time_of_our_threads();
    sleep_ms(300);
    CHECK(cpu_time_of_our_threads() - before < 5000000);
    hipFileBatchIODestroy(batch);
}

static void *collect_all(void *argument)
{
    hipFileIOEvents_t events[CAPACITY];
    unsigned count = CAPACITY;

    /* Either before or after the close dropped the batch. */
    hipFileError_t error = hipFileBatchIOGetStatus(argument, CAPACITY, &count, events, NULL);

    CHECK(error.err == hipFileSuccess || error.err == hipFileInvalidValue);
    return NULL;
}

/* Closing waits for what runs and drops the batches; a batch set up while closed needs no
   library, but cannot submit. */
static void test_close(void)
{
    hipFileBatchHandle_t batch = make_batch(CAPACITY), closed;
    hipFileIOParams_t entries[CAPACITY];
    pthread_t collector;

    for (size_t i = 0; i < CAPACITY; i++)
        entries[i] = read_at(i, NULL);
    CHECK_OK(hipFileBatchIOSubmit(batch, CAPACITY, entries, 0));
    CHECK_EQUAL(pthread_create(&collector, NULL, collect_all, batch), 0);
    while (hipFileUseCount() > 0)
        CHECK_OK(hipFileDriverClose());
    memset(memory, 0, sizeof memory);
    sleep_ms(20);
    for (size_t i = 0; i < sizeof memory; i++)
        CHECK(memory[i] == 0);
    CHECK_EQUAL(pthread_join(collector, NULL), 0);
    CHECK_CODE(hipFileBatchIOCancel(batch), hipFileInvalidValue);

    closed = make_batch(1);
    CHECK_CODE(hipFileBatchIOSubmit(closed, 1, entries, 0), hipFileInternalError);
    expect_nothing(closed);
    CHECK_OK(hipFileBatchIOCancel(closed));
    hipFileBatchIODestroy(closed);
}

int main(void)
{
    if (!may_use_ring())
        setenv("HIPFILE_PREFER_IO_URING", "0", 1);
    CHECK_HIP(hipInit(0));
    fd = make_file(256 * KB, 0);
    test_set_up();
    file = register_file(fd);
    CHECK_OK(hipFileBufRegister(memory, sizeof memory, 0));
    note_threads_of_runtime();
    test_not_a_batch();
    test_submit();
    test_full();
    test_get_status();
    test_sizes_and_end_of_file();
    test_cancel();
    test_failures();
    test_idle();
    test_size_limit();
    if (may_fork())
        test_fork();
    test_close();
    return 0;
}
