// SPDX-License-Identifier: MIT
/* Operations in a stream: hipFileReadAsync and hipFileWriteAsync. */
#ifndef HF_CORE_OPERATION_H
#define HF_CORE_OPERATION_H

#include <stddef.h>
#include <sys/types.h>

#include "base/terms.h"
#include "hipfile.h"

/* As the caller gave them; no pointer is NULL. */
struct hf_operation_call {
    enum hf_op op;
    hipFileHandle_t handle;
    const void *base;
    const size_t *size;
    const hoff_t *file_offset, *buffer_offset;
    ssize_t *bytes;
    hipStream_t stream;
    int device; /* that was current when the call was made */
};

/* Checks an operation and queues it. HIP is loaded. 0 or a status; after a failure nothing of it is
   left in the stream. */
int hf_operation_submit(const struct hf_operation_call *call);

/* In a forked child: the parent's operations are forgotten. */
void hf_operations_forget(void);

#endif
