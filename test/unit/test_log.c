// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "base/settings.h"
#include "core/driver.h"
#include "in_child.h"
#include "observe/log.h"

static char folder[] = "/tmp/test_log_XXXXXX";

static void at_level(const char *level)
{
    setenv("HIPFILE_LOGGING_LEVEL", level, 1);
    hf_settings_load();
}

static const char *in_folder(const char *name)
{
    static char path[sizeof(folder) + 256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* The file's text; it is removed. */
static const char *take_file(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    unlink(path);
    return text;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        found++;
    return found;
}

/* ---- one line --------------------------------------------------------------------------- */

static void say_one(void *argument)
{
    (void)argument;
    at_level("WARN");
    hf_warn("the text %d of %s", 7, "a message");
}

static void test_format(void **state)
{
    regex_t pattern;
    struct tm said = {0};
    long process, thread;
    time_t now = time(NULL);

    (void)state;
    assert_int_equal(in_child(say_one, NULL), 0);
    assert_int_equal(regcomp(&pattern,
                             "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z "
                             "[0-9]+ [0-9]+ WARN hipfile: the text 7 of a message\n$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&pattern, child_stderr, 0, NULL, 0), 0);
    regfree(&pattern);
    assert_int_equal(sscanf(strchr(child_stderr, ' '), "%ld %ld", &process, &thread), 2);
    assert_int_equal(process, thread);
    strptime(child_stderr, "%Y-%m-%dT%H:%M:%S", &said);
    assert_true(labs(timegm(&said) - now) <= 5);
}

static int evaluated;

static int evaluate(void)
{
    return ++evaluated;
}

static void say_each(void *argument)
{
    at_level(argument);
    hf_error("%d", evaluate());
    hf_warn("%d", evaluate());
    hf_notice("%d", evaluate());
    hf_info("%d", evaluate());
    hf_debug("%d", evaluate());
    hf_trace("%d", evaluate());
    _exit(evaluated);
}

static void test_levels(void **state)
{
    static const char *const levels[] = {"OFF",  "error", "Warn", "NOTICE",
                                         "info", "DEBUG", "TRACE"};

    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        /* Arguments of what is not logged are not evaluated. */
        assert_int_equal(WEXITSTATUS(in_child(say_each, (void *)levels[i])), i);
        assert_int_equal(count(child_stderr, "\n"), i);
        for (unsigned k = 1; k < 7; k++)
            assert_int_equal(count(child_stderr, hf_level_names[k]), k <= i);
    }
}

static void keep_errno(void *argument)
{
    (void)argument;
    setenv("HIPFILE_LOGFILE_PATH", "/nowhere/my.log", 1); /* an error on the way */
    at_level("WARN");
    errno = ENOSPC;
    hf_warn("failed: %m");
    check(errno == ENOSPC);
    close(STDERR_FILENO);
    errno = EXDEV;
    hf_warn("nowhere to go");
    check(errno == EXDEV);
}

static void test_errno_is_kept(void **state)
{
    (void)state;
    assert_int_equal(in_child(keep_errno, NULL), 0);
    assert_non_null(strstr(child_stderr, "failed: No space left on device\n"));
}

static void say_odd(void *argument)
{
    static char text[5000];

    (void)argument;
    at_level("WARN");
    hf_warn("%s", "one\ntwo\r\033[31m\177 \xc3\xa4");
    memset(text, 'x', sizeof(text) - 1);
    hf_warn("long %s", text);
}

static void test_message_is_one_line(void **state)
{
    const char *second;

    (void)state;
    assert_int_equal(in_child(say_odd, NULL), 0);
    assert_int_equal(count(child_stderr, "\n"), 2);
    assert_non_null(strstr(child_stderr, "one?two??[31m? \xc3\xa4\n"));
    second = strchr(child_stderr, '\n') + 1;
    assert_in_range(strlen(second), 1000, 1024);
    assert_string_equal(second + strlen(second) - 5, "x...\n");
}

/* ---- repeats ---------------------------------------------------------------------------- */

static void repeat(void *argument)
{
    (void)argument;
    at_level("TRACE");
    for (int i = 0; i < 100; i++) {
        hf_warn("often %d", i);
        hf_debug("detail %d", i);
    }
    hf_warn("another");
}

static void test_repeats_are_cut_short(void **state)
{
    (void)state;
    assert_int_equal(in_child(repeat, NULL), 0);
    assert_int_equal(count(child_stderr, "often"), 10);
    assert_int_equal(count(child_stderr, "often 9 [more like this are left out for a while]\n"), 1);
    assert_int_equal(count(child_stderr, "detail"), 100);
    assert_int_equal(count(child_stderr, "another\n"), 1);
}

static void repeat_later(void *argument)
{
    (void)argument;
    at_level("WARN");
    for (int i = 0; i < 26; i++) {
        if (i == 25)
            sleep(11);
        hf_warn("often %d", i);
    }
}

static void test_repeats_are_counted_later(void **state)
{
    (void)state;
    assert_int_equal(in_child(repeat_later, NULL), 0);
    assert_int_equal(count(child_stderr, "often 25 [15 like this were left out]\n"), 1);
    assert_int_equal(count(child_stderr, "often"), 11);
}

/* ---- where to --------------------------------------------------------------------------- */

static void log_to_file(void *argument)
{
    setenv("HIPFILE_LOGFILE_PATH", argument, 1);
    at_level("WARN");
    hf_warn("to the file");
}

static void test_log_file(void **state)
{
    const char *path = in_folder("my.log");
    struct stat status;

    (void)state;
    assert_int_equal(in_child(log_to_file, (void *)path), 0);
    assert_string_equal(child_stderr, "");
    assert_int_equal(in_child(log_to_file, (void *)path), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0022, 0);
    assert_int_equal(count(take_file(path), "WARN hipfile: to the file\n"), 2);
}

static void test_log_file_that_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(in_child(log_to_file, "/nowhere/my.log"), 0);
    assert_int_equal(count(child_stderr, "\n"), 2);
    assert_non_null(strstr(child_stderr, "ERROR hipfile: cannot log to /nowhere/my.log: No such"));
    assert_non_null(strstr(child_stderr, "WARN hipfile: to the file\n"));
}

static void log_to_folder(void *argument)
{
    int status;
    pid_t child;

    (void)argument;
    setenv("HIPFILE_LOG_DIR", folder, 1);
    at_level("WARN");
    hf_warn("from %d", getpid());
    child = fork();
    if (child == 0) {
        hf_warn("from %d", getpid());
        _exit(0);
    }
    waitpid(child, &status, 0);
    hf_warn("again %d", getpid());
}

static void test_log_folder_with_a_file_a_process(void **state)
{
    DIR *directory;
    unsigned files = 0;

    (void)state;
    assert_int_equal(in_child(log_to_folder, NULL), 0);
    assert_string_equal(child_stderr, "");
    directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        int process;
        char line[64];
        const char *text;

        if (sscanf(entry->d_name, "hipfile_%d.log", &process) != 1)
            continue;
        files++;
        text = take_file(in_folder(entry->d_name));
        snprintf(line, sizeof(line), "hipfile: from %d\n", process);
        assert_int_equal(count(text, line), 1);
        assert_int_equal(count(text, "from"), 1);
    }
    closedir(directory);
    assert_int_equal(files, 2);
}

static void log_over_symlink(void *argument)
{
    char path[128];

    (void)argument;
    snprintf(path, sizeof(path), "%s/hipfile_%d.log", folder, getpid());
    check(symlink(in_folder("victim"), path) == 0);
    setenv("HIPFILE_LOG_DIR", folder, 1);
    at_level("WARN");
    hf_warn("not there");
    check(access(in_folder("victim"), F_OK) != 0);
    unlink(path);
}

static void test_planted_symlink_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(in_child(log_over_symlink, NULL), 0);
    assert_non_null(strstr(child_stderr, "Too many levels of symbolic links"));
    assert_non_null(strstr(child_stderr, "not there\n"));
}

static void stay_out_of_folder(void *argument)
{
    (void)argument;
    check(chdir(folder) == 0);
    at_level("TRACE");
    hf_error("an error");
    hf_trace("a trace");
}

static void test_current_directory_stays_empty(void **state)
{
    (void)state;
    assert_int_equal(in_child(stay_out_of_folder, NULL), 0);
    assert_int_equal(count(child_stderr, "\n"), 2);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void change_file(void *argument)
{
    (void)argument;
    at_level("ERROR");
    hf_error("before");
    hf_info("not yet");
    check(hf_setting_stage_string(HF_SET_LOGFILE_PATH, in_folder("api.log")) == 0);
    check(hf_setting_stage_string(HF_SET_LOGGING_LEVEL, "INFO") == 0);
    hf_info("not yet");
    hf_settings_apply();
    hf_info("while open");
    hf_settings_clear();
    hf_info("not any more");
    hf_error("after");
}

static void test_parameters_take_effect(void **state)
{
    const char *text;

    (void)state;
    assert_int_equal(in_child(change_file, NULL), 0);
    assert_int_equal(count(child_stderr, "\n"), 2);
    assert_int_equal(count(child_stderr, "before\n"), 1);
    assert_int_equal(count(child_stderr, "after\n"), 1);
    text = take_file(in_folder("api.log"));
    assert_int_equal(count(text, "while open\n"), 1);
    assert_int_equal(count(text, "\n"), 1);
}

/* ---- hostile surroundings --------------------------------------------------------------- */

/* A program that closes every descriptor, as daemons do, and opens its own file. */
static void close_all(void *argument)
{
    struct stat status;
    int fd;

    log_to_file(argument);
    for (fd = 3; fd < 64; fd++)
        close(fd);
    fd = open(in_folder("data"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(fd == 3);
    hf_warn("after the close");
    check(fstat(fd, &status) == 0 && status.st_size == 0);
    hf_settings_clear();
    hf_warn("anew");
    check(fstat(fd, &status) == 0 && status.st_size == 0);
}

static void test_descriptor_closed_by_the_program(void **state)
{
    const char *text;

    (void)state;
    assert_int_equal(in_child(close_all, (void *)in_folder("my.log")), 0);
    unlink(in_folder("data"));
    text = take_file(in_folder("my.log"));
    assert_int_equal(count(text, "after the close\n"), 1);
    assert_int_equal(count(text, "anew\n"), 1);
}

static void log_without_standard_descriptors(void *argument)
{
    struct stat status;

    for (int fd = 0; fd < 3; fd++)
        close(fd);
    log_to_file(argument);
    for (int fd = 0; fd < 3; fd++)
        check(fstat(fd, &status) < 0);
}

static void test_standard_descriptors_stay_free(void **state)
{
    (void)state;
    assert_int_equal(in_child(log_without_standard_descriptors, (void *)in_folder("my.log")), 0);
    assert_int_equal(count(take_file(in_folder("my.log")), "to the file\n"), 1);
}

static void fill_pipe(void *argument)
{
    char page[4096] = "", text[8192];
    struct timespec before, after;
    ssize_t length = 0;
    int ends[2];

    (void)argument;
    at_level("WARN");
    check(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], page, sizeof(page)) > 0)
        ;
    fcntl(ends[1], F_SETFL, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    hf_warn("lost");
    hf_warn("lost too");
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (after.tv_sec - before.tv_sec > 1)
        _exit(2);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    while (read(ends[0], page, sizeof(page)) > 0)
        ;
    hf_warn("arrives");
    length = read(ends[0], text, sizeof(text) - 1);
    if (length <= 0)
        _exit(3);
    text[length] = '\0';
    _exit(strstr(text, "arrives [2 lines before this were lost]\n") ? 0 : 4);
}

static void test_full_pipe_does_not_block(void **state)
{
    (void)state;
    assert_int_equal(in_child(fill_pipe, NULL), 0);
}

static void break_pipe(void *argument)
{
    int ends[2];

    (void)argument;
    signal(SIGPIPE, SIG_DFL);
    at_level("WARN");
    check(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    close(ends[0]);
    hf_warn("nobody reads");
}

static void test_broken_pipe_does_not_kill(void **state)
{
    (void)state;
    assert_int_equal(in_child(break_pipe, NULL), 0);
}

/* ---- threads and forks ------------------------------------------------------------------ */

/* ThreadSanitizer takes the parent's threads for leaked ones of the child. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0";
}

#define THREADS 8
#define LINES   500

static void *say_many(void *argument)
{
    for (int i = 0; i < LINES; i++)
        hf_debug("thread %d line %d end", (int)(intptr_t)argument, i);
    return NULL;
}

static void log_from_threads(void *argument)
{
    pthread_t threads[THREADS];
    int status;

    setenv("HIPFILE_LOGFILE_PATH", argument, 1);
    at_level("DEBUG");
    for (intptr_t i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, say_many, (void *)i) == 0);
    /* A child may be born while any thread holds any lock of ours. */
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();

        if (child == 0) {
            alarm(10);
            hf_debug("a child speaks");
            hf_settings_clear();
            _exit(0);
        }
        check(waitpid(child, &status, 0) == child && status == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void test_threads_and_forks(void **state)
{
    const char *path = in_folder("my.log"), *text;

    (void)state;
    assert_int_equal(in_child(log_from_threads, (void *)path), 0);
    text = take_file(path);
    assert_int_equal(count(text, "\n"), THREADS * LINES + 20);
    assert_int_equal(count(text, " end\n"), THREADS * LINES);
    assert_int_equal(count(text, "DEBUG hipfile: thread "), THREADS * LINES);
    assert_int_equal(count(text, "a child speaks\n"), 20);
}

/* The driver logs while it holds its lock, and both locks are taken before a fork. */
static void *open_and_close(void *argument)
{
    atomic_bool *end = argument;

    while (!atomic_load(end)) {
        hf_driver_open();
        check(hf_driver_close() == 0);
    }
    return NULL;
}

static void fork_while_the_driver_opens(void *argument)
{
    atomic_bool end = false;
    pthread_t opener;
    int status;

    alarm(20);
    setenv("HIPFILE_LOGFILE_PATH", argument, 1);
    at_level("DEBUG");
    hf_driver_open(); /* before anything is logged */
    hf_driver_close();
    check(pthread_create(&opener, NULL, open_and_close, &end) == 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        check(waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&end, true);
    pthread_join(opener, NULL);
}

static void test_forks_while_the_driver_opens(void **state)
{
    const char *path = in_folder("my.log");

    (void)state;
    assert_int_equal(in_child(fork_while_the_driver_opens, (void *)path), 0);
    assert_true(count(take_file(path), "driver opened\n") > 0);
}

static int make_folder(void **state)
{
    (void)state;
    clean_environment();
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_errno_is_kept),
        cmocka_unit_test(test_message_is_one_line),
        cmocka_unit_test(test_repeats_are_cut_short),
        cmocka_unit_test(test_repeats_are_counted_later),
        cmocka_unit_test(test_log_file),
        cmocka_unit_test(test_log_file_that_cannot_be),
        cmocka_unit_test(test_log_folder_with_a_file_a_process),
        cmocka_unit_test(test_planted_symlink_is_not_followed),
        cmocka_unit_test(test_current_directory_stays_empty),
        cmocka_unit_test(test_parameters_take_effect),
        cmocka_unit_test(test_descriptor_closed_by_the_program),
        cmocka_unit_test(test_standard_descriptors_stay_free),
        cmocka_unit_test(test_full_pipe_does_not_block),
        cmocka_unit_test(test_broken_pipe_does_not_kill),
        cmocka_unit_test(test_threads_and_forks),
        cmocka_unit_test(test_forks_while_the_driver_opens),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
