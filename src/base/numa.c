// SPDX-License-Identifier: MIT
#include "base/numa.h"

#include <ctype.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLICY_BITS (sizeof((struct hf_numa_policy *)0)->nodes * CHAR_BIT)

const char *hf_numa_sysfs = "/sys";

static bool read_line(const char *name, char *line, int size)
{
    char path[PATH_MAX];
    FILE *file;
    bool got;

    snprintf(path, sizeof path, "%s/%s", hf_numa_sysfs, name);
    file = fopen(path, "re");
    if (!file)
        return false;
    got = fgets(line, size, file) != NULL;
    fclose(file);
    return got;
}

static bool has_several_nodes(void)
{
    char line[256];

    return read_line("devices/system/node/online", line, sizeof line) && strpbrk(line, "-,");
}

unsigned hf_numa_place_of(const char *pci_bus_id)
{
    char name[64], line[32];
    long node;

    snprintf(name, sizeof name, "bus/pci/devices/%.20s/numa_node", pci_bus_id);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c); /* as sysfs writes them */
    if (!has_several_nodes() || !read_line(name, line, sizeof line))
        return 0;
    node = strtol(line, NULL, 10);
    return node < 0 || node + 1 >= HF_PLACES ? 0 : (unsigned)node + 1;
}

/* "0-15,32-47", and of it what is in `allowed`. */
static void parse_cpus(const char *list, const cpu_set_t *allowed, cpu_set_t *cpus)
{
    char *next;

    CPU_ZERO(cpus);
    for (; isdigit((unsigned char)*list); list = *next == ',' ? next + 1 : next) {
        unsigned long first = strtoul(list, &next, 10), last = first;

        if (*next == '-')
            last = strtoul(next + 1, &next, 10);
        for (; first <= last && first < CPU_SETSIZE; first++)
            if (CPU_ISSET(first, allowed))
                CPU_SET(first, cpus);
    }
}

void hf_numa_move_thread(unsigned place)
{
    char name[64], line[1024];
    cpu_set_t allowed, cpus;

    snprintf(name, sizeof name, "devices/system/node/node%u/cpulist", place - 1);
    if (place == 0 || !read_line(name, line, sizeof line) ||
        sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0)
        return;
    parse_cpus(line, &allowed, &cpus);
    if (CPU_COUNT(&cpus) > 0)
        sched_setaffinity(0, sizeof cpus, &cpus);
}

void hf_numa_prefer(unsigned place, struct hf_numa_policy *before)
{
    unsigned long node = place ? 1ul << (place - 1) : 0;

    before->saved = place && syscall(SYS_get_mempolicy, &before->mode, before->nodes, POLICY_BITS,
                                     NULL, 0) == 0;
    if (before->saved)
        syscall(SYS_set_mempolicy, MPOL_PREFERRED, &node, sizeof node * CHAR_BIT);
}

void hf_numa_restore(const struct hf_numa_policy *before)
{
    if (before->saved)
        syscall(SYS_set_mempolicy, before->mode, before->nodes, POLICY_BITS);
}
