// SPDX-License-Identifier: MIT
//
// Which path a request takes, why, and that the bytes counted by path are those that moved: against
// hiplite's own counts of its file I/O and copies.
#include "sync_test.h"

#define PAGE 4096
#define SIZE (64 * PAGE)

static hipFileHandle_t handle;
static void *memory;

typedef uint64_t count_call(const char *function);
static count_call *count_bytes, *count_calls;

static void find_counters(void)
{
    hipDriverProcAddressQueryResult result;

    CHECK_HIP(hipGetProcAddress("hipliteByteCount", (void **)&count_bytes, 70200000, 0, &result));
    CHECK_HIP(hipGetProcAddress("hipliteCallCount", (void **)&count_calls, 70200000, 0, &result));
}

static hipFileExtHandleInfo_t info_of(hipFileHandle_t file)
{
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};

    CHECK_OK(hipFileExtGetHandleInfo(file, &info));
    return info;
}

static hipFileExtRoute_t route_of(size_t size, off_t file_offset, off_t buffer_offset,
                                  hipFileOpcode_t opcode)
{
    hipFileExtRoute_t route = {.struct_size = sizeof route};

    CHECK_OK(
        hipFileExtQueryRequest(handle, memory, size, file_offset, buffer_offset, opcode, &route));
    return route;
}

static void prepare(enum kind kind, int flags)
{
    find_counters();
    handle = register_fd(pattern_file(flags, SIZE, 1));
    memory = memory_get(kind, SIZE);
    if (kind == PAGEABLE)
        CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
}

static void need_direct(void)
{
    hipFileExtRoute_t route = route_of(SIZE, 0, 0, hipFileBatchRead);

    if (route.path != hipFileExtPathDirect)
        skip_test("%s: no direct I/O: %s", test_folder(), hipFileExtReasonString(route.reason));
}

/* Sums of what hiplite moved since the last call. */
struct moved {
    uint64_t file_read, file_written, copied;
};

static struct moved moved_since(struct moved *before)
{
    struct moved now = {count_bytes("hipAmdFileRead"), count_bytes("hipAmdFileWrite"),
                        count_bytes("hipMemcpyAsync")};
    struct moved difference = {now.file_read - before->file_read,
                               now.file_written - before->file_written,
                               now.copied - before->copied};

    *before = now;
    return difference;
}

/* Each request's bytes by path, as counted by us and by the runtime. */
static void bytes_by_path_are_those_that_moved(void)
{
    static const struct {
        off_t offset;
        size_t size;
        size_t direct; /* whole blocks of it */
    } rows[] = {{0, SIZE, SIZE},
                {0, PAGE, PAGE},
                {1, PAGE, 0},
                {PAGE - 1, PAGE + 2, PAGE},
                {100, 10 * PAGE, 9 * PAGE},
                {PAGE, 5 * PAGE + 17, 5 * PAGE},
                {SIZE - PAGE, PAGE, PAGE}};
    hipFileExtHandleInfo_t before, after;
    struct moved so_far, moved;

    prepare(DEVICE, O_RDWR);
    need_direct();
    before = info_of(handle);
    so_far = (struct moved){0};
    moved_since(&so_far);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t edges = rows[i].size - rows[i].direct;

        CHECK_EQUAL(hipFileRead(handle, memory, rows[i].size, rows[i].offset, rows[i].offset),
                    rows[i].size);
        moved = moved_since(&so_far);
        after = info_of(handle);
        CHECK_EQUAL(moved.file_read, rows[i].direct);
        CHECK_EQUAL(moved.copied, edges);
        CHECK_EQUAL(after.bytes_read[hipFileExtPathDirect] -
                        before.bytes_read[hipFileExtPathDirect],
                    rows[i].direct);
        CHECK_EQUAL(after.bytes_read[hipFileExtPathBounce] -
                        before.bytes_read[hipFileExtPathBounce],
                    edges);
        CHECK_EQUAL(after.last_path, rows[i].direct ? hipFileExtPathDirect : hipFileExtPathBounce);
        CHECK_EQUAL(after.last_reason,
                    rows[i].direct ? hipFileExtReasonNone : hipFileExtReasonBelowUnit);
        before = after;

        CHECK_EQUAL(hipFileWrite(handle, memory, rows[i].size, rows[i].offset, rows[i].offset),
                    rows[i].size);
        moved = moved_since(&so_far);
        after = info_of(handle);
        CHECK_EQUAL(moved.file_written, rows[i].direct);
        CHECK_EQUAL(moved.file_read, 0);
        CHECK_EQUAL(moved.copied, edges);
        CHECK_EQUAL(after.bytes_written[hipFileExtPathDirect] -
                        before.bytes_written[hipFileExtPathDirect],
                    rows[i].direct);
        CHECK_EQUAL(after.bytes_written[hipFileExtPathBounce] -
                        before.bytes_written[hipFileExtPathBounce],
                    edges);
        before = after;
    }
    CHECK_EQUAL(after.requests[hipFileExtReasonNone], 12);
    CHECK_EQUAL(after.requests[hipFileExtReasonBelowUnit], 2);
}

static void compat_mode_bounces_all(void)
{
    struct moved so_far = {0}, moved;
    hipFileExtHandleInfo_t info;

    prepare(DEVICE, O_RDWR);
    moved_since(&so_far);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    CHECK_EQUAL(hipFileWrite(handle, memory, 5000, 1, 1), 5000);
    moved = moved_since(&so_far);
    info = info_of(handle);
    CHECK_EQUAL(moved.file_read + moved.file_written, 0);
    CHECK_EQUAL(moved.copied, SIZE + 5000);
    CHECK_EQUAL(info.bytes_read[hipFileExtPathBounce], SIZE);
    CHECK_EQUAL(info.bytes_written[hipFileExtPathBounce], 5000);
    CHECK_EQUAL(info.last_path, hipFileExtPathBounce);
    CHECK_EQUAL(info.last_reason, hipFileExtReasonCompatForced);
    CHECK_EQUAL(info.requests[hipFileExtReasonCompatForced], 2);
    CHECK_EQUAL(route_of(SIZE, 0, 0, hipFileBatchWrite).reason, hipFileExtReasonCompatForced);
}

/* Host memory moves without the runtime, in compat mode too. */
static void host_memory_is_moved_by_the_host_path(void)
{
    for (enum kind kind = MANAGED; kind < KINDS; kind++) {
        struct moved so_far = {0}, moved;
        hipFileExtHandleInfo_t info;

        prepare(kind, O_RDWR);
        moved_since(&so_far);
        CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
        CHECK_EQUAL(hipFileWrite(handle, memory, 99, 1, 1), 99);
        moved = moved_since(&so_far);
        info = info_of(handle);
        CHECK_EQUAL(moved.file_read + moved.file_written + moved.copied, 0);
        CHECK_EQUAL(info.bytes_read[hipFileExtPathHost], SIZE);
        CHECK_EQUAL(info.bytes_written[hipFileExtPathHost], 99);
        CHECK_EQUAL(info.bytes_read[hipFileExtPathBounce], 0);
        CHECK_EQUAL(info.last_path, hipFileExtPathHost);
        CHECK_EQUAL(route_of(SIZE, 0, 0, hipFileBatchRead).path, hipFileExtPathHost);
    }
}

/* Registering pins, maps and copies nothing. */
static void registering_does_no_work(void)
{
    find_counters();
    memory = memory_get(DEVICE, SIZE);
    for (int i = 0; i < 10; i++) {
        CHECK_OK(hipFileBufRegister(memory, SIZE, 0));
        CHECK_OK(hipFileBufDeregister(memory));
    }
    CHECK_EQUAL(count_calls("hipHostMalloc") + count_calls("hipMemcpyAsync") +
                    count_calls("hipStreamCreateWithPriority") + count_calls("hipHostRegister"),
                0);
}

/* A count is of what moved, not of what was asked for. */
static void short_and_failed_requests_count_what_moved(void)
{
    hipFileExtHandleInfo_t info;

    prepare(DEVICE, O_RDONLY);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, SIZE - 100, 0), 100);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, SIZE, 0), 0);
    CHECK_ERRNO(hipFileWrite(handle, memory, SIZE, 0, 0), EBADF);
    CHECK_EQUAL(hipFileRead(handle, memory, SIZE + 1, 0, 0), -hipFileInvalidValue);
    info = info_of(handle);
    CHECK_EQUAL(info.bytes_read[hipFileExtPathDirect] + info.bytes_read[hipFileExtPathBounce] +
                    info.bytes_read[hipFileExtPathHost],
                100);
    CHECK_EQUAL(info.bytes_written[hipFileExtPathBounce], 0);
}

/* ---- the query ---- */

static void a_query_says_what_the_request_does(void)
{
    prepare(DEVICE, O_RDWR);
    need_direct();
    for (off_t offset = 0; offset < 3 * PAGE; offset += 1000)
        for (size_t size = 1; size < 5 * PAGE; size += 1777) {
            hipFileExtRoute_t route = route_of(size, offset, offset, hipFileBatchRead);
            hipFileExtHandleInfo_t before = info_of(handle), after;
            uint64_t direct;

            CHECK_EQUAL(hipFileRead(handle, memory, size, offset, offset), size);
            after = info_of(handle);
            direct =
                after.bytes_read[hipFileExtPathDirect] - before.bytes_read[hipFileExtPathDirect];
            CHECK_EQUAL(after.last_path, route.path);
            CHECK_EQUAL(after.last_reason, route.reason);
            CHECK_EQUAL(direct, route.path == hipFileExtPathDirect ? route.whole_bytes : 0);
            CHECK_EQUAL(route.block_size, PAGE);
        }
    CHECK_EQUAL(route_of(SIZE - 1, 0, 1, hipFileBatchRead).reason, hipFileExtReasonMemoryAlignment);
}

static void a_query_moves_and_counts_nothing(void)
{
    struct moved so_far = {0}, moved;
    hipFileExtHandleInfo_t before, after;

    prepare(DEVICE, O_RDWR);
    moved_since(&so_far);
    before = info_of(handle);
    for (int i = 0; i < 100; i++)
        route_of(SIZE, 0, 0, i % 2 ? hipFileBatchRead : hipFileBatchWrite);
    after = info_of(handle);
    moved = moved_since(&so_far);
    CHECK_EQUAL(moved.copied + moved.file_read + moved.file_written, 0);
    CHECK_BYTES(&after, &before, sizeof after);
}

static void a_query_is_refused_like_the_request(void)
{
    hipFileExtRoute_t route = {.struct_size = sizeof route};

    CHECK_CODE(hipFileExtQueryRequest(NULL, NULL, 1, 0, 0, hipFileBatchRead, &route),
               hipFileDriverNotInitialized);
    prepare(DEVICE, O_RDWR);
    CHECK_CODE(hipFileExtQueryRequest(NULL, memory, 1, 0, 0, hipFileBatchRead, &route),
               hipFileHandleNotRegistered);
    CHECK_CODE(hipFileExtQueryRequest(handle, NULL, 1, 0, 0, hipFileBatchRead, &route),
               hipFileInvalidValue);
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, 1, -1, 0, hipFileBatchRead, &route),
               hipFileInvalidValue);
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, 1, 0, -1, hipFileBatchRead, &route),
               hipFileInvalidValue);
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, SIZE, 0, 1, hipFileBatchRead, &route),
               hipFileInvalidValue);
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, 1, 0, 0, (hipFileOpcode_t)2, &route),
               hipFileInvalidValue);
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, 1, 0, 0, hipFileBatchRead, NULL),
               hipFileInvalidValue);
    route.struct_size = 8;
    CHECK_CODE(hipFileExtQueryRequest(handle, memory, 1, 0, 0, hipFileBatchRead, &route),
               hipFileInvalidValue);
}

/* A program built with an older header knows a shorter structure. */
static void structures_are_written_as_far_as_the_caller_knows_them(void)
{
    hipFileExtRoute_t route;
    hipFileExtHandleInfo_t info;
    size_t known = offsetof(hipFileExtRoute_t, block_size);

    prepare(DEVICE, O_RDWR);
    memset(&route, 0x5a, sizeof route);
    route.struct_size = known;
    CHECK_OK(hipFileExtQueryRequest(handle, memory, SIZE, 0, 0, hipFileBatchRead, &route));
    CHECK(route.path == hipFileExtPathDirect || route.path == hipFileExtPathBounce);
    CHECK_EQUAL(route.struct_size, known);
    CHECK_EQUAL(((unsigned char *)&route)[known], 0x5a);
    CHECK_EQUAL(route.layer[0], 0x5a);

    CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 0, 0), SIZE);
    memset(&info, 0x5a, sizeof info);
    info.struct_size = offsetof(hipFileExtHandleInfo_t, bytes_written);
    CHECK_OK(hipFileExtGetHandleInfo(handle, &info));
    CHECK_EQUAL(info.bytes_read[0] + info.bytes_read[1], SIZE);
    CHECK_EQUAL(info.bytes_written[0], 0x5a5a5a5a5a5a5a5a);
    info.struct_size = 4;
    CHECK_CODE(hipFileExtGetHandleInfo(handle, &info), hipFileInvalidValue);
    CHECK_CODE(hipFileExtGetHandleInfo(handle, NULL), hipFileInvalidValue);
    info.struct_size = sizeof info;
    CHECK_CODE(hipFileExtGetHandleInfo((void *)1, &info), hipFileHandleNotRegistered);
    CHECK_OK(hipFileDriverClose());
    CHECK_CODE(hipFileExtGetHandleInfo(handle, &info), hipFileDriverNotInitialized);
}

/* ---- texts ---- */

static void results_have_texts(void)
{
    hipFileError_t error = {hipFileHipDriverError, hipErrorOutOfMemory};
    char text[HIPFILE_EXT_TEXT_SIZE], small[4] = "abc";

    errno = ENOSPC;
    CHECK(strstr(hipFileExtDescribe((ssize_t)-1, text, sizeof text), "No space left"));
    CHECK_EQUAL(errno, ENOSPC);
    CHECK(strstr(hipFileExtDescribe((ssize_t)-EFBIG, text, sizeof text), "File too large"));
    CHECK(strstr(hipFileExtDescribe((ssize_t)4096, text, sizeof text), "4096 bytes"));
    CHECK(strstr(hipFileExtDescribe((ssize_t)-5027, text, sizeof text), "5027"));
    CHECK(strstr(hipFileExtDescribe(error, text, sizeof text), "hipErrorOutOfMemory"));
    error.err = hipFileInvalidValue;
    CHECK(strstr(hipFileExtDescribe(error, text, sizeof text), "5022"));
    CHECK(hipFileExtDescribeResult(-5022, small, 0) == small && small[0] == 'a');
    CHECK_EQUAL(strlen(hipFileExtDescribeResult(-5022, small, sizeof small)), 3);
    CHECK(hipFileExtDescribeResult(INT64_MIN, text, sizeof text) == text);
    for (int reason = -1; reason < HIPFILE_EXT_REASONS; reason++)
        CHECK(strlen(hipFileExtReasonString((hipFileExtReason_t)reason)) > 3);
}

int main(void)
{
    RUN(bytes_by_path_are_those_that_moved, NULL);
    RUN(bytes_by_path_are_those_that_moved, "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4",
        "HIPFILE_MAX_IO_THREADS=4", "HIPFILE_MAX_DIRECT_IO_SIZE_KB=64", NULL);
    RUN(compat_mode_bounces_all, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(host_memory_is_moved_by_the_host_path, NULL);
    RUN(host_memory_is_moved_by_the_host_path, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(registering_does_no_work, NULL);
    RUN(short_and_failed_requests_count_what_moved, NULL);
    RUN(short_and_failed_requests_count_what_moved, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(a_query_says_what_the_request_does, NULL);
    RUN(a_query_moves_and_counts_nothing, NULL);
    RUN(a_query_is_refused_like_the_request, NULL);
    RUN(structures_are_written_as_far_as_the_caller_knows_them, NULL);
    RUN(results_have_texts, NULL);
    return finish();
}
