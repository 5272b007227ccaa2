// SPDX-License-Identifier: MIT
/* Without libmount: the few fields that are needed, straight from /proc/self/mountinfo. */
#include "os/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* "ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAGS...] - TYPE SOURCE FS-OPTIONS" */
static int parse(const char *line, dev_t device, struct hf_mount *mount)
{
    unsigned major, minor;
    const char *rest = strstr(line, " - ");

    if (!rest || sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2)
        return -EINVAL;
    if (makedev(major, minor) != device)
        return -ENOENT;
    mount->options[0] = '\0';
    return sscanf(rest, " - %31s %*s %511s", mount->type, mount->options) >= 1 ? 0 : -EINVAL;
}

int hf_mounts_find(dev_t device, struct hf_mount *mount)
{
    FILE *table = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t size = 0;
    int err = -ENOENT;

    if (!table)
        return -ENOENT;
    while (err && getline(&line, &size, table) > 0)
        err = parse(line, device, mount);
    free(line);
    fclose(table);
    return err ? -ENOENT : 0;
}
