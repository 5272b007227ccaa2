// SPDX-License-Identifier: MIT
#include "base/findings.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file full of nonsense says so this many times. */
#define FINDINGS_MAX 32

struct finding {
    enum hf_log_level level;
    char *text;
};

/* Without a lock: only the thread that loads the settings comes here. */
static struct finding findings[FINDINGS_MAX];
static unsigned count, left_out;

static bool known(const char *text)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(findings[i].text, text) == 0)
            return true;
    return false;
}

void hf_finding_add(enum hf_log_level level, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    if (!text)
        return;

    if (known(text)) {
        free(text);
    } else if (count == FINDINGS_MAX) {
        left_out++;
        free(text);
    } else {
        findings[count++] = (struct finding){level, text};
    }
}

void hf_findings_report(void)
{
    char more[64];

    for (unsigned i = 0; i < count; i++) {
        hf_log_finding(findings[i].level, findings[i].text);
        free(findings[i].text);
    }
    if (left_out) {
        snprintf(more, sizeof(more), "%u more complaints about settings left out", left_out);
        hf_log_finding(HF_LOG_WARN, more);
    }
    count = left_out = 0;
}
