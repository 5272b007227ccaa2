// SPDX-License-Identifier: MIT
/*
 * What the tests of operations in streams share. A program is run once for each way and path, with
 * the two names as its arguments:
 *
 *     wait     the stream waits for a value     direct   hipAmdFileRead and hipAmdFileWrite
 *     bypass   a host function waits            bounce   through pinned buffers
 *                                               host     memory that the CPU can address
 */
#ifndef ASYNC_TEST_H
#define ASYNC_TEST_H

#include <batch_test.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static struct {
    bool bypass;
    bool host; /* the buffers are pinned memory */
    bool direct;
} mode;

/* The first thing in main: the libraries read the environment once. */
static inline void set_mode(int argc, char **argv)
{
    alarm(120); /* what hangs is named by ctest as killed, and leaves a core */
    CHECK(argc == 3);
    mode.bypass = strcmp(argv[1], "bypass") == 0;
    mode.host = strcmp(argv[2], "host") == 0;
    mode.direct = strcmp(argv[2], "direct") == 0;
    setenv("HIPFILE_STREAM_MEMOPS_BYPASS", mode.bypass ? "true" : "false", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", mode.direct ? "false" : "true", 1);
    setenv("HIPFILE_UNSUPPORTED_FILE_SYSTEMS", "true", 1);
    setenv("HIPFILE_MAX_IO_THREADS", "4", 0);
}

/* --- Cases: each in a child of its own, so that one that hangs is named and stops no other -----
 */

static const char *case_name;
static int failed_cases;

static void tell_where_it_hangs(int number)
{
    void *frames[40];
    int count = backtrace(frames, 40);

    (void)number;
    fprintf(stderr, "hangs: %s\n", case_name);
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
    _exit(1);
}

/* True in the child, which ends with exit(0). The parent must not have used HIP. */
static inline bool in_case(const char *name)
{
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        case_name = name;
        fprintf(stderr, "%s\n", name);
        signal(SIGALRM, tell_where_it_hangs);
        alarm(on_gpu() ? 20 : 240);
        return true;
    }
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    if (status) {
        fprintf(stderr, "FAILED: %s: status %#x\n", name, (unsigned)status);
        failed_cases++;
    }
    return false;
}

/* --- Buffers: of the mode's kind, read and written from the outside ------------------------- */

static inline void *make_buffer(size_t size)
{
    void *buffer = NULL;

    if (mode.host)
        CHECK_HIP(hipHostMalloc(&buffer, size, hipHostMallocDefault));
    else
        CHECK_HIP(hipMalloc(&buffer, size));
    return buffer;
}

static inline void free_buffer(void *buffer)
{
    CHECK_HIP(mode.host ? hipHostFree(buffer) : hipFree(buffer));
}

static inline void fill_buffer(void *buffer, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size);

    CHECK(bytes);
    memset(bytes, value, size);
    CHECK_HIP(hipMemcpy(buffer, bytes, size, hipMemcpyDefault));
    free(bytes);
}

/* Byte i of the range is pattern(from + i, seed). */
static inline void pattern_buffer(void *buffer, size_t offset, size_t size, uint64_t from,
                                  unsigned seed)
{
    unsigned char *bytes = malloc(size + 1);

    CHECK(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(from + i, seed);
    CHECK_HIP(hipMemcpy((char *)buffer + offset, bytes, size, hipMemcpyDefault));
    free(bytes);
}

static inline bool is_pattern(const unsigned char *bytes, size_t size, uint64_t from, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != pattern(from + i, seed))
            return false;
    return true;
}

static inline bool is_value(const unsigned char *bytes, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static inline bool buffer_is_pattern(const void *buffer, size_t offset, size_t size, uint64_t from,
                                     unsigned seed)
{
    unsigned char *bytes = malloc(size + 1);
    bool is;

    CHECK(bytes);
    CHECK_HIP(hipMemcpy(bytes, (const char *)buffer + offset, size, hipMemcpyDefault));
    is = is_pattern(bytes, size, from, seed);
    free(bytes);
    return is;
}

static inline bool buffer_is(const void *buffer, size_t offset, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size + 1);
    bool is;

    CHECK(bytes);
    CHECK_HIP(hipMemcpy(bytes, (const char *)buffer + offset, size, hipMemcpyDefault));
    is = is_value(bytes, size, value);
    free(bytes);
    return is;
}

/* pread through aligned memory: the descriptor may be an O_DIRECT one. */
static inline void read_file(int fd, unsigned char *bytes, size_t size, off_t offset)
{
    off_t start = offset / 4096 * 4096;
    size_t lead = (size_t)(offset - start), blocks = (lead + size + 4095) / 4096 * 4096;
    unsigned char *aligned = aligned_alloc(4096, blocks + 4096);

    CHECK(aligned);
    CHECK(pread(fd, aligned, blocks, start) >= (ssize_t)(lead + size));
    memcpy(bytes, aligned + lead, size);
    free(aligned);
}

static inline bool file_is_pattern(int fd, size_t size, off_t offset, uint64_t from, unsigned seed)
{
    unsigned char *bytes = malloc(size + 1);
    bool is;

    CHECK(bytes);
    read_file(fd, bytes, size, offset);
    is = is_pattern(bytes, size, from, seed);
    free(bytes);
    return is;
}

/* --- Streams ------------------------------------------------------------------------------- */

static inline hipStream_t make_stream(void)
{
    hipStream_t stream;

    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
}

/* A gate holds a stream where it stands, until it is opened, without a thread of the runtime. */
struct gate {
    uint64_t *word;
    uint64_t value;
};

static inline struct gate make_gate(void)
{
    struct gate gate = {0};

    CHECK_HIP(hipExtMallocWithFlags((void **)&gate.word, 8, hipMallocSignalMemory));
    atomic_store((_Atomic uint64_t *)gate.word, 0);
    return gate;
}

struct held {
    _Atomic uint64_t *word;
    uint64_t value;
};

static void hold_until_open(void *argument)
{
    struct held *held = argument;

    while (atomic_load(held->word) < held->value)
        usleep(100);
    free(held);
}

/* The stream stands still until the gate has the value. Not by a wait for it on a GPU: NVIDIA's
   driver lets copies of other streams stand still behind such a wait (docs/contract.md). */
static inline void hold_stream(const struct gate *gate, uint64_t value, hipStream_t stream)
{
    struct held *held;

    if (!on_gpu()) {
        CHECK_HIP(
            hipStreamWaitValue64(stream, gate->word, value, hipStreamWaitValueGte, UINT64_MAX));
        return;
    }
    held = malloc(sizeof *held);
    CHECK(held);
    held->word = (_Atomic uint64_t *)gate->word;
    held->value = value;
    CHECK_HIP(hipLaunchHostFunc(stream, hold_until_open, held));
}

static inline void close_gate(struct gate *gate, hipStream_t stream)
{
    hold_stream(gate, ++gate->value, stream);
}

static inline void open_gate(struct gate *gate)
{
    atomic_store((_Atomic uint64_t *)gate->word, gate->value);
}

/* --- Operations ---------------------------------------------------------------------------- */

struct operation {
    size_t size;
    hoff_t file_offset, buffer_offset;
    ssize_t bytes;
};

static inline struct operation operation_of(size_t size, hoff_t file_offset, hoff_t buffer_offset)
{
    return (struct operation){size, file_offset, buffer_offset, -77};
}

static inline hipFileError_t submit(bool write, hipFileHandle_t file, void *buffer,
                                    struct operation *operation, hipStream_t stream)
{
    return (write ? hipFileWriteAsync
                  : hipFileReadAsync)(file, buffer, &operation->size, &operation->file_offset,
                                      &operation->buffer_offset, &operation->bytes, stream);
}

#define CHECK_READ(file, buffer, operation, stream)                                                \
    CHECK_OK(submit(false, file, buffer, operation, stream))
#define CHECK_WRITE(file, buffer, operation, stream)                                               \
    CHECK_OK(submit(true, file, buffer, operation, stream))

#define CHECK_SYNC(stream) CHECK_HIP(hipStreamSynchronize(stream))

#endif
