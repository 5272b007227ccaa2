// SPDX-License-Identifier: MIT
/* Registered memory. */
#ifndef HF_CORE_BUFFERS_H
#define HF_CORE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/refs.h"
#include "hip/memory.h"

struct hf_buffer {
    struct hf_refs refs;
    uintptr_t base;
    size_t length;
    enum hf_memory_kind kind;
    int device;
    struct hf_buffer *next; /* on the list of free ones */
};

/* 0 or a status: -hipFileMemoryAlreadyRegistered for the same base, ...PointerRangeError beyond the
   allocation, -hipFileInvalidValue for memory that neither HIP nor the process knows. */
int hf_buffers_register(const void *base, size_t length);

/* 0; -hipFileMemoryNotRegistered; -hipFileInternalError while an operation uses it. */
int hf_buffers_deregister(const void *base);

/* At the driver's closing: forgotten at once; those in use are freed by their last user. */
void hf_buffers_deregister_all(void);

/* The registration that contains the pointer, the one that reaches furthest if there are several,
   with a reference taken; NULL if there is none. Takes no lock. */
struct hf_buffer *hf_buffer_find(const void *pointer);
void hf_buffer_put(struct hf_buffer *buffer);

void hf_buffers_before_fork(void);
void hf_buffers_after_fork_parent(void);
void hf_buffers_after_fork_child(void);

#endif
