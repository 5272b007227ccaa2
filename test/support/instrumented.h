// SPDX-License-Identifier: MIT
/* What tests have to know about what they run on: a sanitizer, valgrind, a real GPU. */
#ifndef INSTRUMENTED_H
#define INSTRUMENTED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gcc tells by macros, clang by features. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define UNDER_TSAN true
#else
#define UNDER_TSAN false
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define UNDER_ASAN true
#else
#define UNDER_ASAN false
#endif

static inline bool under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return preloaded && strstr(preloaded, "vgpreload");
}

/* Where everything takes twenty times as long, tests take fewer turns. */
static inline bool runs_slowly(void)
{
    return UNDER_TSAN || under_valgrind();
}

/* Its runtime does not work in a forked child, and has threads, descriptors and limits of its own.
 */
static inline bool on_gpu(void)
{
    const char *device = getenv("HIPLITE_DEVICE");

    return device && strcmp(device, "cuda") == 0;
}

/* Whether the child of a process with threads can go on; if not, the reason is printed. */
static inline bool may_fork(void)
{
    if (UNDER_TSAN)
        printf("SKIP: not under a sanitizer: a child of a process with threads is beyond TSan\n");
    return !UNDER_TSAN;
}

/* Whether batches can use io_uring. Valgrind has all threads wait while one waits for a ring. */
static inline bool may_use_ring(void)
{
    if (under_valgrind())
        printf("SKIP: not under valgrind: a thread that waits for io_uring holds up all others\n");
    fflush(stdout); /* lest a forked child say it again */
    return !under_valgrind();
}

#endif
