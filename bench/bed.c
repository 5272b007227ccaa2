// SPDX-License-Identifier: MIT
#include "bed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

bool bed_fill_file(const char *path, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    char *block = malloc(MIB);
    bool fine = fd >= 0 && block;
    struct stat st;

    if (fine && fstat(fd, &st) == 0 && (size_t)st.st_size == size)
        goto out; /* another row made it */
    for (size_t i = 0; fine && i < MIB; i++)
        block[i] = (char)(i * 2654435761u >> 11);
    for (size_t done = 0; fine && done < size; done += MIB)
        fine = write(fd, block, MIB) == (ssize_t)MIB;
    fine = fine && fsync(fd) == 0;
out:
    free(block);
    if (fd >= 0)
        close(fd);
    return fine;
}

char *bed_memory(size_t size)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 1, size);
    return memory;
}

static bool enter(struct bed *bed)
{
    hipFileDescr_t descr = {.type = hipFileHandleTypeOpaqueFD};

    descr.handle.fd = bed->fd;
    return hipFileHandleRegister(&bed->handle, &descr).err == hipFileSuccess &&
           hipFileBufRegister(bed->device, bed->size, 0).err == hipFileSuccess;
}

bool bed_open(struct bed *bed, const struct row_options *options, size_t size, int flags)
{
    memset(bed, 0, sizeof *bed);
    bed->size = bed->block = size;
    snprintf(bed->path, sizeof bed->path, "%s/" BENCH_FILE, options->directory);
    if (!bed_fill_file(bed->path, options->size) ||
        (bed->fd = open(bed->path, O_RDWR | flags)) < 0) {
        perror(bed->path);
        return false;
    }
    bed->host = bed_memory(size);
    return bed->host && hipMalloc((void **)&bed->device, size) == hipSuccess &&
           hipMemset(bed->device, 1, size) == hipSuccess && hipDeviceSynchronize() == hipSuccess &&
           enter(bed);
}

void bed_close(struct bed *bed)
{
    (void)hipFileDriverClose(); /* and with it what is registered */
    hipFree(bed->device);
    if (bed->host)
        munmap(bed->host, bed->size);
    if (bed->fd > 0)
        close(bed->fd);
}

bool bed_configure(struct bed *bed, const struct bed_settings *settings)
{
    size_t kib = settings->buffer_kib;

    return hipFileDriverClose().err == hipFileSuccess &&
           hipFileSetParameterBool(hipFileParamForceCompatMode, settings->force_compat).err ==
               hipFileSuccess &&
           hipFileSetParameterBool(hipFileParamExecutionParallelIO, !settings->one_thread).err ==
               hipFileSuccess &&
           (kib == 0 ||
            hipFileSetParameterSizeT(hipFileParamPropertiesPerBufferCacheSizeKB, kib).err ==
                hipFileSuccess) &&
           hipFileDriverOpen().err == hipFileSuccess && enter(bed);
}

double bed_run(void *argument)
{
    const struct bed *bed = argument;
    double begin = bench_now();

    for (size_t done = 0; done < bed->size; done += bed->block) {
        ssize_t n =
            bed->write
                ? hipFileWrite(bed->handle, bed->device, bed->block, (hoff_t)done, (hoff_t)done)
                : hipFileRead(bed->handle, bed->device, bed->block, (hoff_t)done, (hoff_t)done);

        if (n != (ssize_t)bed->block)
            return -1;
    }
    return bench_now() - begin;
}

struct peer_job bed_job(const struct bed *bed, size_t block, unsigned depth)
{
    struct peer_job job = {.fd = bed->fd,
                           .memory = bed->host,
                           .size = bed->size,
                           .block = block,
                           .depth = depth,
                           .write = bed->write};

    return job;
}
