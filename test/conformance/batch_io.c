// SPDX-License-Identifier: MIT
/*
 * Batches of reads and writes of any alignment, between several files and all kinds of memory, on
 * both engines and all paths. After each batch, all of every file and buffer is compared with a
 * model of it.
 */
// ctest-args: ring ring direct
// ctest-args: pool pool direct
// ctest-args: ring-bounce ring bounce
// ctest-args: pool-bounce pool bounce
#include <batch_test.h>

#define KB    1024
#define SLOT  (128 * KB) /* entries of one batch do not overlap: each has a slot to itself */
#define SLOTS 48
#define SIZE  ((size_t)SLOTS * SLOT)
#define TAIL  12345 /* what the files lack of their last slot */
#define FILES 3
#define MOST  8

struct file {
    int fd;
    hipFileHandle_t handle;
    unsigned char *model;
    size_t length;
};

struct memory {
    const char *name;
    char *base;
    bool registered;
    unsigned char *model;
};

struct expected {
    size_t bytes;
    bool seen;
};

static struct file files[FILES];
static struct memory memories[MOST];
static unsigned memory_count;
static uint64_t random_state = 42;

static size_t random_below(size_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % limit;
}

static void add_memory(const char *name, void *base, bool registered)
{
    struct memory *memory = &memories[memory_count++];

    CHECK(memory_count <= MOST && base);
    *memory = (struct memory){name, base, registered, malloc(SIZE)};
    for (size_t i = 0; i < SIZE; i++)
        memory->model[i] = pattern(i, 50 + memory_count);
    CHECK_HIP(hipMemcpy(base, memory->model, SIZE, hipMemcpyDefault));
    if (registered)
        CHECK_OK(hipFileBufRegister(base, SIZE, 0));
}

static void make_memories(void)
{
    void *base;
    int devices;

    CHECK_HIP(hipGetDeviceCount(&devices));
    for (int device = 0; device < devices && device < 2; device++) {
        CHECK_HIP(hipSetDevice(device));
        CHECK_HIP(hipMalloc(&base, SIZE));
        add_memory("device", base, true);
        CHECK_HIP(hipMalloc(&base, SIZE));
        add_memory("device, not registered", base, false);
    }
    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipHostMalloc(&base, SIZE, hipHostMallocDefault));
    add_memory("pinned, not registered", base, false);
    if (hipMallocManaged(&base, SIZE, hipMemAttachGlobal) == hipSuccess)
        add_memory("managed", base, true);
    add_memory("pageable", aligned_alloc(4 * KB, SIZE), true);
}

static void make_files(void)
{
    int flags[FILES] = {O_DIRECT, 0, O_DIRECT | O_DSYNC};

    for (unsigned f = 0; f < FILES; f++) {
        files[f].fd = make_file(SIZE - TAIL, flags[f]);
        files[f].handle = register_file(files[f].fd);
        files[f].length = SIZE - TAIL;
        files[f].model = calloc(1, SIZE);
        for (size_t i = 0; i < files[f].length; i++)
            files[f].model[i] = pattern(i, 0);
    }
}

/* Half of all ranges are whole blocks, which may go direct or straight into the ring. */
static void choose_range(size_t *offset, size_t *size)
{
    if (random_below(2)) {
        *offset = random_below(8) * 4 * KB;
        *size = (1 + random_below(24)) * 4 * KB;
    } else {
        *offset = random_below(32 * KB);
        *size = 1 + random_below(random_below(2) ? 90 * KB : 5000);
    }
}

static void shuffle(unsigned *numbers, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned other = (unsigned)random_below(i), kept = numbers[i - 1];

        numbers[i - 1] = numbers[other];
        numbers[other] = kept;
    }
}

/* What the entry does, on the models. Returns the bytes that it should report. */
static size_t predict(struct file *file, struct memory *memory, const hipFileIOParams_t *entry)
{
    size_t file_offset = (size_t)entry->u.batch.file_offset, size = entry->u.batch.size;
    size_t memory_offset = (size_t)entry->u.batch.devPtr_offset;

    if (entry->opcode == hipFileBatchWrite) {
        memcpy(file->model + file_offset, memory->model + memory_offset, size);
        if (file_offset + size > file->length)
            file->length = file_offset + size;
        return size;
    }
    if (file_offset >= file->length)
        return 0;
    if (size > file->length - file_offset)
        size = file->length - file_offset;
    memcpy(memory->model + memory_offset, file->model + file_offset, size);
    return size;
}

static void check_same(const char *what, unsigned n, const unsigned char *bytes,
                       const unsigned char *model, size_t size)
{
    if (memcmp(bytes, model, size) == 0)
        return;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != model[i])
            die(__FILE__, __LINE__, "%s %u: byte %zu is %u, not %u", what, n, i, bytes[i],
                model[i]);
}

static void check_models(void)
{
    unsigned char *bytes = malloc(SIZE);

    for (unsigned f = 0; f < FILES; f++) {
        char path[64];
        int plain;

        snprintf(path, sizeof path, "/proc/self/fd/%d", files[f].fd);
        plain = open(path, O_RDONLY);
        CHECK_EQUAL(lseek(plain, 0, SEEK_END), files[f].length);
        CHECK_EQUAL(pread(plain, bytes, SIZE, 0), files[f].length);
        check_same("file", f, bytes, files[f].model, files[f].length);
        close(plain);
    }
    for (unsigned m = 0; m < memory_count; m++) {
        CHECK_HIP(hipMemcpy(bytes, memories[m].base, SIZE, hipMemcpyDefault));
        check_same(memories[m].name, m, bytes, memories[m].model, SIZE);
    }
    free(bytes);
}

static void collect_all(hipFileBatchHandle_t batch, struct expected *expected, unsigned count)
{
    hipFileIOEvents_t events[16];

    for (unsigned sum = 0, got; sum < count; sum += got) {
        got = 16;
        CHECK_OK(hipFileBatchIOGetStatus(batch, 1, &got, events, NULL));
        CHECK(got > 0 && sum + got <= count);
        for (unsigned i = 0; i < got; i++) {
            struct expected *one = events[i].cookie;

            CHECK(one >= expected && one < expected + count && !one->seen);
            one->seen = true;
            CHECK_EQUAL(events[i].status, hipFileComplete);
            CHECK_EQUAL(events[i].ret, one->bytes);
        }
    }
}

/* Each slot of each file and of each memory is used once at most. */
static void run_round(hipFileBatchHandle_t batch)
{
    static hipFileIOParams_t entries[FILES * SLOTS];
    static struct expected expected[FILES * SLOTS];
    unsigned file_slots[SLOTS], memory_slots[SLOTS], used[MOST] = {0}, count = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        file_slots[i] = memory_slots[i] = i;
    shuffle(memory_slots, SLOTS);
    for (unsigned f = 0; f < FILES; f++) {
        shuffle(file_slots, SLOTS);
        for (unsigned i = 0; i < SLOTS; i++) {
            struct memory *memory = &memories[random_below(memory_count)];
            size_t file_offset, memory_offset, size;

            if (used[memory - memories] == SLOTS)
                continue;
            choose_range(&file_offset, &size);
            memory_offset = random_below(2) ? file_offset : random_below(32 * KB);
            file_offset += (size_t)file_slots[i] * SLOT;
            memory_offset += (size_t)memory_slots[used[memory - memories]++] * SLOT;
            entries[count] = entry_of(
                files[f].handle, random_below(2) ? hipFileBatchRead : hipFileBatchWrite,
                memory->base, (int64_t)memory_offset, size, (int64_t)file_offset, &expected[count]);
            expected[count].seen = false;
            expected[count].bytes = predict(&files[f], memory, &entries[count]);
            count++;
        }
    }
    for (unsigned done = 0, part; done < count; done += part) {
        part = 1 + (unsigned)random_below(count - done);
        CHECK_OK(hipFileBatchIOSubmit(batch, part, entries + done, 0));
    }
    collect_all(batch, expected, count);
}

/* Files and buffers may be given up once an entry is submitted; it finishes all the same. */
static void test_early_deregistration(hipFileBatchHandle_t batch)
{
    struct expected expected[SLOTS] = {0};
    hipFileIOParams_t entries[SLOTS];
    struct memory *memory = &memories[0];

    for (unsigned i = 0; i < SLOTS; i++) {
        entries[i] = entry_of(files[0].handle, hipFileBatchRead, memory->base, i * SLOT, 64 * KB,
                              i * SLOT, &expected[i]);
        expected[i].bytes = predict(&files[0], memory, &entries[i]);
    }
    CHECK_OK(hipFileBatchIOSubmit(batch, SLOTS, entries, 0));
    hipFileHandleDeregister(files[0].handle);
    CHECK_CODE(hipFileBatchIOSubmit(batch, 1, entries, 0), hipFileHandleNotRegistered);
    collect_all(batch, expected, SLOTS);
    CHECK_OK(hipFileBufDeregister(memory->base)); /* not busy any more */
    check_models();
}

int main(int argc, char *argv[])
{
    bool ring = argc < 2 || strcmp(argv[1], "pool") != 0;
    hipFileBatchHandle_t batch;

    if (ring && !may_use_ring())
        return 77;
    setenv("HIPLITE_CPU_DEVICES", "2", 0);
    setenv("HIPFILE_IO_BATCHSIZE", "4096", 1);
    setenv("HIPFILE_PREFER_IO_URING", ring ? "1" : "0", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", argc > 2 && strcmp(argv[2], "bounce") == 0 ? "1" : "0", 1);
    CHECK_HIP(hipInit(0));
    make_files();
    make_memories();
    CHECK_OK(hipFileBatchIOSetUp(&batch, FILES * SLOTS));
    for (int round = 0; round < 4; round++) {
        run_round(batch);
        check_models();
        for (unsigned f = 0; f < FILES; f++) { /* for the next round the end is in a slot again */
            files[f].length = SIZE - TAIL - (size_t)round * 777;
            CHECK_EQUAL(ftruncate(files[f].fd, (off_t)files[f].length), 0);
        }
    }
    test_early_deregistration(batch);
    hipFileBatchIODestroy(batch);
    return 0;
}
