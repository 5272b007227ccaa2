// SPDX-License-Identifier: MIT
/*
 * A registered file: our duplicate of the caller's descriptor, and its twins.
 *
 * The duplicate keeps the open file alive whatever the caller does with the number. A twin is a
 * second open of the same file with O_DIRECT the other way round (and without O_APPEND, which would
 * make pwrite ignore its offset). Twins are opened when first needed; that one cannot be had is a
 * reason to take another way, never an error by itself.
 */
#ifndef HF_OS_DESCRIPTOR_H
#define HF_OS_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/terms.h"
#include "os/facts.h"

/* Through the page cache, or past it. */
enum hf_side { HF_SIDE_BUFFERED, HF_SIDE_DIRECT };

struct hf_descriptor {
    int fd;               /* the duplicate; shares its flags with the caller's */
    _Atomic int flags;    /* as last read from it */
    _Atomic int twin[2];  /* by side; TWIN_UNTRIED, -errno, or a descriptor */
    pthread_mutex_t lock; /* opening twins, reading the storage */
    struct hf_facts facts;
    atomic_bool storage_known;
    struct hf_storage storage;      /* see hf_descriptor_storage */
    atomic_bool direct_side_broken; /* O_DIRECT failed for host memory: use the buffered side */
};

/* Duplicates caller_fd, which stays the caller's. 0 or an internal status. */
int hf_descriptor_open(struct hf_descriptor *descriptor, int caller_fd);
void hf_descriptor_close(struct hf_descriptor *descriptor);

/* True if fd refers to the same open file description as the descriptor. */
bool hf_descriptor_is_same(const struct hf_descriptor *descriptor, int fd);

/* 0, or -EBADF when it was not opened for this. */
static inline int hf_descriptor_check_access(const struct hf_descriptor *descriptor, enum hf_op op)
{
    int flags = atomic_load_explicit(&descriptor->flags, memory_order_relaxed);

    return (flags & O_ACCMODE) == (op == HF_READ ? O_WRONLY : O_RDONLY) ? -EBADF : 0;
}

/* The side that the caller's flags ask for. */
static inline enum hf_side hf_descriptor_side(const struct hf_descriptor *descriptor)
{
    int flags = atomic_load_explicit(&descriptor->flags, memory_order_relaxed);

    return flags & O_DIRECT ? HF_SIDE_DIRECT : HF_SIDE_BUFFERED;
}

/* A descriptor number for I/O of this kind on this side; -EINVAL when there is none, or -EMFILE or
   the like when there may be one later. For writes the shared flags are read again first. */
int hf_descriptor_find_fd(struct hf_descriptor *descriptor, enum hf_side side, enum hf_op op);

static inline int hf_descriptor_fd(struct hf_descriptor *descriptor, enum hf_side side,
                                   enum hf_op op)
{
    return op == HF_READ && hf_descriptor_side(descriptor) == side
               ? descriptor->fd
               : hf_descriptor_find_fd(descriptor, side, op);
}

/* Reads the shared flags again; true if O_DIRECT or O_APPEND changed under us. */
bool hf_descriptor_refresh(struct hf_descriptor *descriptor);

const struct hf_storage *hf_descriptor_storage(struct hf_descriptor *descriptor);

#endif
