// SPDX-License-Identifier: MIT
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>

#include "os/os.h"

#define WRITER_LOCKS 64u

typedef ssize_t (*io_call)(int fd, void *buffer, size_t size, off_t offset);

static ssize_t call_pread(int fd, void *buffer, size_t size, off_t offset)
{
    return hf_os.pread(fd, buffer, size, offset);
}

static ssize_t call_pwrite(int fd, void *buffer, size_t size, off_t offset)
{
    return hf_os.pwrite(fd, buffer, size, offset);
}

static bool may_continue(const struct hf_descriptor *file, enum hf_side side, size_t done)
{
    return side == HF_SIDE_BUFFERED || done % file->facts.unit == 0;
}

static ssize_t run(struct hf_descriptor *file, enum hf_side side, enum hf_op op, char *buffer,
                   size_t size, uint64_t offset)
{
    io_call call = op == HF_READ ? call_pread : call_pwrite;
    int fd = hf_descriptor_fd(file, side, op);
    size_t done = 0;

    if (fd < 0)
        return fd;
    while (done < size && may_continue(file, side, done)) {
        ssize_t n = call(fd, buffer + done, size - done, (off_t)(offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && done == 0)
            return -errno;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* Whether the shared flags are not those that a call went by, be it this thread or another one that
   learns of it. */
static bool flags_changed(struct hf_descriptor *file, int before)
{
    hf_descriptor_refresh(file);
    return (before ^ file->flags) & (O_DIRECT | O_APPEND);
}

/* EINVAL may mean that the caller switched O_DIRECT on the description that we share. */
static ssize_t run_fresh(struct hf_descriptor *file, enum hf_side side, enum hf_op op, char *buffer,
                         size_t size, uint64_t offset)
{
    int flags = file->flags;
    ssize_t n = run(file, side, op, buffer, size, offset);

    if (n == -EINVAL && flags_changed(file, flags))
        n = run(file, side, op, buffer, size, offset);
    return n;
}

/* A direct read that stopped inside a block stands at the end of the file, almost always. */
static bool stopped_early(struct hf_descriptor *file, uint64_t end)
{
    return hf_facts_size(file->fd, file->facts.is_block_device) > (int64_t)end;
}

ssize_t hf_io_read(struct hf_descriptor *file, enum hf_side side, void *buffer, size_t size,
                   uint64_t offset)
{
    ssize_t n = run_fresh(file, side, HF_READ, buffer, size, offset);
    ssize_t more = 0;

    if (n > 0 && (size_t)n < size && !may_continue(file, side, (size_t)n) &&
        stopped_early(file, offset + (size_t)n))
        more = run(file, HF_SIDE_BUFFERED, HF_READ, (char *)buffer + n, size - (size_t)n,
                   offset + (size_t)n);
    return more > 0 ? n + more : n;
}

ssize_t hf_io_write(struct hf_descriptor *file, enum hf_side side, const void *buffer, size_t size,
                    uint64_t offset)
{
    return run_fresh(file, side, HF_WRITE, (char *)buffer, size, offset);
}

static pthread_mutex_t writer_locks[WRITER_LOCKS] = {
    [0 ... WRITER_LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER,
};

pthread_mutex_t *hf_io_writer_lock(const struct hf_descriptor *file)
{
    return &writer_locks[(file->facts.inode ^ file->facts.device) % WRITER_LOCKS];
}

void hf_io_forget(void)
{
    for (unsigned i = 0; i < WRITER_LOCKS; i++)
        pthread_mutex_init(&writer_locks[i], NULL);
}
