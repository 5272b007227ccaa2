// SPDX-License-Identifier: MIT
#include "hip/stream.h"

#include <stdatomic.h>

#include "base/status.h"
#include "hip/device.h"

/* Asking about the default stream fails while a stream that it would wait for is being captured. */
static bool is_about_capture(hipError_t error)
{
    return error >= hipErrorStreamCaptureUnsupported && error <= hipErrorStreamCaptureWrongThread;
}

static int check_capture(hipStream_t handle)
{
    hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
    hipError_t error = hf_hip.hipStreamIsCapturing(handle, &capture);

    if (error == hipErrorNotSupported)
        return 0;
    if (is_about_capture(error))
        return -hipFileAsyncNotSupported;
    if (error != hipSuccess)
        return hf_status_from_hip(error);
    return capture == hipStreamCaptureStatusNone ? 0 : -hipFileAsyncNotSupported;
}

int hf_hip_stream_describe(hipStream_t handle, struct hf_hip_stream *stream)
{
    int err = check_capture(handle);
    hipError_t error;

    if (err)
        return err;
    stream->handle = handle;
    error = hf_hip.hipStreamGetPriority(handle, &stream->priority);
    if (error == hipErrorNotSupported)
        stream->priority = 0;
    else if (error != hipSuccess)
        return hf_status_from_hip(error);
    error = handle ? hf_hip.hipStreamGetDevice(handle, &stream->device) : hipErrorNotSupported;
    if (error == hipErrorNotSupported)
        error = hf_hip.hipGetDevice(&stream->device);
    if (error == hipSuccess && (stream->device < 0 || stream->device >= HF_MAX_DEVICES))
        return -hipFileDeviceNotSupported;
    return hf_status_from_hip(error);
}

bool hf_hip_stream_can_wait(int device)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known[HF_MAX_DEVICES];
    int can = 0;

    if (known[device] == UNKNOWN) {
        if (hf_hip.hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, device) !=
            hipSuccess)
            can = 0;
        known[device] = can ? YES : NO;
    }
    return known[device] == YES;
}

bool hf_hip_stream_is_idle(const struct hf_hip_stream *stream)
{
    unsigned flags = 0;

    return stream->handle && hf_hip.hipStreamGetFlags(stream->handle, &flags) == hipSuccess &&
           (flags & hipStreamNonBlocking) && hf_hip.hipStreamQuery(stream->handle) == hipSuccess;
}

int hf_hip_stream_call(const struct hf_hip_stream *stream, hipHostFn_t function, void *argument)
{
    return hf_status_from_hip(hf_hip.hipLaunchHostFunc(stream->handle, function, argument));
}

int hf_hip_stream_wait(const struct hf_hip_stream *stream, uint64_t *word, uint64_t value)
{
    return hf_status_from_hip(hf_hip.hipStreamWaitValue64(stream->handle, word, value,
                                                          hipStreamWaitValueGte, UINT64_MAX));
}

int hf_hip_stream_drain(const struct hf_hip_stream *stream)
{
    return hf_status_from_hip(hf_hip.hipStreamSynchronize(stream->handle));
}

int hf_hip_word_make(uint64_t **word)
{
    void *memory = NULL;
    hipError_t error = hf_hip.hipExtMallocWithFlags(&memory, sizeof **word, hipMallocSignalMemory);

    if (error != hipSuccess)
        return hf_status_from_hip(error);
    *word = memory;
    atomic_store((_Atomic uint64_t *)*word, 0);
    return 0;
}

hipStreamCaptureMode hf_hip_capture_leave(void)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;

    return hf_hip.hipThreadExchangeStreamCaptureMode(&mode) == hipSuccess
               ? mode
               : hipStreamCaptureModeRelaxed;
}

void hf_hip_capture_return(hipStreamCaptureMode mode)
{
    if (mode != hipStreamCaptureModeRelaxed)
        hf_hip.hipThreadExchangeStreamCaptureMode(&mode);
}
