// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <pthread.h>
#include <string.h>

#include "device.h"
#include "fault.h"
#include "settings.h"

_Thread_local struct hl_thread hl_thread = {.state = HL_THREAD_NEW, .fault_limit = UINT64_MAX};
atomic_uint hl_hooks = HL_HOOK_START;
const struct hl_device_ops *hl_ops = &hl_cpu_ops;
int hl_device_count;

#define FUNCTION_NAME(name) #name,
const char *const hl_function_names[HL_FN_COUNT] = {
    HL_FREE_FUNCTIONS(FUNCTION_NAME) NULL, HL_DEVICELESS_FUNCTIONS(FUNCTION_NAME) NULL,
    HL_DEVICE_FUNCTIONS(FUNCTION_NAME) HL_HIDDEN_FUNCTIONS(FUNCTION_NAME)};

// An NVIDIA GPU if there is one, unless the user chose.
static void device_choose(void)
{
    const char *wanted = hl_setting("HIPLITE_DEVICE");
    bool cpu = wanted != NULL && strcmp(wanted, "cpu") == 0;
    bool cuda = wanted != NULL && strcmp(wanted, "cuda") == 0;

    if (wanted != NULL && !cpu && !cuda && strcmp(wanted, "auto") != 0)
        hl_warn("HIPLITE_DEVICE=%s is not auto, cpu or cuda; using auto", wanted);
    hl_ops = &hl_cuda_ops;
    hl_device_count = cpu ? 0 : hl_ops->open();
    if (hl_device_count > 0 || cuda)
        return;
    hl_ops = &hl_cpu_ops;
    hl_device_count = hl_ops->open();
}

static void runtime_start(void)
{
    unsigned hooks = hl_fault_init();

    device_choose();
    if (hl_device_count == 0)
        hooks |= HL_HOOK_NO_DEVICE;
    atomic_store_explicit(&hl_hooks, hooks, memory_order_release);
}

static void runtime_start_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, runtime_start);
}

static hipError_t fault_apply(enum hl_function fn)
{
    struct hl_fault fault;

    hl_fault_take(fn, &fault);
    hl_thread.fault_status = fault.status;
    hl_thread.fault_limit = fault.limit;
    return fault.error;
}

hipError_t hl_enter_slow(enum hl_function fn)
{
    unsigned hooks;

    if (hl_thread.state & HL_THREAD_HOST_FUNCTION)
        return hipErrorIllegalState;
    runtime_start_once();
    hooks = atomic_load_explicit(&hl_hooks, memory_order_acquire);
    // As on ROCm, where a thread's first call must not be one of these two.
    if (fn == HL_FN_hipAmdFileRead || fn == HL_FN_hipAmdFileWrite) {
        if (hl_thread.state & HL_THREAD_NEW)
            return hipErrorInvalidDevice;
    }
    hl_thread.state &= ~HL_THREAD_NEW;
    if ((hooks & HL_HOOK_NO_DEVICE) && fn > HL_FN_DEVICELESS_END)
        return hipErrorNoDevice;
    return hooks & (HL_HOOK_FAULTS | HL_HOOK_COUNTS) ? fault_apply(fn) : hipSuccess;
}

void hl_enter_free_slow(enum hl_function fn)
{
    runtime_start_once();
    if (atomic_load_explicit(&hl_hooks, memory_order_acquire) & (HL_HOOK_FAULTS | HL_HOOK_COUNTS))
        fault_apply(fn);
}
