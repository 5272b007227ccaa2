// SPDX-License-Identifier: MIT
/*
 * From batches to the engines that run their entries. Batches that have something waiting take
 * turns, so that a long batch does not hold up a short one.
 */
#ifndef HF_CORE_FEED_H
#define HF_CORE_FEED_H

#include "core/batch.h"

/* The batch has that many more entries waiting for each engine. */
void hf_feed_add(struct hf_batch *batch, const unsigned count[HF_ENGINES]);

/* The next entry for the ring; NULL: none waits. */
struct hf_entry *hf_feed_take_for_ring(void);

/* Whether one may be waiting for the ring. */
bool hf_feed_has_for_ring(void);

/* The batch is about to go, and nothing in it waits. */
void hf_feed_remove(struct hf_batch *batch);

void hf_feed_before_fork(void);
void hf_feed_after_fork_parent(void);
void hf_feed_after_fork_child(void);

#endif
