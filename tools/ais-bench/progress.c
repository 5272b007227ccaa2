// SPDX-License-Identifier: MIT
#include "progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "job.h"

static atomic_int signal_seen;
static uint64_t last_shown;

static void note(int number)
{
    signal_seen = number;
}

void progress_begin(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit then is an error like any other */
}

int progress_interrupted(void)
{
    return signal_seen;
}

void progress_show(const char *what, double share)
{
    uint64_t now = now_ns();

    if (!isatty(STDERR_FILENO) || now - last_shown < 250000000)
        return;
    last_shown = now;
    fprintf(stderr, "\r\033[K%s: %.0f %%", what, 100 * share);
}

void progress_clear(void)
{
    if (last_shown)
        fputs("\r\033[K", stderr);
    last_shown = 0;
}
