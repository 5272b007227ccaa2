// SPDX-License-Identifier: MIT
//
// HIPLITE_* environment variables. A bad value is named on stderr and the default kept.
#ifndef HL_SETTINGS_H
#define HL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

__attribute__((format(printf, 1, 2))) void hl_warn(const char *format, ...);

// NULL if unset, empty, or the program is privileged.
const char *hl_setting(const char *name);

// Digits with an optional K, M, G or T (powers of 1024).
bool hl_parse_size(const char *text, uint64_t *value);

uint64_t hl_setting_number(const char *name, uint64_t least, uint64_t most, uint64_t fallback);

#endif
