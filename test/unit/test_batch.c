// SPDX-License-Identifier: MIT
/*
 * What states a batch's entries go through, with file reads that the test holds up, delays and lets
 * fail; alone and against a model, from one thread and from several.
 */
#include "unit.h"

#include <semaphore.h>
#include <sys/random.h>

#include "hipfile.h"
#include "hipfile_ext.h"
#include "os/os.h"

#define KB      1024
#define SIZE    (512 * KB)
#define BAD     (256 * KB) /* reads from here on fail with EIO while `faults` is set */
#define WORKERS 2

static unsigned char memory[SIZE];
static hipFileHandle_t file;
static int fd;

/* ---- the file -------------------------------------------------------------------------------- */

static ssize_t (*real_pread)(int fd, void *buffer, size_t size, off_t offset);
static atomic_bool faults, gate_closed;
static atomic_uint delay_us; /* at most */
static sem_t at_gate, gate;
static atomic_uint running, most_running;
static off_t order[64];
static atomic_uint ordered;

static void pass_gate(void)
{
    if (!gate_closed)
        return;
    sem_post(&at_gate);
    sem_wait(&gate);
}

static ssize_t test_pread(int number, void *buffer, size_t size, off_t offset)
{
    unsigned now = atomic_fetch_add(&running, 1) + 1, most = most_running;
    unsigned n = atomic_fetch_add(&ordered, 1);
    ssize_t result;

    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
        ;
    if (n < 64)
        order[n] = offset;
    pass_gate();
    if (delay_us)
        usleep((useconds_t)(offset / KB * 7919 % delay_us));
    if (faults && offset >= BAD) {
        errno = EIO;
        result = -1;
    } else {
        result = real_pread(number, buffer, size, offset);
    }
    atomic_fetch_sub(&running, 1);
    return result;
}

static int set_up(void **state)
{
    hipFileDescr_t description = {.type = hipFileHandleTypeOpaqueFD};

    (void)state;
    load_default_settings();
    fd = make_file("/tmp", SIZE, O_RDWR);
    description.handle.fd = fd;
    assert_int_equal(hipFileHandleRegister(&file, &description).err, hipFileSuccess);
    assert_int_equal(hipFileBufRegister(memory, SIZE, 0).err, hipFileSuccess);
    set(HF_SET_LOGGING_LEVEL, HF_LOG_OFF); /* opening applied the defaults */
    set(HF_SET_PREFER_IO_URING, false);
    set(HF_SET_MAX_IO_THREADS, WORKERS);
    set(HF_SET_BATCH_IO_TIMEOUT_MS, 0);
    set(HF_SET_MAX_IO_QUEUE_DEPTH, 128);
    real_pread = hf_os.pread;
    hf_os.pread = test_pread;
    sem_init(&at_gate, 0, 0);
    sem_init(&gate, 0, 0);
    faults = gate_closed = false;
    delay_us = most_running = ordered = 0;
    memset(memory, 0, SIZE);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    while (hipFileUseCount() > 0)
        assert_int_equal(hipFileDriverClose().err, hipFileSuccess);
    hf_os.pread = real_pread;
    close(fd);
    return 0;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static hipFileBatchHandle_t make_batch(unsigned capacity)
{
    hipFileBatchHandle_t batch;

    assert_int_equal(hipFileBatchIOSetUp(&batch, capacity).err, hipFileSuccess);
    return batch;
}

/* Kilobyte i of the file into kilobyte i of the memory; the cookie is i. */
static hipFileError_t submit_reads(hipFileBatchHandle_t batch, unsigned first, unsigned count)
{
    hipFileIOParams_t entries[128];

    for (unsigned i = 0; i < count; i++)
        entries[i] = (hipFileIOParams_t){
            .mode = hipFileBatch,
            .u.batch = {memory, (first + i) * KB, (first + i) * KB, KB},
            .fh = file,
            .opcode = hipFileBatchRead,
            .cookie = (void *)(uintptr_t)(first + i),
        };
    return hipFileBatchIOSubmit(batch, count, entries, 0);
}

static void must_submit(hipFileBatchHandle_t batch, unsigned first, unsigned count)
{
    assert_int_equal(submit_reads(batch, first, count).err, hipFileSuccess);
}

static unsigned collect(hipFileBatchHandle_t batch, unsigned least, hipFileIOEvents_t *events,
                        long milliseconds)
{
    struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    unsigned count = 128;

    assert_int_equal(
        hipFileBatchIOGetStatus(batch, least, &count, events, milliseconds < 0 ? NULL : &timeout)
            .err,
        hipFileSuccess);
    return count;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Lets WORKERS reads begin and holds them there. */
static void hold_workers(void)
{
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&at_gate);
}

static void open_gate(void)
{
    gate_closed = false;
    for (int i = 0; i < 256; i++)
        sem_post(&gate);
}

static unsigned count_status(const hipFileIOEvents_t *events, unsigned count,
                             hipFileStatus_t status)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += events[i].status == status;
    return n;
}

static void check_read(unsigned i)
{
    for (unsigned k = i * KB; k < (i + 1) * KB; k++)
        assert_int_equal(memory[k], pattern(k));
}

static void check_untouched(unsigned i)
{
    for (unsigned k = i * KB; k < (i + 1) * KB; k++)
        assert_int_equal(memory[k], 0);
}

/* ---- single states --------------------------------------------------------------------------- */

static void test_failure_is_the_entrys_alone(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];

    (void)state;
    faults = true;
    must_submit(batch, 252, 8);
    assert_int_equal(collect(batch, 8, events, -1), 8);
    for (unsigned i = 0; i < 8; i++) {
        bool bad = (uintptr_t)events[i].cookie >= 256;

        assert_int_equal(events[i].status, bad ? hipFileFailed : hipFileComplete);
        assert_int_equal((ssize_t)events[i].ret, bad ? -EIO : KB);
    }
    hipFileBatchIODestroy(batch);
}

static void test_what_does_not_start_in_time(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];
    double begin = now();

    (void)state;
    set(HF_SET_BATCH_IO_TIMEOUT_MS, 500); /* the workers start in time even on a busy machine */
    gate_closed = true;
    must_submit(batch, 0, 8);
    hold_workers();
    assert_int_equal(collect(batch, 8, events, 20), 0);
    assert_int_equal(collect(batch, 8 - WORKERS, events, -1), 8 - WORKERS);
    assert_true(now() - begin >= 0.5 && now() - begin < 30);
    assert_int_equal(count_status(events, 8 - WORKERS, hipFileTimeout), 8 - WORKERS);
    for (unsigned i = 0; i < 8 - WORKERS; i++) {
        assert_int_equal(events[i].ret, 0);
        check_untouched((unsigned)(uintptr_t)events[i].cookie);
    }
    open_gate(); /* what has started is not hurried */
    assert_int_equal(collect(batch, WORKERS, events, -1), WORKERS);
    assert_int_equal(count_status(events, WORKERS, hipFileComplete), WORKERS);
    hipFileBatchIODestroy(batch);
}

/* A worker that comes too late does not start it either. */
static void test_too_late_for_the_worker(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];

    (void)state;
    set(HF_SET_BATCH_IO_TIMEOUT_MS, 500);
    gate_closed = true;
    must_submit(batch, 0, 8);
    hold_workers();
    usleep(600000);
    open_gate();
    assert_int_equal(collect(batch, 8, events, -1), 8);
    assert_int_equal(count_status(events, 8, hipFileComplete), WORKERS);
    assert_int_equal(count_status(events, 8, hipFileTimeout), 8 - WORKERS);
    hipFileBatchIODestroy(batch);
}

/* A collector that waits already learns of entries that time out after it began. */
static void *submit_later(void *batch)
{
    usleep(30000);
    must_submit(batch, 8, 2);
    return NULL;
}

static void test_timeout_of_later_entries(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];
    pthread_t submitter;
    double begin = now();

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, WORKERS);
    hold_workers();
    set(HF_SET_BATCH_IO_TIMEOUT_MS, 50);
    pthread_create(&submitter, NULL, submit_later, batch);
    assert_int_equal(collect(batch, 2, events, 10000), 2);
    assert_true(now() - begin < 5);
    assert_int_equal(count_status(events, 2, hipFileTimeout), 2);
    pthread_join(submitter, NULL);
    open_gate();
    hipFileBatchIODestroy(batch);
}

static void *cancel_and_note(void *batch)
{
    static double end;

    assert_int_equal(hipFileBatchIOCancel(batch).err, hipFileSuccess);
    assert_int_equal(running, 0);
    end = now();
    return &end;
}

static void test_cancel(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];
    pthread_t canceller;
    double opened;
    void *end;

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, 8);
    hold_workers();
    assert_int_equal(hipFileExtBatchIOCancelNoWait(batch).err, hipFileSuccess);
    assert_int_equal(collect(batch, 0, events, 0), 8 - WORKERS);
    assert_int_equal(count_status(events, 8 - WORKERS, hipFileCanceled), 8 - WORKERS);
    for (unsigned i = 0; i < 8 - WORKERS; i++)
        check_untouched((unsigned)(uintptr_t)events[i].cookie);

    must_submit(batch, 8, 8 - WORKERS);
    pthread_create(&canceller, NULL, cancel_and_note, batch);
    assert_int_equal(collect(batch, 8 - WORKERS, events, -1), 8 - WORKERS);
    assert_int_equal(count_status(events, 8 - WORKERS, hipFileCanceled), 8 - WORKERS);
    usleep(20000);
    opened = now();
    open_gate();
    pthread_join(canceller, &end);
    assert_true(*(double *)end >= opened);
    assert_int_equal(collect(batch, 0, events, 0), WORKERS);
    assert_int_equal(count_status(events, WORKERS, hipFileComplete), WORKERS);

    must_submit(batch, 0, 8); /* it stays usable */
    assert_int_equal(collect(batch, 8, events, -1), 8);
    assert_int_equal(count_status(events, 8, hipFileComplete), 8);
    hipFileBatchIODestroy(batch);
}

static void *open_gate_later(void *unused)
{
    (void)unused;
    usleep(30000);
    open_gate();
    return NULL;
}

/* Neither destroying a batch nor closing the driver leaves anything running. */
static void test_end_in_flight(void **state)
{
    pthread_t opener;

    (void)state;
    for (int closing = 0; closing < 2; closing++) {
        hipFileBatchHandle_t batch = make_batch(8);

        gate_closed = true;
        must_submit(batch, 0, 8);
        hold_workers();
        pthread_create(&opener, NULL, open_gate_later, NULL);
        if (closing)
            assert_int_equal(hipFileDriverClose().err, hipFileSuccess);
        else
            hipFileBatchIODestroy(batch);
        assert_int_equal(running, 0);
        assert_int_equal(hipFileBatchIOCancel(batch).err, hipFileInvalidValue);
        pthread_join(opener, NULL);
        while (sem_trywait(&gate) == 0)
            ;
    }
}

/* A short batch does not wait for all of a long one, nor the other way round. */
static void test_batches_take_turns(void **state)
{
    hipFileBatchHandle_t longer = make_batch(48), shorter = make_batch(8);
    hipFileIOEvents_t events[128];
    unsigned first = UINT32_MAX, last = 0;

    (void)state;
    gate_closed = true;
    must_submit(longer, 0, 48);
    hold_workers();
    must_submit(shorter, 100, 8);
    open_gate();
    assert_int_equal(collect(shorter, 8, events, -1), 8);
    assert_int_equal(collect(longer, 48, events, -1), 48);
    for (unsigned i = 0; i < 56; i++) {
        if (order[i] < 100 * KB)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    assert_in_range(first, WORKERS, WORKERS + 4);
    assert_in_range(last, WORKERS + 2 * 8 - 4, WORKERS + 2 * 8 + 4);
    hipFileBatchIODestroy(longer);
    hipFileBatchIODestroy(shorter);
}

static void test_depth(void **state)
{
    hipFileBatchHandle_t batch = make_batch(64);
    hipFileIOEvents_t events[128];

    (void)state;
    delay_us = 1000;
    must_submit(batch, 0, 64);
    assert_int_equal(collect(batch, 64, events, -1), 64);
    assert_in_range(most_running, 1, WORKERS);
    set(HF_SET_MAX_IO_QUEUE_DEPTH, 1);
    most_running = 0;
    usleep(20000); /* the runners have found nothing and gone */
    must_submit(batch, 0, 64);
    assert_int_equal(collect(batch, 64, events, -1), 64);
    assert_int_equal(most_running, 1);
    hipFileBatchIODestroy(batch);
}

static void test_timeout_of_the_call(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];
    double begin;

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, 2);
    hold_workers();
    begin = now();
    assert_int_equal(collect(batch, 2, events, 60), 0);
    assert_true(now() - begin >= 0.06 && now() - begin < 5);
    begin = now();
    assert_int_equal(collect(batch, 0, events, -1), 0); /* 0 never waits */
    assert_int_equal(collect(batch, 2, events, 0), 0);
    assert_true(now() - begin < 1);
    sem_post(&gate);
    assert_int_equal(collect(batch, 1, events, -1), 1);
    assert_int_equal(collect(batch, 8, events, 20), 0); /* one is still held */
    open_gate();
    assert_int_equal(collect(batch, 8, events, -1), 1); /* no more are outstanding */
    hipFileBatchIODestroy(batch);
}

static double cpu_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The thread's share of the CPU while it waits for entries that do not end. */
static double busy_share(hipFileBatchHandle_t batch)
{
    hipFileIOEvents_t events[128];
    double begin = now(), used = cpu_time();

    assert_int_equal(collect(batch, 2, events, 200), 0);
    return (cpu_time() - used) / (now() - begin);
}

/* Poll mode spins for small entries, and for them only. */
static void test_poll_mode(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, 2);
    hold_workers();
    assert_true(busy_share(batch) < 0.02);
    set(HF_SET_USE_POLL_MODE, true);
    set(HF_SET_POLLTHRESHOLD_SIZE_KB, 0);
    must_submit(batch, 2, 1);
    assert_true(busy_share(batch) < 0.02); /* one is too large */
    open_gate();
    assert_int_equal(collect(batch, 3, events, -1), 3);

    set(HF_SET_POLLTHRESHOLD_SIZE_KB, 4);
    gate_closed = true;
    while (sem_trywait(&gate) == 0)
        ;
    must_submit(batch, 0, 2);
    hold_workers();
    assert_true(busy_share(batch) > 0.05); /* of a CPU that others may want too */
    open_gate();
    assert_int_equal(collect(batch, 2, events, -1), 2);
    hipFileBatchIODestroy(batch);
}

static void *collect_one(void *batch)
{
    hipFileIOEvents_t events[128];

    return (void *)(uintptr_t)collect(batch, 1, events, -1);
}

/* Two collectors want one each, of two. */
static void test_two_collectors(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    pthread_t threads[2];
    unsigned sum = 0;

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, 2);
    hold_workers();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, collect_one, batch);
    usleep(20000);
    open_gate();
    for (int i = 0; i < 2; i++) {
        void *got;

        pthread_join(threads[i], &got);
        sum += (unsigned)(uintptr_t)got;
    }
    assert_int_equal(sum, 2); /* one may have got both, and the other none */
    hipFileBatchIODestroy(batch);
}

static void *collect_six(void *batch)
{
    hipFileIOEvents_t events[128];

    return (void *)(uintptr_t)collect(batch, 6, events, -1);
}

/* One waits for all six, and another takes one of them away. */
static void test_collector_with_a_share_taken(void **state)
{
    hipFileBatchHandle_t batch = make_batch(8);
    hipFileIOEvents_t events[128];
    pthread_t collector;
    void *got;

    (void)state;
    gate_closed = true;
    must_submit(batch, 0, 6);
    hold_workers();
    pthread_create(&collector, NULL, collect_six, batch);
    usleep(20000);
    sem_post(&gate);
    assert_int_equal(collect(batch, 1, events, -1), 1);
    open_gate();
    pthread_join(collector, &got);
    assert_int_equal((uintptr_t)got, 5);
    hipFileBatchIODestroy(batch);
}

/* ---- against a model ------------------------------------------------------------------------- */

/* What is known of the entry with this cookie. */
enum known { UNUSED, SUBMITTED, CANCELLABLE };

struct model {
    hipFileBatchHandle_t batch;
    pthread_mutex_t lock;
    unsigned capacity, first, span; /* kilobytes of the file that are this batch's */
    enum known known[128];
    unsigned outstanding, cancelling;
    bool timeouts, stop;
    unsigned long events, by_status[8];
};

static unsigned status_index(hipFileStatus_t status)
{
    unsigned i = 0;

    while (1u << i != (unsigned)status)
        i++;
    return i;
}

static void check_event(struct model *model, const hipFileIOEvents_t *event)
{
    unsigned place = (unsigned)(uintptr_t)event->cookie;
    unsigned slot = place - model->first;
    bool bad = place * KB >= BAD;

    assert_true(slot < model->span);
    assert_int_not_equal(model->known[slot], UNUSED);
    if (event->status == hipFileCanceled || event->status == hipFileTimeout) {
        assert_int_equal(event->ret, 0);
        assert_true(event->status == hipFileTimeout ? model->timeouts
                                                    : model->known[slot] == CANCELLABLE);
    } else {
        assert_int_equal(event->status, bad ? hipFileFailed : hipFileComplete);
        assert_int_equal((ssize_t)event->ret, bad ? -EIO : KB);
        if (!bad)
            check_read(place);
    }
    memset(memory + place * KB, 0, KB); /* nobody touches it any more */
    model->known[slot] = UNUSED;
    model->outstanding--;
    model->events++;
    model->by_status[status_index(event->status)]++;
}

static void model_collect(struct model *model, unsigned least, long milliseconds)
{
    hipFileIOEvents_t events[128];
    unsigned count = collect(model->batch, least, events, milliseconds);

    pthread_mutex_lock(&model->lock);
    for (unsigned i = 0; i < count; i++)
        check_event(model, &events[i]);
    pthread_mutex_unlock(&model->lock);
}

/* A free run of kilobytes is taken before, and given back when the batch has no room: which may be
   only if the model agrees that it can have none. */
static void model_submit(struct model *model, unsigned random)
{
    unsigned slot = random % model->span, count = 0;
    hipFileOpError_t code;

    pthread_mutex_lock(&model->lock);
    while (slot + count < model->span && count < 1 + random / 128 % 32 &&
           model->known[slot + count] == UNUSED)
        model->known[slot + count++] = model->cancelling ? CANCELLABLE : SUBMITTED;
    model->outstanding += count;
    pthread_mutex_unlock(&model->lock);
    if (count == 0)
        return;
    code = submit_reads(model->batch, model->first + slot, count).err;
    if (code == hipFileSuccess)
        return;
    assert_int_equal(code, hipFileBatchFull);
    pthread_mutex_lock(&model->lock);
    model->outstanding -= count;
    while (count-- > 0)
        model->known[slot + count] = UNUSED;
    pthread_mutex_unlock(&model->lock);
}

static void model_cancel(struct model *model, bool wait)
{
    pthread_mutex_lock(&model->lock);
    model->cancelling++;
    for (unsigned slot = 0; slot < model->span; slot++)
        if (model->known[slot] == SUBMITTED)
            model->known[slot] = CANCELLABLE;
    pthread_mutex_unlock(&model->lock);
    assert_int_equal(
        (wait ? hipFileBatchIOCancel : hipFileExtBatchIOCancelNoWait)(model->batch).err,
        hipFileSuccess);
    pthread_mutex_lock(&model->lock);
    model->cancelling--;
    pthread_mutex_unlock(&model->lock);
}

static void step(struct model *model, unsigned random)
{
    unsigned what = random % 16;

    random /= 16;
    if (what < 7)
        model_submit(model, random);
    else if (what < 10)
        model_collect(model, random % 8, (long)(random % 3));
    else if (what < 15)
        model_collect(model, 0, 0);
    else
        model_cancel(model, random % 2);
}

struct actor {
    struct model *model;
    unsigned seed, steps;
};

static void *act(void *argument)
{
    struct actor *actor = argument;

    for (unsigned i = 0; i < actor->steps; i++)
        step(actor->model, (unsigned)rand_r(&actor->seed));
    return NULL;
}

static void finish(struct model *model)
{
    model_collect(model, model->capacity, -1);
    assert_int_equal(model->outstanding, 0);
    for (unsigned slot = 0; slot < model->span; slot++)
        assert_int_equal(model->known[slot], UNUSED);
    hipFileBatchIODestroy(model->batch);
}

static struct model make_model(unsigned first, bool timeouts)
{
    struct model model = {
        .batch = make_batch(64), .capacity = 64, .first = first, .span = 128, .timeouts = timeouts};

    pthread_mutex_init(&model.lock, NULL);
    return model;
}

/* With one thread the model knows the number outstanding, and so when the batch is full. */
static void test_model_alone(void **state)
{
    struct model model = make_model(192, false);
    unsigned seed = 7, full = 0;

    (void)state;
    faults = true;
    delay_us = 50;
    for (unsigned i = 0; i < 20000; i++) {
        unsigned before = model.outstanding, random = (unsigned)rand_r(&seed);

        if (random % 4 == 0 && before < model.capacity) {
            unsigned room = model.capacity - before;

            assert_int_equal(submit_reads(model.batch, 0, room + 1).err, hipFileBatchFull);
            full++;
        }
        step(&model, random / 4);
    }
    assert_true(full > 100);
    finish(&model);
    assert_true(model.by_status[status_index(hipFileComplete)] > 100);
    assert_true(model.by_status[status_index(hipFileFailed)] > 100);
    assert_true(model.by_status[status_index(hipFileCanceled)] > 100);
}

#define BATCHES 2
#define ACTORS  3 /* for each */

static void run_models(bool timeouts)
{
    pthread_t threads[BATCHES * ACTORS];
    struct actor actors[BATCHES * ACTORS];
    struct model models[BATCHES];
    unsigned seed;

    assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
    print_message("seed %u\n", seed);
    for (unsigned b = 0; b < BATCHES; b++)
        models[b] = make_model(192 + b * 128, timeouts);
    for (unsigned i = 0; i < BATCHES * ACTORS; i++) {
        actors[i] = (struct actor){&models[i / ACTORS], seed + i, 4000};
        pthread_create(&threads[i], NULL, act, &actors[i]);
    }
    for (unsigned i = 0; i < BATCHES * ACTORS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned b = 0; b < BATCHES; b++)
        finish(&models[b]);
    assert_true(models[0].by_status[status_index(hipFileComplete)] > 0);
    assert_int_equal(models[1].by_status[status_index(hipFileComplete)],
                     0); /* all in the bad part */
    assert_true(models[1].by_status[status_index(hipFileFailed)] > 0);
}

static void test_model_with_threads(void **state)
{
    (void)state;
    faults = true;
    delay_us = 100;
    run_models(false);
}

static void test_model_with_timeouts(void **state)
{
    (void)state;
    faults = true;
    delay_us = 400;
    set(HF_SET_BATCH_IO_TIMEOUT_MS, 1);
    run_models(true);
}

/* The same through the ring, whose reads do not fail. */
static void test_model_in_the_ring(void **state)
{
    struct model model = make_model(0, false);
    pthread_t threads[ACTORS];
    struct actor actors[ACTORS];

    (void)state;
    set(HF_SET_PREFER_IO_URING, true);
    for (unsigned i = 0; i < ACTORS; i++) {
        actors[i] = (struct actor){&model, 1000 + i, 4000};
        pthread_create(&threads[i], NULL, act, &actors[i]);
    }
    for (unsigned i = 0; i < ACTORS; i++)
        pthread_join(threads[i], NULL);
    finish(&model);
    assert_true(model.by_status[status_index(hipFileComplete)] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_failure_is_the_entrys_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not_start_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_late_for_the_worker, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timeout_of_later_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_in_flight, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_batches_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timeout_of_the_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_poll_mode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_collectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_collector_with_a_share_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_model_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_model_with_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_model_with_timeouts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_model_in_the_ring, set_up, tear_down),
    };

    setenv("HIPFILE_ENV_PATH_JSON", "", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
