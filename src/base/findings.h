// SPDX-License-Identifier: MIT
/* What loading the settings finds wrong, kept until the log has its own settings. */
#ifndef HF_BASE_FINDINGS_H
#define HF_BASE_FINDINGS_H

#include "base/level.h"

/* Says the same thing only once until it is reported. */
void hf_finding_add(enum hf_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Hands each finding to hf_log_finding and forgets it. */
void hf_findings_report(void);

/* Defined by the log (observe/log.c), which is above this folder. */
void hf_log_finding(enum hf_log_level level, const char *text);

#endif
