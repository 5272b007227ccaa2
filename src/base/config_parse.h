// SPDX-License-Identifier: MIT
/* The JSON library's side of the configuration file: config_json-c.c, or config_none.c. */
#ifndef HF_BASE_CONFIG_PARSE_H
#define HF_BASE_CONFIG_PARSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * One value, in the order of the file. The key is "section.key"; the text is what the environment
 * would say ("true", "128", "/var/log"). A list comes as several values of one key. An object in a
 * list begins with a NULL text, and its members follow as "key.member".
 */
typedef void hf_config_value(void *context, const char *key, const char *text, unsigned line);

struct hf_config_error {
    unsigned line; /* 0: the file as a whole */
    char why[96];
};

/* The text is one longer than length, ends with a NUL and may be changed. False: *error says why,
   and no value was given. */
bool hf_config_parse(char *text, size_t length, hf_config_value *value, void *context,
                     struct hf_config_error *error);

#endif
