// SPDX-License-Identifier: MIT
#include "error.h"

#include <string.h>

#include "runtime.h"

#define ERRORS(X)                                                                                  \
    X(hipSuccess, "no error")                                                                      \
    X(hipErrorInvalidValue, "invalid argument")                                                    \
    X(hipErrorOutOfMemory, "out of memory")                                                        \
    X(hipErrorNotInitialized, "initialization error")                                              \
    X(hipErrorDeinitialized, "runtime is shutting down")                                           \
    X(hipErrorProfilerDisabled, "profiler is disabled")                                            \
    X(hipErrorProfilerNotInitialized, "profiler is not initialized")                               \
    X(hipErrorProfilerAlreadyStarted, "profiler already started")                                  \
    X(hipErrorProfilerAlreadyStopped, "profiler already stopped")                                  \
    X(hipErrorInvalidConfiguration, "invalid configuration argument")                              \
    X(hipErrorInvalidPitchValue, "invalid pitch")                                                  \
    X(hipErrorInvalidSymbol, "invalid device symbol")                                              \
    X(hipErrorInvalidDevicePointer, "invalid device pointer")                                      \
    X(hipErrorInvalidMemcpyDirection, "copy direction does not fit the memory")                    \
    X(hipErrorInsufficientDriver, "driver is too old for the runtime")                             \
    X(hipErrorMissingConfiguration, "launch without configuration")                                \
    X(hipErrorPriorLaunchFailure, "an earlier launch failed")                                      \
    X(hipErrorInvalidDeviceFunction, "invalid device function")                                    \
    X(hipErrorNoDevice, "no device")                                                               \
    X(hipErrorInvalidDevice, "invalid device number")                                              \
    X(hipErrorInvalidImage, "invalid device image")                                                \
    X(hipErrorInvalidContext, "invalid context")                                                   \
    X(hipErrorContextAlreadyCurrent, "context is already current")                                 \
    X(hipErrorMapFailed, "mapping failed")                                                         \
    X(hipErrorUnmapFailed, "unmapping failed")                                                     \
    X(hipErrorArrayIsMapped, "array is mapped")                                                    \
    X(hipErrorAlreadyMapped, "already mapped")                                                     \
    X(hipErrorNoBinaryForGpu, "no code for this device")                                           \
    X(hipErrorAlreadyAcquired, "already acquired")                                                 \
    X(hipErrorNotMapped, "not mapped")                                                             \
    X(hipErrorNotMappedAsArray, "not mapped as an array")                                          \
    X(hipErrorNotMappedAsPointer, "not mapped as a pointer")                                       \
    X(hipErrorECCNotCorrectable, "uncorrectable memory error")                                     \
    X(hipErrorUnsupportedLimit, "limit is not supported")                                          \
    X(hipErrorContextAlreadyInUse, "context is in use")                                            \
    X(hipErrorPeerAccessUnsupported, "peer access is not supported")                               \
    X(hipErrorInvalidKernelFile, "invalid kernel file")                                            \
    X(hipErrorInvalidGraphicsContext, "invalid graphics context")                                  \
    X(hipErrorInvalidSource, "invalid source")                                                     \
    X(hipErrorFileNotFound, "file not found")                                                      \
    X(hipErrorSharedObjectSymbolNotFound, "symbol not found in shared object")                     \
    X(hipErrorSharedObjectInitFailed, "shared object failed to initialize")                        \
    X(hipErrorOperatingSystem, "operating system call failed")                                     \
    X(hipErrorInvalidHandle, "invalid handle")                                                     \
    X(hipErrorIllegalState, "not allowed in this state")                                           \
    X(hipErrorNotFound, "not found")                                                               \
    X(hipErrorNotReady, "not ready")                                                               \
    X(hipErrorIllegalAddress, "illegal memory address")                                            \
    X(hipErrorLaunchOutOfResources, "too many resources for the launch")                           \
    X(hipErrorLaunchTimeOut, "launch timed out")                                                   \
    X(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                          \
    X(hipErrorPeerAccessNotEnabled, "peer access is not enabled")                                  \
    X(hipErrorSetOnActiveProcess, "device is already active")                                      \
    X(hipErrorContextIsDestroyed, "context or stream is destroyed")                                \
    X(hipErrorAssert, "device-side assertion failed")                                              \
    X(hipErrorHostMemoryAlreadyRegistered, "host memory is already registered")                    \
    X(hipErrorHostMemoryNotRegistered, "host memory is not registered")                            \
    X(hipErrorLaunchFailure, "launch failed")                                                      \
    X(hipErrorCooperativeLaunchTooLarge, "cooperative launch is too large")                        \
    X(hipErrorNotSupported, "not supported")                                                       \
    X(hipErrorStreamCaptureUnsupported, "not permitted while a stream is capturing")               \
    X(hipErrorStreamCaptureInvalidated, "stream capture is invalidated")                           \
    X(hipErrorStreamCaptureMerge, "would merge two stream captures")                               \
    X(hipErrorStreamCaptureUnmatched, "stream is not capturing")                                   \
    X(hipErrorStreamCaptureUnjoined, "stream capture has work that was not joined")                \
    X(hipErrorStreamCaptureIsolation, "dependency would cross the capture's boundary")             \
    X(hipErrorStreamCaptureImplicit, "implicit dependency on a capturing stream")                  \
    X(hipErrorCapturedEvent, "event was recorded in a capturing stream")                           \
    X(hipErrorStreamCaptureWrongThread, "stream capture was begun by another thread")              \
    X(hipErrorGraphExecUpdateFailure, "graph update failed")                                       \
    X(hipErrorInvalidChannelDescriptor, "invalid channel descriptor")                              \
    X(hipErrorInvalidTexture, "invalid texture")                                                   \
    X(hipErrorUnknown, "unknown error")                                                            \
    X(hipErrorRuntimeMemory, "runtime memory call failed")                                         \
    X(hipErrorRuntimeOther, "runtime call other than memory failed")                               \
    X(hipErrorTbd, "not classified")

static const struct error_entry {
    hipError_t code;
    const char *name;
    const char *text;
} errors[] = {
#define ERROR_ENTRY(code, text) {code, #code, text},
    ERRORS(ERROR_ENTRY)};
#define ERROR_COUNT (sizeof(errors) / sizeof(errors[0]))

static const struct error_entry *error_find(hipError_t code)
{
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        if (errors[i].code == code)
            return &errors[i];
    }
    return error_find(hipErrorUnknown);
}

bool hl_error_known(hipError_t code)
{
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        if (errors[i].code == code)
            return true;
    }
    return false;
}

bool hl_error_parse(const char *name, hipError_t *code)
{
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        if (strcmp(errors[i].name, name) == 0) {
            *code = errors[i].code;
            return true;
        }
    }
    return false;
}

const char *hipGetErrorName(hipError_t error)
{
    hl_enter_free(HL_FN_hipGetErrorName);
    return error_find(error)->name;
}

const char *hipGetErrorString(hipError_t error)
{
    hl_enter_free(HL_FN_hipGetErrorString);
    return error_find(error)->text;
}

hipError_t hipGetLastError(void)
{
    hipError_t error = hl_thread.last_error;

    hl_enter_free(HL_FN_hipGetLastError);
    hl_thread.last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError(void)
{
    hl_enter_free(HL_FN_hipPeekAtLastError);
    return hl_thread.last_error;
}

hipError_t hipExtGetLastError(void)
{
    hipError_t error = hl_thread.last_call;

    hl_enter_free(HL_FN_hipExtGetLastError);
    hl_thread.last_call = hipSuccess;
    return error;
}
