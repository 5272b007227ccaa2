// SPDX-License-Identifier: MIT
/*
 * Memory is not touched after its entry's event, a cancel that waits, a destruction or a close: it
 * is freed right then (an address sanitizer would tell), or filled and looked at later. Through
 * both engines.
 */
// ctest-args: ring ring
// ctest-args: pool pool
#include <batch_test.h>

#define KB      1024
#define ENTRIES 128
#define BLOCK   (8 * KB)
#define SIZE    (ENTRIES * BLOCK)
#define MARK    0xee

static int fd;
static hipFileHandle_t file;

static void submit(hipFileBatchHandle_t batch, unsigned char *memory)
{
    hipFileIOParams_t entries[ENTRIES];

    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = entry_of(file, hipFileBatchRead, memory, (int64_t)(i * BLOCK), BLOCK,
                              (int64_t)(i * BLOCK), memory + i * BLOCK);
    CHECK_OK(hipFileBatchIOSubmit(batch, ENTRIES, entries, 0));
}

static unsigned char *make_memory(void)
{
    unsigned char *memory = aligned_alloc(4 * KB, SIZE);

    CHECK(memory != NULL);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    return memory;
}

static void free_at_once(unsigned char *memory)
{
    CHECK_OK(hipFileBufDeregister(memory)); /* no entry holds it */
    free(memory);
}

static void check_marks(const unsigned char *memory)
{
    sleep_ms(5);
    for (size_t i = 0; i < SIZE; i++)
        CHECK_EQUAL(memory[i], MARK);
}

/* Each block is marked as soon as its event is there. */
static void test_events(hipFileBatchHandle_t batch, unsigned char *memory)
{
    submit(batch, memory);
    for (int i = 0; i < ENTRIES; i++) {
        hipFileIOEvents_t event = one_event(batch);
        unsigned char *block = event.cookie;

        CHECK_EQUAL(event.ret, BLOCK);
        CHECK(block[0] == pattern((uint64_t)(block - memory), 0));
        memset(block, MARK, BLOCK);
    }
    check_marks(memory);
}

static void test_cancel(hipFileBatchHandle_t batch, unsigned char *memory)
{
    hipFileIOEvents_t events[ENTRIES];
    unsigned count = ENTRIES;

    submit(batch, memory);
    CHECK_OK(hipFileBatchIOCancel(batch));
    memset(memory, MARK, SIZE);
    check_marks(memory);
    CHECK_OK(hipFileBatchIOGetStatus(batch, 0, &count, events, NULL));
    CHECK_EQUAL(count, ENTRIES);

    for (int round = 0; round < 20; round++) {
        unsigned char *other = make_memory();

        submit(batch, other);
        CHECK_OK(hipFileBatchIOCancel(batch));
        free_at_once(other);
        count = ENTRIES;
        CHECK_OK(hipFileBatchIOGetStatus(batch, 0, &count, events, NULL));
        CHECK_EQUAL(count, ENTRIES);
    }
}

static void test_destroy(unsigned char *memory)
{
    for (int round = 0; round < 20; round++) {
        unsigned char *other = make_memory();
        hipFileBatchHandle_t batch;

        CHECK_OK(hipFileBatchIOSetUp(&batch, ENTRIES));
        submit(batch, round ? other : memory);
        hipFileBatchIODestroy(batch);
        if (round == 0) {
            memset(memory, MARK, SIZE);
            check_marks(memory);
        }
        free_at_once(other);
    }
}

static void test_close(void)
{
    for (int round = 0; round < 20; round++) {
        hipFileBatchHandle_t batch;
        unsigned char *memory;

        file = register_file(fd);
        memory = make_memory();
        CHECK_OK(hipFileBatchIOSetUp(&batch, ENTRIES));
        submit(batch, memory);
        CHECK_OK(hipFileDriverClose());
        CHECK_EQUAL(hipFileUseCount(), 0);
        free(memory);
    }
}

int main(int argc, char *argv[])
{
    bool ring = argc < 2 || strcmp(argv[1], "pool") != 0;
    hipFileBatchHandle_t batch;
    unsigned char *memory;

    if (ring && !may_use_ring())
        return 77;
    setenv("HIPFILE_PREFER_IO_URING", ring ? "1" : "0", 1);
    CHECK_HIP(hipInit(0));
    fd = make_file(SIZE, O_DIRECT);
    file = register_file(fd);
    memory = make_memory();
    CHECK_OK(hipFileBatchIOSetUp(&batch, ENTRIES));
    test_events(batch, memory);
    test_cancel(batch, memory);
    hipFileBatchIODestroy(batch);
    test_destroy(memory);
    free_at_once(memory);
    CHECK_OK(hipFileDriverClose());
    test_close();
    return 0;
}
