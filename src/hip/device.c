// SPDX-License-Identifier: MIT
#include "hip/device.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"
#include "base/thread.h"

struct isolated {
    void (*run)(void *argument);
    void *argument;
};

int hf_device_switch(int device, struct hf_device_scope *scope)
{
    int current = 0;
    hipError_t error = hf_hip.hipGetDevice(&current);

    if (error == hipSuccess && current != device) {
        error = hf_hip.hipSetDevice(device);
        if (error == hipSuccess)
            scope->previous = current;
    }
    if (error != hipSuccess)
        hf_hip.hipGetLastError();
    return hf_status_from_hip(error);
}

void hf_device_switch_back(const struct hf_device_scope *scope)
{
    if (scope->previous >= 0)
        hf_hip.hipSetDevice(scope->previous);
    if (scope->clean && hf_hip.hipPeekAtLastError() != hipSuccess)
        hf_hip.hipGetLastError();
}

bool hf_device_has_copy_engine(int device)
{
    static atomic_int known[HF_MAX_DEVICES]; /* engines, plus one */
    int engines;

    if (device < 0 || device >= HF_MAX_DEVICES)
        return true;
    engines = atomic_load_explicit(&known[device], memory_order_relaxed) - 1;
    if (engines >= 0)
        return engines > 0;
    if (hf_hip.hipDeviceGetAttribute(&engines, hipDeviceAttributeAsyncEngineCount, device) !=
            hipSuccess ||
        engines < 0)
        engines = 1;
    atomic_store_explicit(&known[device], engines + 1, memory_order_relaxed);
    return engines > 0;
}

int hf_device_await_default_stream(int device)
{
    struct hf_device_scope scope;
    int err = hf_device_enter(device, &scope);

    if (err == 0)
        err = hf_status_from_hip(hf_hip.hipStreamSynchronize(NULL));
    hf_device_leave(&scope);
    return err;
}

static void *run_isolated(void *argument)
{
    struct isolated *isolated = argument;

    isolated->run(isolated->argument);
    return NULL;
}

void hf_device_run_apart(void (*run)(void *argument), void *argument)
{
    struct isolated isolated = {run, argument};
    pthread_t thread;

    if (hf_thread_start(&thread, run_isolated, &isolated) == 0)
        pthread_join(thread, NULL);
    else
        run(argument);
}
