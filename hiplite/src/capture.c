// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "runtime.h"

static bool mode_valid(hipStreamCaptureMode mode)
{
    return (unsigned)mode <= hipStreamCaptureModeRelaxed;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    HL_ENTER(hipStreamBeginCapture);
    if (!mode_valid(mode))
        return hl_leave(hipErrorInvalidValue);
    // The legacy default stream cannot be captured.
    if (stream == NULL || stream == hipStreamLegacy)
        return hl_leave(hipErrorStreamCaptureUnsupported);
    return hl_leave(hl_ops->capture_begin(stream, mode));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *pGraph)
{
    HL_ENTER(hipStreamEndCapture);
    if (pGraph == NULL)
        return hl_leave(hipErrorInvalidValue);
    *pGraph = NULL;
    return hl_leave(hl_ops->capture_end(stream, pGraph));
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus)
{
    HL_ENTER(hipStreamIsCapturing);
    if (pCaptureStatus == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->capture_status(stream, pCaptureStatus));
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    HL_ENTER(hipThreadExchangeStreamCaptureMode);
    if (mode == NULL || !mode_valid(*mode))
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->capture_exchange_mode(mode));
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    HL_ENTER(hipGraphDestroy);
    return hl_leave(graph != NULL ? hl_ops->graph_destroy(graph) : hipErrorInvalidValue);
}
