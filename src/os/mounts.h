// SPDX-License-Identifier: MIT
/* The mount table: with libmount (mounts_mount.c) or without it (mounts_none.c). */
#ifndef HF_OS_MOUNTS_H
#define HF_OS_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct hf_mount {
    char type[32];
    char options[512]; /* of the file system, where data= stands */
};

/* Finds a mount of the device. 0, or -ENOENT when this mount namespace shows none. */
int hf_mounts_find(dev_t device, struct hf_mount *mount);

#endif
