// SPDX-License-Identifier: MIT
/*
 * ais-bench: what hipFile does on this file, with this memory, in this way.
 *
 * options.c says what can be asked for, file.c has the file, job.c runs one block size with the
 * requests of engines.c, and table.c, json.c and svg.c print what came out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "runtime.h"

/* By variable, before the library opens: this goes with any libhipfile. */
static void choose_path(enum way way)
{
    if (way == WAY_AUTO)
        return;
    setenv("HIPFILE_FORCE_COMPAT_MODE", way == WAY_BOUNCE ? "true" : "false", 1);
    setenv("HIPFILE_ALLOW_COMPAT_MODE", way == WAY_BOUNCE ? "true" : "false", 1);
}

/* Requests that ended before an interruption count; a block size without any is left out. */
static bool has_figures(const struct result *result)
{
    return result->figures[READS].requests + result->figures[WRITES].requests > 0;
}

static bool run_all(const struct options *options, const struct bench_file *file,
                    struct result *results, unsigned *count)
{
    for (unsigned i = 0; i < options->block_count && !progress_interrupted(); i++) {
        if (!job_run(options, file, options->blocks[i], &results[*count]))
            return false;
        if (!has_figures(&results[*count]))
            continue;
        if (!options->json)
            table_add(options, &results[*count]);
        ++*count;
    }
    return true;
}

/* The last of a stream: whether all of it was written. */
static bool finish(FILE *stream, const char *name)
{
    bool fine = fflush(stream) == 0 && !ferror(stream);

    if (!fine)
        fprintf(stderr, "ais-bench: cannot write %s: %s\n", name, strerror(errno));
    return fine;
}

static bool report(const struct options *options, const struct bench_file *file, FILE *svg,
                   const struct result *results, unsigned count)
{
    bool fine = true;

    if (options->json)
        json_print(options, file, results, count, progress_interrupted());
    else if (progress_interrupted())
        printf("interrupted: the figures so far\n");
    if (svg) {
        svg_print(svg, options, results, count);
        fine = finish(svg, options->svg);
    }
    return finish(stdout, "to standard output") && fine;
}

static bool measure(const struct options *options, FILE *svg)
{
    static struct result results[MAX_BLOCK_SIZES];
    struct bench_file file;
    unsigned count = 0;
    bool fine;

    if (!file_open(&file, options))
        return false;
    if (!options->json)
        table_begin(options, &file);
    fine = run_all(options, &file, results, &count);
    fine = report(options, &file, svg, results, count) && fine;
    file_close(&file, options);
    return fine;
}

int main(int argc, char **argv)
{
    struct options options;
    FILE *svg = NULL;
    bool fine;

    options_parse(&options, argc, argv);
    choose_path(options.way);
    progress_begin();
    if (!runtime_load(options.gpu))
        return EXIT_FAILURE;
    if (options.svg) {
        svg = fopen(options.svg, "w");
        if (!svg) {
            fprintf(stderr, "ais-bench: --svg=%s: %s\n", options.svg, strerror(errno));
            return EXIT_FAILURE;
        }
    }
    fine = measure(&options, svg);
    if (svg)
        fclose(svg);
    if (!fine)
        return EXIT_FAILURE;
    return progress_interrupted() ? 128 + progress_interrupted() : EXIT_SUCCESS;
}
