// SPDX-License-Identifier: MIT
//
// Which descriptors can be registered, and what a handle means whatever becomes of its descriptor.
#include "sync_test.h"

#include <sys/resource.h>
#include <sys/socket.h>

#define SIZE 65536

static unsigned char bytes[SIZE], got[SIZE];

/* The handle's file holds fill(..., seed), as read into memory of each kind. */
static void expect_content_at(int line, hipFileHandle_t handle, size_t size, unsigned seed)
{
    fill(bytes, size, 0, seed);
    for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
        void *memory = memory_get(kind, SIZE);

        ssize_t n = hipFileRead(handle, memory, size, 0, 0);

        if (n != (ssize_t)size)
            fail_at(__FILE__, line, "read returned %zd, errno %d", n, errno);
        memory_read(kind, got, memory, size);
        if (memcmp(got, bytes, size) != 0)
            fail_at(__FILE__, line, "%s memory: byte %zu is wrong", kind_names[kind],
                    first_difference(got, bytes, size));
        memory_free(kind, memory);
    }
}
#define expect_content(...) expect_content_at(__LINE__, __VA_ARGS__)

static void write_content(hipFileHandle_t handle, size_t size, off_t offset, unsigned seed)
{
    void *memory = memory_get(DEVICE, SIZE);

    fill(bytes, size, 0, seed);
    memory_write(DEVICE, memory, bytes, size);
    CHECK_EQUAL(hipFileWrite(handle, memory, size, offset, 0), size);
    memory_free(DEVICE, memory);
}

/* ---- what can be registered ---- */

static void what_is_no_file_is_refused(void)
{
    int ends[2], pair[2];

    CHECK_EQUAL(pipe(ends), 0);
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    CHECK_CODE(try_register(ends[0]), hipFileInvalidFileType);
    CHECK_CODE(try_register(ends[1]), hipFileInvalidFileType);
    CHECK_CODE(try_register(pair[0]), hipFileInvalidFileType);
    CHECK_CODE(try_register(open(".", O_RDONLY)), hipFileInvalidFileType);
    CHECK_CODE(try_register(open("/dev/null", O_RDWR)), hipFileInvalidFileType);
    CHECK_CODE(try_register(open("/dev/zero", O_RDONLY)), hipFileInvalidFileType);
    CHECK_CODE(try_register(open_again(new_file(O_RDWR), O_PATH)), hipFileInvalidFileOpenFlag);
    CHECK_EQUAL(hipFileUseCount(), 0);
}

static void what_is_no_descriptor_is_refused(void)
{
    int fd = new_file(O_RDWR);

    close(fd);
    CHECK_CODE(try_register(fd), hipFileInternalError);
    CHECK_CODE(try_register(-1), hipFileInternalError);
    CHECK_CODE(try_register(-100), hipFileInternalError);
    CHECK_CODE(try_register(9999), hipFileInternalError);
    CHECK_CODE(try_register(0x7fffffff), hipFileInternalError);
}

static void descriptor_zero_is_one_like_any_other(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);

    CHECK_EQUAL(dup2(fd, 0), 0);
    expect_content(register_fd(0), SIZE, 1);
}

/* fs_ops beside a descriptor means nothing; examples leave it as it happens to be. */
static void other_members_are_ignored(void)
{
    hipFileDescr_t descr;
    hipFileHandle_t handle;

    memset(&descr, 0xa5, sizeof descr);
    descr.type = hipFileHandleTypeOpaqueFD;
    descr.handle.fd = pattern_file(O_RDWR, SIZE, 1);
    CHECK_OK(hipFileHandleRegister(&handle, &descr));
    memset(&descr, 0, sizeof descr); /* only read during the call */
    expect_content(handle, SIZE, 1);
}

static void unnamed_files(void)
{
    int temporary = open(test_folder(), O_TMPFILE | O_RDWR, 0600);
    int memory = memfd_create("test", MFD_CLOEXEC);
    int unlinked = pattern_file(O_RDWR, SIZE, 3); /* unlinked before it was registered */

    expect_content(register_fd(unlinked), SIZE, 3);
    CHECK(memory >= 0);
    write_pattern(memory, SIZE, 4);
    expect_content(register_fd(memory), SIZE, 4);
    write_content(register_fd(dup(memory)), 5000, 0, 5);
    expect_content(register_fd(dup(memory)), 5000, 5);
    if (temporary < 0)
        skip_test("%s: no O_TMPFILE", test_folder());
    write_pattern(temporary, SIZE, 6);
    expect_content(register_fd(temporary), SIZE, 6);
    write_content(register_fd(dup(temporary)), SIZE, 1, 7);
}

/* Their size is 0, and they can be read. */
static void files_of_proc(void)
{
    int fd = open("/proc/cpuinfo", O_RDONLY);
    hipFileHandle_t handle = register_fd(fd);
    unsigned char expected[200];

    CHECK_EQUAL(pread(fd, expected, sizeof expected, 3), sizeof expected);
    for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
        void *memory = memory_get(kind, SIZE);

        CHECK_EQUAL(hipFileRead(handle, memory, sizeof expected, 3, 0), sizeof expected);
        memory_read(kind, got, memory, sizeof expected);
        CHECK_BYTES(got, expected, sizeof expected);
        CHECK_EQUAL(hipFileRead(handle, memory, SIZE, 1 << 24, 0), 0);
        memory_free(kind, memory);
    }
}

/* ---- numbers ---- */

static void one_number_is_one_registration(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1), other = dup(fd);
    hipFileHandle_t handle = register_fd(fd), second, third;
    int opened_again = open_again(fd, O_RDWR);

    CHECK_CODE(try_register(fd), hipFileHandleAlreadyRegistered);
    second = register_fd(other);
    third = register_fd(opened_again);
    CHECK(handle != second && second != third && handle != third);
    expect_content(second, SIZE, 1);
    hipFileHandleDeregister(handle);
    expect_content(second, SIZE, 1);
    handle = register_fd(fd);
    expect_content(handle, SIZE, 1);
    CHECK_CODE(try_register(fd), hipFileHandleAlreadyRegistered);
}

/* A handle means the file that was registered, never another one that got its number. */
static void a_number_used_again_leads_nowhere_else(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    hipFileHandle_t handle = register_fd(fd), newer;
    int other;

    other = pattern_file(O_RDWR, SIZE, 2);
    CHECK_EQUAL(dup2(other, fd), fd);
    expect_content(handle, SIZE, 1);
    newer = register_fd(fd); /* the number means another file: no 5028 */
    expect_content(handle, SIZE, 1);
    expect_content(newer, SIZE, 2);
    CHECK_CODE(try_register(fd), hipFileHandleAlreadyRegistered);
    write_content(handle, 4096, 0, 3);
    expect_content(newer, SIZE, 2);
    hipFileHandleDeregister(handle);
    expect_content(newer, SIZE, 2);
    CHECK_EQUAL(hipFileRead(handle, NULL, 1, 0, 0), -hipFileHandleNotRegistered);
}

static void deregistering_is_harmless(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    hipFileHandle_t handle = register_fd(fd);

    errno = 0;
    hipFileHandleDeregister(NULL);
    hipFileHandleDeregister((void *)(uintptr_t)0xdeadbeefcafe);
    hipFileHandleDeregister((void *)(uintptr_t)-1);
    hipFileHandleDeregister(&fd);
    hipFileHandleDeregister((void *)((uintptr_t)handle + 1));
    CHECK_EQUAL(errno, 0);
    expect_content(handle, SIZE, 1); /* allocates, which may start the runtime */
    errno = 0;
    hipFileHandleDeregister(handle);
    hipFileHandleDeregister(handle);
    CHECK(fcntl(fd, F_GETFD) >= 0); /* the caller's descriptor stays */
    CHECK_EQUAL(errno, 0);
    CHECK_EQUAL(hipFileUseCount(), 1);
}

/* ---- modes ---- */

static void access_modes_are_kept(void)
{
    int plain = pattern_file(O_RDWR, SIZE, 1);
    hipFileHandle_t reader = register_fd(open_again(plain, O_RDONLY));
    hipFileHandle_t writer = register_fd(open_again(plain, O_WRONLY));

    for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
        void *memory = memory_get(kind, SIZE);

        memset(got, 7, SIZE);
        memory_write(kind, memory, got, SIZE);
        CHECK_ERRNO(hipFileWrite(reader, memory, SIZE, 0, 0), EBADF);
        CHECK_ERRNO(hipFileRead(writer, memory, SIZE, 0, 0), EBADF);
        CHECK_ERRNO(hipFileWrite(reader, memory, 1, 1, 1), EBADF);
        CHECK_ERRNO(hipFileWrite(reader, memory, 0, 0, 0), EBADF);
        CHECK_ERRNO(hipFileRead(writer, memory, 0, 0, 0), EBADF);
        CHECK_EQUAL(file_size(plain), SIZE);
        memory_free(kind, memory);
    }
    expect_content(reader, SIZE, 1);
    write_content(writer, 10000, 17, 2); /* parts of blocks, which nobody may read */
    write_content(writer, SIZE, 0, 3);
    expect_content(reader, SIZE, 3);
}

static void with_o_append_offsets_count(void)
{
    static const int flags[] = {O_RDWR | O_APPEND, O_WRONLY | O_APPEND,
                                O_RDWR | O_APPEND | O_DIRECT};
    static const struct {
        off_t offset;
        size_t size;
    } rows[] = {{0, 4096}, {4096, 8192}, {5, 100}, {4000, 9000}, {0, SIZE}};

    for (int f = 0; f < 3; f++)
        for (int r = 0; r < 5; r++)
            for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
                int plain = pattern_file(O_RDWR, SIZE, 1);
                hipFileHandle_t handle = register_fd(open_again(plain, flags[f]));
                void *memory = memory_get(kind, SIZE);

                fill(bytes, SIZE, 0, 1);
                fill(bytes + rows[r].offset, rows[r].size, 0, 9);
                memory_write(kind, memory, bytes + rows[r].offset, rows[r].size);
                CHECK_EQUAL(hipFileWrite(handle, memory, rows[r].size, rows[r].offset, 0),
                            rows[r].size);
                CHECK_EQUAL(file_size(plain), SIZE);
                CHECK_EQUAL(pread(plain, got, SIZE, 0), SIZE);
                CHECK_BYTES(got, bytes, SIZE);
                memory_free(kind, memory);
                hipFileHandleDeregister(handle);
            }
}

/* O_APPEND and O_DIRECT belong to the description that we share. */
static void flags_switched_by_the_caller_take_effect(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    hipFileHandle_t handle = register_fd(fd);
    static const int flags[] = {O_DIRECT, 0, O_APPEND, O_APPEND | O_DIRECT, O_DIRECT, 0};

    for (int i = 0; i < 6; i++) {
        CHECK_EQUAL(fcntl(fd, F_SETFL, flags[i]), 0);
        expect_content(handle, SIZE, i ? 10 + i - 1 : 1);
        expect_content(handle, 1001, i ? 10 + i - 1 : 1);
        write_content(handle, SIZE, 0, 10 + i);
        expect_content(handle, SIZE, 10 + i);
        write_content(handle, 777, 4095, 10 + i);
        write_content(handle, SIZE, 0, 10 + i);
        CHECK_EQUAL(file_size(fd), SIZE);
        CHECK_EQUAL(fcntl(fd, F_GETFL) & (O_DIRECT | O_APPEND), flags[i]);
    }
}

static void the_file_position_is_not_touched(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    hipFileHandle_t handle = register_fd(fd);

    CHECK_EQUAL(lseek(fd, 12345, SEEK_SET), 12345);
    expect_content(handle, SIZE, 1);
    write_content(handle, 5000, 100, 1);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 12345);
}

static void renamed_and_unlinked_files_go_on(void)
{
    char from[512], to[512];
    hipFileHandle_t handle;
    int fd;

    snprintf(from, sizeof from, "%s/hipfile_sync_a.%d", test_folder(), getpid());
    snprintf(to, sizeof to, "%s/hipfile_sync_b.%d", test_folder(), getpid());
    fd = open(from, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    write_pattern(fd, SIZE, 1);
    handle = register_fd(fd);
    CHECK_EQUAL(rename(from, to), 0);
    expect_content(handle, SIZE, 1);
    CHECK_EQUAL(unlink(to), 0);
    close(fd);
    write_content(handle, SIZE, 0, 2);
    expect_content(handle, SIZE, 2);
}

/* ---- descriptors that are ours ---- */

static void our_descriptors_close_on_exec_and_go_with_the_handle(void)
{
    unsigned before = count_descriptors(), ours = 0;
    int fd = pattern_file(O_RDWR, SIZE, 1);
    bool theirs[256];
    hipFileHandle_t handle;

    for (int number = 0; number < 256; number++)
        theirs[number] = fcntl(number, F_GETFD) >= 0;
    handle = register_fd(fd);
    expect_content(handle, SIZE, 1); /* twins are open now, if any are needed */
    write_content(handle, 100, 1, 1);
    for (int number = 0; number < 256; number++) {
        int flags = fcntl(number, F_GETFD);

        if (flags < 0 || theirs[number] || !descriptor_may_be_ours(number))
            continue;
        CHECK(flags & FD_CLOEXEC);
        ours++;
    }
    CHECK(ours >= 1);
    hipFileHandleDeregister(handle);
    close(fd);
    CHECK_EQUAL(count_descriptors(), before);
}

static void a_registration_costs_one_descriptor(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1);
    unsigned before = count_descriptors();

    register_fd(fd);
    CHECK_EQUAL(count_descriptors(), before + 1); /* the twin waits until it is needed */
}

static void no_descriptor_left_is_told(void)
{
    int fd = pattern_file(O_RDWR, SIZE, 1), many[64], last = 0;
    struct rlimit limit;
    hipFileHandle_t handle;

    CHECK(!on_gpu() || runtime_works());
    CHECK_OK(hipFileDriverOpen());
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 64;
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while ((many[last] = dup(fd)) >= 0)
        last++;
    if (on_gpu() && !runtime_works())
        skip_test("on a GPU: its runtime needs descriptors itself");
    CHECK_CODE(try_register(fd), hipFileGetNewFDFailed);
    close(many[--last]);
    handle = register_fd(fd); /* there is one for the duplicate, and none for a twin */
    expect_content(handle, SIZE, 1);
    write_content(handle, 5000, 3, 2);
    while (last)
        close(many[--last]);
    expect_content(handle, 3, 1);
}

int main(void)
{
    RUN(what_is_no_file_is_refused, NULL);
    RUN(what_is_no_descriptor_is_refused, NULL);
    RUN(descriptor_zero_is_one_like_any_other, NULL);
    RUN(other_members_are_ignored, NULL);
    RUN(unnamed_files, NULL);
    RUN(unnamed_files, "HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_FORCE_ODIRECT_MODE=1", NULL);
    RUN(files_of_proc, NULL);
    RUN(files_of_proc, "HIPFILE_UNSUPPORTED_FILE_SYSTEMS=1", NULL);
    RUN(one_number_is_one_registration, NULL);
    RUN(a_number_used_again_leads_nowhere_else, NULL);
    RUN(deregistering_is_harmless, "HIPFILE_LOGGING_LEVEL=OFF", NULL);
    RUN(access_modes_are_kept, NULL);
    RUN(access_modes_are_kept, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(with_o_append_offsets_count, NULL);
    RUN(with_o_append_offsets_count, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(flags_switched_by_the_caller_take_effect, NULL);
    RUN(flags_switched_by_the_caller_take_effect, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    RUN(the_file_position_is_not_touched, NULL);
    RUN(renamed_and_unlinked_files_go_on, NULL);
    RUN(our_descriptors_close_on_exec_and_go_with_the_handle, NULL);
    RUN(a_registration_costs_one_descriptor, NULL);
    RUN(no_descriptor_left_is_told, NULL);
    RUN(no_descriptor_left_is_told, "HIPFILE_FORCE_COMPAT_MODE=1", NULL);
    return finish();
}
