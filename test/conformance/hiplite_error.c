// SPDX-License-Identifier: MIT
//
// Names and texts of the codes, and what the last error is.
#include <pthread.h>
#include <string.h>

#include "../support/hiplite_test.h"

static const struct {
    hipError_t code;
    int value;
    const char *name;
} codes[] = {
#define CODE(name, value)                                                                          \
    {                                                                                              \
        name, value, #name                                                                         \
    }
    CODE(hipSuccess, 0),
    CODE(hipErrorInvalidValue, 1),
    CODE(hipErrorOutOfMemory, 2),
    CODE(hipErrorNotInitialized, 3),
    CODE(hipErrorInvalidMemcpyDirection, 21),
    CODE(hipErrorNoDevice, 100),
    CODE(hipErrorInvalidDevice, 101),
    CODE(hipErrorMapFailed, 205),
    CODE(hipErrorInvalidHandle, 400),
    CODE(hipErrorIllegalState, 401),
    CODE(hipErrorNotFound, 500),
    CODE(hipErrorNotReady, 600),
    CODE(hipErrorContextIsDestroyed, 709),
    CODE(hipErrorHostMemoryAlreadyRegistered, 712),
    CODE(hipErrorHostMemoryNotRegistered, 713),
    CODE(hipErrorNotSupported, 801),
    CODE(hipErrorStreamCaptureUnsupported, 900),
    CODE(hipErrorStreamCaptureWrongThread, 908),
    CODE(hipErrorUnknown, 999),
    CODE(hipErrorTbd, 1054),
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        CHECK((int)codes[i].code == codes[i].value);
        CHECK(strcmp(hipGetErrorName(codes[i].code), codes[i].name) == 0);
        CHECK(strlen(hipGetErrorString(codes[i].code)) > 3);
    }
    CHECK(strcmp(hipGetErrorName((hipError_t)12345), "hipErrorUnknown") == 0);
}

static void *other_thread(void *arg)
{
    CHECK_OK(hipPeekAtLastError());
    CHECK_IS(hipSetDevice(-1), hipErrorInvalidDevice);
    CHECK_IS(hipGetLastError(), hipErrorInvalidDevice);
    return arg;
}

static void test_last(void)
{
    pthread_t thread;
    void *ptr;

    CHECK_OK(hipGetLastError());
    CHECK_IS(hipMalloc(NULL, 1), hipErrorInvalidValue);
    CHECK_IS(hipSetDevice(99), hipErrorInvalidDevice);
    CHECK_OK(hipMalloc(&ptr, 1)); // does not overwrite the error
    CHECK_IS(hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_IS(hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK_IS(hipGetLastError(), hipErrorInvalidDevice);
    CHECK_OK(hipGetLastError());
    CHECK_OK(hipFree(ptr));
}

static void test_last_call(void)
{
    void *ptr;

    CHECK_IS(hipMalloc(NULL, 1), hipErrorInvalidValue);
    CHECK_IS(hipExtGetLastError(), hipErrorInvalidValue);
    CHECK_OK(hipExtGetLastError());
    CHECK_IS(hipMalloc(NULL, 1), hipErrorInvalidValue);
    CHECK_OK(hipMalloc(&ptr, 1));
    CHECK_OK(hipExtGetLastError()); // the last call went well
    CHECK_IS(hipGetLastError(), hipErrorInvalidValue);
    CHECK_OK(hipFree(ptr));
}

int main(void)
{
    test_names();
    test_last();
    test_last_call();
    return 0;
}
