// SPDX-License-Identifier: MIT
/* The sections "denylist" and "overrides" of the configuration file. */
#ifndef HF_BASE_CONFIG_RULES_H
#define HF_BASE_CONFIG_RULES_H

#include <stdbool.h>

void hf_config_rules_clear(void);

/* Takes one value as hf_config_value gives it. False: the key is of another section. */
bool hf_config_rule_take(const char *key, const char *text, const char *where);

/* After the last value: drops overrides that say nothing about where they apply. */
void hf_config_rules_check(void);

#endif
