// SPDX-License-Identifier: MIT
#include "os/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hipfile.h"
#include "os/os.h"

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif

#define TWIN_UNTRIED     (-4096)
#define LOWEST_DUPLICATE 3 /* standard streams keep their numbers */

/* What a twin keeps: who may do what, and durability. */
#define KEPT_FLAGS (O_ACCMODE | O_SYNC | O_DSYNC | O_NOATIME)

int hf_descriptor_open(struct hf_descriptor *d, int caller_fd)
{
    int err, flags;

    err = hf_facts_read(caller_fd, &d->facts);
    if (err)
        return err;
    flags = hf_os.fcntl(caller_fd, F_GETFL, 0);
    if (flags < 0)
        return -errno;
    if (flags & O_PATH)
        return -hipFileInvalidFileOpenFlag;
    d->fd = hf_os.fcntl(caller_fd, F_DUPFD_CLOEXEC, LOWEST_DUPLICATE);
    if (d->fd < 0)
        return errno == EINVAL ? -EMFILE : -errno;

    d->flags = flags;
    d->twin[HF_SIDE_BUFFERED] = TWIN_UNTRIED;
    d->twin[HF_SIDE_DIRECT] = TWIN_UNTRIED;
    d->storage_known = false;
    d->direct_side_broken = false;
    pthread_mutex_init(&d->lock, NULL);
    return 0;
}

/* The numbers are forgotten first: a child that is forked in between closes what it finds here, and
   a number that is closed already may mean another file by then. */
void hf_descriptor_close(struct hf_descriptor *d)
{
    int fd = d->fd;

    for (int side = HF_SIDE_BUFFERED; side <= HF_SIDE_DIRECT; side++) {
        int twin = atomic_exchange(&d->twin[side], TWIN_UNTRIED);

        if (twin >= 0)
            hf_os.close(twin);
    }
    d->fd = -1;
    hf_os.close(fd);
    pthread_mutex_destroy(&d->lock);
}

/* Where the kernel can tell neither way: the same inode with the same flags is taken as the same.
 */
static bool looks_same(const struct hf_descriptor *d, int fd)
{
    struct hf_facts facts;

    return hf_facts_read(fd, &facts) == 0 && facts.device == d->facts.device &&
           facts.inode == d->facts.inode && hf_os.fcntl(fd, F_GETFL, 0) == d->flags;
}

bool hf_descriptor_is_same(const struct hf_descriptor *d, int fd)
{
    pid_t pid = getpid();
    int same = hf_os.fcntl(d->fd, F_DUPFD_QUERY, fd);

    if (same >= 0)
        return same == 1;
    if (errno == EBADF)
        return false;
    same = (int)syscall(SYS_kcmp, pid, pid, KCMP_FILE, d->fd, fd);
    return same >= 0 ? same == 0 : looks_same(d, fd);
}

bool hf_descriptor_refresh(struct hf_descriptor *d)
{
    int now = hf_os.fcntl(d->fd, F_GETFL, 0);
    int before;

    if (now < 0)
        return false;
    before = atomic_exchange(&d->flags, now);
    return (before ^ now) & (O_DIRECT | O_APPEND);
}

static int open_file_again(const struct hf_descriptor *d, int flags)
{
    char path[32];
    int fd;

    snprintf(path, sizeof path, "/proc/self/fd/%d", d->fd);
    fd = hf_os.open(path, flags);
    if (fd < 0 && errno == EPERM && (flags & O_NOATIME))
        fd = hf_os.open(path, flags & ~O_NOATIME); /* only the owner may ask for it */
    return fd < 0 ? -errno : fd;
}

/* Overlay file systems may hand out another inode after a copy-up. */
static bool is_twin(const struct hf_descriptor *d, int fd)
{
    struct hf_facts facts;

    return hf_facts_read(fd, &facts) == 0 && facts.device == d->facts.device &&
           facts.inode == d->facts.inode;
}

static int open_twin(const struct hf_descriptor *d, enum hf_side side)
{
    int flags = (d->flags & KEPT_FLAGS) | O_CLOEXEC;
    int fd = open_file_again(d, side == HF_SIDE_DIRECT ? flags | O_DIRECT : flags);

    if (fd < 0 || is_twin(d, fd))
        return fd;
    hf_os.close(fd);
    return -ESTALE;
}

static bool passes(int err)
{
    return err == -EMFILE || err == -ENFILE || err == -EINTR;
}

/* A shortage of descriptors passes; everything else stays as it is. For I/O a side that is not
   there is what pread and pwrite call it, whatever the opening said. */
static int try_twin(const struct hf_descriptor *d, enum hf_side side)
{
    int twin = open_twin(d, side);

    return twin >= 0 || passes(twin) ? twin : -EINVAL;
}

static int twin_of(struct hf_descriptor *d, enum hf_side side)
{
    int twin = atomic_load_explicit(&d->twin[side], memory_order_acquire);

    if (twin != TWIN_UNTRIED)
        return twin;
    pthread_mutex_lock(&d->lock);
    twin = d->twin[side];
    if (twin == TWIN_UNTRIED) {
        twin = try_twin(d, side);
        if (!passes(twin))
            atomic_store_explicit(&d->twin[side], twin, memory_order_release);
    }
    pthread_mutex_unlock(&d->lock);
    return twin;
}

int hf_descriptor_find_fd(struct hf_descriptor *d, enum hf_side side, enum hf_op op)
{
    /* The caller may set O_APPEND on the shared description at any time, and a write would then
       land at the end of the file. */
    if (op == HF_WRITE)
        hf_descriptor_refresh(d);
    if (hf_descriptor_side(d) == side && !(op == HF_WRITE && d->flags & O_APPEND))
        return d->fd;
    return twin_of(d, side);
}

const struct hf_storage *hf_descriptor_storage(struct hf_descriptor *d)
{
    if (!atomic_load_explicit(&d->storage_known, memory_order_acquire)) {
        pthread_mutex_lock(&d->lock);
        if (!d->storage_known) {
            hf_storage_read(d->fd, &d->facts, &d->storage);
            atomic_store_explicit(&d->storage_known, true, memory_order_release);
        }
        pthread_mutex_unlock(&d->lock);
    }
    return &d->storage;
}
