// SPDX-License-Identifier: MIT
/* Where a HIP runtime may be found, in order of preference. */
#ifndef HF_HIP_LIBRARY_H
#define HF_HIP_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

enum hf_library_step { HF_LIBRARY_END, HF_LIBRARY_CANDIDATE };

struct hf_hip_library {
    void *handle; /* from dlopen; NULL: nothing there */
    char path[PATH_MAX];
    bool final; /* named by the user or already in the process: no other is tried after it */
};

/*
 * The candidates, from 0: the one that HIPFILE_HIP_LIBRARY names; else one that the process has
 * loaded, in whatever scope and under whatever name; else libamdhip64.so.7, .6 and libhiplite.so.0
 * on the library path, but never from the current directory.
 */
enum hf_library_step hf_hip_library_next(int index, struct hf_hip_library *library);

#endif
