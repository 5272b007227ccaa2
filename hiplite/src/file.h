// SPDX-License-Identifier: MIT
//
// The two functions that ROCm 7.2 has without exporting or declaring them.
#ifndef HL_FILE_H
#define HL_FILE_H

#include <hip/hip_runtime_api.h>

typedef union hl_file_handle {
    void *handle;
    int fd;
    uint8_t pad[8];
} hipAmdFileHandle_t;
_Static_assert(sizeof(hipAmdFileHandle_t) == 8, "passed in one register");

// *status is 0 or -errno and tells more than the result; *size_copied is valid when both say so.
hipError_t hipAmdFileRead(hipAmdFileHandle_t handle, void *devicePtr, uint64_t size,
                          int64_t file_offset, uint64_t *size_copied, int32_t *status);
hipError_t hipAmdFileWrite(hipAmdFileHandle_t handle, void *devicePtr, uint64_t size,
                           int64_t file_offset, uint64_t *size_copied, int32_t *status);

#endif
