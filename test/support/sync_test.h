// SPDX-License-Identifier: MIT
/*
 * What the programs that test synchronous I/O share. They need libc and the two libraries, and say
 * what went wrong by file, line and value.
 *
 * Each test runs in a child of its own with the environment that it names, since settings and
 * runtime load once a process:
 *
 *     static void reads(void) { ... CHECK(...); }
 *     int main(void) { RUN(reads, "HIPFILE_FORCE_COMPAT_MODE=1", NULL); return finish(); }
 */
#ifndef SYNC_TEST_H
#define SYNC_TEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>
#include <hipfile.h>
#include <hipfile_ext.h>
#include <ours.h>

/* ---- checks ---- */

__attribute__((format(printf, 3, 4), noreturn)) static inline void
fail_at(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(1);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_at(__FILE__, __LINE__, "not true: %s", #condition);                               \
    } while (0)

#define CHECK_EQUAL(got, expected)                                                                 \
    do {                                                                                           \
        long long got_ = (long long)(got), expected_ = (long long)(expected);                      \
        if (got_ != expected_)                                                                     \
            fail_at(__FILE__, __LINE__, "%s is %lld, not %s (%lld)", #got, got_, #expected,        \
                    expected_);                                                                    \
    } while (0)

#define CHECK_HIP(call) CHECK_EQUAL(call, hipSuccess)

/* The call's code; the HIP error is success unless the code says that HIP failed. */
#define CHECK_CODE(call, code)                                                                     \
    do {                                                                                           \
        hipFileError_t error_ = (call);                                                            \
        if (error_.err != (code))                                                                  \
            fail_at(__FILE__, __LINE__, "%s: %d, not %s", #call, (int)error_.err, #code);          \
        if ((code) != hipFileHipDriverError && error_.hip_drv_err != hipSuccess)                   \
            fail_at(__FILE__, __LINE__, "%s: HIP error %d beside %s", #call,                       \
                    (int)error_.hip_drv_err, #code);                                               \
    } while (0)

#define CHECK_OK(call) CHECK_CODE(call, hipFileSuccess)

/* -1 with this errno. */
#define CHECK_ERRNO(call, expected)                                                                \
    do {                                                                                           \
        ssize_t result_;                                                                           \
        errno = 0;                                                                                 \
        result_ = (call);                                                                          \
        if (result_ != -1 || errno != (expected))                                                  \
            fail_at(__FILE__, __LINE__, "%s: %zd with errno %d, not -1 with %s", #call, result_,   \
                    errno, #expected);                                                             \
    } while (0)

/* ---- children ---- */

static unsigned passed_tests, failed_tests, skipped_tests;

/* Ends the test; the reason goes to the list of what was left out. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void skip_test(const char *format,
                                                                             ...)
{
    va_list arguments;

    printf("SKIP: ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    _exit(77);
}

/* Runs the body in a child with these NAME=VALUE settings, NULL at the end; its wait status. */
static inline int in_child(void (*body)(void), const char *const *environment)
{
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        setenv("HIPFILE_ENV_PATH_JSON", "", 1);
        setenv("HIPFILE_LOGGING_LEVEL", "ERROR", 0);
        for (; environment && *environment; environment++)
            putenv((char *)(uintptr_t)*environment);
        alarm(on_gpu() ? 60 : 280);
        body();
        fflush(NULL);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    return status;
}

static inline void run_test(const char *name, void (*body)(void), const char *const *environment)
{
    int status = in_child(body, environment);
    bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == 77;

    if (status == 0 || skipped) {
        *(status == 0 ? &passed_tests : &skipped_tests) += 1;
        return;
    }
    failed_tests++;
    fprintf(stderr, "FAILED: %s", name);
    for (; environment && *environment; environment++)
        fprintf(stderr, " %s", *environment);
    if (WIFSIGNALED(status))
        fprintf(stderr, ": signal %d", WTERMSIG(status));
    fprintf(stderr, "\n");
}

/* RUN(body, "NAME=VALUE", ..., NULL) or RUN(body, NULL). */
#define RUN(body, ...) run_test(#body, body, (const char *const[]){__VA_ARGS__})

/* One that only the CPU device can show. */
#define RUN_ON_CPU(why, ...)                                                                       \
    do {                                                                                           \
        if (on_gpu())                                                                              \
            printf("SKIP: on a GPU: %s\n", why);                                                   \
        else                                                                                       \
            RUN(__VA_ARGS__);                                                                      \
    } while (0)

/* What main returns. The reasons for skips have been printed; the program counts as skipped if
   nothing of it ran. */
static inline int finish(void)
{
    if (failed_tests)
        fprintf(stderr, "%u failed\n", failed_tests);
    return failed_tests ? 1 : passed_tests || !skipped_tests ? 0 : 77;
}

/* ---- bytes ---- */

static inline unsigned char pattern(uint64_t i, unsigned seed)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0x2545f4914f6cdd1du;

    return (unsigned char)(x >> 56);
}

static inline void fill(void *bytes, size_t size, uint64_t from, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = pattern(from + i, seed);
}

/* The first byte that is not as expected, or size. */
static inline size_t first_difference(const void *a, const void *b, size_t size)
{
    size_t i = 0;

    if (memcmp(a, b, size) == 0)
        return size;
    while (((const char *)a)[i] == ((const char *)b)[i])
        i++;
    return i;
}

#define CHECK_BYTES(got, expected, size)                                                           \
    do {                                                                                           \
        size_t size_ = (size), at_ = first_difference(got, expected, size_);                       \
        if (at_ < size_)                                                                           \
            fail_at(__FILE__, __LINE__, "%s differs from %s at byte %zu of %zu: %02x, not %02x",   \
                    #got, #expected, at_, size_, ((const unsigned char *)(got))[at_],              \
                    ((const unsigned char *)(expected))[at_]);                                     \
    } while (0)

/* ---- memory ---- */

/* What a test allocates is never given back, since its process soon ends; this list keeps it from
   being taken for lost. */
struct kept {
    struct kept *next;
    void *memory;
};
static _Atomic(struct kept *) kept_memory;

static inline void *keep(void *memory)
{
    struct kept *kept = malloc(sizeof *kept);

    CHECK(memory && kept);
    kept->memory = memory;
    kept->next = kept_memory;
    while (!atomic_compare_exchange_weak(&kept_memory, &kept->next, kept))
        ;
    return memory;
}

static inline void *bytes_get(size_t size)
{
    return keep(calloc(1, size));
}

enum kind { DEVICE, MANAGED, PINNED, PAGEABLE, KINDS };
static const char *const kind_names[] = {"device", "managed", "pinned", "pageable"};

static inline void *memory_get(enum kind kind, size_t size)
{
    void *memory = NULL;

    switch (kind) {
    case DEVICE:
        CHECK_HIP(hipMalloc(&memory, size));
        break;
    case MANAGED:
        CHECK_HIP(hipMallocManaged(&memory, size, hipMemAttachGlobal));
        break;
    case PINNED:
        CHECK_HIP(hipHostMalloc(&memory, size, hipHostMallocDefault));
        break;
    default:
        CHECK_EQUAL(posix_memalign(&memory, 4096, size), 0);
        keep(memory);
    }
    return memory;
}

static inline void memory_free(enum kind kind, void *memory)
{
    if (kind == PAGEABLE)
        free(memory);
    else if (kind == PINNED)
        CHECK_HIP(hipHostFree(memory));
    else
        CHECK_HIP(hipFree(memory));
}

static inline void memory_write(enum kind kind, void *memory, const void *from, size_t size)
{
    if (kind == DEVICE)
        CHECK_HIP(hipMemcpy(memory, from, size, hipMemcpyHostToDevice));
    else
        memcpy(memory, from, size);
}

static inline void memory_read(enum kind kind, void *to, const void *memory, size_t size)
{
    if (kind == DEVICE)
        CHECK_HIP(hipMemcpy(to, memory, size, hipMemcpyDeviceToHost));
    else
        memcpy(to, memory, size);
}

/* Whether the runtime does what requests will have it do. A test calls it before it takes away what
   the runtime of a GPU needs to start, and again after that. */
static inline bool runtime_works(void)
{
    void *device, *pinned, *managed;
    hipStream_t stream;
    int least, greatest;

    return hipMalloc(&device, 4096) == hipSuccess &&
           hipHostMalloc(&pinned, 4096, hipHostMallocDefault) == hipSuccess &&
           hipMallocManaged(&managed, 4096, hipMemAttachGlobal) == hipSuccess &&
           hipDeviceGetStreamPriorityRange(&least, &greatest) == hipSuccess &&
           hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest) == hipSuccess &&
           hipMemcpyAsync(device, pinned, 4096, hipMemcpyHostToDevice, stream) == hipSuccess &&
           hipMemcpyAsync(pinned, device, 4096, hipMemcpyDeviceToHost, stream) == hipSuccess &&
           hipStreamSynchronize(stream) == hipSuccess &&
           hipMemcpy(pinned, device, 4096, hipMemcpyDeviceToHost) == hipSuccess;
}

/* ---- files ---- */

/* Where tests make files: the folder named by HIPFILE_TEST_DIR. */
static inline const char *test_folder(void)
{
    const char *folder = getenv("HIPFILE_TEST_DIR");

    return folder && *folder ? folder : "/var/tmp";
}

/* A new file with these flags, unlinked; `path` may take its name in /proc. */
static inline int new_file(int flags)
{
    char path[512];
    int plain, fd;

    snprintf(path, sizeof path, "%s/hipfile_sync_XXXXXX", test_folder());
    plain = mkstemp(path);
    if (plain < 0)
        fail_at(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
    fd = open(path, flags | O_CLOEXEC);
    unlink(path);
    close(plain);
    if (fd < 0 && errno == EINVAL && (flags & O_DIRECT))
        skip_test("%s: no O_DIRECT", test_folder());
    CHECK(fd >= 0);
    return fd;
}

/* The same file, opened anew. */
static inline int open_again(int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

/* Makes the file these bytes: fill(..., seed), from 0 to size. */
static inline void write_pattern(int fd, size_t size, unsigned seed)
{
    int plain = open_again(fd, O_WRONLY);
    char *bytes = malloc(size + 1);

    CHECK(plain >= 0 && bytes);
    fill(bytes, size, 0, seed);
    CHECK_EQUAL(pwrite(plain, bytes, size, 0), size);
    CHECK_EQUAL(ftruncate(plain, (off_t)size), 0);
    close(plain);
    free(bytes);
}

static inline int pattern_file(int flags, size_t size, unsigned seed)
{
    int fd = new_file(flags);

    write_pattern(fd, size, seed);
    return fd;
}

static inline off_t file_size(int fd)
{
    struct stat st;

    CHECK_EQUAL(fstat(fd, &st), 0);
    return st.st_size;
}

static inline hipFileHandle_t register_fd(int fd)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = fd};
    hipFileHandle_t handle = NULL;

    CHECK_OK(hipFileHandleRegister(&handle, &descr));
    CHECK(handle != NULL);
    return handle;
}

static inline hipFileError_t try_register(int fd)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD, .handle.fd = fd};
    hipFileHandle_t handle = NULL;
    hipFileError_t error = hipFileHandleRegister(&handle, &descr);

    if (error.err != hipFileSuccess && handle)
        fail_at(__FILE__, __LINE__, "a handle was written beside error %d", (int)error.err);
    return error;
}

static inline unsigned count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    unsigned count = 0;

    CHECK(folder != NULL);
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.' && descriptor_may_be_ours(atoi(entry->d_name));
    closedir(folder);
    return count;
}

/* A small generator whose sequence a seed fixes. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
