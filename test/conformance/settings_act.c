// SPDX-License-Identifier: MIT
//
// Settings that change what a request does: each is switched on in a child process of its own.
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "hipfile.h"
#include "hipfile_ext.h"
#include "hiplite_test.h"

#define BLOCK 4096u
#define SIZE  (4 * BLOCK)

typedef uint64_t (*call_count)(const char *name);

struct bed {
    int fd;
    hipFileHandle_t handle;
    char *device;
};

static char pattern[SIZE];

static int open_temporary(void)
{
    const char *directory = getenv("HIPFILE_TEST_DIR");
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/settings-act-XXXXXX", directory ? directory : "/var/tmp");
    fd = mkstemp(path);
    CHECK(fd >= 0);
    unlink(path);
    return fd;
}

static void open_bed(struct bed *bed)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};

    for (size_t i = 0; i < SIZE; i++)
        pattern[i] = (char)(i * 7 + i / BLOCK);
    bed->fd = open_temporary();
    CHECK(pwrite(bed->fd, pattern, SIZE, 0) == SIZE && fsync(bed->fd) == 0);
    CHECK_OK(hipMalloc((void **)&bed->device, SIZE));
    CHECK_OK(hipMemset(bed->device, 0, SIZE));
    CHECK_OK(hipDeviceSynchronize());
    descr.handle.fd = bed->fd;
    CHECK(hipFileHandleRegister(&bed->handle, &descr).err == hipFileSuccess);
    CHECK(hipFileBufRegister(bed->device, SIZE, 0).err == hipFileSuccess);
}

static void get_info(const struct bed *bed, hipFileExtHandleInfo_t *info)
{
    info->struct_size = sizeof *info;
    CHECK(hipFileExtGetHandleInfo(bed->handle, info).err == hipFileSuccess);
}

static void sleep_a_little(void *done)
{
    usleep(100000);
    *(volatile int *)done = 1;
}

static void orders_after_default_stream(void)
{
    static int done;
    struct bed bed;
    char bytes[BLOCK], expected[BLOCK];

    setenv("HIPFILE_ORDER_DEFAULT_STREAM", "1", 1);
    open_bed(&bed);
    CHECK_OK(hipLaunchHostFunc(NULL, sleep_a_little, &done));
    CHECK_OK(hipMemsetAsync(bed.device, 0x5a, BLOCK, NULL));
    CHECK(hipFileWrite(bed.handle, bed.device, BLOCK, 0, 0) == BLOCK);
    CHECK(done == 1);
    memset(expected, 0x5a, BLOCK);
    CHECK(pread(bed.fd, bytes, BLOCK, 0) == BLOCK && memcmp(bytes, expected, BLOCK) == 0);
}

// An unaligned write of two whole blocks and an edge on both sides.
static void write_unaligned(struct bed *bed, hipFileExtHandleInfo_t *info)
{
    char bytes[SIZE];
    size_t size = 2 * BLOCK + 300;

    open_bed(bed);
    CHECK_OK(hipMemcpy(bed->device, pattern, SIZE, hipMemcpyHostToDevice));
    memset(bytes, 'x', SIZE);
    CHECK(pwrite(bed->fd, bytes, SIZE, 0) == SIZE && fsync(bed->fd) == 0);
    CHECK(hipFileWrite(bed->handle, bed->device, size, BLOCK - 100, BLOCK - 100) == (ssize_t)size);
    CHECK(pread(bed->fd, bytes, SIZE, 0) == SIZE);
    CHECK(memcmp(bytes + BLOCK - 100, pattern + BLOCK - 100, size) == 0);
    CHECK(bytes[BLOCK - 101] == 'x' && bytes[BLOCK - 100 + size] == 'x');
    get_info(bed, info);
}

static void unaligned_writes_are_split(void)
{
    hipFileExtHandleInfo_t info;
    struct bed bed;

    setenv("HIPFILE_UNSUPPORTED_FILE_SYSTEMS", "1", 1);
    write_unaligned(&bed, &info);
    if (info.last_reason == hipFileExtReasonNoDirectDescriptor ||
        info.last_reason == hipFileExtReasonRuntimeLacksFileIO)
        return; // no direct path here: nothing to keep from splitting
    CHECK(info.bytes_written[hipFileExtPathDirect] == 2 * BLOCK);
    CHECK(info.bytes_written[hipFileExtPathBounce] == 300);
}

static void unaligned_writes_stay_whole(void)
{
    hipFileExtHandleInfo_t info;
    struct bed bed;

    setenv("HIPFILE_UNSUPPORTED_FILE_SYSTEMS", "1", 1);
    setenv("HIPFILE_POSIX_UNALIGNED_WRITES", "1", 1);
    write_unaligned(&bed, &info);
    CHECK(info.bytes_written[hipFileExtPathDirect] == 0);
    CHECK(info.bytes_written[hipFileExtPathBounce] == 2 * BLOCK + 300);
    CHECK(info.last_reason == hipFileExtReasonConfigured ||
          info.last_reason == hipFileExtReasonNoDirectDescriptor ||
          info.last_reason == hipFileExtReasonRuntimeLacksFileIO);
    // Aligned ones are direct as ever.
    if (info.last_reason == hipFileExtReasonConfigured) {
        CHECK(hipFileWrite(bed.handle, bed.device, BLOCK, 0, 0) == BLOCK);
        get_info(&bed, &info);
        CHECK(info.bytes_written[hipFileExtPathDirect] == BLOCK);
    }
}

static void freed_memory_is_noticed(void)
{
    struct bed bed;

    CHECK(hipFileSetParameterBool(hipFileParamFsMiscApiCheckAggressive, true).err ==
          hipFileSuccess);
    open_bed(&bed);
    CHECK(hipFileRead(bed.handle, bed.device, BLOCK, 0, 0) == BLOCK);
    CHECK_OK(hipFree(bed.device));
    CHECK(hipFileRead(bed.handle, bed.device, BLOCK, 0, 0) == -hipFileInvalidValue);
    CHECK(hipFileBufDeregister(bed.device).err == hipFileSuccess);
}

static uint64_t queries(void)
{
    call_count count = NULL;

    if (hipGetProcAddress("hipliteCallCount", (void **)&count, 70200000, 0, NULL) != hipSuccess)
        return 0;
    return count("hipEventQuery");
}

static void poll_mode_spins_for_small_copies(void)
{
    struct bed bed;
    char bytes[SIZE];
    uint64_t before;

    CHECK(hipFileDriverSetPollMode(true, 4).err == hipFileSuccess);
    CHECK(hipFileSetParameterBool(hipFileParamForceCompatMode, true).err == hipFileSuccess);
    open_bed(&bed);
    queries(); // counting begins when it is asked for
    before = queries();
    CHECK(hipFileRead(bed.handle, bed.device, 2 * BLOCK, 0, 0) == 2 * BLOCK);
    CHECK(queries() == before);
    CHECK(hipFileRead(bed.handle, bed.device, BLOCK, 2 * BLOCK, 2 * BLOCK) == BLOCK);
    CHECK(queries() > before);
    CHECK_OK(hipMemcpy(bytes, bed.device, SIZE, hipMemcpyDeviceToHost));
    CHECK(memcmp(bytes, pattern, 3 * BLOCK) == 0);
}

// Nothing may move when the direct path must take the blocks and the driver refuses: not even the
// edge before them.
static void refused_blocks_move_nothing(void)
{
    struct bed bed;
    char bytes[SIZE], expected[SIZE];

    setenv("HIPFILE_ALLOW_COMPAT_MODE", "false", 1);
    setenv("HIPFILE_UNSUPPORTED_FILE_SYSTEMS", "1", 1);
    setenv("HIPLITE_FAULT", "hipAmdFileWrite@1+=ENODEV", 1);
    open_bed(&bed);
    CHECK_OK(hipMemset(bed.device, 0x11, SIZE));
    CHECK_OK(hipDeviceSynchronize());
    CHECK(hipFileWrite(bed.handle, bed.device, 3 * BLOCK, 100, 100) == -hipFileIONotSupported);
    memcpy(expected, pattern, SIZE);
    CHECK(pread(bed.fd, bytes, SIZE, 0) == SIZE && memcmp(bytes, expected, SIZE) == 0);
}

int main(void)
{
    void (*const cases[])(void) = {
        orders_after_default_stream, unaligned_writes_are_split,       unaligned_writes_stay_whole,
        freed_memory_is_noticed,     poll_mode_spins_for_small_copies, refused_blocks_move_nothing,
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            cases[i]();
            _exit(0);
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (status != 0) {
            fprintf(stderr, "case %zu failed (status %#x)\n", i, (unsigned)status);
            return 1;
        }
    }
    return 0;
}
