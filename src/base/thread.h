// SPDX-License-Identifier: MIT
/* Threads of the library's own. They take no signals: those are the application's threads'
 * business. */
#ifndef HF_BASE_THREAD_H
#define HF_BASE_THREAD_H

#include <pthread.h>

/* The caller joins or detaches it. 0 or -errno. */
int hf_thread_start(pthread_t *thread, void *(*body)(void *argument), void *argument);

#endif
