// SPDX-License-Identifier: MIT
/* Without liburing: there is no ring, so that nothing else is ever called. */
#include "os/uring.h"

#include <errno.h>

int hf_uring_open(unsigned depth, struct hf_uring **ring)
{
    (void)depth;
    (void)ring;
    return -ENOSYS;
}

void hf_uring_close(struct hf_uring *ring)
{
    (void)ring;
}

void hf_uring_queue(struct hf_uring *ring, enum hf_op op, int fd, void *memory, size_t size,
                    uint64_t offset, void *tag)
{
    (void)ring;
    (void)op;
    (void)fd;
    (void)memory;
    (void)size;
    (void)offset;
    (void)tag;
}

void hf_uring_wait(struct hf_uring *ring)
{
    (void)ring;
}

unsigned hf_uring_reap(struct hf_uring *ring, struct hf_uring_done *done, unsigned room)
{
    (void)ring;
    (void)done;
    (void)room;
    return 0;
}

void hf_uring_wake(struct hf_uring *ring)
{
    (void)ring;
}

void hf_uring_forget(struct hf_uring *ring)
{
    (void)ring;
}
