// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/config_parse.h"

bool hf_config_parse(char *text, size_t length, hf_config_value *value, void *context,
                     struct hf_config_error *error)
{
    (void)text, (void)length, (void)value, (void)context;
    error->line = 0;
    snprintf(error->why, sizeof(error->why), "not read: the library was built without json-c");
    return false;
}
