// SPDX-License-Identifier: MIT
/*
 * HIPFILE_HIP_LIBRARY names a runtime that is neither ROCm's nor hiplite: test/lib/minihip.c. This
 * program is linked to hiplite, so that without the variable hiplite would be taken; and minihip's
 * memory is unknown to hiplite.
 */
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <hipfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE  300001
#define GUARD 4096

struct minihip {
    hipError_t (*malloc)(void **pointer, size_t size);
    hipError_t (*free)(void *pointer);
    size_t (*bytes_copied)(void);
};

/* Settings are read when the library is loaded: the variable has to be there from the start. */
static const char *name_runtime(char *argv[])
{
    static char path[4096];
    const char *build_dir = getenv("BUILD_DIR");

    if (build_dir == NULL) {
        printf("SKIP: BUILD_DIR does not say where minihip is\n");
        exit(77);
    }
    snprintf(path, sizeof path, "%s/test/lib/libminihip.so", build_dir);
    if (getenv("HIPFILE_HIP_LIBRARY") == NULL) {
        setenv("HIPFILE_HIP_LIBRARY", path, 1);
        execv(argv[0], argv); /* not /proc/self/exe, which may be valgrind */
        perror("execv");
        exit(1);
    }
    return path;
}

/* Only after libhipfile has loaded it, so that it is not found as loaded already. */
static struct minihip find_minihip(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    struct minihip minihip;

    assert(library != NULL);
    *(void **)&minihip.malloc = dlsym(library, "hipMalloc");
    *(void **)&minihip.free = dlsym(library, "hipFree");
    *(void **)&minihip.bytes_copied = dlsym(library, "minihip_bytes_copied");
    return minihip;
}

static hipFileHandle_t new_file(int *fd)
{
    char path[] = "/var/tmp/hipfile-second-runtime.XXXXXX";
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};
    hipFileHandle_t handle;

    *fd = mkstemp(path);
    assert(*fd != -1);
    unlink(path);
    descr.handle.fd = *fd;
    assert(hipFileHandleRegister(&handle, &descr).err == hipFileSuccess);
    return handle;
}

/* In minihip's device memory, which is plain memory: file to device, device to file. */
static void roundtrip(const struct minihip *minihip, hipFileHandle_t handle, int fd)
{
    static unsigned char data[SIZE], seen[SIZE];
    unsigned char *devbuf;
    size_t before = minihip->bytes_copied();

    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    assert(pwrite(fd, data, SIZE, 0) == SIZE);

    assert(minihip->malloc((void **)&devbuf, GUARD + SIZE + GUARD) == hipSuccess);
    memset(devbuf, 0xee, GUARD + SIZE + GUARD);
    assert(hipFileRead(handle, devbuf, SIZE, 0, GUARD) == SIZE);
    assert(memcmp(devbuf + GUARD, data, SIZE) == 0);
    for (size_t i = 0; i < GUARD; i++)
        assert(devbuf[i] == 0xee && devbuf[GUARD + SIZE + i] == 0xee);
    assert(minihip->bytes_copied() - before >= SIZE);

    before = minihip->bytes_copied();
    assert(hipFileBufRegister(devbuf, GUARD + SIZE + GUARD, 0).err == hipFileSuccess);
    assert(hipFileWrite(handle, devbuf, SIZE, SIZE, GUARD) == SIZE);
    assert(pread(fd, seen, SIZE, SIZE) == SIZE);
    assert(memcmp(seen, data, SIZE) == 0);
    assert(minihip->bytes_copied() - before >= SIZE);

    assert(hipFileRead(handle, devbuf, SIZE, 2 * (hoff_t)SIZE, 0) == 0);
    assert(hipFileBufDeregister(devbuf).err == hipFileSuccess);
    assert(minihip->free(devbuf) == hipSuccess);
}

/* hiplite's memory is nothing to minihip. */
static void other_runtime(hipFileHandle_t handle)
{
    void *devbuf;

    assert(hipMalloc(&devbuf, SIZE) == hipSuccess);
    assert(hipFileRead(handle, devbuf, SIZE, 0, 0) == -hipFileInvalidValue);
    assert(hipFileBufRegister(devbuf, SIZE, 0).err == hipFileInvalidValue);
    assert(hipFree(devbuf) == hipSuccess);
}

int main(int argc, char *argv[])
{
    const char *path = name_runtime(argv);
    struct minihip minihip;
    hipFileHandle_t handle;
    char byte;
    int fd;

    (void)argc;
    handle = new_file(&fd);
    hipFileRead(handle, &byte, 1, 0, 0); /* needs a runtime, if only to learn what byte is */
    minihip = find_minihip(path);
    roundtrip(&minihip, handle, fd);
    other_runtime(handle);
    hipFileHandleDeregister(handle);
    close(fd);
    return 0;
}
