// SPDX-License-Identifier: MIT
#include "os/os.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int call_open(const char *path, int flags)
{
    return open(path, flags);
}

static int call_fcntl(int fd, int command, long argument)
{
    return fcntl(fd, command, argument);
}

static int call_ioctl(int fd, unsigned long request, void *argument)
{
    return ioctl(fd, request, argument);
}

struct hf_os_calls hf_os = {
    .pread = pread,
    .pwrite = pwrite,
    .open = call_open,
    .close = close,
    .fcntl = call_fcntl,
    .statx = statx,
    .ioctl = call_ioctl,
};
