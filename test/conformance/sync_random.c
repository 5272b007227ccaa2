// SPDX-License-Identifier: MIT
//
// Random requests beside a model of what file and memory should hold: several threads on ranges of
// their own, every kind of memory, handles with other flags on one file, registrations that come
// and go, and looks from outside: pread, a mapping, O_DIRECT.
//
// usage: sync_random [SEED [OPERATIONS]]   a failure prints the seed that brings it back
#include "sync_test.h"

#include <pthread.h>
#include <time.h>

#define PAGE    4096
#define THREADS 4
#define RANGE   (40 * PAGE + 700) /* of the file, for each thread: blocks at its ends are shared */
#define MEMORY  (24 * PAGE)
#define HANDLES 4

static uint64_t first_seed;
static unsigned operations;

static int fd;
static hipFileHandle_t handles[HANDLES];
static const char *mode;
static const unsigned char *mapping;

struct actor {
    unsigned number;
    uint64_t seed;
    unsigned step;
    off_t from;           /* its range of the file */
    unsigned char *model; /* what the file holds there */
    enum kind kind;
    char *memory;
    unsigned char *image; /* what the memory holds */
    unsigned char *seen;
    bool registered;
};

static void fail_step(const struct actor *actor, const char *what, long long a, long long b)
{
    fail_at(__FILE__, __LINE__, "seed %llu, %s, thread %u, step %u, %s memory: %s (%lld, %lld)",
            (unsigned long long)first_seed, mode, actor->number, actor->step,
            kind_names[actor->kind], what, a, b);
}

static void compare(const struct actor *actor, const char *what, const void *got,
                    const void *expected, size_t size)
{
    size_t at = first_difference(got, expected, size);

    if (at < size)
        fail_step(actor, what, (long long)at, (long long)size);
}

/* Sizes and offsets close to the boundaries that matter, and others. */
static size_t pick(struct actor *actor, size_t limit)
{
    uint64_t choice = next_random(&actor->seed);
    size_t value = (size_t)(choice >> 8) % (limit + 1);

    if (choice % 4 == 0)
        value -= value % PAGE;
    else if (choice % 4 == 1)
        value = value - value % PAGE + (size_t)(choice >> 4) % 3 - (value >= PAGE ? 1 : 0);
    return value > limit ? limit : value;
}

static void check_memory(struct actor *actor)
{
    memory_read(actor->kind, actor->seen, actor->memory, MEMORY);
    compare(actor, "memory", actor->seen, actor->image, MEMORY);
}

static void transfer(struct actor *actor)
{
    size_t in_file = pick(actor, RANGE - 1), in_memory = pick(actor, MEMORY - 1);
    size_t room = RANGE - in_file < MEMORY - in_memory ? RANGE - in_file : MEMORY - in_memory;
    size_t size = pick(actor, room);
    bool writing = next_random(&actor->seed) % 2;
    hipFileHandle_t handle = handles[next_random(&actor->seed) % HANDLES];
    bool by_offset = next_random(&actor->seed) % 2 || actor->registered;
    char *base = by_offset ? actor->memory : actor->memory + in_memory;
    off_t offset = by_offset ? (off_t)in_memory : 0;
    ssize_t n;

    if (writing) {
        fill(actor->image + in_memory, size, actor->step, actor->number);
        memory_write(actor->kind, actor->memory, actor->image, MEMORY);
        n = hipFileWrite(handle, base, size, actor->from + (off_t)in_file, offset);
        memcpy(actor->model + in_file, actor->image + in_memory, size);
    } else {
        n = hipFileRead(handle, base, size, actor->from + (off_t)in_file, offset);
        memcpy(actor->image + in_memory, actor->model + in_file, size);
    }
    if (n != (ssize_t)size)
        fail_step(actor, writing ? "write" : "read", n, (long long)size);
    check_memory(actor);
}

static void look_from_outside(struct actor *actor)
{
    size_t in_file = pick(actor, RANGE - 1), size = pick(actor, RANGE - in_file);
    uint64_t way = next_random(&actor->seed) % 2;

    if (size > MEMORY)
        size = MEMORY;
    if (way == 0) {
        if (pread(fd, actor->seen, size, actor->from + (off_t)in_file) != (ssize_t)size)
            fail_step(actor, "pread", errno, 0);
        compare(actor, "file by pread", actor->seen, actor->model + in_file, size);
    } else {
        compare(actor, "file by mapping", mapping + actor->from + in_file, actor->model + in_file,
                size);
    }
}

/* Somebody else writes, through the page cache. */
static void write_from_outside(struct actor *actor)
{
    size_t in_file = pick(actor, RANGE - 1), size = pick(actor, RANGE - in_file);

    fill(actor->model + in_file, size, actor->step, 77);
    if (pwrite(fd, actor->model + in_file, size, actor->from + (off_t)in_file) != (ssize_t)size)
        fail_step(actor, "pwrite", errno, 0);
}

static void change_registration(struct actor *actor)
{
    if (actor->registered)
        CHECK_OK(hipFileBufDeregister(actor->memory));
    else
        CHECK_OK(hipFileBufRegister(actor->memory, MEMORY, 0));
    actor->registered = !actor->registered;
    if (!actor->registered && actor->kind == PAGEABLE) /* which must be registered */
        change_registration(actor);
}

static void *act(void *argument)
{
    struct actor *actor = argument;

    for (actor->step = 0; actor->step < operations; actor->step++) {
        uint64_t choice = next_random(&actor->seed) % 20;

        if (choice < 15)
            transfer(actor);
        else if (choice < 17)
            look_from_outside(actor);
        else if (choice < 19)
            write_from_outside(actor);
        else
            change_registration(actor);
    }
    return NULL;
}

static void begin(struct actor *actor, unsigned number)
{
    actor->number = number;
    actor->seed = first_seed + number * 1000003;
    actor->from = (off_t)number * RANGE;
    actor->kind = (enum kind)(next_random(&actor->seed) % KINDS);
    actor->memory = memory_get(actor->kind, MEMORY);
    actor->model = bytes_get(RANGE);
    actor->image = bytes_get(MEMORY);
    actor->seen = bytes_get(MEMORY);
    CHECK(actor->model && actor->image && actor->seen);
    memory_write(actor->kind, actor->memory, actor->image, MEMORY);
    CHECK_EQUAL(pread(fd, actor->model, RANGE, actor->from), RANGE);
    if (actor->kind == PAGEABLE)
        change_registration(actor);
}

/* The medium must say the same once everything is there. */
static void check_medium(const struct actor *actor)
{
    int direct = open_again(fd, O_RDONLY | O_DIRECT);
    unsigned char *block = memory_get(PAGEABLE, PAGE);
    off_t first = (actor->from + PAGE - 1) / PAGE * PAGE;

    for (off_t at = first; direct >= 0 && at + PAGE <= actor->from + RANGE; at += PAGE) {
        CHECK_EQUAL(pread(direct, block, PAGE, at), PAGE);
        compare(actor, "medium", block, actor->model + (at - actor->from), PAGE);
    }
    free(block);
    if (direct >= 0)
        close(direct);
}

static void run_all(void)
{
    static const int flags[HANDLES] = {O_RDWR, O_RDWR | O_DIRECT, O_RDWR | O_APPEND, O_RDWR};
    struct actor actors[THREADS] = {0};
    pthread_t threads[THREADS];

    fd = pattern_file(O_RDWR, THREADS * RANGE, 1);
    mapping = mmap(NULL, THREADS * RANGE, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(mapping != MAP_FAILED);
    for (int i = 0; i < HANDLES; i++) {
        int other = open_again(fd, flags[i]);

        handles[i] = register_fd(other >= 0 ? other : dup(fd)); /* no O_DIRECT here */
    }
    for (unsigned i = 0; i < THREADS; i++)
        begin(&actors[i], i);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, act, &actors[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(fsync(fd), 0);
    for (unsigned i = 0; i < THREADS; i++)
        check_medium(&actors[i]);
    CHECK_EQUAL(file_size(fd), THREADS * RANGE);
}

static void run_mode(const char *name, const char *const *environment)
{
    mode = name;
    run_test(name, run_all, environment);
}

int main(int argc, char **argv)
{
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) * 1000 + getpid();
    operations = argc > 2 ? (unsigned)atoi(argv[2]) : runs_slowly() ? 150 : 1500;
    printf("seed %llu\n", (unsigned long long)first_seed);
    run_mode("default", (const char *const[]){NULL});
    run_mode("bounce", (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1", NULL});
    run_mode("bounce by O_DIRECT", (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1",
                                                         "HIPFILE_FORCE_ODIRECT_MODE=1", NULL});
    run_mode("copy engines", (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1",
                                                   "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=64",
                                                   "HIPLITE_COPY_ENGINES=2", NULL});
    run_mode("workers", (const char *const[]){"HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4",
                                              "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=64",
                                              "HIPFILE_MAX_DIRECT_IO_SIZE_KB=64",
                                              "HIPFILE_MAX_IO_THREADS=4", NULL});
    run_mode("faults", (const char *const[]){"HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4",
                                             "HIPLITE_FAULT=hipAmdFileRead@7=EIO;"
                                             "hipAmdFileRead@20=short:5000;"
                                             "hipAmdFileWrite@9=short:4096;"
                                             "hipAmdFileWrite@30=short:100;"
                                             "hipAmdFileRead@200+=ENODEV;"
                                             "hipAmdFileWrite@300+=EREMOTEIO",
                                             NULL});
    return finish();
}
