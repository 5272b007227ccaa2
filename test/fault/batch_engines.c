// SPDX-License-Identifier: MIT
/*
 * What goes wrong below a batch never shows in its results: no io_uring, no threads, few pinned
 * buffers, a driver that refuses, copies that fail once, a descriptor that changes its mode.
 */
#include <batch_test.h>
#include <in_child.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define KB      1024
#define ENTRIES 96
#define SLOT    (16 * KB)
#define SIZE    (ENTRIES * SLOT)

static hipFileHandle_t file;
static hipFileBatchHandle_t batch;

/* ---- what every case does -------------------------------------------------------------------- */

enum kind { HOST, DEVICE };

static char *make_memory(enum kind kind)
{
    void *memory;

    if (kind == DEVICE) {
        CHECK_HIP(hipMalloc(&memory, SIZE));
        CHECK_HIP(hipMemset(memory, 0, SIZE));
        CHECK_HIP(hipDeviceSynchronize());
    } else {
        CHECK((memory = aligned_alloc(4 * KB, SIZE)) != NULL);
        memset(memory, 0, SIZE);
    }
    CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
    return memory;
}

static void open_all(int flags)
{
    file = register_file(make_file(SIZE, flags));
    CHECK_OK(hipFileBatchIOSetUp(&batch, ENTRIES));
}

/* lead: the ranges begin so many bytes behind a block. */
static void submit(hipFileOpcode_t opcode, char *memory, size_t lead, size_t size)
{
    hipFileIOParams_t entries[ENTRIES];

    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = entry_of(file, opcode, memory, (int64_t)(i * SLOT + lead), size,
                              (int64_t)(i * SLOT + lead), (void *)i);
    CHECK_OK(hipFileBatchIOSubmit(batch, ENTRIES, entries, 0));
}

/* Collects all; each is to have this status and result. */
static void collect(hipFileStatus_t status, ssize_t result)
{
    for (int i = 0; i < ENTRIES; i++) {
        hipFileIOEvents_t event = one_event(batch);

        CHECK_EQUAL(event.status, status);
        CHECK_EQUAL((ssize_t)event.ret, result);
    }
}

static void check_bytes(const char *memory, size_t lead, size_t size)
{
    unsigned char *bytes = malloc(SIZE);

    CHECK_HIP(hipMemcpy(bytes, memory, SIZE, hipMemcpyDefault));
    for (size_t i = 0; i < SIZE; i++) {
        bool read = i % SLOT >= lead && i % SLOT < lead + size;

        if (bytes[i] != (read ? pattern(i, 0) : 0))
            die(__FILE__, __LINE__, "byte %zu is %u", i, bytes[i]);
    }
    free(bytes);
}

static void read_and_check(enum kind kind, size_t lead, size_t size)
{
    char *memory = make_memory(kind);

    submit(hipFileBatchRead, memory, lead, size);
    collect(hipFileComplete, (ssize_t)size);
    check_bytes(memory, lead, size);
}

/* From now on the process's system calls of these kinds fail. */
static void forbid(const int *calls, unsigned count, int error)
{
    struct sock_filter filter[16];
    struct sock_fprog program = {.filter = filter};
    unsigned n = 0;

    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < count; i++) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = (unsigned short)n;
    CHECK_EQUAL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

/* ---- cases, each in a process of its own ----------------------------------------------------- */

static void no_io_uring(void *error)
{
    int calls[] = {SYS_io_uring_setup};

    setenv("HIPFILE_LOGGING_LEVEL", "NOTICE", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1);
    forbid(calls, 1, *(int *)error);
    open_all(0);
    read_and_check(HOST, 100, 5000);
    read_and_check(DEVICE, 100, 5000);
}

static void no_threads(void *unused)
{
    int calls[] = {SYS_clone, SYS_clone3};

    (void)unused;
    CHECK_HIP(hipInit(0));
    open_all(0);
    forbid(calls, 2, EAGAIN);
    read_and_check(HOST, 0, SLOT);
    read_and_check(HOST, 100, 5000);
}

/* pinned: KiB of all buffers together, each of 256. With 256 the ring gets none; with 512 one,
   which is fewer places than there are entries. */
static void few_buffers(void *pinned)
{
    setenv("HIPFILE_MAX_DEVICE_CACHE_SIZE_KB", pinned, 1);
    setenv("HIPFILE_PER_BUFFER_CACHE_SIZE_KB", "256", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1);
    open_all(O_DIRECT);
    for (int i = 0; i < 3; i++) {
        char *memory = make_memory(DEVICE);

        submit(hipFileBatchRead, memory, 4 * KB, 8 * KB);
        collect(hipFileComplete, 8 * KB);
        check_bytes(memory, 4 * KB, 8 * KB);
        submit(hipFileBatchWrite, memory, 4 * KB, 8 * KB);
        collect(hipFileComplete, 8 * KB);
    }
    read_and_check(DEVICE, 0, SLOT);
}

static void driver_refuses(void *error)
{
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};
    char fault[64];

    snprintf(fault, sizeof fault, "hipAmdFileRead@1=%s", (char *)error);
    setenv("HIPLITE_FAULT", fault, 1);
    setenv("HIPFILE_UNSUPPORTED_FILE_SYSTEMS", "true", 1);
    open_all(O_DIRECT);
    read_and_check(DEVICE, 0, SLOT);
    CHECK_OK(hipFileExtGetHandleInfo(file, &info));
    CHECK(info.requests[hipFileExtReasonRefused] > 0);
    CHECK_EQUAL(info.bytes_read[hipFileExtPathDirect] + info.bytes_read[hipFileExtPathBounce],
                SIZE);
}

/* A copy that fails once costs its own entry at most (in the ring not even that: a worker makes it
   again). */
static void one_copy_fails(void *unused)
{
    unsigned failed = 0;
    char *memory;

    (void)unused;
    setenv("HIPLITE_FAULT", "hipMemcpyAsync@3=hipErrorUnknown", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1);
    open_all(O_DIRECT);
    memory = make_memory(DEVICE);
    submit(hipFileBatchRead, memory, 100, 5000);
    for (int i = 0; i < ENTRIES; i++) {
        hipFileIOEvents_t event = one_event(batch);

        failed += event.status == hipFileFailed;
        CHECK_EQUAL((ssize_t)event.ret,
                    event.status == hipFileFailed ? -hipFileHipDriverError : 5000);
    }
    CHECK(failed <= 1);
    if (failed == 0)
        check_bytes(memory, 100, 5000);
}

static void every_copy_fails(void *unused)
{
    char *memory;

    (void)unused;
    setenv("HIPLITE_FAULT", "hipMemcpyAsync@1+=hipErrorUnknown", 1);
    setenv("HIPFILE_FORCE_COMPAT_MODE", "true", 1);
    open_all(O_DIRECT);
    memory = make_memory(DEVICE);
    submit(hipFileBatchRead, memory, 0, 4 * KB);
    collect(hipFileFailed, -hipFileHipDriverError);
    CHECK_EQUAL(hipFileExtGetLastHipError(), hipErrorUnknown);
    submit(hipFileBatchWrite, memory, 0, 4 * KB);
    collect(hipFileFailed, -hipFileHipDriverError);
    read_and_check(HOST, 0, 4 * KB);
}

/* The caller switches O_DIRECT on, and the ring's reads are not aligned for it. */
static void mode_changes(void *unused)
{
    hipFileHandle_t handle;
    int fd = make_file(SIZE, 0);

    (void)unused;
    handle = register_file(fd);
    file = handle;
    CHECK_OK(hipFileBatchIOSetUp(&batch, ENTRIES));
    read_and_check(HOST, 100, 5000);
    if (fcntl(fd, F_SETFL, O_DIRECT) != 0)
        _exit(77);
    read_and_check(HOST, 100, 5000);
    read_and_check(DEVICE, 100, 5000);
    CHECK_EQUAL(fcntl(fd, F_SETFL, 0), 0);
    read_and_check(HOST, 100, 5000);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void run(const char *name, void (*body)(void *), void *argument)
{
    int status = in_child(body, argument);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        printf("SKIP: %s: the system does not allow it\n", name);
        return;
    }
    if (status != 0) {
        fprintf(stderr, "%s: status %#x\n%s", name, (unsigned)status, child_stderr);
        exit(1);
    }
}

static unsigned lines_with(const char *text)
{
    unsigned count = 0;

    for (const char *at = child_stderr; (at = strstr(at, text)); at++)
        count++;
    return count;
}

int main(void)
{
    int eperm = EPERM, enosys = ENOSYS;

    run("io_uring forbidden", no_io_uring, &eperm);
    CHECK_EQUAL(lines_with("there is no io_uring"), 1);
    run("io_uring missing", no_io_uring, &enosys);
    CHECK_EQUAL(lines_with("there is no io_uring"), 1);
    run("no threads", no_threads, NULL);
    run("one buffer", few_buffers, "256");
    run("two buffers", few_buffers, "512");
    run("ENODEV", driver_refuses, "ENODEV");
    run("EREMOTEIO", driver_refuses, "EREMOTEIO");
    run("one copy", one_copy_fails, NULL);
    run("every copy", every_copy_fails, NULL);
    run("mode", mode_changes, NULL);
    return 0;
}
