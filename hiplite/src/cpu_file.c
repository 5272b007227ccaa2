// SPDX-License-Identifier: MIT
//
// hipAmdFileRead and hipAmdFileWrite: I/O by the caller's descriptor straight into the storage
// behind a device address.
#include <errno.h>
#include <unistd.h>

#include "cpu.h"
#include "runtime.h"

hipError_t hl_cpu_file_io(struct hl_file_io *io)
{
    struct hl_range range;
    size_t offset;
    ssize_t moved;

    // Like a driver that resolves one buffer object: the range must lie in one allocation.
    if (!hl_range_find((uintptr_t)io->device_ptr, &range) || !hl_kind_is_device(range.kind) ||
        range.blocked) {
        io->status = -EINVAL;
        return hipErrorUnknown;
    }
    offset = (uintptr_t)io->device_ptr - range.base;
    if (range.size - offset < io->size) {
        io->status = -EINVAL;
        return hipErrorUnknown;
    }
    do {
        moved = io->write ? pwrite(io->fd, range.storage + offset, io->size, io->offset)
                          : pread(io->fd, range.storage + offset, io->size, io->offset);
    } while (moved < 0 && errno == EINTR);
    if (moved < 0)
        io->status = -errno;
    else
        io->copied = (uint64_t)moved;
    return hipSuccess;
}
