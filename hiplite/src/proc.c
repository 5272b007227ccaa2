// SPDX-License-Identifier: MIT
#include <string.h>

#include "fault.h"
#include "file.h"
#include "runtime.h"

static const struct {
    const char *name;
    void *fn;
} procs[] = {
#define PROC(name) {#name, (void *)(name)},
    HL_EXPORTED_FUNCTIONS(PROC)
    // The header's names of the functions that carry a layout in theirs.
    {"hipGetDeviceProperties", (void *)hipGetDevicePropertiesR0600}};

static void *file_proc(const char *symbol)
{
    if (!hl_ops->has_file_io)
        return NULL;
    if (strcmp(symbol, "hipAmdFileRead") == 0)
        return (void *)hipAmdFileRead;
    return strcmp(symbol, "hipAmdFileWrite") == 0 ? (void *)hipAmdFileWrite : NULL;
}

static void *count_proc(const char *symbol)
{
    void *fn = NULL;

    if (strcmp(symbol, "hipliteCallCount") == 0)
        fn = (void *)hipliteCallCount;
    if (strcmp(symbol, "hipliteByteCount") == 0)
        fn = (void *)hipliteByteCount;
    if (fn != NULL)
        atomic_fetch_or(&hl_hooks, HL_HOOK_COUNTS);
    return fn;
}

static void *proc_find(const char *symbol)
{
    void *fn = file_proc(symbol);

    for (size_t i = 0; fn == NULL && i < sizeof(procs) / sizeof(procs[0]); i++) {
        if (strcmp(procs[i].name, symbol) == 0)
            fn = procs[i].fn;
    }
    return fn != NULL ? fn : count_proc(symbol);
}

hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult *symbolStatus)
{
    hipDriverProcAddressQueryResult status;

    (void)hipVersion; // every function here is as old as the oldest version that we claim
    HL_ENTER(hipGetProcAddress);
    if (symbol == NULL || *symbol == '\0' || pfn == NULL ||
        flags > HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return hl_leave(hipErrorInvalidValue);
    *pfn = proc_find(symbol);
    status = *pfn != NULL ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (symbolStatus != NULL)
        *symbolStatus = status;
    return hl_leave(*pfn != NULL ? hipSuccess : hipErrorInvalidValue);
}
