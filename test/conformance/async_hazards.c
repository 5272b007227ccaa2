// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-bounce bypass bounce
/*
 * What the program does with HIP while operations are pending, and where held streams could stand
 * in an operation's way: calls that wait for all streams, one queue for everything, few buffers,
 * every stream priority in use.
 */
#include <async_test.h>
#include <pthread.h>

#define SIZE    (1 << 20)
#define CHAIN   16
#define STREAMS 12

static hipFileHandle_t file;
static void *buffer;

static void *open_gate_soon(void *argument)
{
    sleep_ms(50);
    open_gate(argument);
    return NULL;
}

enum call { FREE, HOST_FREE, UNREGISTER, DEVICE_SYNCHRONIZE, OTHERS, CALLS };

/* Those that wait may do so; all return. */
static void do_call(int call)
{
    static char pageable[65536];
    hipStream_t stream;
    void *memory = NULL;

    switch (call) {
    case FREE:
        CHECK_HIP(hipMalloc(&memory, SIZE));
        CHECK_HIP(hipFree(memory));
        break;
    case HOST_FREE:
        CHECK_HIP(hipHostMalloc(&memory, SIZE, hipHostMallocDefault));
        CHECK_HIP(hipHostFree(memory));
        break;
    case UNREGISTER:
        CHECK_HIP(hipHostRegister(pageable, sizeof pageable, hipHostRegisterDefault));
        CHECK_HIP(hipHostUnregister(pageable));
        break;
    case DEVICE_SYNCHRONIZE:
        CHECK_HIP(hipDeviceSynchronize());
        break;
    default:
        stream = make_stream();
        CHECK_HIP(hipMalloc(&memory, SIZE));
        CHECK_HIP(hipMemsetAsync(memory, 0, SIZE, stream));
        CHECK_SYNC(stream);
        CHECK_HIP(hipStreamDestroy(stream));
    }
}

static void test_calls_meanwhile(int call)
{
    struct operation in[CHAIN];
    hipStream_t stream = make_stream();
    struct gate gate = make_gate();
    pthread_t opener;

    fill_buffer(buffer, SIZE, 0);
    close_gate(&gate, stream);
    for (int i = 0; i < CHAIN; i++) {
        in[i] = operation_of(SIZE, 0, 0);
        CHECK_READ(file, buffer, &in[i], stream);
    }
    CHECK(!pthread_create(&opener, NULL, open_gate_soon, &gate));
    do_call(call);
    pthread_join(opener, NULL);
    CHECK_SYNC(stream);
    for (int i = 0; i < CHAIN; i++)
        CHECK_EQUAL(in[i].bytes, SIZE);
    CHECK(buffer_is_pattern(buffer, 0, SIZE, 0, 0));
    CHECK_HIP(hipStreamDestroy(stream));
}

/* A synchronous request on another thread while operations come and go. */
static void *read_synchronously(void *argument)
{
    void *own = make_buffer(SIZE);

    (void)argument;
    for (int i = 0; i < 50; i++)
        CHECK_EQUAL(hipFileRead(file, own, SIZE, 0, 0), SIZE);
    CHECK(buffer_is_pattern(own, 0, SIZE, 0, 0));
    return NULL;
}

static void test_synchronous_meanwhile(int readers)
{
    struct operation in[100];
    hipStream_t streams[4];
    pthread_t threads[3];

    for (int i = 0; i < 4; i++)
        streams[i] = make_stream();
    for (int i = 0; i < readers; i++)
        CHECK(!pthread_create(&threads[i], NULL, read_synchronously, NULL));
    for (int i = 0; i < 100; i++) {
        in[i] = operation_of(SIZE, 0, i % 4 * SIZE);
        CHECK_READ(file, buffer, &in[i], streams[i % 4]);
    }
    for (int i = 0; i < 4; i++)
        CHECK_SYNC(streams[i]);
    for (int i = 0; i < 100; i++)
        CHECK_EQUAL(in[i].bytes, SIZE);
    for (int i = 0; i < readers; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        CHECK_HIP(hipStreamDestroy(streams[i]));
}

/* Streams of several priorities with operations at a time: copies must never be on one that is
   held. With all three in use there is none left, and submissions wait for their stream. */
static void test_priorities(int priorities)
{
    struct operation in[STREAMS];
    hipStream_t streams[STREAMS];
    struct gate gate = make_gate();
    pthread_t opener;
    int least, greatest;

    CHECK_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least - greatest + 1 >= priorities);
    gate.value = 1;
    CHECK(!pthread_create(&opener, NULL, open_gate_soon, &gate));
    for (int i = 0; i < STREAMS; i++) {
        CHECK_HIP(hipStreamCreateWithPriority(&streams[i], hipStreamNonBlocking,
                                              greatest + i % priorities));
        hold_stream(&gate, 1, streams[i]);
        in[i] = operation_of(SIZE, 0, i * SIZE);
        CHECK_READ(file, buffer, &in[i], streams[i]);
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK_SYNC(streams[i]);
        CHECK_EQUAL(in[i].bytes, SIZE);
        CHECK_HIP(hipStreamDestroy(streams[i]));
    }
    pthread_join(opener, NULL);
}

static const struct test {
    const char *name;
    void (*body)(int argument);
    int argument;
} tests[] = {
    {"hipFree", test_calls_meanwhile, FREE},
    {"hipHostFree", test_calls_meanwhile, HOST_FREE},
    {"hipHostUnregister", test_calls_meanwhile, UNREGISTER},
    {"hipDeviceSynchronize", test_calls_meanwhile, DEVICE_SYNCHRONIZE},
    {"other streams", test_calls_meanwhile, OTHERS},
    {"synchronous requests", test_synchronous_meanwhile, 3},
    {"one priority", test_priorities, 1},
    {"two priorities", test_priorities, 2},
    {"three priorities", test_priorities, 3},
};

/* One queue for each priority, one pinned buffer, one worker; or plenty of each. */
static void run(const struct test *test, bool little)
{
    setenv("HIPLITE_QUEUES", little ? "1" : "16", 1);
    if (little) {
        setenv("HIPFILE_MAX_IO_THREADS", "1", 1);
        setenv("HIPFILE_MAX_DEVICE_CACHE_SIZE_KB", "256", 1);
    }
    file = register_file(make_file(SIZE, mode.direct ? O_DIRECT : 0));
    buffer = make_buffer(STREAMS * SIZE);
    test->body(test->argument);
}

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    for (int little = 1; little >= 0; little--)
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
            if (little && tests[i].argument == OTHERS && tests[i].body == test_calls_meanwhile)
                continue; /* it would stand behind the gate in the one queue */
            if (in_case(tests[i].name)) {
                run(&tests[i], little);
                exit(0);
            }
        }
    return failed_cases ? 1 : 0;
}
