// SPDX-License-Identifier: MIT
/* For unit tests: cmocka, and helpers that look at the process from outside. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"

/* Open descriptors of this process, the one that reads the folder left out. */
static inline unsigned open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 3; /* ".", ".." and the folder itself */
}

/* An unlinked file of `size` bytes in /tmp, byte i being pattern(i). */
static inline unsigned char pattern(uint64_t i)
{
    return (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 16) + 1);
}

static inline int make_file(const char *folder, size_t size, int flags)
{
    char path[128];
    int plain, fd;

    snprintf(path, sizeof path, "%s/hipfile_unit_XXXXXX", folder);
    plain = mkstemp(path);
    assert_true(plain >= 0);
    for (size_t i = 0; i < size; i++) {
        unsigned char block[4096];
        size_t n = size - i < sizeof block ? size - i : sizeof block;

        for (size_t k = 0; k < n; k++)
            block[k] = pattern(i + k);
        assert_int_equal(pwrite(plain, block, n, (off_t)i), n);
        i += n - 1;
    }
    fd = open(path, flags | O_CLOEXEC);
    close(plain);
    unlink(path);
    return fd;
}

/* Settings as a test wants them; the loading would only replace them. */
static inline void set(enum hf_setting id, size_t value)
{
    atomic_store(&hf_settings_in_force[id], value);
}

static inline void load_default_settings(void)
{
    hf_settings_load();
    set(HF_SET_LOGGING_LEVEL, HF_LOG_OFF);
}

#endif
