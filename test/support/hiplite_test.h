// SPDX-License-Identifier: MIT
//
// What the programs that test hiplite share: checks that name line and code, children, clocks.
#ifndef HIPLITE_TEST_H
#define HIPLITE_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// The call returns this code.
#define CHECK_IS(call, code)                                                                       \
    do {                                                                                           \
        hipError_t is_ = (call);                                                                   \
        if (is_ != (code)) {                                                                       \
            fprintf(stderr, "%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call,                \
                    hipGetErrorName(is_), #code);                                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_OK(call) CHECK_IS(call, hipSuccess)

static inline double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void sleep_ms(unsigned ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&left, &left) != 0)
        ;
}

// Runs the body in a child whose first HIP call is its own; the child's wait status.
static inline int in_child(void (*body)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(60);
        body();
        exit(0);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

// A pattern that tells every offset from its neighbours.
static inline unsigned char pattern_at(size_t offset, unsigned seed)
{
    return (unsigned char)(offset * 131 + offset / 251 + seed);
}

static inline void pattern_fill(unsigned char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern_at(i, seed);
}

static inline bool pattern_holds(const unsigned char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != pattern_at(i, seed))
            return false;
    }
    return true;
}

static inline bool bytes_are(const unsigned char *bytes, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value)
            return false;
    }
    return true;
}

#endif
