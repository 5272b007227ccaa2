// SPDX-License-Identifier: MIT
//
// What other threads can do while streams are held: N streams each wait at a gate with a read
// behind it, and other work is tried. Prints for each N what completes and what waits until the
// gate opens. Fails if a synchronous hipFileRead, a copy or an allocation is held up, if hipFree
// does not return once the gate opens, or if a read brings wrong bytes.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "hipfile.h"

#define MOST     256
#define SLICE    65536u
#define LIMIT_MS 1500.0

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct operation {
    hipStream_t stream;
    size_t size;
    hoff_t file_offset, buffer_offset;
    ssize_t moved;
};

static struct operation operations[MOST];
static hipFileHandle_t handle;
static char *device, *other, *pinned, *expected;
static _Atomic uint64_t *gate;
static uint64_t opened;
static hipStream_t aside;
static void *to_free;

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool copy(void)
{
    return hipMemcpyAsync(other, pinned, SLICE, hipMemcpyHostToDevice, aside) == hipSuccess &&
           hipStreamSynchronize(aside) == hipSuccess;
}

static bool read_synchronously(void)
{
    return hipFileRead(handle, other, SLICE, 0, 0) == SLICE;
}

static bool allocate(void)
{
    return hipMalloc(&to_free, SLICE) == hipSuccess;
}

static bool allocate_pinned(void)
{
    static void *kept;

    return hipHostMalloc(&kept, SLICE, 0) == hipSuccess;
}

static bool create_stream(void)
{
    hipStream_t stream;

    return hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess;
}

static bool record_event(void)
{
    hipEvent_t event;

    return hipEventCreateWithFlags(&event, hipEventDisableTiming) == hipSuccess &&
           hipEventRecord(event, aside) == hipSuccess && hipEventSynchronize(event) == hipSuccess;
}

static bool query(void)
{
    hipPointerAttribute_t attributes;

    return hipPointerGetAttributes(&attributes, device) == hipSuccess;
}

static void nothing(void *unused)
{
    (void)unused;
}

static bool call_host_function(void)
{
    return hipLaunchHostFunc(aside, nothing, NULL) == hipSuccess &&
           hipStreamSynchronize(aside) == hipSuccess;
}

static bool fill(void)
{
    return hipMemsetAsync(other, 1, SLICE, aside) == hipSuccess &&
           hipStreamSynchronize(aside) == hipSuccess;
}

static bool free_memory(void)
{
    return hipFree(to_free) == hipSuccess;
}

struct attempt {
    const char *name;
    bool (*run)(void);
    bool may_wait; // until the gate opens
    pthread_t thread;
    atomic_int state; // 0 running, 1 done, -1 failed
    double ms;
};

static struct attempt attempts[] = {
    {.name = "copy", .run = copy},
    {.name = "hipFileRead", .run = read_synchronously},
    {.name = "hipMalloc", .run = allocate},
    {.name = "hipHostMalloc", .run = allocate_pinned},
    {.name = "stream", .run = create_stream},
    {.name = "event", .run = record_event},
    {.name = "attributes", .run = query},
    {.name = "host func", .run = call_host_function},
    {.name = "memset", .run = fill, .may_wait = true},
    {.name = "hipFree", .run = free_memory, .may_wait = true},
};
#define ATTEMPTS (sizeof attempts / sizeof attempts[0])

static void *try_it(void *argument)
{
    struct attempt *attempt = argument;
    double begin = now_ms();
    bool fine = attempt->run();

    attempt->ms = now_ms() - begin;
    attempt->state = fine ? 1 : -1;
    return NULL;
}

// One after the other; what does not return is left to wait. False: something waits that must not.
static bool try_all(void)
{
    bool fine = true;

    for (size_t i = 0; i < ATTEMPTS; i++) {
        struct attempt *attempt = &attempts[i];
        double begin = now_ms();

        attempt->state = 0;
        CHECK(pthread_create(&attempt->thread, NULL, try_it, attempt) == 0);
        while (attempt->state == 0 && now_ms() - begin < LIMIT_MS)
            usleep(200);
        if (attempt->state == 0) {
            printf("  %s: waits", attempt->name);
            fine = fine && attempt->may_wait;
        } else {
            printf("  %s: %.2f ms%s", attempt->name, attempt->ms,
                   attempt->state < 0 ? " FAILED" : "");
            fine = fine && attempt->state > 0;
        }
        fflush(stdout);
    }
    printf("\n");
    return fine;
}

static void submit(unsigned count)
{
    opened++;
    for (unsigned i = 0; i < count; i++) {
        struct operation *o = &operations[i];

        o->size = SLICE;
        o->file_offset = (hoff_t)i * SLICE;
        o->buffer_offset = (hoff_t)i * SLICE;
        CHECK(hipStreamWaitValue64(o->stream, (void *)gate, opened, hipStreamWaitValueGte,
                                   UINT64_MAX) == hipSuccess);
        CHECK(hipFileReadAsync(handle, device, &o->size, &o->file_offset, &o->buffer_offset,
                               &o->moved, o->stream)
                  .err == hipFileSuccess);
    }
}

static void open_gate_and_check(unsigned count)
{
    char *bytes = malloc((size_t)count * SLICE);

    atomic_store(gate, opened);
    for (unsigned i = 0; i < count; i++) {
        CHECK(hipStreamSynchronize(operations[i].stream) == hipSuccess);
        CHECK(operations[i].moved == SLICE);
    }
    for (size_t i = 0; i < ATTEMPTS; i++) {
        pthread_join(attempts[i].thread, NULL);
        CHECK(attempts[i].state == 1);
    }
    CHECK(hipMemcpy(bytes, device, (size_t)count * SLICE, hipMemcpyDeviceToHost) == hipSuccess);
    CHECK(memcmp(bytes, expected, (size_t)count * SLICE) == 0);
    free(bytes);
}

static void set_up(const char *path)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    size_t size = (size_t)MOST * SLICE;

    CHECK(fd >= 0);
    unlink(path);
    expected = malloc(size);
    for (size_t i = 0; i < size; i++)
        expected[i] = (char)(i * 2654435761u >> 9);
    CHECK(write(fd, expected, size) == (ssize_t)size);
    CHECK(hipMalloc((void **)&device, size) == hipSuccess);
    CHECK(hipMalloc((void **)&other, SLICE) == hipSuccess);
    CHECK(hipHostMalloc((void **)&pinned, SLICE, 0) == hipSuccess);
    CHECK(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory) == hipSuccess);
    atomic_store(gate, 0);
    CHECK(hipStreamCreateWithFlags(&aside, hipStreamNonBlocking) == hipSuccess);
    for (unsigned i = 0; i < MOST; i++)
        CHECK(hipStreamCreateWithFlags(&operations[i].stream, hipStreamNonBlocking) == hipSuccess);
    descr.handle.fd = fd;
    CHECK(hipFileHandleRegister(&handle, &descr).err == hipFileSuccess);
    CHECK(hipFileBufRegister(device, size, 0).err == hipFileSuccess);
    CHECK(fill() && copy() && read_synchronously()); // what is loaded when first used is loaded now
}

int main(int argc, char **argv)
{
    static const unsigned counts[] = {1, 2, 4, 8, 16, 32, 48, 63, 64, 128, 256};
    bool fine = true;

    set_up(argc > 1 ? argv[1] : "/var/tmp/hipfile-hazards.data");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        printf("%3u held:", counts[i]);
        submit(counts[i]);
        fine = try_all() && fine;
        open_gate_and_check(counts[i]);
    }
    printf("and now the process ends with 64 operations pending\n");
    fflush(stdout);
    submit(64);
    return fine ? 0 : 1;
}
