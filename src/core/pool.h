// SPDX-License-Identifier: MIT
/*
 * The worker threads. They are started when first needed, at most MaxIOThreads of them, and sleep
 * when there is nothing to do. A task must not wait for another task that has not started.
 */
#ifndef HF_CORE_POOL_H
#define HF_CORE_POOL_H

#include <stdbool.h>

struct hf_task {
    void (*run)(struct hf_task *task); /* the task may be freed by it */
    struct hf_task *next;
};

/* Makes sure that there is a thread, so that hf_pool_submit cannot fail. 0 or -errno. */
int hf_pool_prepare(void);

/* Queues a task, which stays the caller's memory until run is called or it is withdrawn.
   0, or -errno when not even one thread could be started. */
int hf_pool_submit(struct hf_task *task);

/* Takes a task back that no worker has started. False: it runs or has run. */
bool hf_pool_withdraw(struct hf_task *task);

/* In a forked child: no worker is left. */
void hf_pool_forget(void);

#endif
