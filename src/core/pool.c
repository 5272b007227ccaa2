// SPDX-License-Identifier: MIT
#include "core/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "base/refs.h"
#include "base/settings.h"
#include "base/thread.h"
#include "hip/hip.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_waits = PTHREAD_COND_INITIALIZER;
static struct hf_task *first;
static struct hf_task **last = &first;
static unsigned threads, sleeping, queued;

static struct hf_task *take(void)
{
    struct hf_task *task = first;

    if (!task)
        return NULL;
    first = task->next;
    if (!first)
        last = &first;
    queued--;
    return task;
}

static void *serve(void *argument)
{
    (void)argument;
    hf_shard_join();
    pthread_mutex_lock(&lock);
    for (;;) {
        struct hf_task *task = take();

        if (task) {
            pthread_mutex_unlock(&lock);
            hf_hip_enter_worker();
            task->run(task);
            pthread_mutex_lock(&lock);
        } else {
            sleeping++;
            pthread_cond_wait(&work_waits, &lock);
            sleeping--;
        }
    }
    return NULL;
}

static int start_thread(void)
{
    pthread_t thread;
    int err = hf_thread_start(&thread, serve, NULL);

    if (err)
        return err;
    pthread_detach(thread);
    threads++;
    return 0;
}

int hf_pool_prepare(void)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    if (threads == 0)
        err = start_thread();
    pthread_mutex_unlock(&lock);
    return err;
}

int hf_pool_submit(struct hf_task *task)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    if (sleeping <= queued && threads < hf_setting_size(HF_SET_MAX_IO_THREADS))
        err = start_thread();
    if (err == 0 || threads > 0) {
        task->next = NULL;
        *last = task;
        last = &task->next;
        queued++;
        pthread_cond_signal(&work_waits);
        err = 0;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

bool hf_pool_withdraw(struct hf_task *task)
{
    struct hf_task **link;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (link = &first; *link && *link != task; link = &(*link)->next)
        ;
    if (*link) {
        *link = task->next;
        if (last == &task->next)
            last = link;
        queued--;
        found = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void hf_pool_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&work_waits, NULL);
    first = NULL;
    last = &first;
    threads = sleeping = queued = 0;
}
