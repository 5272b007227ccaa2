// SPDX-License-Identifier: MIT
/*
 * A second, minimal HIP runtime: what libhipfile cannot do without, and what aiscp calls.
 *
 * It shares nothing with hiplite but the header, and answers otherwise where HIP leaves a choice:
 * it is of version 6.3, an unknown pointer is an error, everything asynchronous is done at once,
 * and there is no hipGetProcAddress, no priority, no value wait and no file I/O. Device memory is
 * plain memory.
 */
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define ALIGN  4096

struct allocation {
    struct allocation *next;
    char *base;
    size_t size;
    hipMemoryType type;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocation *allocations;
static size_t bytes_copied;
static _Thread_local hipError_t last_error;

/* For tests: what went through the copies of this runtime. */
EXPORT size_t minihip_bytes_copied(void);

static hipError_t done(hipError_t err)
{
    if (err != hipSuccess)
        last_error = err;
    return err;
}

static hipError_t allocate(void **pointer, size_t size, hipMemoryType type)
{
    struct allocation *new = malloc(sizeof *new);
    char *base = aligned_alloc(ALIGN, (size / ALIGN + 1) * ALIGN);

    if (new == NULL || base == NULL) {
        free(base);
        free(new);
        return done(hipErrorOutOfMemory);
    }
    pthread_mutex_lock(&lock);
    *new = (struct allocation){allocations, base, size, type};
    allocations = new;
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return hipSuccess;
}

static hipError_t release(void *pointer, hipMemoryType type)
{
    struct allocation *found = NULL;

    if (pointer == NULL)
        return hipSuccess;
    pthread_mutex_lock(&lock);
    for (struct allocation **link = &allocations; *link != NULL; link = &(*link)->next) {
        if ((*link)->base == pointer && (*link)->type == type) {
            found = *link;
            *link = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return done(hipErrorInvalidValue);
    free(found->base);
    free(found);
    return hipSuccess;
}

static hipError_t find(const void *pointer, struct allocation *copy)
{
    hipError_t err = hipErrorInvalidValue;

    pthread_mutex_lock(&lock);
    for (struct allocation *a = allocations; a != NULL; a = a->next) {
        if ((uintptr_t)pointer - (uintptr_t)a->base < a->size) {
            *copy = *a;
            err = hipSuccess;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return done(err);
}

size_t minihip_bytes_copied(void)
{
    size_t bytes;

    pthread_mutex_lock(&lock);
    bytes = bytes_copied;
    pthread_mutex_unlock(&lock);
    return bytes;
}

EXPORT hipError_t hipInit(unsigned int flags)
{
    return done(flags == 0 ? hipSuccess : hipErrorInvalidValue);
}

EXPORT hipError_t hipRuntimeGetVersion(int *version)
{
    *version = 6 * 10000000 + 3 * 100000;
    return hipSuccess;
}

EXPORT hipError_t hipGetDeviceCount(int *count)
{
    *count = 1;
    return hipSuccess;
}

EXPORT hipError_t hipGetDevice(int *device)
{
    *device = 0;
    return hipSuccess;
}

EXPORT hipError_t hipSetDevice(int device)
{
    return done(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}

EXPORT hipError_t hipDeviceSynchronize(void)
{
    return hipSuccess;
}

EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device)
{
    (void)attribute;
    *value = 0;
    return done(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}

EXPORT hipError_t hipGetLastError(void)
{
    hipError_t err = last_error;

    last_error = hipSuccess;
    return err;
}

EXPORT hipError_t hipPeekAtLastError(void)
{
    return last_error;
}

EXPORT const char *hipGetErrorName(hipError_t err)
{
    return err == hipSuccess ? "hipSuccess" : "hipErrorOfMinihip";
}

EXPORT const char *hipGetErrorString(hipError_t err)
{
    return err == hipSuccess ? "no error" : "an error in minihip";
}

EXPORT hipError_t hipMalloc(void **pointer, size_t size)
{
    return allocate(pointer, size, hipMemoryTypeDevice);
}

EXPORT hipError_t hipFree(void *pointer)
{
    return release(pointer, hipMemoryTypeDevice);
}

EXPORT hipError_t hipHostMalloc(void **pointer, size_t size, unsigned int flags)
{
    (void)flags;
    return allocate(pointer, size, hipMemoryTypeHost);
}

EXPORT hipError_t hipHostFree(void *pointer)
{
    return release(pointer, hipMemoryTypeHost);
}

EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    struct allocation found;
    hipError_t err = find(pointer, &found);

    if (err != hipSuccess)
        return err;
    memset(attributes, 0, sizeof *attributes);
    attributes->type = found.type;
    attributes->devicePointer = (void *)(uintptr_t)pointer;
    if (found.type == hipMemoryTypeHost)
        attributes->hostPointer = (void *)(uintptr_t)pointer;
    return hipSuccess;
}

EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t pointer)
{
    struct allocation found;
    hipError_t err = find(pointer, &found);

    if (err != hipSuccess)
        return err;
    *base = found.base;
    *size = found.size;
    return hipSuccess;
}

EXPORT hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind,
                                 hipStream_t stream)
{
    (void)kind;
    (void)stream;
    memcpy(to, from, size);
    pthread_mutex_lock(&lock);
    bytes_copied += size;
    pthread_mutex_unlock(&lock);
    return hipSuccess;
}

EXPORT hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind)
{
    return hipMemcpyAsync(to, from, size, kind, NULL);
}

EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
    (void)flags;
    *stream = malloc(1);
    return done(*stream != NULL ? hipSuccess : hipErrorOutOfMemory);
}

EXPORT hipError_t hipStreamDestroy(hipStream_t stream)
{
    free(stream);
    return hipSuccess;
}

EXPORT hipError_t hipStreamSynchronize(hipStream_t stream)
{
    (void)stream;
    return hipSuccess;
}

EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags)
{
    (void)flags;
    *event = malloc(1);
    return done(*event != NULL ? hipSuccess : hipErrorOutOfMemory);
}

EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    (void)event;
    (void)stream;
    return hipSuccess;
}

EXPORT hipError_t hipEventSynchronize(hipEvent_t event)
{
    (void)event;
    return hipSuccess;
}

EXPORT hipError_t hipEventDestroy(hipEvent_t event)
{
    free(event);
    return hipSuccess;
}
