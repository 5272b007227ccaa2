// SPDX-License-Identifier: MIT
/*
 * Places in pinned memory for the ring's transfers from and to device memory: buffers of the pinned
 * pool, cut into places of one size. For one thread.
 */
#ifndef HF_CORE_STAGING_H
#define HF_CORE_STAGING_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a place. */
#define HF_STAGING_ROOM ((size_t)32 << 10)

/* A place; NULL when all are taken, or others wait for the buffers. device: where memory is
 * allocated, should it be. */
char *hf_staging_take(int device);
void hf_staging_give(char *place);

/* How many are taken. */
unsigned hf_staging_taken(void);

/* Gives the buffers back to the pool; no place may be taken. */
void hf_staging_release(void);

/* In a forked child. */
void hf_staging_forget(void);

#endif
