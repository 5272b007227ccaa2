// SPDX-License-Identifier: MIT
/*
 * Places in the machine, as far as sysfs tells. A place is a NUMA node's number plus one; 0 is
 * anywhere: the machine has one node, or nothing is known. That the kernel refuses a request is no
 * error: things are then where they would have been.
 */
#ifndef HF_BASE_NUMA_H
#define HF_BASE_NUMA_H

#include <stdbool.h>

#define HF_PLACES 17

/* "/sys"; tests have their own. */
extern const char *hf_numa_sysfs;

/* The place of a PCI device, such as "0000:c1:00.0". */
unsigned hf_numa_place_of(const char *pci_bus_id);

/* The calling thread runs there from now on, as far as the process may. Nothing for place 0. */
void hf_numa_move_thread(unsigned place);

/* The calling thread's rule for where new memory comes from. */
struct hf_numa_policy {
    bool saved;
    int mode;
    unsigned long nodes[16];
};

/* Memory that the thread makes comes from the place, if it can, until the rule before is restored.
   Nothing for place 0. */
void hf_numa_prefer(unsigned place, struct hf_numa_policy *before);
void hf_numa_restore(const struct hf_numa_policy *before);

#endif
