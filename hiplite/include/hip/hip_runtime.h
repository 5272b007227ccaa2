// SPDX-License-Identifier: MIT
//
// The host side of HIP. Kernels need a device compiler; hiplite has none, so that this is the API
// alone.
#ifndef HIP_RUNTIME_H
#define HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>

#endif
