// SPDX-License-Identifier: MIT
//
// HIP calls that fail: the code with the HIP error behind it, a count for what moved before,
// nothing lost from the pools, and the next request as if nothing had been.
#include "sync_test.h"

#include <pthread.h>

#include "hip/hip.h"
#include "hip/pinned.h"
#include "os/os.h"

#define CHUNK ((size_t)256 << 10) /* the smallest chunk of the bounce path */
#define SIZE  (8 * CHUNK)

static int fd;
static hipFileHandle_t handle;
static void *memory;
static unsigned char expected[SIZE], got[SIZE];

static void prepare(void)
{
    fd = pattern_file(O_RDWR, SIZE, 1);
    handle = register_fd(fd);
    memory = memory_get(DEVICE, SIZE);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
}

static void expect_untouched_state(void)
{
    CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
    CHECK(hf_pinned_total() <= (size_t)128 << 20);
}

static void expect_works(void)
{
    size_t before = hf_pinned_total();
    unsigned descriptors = count_descriptors();

    for (int i = 0; i < 3; i++) {
        fill(expected, SIZE, 0, 1);
        CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
        memory_read(DEVICE, got, memory, SIZE);
        CHECK_BYTES(got, expected, SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
        CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
        CHECK_BYTES(got, expected, SIZE);
    }
    CHECK(hf_pinned_total() == before || before == 0);
    CHECK_EQUAL(count_descriptors(), descriptors);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown); /* a success does not clear it */
}

/* The first call of its kind fails: nothing moved, and -5011 with the error. */
static void a_read_that_moves_nothing(void)
{
    prepare();
    errno = 4711;
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(errno, 4711);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown);
    expect_untouched_state();
    expect_works();
}

static void a_write_that_moves_nothing(void)
{
    prepare();
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown);
    fill(expected, SIZE, 0, 1);
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
    expect_untouched_state();
    expect_works();
}

/* The third chunk's copy fails: the first two count, the next request goes on from there. */
static void a_read_that_moves_a_part(void)
{
    prepare();
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), 2 * CHUNK);
    fill(expected, SIZE, 0, 1);
    memory_read(DEVICE, got, memory, 2 * CHUNK);
    CHECK_BYTES(got, expected, 2 * CHUNK);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE - 2 * CHUNK, 2 * CHUNK, 2 * CHUNK),
                SIZE - 2 * CHUNK);
    memory_read(DEVICE, got, memory, SIZE);
    CHECK_BYTES(got, expected, SIZE);
    expect_untouched_state();
}

static void a_write_that_moves_a_part(void)
{
    prepare();
    fill(expected, SIZE, 0, 3);
    memory_write(DEVICE, memory, expected, SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), 2 * CHUNK);
    fill(expected + 2 * CHUNK, SIZE - 2 * CHUNK, 2 * CHUNK, 1); /* and no byte behind it */
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
    expect_untouched_state();
}

/* One copy fails while several threads move chunks: a prefix, whichever it was. */
static void a_part_with_several_threads(void)
{
    ssize_t n;

    prepare();
    n = hipFileRead(handle, memory, SIZE, 0, 0);
    CHECK(n == -hipFileHipDriverError || (n > 0 && n < (ssize_t)SIZE && n % CHUNK == 0));
    if (n > 0) {
        fill(expected, SIZE, 0, 1);
        memory_read(DEVICE, got, memory, (size_t)n);
        CHECK_BYTES(got, expected, (size_t)n);
    }
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    expect_untouched_state();
}

/* ---- overlap ---- */

static struct hf_os_calls real_os;
static hipError_t (*real_wait)(hipEvent_t event);
static char sequence[32];

static void note(char what)
{
    size_t length = strlen(sequence);

    if (length < sizeof sequence - 1)
        sequence[length] = what;
}

static ssize_t noted_pread(int file, void *buffer, size_t size, off_t offset)
{
    note('r');
    return real_os.pread(file, buffer, size, offset);
}

static hipError_t noted_wait(hipEvent_t event)
{
    note('w');
    return real_wait(event);
}

/* While one chunk is copied, the next one is read: two reads before the first wait. */
static void chunks_overlap(void)
{
    prepare();
    real_os = hf_os;
    real_wait = hf_hip.hipEventSynchronize;
    hf_os.pread = noted_pread;
    hf_hip.hipEventSynchronize = noted_wait;
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(strcmp(sequence, "rrwrwrwrwrwrwrww"), 0);
}

/* ---- registration ---- */

static void registering_passes_hip_errors_on(void)
{
    hipFileError_t error;

    memory = memory_get(DEVICE, SIZE);
    error = hipFileBufRegister(memory, SIZE, 0);
    CHECK_EQUAL(error.err, hipFileHipDriverError);
    CHECK_EQUAL(error.hip_drv_err, hipErrorNotInitialized);
    CHECK_EQUAL(hipFileUseCount(), 1);
    CHECK_CODE(hipFileBufDeregister(memory), hipFileMemoryNotRegistered);
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    expect_untouched_state();
}

static void a_pointer_that_hip_refuses_is_no_hip_error(void)
{
    memory = memory_get(DEVICE, SIZE);
    CHECK_CODE(hipFileBufRegister(memory, SIZE, 0), hipFileInvalidValue);
    expect_untouched_state();
    CHECK_CODE(hipFileBufRegister((char *)memory + 100, 1, 0), hipFileInvalidValue);
    expect_untouched_state();
    handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileInvalidValue);
    expect_untouched_state();
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
}

/* ---- the caller's pending error, and errors of threads ---- */

static void a_pending_error_of_the_callers_stays(void)
{
    prepare();
    CHECK(hipSetDevice(99) != hipSuccess);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown);
    CHECK_EQUAL(hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, 100, 3, 0), 100);
    CHECK_OK(hipFileBufDeregister(memory));
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    CHECK_EQUAL(hipGetLastError(), hipErrorInvalidDevice);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
}

static void *expect_no_error(void *argument)
{
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipSuccess);
    return argument;
}

static void the_last_error_is_the_threads(void)
{
    pthread_t thread;

    prepare();
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), -hipFileHipDriverError);
    CHECK_EQUAL(pthread_create(&thread, NULL, expect_no_error, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown);
}

#define BOUNCE     "HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=256"
#define ALONE      "HIPFILE_PARALLEL_IO=0"
#define ENGINES    "HIPLITE_COPY_ENGINES=1" /* two buffers and their events, as on a GPU */
#define CPU_COPIES "HIPLITE_COPY_ENGINES=0" /* one buffer, and no event */

int main(void)
{
    static const char *const first_calls[] = {
        "hipHostMalloc",  "hipMemcpyAsync",          "hipStreamCreateWithPriority",
        "hipEventRecord", "hipEventCreateWithFlags", "hipEventSynchronize",
    };

    for (size_t i = 0; i < sizeof first_calls / sizeof first_calls[0]; i++) {
        char fault[128];

        snprintf(fault, sizeof fault, "HIPLITE_FAULT=%s@1=hipErrorUnknown", first_calls[i]);
        RUN(a_read_that_moves_nothing, BOUNCE, ALONE, ENGINES, fault, NULL);
        RUN(a_write_that_moves_nothing, BOUNCE, ALONE, ENGINES, fault, NULL);
    }
    RUN(a_read_that_moves_nothing, BOUNCE, ALONE,
        "HIPLITE_FAULT=hipEventCreateWithFlags@2=hipErrorUnknown", NULL);
    RUN(a_read_that_moves_a_part, BOUNCE, ALONE, ENGINES,
        "HIPLITE_FAULT=hipMemcpyAsync@3=hipErrorOutOfMemory", NULL);
    RUN(a_write_that_moves_a_part, BOUNCE, ALONE, ENGINES,
        "HIPLITE_FAULT=hipEventSynchronize@3=hipErrorOutOfMemory", NULL);
    RUN(a_read_that_moves_a_part, BOUNCE, ALONE,
        "HIPLITE_FAULT=hipMemcpyAsync@3=hipErrorOutOfMemory", NULL);
    RUN(a_read_that_moves_a_part, BOUNCE, ALONE, ENGINES,
        "HIPLITE_FAULT=hipEventSynchronize@3=hipErrorOutOfMemory", NULL);
    RUN(a_write_that_moves_a_part, BOUNCE, ALONE,
        "HIPLITE_FAULT=hipMemcpyAsync@3=hipErrorOutOfMemory", NULL);
    RUN(a_write_that_moves_a_part, BOUNCE, ALONE, ENGINES,
        "HIPLITE_FAULT=hipEventSynchronize@3=hipErrorOutOfMemory", NULL);
    RUN(a_read_that_moves_a_part, BOUNCE, ALONE, CPU_COPIES,
        "HIPLITE_FAULT=hipStreamSynchronize@3=hipErrorOutOfMemory", NULL);
    RUN(a_write_that_moves_a_part, BOUNCE, ALONE, CPU_COPIES,
        "HIPLITE_FAULT=hipStreamSynchronize@3=hipErrorOutOfMemory", NULL);
    RUN(a_part_with_several_threads, BOUNCE, "HIPFILE_MAX_IO_THREADS=4", ENGINES,
        "HIPLITE_FAULT=hipMemcpyAsync@4=hipErrorUnknown", NULL);
    RUN(a_part_with_several_threads, BOUNCE, "HIPFILE_MAX_IO_THREADS=4",
        "HIPLITE_FAULT=hipMemcpyAsync@4=hipErrorUnknown", NULL);
    RUN(chunks_overlap, BOUNCE, ALONE, ENGINES, NULL);
    RUN(registering_passes_hip_errors_on,
        "HIPLITE_FAULT=hipPointerGetAttributes@1=hipErrorNotInitialized", NULL);
    RUN(a_pointer_that_hip_refuses_is_no_hip_error,
        "HIPLITE_FAULT=hipPointerGetAttributes@1=hipErrorInvalidValue;"
        "hipMemGetAddressRange@1=hipErrorNotFound;hipPointerGetAttributes@3=hipErrorInvalidValue",
        NULL);
    RUN(a_pending_error_of_the_callers_stays, BOUNCE, ALONE,
        "HIPLITE_FAULT=hipMemcpyAsync@1=hipErrorUnknown", NULL);
    RUN(the_last_error_is_the_threads, BOUNCE, ALONE,
        "HIPLITE_FAULT=hipMemcpyAsync@1=hipErrorUnknown", NULL);
    return finish();
}
