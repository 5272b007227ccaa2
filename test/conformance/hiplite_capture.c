// SPDX-License-Identifier: MIT
//
// Stream capture: what goes into a graph, what a capture forbids to whom, and how it ends.
#include <pthread.h>

#include "../support/hiplite_test.h"

#define SIZE 4096

static hipStream_t first, second, blocking;
static unsigned char *device;
static unsigned char *pinned;

static hipStreamCaptureStatus status_of(hipStream_t stream)
{
    hipStreamCaptureStatus status = (hipStreamCaptureStatus)77;

    CHECK_OK(hipStreamIsCapturing(stream, &status));
    return status;
}

// Ends a capture that a call has spoiled.
static void check_spoiled(hipStream_t stream)
{
    hipGraph_t graph = (hipGraph_t)&stream;

    CHECK(status_of(stream) == hipStreamCaptureStatusInvalidated);
    CHECK_IS(hipMemsetAsync(device, 1, 1, stream), hipErrorStreamCaptureInvalidated);
    CHECK_IS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    CHECK(graph == NULL);
    CHECK(status_of(stream) == hipStreamCaptureStatusNone);
}

static void check_ends(hipStream_t stream)
{
    hipGraph_t graph;

    CHECK_OK(hipStreamEndCapture(stream, &graph));
    CHECK(graph != NULL);
    CHECK_OK(hipGraphDestroy(graph));
    CHECK_IS(hipGraphDestroy(graph), hipErrorInvalidValue);
}

static void nothing(void *arg)
{
    (void)arg;
}

static void test_work(void)
{
    CHECK_OK(hipMemset(device, 7, SIZE));
    CHECK_OK(hipDeviceSynchronize());
    CHECK(status_of(first) == hipStreamCaptureStatusNone);
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    CHECK(status_of(first) == hipStreamCaptureStatusActive);
    CHECK(status_of(second) == hipStreamCaptureStatusNone);
    CHECK_OK(hipMemsetAsync(device, 8, SIZE, first));
    CHECK_OK(hipMemcpyAsync(pinned, device, SIZE, hipMemcpyDeviceToHost, first));
    CHECK_OK(hipLaunchHostFunc(first, nothing, NULL));
    CHECK_IS(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    check_ends(first);
    CHECK_OK(hipStreamSynchronize(first));
    CHECK_OK(hipMemcpy(pinned, device, SIZE, hipMemcpyDeviceToHost));
    CHECK(bytes_are(pinned, SIZE, 7)); // captured, not done
}

static void test_arguments(void)
{
    hipGraph_t graph;
    hipStreamCaptureStatus status;

    CHECK_IS(hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal),
             hipErrorStreamCaptureUnsupported);
    CHECK_IS(hipStreamBeginCapture(first, (hipStreamCaptureMode)3), hipErrorInvalidValue);
    CHECK_IS(hipStreamEndCapture(first, &graph), hipErrorIllegalState);
    CHECK_IS(hipStreamEndCapture(first, NULL), hipErrorInvalidValue);
    CHECK_IS(hipStreamIsCapturing(first, NULL), hipErrorInvalidValue);
    CHECK_IS(hipStreamIsCapturing((hipStream_t)&graph, &status), hipErrorContextIsDestroyed);
    CHECK_IS(hipGraphDestroy(NULL), hipErrorInvalidValue);
}

// Each of these is refused on a capturing stream, and spoils the capture.
static hipError_t refused(int call, uint64_t *slot)
{
    switch (call) {
    case 0:
        return hipStreamSynchronize(first);
    case 1:
        return hipStreamQuery(first);
    case 2:
        return hipStreamWaitValue64(first, slot, 0, hipStreamWaitValueGte, 1);
    case 3:
        return hipStreamWriteValue64(first, slot, 0, 0);
    case 4:
        return hipStreamDestroy(first);
    case 5:
        return hipMemcpyWithStream(pinned, device, 1, hipMemcpyDeviceToHost, first);
    default:
        return hipStreamAddCallback(first, (hipStreamCallback_t)(void (*)(void))nothing, NULL, 0);
    }
}

static void test_refused(void)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    uint64_t *slot;

    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode)); // so that only the stream matters
    CHECK(mode == hipStreamCaptureModeGlobal);
    for (int call = 0; call < 7; call++) {
        CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed));
        CHECK_IS(refused(call, slot), hipErrorStreamCaptureUnsupported);
        check_spoiled(first);
    }
    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == hipStreamCaptureModeRelaxed);
    CHECK_OK(hipFree(slot));
}

// Calls that touch no stream, but that a capture forbids to the thread.
static hipError_t unsafe(int call)
{
    static unsigned char *ptr;
    static char own[100];
    unsigned char byte;

    switch (call) {
    case 0:
        return hipMalloc((void **)&ptr, 100);
    case 1:
        return hipFree(ptr);
    case 2:
        return hipHostMalloc((void **)&ptr, 100, 0);
    case 3:
        return hipHostFree(ptr);
    case 4:
        return hipMallocManaged((void **)&ptr, 100, hipMemAttachGlobal);
    case 5:
        return hipFree(ptr);
    case 6:
        return hipHostRegister(own, sizeof(own), 0);
    case 7:
        return hipHostUnregister(own);
    case 8:
        return hipMemcpy(&byte, device, 1, hipMemcpyDeviceToHost);
    case 9:
        return hipMemset(device, 0, 1);
    default:
        return hipDeviceSynchronize();
    }
}
#define UNSAFE_CALLS 11

static void check_unsafe(hipStreamCaptureMode capture, hipStreamCaptureMode thread, bool allowed)
{
    hipStreamCaptureMode mode = thread;

    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode));
    for (int call = 0; call < UNSAFE_CALLS; call++) {
        CHECK_OK(hipStreamBeginCapture(first, capture));
        if (allowed) {
            CHECK_OK(unsafe(call));
            check_ends(first);
        } else {
            CHECK_IS(unsafe(call), hipErrorStreamCaptureUnsupported);
            check_spoiled(first);
            CHECK_OK(unsafe(call));
        }
    }
    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode));
}

static void test_unsafe(void)
{
    const hipStreamCaptureMode global = hipStreamCaptureModeGlobal;
    const hipStreamCaptureMode local = hipStreamCaptureModeThreadLocal;
    const hipStreamCaptureMode relaxed = hipStreamCaptureModeRelaxed;

    check_unsafe(global, global, false);
    check_unsafe(global, local, false); // its own capture
    check_unsafe(global, relaxed, true);
    check_unsafe(local, global, false);
    check_unsafe(local, relaxed, true);
    check_unsafe(relaxed, global, true);
}

// Another thread, in a given mode of its own.
static hipStreamCaptureMode other_mode;
static hipError_t other_result;

static void *other_thread(void *arg)
{
    hipGraph_t graph;
    void *ptr = NULL;

    CHECK_OK(hipThreadExchangeStreamCaptureMode(&other_mode));
    other_result = arg == NULL ? hipMalloc(&ptr, 10) : hipStreamEndCapture(first, &graph);
    if (ptr != NULL)
        CHECK_OK(hipFree(ptr));
    return NULL;
}

static hipError_t in_thread(hipStreamCaptureMode mode, bool end)
{
    pthread_t thread;

    other_mode = mode;
    CHECK(pthread_create(&thread, NULL, other_thread, end ? &thread : NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return other_result;
}

static void test_threads(void)
{
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    CHECK_OK(in_thread(hipStreamCaptureModeThreadLocal, false));
    CHECK_OK(in_thread(hipStreamCaptureModeRelaxed, false));
    CHECK_IS(in_thread(hipStreamCaptureModeRelaxed, true), hipErrorStreamCaptureWrongThread);
    CHECK(status_of(first) == hipStreamCaptureStatusActive);
    CHECK_IS(in_thread(hipStreamCaptureModeGlobal, false), hipErrorStreamCaptureUnsupported);
    check_spoiled(first);
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeThreadLocal));
    CHECK_OK(in_thread(hipStreamCaptureModeGlobal, false));
    check_ends(first);
}

// The default stream must not come to depend on a capture.
static void test_implicit(void)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    hipStreamCaptureStatus status;

    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode));
    CHECK_OK(hipStreamBeginCapture(blocking, hipStreamCaptureModeRelaxed));
    CHECK_IS(hipStreamIsCapturing(NULL, &status), hipErrorStreamCaptureImplicit);
    CHECK_IS(hipMemsetAsync(device, 1, 1, NULL), hipErrorStreamCaptureImplicit);
    check_spoiled(blocking);
    CHECK_OK(hipStreamBeginCapture(blocking, hipStreamCaptureModeRelaxed));
    CHECK_IS(hipMemcpy(pinned, device, 1, hipMemcpyDeviceToHost), hipErrorStreamCaptureImplicit);
    check_spoiled(blocking);
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed)); // does not block
    CHECK(status_of(NULL) == hipStreamCaptureStatusNone);
    CHECK_OK(hipMemcpy(pinned, device, 1, hipMemcpyDeviceToHost));
    check_ends(first);
    CHECK_OK(hipThreadExchangeStreamCaptureMode(&mode));
}

static void test_events(void)
{
    hipEvent_t fork, join;
    hipGraph_t graph;

    CHECK_OK(hipEventCreate(&fork));
    CHECK_OK(hipEventCreate(&join));
    // A stream that waits for a captured event joins the capture, and must be waited for.
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    CHECK_OK(hipEventRecord(fork, first));
    CHECK_OK(hipStreamWaitEvent(second, fork, 0));
    CHECK(status_of(second) == hipStreamCaptureStatusActive);
    CHECK_OK(hipMemsetAsync(device, 1, 1, second));
    CHECK_IS(hipStreamEndCapture(second, &graph), hipErrorStreamCaptureUnmatched);
    CHECK_OK(hipEventRecord(join, second));
    CHECK_OK(hipStreamWaitEvent(first, join, 0));
    check_ends(first);
    CHECK(status_of(second) == hipStreamCaptureStatusNone);
    CHECK_IS(hipEventQuery(join), hipErrorCapturedEvent);
    // ... else it cannot end well.
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    CHECK_OK(hipEventRecord(fork, first));
    CHECK_OK(hipStreamWaitEvent(second, fork, 0));
    CHECK_IS(hipStreamEndCapture(first, &graph), hipErrorStreamCaptureUnjoined);
    CHECK(status_of(second) == hipStreamCaptureStatusNone);
    // A captured event has no moment to wait for.
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    CHECK_OK(hipEventRecord(fork, first));
    CHECK_IS(hipEventSynchronize(fork), hipErrorCapturedEvent);
    check_spoiled(first);
    CHECK_OK(hipEventDestroy(fork));
    CHECK_OK(hipEventDestroy(join));
}

static void test_events_between(void)
{
    hipEvent_t outside, inside;

    CHECK_OK(hipEventCreate(&outside));
    CHECK_OK(hipEventCreate(&inside));
    CHECK_OK(hipEventRecord(outside, second));
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed));
    CHECK_IS(hipStreamWaitEvent(first, outside, 0), hipErrorStreamCaptureIsolation);
    check_spoiled(first);
    CHECK_OK(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed));
    CHECK_OK(hipStreamBeginCapture(second, hipStreamCaptureModeRelaxed));
    CHECK_OK(hipEventRecord(inside, first));
    CHECK_IS(hipStreamWaitEvent(second, inside, 0), hipErrorStreamCaptureMerge);
    check_spoiled(first);
    check_spoiled(second);
    CHECK_OK(hipEventRecord(inside, first)); // an ordinary event again
    CHECK_OK(hipEventSynchronize(inside));
    CHECK_OK(hipEventDestroy(outside));
    CHECK_OK(hipEventDestroy(inside));
}

int main(void)
{
    CHECK_OK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK_OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    CHECK_OK(hipStreamCreate(&blocking));
    CHECK_OK(hipMalloc((void **)&device, SIZE));
    CHECK_OK(hipHostMalloc((void **)&pinned, SIZE, 0));
    test_arguments();
    test_work();
    test_refused();
    test_unsafe();
    test_threads();
    test_implicit();
    test_events();
    test_events_between();
    return 0;
}
