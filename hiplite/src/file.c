// SPDX-License-Identifier: MIT
#include "file.h"

#include <errno.h>

#include "fault.h"
#include "runtime.h"

#define FILE_UNIT 4096u

// The largest transfer of one system call.
#define FILE_SIZE_MAX 0x7ffff000u

static int32_t arguments_check(const struct hl_file_io *io)
{
    if ((io->size | (uint64_t)io->offset | (uint64_t)(uintptr_t)io->device_ptr) % FILE_UNIT != 0)
        return -EINVAL;
    if (io->fd < 0)
        return -EBADF;
    if (io->offset < 0)
        return -EINVAL;
    return io->size > FILE_SIZE_MAX ? -ESPIPE : 0;
}

static hipError_t run(struct hl_file_io *io)
{
    hipError_t error;

    io->status = arguments_check(io);
    if (io->status != 0)
        return hipErrorUnknown;
    error = hl_ops->file_io(io);
    return io->status != 0 && error == hipSuccess ? hipErrorUnknown : error;
}

static hipError_t run_with_fault(struct hl_file_io *io)
{
    uint64_t limit = hl_thread.fault_limit;
    uint64_t blocks = limit / FILE_UNIT + (limit % FILE_UNIT != 0);
    hipError_t error;

    io->status = hl_thread.fault_status;
    if (io->status != 0)
        return hipErrorUnknown;
    if (limit == 0)
        return hipSuccess;
    if (blocks < io->size / FILE_UNIT)
        io->size = blocks * FILE_UNIT;
    error = run(io);
    if (io->copied > limit)
        io->copied = limit;
    return error;
}

static hipError_t transfer(enum hl_function fn, struct hl_file_io *io, uint64_t *size_copied,
                           int32_t *status)
{
    bool fault;
    hipError_t error = hl_enter(fn);

    if (error != hipSuccess)
        return error;
    if (size_copied == NULL || status == NULL || io->device_ptr == NULL)
        return hipErrorInvalidValue;
    fault = hl_thread.fault_status != 0 || hl_thread.fault_limit != UINT64_MAX;
    if (io->size > 0)
        error = fault ? run_with_fault(io) : run(io);
    *size_copied = io->copied;
    *status = io->status;
    hl_count_bytes(fn, io->copied);
    return error;
}

hipError_t hipAmdFileRead(hipAmdFileHandle_t handle, void *devicePtr, uint64_t size,
                          int64_t file_offset, uint64_t *size_copied, int32_t *status)
{
    struct hl_file_io io = {false, handle.fd, devicePtr, size, file_offset, 0, 0};

    return hl_leave(transfer(HL_FN_hipAmdFileRead, &io, size_copied, status));
}

hipError_t hipAmdFileWrite(hipAmdFileHandle_t handle, void *devicePtr, uint64_t size,
                           int64_t file_offset, uint64_t *size_copied, int32_t *status)
{
    struct hl_file_io io = {true, handle.fd, devicePtr, size, file_offset, 0, 0};

    return hl_leave(transfer(HL_FN_hipAmdFileWrite, &io, size_copied, status));
}
