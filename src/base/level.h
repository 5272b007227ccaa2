// SPDX-License-Identifier: MIT
/* How much the log says. Each level includes those before it. */
#ifndef HF_BASE_LEVEL_H
#define HF_BASE_LEVEL_H

#define HF_LEVELS(X) X(OFF) X(ERROR) X(WARN) X(NOTICE) X(INFO) X(DEBUG) X(TRACE)

enum hf_log_level {
#define LEVEL(name) HF_LOG_##name,
    HF_LEVELS(LEVEL)
#undef LEVEL
        HF_LOG_LEVELS
};

/* "OFF" and so on, in capitals. */
extern const char *const hf_level_names[HF_LOG_LEVELS];

#endif
