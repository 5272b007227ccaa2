// SPDX-License-Identifier: MIT
//
// Every kind of memory, by every path, at offsets, addresses and sizes around every boundary, reads
// and writes, against what pread and pwrite do: same counts, same bytes in file and memory, and no
// byte outside the range changed on either side.
//
// usage: sync_matrix [FOLDER | BLOCK_DEVICE]
// MATRIX_LONG=1 runs every combination instead of a sample. The file system decides which
// paths there are; test/scripts/matrix-filesystems runs this program on many.
#include "sync_test.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#define PAGE      4096
#define GUARD     (2 * PAGE)
#define FILE_SIZE (25 * PAGE + 1234)
#define LARGEST   (16 * PAGE)
#define MEMORY    (GUARD + PAGE + LARGEST + GUARD)

static const char *place; // folder or device
static bool on_device;    // a block device: its size is fixed
static size_t base_size;  // of the file before each write
static unsigned one_in;   // so many combinations one is tried

static int plain;            // our own descriptor of the file, through the page cache
static unsigned char *model; // what the file should hold
static size_t model_size;
static unsigned char *memory_model, *seen, *seen_file;
static unsigned long cells;

static const size_t offsets[] = {0,        1,     511,       512,       4095,
                                 4096,     4097,  8192,      12288 + 7, 65536 - 1,
                                 65536,    81920, 25 * PAGE, FILE_SIZE, FILE_SIZE + 100,
                                 27 * PAGE};
static const size_t sizes[] = {1,    2,    511,   512,   1000,  4095, 4096,
                               4097, 8192, 12289, 20480, 40000, 65536};
static const size_t shifts[] = {0, 1, 512, 4095}; // of the address, from a page
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int open_place(int flags)
{
    int fd;

    if (!on_device)
        return open_again(plain, flags);
    fd = open(place, flags | O_CLOEXEC);
    return fd;
}

static void prepare_file(void)
{
    if (on_device) {
        uint64_t bytes = 0;

        plain = open(place, O_RDWR | O_CLOEXEC);
        CHECK(plain >= 0);
        CHECK_EQUAL(ioctl(plain, BLKGETSIZE64, &bytes), 0);
        base_size = (size_t)bytes;
    } else {
        setenv("HIPFILE_TEST_DIR", place, 1);
        plain = new_file(O_RDWR);
        base_size = FILE_SIZE;
    }
    model = bytes_get(base_size + 64 * PAGE);
    seen_file = bytes_get(base_size + 64 * PAGE);
    memory_model = bytes_get(MEMORY);
    seen = bytes_get(MEMORY);
    CHECK(model && seen_file && memory_model && seen);
    fill(model, base_size, 0, 1);
    model_size = base_size;
    CHECK_EQUAL(pwrite(plain, model, base_size, 0), base_size);
}

// Back to the size that each cell begins with.
static void restore_size(void)
{
    if (on_device || model_size == base_size)
        return;
    CHECK_EQUAL(ftruncate(plain, (off_t)base_size), 0);
    memset(model + base_size, 0, model_size - base_size);
    model_size = base_size;
}

struct cell {
    enum kind kind;
    void *memory;
    hipFileHandle_t handle;
    size_t offset, size, shift;
    bool direct_descriptor;
    const char *mode;
};

static void fail_cell(const struct cell *cell, const char *what, long got, long expected)
{
    fail_at(__FILE__, __LINE__,
            "%s: %s memory, %s descriptor, file offset %zu, size %zu, address %zu: %s %ld, "
            "expected %ld",
            cell->mode, kind_names[cell->kind], cell->direct_descriptor ? "O_DIRECT" : "buffered",
            cell->offset, cell->size, cell->shift, what, got, expected);
}

static void expect_memory(const struct cell *cell)
{
    size_t at;

    memory_read(cell->kind, seen, cell->memory, MEMORY);
    at = first_difference(seen, memory_model, MEMORY);
    if (at < MEMORY)
        fail_cell(cell, "memory differs at", (long)at - GUARD - (long)cell->shift, -1);
}

// Behind the count a read may have changed the rest of its own range, and nothing else.
static void expect_read_memory(const struct cell *cell, size_t moved)
{
    size_t from = GUARD + cell->shift;

    memory_read(cell->kind, seen, cell->memory, MEMORY);
    memcpy(memory_model + from + moved, seen + from + moved, cell->size - moved);
    expect_memory(cell);
}

static void expect_file(const struct cell *cell)
{
    ssize_t n = pread(plain, seen_file, model_size + PAGE, 0);
    size_t at;

    if (n != (ssize_t)model_size)
        fail_cell(cell, "file size", n, (long)model_size);
    at = first_difference(seen_file, model, model_size);
    if (at < model_size)
        fail_cell(cell, "file differs at", (long)at, -1);
}

static void read_cell(const struct cell *cell)
{
    size_t from = GUARD + cell->shift;
    ssize_t expected, got;

    fill(memory_model, MEMORY, cells * 7, 2);
    memory_write(cell->kind, cell->memory, memory_model, MEMORY);
    expected = pread(plain, memory_model + from, cell->size, (off_t)cell->offset);
    got = hipFileRead(cell->handle, cell->memory, cell->size, (off_t)cell->offset, (off_t)from);
    if (got != expected)
        fail_cell(cell, "read returned", got, expected);
    expect_read_memory(cell, (size_t)got);
}

// A write that does not fit onto a device is cut, to whole blocks with O_DIRECT.
static ssize_t expect_write_count(const struct cell *cell, ssize_t got)
{
    size_t room = cell->offset < base_size ? base_size - cell->offset : 0;

    if (!on_device || cell->size <= room)
        return (ssize_t)cell->size;
    if (room == 0 || (got == -1 && cell->direct_descriptor && room < PAGE))
        return -1;
    return cell->direct_descriptor && cell->offset % PAGE == 0 ? (ssize_t)(room - room % PAGE)
                                                               : (ssize_t)room;
}

static void write_cell(const struct cell *cell)
{
    size_t from = GUARD + cell->shift;
    ssize_t got, expected;
    size_t end = 0;

    fill(memory_model, MEMORY, cells * 11, 3);
    memory_write(cell->kind, cell->memory, memory_model, MEMORY);
    got = hipFileWrite(cell->handle, cell->memory, cell->size, (off_t)cell->offset, (off_t)from);
    expected = expect_write_count(cell, got);
    if (got != expected)
        fail_cell(cell, "write returned", got, expected);
    if (got < 0 && errno != ENOSPC)
        fail_cell(cell, "errno", errno, ENOSPC);
    if (got > 0) {
        memcpy(model + cell->offset, memory_model + from, (size_t)got);
        end = cell->offset + (size_t)got;
        model_size = end > model_size ? end : model_size;
    }
    expect_memory(cell);
    if (got > 0 && got < (ssize_t)cell->size && on_device) // behind the count it is not ours
        CHECK(pread(plain, model + end, base_size - end, (off_t)end) >= 0);
    expect_file(cell);
    restore_size();
}

// A sample that leaves out no value of any axis, and changes with the cell's place in the whole.
static bool is_in_sample(size_t o, size_t s, size_t a, unsigned turn)
{
    return (o * 5 + s * 3 + a + turn) % one_in == 0;
}

static void run_kind(struct cell *cell, unsigned turn)
{
    for (size_t o = 0; o < COUNT(offsets); o++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            for (size_t a = 0; a < COUNT(shifts); a++) {
                cell->offset = offsets[o];
                if (on_device && o >= 12) // around the end of the device
                    cell->offset = base_size - FILE_SIZE % PAGE - 2 * PAGE + (o - 12) * 2000;
                cell->size = sizes[s];
                cell->shift = shifts[a];
                if (!is_in_sample(o, s, a, turn))
                    continue;
                read_cell(cell);
                write_cell(cell);
                cells++;
            }
}

static void run_descriptor(const char *mode, int flags, unsigned turn)
{
    int fd = open_place(flags);
    hipFileHandle_t handle;

    if (fd < 0 && errno == EINVAL && (flags & O_DIRECT)) {
        printf("no O_DIRECT on %s: not run with such descriptors\n", place);
        return;
    }
    CHECK(fd >= 0);
    handle = register_fd(fd);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int registered = 0; registered < 2; registered++) {
            struct cell cell = {.kind = kind,
                                .memory = memory_get(kind, MEMORY),
                                .handle = handle,
                                .direct_descriptor = flags & O_DIRECT,
                                .mode = mode};

            if (registered)
                CHECK_OK(hipFileBufRegister(cell.memory, MEMORY, 0));
            if (registered || kind != PAGEABLE)
                run_kind(&cell, turn += 3);
            else
                CHECK_EQUAL(hipFileRead(handle, cell.memory, 1, 0, 0), -hipFileInvalidValue);
            if (registered)
                CHECK_OK(hipFileBufDeregister(cell.memory));
            memory_free(kind, cell.memory);
        }
    hipFileHandleDeregister(handle);
    close(fd);
}

static const char *mode_name;

// At the end the medium must say the same as the page cache.
static void expect_medium(void)
{
    int fd = open_place(O_RDONLY | O_DIRECT);
    unsigned char *block = NULL;

    if (fd < 0)
        return;
    CHECK_EQUAL(fsync(plain), 0);
    CHECK_EQUAL(posix_memalign((void **)&block, PAGE, PAGE), 0);
    for (size_t at = 0; at < model_size; at += PAGE) {
        ssize_t n = pread(fd, block, PAGE, (off_t)at);

        CHECK(n > 0);
        CHECK_BYTES(block, model + at, (size_t)n);
    }
    free(block);
    close(fd);
}

static void run_mode(void)
{
    unsigned before = count_descriptors();

    CHECK_HIP(hipInit(0));
    CHECK_OK(hipFileDriverOpen());
    before = count_descriptors();
    prepare_file();
    run_descriptor(mode_name, O_RDWR, 0);
    run_descriptor(mode_name, O_RDWR | O_DIRECT, 1);
    expect_medium();
    close(plain);
    CHECK_EQUAL(count_descriptors(), before);
    CHECK_EQUAL(hipPeekAtLastError(), hipSuccess);
    CHECK_OK(hipFileDriverClose());
    printf("%s: %s, %lu cells\n", place, mode_name, cells);
}

static void mode(const char *name, const char *const *environment)
{
    mode_name = name;
    run_test(name, run_mode, environment);
}

int main(int argc, char **argv)
{
    struct stat st;

    place = argc > 1 ? argv[1] : test_folder();
    on_device = stat(place, &st) == 0 && S_ISBLK(st.st_mode);
    one_in = getenv("MATRIX_LONG") ? 1 : runs_slowly() ? 61 : 8;
    mode("direct where it can be", (const char *const[]){NULL});
    mode("direct on any file system",
         (const char *const[]){"HIPFILE_UNSUPPORTED_FILE_SYSTEMS=1", NULL});
    mode("bounce", (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1", NULL});
    mode(
        "bounce and host by O_DIRECT",
        (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1", "HIPFILE_FORCE_ODIRECT_MODE=1", NULL});
    mode("bounce beside copy engines",
         (const char *const[]){"HIPFILE_FORCE_COMPAT_MODE=1", "HIPLITE_COPY_ENGINES=1", NULL});
    mode("small pieces on several threads",
         (const char *const[]){
             "HIPFILE_MIN_IO_THRESHOLD_SIZE_KB=4", "HIPFILE_PER_BUFFER_CACHE_SIZE_KB=64",
             "HIPFILE_MAX_DIRECT_IO_SIZE_KB=64", "HIPFILE_MAX_IO_THREADS=4", NULL});
    return finish();
}
