// SPDX-License-Identifier: MIT
/*
 * The ring: one thread that keeps many small reads and writes in flight through io_uring, for
 * entries that come down to one each. Whatever does not go smoothly (a short count, an error) is
 * done anew by the pool, in the body that all requests share, so that results never depend on the
 * engine.
 */
#ifndef HF_CORE_RING_H
#define HF_CORE_RING_H

#include "core/batch.h"

/* Whether the entry, whose request is open and checked, is for the ring: it can and should take it,
   and there is a ring, which is opened for the first one. */
bool hf_ring_takes(struct hf_entry *entry);

/* Something waits for the ring. */
void hf_ring_wake(void);

/* In a forked child. */
void hf_ring_forget(void);

#endif
