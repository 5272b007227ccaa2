// SPDX-License-Identifier: MIT
#include "hip/hip.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/status.h"
#include "base/thread.h"
#include "hip/library.h"
#include "observe/log.h"

#define OLDEST_VERSION 60000000 /* HIP 6: the layouts that this library was built for */

enum load_state { UNTRIED, LOADED, FAILED };

struct hf_hip_calls hf_hip;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic enum load_state state;
static int failure;
static _Thread_local bool thread_entered, worker_entered;

static hipError_t unsupported(void)
{
    return hipErrorNotSupported;
}

static bool look_up(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);

    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void look_up_optional(void *library, const char *name, void *slot)
{
    hipError_t (*stand_in)(void) = unsupported;

    if (!look_up(library, name, slot))
        memcpy(slot, &stand_in, sizeof stand_in);
}

static const char *fill(void *library, struct hf_hip_calls *calls)
{
#define REQUIRED(name)                                                                             \
    if (!look_up(library, #name, &calls->name))                                                    \
        return #name;
    HF_HIP_REQUIRED(REQUIRED)
#undef REQUIRED
#define OPTIONAL(name) look_up_optional(library, #name, &calls->name);
    HF_HIP_OPTIONAL(OPTIONAL)
#undef OPTIONAL
    return NULL;
}

static bool find_file_call(struct hf_hip_calls *calls, const char *name, hf_hip_file_call *slot)
{
    hipDriverProcAddressQueryResult result;
    void *symbol = NULL;

    if (calls->hipGetProcAddress(name, &symbol, calls->version, 0, &result) != hipSuccess ||
        !symbol)
        return false;
    memcpy(slot, &symbol, sizeof symbol);
    return true;
}

/* 0, or the code that says why this runtime will not do. */
static int try_library(const struct hf_hip_library *library)
{
    struct hf_hip_calls calls = {0};
    const char *missing = fill(library->handle, &calls);

    if (missing) {
        hf_warn("HIP runtime %s lacks %s: not usable", library->path, missing);
        return -hipFileDriverVersionMismatch;
    }
    if (calls.hipRuntimeGetVersion(&calls.version) != hipSuccess) {
        hf_warn("HIP runtime %s does not tell its version", library->path);
        return -hipFileDriverVersionReadError;
    }
    if (calls.version < OLDEST_VERSION) {
        hf_warn("HIP runtime %s is version %d.%d, and at least 6.0 is needed", library->path,
                calls.version / 10000000, calls.version / 100000 % 100);
        return -hipFileDriverVersionMismatch;
    }
    if (calls.hipGetDeviceCount(&calls.devices) != hipSuccess || calls.devices < 1) {
        calls.hipGetLastError();
        hf_notice("HIP runtime %s counts no device", library->path);
        return -hipFilePlatformNotSupported;
    }
    calls.has_file_io = find_file_call(&calls, "hipAmdFileRead", &calls.hipAmdFileRead) &&
                        find_file_call(&calls, "hipAmdFileWrite", &calls.hipAmdFileWrite);
    hf_hip = calls;
    hf_info("HIP runtime %s, version %d.%d, %d device%s, file I/O %s", library->path,
            calls.version / 10000000, calls.version / 100000 % 100, calls.devices,
            calls.devices == 1 ? "" : "s", calls.has_file_io ? "yes" : "no");
    return 0;
}

/* A runtime that is there but will not do says more than that there is none. */
static int worse(int failed, int so_far)
{
    return so_far == -hipFileDriverVersionMismatch ? so_far : failed;
}

static int load(void)
{
    struct hf_hip_library library;
    int err = -hipFilePlatformNotSupported;
    bool found = false;

    for (int i = 0; hf_hip_library_next(i, &library) != HF_LIBRARY_END; i++) {
        int failed;

        if (!library.handle)
            continue;
        found = true;
        failed = try_library(&library);
        if (failed == 0)
            return 0;
        err = worse(failed, err);
        if (library.final)
            break;
    }
    if (!found)
        hf_error("no HIP runtime found: install ROCm's HIP runtime (libamdhip64) for AMD GPUs, or "
                 "libhiplite for other machines, or set HIPFILE_HIP_LIBRARY");
    else
        hf_error("no usable HIP runtime: %s", hf_status_text(-err));
    return err;
}

static void *look_for_one(void *unused)
{
    (void)unused;
    failure = load();
    return NULL;
}

/* On a thread of its own: looking a runtime over makes calls that may fail, and the caller's
   pending error and current device are the caller's. */
static void load_apart(void)
{
    pthread_t thread;

    if (hf_thread_start(&thread, look_for_one, NULL) == 0)
        pthread_join(thread, NULL);
    else
        look_for_one(NULL);
}

int hf_hip_load(void)
{
    if (atomic_load_explicit(&state, memory_order_acquire) == LOADED)
        return 0;
    pthread_mutex_lock(&lock);
    if (state == UNTRIED) {
        load_apart();
        atomic_store_explicit(&state, failure ? FAILED : LOADED, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return failure;
}

void hf_hip_enter_thread(void)
{
    if (thread_entered)
        return;
    hf_hip.hipInit(0);
    thread_entered = true;
}

void hf_hip_enter_worker(void)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;

    if (worker_entered || atomic_load_explicit(&state, memory_order_acquire) != LOADED)
        return;
    hf_hip_enter_thread();
    hf_hip.hipThreadExchangeStreamCaptureMode(&mode);
    worker_entered = true;
}

bool hf_hip_in_worker(void)
{
    return worker_entered;
}

void hf_hip_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    state = UNTRIED;
    thread_entered = false;
}
