// SPDX-License-Identifier: MIT
//
// The HIP version whose names, values and layouts these headers follow.
#ifndef HIP_VERSION_H
#define HIP_VERSION_H

#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 0

// The form that hipRuntimeGetVersion reports.
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

// Tells hiplite's headers from ROCm's, for programs that care.
#define HIPLITE 1

#endif
