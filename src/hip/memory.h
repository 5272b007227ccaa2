// SPDX-License-Identifier: MIT
/* What kind of memory a pointer points to, and how far it reaches. */
#ifndef HF_HIP_MEMORY_H
#define HF_HIP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_memory_kind {
    HF_MEMORY_PAGEABLE, /* HIP does not know it: pageable host memory, or nothing at all */
    HF_MEMORY_DEVICE,
    HF_MEMORY_MANAGED,
    HF_MEMORY_PINNED,
};

struct hf_memory {
    enum hf_memory_kind kind;
    int device;
    size_t length; /* usable bytes from the pointer on; SIZE_MAX where HIP does not tell */
};

static inline bool hf_memory_on_host(enum hf_memory_kind kind)
{
    return kind != HF_MEMORY_DEVICE;
}

/*
 * Describes the memory at a pointer. Allocations that follow each other without a gap count as one
 * (virtual memory management maps many of them into one range); they are walked until `wanted`
 * bytes are covered. 0 or a HIP status; -hipFileHipMemoryTypeInvalid for arrays.
 */
int hf_memory_describe(const void *pointer, size_t wanted, struct hf_memory *memory);

#endif
