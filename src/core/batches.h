// SPDX-License-Identifier: MIT
/* The batches that exist, by handle. */
#ifndef HF_CORE_BATCHES_H
#define HF_CORE_BATCHES_H

#include "core/batch.h"

/* 0 or a status. */
int hf_batches_create(unsigned capacity, hipFileBatchHandle_t *handle);

/* Cancels the batch and waits for it; frees it with its last user. False: not a batch. */
bool hf_batches_destroy(hipFileBatchHandle_t handle);

/* At the driver's closing: destroys them all. */
void hf_batches_destroy_all(void);

/* Keeps the batch from being freed; NULL for what is not a batch. */
struct hf_batch *hf_batches_get(hipFileBatchHandle_t handle);
void hf_batches_put(struct hf_batch *batch);

void hf_batches_before_fork(void);
void hf_batches_after_fork_parent(void);
void hf_batches_after_fork_child(void);

#endif
