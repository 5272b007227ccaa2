// SPDX-License-Identifier: MIT
/*
 * The kernel's calls about files, in one table.
 *
 * Everything under src/os/ calls through it, so that a test can make the n-th call fail or come
 * back short. The slots have the calls' own semantics: -1 and errno.
 */
#ifndef HF_OS_OS_H
#define HF_OS_OS_H

#include <sys/stat.h>
#include <sys/types.h>

struct hf_os_calls {
    ssize_t (*pread)(int fd, void *buffer, size_t size, off_t offset);
    ssize_t (*pwrite)(int fd, const void *buffer, size_t size, off_t offset);
    int (*open)(const char *path, int flags);
    int (*close)(int fd);
    int (*fcntl)(int fd, int command, long argument);
    int (*statx)(int dir, const char *path, int flags, unsigned mask, struct statx *out);
    int (*ioctl)(int fd, unsigned long request, void *argument);
};

extern struct hf_os_calls hf_os;

#endif
