// SPDX-License-Identifier: MIT
#include "report.h"
#include "runtime.h"

#include <string.h>

const char *const direction_words[DIRECTIONS] = {"read", "write"};

const char *size_text(uint64_t size, char text[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;

    while (size >= 1024 && size % 1024 == 0 && unit < 4) {
        size /= 1024;
        unit++;
    }
    snprintf(text, 32, "%llu %s", (unsigned long long)size, units[unit]);
    return text;
}

static void print_cache(const struct options *options)
{
    static const char *const states[] = {"as it is", "warm",
                                         "cold (fsync, then its pages dropped)"};

    printf("page cache: %s%s\n", states[options->cache],
           options->o_direct ? "; the file is open with O_DIRECT" : "");
}

static void print_bound(const struct options *options)
{
    char text[32];

    if (options->bytes)
        printf(", %s", size_text(options->bytes, text));
    if (options->seconds > 0)
        printf(", %g s", options->seconds);
    if (!options->bytes && options->seconds == 0)
        printf(", the size once");
    printf("%s%s\n", options->fsync ? ", then fsync" : "",
           options->verify ? ", verified (which takes time)" : "");
}

void table_begin(const struct options *options, const struct bench_file *file)
{
    char text[32];

    printf("%s: %s%s\n", file->path, size_text(file->size, text),
           file->made ? ", made for this run" : "");
    print_cache(options);
    printf("%s %s %s", options->api == API_SYNC ? "synchronous" : api_words[options->api],
           order_words[options->order], op_words[options->op]);
    if (options->op == OP_MIXED)
        printf(" (%u %% reads)", options->read_percent);
    printf(", %u thread%s", options->threads, options->threads == 1 ? "" : "s");
    if (options->api != API_SYNC)
        printf(", queue depth %u", options->depth);
    printf(", %s memory, GPU %d (%s), path %s", memory_words[options->memory], options->gpu,
           hip.library, way_words[options->way]);
    print_bound(options);
    printf("\n%9s  %-5s %8s %9s %10s %10s %10s %7s %7s  %s\n", "block", "op", "GB/s", "IOPS",
           "median us", "p99 us", "max us", "CPU s", "cached", "path");
}

static void print_paths(const struct result *result, const struct figures *figures)
{
    uint64_t all = 0;
    const char *separator = "";

    for (int i = 0; i < HIPFILE_EXT_PATHS; i++)
        all += figures->bytes_by_path[i];
    if (!result->paths_known || !hipFileExtPathString)
        printf("not told");
    for (int i = 0; i < HIPFILE_EXT_PATHS; i++) {
        uint64_t bytes = figures->bytes_by_path[i];

        if (bytes == 0)
            continue;
        printf("%s%s", separator, hipFileExtPathString((hipFileExtPath_t)i));
        if (bytes != all)
            printf(" %.1f %%", 100 * (double)bytes / (double)all);
        separator = ", ";
    }
    putchar('\n');
}

static void print_reasons(const struct result *result)
{
    if (!result->paths_known || !hipFileExtReasonString)
        return;
    for (int i = 1; i < HIPFILE_EXT_REASONS; i++)
        if (result->requests_by_reason[i] > 0)
            printf("%11snot direct: %s%s%s%s (requests: %llu)\n", "",
                   hipFileExtReasonString((hipFileExtReason_t)i),
                   i == hipFileExtReasonRefused && result->layer[0] ? " [" : "",
                   i == hipFileExtReasonRefused ? result->layer : "",
                   i == hipFileExtReasonRefused && result->layer[0] ? "]" : "",
                   (unsigned long long)result->requests_by_reason[i]);
}

void table_add(const struct options *options, const struct result *result)
{
    char text[32], cached[16] = "?";

    if (result->cached >= 0)
        snprintf(cached, sizeof cached, "%.0f %%", 100 * result->cached);
    for (int d = 0; d < DIRECTIONS; d++) {
        const struct figures *figures = &result->figures[d];

        if (!has_direction(options, d))
            continue;
        printf("%9s  %-5s %8.3f %9.0f %10.1f %10.1f %10.1f %7.2f %7s  ",
               size_text(result->block, text), direction_words[d],
               per_second(figures->bytes, result) * 1e-9, per_second(figures->requests, result),
               (double)figures->median_ns * 1e-3, (double)figures->p99_ns * 1e-3,
               (double)figures->max_ns * 1e-3, result->cpu_seconds, cached);
        print_paths(result, figures);
    }
    print_reasons(result);
    fflush(stdout);
}
