// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: bypass-bounce bypass bounce
/* What may end before an operation does: registrations, the stream, the driver, the process. */
#include <async_test.h>
#include <signal.h>
#include <sys/wait.h>

#define SIZE (1 << 20)

static int fd;
static hipFileHandle_t file;
static void *buffer;
static struct gate gate;

static void open_again(void)
{
    file = register_file(fd);
}

static void test_registrations_end(void)
{
    struct operation in = operation_of(SIZE, 0, 0), out = operation_of(SIZE, SIZE, 0);
    hipStream_t stream = make_stream();

    fill_buffer(buffer, SIZE, 0);
    CHECK_OK(hipFileBufRegister(buffer, SIZE, 0));
    CHECK_OK(hipFileStreamRegister(stream, HIPFILE_STREAM_FLAGS_MASK));
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_WRITE(file, buffer, &out, stream);
    CHECK_OK(hipFileStreamDeregister(stream));
    hipFileHandleDeregister(file);
    CHECK_CODE(submit(false, file, buffer, &in, stream), hipFileHandleNotRegistered);
    CHECK_CODE(hipFileBufDeregister(buffer), hipFileInternalError); /* busy */
    open_again(); /* the same number, while the old handle's operations are pending */
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_EQUAL(out.bytes, SIZE);
    CHECK_OK(hipFileBufDeregister(buffer)); /* free as soon as the stream has passed */
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK_HIP(hipStreamDestroy(stream));
}

static void test_stream_destroyed(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t stream = make_stream();
    hipEvent_t event;

    CHECK_HIP(hipEventCreate(&event));
    fill_buffer(buffer, SIZE, 0);
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_HIP(hipStreamDestroy(stream));
    open_gate(&gate);
    CHECK_HIP(hipEventSynchronize(event));
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK_HIP(hipEventDestroy(event));
}

/* The close returns at once; what is pending is carried out; nothing of it is known afterwards. The
   pinned buffers stay as they are, although the next opening asks for others. */
static void test_driver_closed(void)
{
    struct operation in = operation_of(SIZE, 0, 0), out = operation_of(SIZE, SIZE, 0);
    hipStream_t stream = make_stream();

    CHECK_OK(hipFileStreamRegister(stream, 0));
    fill_buffer(buffer, SIZE, 0);
    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_WRITE(file, buffer, &out, stream);
    while (hipFileUseCount() > 0)
        CHECK_OK(hipFileDriverClose());
    CHECK_CODE(hipFileStreamDeregister(stream), hipFileInvalidValue);
    CHECK_OK(hipFileSetParameterSizeT(hipFileParamPropertiesPerBufferCacheSizeKB, 256));
    CHECK_OK(hipFileDriverOpen());
    CHECK_CODE(submit(false, file, buffer, &in, stream), hipFileHandleNotRegistered);
    open_again();
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_EQUAL(out.bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK_HIP(hipStreamDestroy(stream));
}

/* Two hundred operations, some under way, the rest behind a gate that nobody opens: the end of the
   process waits for none of them. */
static void end_with_work(void)
{
    static struct operation in[200];
    hipStream_t busy = make_stream(), gated = make_stream();

    close_gate(&gate, gated);
    for (int i = 0; i < 200; i++) {
        in[i] = operation_of(SIZE, 0, 0);
        CHECK_READ(file, buffer, &in[i], i % 2 ? gated : busy);
    }
    exit(0);
}

static int run_in_child(void (*body)(void))
{
    int status = -1;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(30);
        body();
        exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

/* In the child nothing of the parent's is known, and all works anew. */
static void use_anew(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t stream = make_stream();

    CHECK_EQUAL(hipFileUseCount(), 0);
    CHECK_CODE(hipFileStreamDeregister(stream), hipFileInvalidValue);
    CHECK_CODE(submit(false, file, buffer, &in, stream), hipFileInvalidValue);
    CHECK_CODE(submit(false, file, buffer, &in, stream), hipFileHandleNotRegistered);
    open_again();
    fill_buffer(buffer, SIZE, 0);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(submit(false, file, buffer, &in, stream));
        CHECK_SYNC(stream);
        CHECK_EQUAL(in.bytes, SIZE);
    }
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
}

static void end_in_child(void)
{
    open_again();
    end_with_work();
}

static void test_process_ends(void)
{
    int64_t before = now_ms();

    CHECK_EQUAL(run_in_child(end_in_child), 0);
    CHECK(now_ms() - before < 1500);
}

static void test_fork(void)
{
    struct operation in = operation_of(SIZE, 0, 0);
    hipStream_t stream = make_stream();

    close_gate(&gate, stream);
    CHECK_READ(file, buffer, &in, stream);
    CHECK_EQUAL(run_in_child(use_anew), 0);
    open_gate(&gate);
    CHECK_SYNC(stream);
    CHECK_EQUAL(in.bytes, SIZE);
    CHECK_HIP(hipStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    setenv("HIPLITE_DEVICE", "cpu", 1); /* which works in forked children */
    set_mode(argc, argv);
    fd = make_file(2 * SIZE, mode.direct ? O_DIRECT : 0);
    open_again();
    buffer = make_buffer(SIZE);
    gate = make_gate();

    test_registrations_end();
    test_stream_destroyed();
    test_driver_closed();
    if (may_fork()) {
        test_fork();
        test_process_ends();
    }
    return 0;
}
