// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu.h"
#include "runtime.h"
#include "settings.h"

#define WARP_SIZE         64
#define BLOCK_THREADS_MAX 1024

// A PCI domain that no machine has, so that nobody takes a real device for this one.
#define PCI_DOMAIN 0xffff

struct hl_cpu_settings hl_cpu_settings;

// --- Start and fork ---------------------------------------------------------------------------

static void fork_prepare(void)
{
    hl_queue_lock();
    hl_range_lock();
}

static void fork_parent(void)
{
    hl_range_unlock();
    hl_queue_unlock();
}

// Memory, streams and events are there in the child; threads, and the work they had, are not.
static void fork_child(void)
{
    hl_range_unlock();
    hl_queues_reset();
    hl_queue_unlock();
    hl_host_thread_reset();
    hl_watcher_reset();
}

static uint64_t machine_memory(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int cpu_open(void)
{
    struct hl_cpu_settings *s = &hl_cpu_settings;

    s->devices = (int)hl_setting_number("HIPLITE_CPU_DEVICES", 0, HL_MAX_DEVICES, 1);
    s->queues = (unsigned)hl_setting_number("HIPLITE_QUEUES", 1, HL_CPU_QUEUES_MAX, 4);
    s->engines = (unsigned)hl_setting_number("HIPLITE_COPY_ENGINES", 0, HL_CPU_QUEUES_MAX, 0);
    s->unified = hl_setting_number("HIPLITE_UNIFIED", 0, 1, 0) != 0;
    s->wait_value = hl_setting_number("HIPLITE_WAIT_VALUE", 0, 1, 1) != 0;
    s->memory = hl_setting_number("HIPLITE_MEMORY", 0, SIZE_MAX, machine_memory());
    if (s->devices == 0)
        return 0;
    if (!hl_queues_open() || pthread_atfork(fork_prepare, fork_parent, fork_child) != 0) {
        hl_warn("no memory for the CPU device");
        return 0;
    }
    return s->devices;
}

// --- Facts ------------------------------------------------------------------------------------

static int processors(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int clamp_int(uint64_t value)
{
    return value < INT32_MAX ? (int)value : INT32_MAX;
}

static hipError_t device_attribute(int *value, hipDeviceAttribute_t attribute, int device)
{
    const struct {
        hipDeviceAttribute_t attribute;
        int value;
    } facts[] = {
        {hipDeviceAttributeAsyncEngineCount, (int)hl_cpu_settings.engines},
        {hipDeviceAttributeCanMapHostMemory, 1},
        {hipDeviceAttributeClockRate, 1000000},
        {hipDeviceAttributeConcurrentManagedAccess, 1},
        {hipDeviceAttributeIntegrated, hl_cpu_settings.unified},
        {hipDeviceAttributeComputeCapabilityMajor, 0},
        {hipDeviceAttributeManagedMemory, 1},
        {hipDeviceAttributeMaxThreadsPerBlock, BLOCK_THREADS_MAX},
        {hipDeviceAttributeComputeCapabilityMinor, 0},
        {hipDeviceAttributeMultiprocessorCount, processors()},
        {hipDeviceAttributePageableMemoryAccess, 0},
        {hipDeviceAttributePciBusId, device},
        {hipDeviceAttributePciDeviceId, 0},
        {hipDeviceAttributePciDomainID, PCI_DOMAIN},
        {hipDeviceAttributeStreamPrioritiesSupported, 1},
        {hipDeviceAttributeTotalGlobalMem, clamp_int(hl_cpu_settings.memory)},
        {hipDeviceAttributeUnifiedAddressing, 1},
        {hipDeviceAttributeWarpSize, WARP_SIZE},
        {hipDeviceAttributeMemoryPoolsSupported, 0},
        {hipDeviceAttributeVirtualMemoryManagementSupported, 1},
        {hipDeviceAttributeHostRegisterSupported, 1},
        {hipDeviceAttributeIsLargeBar, hl_cpu_settings.unified},
        {hipDeviceAttributeCanUseStreamWaitValue, hl_cpu_settings.wait_value},
        {hipDeviceAttributeFineGrainSupport, 0},
    };

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        if (facts[i].attribute == attribute) {
            *value = facts[i].value;
            return hipSuccess;
        }
    }
    return hipErrorInvalidValue;
}

static hipError_t device_properties(hipDeviceProp_t *prop, int device)
{
    snprintf(prop->name, sizeof(prop->name), "hiplite CPU device %d", device);
    snprintf(prop->uuid.bytes, sizeof(prop->uuid.bytes), "hiplite-cpu-%03d", device);
    snprintf(prop->gcnArchName, sizeof(prop->gcnArchName), "cpu");
    prop->totalGlobalMem = hl_cpu_settings.memory;
    prop->warpSize = WARP_SIZE;
    prop->maxThreadsPerBlock = BLOCK_THREADS_MAX;
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = BLOCK_THREADS_MAX;
        prop->maxGridSize[i] = INT32_MAX;
    }
    prop->clockRate = 1000000;
    prop->multiProcessorCount = processors();
    prop->integrated = hl_cpu_settings.unified;
    prop->canMapHostMemory = 1;
    prop->concurrentKernels = 1;
    prop->pciBusID = device;
    prop->pciDomainID = PCI_DOMAIN;
    prop->asyncEngineCount = (int)hl_cpu_settings.engines;
    prop->unifiedAddressing = 1;
    prop->streamPrioritiesSupported = 1;
    prop->managedMemory = 1;
    prop->concurrentManagedAccess = 1;
    prop->canUseHostPointerForRegisteredMem = 1;
    prop->hostRegisterSupported = 1;
    prop->isLargeBar = hl_cpu_settings.unified;
    return hipSuccess;
}

static hipError_t device_set(int device)
{
    (void)device;
    return hipSuccess;
}

static hipError_t device_get(int *device)
{
    *device = hl_thread.device;
    return hipSuccess;
}

static hipError_t device_synchronize(void)
{
    hipError_t error = hl_capture_check_unsafe();

    if (error != hipSuccess)
        return error;
    hl_queue_lock();
    hl_streams_wait(hl_thread.device);
    hl_queue_unlock();
    return hipSuccess;
}

static hipError_t can_access_peer(int *can, int device, int peer)
{
    *can = device != peer;
    return hipSuccess;
}

static hipError_t priority_range(int *least, int *greatest)
{
    *least = 1;
    *greatest = -1;
    return hipSuccess;
}

const struct hl_device_ops hl_cpu_ops = {
    .name = "cpu",
    .has_file_io = true,
    .open = cpu_open,
    .device_set = device_set,
    .device_get = device_get,
    .device_synchronize = device_synchronize,
    .device_attribute = device_attribute,
    .device_properties = device_properties,
    .device_can_access_peer = can_access_peer,
    .device_priority_range = priority_range,
    .mem_alloc = hl_cpu_mem_alloc,
    .mem_alloc_managed = hl_cpu_mem_alloc_managed,
    .mem_free = hl_cpu_mem_free,
    .mem_info = hl_cpu_mem_info,
    .mem_range = hl_cpu_mem_range,
    .mem_attributes = hl_cpu_mem_attributes,
    .host_alloc = hl_cpu_host_alloc,
    .host_free = hl_cpu_host_free,
    .host_register = hl_cpu_host_register,
    .host_unregister = hl_cpu_host_unregister,
    .host_device_pointer = hl_cpu_host_device_pointer,
    .copy = hl_cpu_copy,
    .copy_async = hl_cpu_copy_async,
    .fill = hl_cpu_fill,
    .fill_async = hl_cpu_fill_async,
    .stream_create = hl_cpu_stream_create,
    .stream_destroy = hl_cpu_stream_destroy,
    .stream_synchronize = hl_cpu_stream_synchronize,
    .stream_query = hl_cpu_stream_query,
    .stream_device = hl_cpu_stream_device,
    .stream_flags = hl_cpu_stream_flags,
    .stream_priority = hl_cpu_stream_priority,
    .stream_wait_event = hl_cpu_stream_wait_event,
    .stream_host_func = hl_cpu_stream_host_func,
    .stream_callback = hl_cpu_stream_callback,
    .stream_wait_value = hl_cpu_stream_wait_value,
    .stream_write_value = hl_cpu_stream_write_value,
    .event_create = hl_cpu_event_create,
    .event_record = hl_cpu_event_record,
    .event_query = hl_cpu_event_query,
    .event_synchronize = hl_cpu_event_synchronize,
    .event_elapsed = hl_cpu_event_elapsed,
    .event_destroy = hl_cpu_event_destroy,
    .capture_begin = hl_cpu_capture_begin,
    .capture_end = hl_cpu_capture_end,
    .capture_status = hl_cpu_capture_status,
    .capture_exchange_mode = hl_cpu_capture_exchange_mode,
    .graph_destroy = hl_cpu_graph_destroy,
    .vmm_granularity = hl_cpu_vmm_granularity,
    .vmm_reserve = hl_cpu_vmm_reserve,
    .vmm_unreserve = hl_cpu_vmm_unreserve,
    .vmm_create = hl_cpu_vmm_create,
    .vmm_release = hl_cpu_vmm_release,
    .vmm_map = hl_cpu_vmm_map,
    .vmm_unmap = hl_cpu_vmm_unmap,
    .vmm_set_access = hl_cpu_vmm_set_access,
    .file_io = hl_cpu_file_io,
};
