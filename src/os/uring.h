// SPDX-License-Identifier: MIT
/*
 * An io_uring for reads and writes of files. One thread opens and uses it; any thread may wake that
 * one. Without liburing, or where the kernel refuses, it cannot be opened.
 */
#ifndef HF_OS_URING_H
#define HF_OS_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/terms.h"

struct hf_uring;

/* What has ended: the tag that it was queued with, and bytes or -errno. */
struct hf_uring_done {
    void *tag;
    ssize_t result;
};

/* For up to `depth` transfers at a time. 0 or -errno. */
int hf_uring_open(unsigned depth, struct hf_uring **ring);
void hf_uring_close(struct hf_uring *ring);

/* Queues a transfer of less than 2 GiB. */
void hf_uring_queue(struct hf_uring *ring, enum hf_op op, int fd, void *memory, size_t size,
                    uint64_t offset, void *tag);

/* Hands what is queued to the kernel, and waits until a transfer ends or the thread is woken. */
void hf_uring_wait(struct hf_uring *ring);

/* Takes what has ended, at most `room`. */
unsigned hf_uring_reap(struct hf_uring *ring, struct hf_uring_done *done, unsigned room);

/* Ends the other thread's wait, or its next one. */
void hf_uring_wake(struct hf_uring *ring);

/* In a forked child: closes its copies of the descriptors; the parent's ring is not touched. */
void hf_uring_forget(struct hf_uring *ring);

#endif
