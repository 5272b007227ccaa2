// SPDX-License-Identifier: MIT
//
// Results and errno: which calls may touch errno, what a refused request leaves alone, and that no
// input makes the library crash.
#include "sync_test.h"

#include <time.h>

#define SIZE   65536
#define MARKER 4711

static void *memory;
static hipFileHandle_t handle;
static int fd;

static void prepare(int flags)
{
    fd = pattern_file(flags, SIZE, 1);
    memory = memory_get(DEVICE, SIZE);
    handle = register_fd(fd);
}

#define KEEPS(call)                                                                                \
    do {                                                                                           \
        errno = MARKER;                                                                            \
        (void)(call);                                                                              \
        CHECK_EQUAL(errno, MARKER);                                                                \
    } while (0)
#define KEEPS_VOID(call)                                                                           \
    do {                                                                                           \
        errno = MARKER;                                                                            \
        call;                                                                                      \
        CHECK_EQUAL(errno, MARKER);                                                                \
    } while (0)

/* Only a read or write that returns -1 may change errno. Each of these has something inside that
   fails, once: opening a twin, looking for a file, memory that is not there. */
static void errno_is_the_callers(void)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = -1};
    hipFileHandle_t other;
    hipFileExtRoute_t route = {.struct_size = sizeof route};
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};
    hipFileDriverProps_t props;
    hipFileBatchHandle_t batch = NULL;
    unsigned number = 1;
    char text[64];

    KEEPS(hipFileDriverOpen());
    KEEPS(hipFileHandleRegister(&other, &descr));
    descr.handle.fd = fd = pattern_file(O_RDWR | O_APPEND, SIZE, 1);
    KEEPS(hipFileHandleRegister(&handle, &descr));
    KEEPS(hipFileHandleRegister(&other, &descr));
    KEEPS(hipFileBufRegister((void *)64, SIZE, 0));
    memory = memory_get(DEVICE, SIZE);
    KEEPS(hipFileBufRegister(memory, SIZE, 0));
    KEEPS(hipFileBufRegister(memory, SIZE, 0));
    KEEPS(hipFileExtQueryRequest(handle, memory, SIZE, 0, 0, hipFileBatchRead, &route));
    KEEPS(hipFileRead(handle, memory, SIZE, 0, 0));
    KEEPS(hipFileRead(handle, memory, SIZE, SIZE, 0));
    KEEPS(hipFileRead(handle, memory, 100, SIZE - 50, 5));
    KEEPS(hipFileWrite(handle, memory, SIZE, 0, 0));
    KEEPS(hipFileWrite(handle, memory, 100, 3, 0));
    KEEPS(hipFileRead(handle, memory, SIZE, 0, 1));
    KEEPS(hipFileRead(NULL, memory, SIZE, 0, 0));
    KEEPS(hipFileWrite(handle, NULL, SIZE, 0, 0));
    KEEPS(hipFileExtGetHandleInfo(handle, &info));
    KEEPS(hipFileExtDescribeResult(-1, text, sizeof text));
    KEEPS(hipFileGetOpErrorString(hipFileInvalidValue));
    KEEPS(hipFileDriverGetProperties(&props));
    KEEPS(hipFileDriverSetMaxDirectIOSize(1));
    KEEPS(hipFileStreamRegister(NULL, 0));
    KEEPS(hipFileStreamDeregister(NULL));
    KEEPS(hipFileBatchIOSetUp(&batch, 4));
    KEEPS(hipFileBatchIOGetStatus(batch, 0, &number, NULL, NULL));
    KEEPS(hipFileBatchIOCancel(batch));
    KEEPS_VOID(hipFileBatchIODestroy(batch));
    KEEPS(hipFileBufDeregister(memory));
    KEEPS(hipFileBufDeregister(memory));
    KEEPS_VOID(hipFileHandleDeregister(handle));
    KEEPS_VOID(hipFileHandleDeregister(handle));
    KEEPS(hipFileDriverClose());
    KEEPS(hipFileDriverClose());
}

/* A code of ours is never in errno, and errno never is one. */
static void codes_and_errnos_do_not_mix(void)
{
    prepare(O_RDONLY);
    CHECK_ERRNO(hipFileRead(handle, memory, 1, -1, 0), EINVAL);
    CHECK_ERRNO(hipFileRead(handle, memory, 1, 0, -1), EINVAL);
    CHECK_ERRNO(hipFileWrite(handle, memory, 1, 0, 0), EBADF);
    errno = MARKER;
    CHECK_EQUAL(hipFileRead((void *)1, memory, 1, 0, 0), -hipFileHandleNotRegistered);
    CHECK_EQUAL(hipFileRead(handle, NULL, 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE + 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(errno, MARKER);
    CHECK(IS_HIPFILE_ERR(-hipFileInvalidValue) && !IS_HIPFILE_ERR(-EFBIG));
}

/* The handle is looked at before the buffer, the offsets before the bounds. */
static void the_order_of_checks(void)
{
    prepare(O_RDWR);
    CHECK_EQUAL(hipFileRead(NULL, NULL, 1, -1, -1), -hipFileHandleNotRegistered);
    CHECK_EQUAL(hipFileRead(handle, NULL, 1, -1, -1), -hipFileInvalidValue);
    CHECK_ERRNO(hipFileRead(handle, memory, SIZE + 1, -1, 0), EINVAL);
    CHECK_ERRNO(hipFileWrite(handle, memory, SIZE + 1, 0, -1), EINVAL);
}

static void bounds_are_those_of_the_buffer(void)
{
    char *base;

    prepare(O_RDWR);
    base = memory;
    CHECK_EQUAL(hipFileRead(handle, base, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileRead(handle, base, SIZE, 0, 1), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, SIZE + 1, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, 1, 0, SIZE), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, 0, 0, SIZE), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, 1, 0, INT64_MAX), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, SIZE_MAX, 0, 1), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base + 4096, SIZE - 4096, 0, 0), SIZE - 4096); /* interior */
    CHECK_EQUAL(hipFileRead(handle, base + 4096, SIZE - 4096, 0, 1), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, 8192, 0, SIZE - 8192), 8192); /* with an offset */
    CHECK_OK(hipFileBufRegister(base, 8192, 0));
    CHECK_EQUAL(hipFileRead(handle, base, 8192, 0, 0), 8192);
    CHECK_EQUAL(hipFileRead(handle, base, 8193, 0, 0), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base, 8192, 0, 4096), -hipFileInvalidValue);
    CHECK_EQUAL(hipFileRead(handle, base + 8192, 8192, 0, 0), 8192); /* behind it: the allocation */
    CHECK_EQUAL(hipFileRead(handle, base + 4096, 4097, 0, 0), -hipFileInvalidValue);
}

static void a_refused_request_moves_nothing(void)
{
    static unsigned char before[SIZE], after[SIZE];

    prepare(O_RDWR);
    fill(before, SIZE, 0, 5);
    memory_write(DEVICE, memory, before, SIZE);
    hipFileRead(handle, memory, SIZE + 1, 0, 0);
    hipFileRead(handle, memory, SIZE, 0, 1);
    hipFileRead(handle, memory, SIZE, -4096, 0);
    hipFileWrite(handle, memory, SIZE + 1, 0, 0);
    hipFileWrite(handle, memory, SIZE, 0, 1);
    hipFileWrite(handle, memory, SIZE, -1, 0);
    hipFileWrite(NULL, memory, SIZE, 0, 0);
    memory_read(DEVICE, after, memory, SIZE);
    CHECK_BYTES(after, before, SIZE);
    CHECK_EQUAL(file_size(fd), SIZE);
    CHECK_EQUAL(pread(fd, after, SIZE, 0), SIZE);
    fill(before, SIZE, 0, 1);
    CHECK_BYTES(after, before, SIZE);
}

/* ---- size 0, ends of files, holes ---- */

static void size_zero_is_nothing(void)
{
    prepare(O_RDWR);
    for (off_t offset = 0; offset < 3 * SIZE; offset += 4096) {
        CHECK_EQUAL(hipFileRead(handle, memory, 0, offset, 0), 0);
        CHECK_EQUAL(hipFileWrite(handle, memory, 0, offset, 0), 0);
        CHECK_EQUAL(hipFileWrite(handle, memory, 0, offset + 1, SIZE - 1), 0);
    }
    CHECK_EQUAL(file_size(fd), SIZE);
    CHECK_EQUAL(hipFileRead(NULL, memory, 0, 0, 0), -hipFileHandleNotRegistered);
    CHECK_EQUAL(hipFileRead(handle, NULL, 0, 0, 0), -hipFileInvalidValue);
    CHECK_ERRNO(hipFileRead(handle, memory, 0, -1, 0), EINVAL);
}

static void reads_end_with_the_file(void)
{
    static const off_t ends[] = {0, 1, 100, 4095, 4096, 4097, 20000, 40960, SIZE};
    static unsigned char expected[SIZE], got[SIZE];

    prepare(O_RDWR);
    for (int e = 0; e < 9; e++)
        for (off_t from = 0; from <= ends[e] + 4097; from += 1023) {
            off_t left = ends[e] > from ? ends[e] - from : 0;

            write_pattern(fd, (size_t)ends[e], 7);
            CHECK_EQUAL(hipFileRead(handle, memory, SIZE, from, 0), left);
            fill(expected, (size_t)left, (uint64_t)from, 7);
            memory_read(DEVICE, got, memory, (size_t)left);
            CHECK_BYTES(got, expected, (size_t)left);
        }
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, (off_t)1 << 40, 0), 0);
    CHECK_EQUAL(hipFileRead(handle, memory, 4096, (INT64_MAX / 4096 - 1) * 4096, 0), 0);
    CHECK_ERRNO(hipFileRead(handle, memory, 4096, INT64_MAX - 1000, 0), EINVAL); /* as pread */
}

static void holes_read_as_zeroes_and_are_left_behind(void)
{
    static unsigned char expected[SIZE], got[SIZE];

    prepare(O_RDWR);
    CHECK_EQUAL(ftruncate(fd, 0), 0);
    fill(expected, 5000, 0, 9);
    memory_write(DEVICE, memory, expected, 5000);
    CHECK_EQUAL(hipFileWrite(handle, memory, 5000, 30001, 0), 5000);
    CHECK_EQUAL(file_size(fd), 35001);
    memset(expected, 0, SIZE);
    fill(expected + 30001, 5000, 0, 9);
    CHECK_EQUAL(pread(fd, got, SIZE, 0), 35001);
    CHECK_BYTES(got, expected, 35001);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), 35001);
    memory_read(DEVICE, got, memory, 35001);
    CHECK_BYTES(got, expected, 35001);
    CHECK_EQUAL(ftruncate(fd, SIZE), 0); /* a hole at the end */
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    memory_read(DEVICE, got, memory, SIZE);
    CHECK_BYTES(got, expected, SIZE);
}

/* ---- nonsense ---- */

static void *any_pointer(uint64_t *seed)
{
    static char mine[64];

    switch (next_random(seed) % 6) {
    case 0:
        return NULL;
    case 1:
        return (void *)(uintptr_t)next_random(seed);
    case 2:
        return mine + next_random(seed) % sizeof mine;
    case 3:
        return (char *)memory + next_random(seed) % (2 * SIZE);
    case 4:
        return (void *)(uintptr_t)(next_random(seed) % 8192);
    default:
        return memory;
    }
}

static int64_t any_number(uint64_t *seed)
{
    static const int64_t edges[] = {0, 1, -1, 4096, SIZE, INT64_MAX, INT64_MIN, 0x7ffff000, -4096};
    uint64_t choice = next_random(seed);

    return choice % 3 ? edges[choice / 3 % 9] : (int64_t)next_random(seed) >> choice % 60;
}

static void no_input_makes_it_crash(void)
{
    uint64_t seed = (uint64_t)time(NULL);

    printf("seed %llu\n", (unsigned long long)seed);
    prepare(O_RDWR);
    for (int i = 0; i < 20000; i++) {
        hipFileHandle_t file = next_random(&seed) % 2 ? handle : any_pointer(&seed);
        void *base = any_pointer(&seed);
        /* A registered size of gigabytes of our own memory would be read into in earnest. */
        size_t size = (size_t)any_number(&seed);

        switch (next_random(&seed) % 6) {
        case 0:
            hipFileRead(file, base, size, any_number(&seed), any_number(&seed));
            break;
        case 1:
            hipFileWrite(file, base, size % (2 * SIZE), any_number(&seed) % (1 << 20),
                         any_number(&seed));
            break;
        case 2:
            if (file != handle)
                hipFileHandleDeregister(file);
            break;
        case 3:
            CHECK(try_register((int)any_number(&seed) | 1 << 20).err != hipFileSuccess);
            break;
        case 4:
            if (base < memory || (char *)base >= (char *)memory + SIZE)
                hipFileBufDeregister(base);
            break;
        default:
            if (hipFileBufRegister(base, size, (int)any_number(&seed)).err == hipFileSuccess)
                CHECK_OK(hipFileBufDeregister(base));
        }
    }
    CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
    CHECK_EQUAL(hipFileRead(handle, memory, 1, 0, 0), 1);
}

int main(void)
{
    RUN(errno_is_the_callers, "HIPFILE_LOGGING_LEVEL=OFF", NULL);
    RUN(errno_is_the_callers, "HIPFILE_LOGGING_LEVEL=TRACE", "HIPFILE_LOGFILE_PATH=/dev/null",
        NULL);
    RUN(codes_and_errnos_do_not_mix, NULL);
    RUN(the_order_of_checks, NULL);
    RUN(bounds_are_those_of_the_buffer, NULL);
    RUN(a_refused_request_moves_nothing, NULL);
    RUN(size_zero_is_nothing, NULL);
    RUN(size_zero_is_nothing, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(reads_end_with_the_file, NULL);
    RUN(reads_end_with_the_file, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(holes_read_as_zeroes_and_are_left_behind, NULL);
    RUN(holes_read_as_zeroes_and_are_left_behind, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(no_input_makes_it_crash, NULL);
    return finish();
}
