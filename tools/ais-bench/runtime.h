/* SPDX-License-Identifier: MIT */
/*
 * The HIP runtime, found at run time as libhipfile finds it, so that one program serves ROCm and
 * hiplite; and memory of every kind.
 */
#ifndef AIS_BENCH_RUNTIME_H
#define AIS_BENCH_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "hipfile_ext.h"
#include "options.h"

/* What this library adds may be missing: then the paths are not told. */
#pragma weak hipFileExtGetHandleInfo
#pragma weak hipFileExtQueryRequest
#pragma weak hipFileExtDescribeResult
#pragma weak hipFileExtDescribeError
#pragma weak hipFileExtPathString
#pragma weak hipFileExtReasonString

#define HIP_CALLS(X)                                                                               \
    X(GetDeviceCount)                                                                              \
    X(SetDevice)                                                                                   \
    X(Malloc)                                                                                      \
    X(Free)                                                                                        \
    X(MallocManaged)                                                                               \
    X(HostMalloc)                                                                                  \
    X(HostFree)                                                                                    \
    X(Memcpy)                                                                                      \
    X(StreamCreateWithFlags)                                                                       \
    X(StreamSynchronize)                                                                           \
    X(StreamDestroy)                                                                               \
    X(GetErrorString)

struct runtime {
#define RUNTIME_MEMBER(name) __typeof__(hip##name) *name;
    HIP_CALLS(RUNTIME_MEMBER)
#undef RUNTIME_MEMBER
    const char *library;
};
extern struct runtime hip;

/* Loads a runtime and takes the device; false after a message on stderr. */
bool runtime_load(int gpu);

/* NULL after a message. What it gives is registered with hipFile. */
void *memory_get(enum memory kind, size_t size);
void memory_put(enum memory kind, void *memory);

/* Copies between memory of any kinds, and waits; false if HIP fails. */
bool memory_copy(void *to, const void *from, size_t size);

/* A hipFileError_t or a result, in words. */
const char *describe_error(hipFileError_t error, char *text, size_t size);
const char *describe_result(ssize_t result, char *text, size_t size);

#endif
