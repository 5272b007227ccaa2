// SPDX-License-Identifier: MIT
#include "os/mounts.h"

#include <errno.h>
#include <libmount.h>
#include <stdio.h>

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

int hf_mounts_find(dev_t device, struct hf_mount *mount)
{
    struct libmnt_table *table = mnt_new_table();
    struct libmnt_fs *fs = NULL;
    int err = -ENOENT;

    if (!table)
        return -ENOMEM;
    if (mnt_table_parse_mtab(table, "/proc/self/mountinfo") == 0)
        fs = mnt_table_find_devno(table, device, MNT_ITER_BACKWARD);
    if (fs) {
        copy(mount->type, sizeof mount->type, mnt_fs_get_fstype(fs));
        copy(mount->options, sizeof mount->options, mnt_fs_get_fs_options(fs));
        err = 0;
    }
    mnt_unref_table(table);
    return err;
}
