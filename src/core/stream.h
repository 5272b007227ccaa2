// SPDX-License-Identifier: MIT
/* The application's streams: what was registered for them, and the lock that keeps two submitters
   of one stream apart. */
#ifndef HF_CORE_STREAM_H
#define HF_CORE_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "hip/hip.h"

/* A stream that is registered, or that someone is submitting to. */
struct hf_stream {
    hipStream_t handle;
    bool registered;
    unsigned flags;        /* HIPFILE_STREAM_* */
    pthread_mutex_t order; /* held while one operation is queued */
    unsigned users;
    struct hf_stream *next;
};

/* 0 or a status: -hipFileInvalidValue for flags that there are not, or when it is registered;
   -hipFileAsyncNotSupported while it is being captured. */
int hf_stream_register(hipStream_t handle, unsigned flags);

/* 0 or -hipFileInvalidValue. */
int hf_stream_deregister(hipStream_t handle);

/* At the driver's closing. */
void hf_stream_deregister_all(void);

/* For a submission: the stream, registered or not, and its flags as they are now. NULL: no memory.
 */
struct hf_stream *hf_stream_enter(hipStream_t handle, unsigned *flags);
void hf_stream_leave(struct hf_stream *stream);

/* In a forked child: no stream is known. */
void hf_stream_forget(void);

#endif
