/* SPDX-License-Identifier: MIT */
/* How far it is, on a terminal only; and the wish to end it. */
#ifndef AIS_BENCH_PROGRESS_H
#define AIS_BENCH_PROGRESS_H

#include <stdbool.h>

/* From here on the first SIGINT or SIGTERM is noted, and a second one ends the program. */
void progress_begin(void);

/* The signal, or 0. */
int progress_interrupted(void);

/* A line that the next one replaces, at most four times a second. */
void progress_show(const char *what, double share);
void progress_clear(void);

#endif
