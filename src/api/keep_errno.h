// SPDX-License-Identifier: MIT
/* errno is the caller's: only hipFileRead and hipFileWrite may change it, when they return -1. */
#ifndef HF_API_KEEP_ERRNO_H
#define HF_API_KEEP_ERRNO_H

#include <errno.h>

static inline void hf_errno_restore(const int *before)
{
    errno = *before;
}

/* At the top of a function: puts errno back when it returns, however it does. */
#define HF_KEEP_ERRNO                                                                              \
    __attribute__((unused, cleanup(hf_errno_restore))) const int errno_at_entry = errno

#endif
