// SPDX-License-Identifier: MIT
//
// Threads that cannot be had, workers that are busy, and a pool with a single buffer: every request
// completes all the same.
#include "sync_test.h"

#include <dlfcn.h>
#include <pthread.h>

#include "core/pool.h"
#include "hip/pinned.h"

#define SIZE    ((size_t)2 << 20)
#define THREADS 64

static atomic_bool no_threads;
static atomic_uint threads_refused;

/* Ours stands before the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (no_threads) {
        threads_refused++;
        return EAGAIN;
    }
    if (!real)
        real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

static hipFileHandle_t handle;

static void expect_transfer(void *memory, size_t size)
{
    unsigned char *got = bytes_get(size), *expected = bytes_get(size);

    fill(expected, size, 0, 1);
    CHECK_EQUAL(hipFileRead(handle, memory, size, 0, 0), size);
    memory_read(DEVICE, got, memory, size);
    CHECK_BYTES(got, expected, size);
    CHECK_EQUAL(hipFileWrite(handle, memory, size, 0, 0), size);
    free(got);
    free(expected);
}

static void without_a_thread_the_caller_does_the_work(void)
{
    void *memory = memory_get(DEVICE, SIZE);

    handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
    hipStreamSynchronize(NULL); /* whatever the runtime needs is there */
    hipFileRead(handle, memory, 4096, 0, 0);
    no_threads = true;
    for (int i = 0; i < 3; i++)
        expect_transfer(memory, SIZE);
    CHECK(threads_refused > 0);
    CHECK(hipSetDevice(99) != hipSuccess); /* a pending error wants a thread of its own */
    expect_transfer(memory, SIZE);
    CHECK_EQUAL(hipPeekAtLastError(), hipErrorInvalidDevice);
    no_threads = false;
    expect_transfer(memory, SIZE);
}

static atomic_bool gate_open;

static void hold(struct hf_task *task)
{
    (void)task;
    while (!gate_open)
        usleep(1000);
}

static void with_all_workers_busy_too(void)
{
    static struct hf_task busy[4] = {{hold, NULL}, {hold, NULL}, {hold, NULL}, {hold, NULL}};

    handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(hf_pool_submit(&busy[i]), 0);
    for (int i = 0; i < 3; i++)
        expect_transfer(memory_get(DEVICE, SIZE), SIZE);
    gate_open = true;
}

static void *transfer(void *memory)
{
    for (int i = 0; i < 4; i++)
        expect_transfer(memory, SIZE / 4);
    return NULL;
}

/* Each of them wants two buffers, and there is one. */
static void many_threads_and_one_buffer(void)
{
    pthread_t threads[THREADS];

    handle = register_fd(pattern_file(O_RDWR, SIZE, 1));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, transfer, memory_get(DEVICE, SIZE)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(hf_pinned_total(), 256 << 10);
}

#define BOUNCE "HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4"

int main(void)
{
    RUN(without_a_thread_the_caller_does_the_work, BOUNCE, NULL);
    RUN(without_a_thread_the_caller_does_the_work, "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", NULL);
    RUN(with_all_workers_busy_too, BOUNCE, "HIPFILE_MAX_IO_THREADS=4", NULL);
    RUN(with_all_workers_busy_too, "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_MAX_IO_THREADS=4",
        NULL);
    RUN(many_threads_and_one_buffer, BOUNCE, "HIPFILE_MAX_DEVICE_CACHE_SIZE_KB=256",
        "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=256", NULL);
    RUN(many_threads_and_one_buffer, BOUNCE, "HIPFILE_MAX_DEVICE_CACHE_SIZE_KB=256",
        "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=256", "HIPLITE_COPY_ENGINES=1", NULL);
    return finish();
}
