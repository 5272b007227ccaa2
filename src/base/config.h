// SPDX-License-Identifier: MIT
/* The configuration file: JSON with comments, keys as in cufile.json (docs/settings.md). */
#ifndef HF_BASE_CONFIG_H
#define HF_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* Takes one value; "where" is file:line. False: it knows no such key. */
typedef bool hf_config_take(const char *key, const char *text, const char *where);

/* Reads the file once, when the settings load. What is wrong with it becomes a finding; a file
   that is not there does only if the user named it. An empty path is no file. */
void hf_config_read(const char *path, bool named, hf_config_take *take);

/* The same for a text already read; it may be changed, and text[length] is NUL. */
void hf_config_take_text(const char *path, char *text, size_t length, hf_config_take *take);

enum hf_rule_direct {
    HF_RULE_DEFAULT, /* no rule */
    HF_RULE_ALLOWED, /* direct whatever the file system */
    HF_RULE_DENIED,  /* no direct path; hipFileIODisabled where compat mode is forbidden too */
};

struct hf_config_rule {
    enum hf_rule_direct direct;
    bool force_compat; /* no direct path, and compat mode is allowed here */
    size_t direct_read_size_kb, direct_write_size_kb; /* 0: as everywhere */
};

/* What the file says about a path on a file system of a type, on a device ("nvme0n1") of a
   kind ("nvme", "dm", "virtio"). What is unknown is "". Overrides apply in the order of the file, a
   later one over an earlier one; the denylist wins over all. No lock. */
void hf_config_rule(const char *path, const char *fs_type, const char *device, const char *driver,
                    struct hf_config_rule *rule);

#endif
