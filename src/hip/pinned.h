// SPDX-License-Identifier: MIT
/*
 * The bounded pool of pinned host buffers that bounce I/O goes through.
 *
 * Buffers have one size (PerBufferCacheSizeKB), are page aligned, usable with every device, and
 * kept when given back: allocating pinned memory is slow, and freeing it waits for every stream of
 * the device. All of them together stay within MaxDeviceCacheSizeKB (at least one buffer exists).
 * While operations are pending in streams, the pool's threads get along with the buffers that there
 * are: they were made at the operations' submission.
 */
#ifndef HF_HIP_PINNED_H
#define HF_HIP_PINNED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/shelf.h"

struct hf_pinned {
    struct hf_kept kept;
    void *host;
    size_t size;
    unsigned place; /* whose devices it is near */
};

/*
 * Takes a buffer of at least `size` bytes (at most what hf_pinned_size says). When the pool is at
 * its limit: with `wait`, waits until one is given back (the caller must hold none, or two such
 * callers could wait for each other); without, -EAGAIN. 0 or a status. A device must be current;
 * the buffer is near it if there is, or may be, one that is.
 */
int hf_pinned_get(size_t size, bool wait, struct hf_pinned **buffer);
void hf_pinned_put(struct hf_pinned *buffer);

/* Whether someone waits for one. */
bool hf_pinned_wanted(void);

/* Makes buffers until there are this many, or as many as the limit allows. 0, or a status when
   there is none at all. A device must be current. */
int hf_pinned_prepare(unsigned count);

/* Bytes of each buffer. */
size_t hf_pinned_size(void);

/* At the driver's opening: takes PerBufferCacheSizeKB over, if no buffer is in use and no operation
   pending. */
void hf_pinned_resize(void);

/* Bytes that the pool holds now, in use or kept. */
size_t hf_pinned_total(void);

/* In a forked child: the parent's buffers are forgotten, not freed. */
void hf_pinned_forget(void);

#endif
