// SPDX-License-Identifier: MIT
//
// Copies and fills between all kinds of memory: bytes, bounds and directions.
#include <string.h>

#include "../support/hiplite_test.h"

#define SIZE  ((size_t)300000)
#define GUARD 64

// Pageable, pinned, registered, managed, device.
enum { PAGEABLE, PINNED, REGISTERED, MANAGED, DEVICE, KINDS };

static unsigned char *memory_get(int kind)
{
    void *ptr = NULL;

    switch (kind) {
    case PAGEABLE:
        ptr = malloc(SIZE);
        break;
    case PINNED:
        CHECK_OK(hipHostMalloc(&ptr, SIZE, 0));
        break;
    case REGISTERED:
        ptr = malloc(SIZE);
        CHECK_OK(hipHostRegister(ptr, SIZE, 0));
        break;
    case MANAGED:
        CHECK_OK(hipMallocManaged(&ptr, SIZE, hipMemAttachGlobal));
        break;
    default:
        CHECK_OK(hipMalloc(&ptr, SIZE));
    }
    CHECK(ptr != NULL);
    return ptr;
}

static void memory_put(int kind, void *ptr)
{
    if (kind == PINNED)
        CHECK_OK(hipHostFree(ptr));
    if (kind == REGISTERED)
        CHECK_OK(hipHostUnregister(ptr));
    if (kind == MANAGED || kind == DEVICE)
        CHECK_OK(hipFree(ptr));
    if (kind == PAGEABLE || kind == REGISTERED)
        free(ptr);
}

static hipStream_t stream;

static hipError_t copy(int how, void *dst, const void *src, size_t size, hipMemcpyKind kind)
{
    hipError_t error;

    if (how == 0)
        return hipMemcpy(dst, src, size, kind);
    if (how == 1)
        return hipMemcpyWithStream(dst, src, size, kind, stream);
    error = hipMemcpyAsync(dst, src, size, kind, stream);
    return error == hipSuccess ? hipStreamSynchronize(stream) : error;
}

static hipMemcpyKind kind_of(int dst, int src)
{
    if (dst == DEVICE)
        return src == DEVICE ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice;
    return src == DEVICE ? hipMemcpyDeviceToHost : hipMemcpyHostToHost;
}

// The bytes arrive, and nothing beside them changes.
static void test_pair(int how, int dst_kind, int src_kind, size_t size)
{
    static unsigned char in[SIZE], out[SIZE];
    unsigned char *dst = memory_get(dst_kind);
    unsigned char *src = memory_get(src_kind);

    pattern_fill(in, size, 17);
    memset(out, 0xee, size + 2 * GUARD);
    CHECK_OK(copy(how, src, in, size, hipMemcpyDefault));
    CHECK_OK(copy(how, dst, out, size + 2 * GUARD, hipMemcpyDefault));
    CHECK_OK(copy(how, dst + GUARD, src, size, kind_of(dst_kind, src_kind)));
    CHECK_OK(copy(how, out, dst, size + 2 * GUARD, hipMemcpyDefault));
    CHECK(bytes_are(out, GUARD, 0xee) && bytes_are(out + GUARD + size, GUARD, 0xee));
    CHECK(pattern_holds(out + GUARD, size, 17));
    memory_put(dst_kind, dst);
    memory_put(src_kind, src);
}

static void test_bounds(void)
{
    unsigned char *device = memory_get(DEVICE);
    unsigned char *pinned = memory_get(PINNED);
    unsigned char local[16];

    CHECK_OK(hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice));
    CHECK_IS(hipMemcpy(NULL, local, 1, hipMemcpyDefault), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(device, NULL, 1, hipMemcpyDefault), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(device + SIZE - 15, local, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_OK(hipMemcpy(device + SIZE - 16, local, 16, hipMemcpyHostToDevice));
    CHECK_IS(hipMemcpy(local, pinned + SIZE - 15, 16, hipMemcpyHostToHost), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(device, local, 16, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
    CHECK_IS(hipMemcpy(device, local, 16, hipMemcpyHostToHost), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(device, local, 16, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(local, device, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_IS(hipMemcpy(device, local, 16, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
    CHECK_OK(hipMemcpy(device, pinned, 16, hipMemcpyDeviceToDevice));
    CHECK_OK(hipFree(device));
    // What was freed is the program's own address again; only a direction can tell that it was not.
    CHECK_IS(hipMemcpy(device, local, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
    memory_put(PINNED, pinned);
}

static void test_fill(void)
{
    static unsigned char out[SIZE];
    unsigned char *device = memory_get(DEVICE);
    unsigned char *managed = memory_get(MANAGED);

    CHECK_OK(hipMemset(device, 0x11, SIZE));
    CHECK_OK(hipMemsetAsync(device + 100, 0x122, SIZE - 200, NULL));
    CHECK_OK(hipMemsetD8(device + 5000, 0x33, 1));
    CHECK_OK(hipMemcpyDtoH(out, device, SIZE));
    CHECK(bytes_are(out, 100, 0x11) && bytes_are(out + SIZE - 100, 100, 0x11));
    CHECK(bytes_are(out + 100, 4900, 0x22) && out[5000] == 0x33);
    CHECK(bytes_are(out + 5001, SIZE - 5101, 0x22));
    CHECK_OK(hipMemset(managed, 0x44, SIZE)); // complete when it returns
    CHECK(bytes_are(managed, SIZE, 0x44));
    CHECK_OK(hipMemset(NULL, 1, 0));
    CHECK_IS(hipMemset(NULL, 1, 1), hipErrorInvalidValue);
    CHECK_IS(hipMemset(out, 1, 1), hipErrorInvalidValue);
    CHECK_IS(hipMemset(device + 1, 1, SIZE), hipErrorInvalidValue);
    CHECK_OK(hipMemcpyHtoD(device, out, SIZE));
    memory_put(DEVICE, device);
    memory_put(MANAGED, managed);
}

int main(void)
{
    const size_t sizes[] = {1, 4096, 65536, 65537, SIZE - 2 * GUARD};

    CHECK_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int how = 0; how < 3; how++) {
        for (int pair = 0; pair < KINDS * KINDS; pair++) {
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                test_pair(how, pair / KINDS, pair % KINDS, sizes[i]);
        }
    }
    test_bounds();
    test_fill();
    CHECK_OK(hipStreamDestroy(stream));
    return 0;
}
