// SPDX-License-Identifier: MIT
/*
 * various-mem-rw INPUT OUTPUT MODE [GPUID]: the same copy through three kinds of memory.
 *
 * MODE 1 is device memory, 2 managed memory, 3 pinned host memory. None of it is registered:
 * hipFile takes whatever memory the HIP runtime knows. At most VMR_CAP bytes of INPUT are taken.
 */
#define _GNU_SOURCE /* O_DIRECT */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#ifndef VMR_CAP
#define VMR_CAP ((size_t)1024 * 1024)
#endif

enum mode {
    MODE_DEVICE = 1,
    MODE_MANAGED = 2,
    MODE_PINNED_HOST = 3,
};

static const char *mode_name(enum mode mode)
{
    switch (mode) {
    case MODE_DEVICE:
        return "device";
    case MODE_MANAGED:
        return "managed";
    case MODE_PINNED_HOST:
        return "pinned-host";
    }
    return NULL;
}

static int allocate(enum mode mode, void **buf, size_t size)
{
    switch (mode) {
    case MODE_DEVICE:
        return check_hip("hipMalloc", hipMalloc(buf, size));
    case MODE_MANAGED:
        return check_hip("hipMallocManaged", hipMallocManaged(buf, size, hipMemAttachGlobal));
    case MODE_PINNED_HOST:
        return check_hip("hipHostMalloc", hipHostMalloc(buf, size, hipHostMallocDefault));
    }
    return 1;
}

static void release(enum mode mode, void *buf)
{
    if (mode == MODE_PINNED_HOST) {
        check_hip("hipHostFree", hipHostFree(buf));
    } else {
        check_hip("hipFree", hipFree(buf));
    }
}

static int various_mem_rw(const char *in_path, const char *out_path, enum mode mode)
{
    void *buf = NULL;
    hipFileHandle_t handle;
    uint64_t hash;
    ssize_t nread;
    size_t size;
    int fd, ret = 1;

    if (open_file(in_path, O_RDONLY | O_DIRECT, 0, &fd, &handle)) {
        return 1;
    }
    if (file_size(in_path, fd, VMR_CAP, &size)) {
        goto close_input;
    }
    if (allocate(mode, &buf, buffer_size_for(size))) {
        goto close_input;
    }
    /*
     * hipFileRead and hipFileWrite do not wait for work that is queued on the device. Here there is
     * none; if a kernel used the buffer, the program would synchronise before these calls.
     */
    nread = hipFileRead(handle, buf, align_up(size, BLOCK_ALIGN), 0, 0);
    if (check_io("hipFileRead", in_path, nread, size) || write_file(out_path, buf, size, 0) ||
        verify_files_match(in_path, out_path, size, &hash)) {
        goto release_buf;
    }
    printf("OK  [%s] %s -> %s  (%zu bytes, hash 0x%016" PRIx64 ")\n", mode_name(mode), in_path,
           out_path, size, hash);
    ret = 0;

release_buf:
    release(mode, buf);
close_input:
    return close_file(in_path, fd, handle) || ret;
}

int main(int argc, char *argv[])
{
    enum mode mode;

    if (argc < 4 || argc > 5) {
        fprintf(stderr, "Usage: %s INPUT OUTPUT MODE [GPUID]\n", argv[0]);
        fprintf(stderr, "MODE: 1 device, 2 managed, 3 pinned-host\n");
        return EXIT_FAILURE;
    }
    mode = (enum mode)atoi(argv[3]);
    if (mode_name(mode) == NULL) {
        fprintf(stderr, "MODE is 1, 2 or 3, not %s\n", argv[3]);
        return EXIT_FAILURE;
    }
    if (select_gpu(argc, argv, 4) || various_mem_rw(argv[1], argv[2], mode)) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
