// SPDX-License-Identifier: MIT
/* The application's streams, as far as operations need them: what they are, and two things to queue
   in them. */
#ifndef HF_HIP_STREAM_H
#define HF_HIP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "hip/hip.h"

struct hf_hip_stream {
    hipStream_t handle;
    int device;
    int priority;
};

/* 0 or a status: -hipFileAsyncNotSupported while it is being captured. NULL is the default stream
   of the current device. */
int hf_hip_stream_describe(hipStream_t handle, struct hf_hip_stream *stream);

/* Whether streams of the device, which is current, can wait for a value in memory. */
bool hf_hip_stream_can_wait(int device);

/* Whether work that is queued now would begin at once. Said of non-blocking streams only: another
   may have to wait for the default stream, which nothing tells. The stream's device is current. */
bool hf_hip_stream_is_idle(const struct hf_hip_stream *stream);

/* Queues a host function. HIP may not be called in it. The stream's device is current. */
int hf_hip_stream_call(const struct hf_hip_stream *stream, hipHostFn_t function, void *argument);

/* Queues a wait until the word is at least the value. The stream's device is current. */
int hf_hip_stream_wait(const struct hf_hip_stream *stream, uint64_t *word, uint64_t value);

/* Waits for everything in the stream. */
int hf_hip_stream_drain(const struct hf_hip_stream *stream);

/* One word that streams of the current device can wait for and the CPU can store to. It is never
   given back: a stream may look at it long after the wait has ended. */
int hf_hip_word_make(uint64_t **word);

/* Around the calling thread's HIP calls: whatever is being captured elsewhere, they neither break
   it nor are refused. */
hipStreamCaptureMode hf_hip_capture_leave(void);
void hf_hip_capture_return(hipStreamCaptureMode mode);

#endif
