// SPDX-License-Identifier: MIT
/*
 * For LD_PRELOAD: stands between a program and hipFile and HIP, for the calls that take something
 * and give it back. Each success is a line in the file FAILING_CALLS_LOG, "+ kind object" or
 * "- kind object", and the FAILING_CALLS_NTH call that takes something fails.
 *
 * Only the program's own calls come by: libhipfile looks HIP up for itself.
 */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hipfile.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static int calls;

/* The program's main thread is the only one that calls. */
static bool must_fail(void)
{
    const char *nth = getenv("FAILING_CALLS_NTH");

    calls++;
    return nth != NULL && atoi(nth) == calls;
}

static void note(char sign, const char *kind, const void *object)
{
    const char *path = getenv("FAILING_CALLS_LOG");
    FILE *log = path != NULL ? fopen(path, "a") : NULL;

    if (log == NULL)
        return;
    fprintf(log, "%c %s %p\n", sign, kind, object);
    fclose(log);
}

/* The function that the wrapper of the same name hides. */
#define REAL(name)                                                                                 \
    __typeof__(name) *real;                                                                        \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

#define FAILED_HIPFILE ((hipFileError_t){hipFileInternalError, hipSuccess})

static hipError_t note_hip(hipError_t err, char sign, const char *kind, const void *object)
{
    if (err == hipSuccess)
        note(sign, kind, object);
    return err;
}

static hipFileError_t note_hipfile(hipFileError_t err, char sign, const char *kind,
                                   const void *object)
{
    if (err.err == hipFileSuccess)
        note(sign, kind, object);
    return err;
}

EXPORT hipError_t hipMalloc(void **pointer, size_t size)
{
    REAL(hipMalloc);
    hipError_t err = must_fail() ? hipErrorOutOfMemory : real(pointer, size);

    return note_hip(err, '+', "memory", *pointer);
}

EXPORT hipError_t hipFree(void *pointer)
{
    REAL(hipFree);

    return note_hip(real(pointer), '-', "memory", pointer);
}

EXPORT hipFileError_t hipFileBufRegister(const void *buffer, size_t length, int flags)
{
    REAL(hipFileBufRegister);

    return note_hipfile(must_fail() ? FAILED_HIPFILE : real(buffer, length, flags), '+', "buffer",
                        buffer);
}

EXPORT hipFileError_t hipFileBufDeregister(const void *buffer)
{
    REAL(hipFileBufDeregister);

    return note_hipfile(real(buffer), '-', "buffer", buffer);
}

EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
    REAL(hipStreamCreateWithFlags);
    hipError_t err = must_fail() ? hipErrorOutOfMemory : real(stream, flags);

    return note_hip(err, '+', "stream", *stream);
}

EXPORT hipError_t hipStreamDestroy(hipStream_t stream)
{
    REAL(hipStreamDestroy);

    return note_hip(real(stream), '-', "stream", stream);
}

/* Takes nothing, but may fail as well. */
EXPORT hipError_t hipMemsetAsync(void *pointer, int value, size_t size, hipStream_t stream)
{
    REAL(hipMemsetAsync);

    return must_fail() ? hipErrorUnknown : real(pointer, value, size, stream);
}

EXPORT hipFileError_t hipFileStreamRegister(hipStream_t stream, unsigned flags)
{
    REAL(hipFileStreamRegister);

    return note_hipfile(must_fail() ? FAILED_HIPFILE : real(stream, flags), '+',
                        "stream-registration", stream);
}

EXPORT hipFileError_t hipFileStreamDeregister(hipStream_t stream)
{
    REAL(hipFileStreamDeregister);

    return note_hipfile(real(stream), '-', "stream-registration", stream);
}

EXPORT hipFileError_t hipFileHandleRegister(hipFileHandle_t *handle, hipFileDescr_t *descr)
{
    REAL(hipFileHandleRegister);
    hipFileError_t err = must_fail() ? FAILED_HIPFILE : real(handle, descr);

    return note_hipfile(err, '+', "file", *handle);
}

EXPORT void hipFileHandleDeregister(hipFileHandle_t handle)
{
    REAL(hipFileHandleDeregister);

    real(handle);
    note('-', "file", handle);
}

EXPORT hipFileError_t hipFileReadAsync(hipFileHandle_t handle, void *buffer, size_t *size,
                                       hoff_t *file_offset, hoff_t *buffer_offset, ssize_t *bytes,
                                       hipStream_t stream)
{
    REAL(hipFileReadAsync);

    return must_fail() ? FAILED_HIPFILE
                       : real(handle, buffer, size, file_offset, buffer_offset, bytes, stream);
}

EXPORT hipFileError_t hipFileWriteAsync(hipFileHandle_t handle, void *buffer, size_t *size,
                                        hoff_t *file_offset, hoff_t *buffer_offset, ssize_t *bytes,
                                        hipStream_t stream)
{
    REAL(hipFileWriteAsync);

    return must_fail() ? FAILED_HIPFILE
                       : real(handle, buffer, size, file_offset, buffer_offset, bytes, stream);
}
