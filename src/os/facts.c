// SPDX-License-Identifier: MIT
#include "os/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "hipfile.h"
#include "os/mounts.h"
#include "os/os.h"

#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x2000U
#endif

#define DEFAULT_ALIGNMENT 4096u
#define LARGEST_UNIT      (1u << 20)

/* Where the C library's struct statx does not have the fields yet (Linux 6.1 brought them). */
struct statx_dio {
    uint32_t memory_alignment;
    uint32_t offset_alignment;
};

static void read_dio_alignment(const struct statx *st, struct statx_dio *dio)
{
    memcpy(dio, (const char *)st + 0x98, sizeof *dio);
}

static bool is_power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

static uint32_t larger(uint32_t unit, uint32_t candidate)
{
    return is_power_of_two(candidate) && candidate <= LARGEST_UNIT && candidate > unit ? candidate
                                                                                       : unit;
}

/* A unit below the page size would put a buffered edge and a direct middle into one page, and the
   one written later would take the other's bytes along. */
static uint32_t split_unit(const struct statx *st, const struct statx_dio *dio)
{
    uint32_t unit = larger(DEFAULT_ALIGNMENT, (uint32_t)sysconf(_SC_PAGESIZE));

    unit = larger(unit, dio->offset_alignment);
    return larger(unit, st->stx_blksize);
}

int hf_facts_read(int fd, struct hf_facts *facts)
{
    struct statx st = {0};
    struct statx_dio dio = {0};

    if (hf_os.statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &st) != 0)
        return -errno;
    if (!S_ISREG(st.stx_mode) && !S_ISBLK(st.stx_mode))
        return -hipFileInvalidFileType;
    if (st.stx_mask & STATX_DIOALIGN)
        read_dio_alignment(&st, &dio);

    facts->is_block_device = S_ISBLK(st.stx_mode);
    facts->device = facts->is_block_device ? makedev(st.stx_rdev_major, st.stx_rdev_minor)
                                           : makedev(st.stx_dev_major, st.stx_dev_minor);
    facts->inode = (ino_t)st.stx_ino;
    facts->unit = split_unit(&st, &dio);
    facts->memory_alignment =
        larger(1, dio.memory_alignment ? dio.memory_alignment : DEFAULT_ALIGNMENT);
    return 0;
}

/* The last part of a link, such as that of /sys/dev/block/8:1. */
static bool link_name(const char *path, char *name, size_t size)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    const char *last;

    if (length <= 0)
        return false;
    target[length] = '\0';
    last = strrchr(target, '/');
    snprintf(name, size, "%.*s", (int)size - 1, last ? last + 1 : target);
    return true;
}

static void name_layer(const char *device, char *layer, size_t size)
{
    static const struct {
        const char *prefix, *layer;
    } layers[] = {
        {"nvme", "nvme"}, {"dm-", "dm"},     {"md", "md"},   {"loop", "loop"}, {"vd", "virtio"},
        {"sd", "scsi"},   {"mmcblk", "mmc"}, {"nbd", "nbd"}, {"zram", "zram"}, {"ram", "ram"},
        {"rbd", "rbd"},   {"drbd", "drbd"},  {"sr", "scsi"}, {"pmem", "pmem"}, {"bcache", "bcache"},
    };

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        if (strncmp(device, layers[i].prefix, strlen(layers[i].prefix)) == 0) {
            snprintf(layer, size, "%s", layers[i].layer);
            return;
        }
    }
    snprintf(layer, size, "%.15s", device);
}

static void name_block_device(dev_t device, struct hf_storage *storage)
{
    char path[64];

    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(device), minor(device));
    if (link_name(path, storage->block_device, sizeof storage->block_device))
        name_layer(storage->block_device, storage->layer, sizeof storage->layer);
}

/* data= absent means ordered, the default of ext4. */
static enum hf_journal journal_of(const char *options)
{
    const char *data = strstr(options, "data=");

    if (!data || (data != options && data[-1] != ','))
        return HF_JOURNAL_ORDERED;
    data += strlen("data=");
    return strncmp(data, "ordered", 7) == 0 ? HF_JOURNAL_ORDERED : HF_JOURNAL_OTHER;
}

static void find_rule(int fd, struct hf_storage *storage)
{
    char link[32], path[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    hf_config_rule(path, storage->file_system, storage->block_device, storage->layer,
                   &storage->rule);
}

void hf_storage_read(int fd, const struct hf_facts *facts, struct hf_storage *storage)
{
    struct hf_mount mount;

    memset(storage, 0, sizeof *storage);
    name_block_device(facts->device, storage);
    if (facts->is_block_device) {
        strcpy(storage->file_system, "block");
    } else if (hf_mounts_find(facts->device, &mount) == 0) {
        memcpy(storage->file_system, mount.type, sizeof storage->file_system);
        storage->journal = journal_of(mount.options);
    }
    find_rule(fd, storage);
}

int64_t hf_facts_size(int fd, bool is_block_device)
{
    struct statx st = {0};
    uint64_t bytes = 0;

    if (is_block_device)
        return hf_os.ioctl(fd, BLKGETSIZE64, &bytes) == 0 ? (int64_t)bytes : -errno;
    if (hf_os.statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) != 0)
        return -errno;
    return (int64_t)st.stx_size;
}
