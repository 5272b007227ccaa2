// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct runtime hip;

static bool look_up(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);

    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool look_up_all(void *library)
{
    bool all = true;

#define RUNTIME_LOOK_UP(call) all = all && look_up(library, "hip" #call, &hip.call);
    HIP_CALLS(RUNTIME_LOOK_UP)
#undef RUNTIME_LOOK_UP
    return all;
}

/* How many devices it counts; 0 also if it cannot be used. */
static int try_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int devices = 0;

    if (!library)
        return 0;
    if (!look_up_all(library) || hip.GetDeviceCount(&devices) != hipSuccess || devices < 1) {
        dlclose(library);
        return 0;
    }
    hip.library = name;
    return devices;
}

bool runtime_load(int gpu)
{
    const char *chosen = getenv("HIPFILE_HIP_LIBRARY");
    const char *known[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libhiplite.so.0"};
    int devices = 0;

    if (chosen && *chosen)
        devices = try_library(chosen);
    else
        for (size_t i = 0; i < sizeof known / sizeof known[0] && devices == 0; i++)
            devices = try_library(known[i]);
    if (devices == 0) {
        fprintf(stderr, "ais-bench: no HIP runtime with a device: %s\n",
                chosen && *chosen ? chosen
                                  : "install ROCm's libamdhip64 or libhiplite, or set "
                                    "HIPFILE_HIP_LIBRARY");
        return false;
    }
    if (gpu >= devices || hip.SetDevice(gpu) != hipSuccess) {
        fprintf(stderr, "ais-bench: --gpu=%d: no such device; %s counts %d\n", gpu, hip.library,
                devices);
        return false;
    }
    return true;
}

/* ---- memory ----------------------------------------------------------------------------- */

static hipError_t allocate(enum memory kind, void **memory, size_t size)
{
    switch (kind) {
    case MEMORY_DEVICE:
        return hip.Malloc(memory, size);
    case MEMORY_MANAGED:
        return hip.MallocManaged(memory, size, hipMemAttachGlobal);
    case MEMORY_PINNED:
        return hip.HostMalloc(memory, size, hipHostMallocDefault);
    default: /* O_DIRECT wants it page-aligned */
        return posix_memalign(memory, 4096, size) == 0 ? hipSuccess : hipErrorOutOfMemory;
    }
}

static void release(enum memory kind, void *memory)
{
    if (kind == MEMORY_PAGEABLE)
        free(memory);
    else if (kind == MEMORY_PINNED)
        (void)hip.HostFree(memory);
    else
        (void)hip.Free(memory);
}

void *memory_get(enum memory kind, size_t size)
{
    void *memory = NULL;
    hipError_t error = allocate(kind, &memory, size);
    hipFileError_t registered;
    char text[HIPFILE_EXT_TEXT_SIZE];

    if (error != hipSuccess) {
        fprintf(stderr, "ais-bench: cannot allocate %zu bytes of %s memory: %s\n", size,
                memory_words[kind], hip.GetErrorString(error));
        return NULL;
    }
    registered = hipFileBufRegister(memory, size, 0);
    if (registered.err != hipFileSuccess) {
        fprintf(stderr, "ais-bench: cannot register %zu bytes of %s memory: %s\n", size,
                memory_words[kind], describe_error(registered, text, sizeof text));
        release(kind, memory);
        return NULL;
    }
    return memory;
}

void memory_put(enum memory kind, void *memory)
{
    if (!memory)
        return;
    (void)hipFileBufDeregister(memory);
    release(kind, memory);
}

/* Copies of ordinary memory may return before they are done. */
bool memory_copy(void *to, const void *from, size_t size)
{
    return hip.Memcpy(to, from, size, hipMemcpyDefault) == hipSuccess &&
           hip.StreamSynchronize(NULL) == hipSuccess;
}

/* ---- words ------------------------------------------------------------------------------ */

const char *describe_error(hipFileError_t error, char *text, size_t size)
{
    if (hipFileExtDescribeError)
        return hipFileExtDescribeError(error, text, size);
    snprintf(text, size, "%s (%d)", hipFileGetOpErrorString(error.err), (int)error.err);
    return text;
}

const char *describe_result(ssize_t result, char *text, size_t size)
{
    if (hipFileExtDescribeResult)
        return hipFileExtDescribeResult(result, text, size);
    if (result < 0 && IS_HIPFILE_ERR(result))
        snprintf(text, size, "%s (%zd)", HIPFILE_ERRSTR(result), -result);
    else
        snprintf(text, size, "%s", strerror(result == -1 ? errno : (int)-result));
    return text;
}
