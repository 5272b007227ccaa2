// SPDX-License-Identifier: MIT
/*
 * Runs a piece of a test in a child process of its own. The settings load once a process, so each
 * combination of environment and file needs one. What the child writes to stderr is kept.
 */
#ifndef IN_CHILD_H
#define IN_CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char child_stderr[65536];

/* For use in the child, where cmocka's assertions would return into the parent's list of tests. */
#define check(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Removes every variable that our libraries read. */
static inline void clean_environment(void)
{
    extern char **environ;

    for (char **variable = environ; *variable;) {
        if (strncmp(*variable, "HIPFILE_", 8) == 0) {
            char name[128];

            snprintf(name, sizeof(name), "%.*s", (int)strcspn(*variable, "="), *variable);
            unsetenv(name);
            variable = environ;
        } else {
            variable++;
        }
    }
}

/* Returns the child's wait status: 0 if the body returned. */
static inline int in_child(void (*body)(void *), void *argument)
{
    FILE *output = tmpfile();
    size_t length;
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        clean_environment();
        setenv("HIPFILE_ENV_PATH_JSON", "", 1);
        dup2(fileno(output), STDERR_FILENO);
        alarm(60);
        body(argument);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    rewind(output);
    length = fread(child_stderr, 1, sizeof(child_stderr) - 1, output);
    child_stderr[length] = '\0';
    fclose(output);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) == 1)
        fputs(child_stderr, stderr);
    return status;
}

#endif
