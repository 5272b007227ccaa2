// SPDX-License-Identifier: MIT
#include "cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "runtime.h"
#include "settings.h"

struct hl_cuda_calls hl_cuda;

static int device_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic CUcontext primary[HL_MAX_DEVICES]; // retained ones
static _Thread_local CUcontext seen;              // current when the thread last entered

static const char *look_up_all(void *library)
{
    void *symbol;

#define LOOK_UP(name, parameters)                                                                  \
    symbol = dlsym(library, #name);                                                                \
    if (symbol == NULL)                                                                            \
        return #name;                                                                              \
    memcpy(&hl_cuda.name, &symbol, sizeof(symbol));
    HL_CUDA_CALLS(LOOK_UP)
#undef LOOK_UP
    return NULL;
}

int hl_cuda_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *missing;
    int count = 0;

    if (library == NULL)
        return 0;
    missing = look_up_all(library);
    if (missing != NULL) {
        hl_warn("libcuda.so.1 has no %s: a newer NVIDIA driver is needed (CUDA 12)", missing);
        return 0;
    }
    if (hl_cuda.cuInit(0) != 0 || hl_cuda.cuDeviceGetCount(&count) != 0)
        return 0;
    device_count = count < HL_MAX_DEVICES ? count : HL_MAX_DEVICES;
    return device_count;
}

// The two sets of codes agree number by number where both have one.
hipError_t hl_cuda_error(CUresult result)
{
    if (result == 0)
        return hipSuccess;
    if (result == 800) // CUDA_ERROR_NOT_PERMITTED: a call inside a host function
        return hipErrorIllegalState;
    return hl_error_known((hipError_t)result) ? (hipError_t)result : hipErrorUnknown;
}

static hipError_t retain(int device)
{
    CUcontext context = primary[device];
    CUresult result = 0;

    if (context != NULL)
        return hipSuccess;
    pthread_mutex_lock(&lock);
    if (primary[device] == NULL) {
        result = hl_cuda.cuDevicePrimaryCtxRetain(&context, device);
        if (result == 0)
            primary[device] = context;
    }
    pthread_mutex_unlock(&lock);
    return hl_cuda_error(result);
}

// Another user of CUDA may have made a device's primary context current that we never retained.
static int device_of(CUcontext context)
{
    unsigned flags;
    int active;

    for (int device = 0; device < device_count; device++) {
        if (primary[device] == NULL &&
            (hl_cuda.cuDevicePrimaryCtxGetState(device, &flags, &active) != 0 || !active ||
             retain(device) != hipSuccess))
            continue;
        if (primary[device] == context)
            return device;
    }
    return -1;
}

static hipError_t adopt(CUcontext context)
{
    int device = device_of(context);

    if (device < 0) {
        hl_warn("the thread's current CUDA context is not a device's primary context");
        return hipErrorInvalidContext;
    }
    seen = context;
    hl_thread.device = device;
    return hipSuccess;
}

hipError_t hl_cuda_enter(void)
{
    CUcontext context = NULL;
    CUresult result = hl_cuda.cuCtxGetCurrent(&context);

    if (result != 0)
        return hl_cuda_error(result);
    if (context == NULL)
        return hl_cuda_device_set(hl_thread.device);
    return context == seen ? hipSuccess : adopt(context);
}

hipError_t hl_cuda_device_set(int device)
{
    hipError_t error = retain(device);

    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuCtxSetCurrent(primary[device]));
    if (error != hipSuccess)
        return error;
    seen = primary[device];
    hl_thread.device = device;
    return hipSuccess;
}

// Asking does not make a context.
hipError_t hl_cuda_device_get(int *device)
{
    CUcontext context = NULL;
    hipError_t error = hl_cuda_error(hl_cuda.cuCtxGetCurrent(&context));

    if (error == hipSuccess && context != NULL && context != seen)
        error = adopt(context);
    *device = hl_thread.device;
    return error;
}

hipError_t hl_cuda_device_synchronize(void)
{
    hipError_t error = hl_cuda_enter();

    return error != hipSuccess ? error : hl_cuda_error(hl_cuda.cuCtxSynchronize());
}

static const struct {
    hipDeviceAttribute_t hip;
    int cuda;
} attributes[] = {
    {hipDeviceAttributeAsyncEngineCount, 40},
    {hipDeviceAttributeCanMapHostMemory, 19},
    {hipDeviceAttributeClockRate, 13},
    {hipDeviceAttributeConcurrentManagedAccess, 89},
    {hipDeviceAttributeIntegrated, 18},
    {hipDeviceAttributeComputeCapabilityMajor, 75},
    {hipDeviceAttributeManagedMemory, 83},
    {hipDeviceAttributeMaxThreadsPerBlock, 1},
    {hipDeviceAttributeComputeCapabilityMinor, 76},
    {hipDeviceAttributeMultiprocessorCount, 16},
    {hipDeviceAttributePageableMemoryAccess, 88},
    {hipDeviceAttributePciBusId, 33},
    {hipDeviceAttributePciDeviceId, 34},
    {hipDeviceAttributePciDomainID, 50},
    {hipDeviceAttributeStreamPrioritiesSupported, 78},
    {hipDeviceAttributeUnifiedAddressing, 41},
    {hipDeviceAttributeWarpSize, 10},
    {hipDeviceAttributeMemoryPoolsSupported, 115},
    {hipDeviceAttributeVirtualMemoryManagementSupported, 102},
    {hipDeviceAttributeHostRegisterSupported, 99},
    {hipDeviceAttributeCanUseStreamWaitValue, 122},
};

// The driver does not see what value waits order, and CUDA's documentation warns of that: on an
// H200, copies in other streams stood still behind a waiting one for good. They work, but a program
// that asks before it relies on them is told that they do not.
static bool hides_value_waits(hipDeviceAttribute_t attribute)
{
    return attribute == hipDeviceAttributeCanUseStreamWaitValue &&
           hl_setting_number("HIPLITE_WAIT_VALUE", 0, 1, 0) == 0;
}

hipError_t hl_cuda_device_attribute(int *value, hipDeviceAttribute_t attribute, int device)
{
    if (hides_value_waits(attribute)) {
        *value = 0;
        return hipSuccess;
    }
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        if (attributes[i].hip == attribute)
            return hl_cuda_error(hl_cuda.cuDeviceGetAttribute(value, attributes[i].cuda, device));
    }
    *value = 0; // what only AMD has, these have not
    return attribute > hipDeviceAttributeAmdSpecificBegin ? hipSuccess : hipErrorInvalidValue;
}

static void fill_number(int *field, int attribute, int device, hipError_t *error)
{
    if (*error == hipSuccess)
        *error = hl_cuda_error(hl_cuda.cuDeviceGetAttribute(field, attribute, device));
}

hipError_t hl_cuda_device_properties(hipDeviceProp_t *prop, int device)
{
    hipError_t error =
        hl_cuda_error(hl_cuda.cuDeviceGetName(prop->name, (int)sizeof(prop->name), device));

    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuDeviceGetUuid_v2(&prop->uuid, device));
    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuDeviceTotalMem_v2(&prop->totalGlobalMem, device));
    fill_number(&prop->major, 75, device, &error);
    fill_number(&prop->minor, 76, device, &error);
    fill_number(&prop->warpSize, 10, device, &error);
    fill_number(&prop->maxThreadsPerBlock, 1, device, &error);
    fill_number(&prop->clockRate, 13, device, &error);
    fill_number(&prop->multiProcessorCount, 16, device, &error);
    fill_number(&prop->integrated, 18, device, &error);
    fill_number(&prop->canMapHostMemory, 19, device, &error);
    fill_number(&prop->pciBusID, 33, device, &error);
    fill_number(&prop->pciDeviceID, 34, device, &error);
    fill_number(&prop->pciDomainID, 50, device, &error);
    fill_number(&prop->asyncEngineCount, 40, device, &error);
    fill_number(&prop->unifiedAddressing, 41, device, &error);
    fill_number(&prop->memoryClockRate, 36, device, &error);
    fill_number(&prop->memoryBusWidth, 37, device, &error);
    fill_number(&prop->l2CacheSize, 38, device, &error);
    fill_number(&prop->maxThreadsPerMultiProcessor, 39, device, &error);
    fill_number(&prop->streamPrioritiesSupported, 78, device, &error);
    fill_number(&prop->managedMemory, 83, device, &error);
    fill_number(&prop->pageableMemoryAccess, 88, device, &error);
    fill_number(&prop->concurrentManagedAccess, 89, device, &error);
    fill_number(&prop->hostRegisterSupported, 99, device, &error);
    fill_number(&prop->memoryPoolsSupported, 115, device, &error);
    return error;
}

hipError_t hl_cuda_device_can_access_peer(int *can, int device, int peer)
{
    return hl_cuda_error(hl_cuda.cuDeviceCanAccessPeer(can, device, peer));
}

hipError_t hl_cuda_device_priority_range(int *least, int *greatest)
{
    hipError_t error = hl_cuda_enter();

    if (error != hipSuccess)
        return error;
    return hl_cuda_error(hl_cuda.cuCtxGetStreamPriorityRange(least, greatest));
}

hipError_t hl_cuda_stream_device(hipStream_t stream, int *device)
{
    CUcontext context = NULL;
    hipError_t error = hl_cuda_enter();

    if (error == hipSuccess)
        error = hl_cuda_error(hl_cuda.cuStreamGetCtx(stream, &context));
    if (error != hipSuccess)
        return error;
    *device = device_of(context);
    return *device >= 0 ? hipSuccess : hipErrorInvalidContext;
}

void hl_cuda_synchronize_all(void)
{
    CUcontext current = NULL;

    if (hl_cuda.cuCtxGetCurrent(&current) != 0)
        return;
    for (int device = 0; device < device_count; device++) {
        if (primary[device] != NULL && hl_cuda.cuCtxSetCurrent(primary[device]) == 0)
            hl_cuda.cuCtxSynchronize();
    }
    hl_cuda.cuCtxSetCurrent(current);
}
