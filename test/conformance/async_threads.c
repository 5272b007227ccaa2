// SPDX-License-Identifier: MIT
// ctest-args: wait-direct wait direct
// ctest-args: wait-bounce wait bounce
// ctest-args: wait-host wait host
// ctest-args: bypass-bounce bypass bounce
/*
 * Many operations at once: 10,000 random ones over 16 streams against a model of file and memory;
 * several threads on one stream; many thousands outstanding; 256 streams.
 */
#include <async_test.h>
#include <pthread.h>

#define STREAMS    16
#define OPERATIONS 10000
#define SHARE      (256 * 1024) /* of file and buffer, for each stream */
#define SUBMITTERS 4

static int fd;
static hipFileHandle_t file;

/* A stream has a range of the file and one of the memory for itself, so that the order within the
   stream decides every byte. */
struct lane {
    hipStream_t stream;
    unsigned char *buffer, *memory, *contents; /* the latter two: what should be there */
    off_t start;
    struct operation *queued;
    ssize_t *expected;
    size_t count;
};

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

static void open_lane(struct lane *lane, int index)
{
    lane->stream = make_stream();
    lane->buffer = make_buffer(SHARE);
    lane->memory = malloc(SHARE);
    lane->contents = malloc(SHARE);
    lane->queued = calloc(OPERATIONS, sizeof lane->queued[0]);
    lane->expected = calloc(OPERATIONS, sizeof lane->expected[0]);
    CHECK(lane->memory && lane->contents && lane->queued && lane->expected);
    lane->start = (off_t)index * SHARE;
    lane->count = 0;
    pattern_buffer(lane->buffer, 0, SHARE, 0, (unsigned)index);
    for (size_t i = 0; i < SHARE; i++) {
        lane->memory[i] = pattern(i, (unsigned)index);
        lane->contents[i] = pattern((uint64_t)lane->start + i, 0);
    }
}

static size_t random_size(void)
{
    static const size_t sizes[] = {0, 1, 511, 512, 4095, 4096, 4097, 8192, 65536, 100000};
    size_t size = sizes[random_below(sizeof sizes / sizeof sizes[0])];

    return random_below(4) ? size : random_below(SHARE / 2);
}

static size_t random_offset(size_t size)
{
    size_t offset = random_below(SHARE - size);

    return random_below(2) ? offset : offset / 4096 * 4096;
}

static void queue_random(struct lane *lane)
{
    size_t size = random_size(), in_file = random_offset(size), in_memory = random_offset(size);
    struct operation *operation = &lane->queued[lane->count];
    bool write = random_below(2);

    *operation = operation_of(size, lane->start + (off_t)in_file, (hoff_t)in_memory);
    lane->expected[lane->count++] = (ssize_t)size;
    CHECK_OK(submit(write, file, lane->buffer, operation, lane->stream));
    if (write)
        memcpy(lane->contents + in_file, lane->memory + in_memory, size);
    else
        memcpy(lane->memory + in_memory, lane->contents + in_file, size);
}

static void check_lane(struct lane *lane)
{
    unsigned char *found = malloc(SHARE);

    CHECK(found);
    CHECK_SYNC(lane->stream);
    for (size_t i = 0; i < lane->count; i++)
        CHECK_EQUAL(lane->queued[i].bytes, lane->expected[i]);
    lane->count = 0;
    CHECK_HIP(hipMemcpy(found, lane->buffer, SHARE, hipMemcpyDefault));
    CHECK(memcmp(found, lane->memory, SHARE) == 0);
    read_file(fd, found, SHARE, lane->start);
    CHECK(memcmp(found, lane->contents, SHARE) == 0);
    free(found);
}

static void close_lane(struct lane *lane)
{
    CHECK_HIP(hipStreamDestroy(lane->stream));
    free_buffer(lane->buffer);
    free(lane->memory);
    free(lane->contents);
    free(lane->queued);
    free(lane->expected);
}

static void test_against_a_model(void)
{
    static struct lane lanes[STREAMS];

    alarm(on_gpu() ? 60 : 240); /* thousands of requests with O_DIRECT take their time */
    for (int i = 0; i < STREAMS; i++) {
        open_lane(&lanes[i], i);
        if (i % 2)
            CHECK_OK(hipFileStreamRegister(lanes[i].stream, (unsigned)i % 8));
    }
    for (int n = 0; n < OPERATIONS; n++) {
        queue_random(&lanes[random_below(STREAMS)]);
        if (random_below(500) == 0)
            check_lane(&lanes[random_below(STREAMS)]);
    }
    for (int i = 0; i < STREAMS; i++) {
        check_lane(&lanes[i]);
        if (i % 2)
            CHECK_OK(hipFileStreamDeregister(lanes[i].stream));
        close_lane(&lanes[i]);
    }
}

struct submitter {
    pthread_t thread;
    hipStream_t stream;
    void *buffer;
    unsigned number;
};

/* Each reads into its own place, and writes it on, right behind: any operation of another thread
   may come in between, but not into them. */
static void *submit_pairs(void *argument)
{
    struct submitter *submitter = argument;
    struct operation pairs[200][2];

    for (int i = 0; i < 200; i++) {
        hoff_t place = (hoff_t)submitter->number * 4096;

        pairs[i][0] = operation_of(4096, place, place);
        pairs[i][1] = operation_of(4096, SHARE + place, place);
        CHECK_READ(file, submitter->buffer, &pairs[i][0], submitter->stream);
        CHECK_WRITE(file, submitter->buffer, &pairs[i][1], submitter->stream);
    }
    CHECK_SYNC(submitter->stream);
    for (int i = 0; i < 200; i++)
        CHECK(pairs[i][0].bytes == 4096 && pairs[i][1].bytes == 4096);
    return NULL;
}

static void test_threads_on_one_stream(void)
{
    struct submitter submitters[SUBMITTERS];
    hipStream_t stream = make_stream();
    unsigned char *bytes = malloc(SUBMITTERS * 4096);
    void *buffer = make_buffer(SUBMITTERS * 4096);

    CHECK(bytes);
    for (unsigned i = 0; i < SUBMITTERS; i++) {
        submitters[i] = (struct submitter){.stream = stream, .buffer = buffer, .number = i};
        CHECK(!pthread_create(&submitters[i].thread, NULL, submit_pairs, &submitters[i]));
    }
    for (unsigned i = 0; i < SUBMITTERS; i++)
        pthread_join(submitters[i].thread, NULL);
    read_file(fd, bytes, SUBMITTERS * 4096, 0);
    CHECK(buffer_is(buffer, 0, 0, 0));
    for (unsigned i = 0; i < SUBMITTERS; i++) {
        unsigned char *moved = malloc(4096);

        CHECK(moved);
        read_file(fd, moved, 4096, SHARE + (off_t)i * 4096);
        CHECK(memcmp(moved, bytes + i * 4096, 4096) == 0);
        free(moved);
    }
    free(bytes);
    free_buffer(buffer);
    CHECK_HIP(hipStreamDestroy(stream));
}

static atomic_bool submitted;

/* Some runtimes let a thread queue no more than a thousand or so things on a held stream, and make
   it wait: so it is not the one that opens the gate. */
static void *open_gate_later(void *gate)
{
    for (int i = 0; i < 200 && !submitted; i++)
        sleep_ms(10);
    open_gate(gate);
    return NULL;
}

static void test_outstanding(int many)
{
    struct operation *in = calloc((size_t)many, sizeof *in);
    hipStream_t stream = make_stream();
    struct gate gate = make_gate();
    void *buffer = make_buffer(SHARE);
    pthread_t opener;
    int threads;

    CHECK(in);
    close_gate(&gate, stream);
    CHECK(!pthread_create(&opener, NULL, open_gate_later, &gate));
    threads = count_our_threads();
    for (int i = 0; i < many; i++) {
        in[i] = operation_of(512, i % 100 * 512, i % 100 * 512);
        CHECK_READ(file, buffer, &in[i], stream);
    }
    CHECK(count_our_threads() <= threads + 8);
    submitted = true;
    pthread_join(opener, NULL);
    CHECK_SYNC(stream);
    for (int i = 0; i < many; i++)
        CHECK_EQUAL(in[i].bytes, 512);
    free(in);
    free_buffer(buffer);
    CHECK_HIP(hipStreamDestroy(stream));
}

static void test_many_streams(void)
{
    enum { MANY = 256 };

    static struct operation in[MANY], out[MANY];
    static hipStream_t streams[MANY];
    struct gate gate = make_gate();
    void *buffer = make_buffer(MANY * 4096);
    pthread_t opener;
    int threads;

    if (on_gpu() && !mode.host) {
        puts("SKIP: on a GPU: device memory, and 256 streams behind host functions that block");
        return;
    }
    fill_buffer(buffer, MANY * 4096, 0);
    for (int i = 0; i < MANY; i++)
        streams[i] = make_stream();
    gate.value = 1;
    submitted = false;
    CHECK(!pthread_create(&opener, NULL, open_gate_later, &gate));
    threads = count_our_threads();
    for (int i = 0; i < MANY; i++) {
        hold_stream(&gate, 1, streams[i]);
        in[i] = operation_of(4096, i * 4096, i * 4096);
        out[i] = operation_of(4096, 2 * SHARE * 4 + i * 4096, i * 4096);
        CHECK_READ(file, buffer, &in[i], streams[i]);
        CHECK_WRITE(file, buffer, &out[i], streams[i]);
    }
    CHECK(count_our_threads() <= threads + 8);
    submitted = true;
    pthread_join(opener, NULL);
    for (int i = 0; i < MANY; i++) {
        CHECK_SYNC(streams[i]);
        CHECK_EQUAL(in[i].bytes, 4096);
        CHECK_EQUAL(out[i].bytes, 4096);
        CHECK_HIP(hipStreamDestroy(streams[i]));
    }
    free_buffer(buffer);
}

static void test_hundreds_outstanding(void)
{
    test_outstanding(400);
}

static void test_thousands_outstanding(void)
{
    test_outstanding(5000);
}

static const struct test {
    const char *name;
    void (*body)(void);
} tests[] = {
    {"against a model", test_against_a_model},
    {"threads on one stream", test_threads_on_one_stream},
    {"hundreds outstanding", test_hundreds_outstanding},
    {"thousands outstanding", test_thousands_outstanding},
    {"many streams", test_many_streams},
};

int main(int argc, char **argv)
{
    set_mode(argc, argv);
    alarm(280);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (in_case(tests[i].name)) {
            fd = make_file(STREAMS * SHARE, mode.direct ? O_DIRECT : 0);
            file = register_file(fd);
            tests[i].body();
            exit(0);
        }
    return failed_cases ? 1 : 0;
}
