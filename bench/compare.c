// SPDX-License-Identifier: MIT
/*
 * bench/compare: hipFile beside its peers, in the same run, on the same file.
 *
 * Each row runs in a process of its own, so that its settings and its memory are its own. Sides
 * alternate; the ratio is that of the pairs, its interval is the 95 % interval of the median, and
 * the verdict is "met" when that interval reaches the target.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"

struct arguments {
    struct row_options options;
    const char *rows[64];
    size_t row_count;
    bool child;
    size_t reads; /* only make so many small reads */
    unsigned threads;
};

enum { KEY_CHILD = 1000, KEY_BINARIES, KEY_READS, KEY_THREADS };

static const struct argp_option option_list[] = {
    {"dir", 'd', "DIR", 0, "Make the files in DIR (default: /var/tmp)", 0},
    {"size", 's', "MIB", 0, "Size of the large file in MiB (default: 1024)", 0},
    {"pairs", 'n', "N", 0, "Pairs of runs for each ratio (default: 15)", 0},
    {"check", 'c', NULL, 0, "Print only what falls short of its target", 0},
    {"list", 'l', NULL, 0, "List the rows", 0},
    {"binaries", KEY_BINARIES, "DIR", 0, "Where aiscp is (default: beside this program)", 0},
    {"one", KEY_CHILD, NULL, OPTION_HIDDEN, NULL, 0},
    {"reads", KEY_READS, "N", OPTION_HIDDEN, NULL, 0},
    {"threads", KEY_THREADS, "N", OPTION_HIDDEN, NULL, 0},
    {0},
};

static void list_rows(void)
{
    for (size_t i = 0; i < bench_row_count; i++)
        puts(bench_rows[i].name);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'd':
        arguments->options.directory = text;
        return 0;
    case 's':
        arguments->options.size = strtoul(text, NULL, 10) << 20;
        return arguments->options.size ? 0 : EINVAL;
    case 'n':
        arguments->options.pairs = strtoul(text, NULL, 10);
        return arguments->options.pairs ? 0 : EINVAL;
    case 'c':
        arguments->options.only_short = true;
        return 0;
    case 'l':
        list_rows();
        exit(0);
    case KEY_BINARIES:
        arguments->options.binaries = text;
        return 0;
    case KEY_CHILD:
        arguments->child = true;
        return 0;
    case KEY_READS:
        arguments->reads = strtoul(text, NULL, 10);
        return 0;
    case KEY_THREADS:
        arguments->threads = (unsigned)strtoul(text, NULL, 10);
        return arguments->threads <= 16 ? 0 : EINVAL;
    case ARGP_KEY_ARG:
        if (arguments->row_count == sizeof arguments->rows / sizeof arguments->rows[0])
            return E2BIG;
        arguments->rows[arguments->row_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < bench_row_count; i++)
        if (strcmp(bench_rows[i].name, name) == 0)
            return &bench_rows[i];
    return NULL;
}

static bool can_make_files(const char *directory)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/" BENCH_FILE, directory);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

/* Tells what cannot be measured, before the rest is. */
static bool check(const struct arguments *arguments)
{
    const char *directory = arguments->options.directory;

    for (size_t i = 0; i < arguments->row_count; i++) {
        if (!find_row(arguments->rows[i])) {
            fprintf(stderr, "hipfile-compare: there is no row '%s' (--list lists them)\n",
                    arguments->rows[i]);
            return false;
        }
    }
    if (can_make_files(directory))
        return true;
    fprintf(stderr, "hipfile-compare: cannot make files in '%s': %s\n", directory, strerror(errno));
    return false;
}

static bool is_wanted(const struct arguments *arguments, const struct row *row)
{
    for (size_t i = 0; i < arguments->row_count; i++)
        if (strcmp(arguments->rows[i], row->name) == 0)
            return true;
    return arguments->row_count == 0;
}

static int run_here(const struct arguments *arguments)
{
    return find_row(arguments->rows[0])->run(&arguments->options) ? 0 : 1;
}

static int run_child(const struct arguments *arguments, const struct row *row)
{
    char size[32], pairs[32];
    const struct row_options *options = &arguments->options;
    pid_t pid;
    int status;

    snprintf(size, sizeof size, "%zu", options->size >> 20);
    snprintf(pairs, sizeof pairs, "%zu", options->pairs);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < 3 && row->environment[i]; i++)
            putenv((char *)row->environment[i]);
        execl("/proc/self/exe", "compare", "--one", "-d", options->directory, "-s", size, "-n",
              pairs, "--binaries", options->binaries, row->name,
              options->only_short ? "--check" : NULL, NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    if (status != 0)
        printf("%-34s failed\n", row->name);
    return status != 0;
}

static const char *own_directory(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return path;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        option_list, parse, "[ROW...]", "Measures hipFile against its peers.", NULL, NULL, NULL};
    struct arguments arguments = {.options = {.directory = "/var/tmp",
                                              .binaries = own_directory(),
                                              .size = (size_t)1 << 30,
                                              .pairs = 15},
                                  .threads = 1};
    int failed = 0;

    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0)
        return 2;
    if (!check(&arguments))
        return 2;
    if (arguments.reads)
        return !bench_small_reads(&arguments.options, arguments.reads, arguments.threads);
    if (arguments.child)
        return run_here(&arguments);
    if (!arguments.options.only_short)
        printf("%-34s %12s %12s %22s %8s\n", "", "hipFile", "peer", "ratio [95 % of median]",
               "target");
    for (size_t i = 0; i < bench_row_count; i++)
        if (is_wanted(&arguments, &bench_rows[i]))
            failed += run_child(&arguments, &bench_rows[i]);
    return failed ? 1 : 0;
}
