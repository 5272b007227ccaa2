// SPDX-License-Identifier: MIT
/*
 * The log: one line a message, to stderr or to the file that the user named.
 *
 *     2026-11-30T20:31:16.123456Z 1234 1240 WARN hipfile: text
 *
 * with process and thread. Levels: ERROR, something failed that the caller may not see; WARN, the
 * user should change something; NOTICE, a decision taken once; INFO, one an object (a file, a
 * device); DEBUG, one a request; TRACE, one a step. Say it where it is first seen, and with the
 * system's error.
 */
#ifndef HF_OBSERVE_LOG_H
#define HF_OBSERVE_LOG_H

#include "base/settings.h"

static inline bool hf_log_on(enum hf_log_level level)
{
    return hf_setting_size(HF_SET_LOGGING_LEVEL) >= (size_t)level;
}

/*
 * Writes a line whatever the level in force; the macros below test it first. Keeps errno, so that
 * %m works and a caller's errno survives. Waits a tenth of a second at most for a reader that does
 * not read, then drops the line. Up to NOTICE, the same format more than ten times in ten seconds
 * is cut short, and later says how many were left out.
 */
void hf_log(enum hf_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Makes a fork wait for the log's lock. A module that logs while it holds a lock of its own calls
   this before its own pthread_atfork, so that a fork takes the locks in the same order. */
void hf_log_watch_forks(void);

#define hf_log_at(level, ...)                                                                      \
    do {                                                                                           \
        if (hf_log_on(level))                                                                      \
            hf_log(level, __VA_ARGS__);                                                            \
    } while (0)

#define hf_error(...)  hf_log_at(HF_LOG_ERROR, __VA_ARGS__)
#define hf_warn(...)   hf_log_at(HF_LOG_WARN, __VA_ARGS__)
#define hf_notice(...) hf_log_at(HF_LOG_NOTICE, __VA_ARGS__)
#define hf_info(...)   hf_log_at(HF_LOG_INFO, __VA_ARGS__)
#define hf_debug(...)  hf_log_at(HF_LOG_DEBUG, __VA_ARGS__)
#define hf_trace(...)  hf_log_at(HF_LOG_TRACE, __VA_ARGS__)

#endif
