// SPDX-License-Identifier: MIT
/* The process's own memory, as the kernel sees it. */
#ifndef HF_OS_MAPPING_H
#define HF_OS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if every byte of the range is mapped and readable. Reads /proc/self/maps: for registration,
   not for the data path. */
bool hf_mapping_is_readable(uintptr_t address, size_t size);

#endif
