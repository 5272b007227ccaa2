// SPDX-License-Identifier: MIT
#include "os/uring.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_ENTRIES 256u /* handed over at a time; not a limit on what is in flight */

struct hf_uring {
    struct io_uring ring;
    int wake_fd; /* always being read, so that a write to it ends the wait */
    uint64_t wakes;
};

/* What newer kernels do better for a ring that one thread uses; older ones refuse flags that they
   do not know. */
static const unsigned flag_sets[] = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, /* 6.1 */
    IORING_SETUP_COOP_TASKRUN,                               /* 5.19 */
    0,
};

static int set_up(struct io_uring *ring, unsigned depth)
{
    int err = -EINVAL;

    for (size_t i = 0; err == -EINVAL && i < sizeof flag_sets / sizeof flag_sets[0]; i++) {
        struct io_uring_params parameters = {
            .flags = flag_sets[i] | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
            .cq_entries = 2 * depth,
        };

        err = io_uring_queue_init_params(QUEUE_ENTRIES, ring, &parameters);
    }
    return err;
}

static struct io_uring_sqe *next_sqe(struct hf_uring *ring)
{
    struct io_uring_sqe *sqe;

    while (!(sqe = io_uring_get_sqe(&ring->ring)))
        io_uring_submit(&ring->ring);
    return sqe;
}

static void watch_wakes(struct hf_uring *ring)
{
    struct io_uring_sqe *sqe = next_sqe(ring);

    io_uring_prep_read(sqe, ring->wake_fd, &ring->wakes, sizeof ring->wakes, 0);
    io_uring_sqe_set_data(sqe, NULL);
}

int hf_uring_open(unsigned depth, struct hf_uring **out)
{
    struct hf_uring *ring = calloc(1, sizeof *ring);
    int err;

    if (!ring)
        return -ENOMEM;
    ring->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (ring->wake_fd < 0) {
        err = -errno;
        goto fail_ring;
    }
    err = set_up(&ring->ring, depth);
    if (err)
        goto fail_wake;
    if (!(ring->ring.features & IORING_FEAT_RW_CUR_POS)) {
        err = -ENOSYS; /* 5.6 brought this, and plain reads and writes */
        goto fail_queue;
    }
    io_uring_ring_dontfork(&ring->ring);
    io_uring_register_ring_fd(&ring->ring);
    watch_wakes(ring);
    *out = ring;
    return 0;

fail_queue:
    io_uring_queue_exit(&ring->ring);
fail_wake:
    close(ring->wake_fd);
fail_ring:
    free(ring);
    return err;
}

void hf_uring_close(struct hf_uring *ring)
{
    io_uring_queue_exit(&ring->ring);
    close(ring->wake_fd);
    free(ring);
}

void hf_uring_queue(struct hf_uring *ring, enum hf_op op, int fd, void *memory, size_t size,
                    uint64_t offset, void *tag)
{
    struct io_uring_sqe *sqe = next_sqe(ring);

    if (op == HF_READ)
        io_uring_prep_read(sqe, fd, memory, (unsigned)size, offset);
    else
        io_uring_prep_write(sqe, fd, memory, (unsigned)size, offset);
    io_uring_sqe_set_data(sqe, tag);
}

/* What the kernel refuses here passes: it is short of memory, or of room for what has ended. */
void hf_uring_wait(struct hf_uring *ring)
{
    int n = io_uring_submit_and_wait(&ring->ring, 1);

    if (n == -EAGAIN || n == -ENOMEM)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

unsigned hf_uring_reap(struct hf_uring *ring, struct hf_uring_done *done, unsigned room)
{
    struct io_uring_cqe *cqe;
    unsigned head, seen = 0, count = 0;
    bool woken = false;

    io_uring_for_each_cqe (&ring->ring, head, cqe) {
        if (count == room)
            break;
        seen++;
        if (!io_uring_cqe_get_data(cqe)) {
            woken = true;
            continue;
        }
        done[count].tag = io_uring_cqe_get_data(cqe);
        done[count++].result = cqe->res;
    }
    io_uring_cq_advance(&ring->ring, seen);
    if (woken)
        watch_wakes(ring);
    return count;
}

void hf_uring_wake(struct hf_uring *ring)
{
    eventfd_write(ring->wake_fd, 1);
}

void hf_uring_forget(struct hf_uring *ring)
{
    close(ring->ring.ring_fd);
    close(ring->wake_fd);
}
