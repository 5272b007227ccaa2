// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: bypass-bounce bypass bounce
/* Stream capture: a capturing stream is refused and its capture stays whole, and so does any other
   capture while operations come and go. */
#include <async_test.h>
#include <pthread.h>

#define SIZE (1 << 20)

static const hipStreamCaptureMode modes[] = {
    hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed};

static hipFileHandle_t file;
static void *buffer;

static void end_whole(hipStream_t stream)
{
    hipGraph_t graph = NULL;

    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    CHECK(graph);
    CHECK_HIP(hipGraphDestroy(graph));
}

static void test_capturing_stream(hipStreamCaptureMode capture)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t stream = make_stream();

    CHECK_HIP(hipStreamBeginCapture(stream, capture));
    CHECK_CODE(submit(false, file, buffer, &in, stream), hipFileAsyncNotSupported);
    CHECK_CODE(submit(true, file, buffer, &in, stream), hipFileAsyncNotSupported);
    CHECK_CODE(hipFileStreamRegister(stream, 0), hipFileAsyncNotSupported);
    CHECK_EQUAL(in.bytes, -77);
    CHECK_EQUAL(hipGetLastError(), hipSuccess);
    end_whole(stream);

    CHECK_READ(file, buffer, &in, stream); /* afterwards it is a stream like any other */
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(stream));
}

/* The default stream cannot be used while one that it waits for is being captured. */
static void test_default_stream(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t blocking;

    CHECK_HIP(hipStreamCreate(&blocking));
    CHECK_HIP(hipStreamBeginCapture(blocking, hipStreamCaptureModeRelaxed));
    CHECK_CODE(submit(false, file, buffer, &in, NULL), hipFileAsyncNotSupported);
    end_whole(blocking);
    CHECK_READ(file, buffer, &in, NULL);
    CHECK_SYNC(NULL);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(blocking));
}

/* The test's own calls leave the capture alone; hipFile's are made in the mode that is found. */
static void synchronize_aside(hipStream_t stream)
{
    hipStreamCaptureMode found = hipStreamCaptureModeRelaxed;

    CHECK_HIP(hipThreadExchangeStreamCaptureMode(&found));
    CHECK_SYNC(stream);
    CHECK_HIP(hipThreadExchangeStreamCaptureMode(&found));
}

static void transfer(hipStream_t stream)
{
    struct operation in[20];

    for (int i = 0; i < 20; i++) {
        in[i] = operation_of(SIZE, 0, 0);
        CHECK_READ(file, buffer, &in[i], stream);
    }
    synchronize_aside(stream);
    for (int i = 0; i < 20; i++)
        CHECK_EQUAL(in[i].bytes, SIZE);
    CHECK_EQUAL(hipFileRead(file, buffer, SIZE, 0, 0), SIZE);
}

/* The capture is as it was, and so is the thread's own part in it. */
static void test_same_thread(hipStreamCaptureMode capture)
{
    hipStream_t stream = make_stream(), other = make_stream();
    hipStreamCaptureMode found = hipStreamCaptureModeThreadLocal;

    CHECK_HIP(hipThreadExchangeStreamCaptureMode(&found));
    CHECK_HIP(hipStreamBeginCapture(stream, capture));
    transfer(other);
    end_whole(stream);
    CHECK_HIP(hipThreadExchangeStreamCaptureMode(&found));
    CHECK_EQUAL(found, hipStreamCaptureModeThreadLocal);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipStreamDestroy(other));
}

static atomic_bool captured, transferred;

static void *capture_meanwhile(void *argument)
{
    hipStream_t stream = make_stream();

    CHECK_HIP(hipStreamBeginCapture(stream, *(hipStreamCaptureMode *)argument));
    captured = true;
    while (!transferred)
        sleep_ms(1);
    end_whole(stream);
    CHECK_HIP(hipStreamDestroy(stream));
    return NULL;
}

static void test_other_thread(hipStreamCaptureMode capture)
{
    hipStream_t stream = make_stream();
    pthread_t thread;

    captured = transferred = false;
    CHECK(!pthread_create(&thread, NULL, capture_meanwhile, &capture));
    while (!captured)
        sleep_ms(1);
    transfer(stream);
    transferred = true;
    pthread_join(thread, NULL);
    CHECK_HIP(hipStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    file = register_file(make_file(SIZE, mode.direct ? O_DIRECT : 0));
    buffer = make_buffer(SIZE);

    /* First of all, so that lanes, buffers and slots are made while a capture is on. */
    test_other_thread(hipStreamCaptureModeGlobal);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        test_capturing_stream(modes[i]);
        test_other_thread(modes[i]);
        test_same_thread(modes[i]);
    }
    test_default_stream();
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    return 0;
}
