// SPDX-License-Identifier: MIT
//
// What memory can be registered, what a registration bounds, and when it can end.
#include "sync_test.h"

#include <pthread.h>

#define PAGE 4096
#define SIZE (16 * PAGE)

static unsigned char expected[4 * SIZE], got[4 * SIZE];
static hipFileHandle_t handle;

static void open_pattern(size_t size)
{
    handle = register_fd(pattern_file(O_RDWR, size, 1));
}

static void expect_read(enum kind kind, void *base, size_t size, off_t buffer_offset)
{
    CHECK_EQUAL(hipFileRead(handle, base, size, 0, buffer_offset), size);
    fill(expected, size, 0, 1);
    memory_read(kind, got, (char *)base + buffer_offset, size);
    CHECK_BYTES(got, expected, size);
}

static void every_kind_of_memory(void)
{
    open_pattern(SIZE);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        char *memory = memory_get(kind, SIZE);

        CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
        expect_read(kind, memory, SIZE, 0);
        expect_read(kind, memory, 100, SIZE - 100);
        CHECK_EQUAL(hipFileRead(handle, memory, 100, 0, SIZE - 99), -hipFileInvalidValue);
        CHECK_OK(hipFileBufDeregister(memory));
        if (kind == PAGEABLE)
            CHECK_EQUAL(hipFileRead(handle, memory, 1, 0, 0), -hipFileInvalidValue);
        else
            expect_read(kind, memory, SIZE, 0);
        memory_free(kind, memory);
    }
}

/* Also memory that HIP pins for the program. */
static void registered_host_memory(void)
{
    char *memory = memory_get(PAGEABLE, SIZE);

    open_pattern(SIZE);
    CHECK_HIP(hipHostRegister(memory, SIZE, hipHostRegisterDefault));
    expect_read(PINNED, memory, SIZE, 0);
    expect_read(PINNED, memory + 777, 1000, 3);
    CHECK_HIP(hipHostUnregister(memory));
    CHECK_EQUAL(hipFileRead(handle, memory, 1, 0, 0), -hipFileInvalidValue);
}

static void parts_and_overlaps(void)
{
    char *memory = memory_get(DEVICE, SIZE);

    open_pattern(SIZE);
    CHECK_OK(hipFileBufRegister(memory + 100, 1000, 0)); /* an interior part */
    CHECK_EQUAL(hipFileRead(handle, memory + 100, 1001, 0, 0), -hipFileInvalidValue);
    expect_read(DEVICE, memory + 100, 1000, 0);
    expect_read(DEVICE, memory + 500, 600, 0); /* a pointer inside: the rest of the range */
    CHECK_EQUAL(hipFileRead(handle, memory + 500, 601, 0, 0), -hipFileInvalidValue);
    expect_read(DEVICE, memory + 99, SIZE - 99, 0); /* outside: the allocation */
    expect_read(DEVICE, memory + 1100, SIZE - 1100, 0);

    CHECK_OK(hipFileBufRegister(memory, SIZE, 0)); /* around it: the longest counts */
    expect_read(DEVICE, memory + 100, SIZE - 100, 0);
    CHECK_OK(hipFileBufRegister(memory + 600, 1000, 0));
    CHECK_OK(hipFileBufDeregister(memory));
    expect_read(DEVICE, memory + 700, 900, 0);
    CHECK_EQUAL(hipFileRead(handle, memory + 700, 901, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, memory + 550, 551, 0, 0), -hipFileInvalidValue);
    CHECK_OK(hipFileBufDeregister(memory + 100));
    CHECK_OK(hipFileBufDeregister(memory + 600));
}

static void what_is_refused(void)
{
    char *memory = memory_get(DEVICE, SIZE), *pages;

    CHECK_CODE(hipFileBufDeregister(memory), hipFileDriverClosing);
    CHECK_CODE(hipFileBufRegister(NULL, SIZE, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBufRegister(NULL, 0, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBufRegister(memory, SIZE + 1, 0), hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister(memory + 1, SIZE, 0), hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister(memory, SIZE_MAX, 0), hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister(memory, SIZE_MAX - (size_t)memory, 0),
               hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister((void *)64, 1, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);
    CHECK_CODE(hipFileBufDeregister(NULL), hipFileMemoryNotRegistered);

    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_CODE(hipFileBufRegister(memory, SIZE, 0), hipFileMemoryAlreadyRegistered);
    CHECK_CODE(hipFileBufRegister(memory, 1, 0), hipFileMemoryAlreadyRegistered);
    CHECK_CODE(hipFileBufDeregister(memory + 1), hipFileMemoryNotRegistered);
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);

    pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_EQUAL(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    CHECK_CODE(hipFileBufRegister(pages, 3 * PAGE, 0), hipFileInvalidValue);
    CHECK_OK(hipFileBufRegister(pages, PAGE, 0));
    CHECK_EQUAL(munmap(pages + PAGE, PAGE), 0);
    CHECK_CODE(hipFileBufRegister(pages + 2 * PAGE - 1, 2, 0), hipFileInvalidValue);
    CHECK_OK(hipFileBufRegister(pages + 2 * PAGE, PAGE, 0));
}

static void flags_and_empty_ranges_are_accepted(void)
{
    char *memory = memory_get(DEVICE, SIZE);

    CHECK_OK(hipFileBufRegister(memory, SIZE, HIPFILE_RDMA_REGISTER));
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_OK(hipFileBufRegister(memory, SIZE, -1));
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_OK(hipFileBufRegister(memory, 0, 0));
    CHECK_CODE(hipFileBufRegister(memory, SIZE, 0), hipFileMemoryAlreadyRegistered);
    CHECK_OK(hipFileBufDeregister(memory));
}

/* Memory that was freed is nobody's, and what is allocated there next is what it is. */
static void freed_memory_is_never_taken(void)
{
    char *memory = memory_get(DEVICE, SIZE), *pages;

    open_pattern(SIZE);
    expect_read(DEVICE, memory, SIZE, 0);
    memory_free(DEVICE, memory);
    CHECK_CODE(hipFileBufRegister(memory, SIZE, 0), hipFileInvalidValue);
    CHECK_CODE(hipFileBufRegister(memory, 0, 0), hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, memory, 1, 0, 0), -hipFileInvalidValue);
    pages = mmap(memory, SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (pages != memory) /* the runtime keeps the address */
        return;
    CHECK_EQUAL(hipFileRead(handle, memory, 1, 0, 0), -hipFileInvalidValue);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    expect_read(PAGEABLE, memory, SIZE, 0);
}

/* A buffer freed before it is deregistered: still possible to get rid of. */
static void freed_before_deregistered(void)
{
    char *memory = memory_get(DEVICE, SIZE);

    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    memory_free(DEVICE, memory);
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);
}

/* ---- virtual memory management: many allocations in one range ---- */

static hipMemAllocationProp on_device_0(void)
{
    hipMemAllocationProp prop;

    memset(&prop, 0, sizeof prop);
    prop.type = hipMemAllocationTypePinned;
    prop.location.type = hipMemLocationTypeDevice;
    return prop;
}

static void map_piece(char *at, size_t size)
{
    hipMemAllocationProp prop = on_device_0();
    hipMemAccessDesc access = {.location = prop.location, .flags = hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t piece;

    CHECK_HIP(hipMemCreate(&piece, size, &prop, 0));
    CHECK_HIP(hipMemMap(at, size, 0, piece, 0));
    CHECK_HIP(hipMemSetAccess(at, size, &access, 1));
}

static void ranges_of_several_mappings(void)
{
    hipMemAllocationProp prop = on_device_0();
    size_t piece, size;
    void *reserved;
    char *range;
    unsigned char *bytes;

    CHECK_HIP(
        hipMemGetAllocationGranularity(&piece, &prop, hipMemAllocationGranularityRecommended));
    size = 5 * piece;
    CHECK_HIP(hipMemAddressReserve(&reserved, size, 0, NULL, 0));
    range = reserved;
    for (size_t i = 0; i < 5; i++)
        if (i != 3) /* leaves a gap */
            map_piece(range + i * piece, piece);

    handle = register_fd(pattern_file(O_RDWR, size, 1));
    bytes = bytes_get(size);
    CHECK_EQUAL(hipFileRead(handle, range, 3 * piece, 5, 0), 3 * piece); /* unregistered */
    CHECK_EQUAL(hipFileRead(handle, range, 3 * piece + 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, range, 100, 0, (off_t)(2 * piece)), 100);
    CHECK_OK(hipFileBufRegister(range, 3 * piece, 0));
    CHECK_OK(hipFileBufRegister(range + piece + 100, 2 * piece - 100, 0));
    CHECK_CODE(hipFileBufRegister(range + 1, 3 * piece, 0), hipFileHipPointerRangeError);
    CHECK_CODE(hipFileBufRegister(range + 2, 5 * piece - 2, 0), hipFileHipPointerRangeError);
    CHECK_OK(hipFileBufRegister(range + 4 * piece, piece, 0));

    CHECK_EQUAL(hipFileRead(handle, range, 3 * piece, 0, 0), 3 * piece); /* across the seams */
    for (size_t i = 0; i < 3; i++)
        CHECK_HIP(hipMemcpy(bytes + i * piece, range + i * piece, piece, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < 3 * piece; i += 997)
        CHECK_EQUAL(bytes[i], pattern(i, 1));
    CHECK_EQUAL(hipFileWrite(handle, range, 2 * piece, (off_t)piece + 1, (off_t)(piece / 2)),
                2 * piece);
    free(bytes);
}

/* ---- in use, and bounds ---- */

static void *read_slowly(void *memory)
{
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    return NULL;
}

static void a_busy_buffer_stays(void)
{
    char *memory = memory_get(DEVICE, SIZE);
    pthread_t thread;

    open_pattern(SIZE);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(pthread_create(&thread, NULL, read_slowly, memory), 0);
    usleep(100000); /* the copy takes half a second */
    CHECK_CODE(hipFileBufDeregister(memory), hipFileInternalError);
    CHECK_CODE(hipFileBufRegister(memory, SIZE, 0), hipFileMemoryAlreadyRegistered);
    pthread_join(thread, NULL);
    CHECK_OK(hipFileBufDeregister(memory));
}

static void the_sum_of_lengths_is_bounded(void)
{
    char *memory = memory_get(DEVICE, SIZE);

    CHECK_CODE(hipFileBufRegister(memory, 8 * 1024 + 1, 0), hipFileGPUMemoryPinningFailed);
    CHECK_OK(hipFileBufRegister(memory, 8 * 1024, 0));
    CHECK_CODE(hipFileBufRegister(memory + 1, 1, 0), hipFileGPUMemoryPinningFailed);
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_OK(hipFileBufRegister(memory + 1, 8 * 1024, 0));
}

int main(void)
{
    RUN(every_kind_of_memory, NULL);
    RUN(every_kind_of_memory, "HIPLITE_UNIFIED=1", NULL);
    RUN(registered_host_memory, NULL);
    RUN(parts_and_overlaps, NULL);
    RUN(what_is_refused, NULL);
    RUN(flags_and_empty_ranges_are_accepted, NULL);
    RUN(freed_memory_is_never_taken, NULL);
    RUN(freed_memory_is_never_taken, "HIPLITE_UNIFIED=1", NULL);
    RUN(freed_before_deregistered, NULL);
    RUN(ranges_of_several_mappings, NULL);
    RUN(ranges_of_several_mappings, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(a_busy_buffer_stays, "HIPFILE_FORCE_COMPAT_MODE=1",
        "HIPLITE_FAULT=hipMemcpyAsync@1=delay:500ms", NULL);
    RUN_ON_CPU("no direct path", a_busy_buffer_stays, "HIPLITE_FAULT=hipAmdFileRead@1=delay:500ms",
               NULL);
    RUN(the_sum_of_lengths_is_bounded, "HIPFILE_MAX_DEVICE_PINNED_MEM_SIZE_KB=8", NULL);
    return finish();
}
