// SPDX-License-Identifier: MIT
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pattern.h"
#include "progress.h"

#define MIB         ((size_t)1 << 20)
#define SIZE_OF_NEW (256 * MIB)

static bool complain(const char *what, const struct bench_file *file)
{
    fprintf(stderr, "ais-bench: cannot %s %s: %s\n", what, file->path, strerror(errno));
    return false;
}

static size_t step(uint64_t size, uint64_t done)
{
    return size - done < MIB ? (size_t)(size - done) : MIB;
}

static bool write_all(int fd, const char *from, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, from + done, size - done, (off_t)(offset + done));

        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Where all is written anyway and nothing kept, other contents show a write that never came. */
static bool fill(const struct bench_file *file, const struct options *options)
{
    uint64_t seed = options->seed + (options->op == OP_WRITE && !options->keep);
    char *memory = malloc(MIB);
    bool fine = memory != NULL;

    for (uint64_t done = 0; fine && done < file->size && !progress_interrupted(); done += MIB) {
        progress_show("filling the file", (double)done / (double)file->size);
        pattern_fill(memory, step(file->size, done), done, seed);
        fine = write_all(file->plain, memory, step(file->size, done), done);
    }
    progress_clear();
    if (!fine || (!progress_interrupted() && fsync(file->plain) != 0))
        fine = complain("fill", file);
    free(memory);
    return fine;
}

static void check_sizes(const struct bench_file *file, const struct options *options)
{
    for (unsigned i = 0; i < options->block_count; i++)
        if (file->size / options->blocks[i] < options->threads)
            options_refuse("--block-size=%zu: %u threads need a block each, and %s %s %llu bytes",
                           options->blocks[i], options->threads, file->path,
                           options->size ? "is used for --size" : "has",
                           (unsigned long long)file->size);
}

/* An existing file, open already. */
static bool measure(struct bench_file *file, const struct options *options)
{
    struct stat st;
    off_t end;

    if (fstat(file->plain, &st) != 0)
        return complain("open", file);
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
        options_refuse("%s: neither a regular file nor a block device", file->path);
    if (options->op != OP_READ && !options->overwrite)
        options_refuse("%s exists: --op=%s needs --overwrite, and its contents are lost",
                       file->path, op_words[options->op]);
    end = lseek(file->plain, 0, SEEK_END);
    if (end < 0)
        return complain("measure", file);
    if (options->size > (uint64_t)end)
        options_refuse("--size=%llu: %s has %llu bytes", (unsigned long long)options->size,
                       file->path, (unsigned long long)end);
    file->size = options->size ? options->size : (uint64_t)end;
    check_sizes(file, options);
    return true;
}

static bool make(struct bench_file *file, const struct options *options)
{
    file->size = options->size ? options->size : SIZE_OF_NEW;
    check_sizes(file, options);
    file->plain = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->plain < 0)
        return complain("make", file);
    file->made = true;
    return fill(file, options);
}

bool file_open(struct bench_file *file, const struct options *options)
{
    int access = options->op == OP_READ ? O_RDONLY : O_RDWR;

    *file = (struct bench_file){.path = options->file, .fd = -1};
    file->plain = open(file->path, O_RDONLY | O_CLOEXEC);
    if (file->plain >= 0  ? !measure(file, options)
        : errno != ENOENT ? !complain("open", file)
                          : !make(file, options))
        goto fail;
    file->fd = open(file->path, access | O_CLOEXEC | (options->o_direct ? O_DIRECT : 0));
    if (file->fd >= 0)
        return true;
    complain(options->o_direct ? "open, with --o-direct," : "open", file);
fail:
    file_close(file, options);
    return false;
}

void file_close(struct bench_file *file, const struct options *options)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->plain >= 0)
        close(file->plain);
    if (file->made && !options->keep)
        unlink(file->path);
}

/* ---- page cache ------------------------------------------------------------------------- */

static bool read_through(const struct bench_file *file)
{
    char *memory = malloc(MIB);
    ssize_t n = memory ? 1 : -1;

    for (uint64_t done = 0; n > 0 && done < file->size && !progress_interrupted(); done += MIB)
        n = pread(file->plain, memory, step(file->size, done), (off_t)done);
    free(memory);
    return n >= 0 || complain("read", file);
}

bool file_prepare(const struct bench_file *file, enum cache cache)
{
    if (cache == CACHE_WARM)
        return read_through(file);
    if (cache == CACHE_KEEP)
        return true;
    /* Dirty pages are not dropped. */
    if (fsync(file->plain) != 0)
        return complain("fsync", file);
    errno = posix_fadvise(file->plain, 0, 0, POSIX_FADV_DONTNEED);
    return errno == 0 || complain("drop the pages of", file);
}

double file_cached(const struct bench_file *file)
{
    static unsigned char present[16384];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), window = sizeof present * page;
    uint64_t pages = 0, cached = 0;

    for (uint64_t at = 0; at < file->size; at += window) {
        size_t length = file->size - at < window ? (size_t)(file->size - at) : window;
        void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, file->plain, (off_t)at);
        size_t count = (length + page - 1) / page;
        bool fine = map != MAP_FAILED && mincore(map, length, present) == 0;

        if (map != MAP_FAILED)
            munmap(map, length);
        if (!fine)
            return -1;
        pages += count;
        for (size_t i = 0; i < count; i++)
            cached += present[i] & 1;
    }
    return (double)cached / (double)pages;
}
