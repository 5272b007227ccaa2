// SPDX-License-Identifier: MIT
/* The macros of hipfile.h, used as programs use them: the same code in C and in C++. */
#ifndef TEST_ABI_MACROS_H
#define TEST_ABI_MACROS_H

#include <assert.h>
#include <errno.h>
#include <hipfile.h>
#include <stdio.h>
#include <string.h>

static inline void check_error_numbers(void)
{
    ssize_t result = -5022;
    size_t ret = (size_t)-5022;

    assert(IS_HIPFILE_ERR(result));
    assert(IS_HIPFILE_ERR(ret));
    assert(IS_HIPFILE_ERR(hipFileInvalidValue));
    assert(IS_HIPFILE_ERR(-5001) && !IS_HIPFILE_ERR(-5000) && IS_HIPFILE_ERR(5001));
    assert(!IS_HIPFILE_ERR(-1) && !IS_HIPFILE_ERR(-EIO) && !IS_HIPFILE_ERR(0));
    assert(!IS_HIPFILE_ERR(hipFileSuccess));
    assert(IS_HIPFILE_ERR(result + 1 - 2)); /* the argument is an expression */
}

static inline void check_error_texts(void)
{
    const char *text = hipFileGetOpErrorString(hipFileInvalidValue);
    ssize_t result = -hipFileInvalidValue;
    int code;

    assert(strcmp(HIPFILE_ERRSTR(result), text) == 0);
    assert(strcmp(HIPFILE_ERRSTR(-result), text) == 0);
    assert(strcmp(HIPFILE_ERRSTR((size_t)result), text) == 0);
    for (code = hipFileDriverNotInitialized; code <= hipFileIOMaxError; code++)
        assert(HIPFILE_ERRSTR(code) != NULL && *HIPFILE_ERRSTR(code) != '\0');
    assert(*HIPFILE_ERRSTR(0) != '\0' && *HIPFILE_ERRSTR(12345) != '\0');
    assert(strcmp(HIPFILE_ERRSTR(5021), HIPFILE_ERRSTR(12345)) == 0);
    assert(strcmp(HIPFILE_ERRSTR(5021), text) != 0);
}

static inline void check_hip_errors(void)
{
    hipFileError_t error = {hipFileHipDriverError, hipErrorUnknown};

    assert(IS_HIP_DRV_ERR(error) && HIP_DRV_ERR(error) == hipErrorUnknown);
    HIP_DRV_ERR(error) = hipErrorInvalidValue;
    assert(error.hip_drv_err == hipErrorInvalidValue);
    error.err = hipFileSuccess;
    assert(!IS_HIP_DRV_ERR(error));
}

static inline void check_one_field_of_two_names(void)
{
    hipFilePerGpuStats_t stats;

    memset(&stats, 0, sizeof stats);
    stats.writes_bytes = 7;
    assert(stats.write_bytes == 7);
}

static inline void check_macros(void)
{
    check_error_numbers();
    check_error_texts();
    check_hip_errors();
    check_one_field_of_two_names();
    puts("values, sizes, offsets and prototypes held while compiling; the macros do now");
}

#endif
