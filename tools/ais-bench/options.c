// SPDX-License-Identifier: MIT
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hipfile.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* Visible, so that argp finds it. */
HIPFILE_API const char *argp_program_version = "ais-bench " TEXT(HIPFILE_VERSION_MAJOR) "." TEXT(
    HIPFILE_VERSION_MINOR) "." TEXT(HIPFILE_VERSION_PATCH);

const char *const op_words[] = {"read", "write", "mixed", NULL};
const char *const order_words[] = {"sequential", "random", NULL};
const char *const api_words[] = {"sync", "async", "batch", NULL};
const char *const way_words[] = {"auto", "direct", "bounce", NULL};
const char *const memory_words[] = {"device", "managed", "pinned", "pageable", NULL};
const char *const cache_words[] = {"keep", "warm", "cold", NULL};

enum key {
    KEY_READ_PERCENT = 0x100,
    KEY_BYTES,
    KEY_SEED,
    KEY_O_DIRECT,
    KEY_FSYNC,
    KEY_OVERWRITE,
    KEY_KEEP,
    KEY_SVG,
};

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "The requests:", 1},
    {"op", 'o', "OP", 0, "read, write or mixed (default read)", 1},
    {"read-percent", KEY_READ_PERCENT, "N", 0, "Share of reads in mixed, 0 to 100 (default 50)", 1},
    {"order", 'r', "ORDER", 0, "sequential or random (default sequential)", 1},
    {"block-size", 'b', "SIZE[,SIZE...]", 0,
     "Bytes of a request; of a list, one after the other (default 1M)", 1},
    {"threads", 't', "N", 0, "Threads that make requests (default 1)", 1},
    {"queue-depth", 'q', "N", 0,
     "Requests that each thread keeps in flight; above 1 for async and batch only (default 1)", 1},
    {"api", 'a', "API", 0,
     "sync, async (a stream for each request in flight) or batch (default sync)", 1},
    {"path", 'p', "PATH", 0,
     "auto; direct: fail rather than bounce; bounce: never direct (default auto)", 1},
    {"memory", 'm', "KIND", 0, "device, managed, pinned or pageable (default device)", 1},
    {"gpu", 'g', "ID", 0, "Number of the device (default 0)", 1},
    {NULL, 0, NULL, 0, "The file, and how much of it:", 2},
    {"size", 's', "SIZE", 0,
     "Bytes of the file that are used (default: all; 256M of a file that is made)", 2},
    {"bytes", KEY_BYTES, "SIZE", 0,
     "Bytes to move for each block size (default: the size once, unless there is a time)", 2},
    {"time", 'T', "SECONDS", 0, "Time for each block size", 2},
    {"cache", 'c', "STATE", 0,
     "Before each block size: keep the page cache as it is, warm (read the file) or cold (fsync, "
     "and drop the file's pages)",
     2},
    {"o-direct", KEY_O_DIRECT, NULL, 0, "Open the file with O_DIRECT", 2},
    {"fsync", KEY_FSYNC, NULL, 0, "End writing with an fsync, which counts in the time", 2},
    {"overwrite", KEY_OVERWRITE, NULL, 0, "Write to a file that exists: its contents are lost", 2},
    {"keep", KEY_KEEP, NULL, 0, "Do not remove a file that was made", 2},
    {"verify", 'v', NULL, 0,
     "Check what is read, and read back what is written; the time includes it, latencies do not",
     2},
    {"seed", KEY_SEED, "N", 0, "Of the file's contents, and of random orders (default 1)", 2},
    {NULL, 0, NULL, 0, "The figures:", 3},
    {"json", 'j', NULL, 0, "Print JSON", 3},
    {"svg", KEY_SVG, "FILE", 0, "Also plot throughput by block size", 3},
    {0},
};

void options_refuse(const char *format, ...)
{
    va_list arguments;

    fputs("ais-bench: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\nTry `ais-bench --help' for more information.\n", stderr);
    exit(2);
}

/* ---- values ----------------------------------------------------------------------------- */

static int take_word(const char *option, const char *argument, const char *const words[])
{
    char all[128] = "";

    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], argument) == 0)
            return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    options_refuse("--%s=%s: not one of %s", option, argument, all);
}

static uint64_t take_number(const char *option, const char *argument, uint64_t low, uint64_t high)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(argument, &end, 10);
    if (argument[0] < '0' || argument[0] > '9' || *end || errno || value < low || value > high)
        options_refuse("--%s=%s: not a number from %llu to %llu", option, argument,
                       (unsigned long long)low, (unsigned long long)high);
    return value;
}

/* "4096", "64k", "1M", "2GiB": up to a comma or the end, which is stored in *end. */
static bool parse_size(const char *text, uint64_t *size, const char **end)
{
    static const char units[] = "kmgt";
    const char *unit;
    unsigned long long value;
    unsigned shift = 0;
    char *at;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoull(text, &at, 10);
    unit = *at ? strchr(units, *at | 0x20) : NULL;
    if (unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        at++;
        if (strncasecmp(at, "ib", 2) == 0)
            at += 2;
    }
    *end = at;
    *size = (uint64_t)value << shift;
    return (*at == ',' || !*at) && !errno && value > 0 && value <= (uint64_t)INT64_MAX >> shift;
}

static uint64_t take_size(const char *option, const char *argument)
{
    uint64_t size;
    const char *end;

    if (!parse_size(argument, &size, &end) || *end)
        options_refuse("--%s=%s: not a size, such as 4096, 64k, 1M or 2G", option, argument);
    return size;
}

static void take_blocks(struct options *options, const char *argument)
{
    const char *at = argument;
    uint64_t size;

    options->block_count = 0;
    do {
        if (!parse_size(at, &size, &at))
            options_refuse("--block-size=%s: not sizes, such as 4096 or 4k,64k,1M", argument);
        if (size > 0x7ffff000)
            options_refuse("--block-size=%s: a request moves at most 2 GiB less 4 KiB", argument);
        if (options->block_count == MAX_BLOCK_SIZES)
            options_refuse("--block-size=%s: more than %d sizes", argument, MAX_BLOCK_SIZES);
        options->blocks[options->block_count++] = size;
    } while (*at++);
}

static double take_seconds(const char *argument)
{
    char *end;
    double seconds = strtod(argument, &end);

    if (end == argument || *end || !isfinite(seconds) || seconds <= 0 || seconds > 1e7)
        options_refuse("--time=%s: not a number of seconds above 0", argument);
    return seconds;
}

/* ---- options ---------------------------------------------------------------------------- */

static bool take_request_option(struct options *options, int key, const char *argument)
{
    switch (key) {
    case 'o':
        options->op = (enum op)take_word("op", argument, op_words);
        return true;
    case KEY_READ_PERCENT:
        options->read_percent = (unsigned)take_number("read-percent", argument, 0, 100);
        return true;
    case 'r':
        options->order = (enum order)take_word("order", argument, order_words);
        return true;
    case 'b':
        take_blocks(options, argument);
        return true;
    case 't':
        options->threads = (unsigned)take_number("threads", argument, 1, MAX_THREADS);
        return true;
    case 'q':
        options->depth = (unsigned)take_number("queue-depth", argument, 1, MAX_DEPTH);
        return true;
    case 'a':
        options->api = (enum api)take_word("api", argument, api_words);
        return true;
    case 'p':
        options->way = (enum way)take_word("path", argument, way_words);
        return true;
    case 'm':
        options->memory = (enum memory)take_word("memory", argument, memory_words);
        return true;
    case 'g':
        options->gpu = (int)take_number("gpu", argument, 0, 1023);
        return true;
    default:
        return false;
    }
}

static bool take_file_option(struct options *options, int key, const char *argument)
{
    switch (key) {
    case 's':
        options->size = take_size("size", argument);
        return true;
    case KEY_BYTES:
        options->bytes = take_size("bytes", argument);
        return true;
    case 'T':
        options->seconds = take_seconds(argument);
        return true;
    case 'c':
        options->cache = (enum cache)take_word("cache", argument, cache_words);
        return true;
    case KEY_O_DIRECT:
        return options->o_direct = true;
    case KEY_FSYNC:
        return options->fsync = true;
    case KEY_OVERWRITE:
        return options->overwrite = true;
    case KEY_KEEP:
        return options->keep = true;
    case 'v':
        return options->verify = true;
    case KEY_SEED:
        options->seed = take_number("seed", argument, 0, UINT64_MAX);
        return true;
    default:
        return false;
    }
}

static error_t take_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    if (take_request_option(options, key, argument) || take_file_option(options, key, argument))
        return 0;
    switch (key) {
    case 'j':
        options->json = true;
        return 0;
    case KEY_SVG:
        options->svg = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->file)
            options_refuse("%s: one FILE only, and there is %s", argument, options->file);
        options->file = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        options_refuse("FILE is missing");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = table,
    .parser = take_option,
    .args_doc = "FILE",
    .doc =
        "Measure hipFile: throughput, latency, CPU time and the path that the bytes took.\v"
        "A FILE that does not exist is made, filled, overwritten in place by writes, and removed "
        "at "
        "the end. One that exists is only read, unless --overwrite is given; it may be a block "
        "device. Sizes take k, M, G and T, powers of 1024.\n\n"
        "Latency counts from the submission until the thread sees the end; an async thread looks "
        "at its oldest request first. CPU time is that of the whole process, kernel included.\n\n"
        "SIGINT ends it with the figures so far. The exit status is 0; 1 after an error or wrong "
        "data; 2 for wrong arguments; 130 after SIGINT, 143 after SIGTERM.",
};

void options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){
        .blocks = {1 << 20},
        .block_count = 1,
        .threads = 1,
        .depth = 1,
        .read_percent = 50,
        .seed = 1,
    };
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, options) != 0)
        exit(2);
    if (options->api == API_SYNC && options->depth > 1)
        options_refuse("--queue-depth=%u: needs --api=async or --api=batch", options->depth);
    if (options->fsync && options->op == OP_READ)
        options_refuse("--fsync: needs --op=write or --op=mixed");
    for (unsigned i = 0; i < options->block_count; i++)
        if (options->bytes && options->bytes < options->blocks[i])
            options_refuse("--bytes=%llu: less than one block of %zu",
                           (unsigned long long)options->bytes, options->blocks[i]);
}
