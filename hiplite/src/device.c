// SPDX-License-Identifier: MIT
#include "device.h"

#include <stdio.h>

#include "runtime.h"

hipError_t hipInit(unsigned int flags)
{
    HL_ENTER(hipInit);
    return hl_leave(flags == 0 ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t version(int *value)
{
    if (value == NULL)
        return hipErrorInvalidValue;
    *value = HIP_VERSION;
    return hipSuccess;
}

hipError_t hipDriverGetVersion(int *driverVersion)
{
    HL_ENTER(hipDriverGetVersion);
    return hl_leave(version(driverVersion));
}

hipError_t hipRuntimeGetVersion(int *runtimeVersion)
{
    HL_ENTER(hipRuntimeGetVersion);
    return hl_leave(version(runtimeVersion));
}

hipError_t hipGetDeviceCount(int *count)
{
    HL_ENTER(hipGetDeviceCount);
    if (count == NULL)
        return hl_leave(hipErrorInvalidValue);
    *count = hl_device_count;
    return hl_leave(hl_device_count > 0 ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipGetDevice(int *deviceId)
{
    HL_ENTER(hipGetDevice);
    if (deviceId == NULL)
        return hl_leave(hipErrorInvalidValue);
    return hl_leave(hl_ops->device_get(deviceId));
}

hipError_t hl_device_select(int device)
{
    hipError_t error;

    if (!hl_device_valid(device))
        return hipErrorInvalidDevice;
    error = hl_ops->device_set(device);
    if (error == hipSuccess)
        hl_thread.device = device;
    return error;
}

hipError_t hipSetDevice(int deviceId)
{
    HL_ENTER(hipSetDevice);
    return hl_leave(hl_device_select(deviceId));
}

hipError_t hipDeviceSynchronize(void)
{
    HL_ENTER(hipDeviceSynchronize);
    return hl_leave(hl_ops->device_synchronize());
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
    HL_ENTER(hipDeviceGet);
    if (device == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(ordinal))
        return hl_leave(hipErrorInvalidDevice);
    *device = ordinal;
    return hl_leave(hipSuccess);
}

hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId)
{
    HL_ENTER(hipDeviceGetAttribute);
    if (pi == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(deviceId))
        return hl_leave(hipErrorInvalidDevice);
    return hl_leave(hl_ops->device_attribute(pi, attr, deviceId));
}

static hipError_t pci_bus_id(char *text, int len, int device)
{
    static const hipDeviceAttribute_t parts[] = {
        hipDeviceAttributePciDomainID, hipDeviceAttributePciBusId, hipDeviceAttributePciDeviceId};
    int value[3];

    for (int i = 0; i < 3; i++) {
        hipError_t error = hl_ops->device_attribute(&value[i], parts[i], device);
        if (error != hipSuccess)
            return error;
    }
    snprintf(text, (size_t)len, "%04x:%02x:%02x.0", (unsigned)value[0], (unsigned)value[1],
             (unsigned)value[2]);
    return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    HL_ENTER(hipDeviceGetPCIBusId);
    if (pciBusId == NULL || len < 13)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(device))
        return hl_leave(hipErrorInvalidDevice);
    return hl_leave(pci_bus_id(pciBusId, len, device));
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *prop, int deviceId)
{
    HL_ENTER(hipGetDevicePropertiesR0600);
    if (prop == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(deviceId))
        return hl_leave(hipErrorInvalidDevice);
    memset(prop, 0, sizeof(*prop));
    return hl_leave(hl_ops->device_properties(prop, deviceId));
}

hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId)
{
    HL_ENTER(hipDeviceCanAccessPeer);
    if (canAccessPeer == NULL)
        return hl_leave(hipErrorInvalidValue);
    if (!hl_device_valid(deviceId) || !hl_device_valid(peerDeviceId))
        return hl_leave(hipErrorInvalidDevice);
    *canAccessPeer = 0;
    if (deviceId == peerDeviceId)
        return hl_leave(hipSuccess);
    return hl_leave(hl_ops->device_can_access_peer(canAccessPeer, deviceId, peerDeviceId));
}

hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    int least, greatest;
    hipError_t error;

    HL_ENTER(hipDeviceGetStreamPriorityRange);
    error = hl_ops->device_priority_range(&least, &greatest);
    if (error == hipSuccess && leastPriority != NULL)
        *leastPriority = least;
    if (error == hipSuccess && greatestPriority != NULL)
        *greatestPriority = greatest;
    return hl_leave(error);
}
