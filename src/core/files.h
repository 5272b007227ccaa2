// SPDX-License-Identifier: MIT
/* Registered files and their handles. */
#ifndef HF_CORE_FILES_H
#define HF_CORE_FILES_H

#include "base/refs.h"
#include "hipfile.h"
#include "observe/tally.h"
#include "os/descriptor.h"

struct hf_file {
    struct hf_refs refs;
    unsigned place; /* in the table */
    struct hf_file *next_free;
    int number; /* of the descriptor that the caller registered */
    struct hf_descriptor descriptor;
    atomic_uint devices_refused;
    struct hf_tally tally;
};

/*
 * Registers a descriptor. 0 or a status; -hipFileHandleAlreadyRegistered while the number still
 * means the open file that it was registered for.
 */
int hf_files_register(int fd, hipFileHandle_t *handle);

/* The handle is unknown from now on. What is in flight finishes; the last one frees the file.
   False: it was not known. */
bool hf_files_deregister(hipFileHandle_t handle);

/* At the driver's closing. */
void hf_files_deregister_all(void);

/* Takes a reference; NULL for a handle that is not registered. */
struct hf_file *hf_file_get(hipFileHandle_t handle);
void hf_file_put(struct hf_file *file);

/* Around a fork: keeps the table still; in the child, drops what belongs to the parent. */
void hf_files_before_fork(void);
void hf_files_after_fork_parent(void);
void hf_files_after_fork_child(void);

#endif
