// SPDX-License-Identifier: MIT
#ifndef HL_ERROR_H
#define HL_ERROR_H

#include <stdbool.h>

#include <hip/hip_runtime_api.h>

// The code of a canonical name such as "hipErrorInvalidValue".
bool hl_error_parse(const char *name, hipError_t *code);

bool hl_error_known(hipError_t code);

#endif
