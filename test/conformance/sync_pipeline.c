// SPDX-License-Identifier: MIT
/* What moves beside what: edges and blocks, many callers and few buffers. */
#include <pthread.h>
#include <time.h>

#include <sync_test.h>

#define KIB     1024
#define MIB     (1024 * KIB)
#define SLOW_MS 300

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- edges ---- */

#define EDGED (4 * MIB)
#define LEAD  100 /* bytes of the first block that the request leaves out */

/* Two edges, and one piece of whole blocks, each of which takes SLOW_MS. */
static int64_t time_edged_request(bool reading)
{
    int fd = pattern_file(O_RDWR, 2 * EDGED, 3);
    hipFileHandle_t handle = register_fd(fd);
    char *memory = memory_get(DEVICE, 2 * EDGED);
    unsigned char *got = bytes_get(EDGED), *expected = bytes_get(EDGED);
    int64_t time = now_ms();

    if (reading)
        CHECK_EQUAL(hipFileRead(handle, memory, EDGED, LEAD, LEAD), EDGED);
    else
        CHECK_EQUAL(hipFileWrite(handle, memory, EDGED, LEAD, LEAD), EDGED);
    time = now_ms() - time;
    if (reading) {
        fill(expected, EDGED, LEAD, 3);
        memory_read(DEVICE, got, memory + LEAD, EDGED);
        CHECK_BYTES(got, expected, EDGED);
    }
    return time;
}

static void edges_of_reads_move_beside_the_blocks(void)
{
    CHECK(time_edged_request(true) < 3 * SLOW_MS);
}

static void edges_of_writes_do_not(void)
{
    CHECK(time_edged_request(false) >= 3 * SLOW_MS);
}

/* ---- callers ---- */

#define CALLERS 64
#define PIECE   (1 * MIB + 100)
#define ROUNDS  3

static hipFileHandle_t shared;
static char *device;

static void *write_and_read(void *argument)
{
    off_t at = (off_t)(intptr_t)argument * PIECE;
    unsigned char *bytes = bytes_get(PIECE), *got = bytes_get(PIECE);

    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(bytes, PIECE, (uint64_t)at, round);
        memory_write(DEVICE, device + at, bytes, PIECE);
        CHECK_EQUAL(hipFileWrite(shared, device, PIECE, at, at), PIECE);
        memset(got, 0, PIECE);
        memory_write(DEVICE, device + at, got, PIECE);
        CHECK_EQUAL(hipFileRead(shared, device, PIECE, at, at), PIECE);
        memory_read(DEVICE, got, device + at, PIECE);
        CHECK_BYTES(got, bytes, PIECE);
    }
    free(bytes);
    free(got);
    return NULL;
}

/* The pool has room for one buffer: callers and helpers take turns, and nobody waits for ever. */
static void many_callers_and_one_buffer(void)
{
    pthread_t threads[CALLERS];

    shared = register_fd(pattern_file(O_RDWR, CALLERS * PIECE, 1));
    device = memory_get(DEVICE, CALLERS * PIECE);
    for (intptr_t i = 0; i < CALLERS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, write_and_read, (void *)i), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
}

#define SLOW                                                                                       \
    "HIPLITE_FAULT=hipAmdFileRead@1+=delay:300ms;hipAmdFileWrite@1+=delay:300ms;"                  \
    "hipMemcpyAsync@1+=delay:300ms"
#define COMPAT "HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_MAX_IO_THREADS=4"
#define ONE    "HIPFILE_MAX_DEVICE_CACHE_SIZE_KB=256", "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=256"

int main(void)
{
    if (under_valgrind()) {
        printf("SKIP: not under valgrind: it has one thread run at a time\n");
        return 77;
    }
    RUN_ON_CPU("no direct path", edges_of_reads_move_beside_the_blocks, SLOW, NULL);
    RUN_ON_CPU("no direct path", edges_of_writes_do_not, SLOW, NULL);
    RUN(many_callers_and_one_buffer, COMPAT, ONE, NULL);
    RUN(many_callers_and_one_buffer, COMPAT, ONE, "HIPLITE_COPY_ENGINES=1", NULL);
    RUN(many_callers_and_one_buffer, COMPAT, ONE, "HIPFILE_FORCE_ODIRECT_MODE=1", NULL);
    return finish();
}
