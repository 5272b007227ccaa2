// SPDX-License-Identifier: MIT
#include "report.h"
#include "runtime.h"

#include <string.h>

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void print_options(const struct options *options, const struct bench_file *file)
{
    printf("{\n\"file\": {\"path\": ");
    print_string(file->path);
    printf(", \"size\": %llu, \"made\": %s},\n", (unsigned long long)file->size, truth(file->made));
    printf(
        "\"options\": {\"op\": \"%s\", \"read_percent\": %u, \"order\": \"%s\", \"api\": \"%s\", "
        "\"path\": \"%s\",\n",
        op_words[options->op], options->read_percent, order_words[options->order],
        api_words[options->api], way_words[options->way]);
    printf("  \"memory\": \"%s\", \"gpu\": %d, \"threads\": %u, \"queue_depth\": %u, "
           "\"cache\": \"%s\",\n",
           memory_words[options->memory], options->gpu, options->threads, options->depth,
           cache_words[options->cache]);
    printf("  \"bytes\": %llu, \"seconds\": %g, \"o_direct\": %s, \"fsync\": %s, \"verify\": %s, "
           "\"seed\": %llu},\n\"hip_library\": ",
           (unsigned long long)options->bytes, options->seconds, truth(options->o_direct),
           truth(options->fsync), truth(options->verify), (unsigned long long)options->seed);
    print_string(hip.library);
}

static void print_paths(const struct figures *figures)
{
    printf(", \"bytes_by_path\": {");
    for (int i = hipFileExtPathDirect; i <= hipFileExtPathHost; i++)
        printf("%s\"%s\": %llu", i == 0 ? "" : ", ", hipFileExtPathString((hipFileExtPath_t)i),
               (unsigned long long)figures->bytes_by_path[i]);
    putchar('}');
}

static void print_figures(const struct result *result, int direction)
{
    const struct figures *figures = &result->figures[direction];

    printf(",\n   \"%s\": {\"requests\": %llu, \"bytes\": %llu, \"bytes_per_second\": %.0f, "
           "\"iops\": %.1f,\n    \"latency_us\": {\"median\": %.3f, \"p99\": %.3f, \"max\": %.3f}",
           direction_words[direction], (unsigned long long)figures->requests,
           (unsigned long long)figures->bytes, per_second(figures->bytes, result),
           per_second(figures->requests, result), (double)figures->median_ns * 1e-3,
           (double)figures->p99_ns * 1e-3, (double)figures->max_ns * 1e-3);
    if (result->paths_known && hipFileExtPathString)
        print_paths(figures);
    putchar('}');
}

static void print_reasons(const struct result *result)
{
    const char *separator = "";

    printf(",\n   \"not_direct\": [");
    for (int i = 1; i < HIPFILE_EXT_REASONS; i++) {
        if (result->requests_by_reason[i] == 0)
            continue;
        printf("%s{\"reason\": ", separator);
        print_string(hipFileExtReasonString((hipFileExtReason_t)i));
        printf(", \"requests\": %llu}", (unsigned long long)result->requests_by_reason[i]);
        separator = ", ";
    }
    printf("], \"refused_layer\": ");
    print_string(result->layer);
}

static void print_result(const struct options *options, const struct result *result)
{
    printf("  {\"block_size\": %zu, \"seconds\": %.6f, \"cpu_seconds\": %.6f, \"cached_before\": ",
           result->block, result->seconds, result->cpu_seconds);
    if (result->cached >= 0)
        printf("%.4f", result->cached);
    else
        printf("null");
    for (int d = 0; d < DIRECTIONS; d++)
        if (has_direction(options, d))
            print_figures(result, d);
    if (result->paths_known && hipFileExtReasonString)
        print_reasons(result);
    putchar('}');
}

void json_print(const struct options *options, const struct bench_file *file,
                const struct result *results, unsigned count, int signal_seen)
{
    print_options(options, file);
    printf(",\n\"interrupted\": %s,\n\"results\": [", truth(signal_seen != 0));
    for (unsigned i = 0; i < count; i++) {
        printf("%s", i == 0 ? "\n" : ",\n");
        print_result(options, &results[i]);
    }
    printf("\n]\n}\n");
}
