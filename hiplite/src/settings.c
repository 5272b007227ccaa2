// SPDX-License-Identifier: MIT
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hl_warn(const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    fprintf(stderr, "hiplite: %s\n", line);
}

const char *hl_setting(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

bool hl_parse_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    char *end;
    unsigned shift = 0;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*end != '\0') {
        const char *unit = strchr(units, toupper((unsigned char)*end));
        if (unit == NULL || end[1] != '\0')
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (errno != 0 || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

uint64_t hl_setting_number(const char *name, uint64_t least, uint64_t most, uint64_t fallback)
{
    const char *text = hl_setting(name);
    uint64_t value;

    if (text == NULL)
        return fallback;
    if (hl_parse_size(text, &value) && value >= least && value <= most)
        return value;
    hl_warn("%s=%s is not a number from %llu to %llu; using %llu", name, text,
            (unsigned long long)least, (unsigned long long)most, (unsigned long long)fallback);
    return fallback;
}
