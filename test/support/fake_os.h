// SPDX-License-Identifier: MIT
/*
 * The kernel as a unit test wants it: hf_os with a script. Each line of the script says what the
 * n-th call of a function does; other calls go through.
 */
#ifndef FAKE_OS_H
#define FAKE_OS_H

#include <stdatomic.h>

#include "os/os.h"
#include "unit.h"

enum os_call { OS_PREAD, OS_PWRITE, OS_OPEN, OS_CLOSE, OS_FCNTL, OS_STATX, OS_IOCTL, OS_CALLS };

struct os_fault {
    enum os_call call;
    unsigned nth;       /* from 1; 0: every call */
    int error;          /* errno of a failure; 0: no failure */
    size_t limit;       /* reads and writes: at most so many bytes; SIZE_MAX: all */
    void (*then)(void); /* done before the call */
};

static struct hf_os_calls real_os;
static struct os_fault os_faults[16];
static unsigned os_fault_count;
static atomic_uint os_counts[OS_CALLS];

/* The fault for this call, or NULL. */
static const struct os_fault *os_take(enum os_call call)
{
    unsigned n = atomic_fetch_add(&os_counts[call], 1) + 1;

    for (unsigned i = 0; i < os_fault_count; i++) {
        const struct os_fault *fault = &os_faults[i];

        if (fault->call != call || (fault->nth != 0 && fault->nth != n))
            continue;
        if (fault->then)
            fault->then();
        return fault;
    }
    return NULL;
}

static bool os_fails(const struct os_fault *fault)
{
    if (!fault || !fault->error)
        return false;
    errno = fault->error;
    return true;
}

static size_t os_limit(const struct os_fault *fault, size_t size)
{
    return fault && fault->limit < size ? fault->limit : size;
}

static ssize_t fake_pread(int fd, void *buffer, size_t size, off_t offset)
{
    const struct os_fault *fault = os_take(OS_PREAD);

    return os_fails(fault) ? -1 : real_os.pread(fd, buffer, os_limit(fault, size), offset);
}

static ssize_t fake_pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
    const struct os_fault *fault = os_take(OS_PWRITE);

    return os_fails(fault) ? -1 : real_os.pwrite(fd, buffer, os_limit(fault, size), offset);
}

static int fake_open(const char *path, int flags)
{
    return os_fails(os_take(OS_OPEN)) ? -1 : real_os.open(path, flags);
}

static int fake_close(int fd)
{
    return os_fails(os_take(OS_CLOSE)) ? -1 : real_os.close(fd);
}

static int fake_fcntl(int fd, int command, long argument)
{
    return os_fails(os_take(OS_FCNTL)) ? -1 : real_os.fcntl(fd, command, argument);
}

static int fake_statx(int dir, const char *path, int flags, unsigned mask, struct statx *out)
{
    return os_fails(os_take(OS_STATX)) ? -1 : real_os.statx(dir, path, flags, mask, out);
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
    return os_fails(os_take(OS_IOCTL)) ? -1 : real_os.ioctl(fd, request, argument);
}

/* Forgets script and counts. */
static inline void os_reset(void)
{
    if (!real_os.pread)
        real_os = hf_os;
    hf_os = (struct hf_os_calls){fake_pread, fake_pwrite, fake_open, fake_close,
                                 fake_fcntl, fake_statx,  fake_ioctl};
    os_fault_count = 0;
    for (int call = 0; call < OS_CALLS; call++)
        os_counts[call] = 0;
}

static inline void os_add(enum os_call call, unsigned nth, int error, size_t limit,
                          void (*then)(void))
{
    os_faults[os_fault_count++] = (struct os_fault){call, nth, error, limit, then};
}

/* The n-th call fails. */
static inline void os_fail(enum os_call call, unsigned nth, int error)
{
    os_add(call, nth, error, SIZE_MAX, NULL);
}

/* The n-th call moves at most so many bytes. */
static inline void os_shorten(enum os_call call, unsigned nth, size_t limit)
{
    os_add(call, nth, 0, limit, NULL);
}

#endif
