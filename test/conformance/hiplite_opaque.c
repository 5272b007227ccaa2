// SPDX-License-Identifier: MIT
//
// The CPU cannot touch device memory, unless the device is unified.
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "../support/hiplite_test.h"

static volatile char *device_memory(void)
{
    void *ptr;

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGSEGV, SIG_DFL);
    CHECK_OK(hipMalloc(&ptr, 8192));
    return ptr;
}

static void read_it(void)
{
    exit(device_memory()[5000]);
}

static void write_it(void)
{
    device_memory()[0] = 1;
}

static void read_freed(void)
{
    volatile char *ptr = device_memory();

    CHECK_OK(hipFree((void *)ptr));
    exit(ptr[0]);
}

static void use_unified(void)
{
    hipPointerAttribute_t attributes;
    unsigned char out[100];
    unsigned char *ptr;
    int integrated;

    setenv("HIPLITE_UNIFIED", "1", 1);
    ptr = (unsigned char *)device_memory();
    CHECK_OK(hipPointerGetAttributes(&attributes, ptr));
    CHECK(attributes.type == hipMemoryTypeDevice && attributes.hostPointer == ptr);
    CHECK_OK(hipDeviceGetAttribute(&integrated, hipDeviceAttributeIntegrated, 0));
    CHECK(integrated == 1);
    pattern_fill(ptr, sizeof(out), 3);
    CHECK_OK(hipMemcpy(out, ptr, sizeof(out), hipMemcpyDeviceToHost));
    CHECK(pattern_holds(out, sizeof(out), 3));
    CHECK_OK(hipFree(ptr));
}

static bool died_by(int status, int number)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == number;
}

// Sanitizers turn the signal into a message and an exit status of their own.
static bool died_touching(int status)
{
    return died_by(status, SIGSEGV) || (WIFEXITED(status) && WEXITSTATUS(status) > 1);
}

int main(void)
{
    CHECK(died_touching(in_child(read_it)));
    CHECK(died_touching(in_child(write_it)));
    CHECK(died_touching(in_child(read_freed)));
    CHECK(in_child(use_unified) == 0);
    return 0;
}
