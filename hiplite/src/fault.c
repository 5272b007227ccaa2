// SPDX-License-Identifier: MIT
//
// HIPLITE_FAULT is a list of rules, separated by ';': FUNCTION@N=ACTION or FUNCTION@N+=ACTION, for
// the N-th call (from 1, over all threads), or the N-th and all later ones. README.md has the rest.
#include "fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "runtime.h"
#include "settings.h"

#define MAX_RULES 64

enum action { ACTION_ERROR, ACTION_STATUS, ACTION_SHORT, ACTION_DELAY };

struct rule {
    enum hl_function fn;
    uint64_t first;
    uint64_t last;
    enum action action;
    uint64_t value; // hipError_t, errno, bytes or nanoseconds
};

static struct rule rules[MAX_RULES];
static unsigned rule_count;
static atomic_ulong calls[HL_FN_COUNT];
static atomic_ulong bytes_moved[HL_FN_COUNT];
static const char *counts_path;
static pid_t counts_pid;

static bool function_parse(const char *name, enum hl_function *fn)
{
    for (int i = 0; i < HL_FN_COUNT; i++) {
        if (hl_function_names[i] != NULL && strcmp(hl_function_names[i], name) == 0) {
            *fn = (enum hl_function)i;
            return true;
        }
    }
    return false;
}

static bool is_file_function(enum hl_function fn)
{
    return fn == HL_FN_hipAmdFileRead || fn == HL_FN_hipAmdFileWrite;
}

static bool errno_parse(const char *name, uint64_t *value)
{
    for (int code = 1; code < 200; code++) {
        const char *known = strerrorname_np(code);
        if (known != NULL && strcmp(known, name) == 0) {
            *value = (uint64_t)code;
            return true;
        }
    }
    return false;
}

static bool delay_parse(const char *text, uint64_t *ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *end;

    *ns = strtoull(text, &end, 10);
    for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0) {
            *ns *= units[i].ns;
            return true;
        }
    }
    return false;
}

static bool action_parse(const char *text, struct rule *rule)
{
    hipError_t error;

    if (strncmp(text, "delay:", 6) == 0) {
        rule->action = ACTION_DELAY;
        return delay_parse(text + 6, &rule->value);
    }
    if (rule->fn < HL_FN_FREE_END)
        return false;
    if (hl_error_parse(text, &error)) {
        rule->action = ACTION_ERROR;
        rule->value = error;
        return error != hipSuccess;
    }
    if (!is_file_function(rule->fn))
        return false;
    if (strncmp(text, "short:", 6) == 0) {
        rule->action = ACTION_SHORT;
        return hl_parse_size(text + 6, &rule->value);
    }
    rule->action = ACTION_STATUS;
    return errno_parse(text, &rule->value);
}

// Cuts the text up.
static bool rule_parse(char *text, struct rule *rule)
{
    char *at = strchr(text, '@');
    char *equals = at != NULL ? strchr(at, '=') : NULL;
    char *end;

    if (equals == NULL)
        return false;
    *at = *equals = '\0';
    if (!function_parse(text, &rule->fn))
        return false;
    rule->first = strtoull(at + 1, &end, 10);
    rule->last = *end == '+' ? UINT64_MAX : rule->first;
    if (rule->first == 0 || end == at + 1 || (*end == '+' ? end[1] : *end) != '\0')
        return false;
    return action_parse(equals + 1, rule);
}

static void rules_read(const char *script)
{
    char *copy = strdup(script);
    char *rest = copy;
    char *text;

    while (rest != NULL && (text = strsep(&rest, ";")) != NULL) {
        char shown[160];
        snprintf(shown, sizeof(shown), "%s", text);
        if (*text == '\0')
            continue;
        if (rule_count == MAX_RULES)
            hl_warn("HIPLITE_FAULT: more than %d rules; \"%s\" is ignored", MAX_RULES, shown);
        else if (rule_parse(text, &rules[rule_count]))
            rule_count++;
        else
            hl_warn("HIPLITE_FAULT: \"%s\" is not a rule and is ignored", shown);
    }
    free(copy);
}

unsigned hl_fault_init(void)
{
    const char *script = hl_setting("HIPLITE_FAULT");

    counts_path = hl_setting("HIPLITE_COUNTS");
    counts_pid = getpid();
    if (script != NULL)
        rules_read(script);
    return (rule_count > 0 ? HL_HOOK_FAULTS : 0) | (counts_path != NULL ? HL_HOOK_COUNTS : 0);
}

static void delay(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

void hl_fault_take(enum hl_function fn, struct hl_fault *fault)
{
    uint64_t call = atomic_fetch_add_explicit(&calls[fn], 1, memory_order_relaxed) + 1;

    *fault = (struct hl_fault){.limit = UINT64_MAX};
    for (unsigned i = 0; i < rule_count; i++) {
        const struct rule *rule = &rules[i];
        if (rule->fn != fn || call < rule->first || call > rule->last)
            continue;
        switch (rule->action) {
        case ACTION_ERROR:
            fault->error = (hipError_t)rule->value;
            break;
        case ACTION_STATUS:
            fault->status = -(int)rule->value;
            break;
        case ACTION_SHORT:
            fault->limit = rule->value;
            break;
        case ACTION_DELAY:
            delay(rule->value);
            break;
        }
    }
}

void hl_count_bytes(enum hl_function fn, uint64_t bytes)
{
    if (__builtin_expect(atomic_load_explicit(&hl_hooks, memory_order_relaxed) != 0, 0))
        atomic_fetch_add_explicit(&bytes_moved[fn], bytes, memory_order_relaxed);
}

uint64_t hipliteCallCount(const char *function)
{
    enum hl_function fn;

    return function_parse(function, &fn) ? atomic_load(&calls[fn]) : 0;
}

uint64_t hipliteByteCount(const char *function)
{
    enum hl_function fn;

    return function_parse(function, &fn) ? atomic_load(&bytes_moved[fn]) : 0;
}

// A forked child inherits the counts; only the process that was told to report does.
__attribute__((destructor)) static void counts_write(void)
{
    FILE *file;

    if (counts_path == NULL || counts_pid != getpid())
        return;
    file = fopen(counts_path, "we");
    if (file == NULL) {
        hl_warn("HIPLITE_COUNTS=%s: %s", counts_path, strerror(errno));
        return;
    }
    for (int i = 0; i < HL_FN_COUNT; i++) {
        if (atomic_load(&calls[i]) > 0)
            fprintf(file, "%s %lu %lu\n", hl_function_names[i], atomic_load(&calls[i]),
                    atomic_load(&bytes_moved[i]));
    }
    fclose(file);
}
