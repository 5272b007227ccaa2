// SPDX-License-Identifier: MIT
/*
 * What the library knows about a file: from statx, the mount table and sysfs, never from udev.
 * "Unknown" is a valid answer everywhere; it only means that the direct path is not taken.
 */
#ifndef HF_OS_FACTS_H
#define HF_OS_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config.h"

enum hf_journal { HF_JOURNAL_ORDERED, HF_JOURNAL_OTHER };

/* Known at registration: one statx. */
struct hf_facts {
    dev_t device; /* of the file system; for a block device, the device itself */
    ino_t inode;
    bool is_block_device;
    uint32_t unit;             /* bytes; requests are split at its multiples; a power of two */
    uint32_t memory_alignment; /* bytes, of the absolute address, for O_DIRECT */
};

/* Looked up when the direct path is first considered. */
struct hf_storage {
    char file_system[32];  /* "ext4"; "block" for a device; "" if unknown */
    char block_device[64]; /* kernel name under the file system: "nvme0n1", "dm-0"; "" if none */
    char layer[16];        /* nvme, dm, md, loop, virtio, scsi, ...; "" if unknown */
    enum hf_journal journal;
    struct hf_config_rule rule; /* what the configuration file says about it */
};

/* -errno, or -hipFileInvalidFileType for what is neither a regular file nor a block device. */
int hf_facts_read(int fd, struct hf_facts *facts);

void hf_storage_read(int fd, const struct hf_facts *facts, struct hf_storage *storage);

/* The file's size in bytes, of a block device too; -errno. */
int64_t hf_facts_size(int fd, bool is_block_device);

#endif
