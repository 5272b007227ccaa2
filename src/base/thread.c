// SPDX-License-Identifier: MIT
#include "base/thread.h"

#include <signal.h>

int hf_thread_start(pthread_t *thread, void *(*body)(void *argument), void *argument)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -err;
}
