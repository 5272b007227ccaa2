// SPDX-License-Identifier: MIT
//
// Devices: how many, which is current, what they say of themselves; contexts; no device at all.
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "../support/hiplite_test.h"

static void no_device(void)
{
    int count = 7, version = 0;
    hipStream_t stream;
    void *ptr;

    setenv("HIPLITE_CPU_DEVICES", "0", 1);
    CHECK_IS(hipGetDeviceCount(&count), hipErrorNoDevice);
    CHECK(count == 0);
    CHECK_IS(hipInit(0), hipErrorNoDevice);
    CHECK_IS(hipMalloc(&ptr, 1), hipErrorNoDevice);
    CHECK_IS(hipStreamCreate(&stream), hipErrorNoDevice);
    CHECK_IS(hipStreamSynchronize(NULL), hipErrorNoDevice);
    CHECK_IS(hipSetDevice(0), hipErrorNoDevice);
    CHECK_OK(hipRuntimeGetVersion(&version));
    CHECK(version == HIP_VERSION);
    CHECK_OK(hipGetProcAddress("hipMalloc", &ptr, version, 0, NULL));
    CHECK_IS(hipGetLastError(), hipErrorNoDevice);
}

static void default_device(void)
{
    int count;

    CHECK_OK(hipGetDeviceCount(&count));
    CHECK(count == 1);
}

static void bad_setting(void)
{
    int count;

    setenv("HIPLITE_CPU_DEVICES", "many", 1);
    CHECK_OK(hipGetDeviceCount(&count));
    CHECK(count == 1);
}

static void *other_thread(void *arg)
{
    int device;

    CHECK_OK(hipGetDevice(&device));
    CHECK(device == 0);
    CHECK_OK(hipSetDevice(1));
    return arg;
}

static void test_current(void)
{
    hipPointerAttribute_t attributes;
    pthread_t thread;
    void *ptr;
    int device;

    CHECK_OK(hipSetDevice(2));
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(hipGetDevice(&device));
    CHECK(device == 2);
    CHECK_OK(hipMalloc(&ptr, 100));
    CHECK_OK(hipPointerGetAttributes(&attributes, ptr));
    CHECK(attributes.device == 2);
    CHECK_IS(hipSetDevice(3), hipErrorInvalidDevice);
    CHECK_IS(hipSetDevice(-1), hipErrorInvalidDevice);
    CHECK_IS(hipGetDevice(NULL), hipErrorInvalidValue);
    CHECK_OK(hipGetDevice(&device));
    CHECK(device == 2);
    CHECK_OK(hipFree(ptr));
    CHECK_OK(hipSetDevice(0));
}

static void test_facts(void)
{
    hipDeviceProp_t prop, other;
    size_t available, total;
    char bus[13], bus2[20];
    int value;

    CHECK_OK(hipInit(0));
    CHECK_IS(hipInit(1), hipErrorInvalidValue);
    CHECK_OK(hipDriverGetVersion(&value));
    CHECK(value == 70200000);
    CHECK_OK(hipDeviceGet(&value, 2));
    CHECK(value == 2);
    CHECK_IS(hipDeviceGet(&value, 3), hipErrorInvalidDevice);
    CHECK_OK(hipGetDeviceProperties(&prop, 0));
    CHECK_OK(hipGetDeviceProperties(&other, 1));
    CHECK(strlen(prop.name) > 0 && memcmp(&prop.uuid, &other.uuid, sizeof(prop.uuid)) != 0);
    CHECK_OK(hipMemGetInfo(&available, &total));
    CHECK(prop.totalGlobalMem == total);
    CHECK_IS(hipGetDeviceProperties(&prop, 3), hipErrorInvalidDevice);
    CHECK_IS(hipGetDeviceProperties(NULL, 0), hipErrorInvalidValue);
    CHECK_OK(hipDeviceGetPCIBusId(bus, sizeof(bus), 0));
    CHECK_OK(hipDeviceGetPCIBusId(bus2, sizeof(bus2), 1));
    CHECK(strlen(bus) == 12 && strcmp(bus, bus2) != 0);
    CHECK_IS(hipDeviceGetPCIBusId(bus, 12, 0), hipErrorInvalidValue);
    CHECK_IS(hipDeviceGetPCIBusId(bus, 13, 5), hipErrorInvalidDevice);
}

static void test_attributes(void)
{
    int value;

    CHECK_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, 0));
    CHECK(value == 1024);
    CHECK_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeVirtualMemoryManagementSupported, 1));
    CHECK(value == 1);
    CHECK_OK(hipDeviceGetAttribute(&value, hipDeviceAttributeIntegrated, 1));
    CHECK(value == 0);
    CHECK_IS(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)12345, 0), hipErrorInvalidValue);
    CHECK_IS(hipDeviceGetAttribute(&value, hipDeviceAttributeIntegrated, 3), hipErrorInvalidDevice);
    CHECK_IS(hipDeviceGetAttribute(NULL, hipDeviceAttributeIntegrated, 0), hipErrorInvalidValue);
}

static void test_peers(void)
{
    int can;
    int least, greatest;

    CHECK_OK(hipDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    CHECK_OK(hipDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    CHECK_IS(hipDeviceCanAccessPeer(&can, 0, 3), hipErrorInvalidDevice);
    CHECK_OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 1 && greatest == -1);
    CHECK_OK(hipDeviceGetStreamPriorityRange(NULL, NULL));
}

static void test_contexts(void)
{
    hipCtx_t first, second, seen;
    int device;

    CHECK_OK(hipDevicePrimaryCtxRetain(&first, 0));
    CHECK_OK(hipCtxCreate(&second, 0, 1));
    CHECK_OK(hipCtxGetDevice(&device));
    CHECK(device == 1 && first != second);
    CHECK_OK(hipCtxEnablePeerAccess(first, 0));
    CHECK_IS(hipCtxEnablePeerAccess(second, 0), hipErrorInvalidContext);
    CHECK_OK(hipCtxPushCurrent(first));
    CHECK_OK(hipCtxGetCurrent(&seen));
    CHECK(seen == first);
    CHECK_OK(hipCtxPopCurrent(&seen));
    CHECK(seen == first);
    CHECK_OK(hipCtxDestroy(second));
    CHECK_OK(hipGetDevice(&device));
    CHECK(device == 0);
    CHECK_IS(hipCtxPopCurrent(NULL), hipErrorInvalidContext);
    CHECK_IS(hipCtxPushCurrent((hipCtx_t)&device), hipErrorInvalidContext);
    CHECK_IS(hipCtxCreate(&second, 0, 3), hipErrorInvalidDevice);
    CHECK_OK(hipDevicePrimaryCtxRelease(0));
    CHECK_IS(hipDevicePrimaryCtxRelease(3), hipErrorInvalidDevice);
}

int main(void)
{
    CHECK(in_child(no_device) == 0);
    CHECK(in_child(default_device) == 0);
    CHECK(in_child(bad_setting) == 0);
    setenv("HIPLITE_CPU_DEVICES", "3", 1);
    test_current();
    test_facts();
    test_attributes();
    test_peers();
    test_contexts();
    return 0;
}
