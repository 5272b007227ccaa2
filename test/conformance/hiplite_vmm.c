// SPDX-License-Identifier: MIT
//
// Virtual memory: reserve, create, map, and use mappings that follow one another as one.
#include <stdint.h>
#include <string.h>

#include "../support/hiplite_file.h"

static const hipMemAllocationProp prop = {
    .type = hipMemAllocationTypePinned,
    .location = {hipMemLocationTypeDevice, 0},
};
static const hipMemAccessDesc access_all = {{hipMemLocationTypeDevice, 0},
                                            hipMemAccessFlagsProtReadWrite};
static const hipMemAccessDesc access_none = {{hipMemLocationTypeDevice, 0},
                                             hipMemAccessFlagsProtNone};
static size_t granule;

static void test_arguments(void)
{
    hipMemAllocationProp bad = prop;
    hipMemGenericAllocationHandle_t handle;
    void *ptr;

    bad.location.id = 9;
    CHECK_IS(hipMemGetAllocationGranularity(NULL, &prop, hipMemAllocationGranularityMinimum),
             hipErrorInvalidValue);
    CHECK_IS(hipMemCreate(&handle, granule, &bad, 0), hipErrorInvalidDevice);
    CHECK_IS(hipMemCreate(&handle, granule + 1, &prop, 0), hipErrorInvalidValue);
    CHECK_IS(hipMemCreate(&handle, 1000 * granule, &prop, 0), hipErrorOutOfMemory);
    CHECK_IS(hipMemAddressReserve(&ptr, 0, 0, NULL, 0), hipErrorInvalidValue);
    CHECK_IS(hipMemAddressReserve(&ptr, granule, 3, NULL, 0), hipErrorInvalidValue);
    CHECK_OK(hipMemAddressReserve(&ptr, granule, 8 * granule, NULL, 0));
    CHECK((uintptr_t)ptr % (8 * granule) == 0);
    CHECK_IS(hipMemAddressFree(ptr, 2 * granule), hipErrorInvalidValue);
    CHECK_OK(hipMemAddressFree(ptr, granule));
    CHECK_IS(hipMemAddressFree(ptr, granule), hipErrorInvalidValue);
    CHECK_IS(hipMemRelease((hipMemGenericAllocationHandle_t)&ptr), hipErrorInvalidValue);
}

static void test_mapping(void)
{
    hipMemGenericAllocationHandle_t handle;
    hipPointerAttribute_t attributes;
    size_t before, after, total;
    unsigned char *ptr;
    char byte = 5;

    CHECK_OK(hipMemGetInfo(&before, &total));
    CHECK_OK(hipMemAddressReserve((void **)&ptr, 4 * granule, 0, NULL, 0));
    CHECK_OK(hipPointerGetAttributes(&attributes, ptr));
    CHECK(attributes.type == hipMemoryTypeUnregistered); // an address, no memory
    CHECK_OK(hipMemCreate(&handle, 2 * granule, &prop, 0));
    CHECK_IS(hipMemMap(ptr, 3 * granule, 0, handle, 0), hipErrorInvalidValue);
    CHECK_IS(hipMemMap(ptr + 3 * granule, 2 * granule, 0, handle, 0), hipErrorInvalidValue);
    CHECK_OK(hipMemMap(ptr, 2 * granule, 0, handle, 0));
    CHECK_IS(hipMemMap(ptr + granule, granule, 0, handle, 0), hipErrorAlreadyMapped);
    CHECK_OK(hipPointerGetAttributes(&attributes, ptr + 1));
    CHECK(attributes.type == hipMemoryTypeDevice && attributes.hostPointer == NULL);
    CHECK_IS(hipMemcpy(ptr, &byte, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_OK(hipMemSetAccess(ptr, 2 * granule, &access_all, 1));
    CHECK_OK(hipMemcpy(ptr, &byte, 1, hipMemcpyHostToDevice));
    CHECK_IS(hipFree(ptr), hipErrorInvalidValue);
    CHECK_OK(hipMemRelease(handle)); // the mapping keeps the memory
    CHECK_IS(hipMemRelease(handle), hipErrorInvalidValue);
    byte = 0;
    CHECK_OK(hipMemcpy(&byte, ptr, 1, hipMemcpyDeviceToHost));
    CHECK(byte == 5);
    CHECK_OK(hipMemSetAccess(ptr, 2 * granule, &access_none, 1));
    CHECK_IS(hipMemcpy(&byte, ptr, 1, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_IS(hipMemAddressFree(ptr, 4 * granule), hipErrorInvalidValue); // still mapped
    CHECK_IS(hipMemUnmap(ptr, granule), hipErrorInvalidValue);
    CHECK_IS(hipMemUnmap(ptr, 3 * granule), hipErrorInvalidValue);
    CHECK_OK(hipMemUnmap(ptr, 2 * granule));
    CHECK_OK(hipMemAddressFree(ptr, 4 * granule));
    CHECK_OK(hipMemGetInfo(&after, &total));
    CHECK(after == before);
}

// Two mappings side by side, in an order that is not that of their memory.
static unsigned char *two_mappings(void)
{
    hipMemGenericAllocationHandle_t handle;
    unsigned char *ptr;

    CHECK_OK(hipMemAddressReserve((void **)&ptr, 4 * granule, 0, NULL, 0));
    CHECK_OK(hipMemCreate(&handle, 2 * granule, &prop, 0));
    CHECK_OK(hipMemMap(ptr + granule, granule, granule, handle, 0));
    CHECK_OK(hipMemMap(ptr, granule, 0, handle, 0));
    CHECK_OK(hipMemSetAccess(ptr, 2 * granule, &access_all, 1));
    CHECK_OK(hipMemRelease(handle));
    return ptr;
}

static void test_neighbours(void)
{
    unsigned char *ptr = two_mappings();
    unsigned char *in = malloc(granule), *out = malloc(granule);
    unsigned char *middle = ptr + granule / 2;
    void *base;
    size_t size;

    CHECK_OK(hipMemGetAddressRange(&base, &size, ptr + granule + 1));
    CHECK(base == ptr + granule && size == granule);
    pattern_fill(in, granule, 6);
    CHECK_OK(hipMemcpy(middle, in, granule, hipMemcpyHostToDevice));
    memset(out, 0, granule);
    CHECK_OK(hipMemcpy(out, middle, granule, hipMemcpyDeviceToHost));
    CHECK(pattern_holds(out, granule, 6));
    CHECK_OK(hipMemset(middle, 3, granule));
    CHECK_OK(hipMemcpy(out, middle, granule, hipMemcpyDeviceToHost));
    CHECK(bytes_are(out, granule, 3));
    CHECK_IS(hipMemcpy(out, ptr + 2 * granule - 1, 2, hipMemcpyDeviceToHost),
             hipErrorInvalidValue); // a gap follows
    CHECK_OK(hipMemUnmap(ptr, 2 * granule));
    CHECK_OK(hipMemAddressFree(ptr, 4 * granule));
    free(in);
    free(out);
}

// A file transfer is of one mapping, as a driver's is of one buffer object.
static void test_file(void)
{
    file_function file_read = file_function_get("hipAmdFileRead");
    unsigned char *ptr = two_mappings();
    unsigned char out[8192];
    int fd = direct_file(16384, 8);
    uint64_t copied = 0;
    int32_t status = 0;

    if (fd >= 0) {
        CHECK_OK(file_read(handle_of(fd), ptr + granule, 8192, 0, &copied, &status));
        CHECK(copied == 8192 && status == 0);
        CHECK_OK(hipMemcpy(out, ptr + granule, 8192, hipMemcpyDeviceToHost));
        CHECK(pattern_holds(out, 8192, 8));
        CHECK_IS(file_read(handle_of(fd), ptr + granule - 4096, 8192, 0, &copied, &status),
                 hipErrorUnknown);
        CHECK(status == -EINVAL && copied == 0);
        close(fd);
    } else {
        puts("SKIP: the current directory's file system has no O_DIRECT");
    }
    CHECK_OK(hipMemUnmap(ptr, 2 * granule));
    CHECK_OK(hipMemAddressFree(ptr, 4 * granule));
}

int main(void)
{
    setenv("HIPLITE_MEMORY", "64M", 1);
    CHECK_OK(hipMemGetAllocationGranularity(&granule, &prop, hipMemAllocationGranularityMinimum));
    CHECK(granule > 0 && granule % 4096 == 0);
    test_arguments();
    test_mapping();
    test_neighbours();
    test_file();
    return 0;
}
