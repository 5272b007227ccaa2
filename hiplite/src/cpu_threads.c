// SPDX-License-Identifier: MIT
//
// The threads that move bytes (one a queue) and that run host functions (one for all).
#include <signal.h>
#include <string.h>

#include "cpu.h"
#include "runtime.h"

bool hl_thread_start(void *(*body)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, old;
    bool started;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    started = pthread_create(&thread, &attributes, body, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

// --- Copiers ----------------------------------------------------------------------------------

static void work(const struct hl_op *op)
{
    if (op->type == HL_OP_FILL)
        memset(op->fill.dst, op->fill.value, op->fill.size);
    else if (op->copy.upload)
        hl_bytes_upload(op->copy.dst, op->copy.src, op->copy.size);
    else
        memmove(op->copy.dst, op->copy.src, op->copy.size);
}

static void *copier(void *arg)
{
    struct hl_queue *queue = arg;

    hl_queue_lock();
    for (;;) {
        struct hl_op *op;

        while (queue->job == NULL)
            pthread_cond_wait(&queue->wake, &hl_queue_mutex);
        op = queue->job;
        queue->job = NULL;
        hl_queue_unlock();
        work(op);
        hl_queue_lock();
        hl_queue_finish(op);
    }
    return NULL;
}

hipError_t hl_copier_start(struct hl_queue *queue)
{
    if (!queue->has_copier)
        queue->has_copier = hl_thread_start(copier, queue);
    return queue->has_copier ? hipSuccess : hipErrorOutOfMemory;
}

// --- Host functions ---------------------------------------------------------------------------

static struct hl_op *first, *last;
static bool running;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static void call(const struct hl_op *op)
{
    if (op->host.callback != NULL)
        op->host.callback(op->host.handle, hipSuccess, op->host.data);
    else
        op->host.fn(op->host.data);
}

static void *host_thread(void *arg)
{
    (void)arg;
    hl_thread.state = HL_THREAD_HOST_FUNCTION;
    hl_queue_lock();
    for (;;) {
        struct hl_op *op;

        while (first == NULL)
            pthread_cond_wait(&wake, &hl_queue_mutex);
        op = first;
        first = op->next_in_list;
        hl_queue_unlock();
        call(op);
        hl_queue_lock();
        hl_queue_finish(op);
    }
    return NULL;
}

hipError_t hl_host_thread_start(void)
{
    if (!running)
        running = hl_thread_start(host_thread, NULL);
    return running ? hipSuccess : hipErrorOutOfMemory;
}

void hl_host_thread_push(struct hl_op *op)
{
    op->next_in_list = NULL;
    if (first == NULL)
        first = op;
    else
        last->next_in_list = op;
    last = op;
    pthread_cond_signal(&wake);
}

void hl_host_thread_reset(void)
{
    first = last = NULL;
    running = false;
    pthread_cond_init(&wake, NULL);
}
