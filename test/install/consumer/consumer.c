// SPDX-License-Identifier: MIT
// A program as others write it, in the common subset of C11, C23 and C++17: reads the file that it
// is given into device memory and compares. Compiled with every warning as an error.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hipfile.h>
#include <hipfile_ext.h>

#define SIZE 10000

static int check(ssize_t count, ssize_t wanted)
{
    if (count == wanted)
        return 0;
    fprintf(stderr, "%zd bytes instead of %zd: %s\n", count, wanted,
            IS_HIPFILE_ERR(count) ? HIPFILE_ERRSTR(count) : "system error");
    return 1;
}

static int read_back(const char *path, char *bytes)
{
    hipFileDescr_t descr;
    hipFileHandle_t handle;
    hipFileError_t error;
    void *device = NULL;
    int fd = open(path, O_RDONLY);
    int bad;

    memset(&descr, 0, sizeof(descr));
    descr.type = hipFileHandleTypeOpaqueFD;
    descr.handle.fd = fd;
    error = hipFileHandleRegister(&handle, &descr);
    if (error.err != hipFileSuccess) {
        fprintf(stderr, "register: %s\n", hipFileGetOpErrorString(error.err));
        return 1;
    }
    bad = hipMalloc(&device, SIZE) != hipSuccess;
    bad = bad || check(hipFileRead(handle, device, SIZE, 0, 0), SIZE);
    bad = bad || hipMemcpy(bytes, device, SIZE, hipMemcpyDeviceToHost) != hipSuccess;
    bad = hipFree(device) != hipSuccess || bad;
    hipFileHandleDeregister(handle);
    close(fd);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned major = 9, minor = 9, patch = 9;
    char bytes[SIZE], wanted[SIZE];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file || fread(wanted, 1, SIZE, file) != SIZE)
        return 2;
    fclose(file);
    if (hipFileGetVersion(&major, &minor, &patch).err != hipFileSuccess)
        return 1;
    if (read_back(argv[1], bytes) || memcmp(bytes, wanted, SIZE) != 0)
        return 1;
    printf("hipFile %u.%u.%u, %s: same bytes\n", major, minor, patch,
           hipFileExtPathString(hipFileExtPathDirect));
    return 0;
}
