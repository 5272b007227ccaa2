// SPDX-License-Identifier: MIT
/*
 * Errors inside the library: one signed integer in three disjoint ranges.
 *
 *     -1    .. -4095     -errno
 *     -5001 .. -5039     -hipFileOpError_t
 *     -10000 and below   -(10000 + hipError_t)
 *
 * They are translated once, in src/api/, into what the caller sees.
 */
#ifndef HF_BASE_STATUS_H
#define HF_BASE_STATUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "hipfile.h"

#define HF_STATUS_HIP_BASE  10000
#define HF_STATUS_ERRNO_MAX 4095

static inline int hf_status_from_hip(hipError_t error)
{
    return error == hipSuccess ? 0 : -(HF_STATUS_HIP_BASE + (int)error);
}

static inline bool hf_status_is_errno(ssize_t status)
{
    return status < 0 && status >= -HF_STATUS_ERRNO_MAX;
}

static inline bool hf_status_is_hip(ssize_t status)
{
    return status < -HF_STATUS_HIP_BASE;
}

/* For functions that return hipFileError_t. */
hipFileError_t hf_status_to_error(int status);

/* For hipFileRead and hipFileWrite: a count passes through, an errno becomes -1 with errno set, a
   HIP failure becomes -hipFileHipDriverError and is kept for the thread. */
ssize_t hf_status_to_result(ssize_t status);

/* For *bytes_p and batch events, where no errno travels along: -errno or -code, never a bare -1. */
ssize_t hf_status_to_completion(ssize_t status);

/* The HIP error behind the thread's last -hipFileHipDriverError. */
hipError_t hf_status_last_hip_error(void);

/* The text of a public code; a generic one for any other value. Never NULL. */
const char *hf_status_text(int code);

/* The text of any internal status, for log lines. Valid until the thread's next call. */
const char *hf_status_describe(ssize_t status);

#endif
