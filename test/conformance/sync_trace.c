// SPDX-License-Identifier: MIT
//
// Requests of many kinds for test/scripts/sync-syscalls to watch by strace: afterwards it prints
// the bytes that were read and written, by path, as the handle tells them.
//
// usage: sync_trace [dsync]   on a descriptor with O_DSYNC
// ctest-manual
#include "sync_test.h"

#define PAGE 4096
#define SIZE (256 * PAGE)

static void print(const char *what, const uint64_t *bytes)
{
    printf("%s direct %llu bounce %llu host %llu\n", what,
           (unsigned long long)bytes[hipFileExtPathDirect],
           (unsigned long long)bytes[hipFileExtPathBounce],
           (unsigned long long)bytes[hipFileExtPathHost]);
}

int main(int argc, char **argv)
{
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};
    int durable = argc > 1 && strcmp(argv[1], "dsync") == 0 ? O_DSYNC : 0;
    int fd = pattern_file(O_RDWR | durable, SIZE, 1);
    hipFileHandle_t handle = register_fd(fd);

    for (enum kind kind = DEVICE; kind <= PINNED; kind++) {
        void *memory = memory_get(kind, SIZE);

        for (size_t size = 1; size <= SIZE; size = size * 5 + 3)
            for (off_t offset = 0; offset < 3 * PAGE; offset += 1999) {
                CHECK(hipFileRead(handle, memory, size, offset, 0) > 0);
                CHECK_EQUAL(hipFileWrite(handle, memory, size, offset, 0), size);
                CHECK_EQUAL(ftruncate(fd, SIZE), 0);
            }
        CHECK_EQUAL(hipFileRead(handle, memory, SIZE, SIZE - 5000, 0), 5000); /* past the end */
    }
    CHECK_OK(hipFileExtGetHandleInfo(handle, &info));
    print("read", info.bytes_read);
    print("written", info.bytes_written);
    return 0;
}
