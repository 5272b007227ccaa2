// SPDX-License-Identifier: MIT
//
// Requests and device work: nothing is waited for that was queued elsewhere, what was read is there
// for what is queued next, and what was written is no longer needed.
#include "sync_test.h"

#include <pthread.h>

#define SIZE ((size_t)1 << 20)

static hipFileHandle_t handle;
static int fd;
static unsigned char expected[SIZE], got[SIZE];

static void prepare(void)
{
    fd = pattern_file(O_RDWR, SIZE, 1);
    handle = register_fd(fd);
    fill(expected, SIZE, 0, 1);
}

/* ---- held streams ---- */

#define STREAMS 6

static uint64_t *gate;
static hipStream_t streams[STREAMS];

/* Streams that wait for a value that nobody stores before open_gate. */
static void hold_streams(void)
{
    CHECK_HIP(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory));
    *gate = 0;
    for (int i = 0; i < STREAMS; i++) {
        CHECK_HIP(
            hipStreamCreateWithFlags(&streams[i], i % 2 ? hipStreamNonBlocking : hipStreamDefault));
        CHECK_HIP(hipStreamWaitValue64(streams[i], gate, 1, hipStreamWaitValueGte, UINT64_MAX));
    }
}

static void open_gate(void)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < STREAMS; i++)
        CHECK_HIP(hipStreamSynchronize(streams[i]));
}

/* Streams of the default priority, more than it has queues. */
static void requests_wait_for_no_stream(void)
{
    void *memory[KINDS];

    prepare();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        memory[kind] = memory_get(kind, SIZE);
        CHECK_OK(hipFileBufRegister(memory[kind], SIZE, 0));
    }
    hold_streams();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        CHECK_EQUAL(hipFileRead(handle, memory[kind], SIZE, 0, 0), SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory[kind], SIZE, 0, 0), SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory[kind], 100, 1, 1), 100);
    }
    open_gate();
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
}

/* ---- what is queued afterwards ---- */

static void what_was_read_is_there_for_any_stream(void)
{
    void *memory = memory_get(DEVICE, SIZE), *other = memory_get(DEVICE, SIZE);
    hipStream_t stream, blocking;

    prepare();
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreate(&blocking));
    for (int round = 0; round < 20; round++) {
        hipStream_t uses = round % 3 == 0 ? NULL : round % 3 == 1 ? stream : blocking;

        CHECK_HIP(hipMemset(memory, 0, SIZE));
        CHECK_HIP(hipStreamSynchronize(NULL));
        CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
        CHECK_HIP(hipMemcpyAsync(other, memory, SIZE, hipMemcpyDeviceToDevice, uses));
        CHECK_HIP(hipMemcpyAsync(got, other, SIZE, hipMemcpyDeviceToHost, uses));
        CHECK_HIP(hipStreamSynchronize(uses));
        CHECK_BYTES(got, expected, SIZE);
    }
}

/* When a write has returned, the memory may change. */
static void what_was_written_is_no_longer_needed(void)
{
    void *memory = memory_get(DEVICE, SIZE);

    prepare();
    for (unsigned round = 2; round < 12; round++) {
        fill(expected, SIZE, 0, round);
        memory_write(DEVICE, memory, expected, SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
        CHECK_HIP(hipMemset(memory, 0xee, SIZE));
        CHECK_HIP(hipStreamSynchronize(NULL));
        CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
        CHECK_BYTES(got, expected, SIZE);
    }
}

static void wait_a_while(void *argument)
{
    sleep(runs_slowly() ? 3 : 0);
    usleep(200000);
    atomic_store((atomic_int *)argument, 1);
}

/* Without the setting a request does not see what the default stream will do; with it, it does. */
static void by_default_the_default_stream_is_not_waited_for(void)
{
    static atomic_int done;
    void *memory = memory_get(DEVICE, SIZE);

    prepare();
    CHECK_HIP(hipMemset(memory, 0, SIZE));
    CHECK_HIP(hipStreamSynchronize(NULL));
    CHECK_HIP(hipLaunchHostFunc(NULL, wait_a_while, &done));
    CHECK_HIP(hipMemsetAsync(memory, 0x77, SIZE, NULL));
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(done, 0);
    CHECK_EQUAL(pread(fd, got, 1, 0), 1);
    CHECK_EQUAL(got[0], 0);
    CHECK_HIP(hipStreamSynchronize(NULL));
}

static void by_a_setting_it_is(void)
{
    static atomic_int done;
    void *memory = memory_get(DEVICE, SIZE);

    prepare();
    CHECK_HIP(hipMemset(memory, 0, SIZE));
    CHECK_HIP(hipStreamSynchronize(NULL));
    CHECK_HIP(hipLaunchHostFunc(NULL, wait_a_while, &done));
    CHECK_HIP(hipMemsetAsync(memory, 0x77, SIZE, NULL));
    CHECK_EQUAL(hipFileWrite(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(done, 1);
    memset(expected, 0x77, SIZE);
    CHECK_EQUAL(pread(fd, got, SIZE, 0), SIZE);
    CHECK_BYTES(got, expected, SIZE);
    CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
}

#define COMPAT "HIPFILE_FORCE_COMPAT_MODE=1"

int main(void)
{
    RUN(requests_wait_for_no_stream, NULL);
    RUN(requests_wait_for_no_stream, COMPAT, NULL);
    RUN(what_was_read_is_there_for_any_stream, NULL);
    RUN(what_was_read_is_there_for_any_stream, COMPAT, NULL);
    RUN(what_was_written_is_no_longer_needed, NULL);
    RUN(what_was_written_is_no_longer_needed, COMPAT, NULL);
    RUN(by_default_the_default_stream_is_not_waited_for, NULL);
    RUN(by_default_the_default_stream_is_not_waited_for, COMPAT, NULL);
    RUN(by_a_setting_it_is, "HIPFILE_ORDER_DEFAULT_STREAM=1", NULL);
    RUN(by_a_setting_it_is, "HIPFILE_ORDER_DEFAULT_STREAM=1", COMPAT, NULL);
    return finish();
}
