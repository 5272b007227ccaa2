// SPDX-License-Identifier: MIT
/*
 * examples_tmpdriver --base DIR [--seed-input BYTES] [--seed U32] -- PROGRAM [ARG...]
 *
 * Runs a program in its own temporary directory under DIR, and removes the directory afterwards. In
 * the arguments, {TMPDIR} stands for the directory and {INPUT} for a file in it that was filled
 * with BYTES pseudo-random bytes (the same for the same seed).
 *
 * Ends as the program did: with its exit status, or 128 + the signal that killed it; with 127 if
 * the program could not be run, and 2 if anything of the driver's own went wrong.
 */
#define _GNU_SOURCE /* nftw, asprintf */

#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_DRIVER 2
#define EXIT_EXEC   127

struct options {
    const char *base;
    unsigned long long input_size;
    uint32_t seed;
    bool seed_input;
    char **program;
};

static void usage(void)
{
    fprintf(stderr, "Usage: examples_tmpdriver --base DIR [--seed-input BYTES] [--seed U32] -- "
                    "PROGRAM [ARG...]\n");
}

static int failed(const char *what, const char *path)
{
    fprintf(stderr, "examples_tmpdriver: could not %s %s (%s)\n", what, path, strerror(errno));
    return EXIT_DRIVER;
}

static bool parse_number(const char *text, unsigned long long max, unsigned long long *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-' || *value > max) {
        fprintf(stderr, "examples_tmpdriver: %s is not a number from 0 to %llu\n", text, max);
        return false;
    }
    return true;
}

static bool parse_options(int argc, char *argv[], struct options *options)
{
    static const struct option names[] = {
        {"base", required_argument, NULL, 'b'},
        {"seed-input", required_argument, NULL, 'i'},
        {"seed", required_argument, NULL, 's'},
        {0},
    };
    unsigned long long seed;
    int c;

    *options = (struct options){.seed = 97};
    while ((c = getopt_long(argc, argv, "+", names, NULL)) != -1) {
        switch (c) {
        case 'b':
            options->base = optarg;
            break;
        case 'i':
            options->seed_input = true;
            if (!parse_number(optarg, INT64_MAX, &options->input_size)) {
                return false;
            }
            break;
        case 's':
            if (!parse_number(optarg, UINT32_MAX, &seed)) {
                return false;
            }
            options->seed = (uint32_t)seed;
            break;
        default:
            return false;
        }
    }
    options->program = argv + optind;
    return options->base != NULL && *options->program != NULL;
}

/* xorshift32: any seed but 0 runs through all 32-bit values. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int write_input(const char *path, unsigned long long size, uint32_t seed)
{
    uint32_t state = seed != 0 ? seed : 1;
    FILE *file = fopen(path, "wx");
    bool good;

    if (file == NULL) {
        return failed("make", path);
    }
    for (unsigned long long i = 0; i < size; i++) {
        putc((int)(next_random(&state) >> 24), file);
    }
    good = !ferror(file);
    if (fclose(file) != 0 || !good) {
        return failed("write", path);
    }
    return 0;
}

/* A new string: text with each token replaced. NULL when there is no memory. */
static char *replace(const char *text, const char *token, const char *value)
{
    const char *hit = strstr(text, token);
    char *rest, *result = NULL;

    if (hit == NULL) {
        return strdup(text);
    }
    rest = replace(hit + strlen(token), token, value);
    if (rest != NULL && asprintf(&result, "%.*s%s%s", (int)(hit - text), text, value, rest) == -1) {
        result = NULL;
    }
    free(rest);
    return result;
}

static char *expand(const char *arg, const char *dir, const char *input)
{
    char *half = replace(arg, "{TMPDIR}", dir);
    char *full = half != NULL ? replace(half, "{INPUT}", input) : NULL;

    free(half);
    return full;
}

/* In the child, whose memory goes with it. */
static void run_child(char **program, const char *dir, const char *input)
{
    for (char **arg = program; *arg != NULL; arg++) {
        *arg = expand(*arg, dir, input);
        if (*arg == NULL) {
            failed("expand the arguments of", program[0]);
            _exit(EXIT_DRIVER);
        }
    }
    execvp(program[0], program);
    failed("run", program[0]);
    _exit(EXIT_EXEC);
}

static int run_program(char **program, const char *dir, const char *input)
{
    int status;
    pid_t pid;

    pid = fork();
    if (pid == -1) {
        return failed("fork for", program[0]);
    }
    if (pid == 0) {
        run_child(program, dir, input);
    }
    while (waitpid(pid, &status, 0) == -1) {
        if (errno != EINTR) {
            return failed("wait for", program[0]);
        }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int remove_entry(const char *path, const struct stat *statbuf, int type, struct FTW *ftw)
{
    (void)statbuf;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int run_in(char *dir, const struct options *options)
{
    char *input;
    int ret = 0;

    if (asprintf(&input, "%s/input", dir) == -1) {
        return failed("name the input in", dir);
    }
    if (options->seed_input) {
        ret = write_input(input, options->input_size, options->seed);
    }
    if (ret == 0) {
        ret = run_program(options->program, dir, input);
    }
    free(input);
    return ret;
}

int main(int argc, char *argv[])
{
    struct options options;
    char *dir;
    int ret;

    if (!parse_options(argc, argv, &options)) {
        usage();
        return EXIT_DRIVER;
    }
    if (asprintf(&dir, "%s/hipfile-example-XXXXXX", options.base) == -1) {
        return failed("name a directory in", options.base);
    }
    if (mkdtemp(dir) == NULL) {
        ret = failed("make a directory in", options.base);
        goto free_dir;
    }
    ret = run_in(dir, &options);
    if (nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0) {
        ret = failed("remove", dir);
    }

free_dir:
    free(dir);
    return ret;
}
