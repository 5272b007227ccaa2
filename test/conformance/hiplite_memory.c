// SPDX-License-Identifier: MIT
//
// Allocation, attributes and ranges of all kinds of memory.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../support/hiplite_test.h"

#define MIB ((size_t)1 << 20)

static hipPointerAttribute_t attributes_of(const void *ptr)
{
    hipPointerAttribute_t attributes;

    memset(&attributes, 0x5a, sizeof(attributes));
    CHECK_OK(hipPointerGetAttributes(&attributes, ptr));
    return attributes;
}

static void check_range(char *ptr, size_t size)
{
    void *base = NULL;
    size_t length = 0;

    CHECK_OK(hipMemGetAddressRange(&base, &length, ptr));
    CHECK(base == ptr && length == size);
    CHECK_OK(hipMemGetAddressRange(&base, NULL, ptr + size - 1));
    CHECK(base == ptr);
    CHECK_OK(hipMemGetAddressRange(NULL, &length, ptr + size / 2));
    CHECK(length == size);
    CHECK_IS(hipMemGetAddressRange(&base, &length, ptr + size), hipErrorNotFound);
}

static void check_unknown(void *ptr)
{
    void *base;
    size_t size;
    hipPointerAttribute_t attributes = attributes_of(ptr);

    CHECK(attributes.type == hipMemoryTypeUnregistered);
    CHECK(attributes.devicePointer == NULL && attributes.hostPointer == NULL);
    CHECK_IS(hipMemGetAddressRange(&base, &size, ptr), hipErrorNotFound);
}

static void test_device(void)
{
    const size_t sizes[] = {1, 100, 4096, 4097, 3 * MIB + 5};
    char *ptr;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        hipPointerAttribute_t attributes;
        CHECK_OK(hipMalloc((void **)&ptr, sizes[i]));
        CHECK((uintptr_t)ptr % 4096 == 0);
        attributes = attributes_of(ptr + sizes[i] - 1);
        CHECK(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
        CHECK(attributes.devicePointer == ptr + sizes[i] - 1 && attributes.hostPointer == NULL);
        CHECK(!attributes.isManaged && attributes.allocationFlags == 0);
        check_range(ptr, sizes[i]);
        CHECK_OK(hipFree(ptr));
        check_unknown(ptr);
        CHECK_IS(hipFree(ptr), hipErrorInvalidValue);
    }
}

static void test_device_arguments(void)
{
    char *ptr = (char *)1;
    hipPointerAttribute_t attributes;

    CHECK_OK(hipMalloc((void **)&ptr, 0));
    CHECK(ptr == NULL);
    CHECK_OK(hipFree(NULL));
    CHECK_IS(hipMalloc(NULL, 1), hipErrorInvalidValue);
    CHECK_IS(hipPointerGetAttributes(&attributes, NULL), hipErrorInvalidValue);
    CHECK_IS(hipPointerGetAttributes(NULL, &attributes), hipErrorInvalidValue);
    CHECK_IS(hipMemGetAddressRange(NULL, NULL, &attributes), hipErrorInvalidValue);
    check_unknown(&attributes);
    CHECK_OK(hipMalloc((void **)&ptr, 8192));
    CHECK_IS(hipFree(ptr + 4096), hipErrorInvalidValue); // not the start
    CHECK_IS(hipHostFree(ptr), hipErrorInvalidValue);    // not host memory
    CHECK_IS(hipHostUnregister(ptr), hipErrorHostMemoryNotRegistered);
    CHECK_OK(hipFree(ptr));
}

static void test_pinned(void)
{
    const unsigned flags = hipHostMallocPortable | hipHostMallocMapped;
    hipPointerAttribute_t attributes;
    void *device_ptr;
    char *ptr;

    CHECK_OK(hipHostMalloc((void **)&ptr, 5000, flags));
    CHECK((uintptr_t)ptr % 4096 == 0);
    memset(ptr, 7, 5000);
    attributes = attributes_of(ptr + 9);
    CHECK(attributes.type == hipMemoryTypeHost && attributes.allocationFlags == flags);
    CHECK(attributes.devicePointer == ptr + 9 && attributes.hostPointer == ptr + 9);
    check_range(ptr, 5000);
    CHECK_OK(hipHostGetDevicePointer(&device_ptr, ptr + 3, 0));
    CHECK(device_ptr == ptr + 3);
    CHECK_IS(hipHostGetDevicePointer(&device_ptr, ptr, 1), hipErrorInvalidValue);
    CHECK_IS(hipFree(ptr), hipErrorInvalidValue);
    CHECK_IS(hipHostUnregister(ptr), hipErrorHostMemoryNotRegistered);
    CHECK_IS(hipHostRegister(ptr, 10, 0), hipErrorHostMemoryAlreadyRegistered);
    CHECK_OK(hipHostFree(ptr));
    check_unknown(ptr);
    CHECK_OK(hipHostFree(NULL));
    CHECK_IS(hipHostMalloc((void **)&ptr, 1, 0x1000), hipErrorInvalidValue);
    CHECK_IS(hipHostMalloc((void **)&ptr, 1, hipHostMallocCoherent | hipHostMallocNonCoherent),
             hipErrorInvalidValue);
    CHECK_OK(hipMallocHost((void **)&ptr, 10));
    CHECK_OK(hipFreeHost(ptr));
    CHECK_OK(hipHostAlloc((void **)&ptr, 10, hipHostAllocPortable));
    CHECK_OK(hipFreeHost(ptr));
}

static void test_registered(void)
{
    static char memory[3 * 4096];
    char *own = memory + 100; // alignment is not asked for
    hipPointerAttribute_t attributes;
    void *hole = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK_OK(hipHostRegister(own, 5000, hipHostRegisterMapped));
    attributes = attributes_of(own + 4999);
    CHECK(attributes.type == hipMemoryTypeHost && attributes.hostPointer == own + 4999);
    check_range(own, 5000);
    CHECK_IS(hipHostRegister(own + 4999, 100, 0), hipErrorHostMemoryAlreadyRegistered);
    CHECK_OK(hipHostRegister(own + 5000, 100, 0));
    CHECK_IS(hipHostUnregister(own + 1), hipErrorHostMemoryNotRegistered);
    CHECK_IS(hipHostFree(own), hipErrorInvalidValue);
    CHECK_OK(hipHostUnregister(own));
    check_unknown(own);
    CHECK_OK(hipHostUnregister(own + 5000));
    CHECK_IS(hipHostRegister(NULL, 1, 0), hipErrorInvalidValue);
    CHECK_IS(hipHostRegister(own, 0, 0), hipErrorInvalidValue);
    CHECK_IS(hipHostRegister(own, 1, 0x100), hipErrorInvalidValue);
    CHECK(hole != MAP_FAILED);
    CHECK_IS(hipHostRegister(hole, 8192, 0), hipErrorInvalidValue);
    munmap(hole, 8192);
    CHECK_IS(hipHostRegister(hole, 8192, 0), hipErrorInvalidValue);
}

static void test_managed(void)
{
    hipPointerAttribute_t attributes;
    char *ptr;

    CHECK_OK(hipMallocManaged((void **)&ptr, 70000, hipMemAttachGlobal));
    memset(ptr, 9, 70000);
    attributes = attributes_of(ptr + 69999);
    CHECK(attributes.type == hipMemoryTypeManaged && attributes.isManaged);
    CHECK(attributes.devicePointer == ptr + 69999 && attributes.hostPointer == ptr + 69999);
    check_range(ptr, 70000);
    CHECK_OK(hipFree(ptr));
    check_unknown(ptr);
    CHECK_IS(hipMallocManaged((void **)&ptr, 10, 0x40), hipErrorInvalidValue);
}

static void test_signal(void)
{
    uint64_t *slot;

    CHECK_IS(hipExtMallocWithFlags((void **)&slot, 4, hipMallocSignalMemory), hipErrorInvalidValue);
    CHECK_IS(hipExtMallocWithFlags((void **)&slot, 16, hipMallocSignalMemory),
             hipErrorInvalidValue);
    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 8, hipMallocSignalMemory));
    *slot = 42;
    CHECK(attributes_of(slot).type == hipMemoryTypeHost);
    CHECK(attributes_of(slot).hostPointer == slot);
    check_range((char *)slot, 8);
    CHECK_OK(hipFree(slot));
    check_unknown(slot);
    CHECK_OK(hipExtMallocWithFlags((void **)&slot, 100, hipDeviceMallocFinegrained));
    CHECK(attributes_of(slot).type == hipMemoryTypeDevice);
    CHECK(attributes_of(slot).allocationFlags == hipDeviceMallocFinegrained);
    CHECK_OK(hipFree(slot));
}

static void test_limit(void)
{
    size_t available, total, after;
    void *ptr, *more;

    CHECK_OK(hipMemGetInfo(&available, &total));
    CHECK(total == 64 * MIB && available == total);
    CHECK_OK(hipMalloc(&ptr, 60 * MIB));
    CHECK_OK(hipMemGetInfo(&after, &total));
    CHECK(after == 4 * MIB);
    CHECK_IS(hipMalloc(&more, 5 * MIB), hipErrorOutOfMemory);
    CHECK(more == NULL);
    CHECK_IS(hipMalloc(&more, SIZE_MAX), hipErrorOutOfMemory);
    CHECK_OK(hipMalloc(&more, 4 * MIB));
    CHECK_OK(hipFree(more));
    CHECK_OK(hipFree(ptr));
    CHECK_OK(hipMemGetInfo(&after, &total));
    CHECK(after == total);
}

// Many at once, freed in another order: each is still found, and only it.
static void test_many(void)
{
    enum { COUNT = 500 };
    static char *ptrs[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        CHECK_OK(hipMalloc((void **)&ptrs[i], 1000 + i));
    for (size_t i = 0; i < COUNT; i++)
        check_range(ptrs[i * 7 % COUNT], 1000 + i * 7 % COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_OK(hipFree(ptrs[i * 11 % COUNT]));
        if (i + 1 < COUNT)
            check_range(ptrs[(i + 1) * 11 % COUNT], 1000 + (i + 1) * 11 % COUNT);
    }
}

int main(void)
{
    setenv("HIPLITE_MEMORY", "64M", 1);
    test_device();
    test_device_arguments();
    test_pinned();
    test_registered();
    test_managed();
    test_signal();
    test_limit();
    test_many();
    return 0;
}
