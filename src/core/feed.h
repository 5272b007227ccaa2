// SPDX-License-Identifier: MIT
/*
 * From batches to the engine that runs their entries. Batches that have something waiting take
 * turns, so that a long batch does not hold up a short one.
 */
#ifndef HF_CORE_FEED_H
#define HF_CORE_FEED_H

#include "core/batch.h"

/* The batch has `count` more entries waiting. */
void hf_feed_add(struct hf_batch *batch, unsigned count);

/* The batch is about to go, and nothing in it waits. */
void hf_feed_remove(struct hf_batch *batch);

void hf_feed_before_fork(void);
void hf_feed_after_fork_parent(void);
void hf_feed_after_fork_child(void);

#endif
