// SPDX-License-Identifier: MIT
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <hip/hip_runtime_api.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, (int)error_);          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
