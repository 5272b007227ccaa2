// SPDX-License-Identifier: MIT
/* hipFileDriverGetProperties and the four setters. */
#include <assert.h>
#include <hipfile.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "in_child.h"

static void must_be(hipFileError_t error, hipFileOpError_t code)
{
    if (error.err != code)
        fprintf(stderr, "%s, expected %s\n", hipFileGetOpErrorString(error.err),
                hipFileGetOpErrorString(code));
    assert(error.err == code && error.hip_drv_err == hipSuccess);
}

static bool bit(unsigned flags, unsigned number)
{
    return flags >> number & 1;
}

static hipFileDriverProps_t get(void)
{
    struct {
        hipFileDriverProps_t properties;
        char guard[64];
    } out;

    memset(&out, 0xee, sizeof(out));
    must_be(hipFileDriverGetProperties(&out.properties), hipFileSuccess);
    for (size_t i = 0; i < sizeof(out.guard); i++)
        assert(out.guard[i] == (char)0xee);
    return out.properties;
}

static void check_defaults(void)
{
    hipFileDriverProps_t properties = get();
    unsigned major, minor, patch;

    must_be(hipFileGetVersion(&major, &minor, &patch), hipFileSuccess);
    assert(properties.nvfs.major_version == major && properties.nvfs.minor_version == minor);
    assert(properties.nvfs.poll_thresh_size == 4);
    assert(properties.nvfs.max_direct_io_size == 16384);
    assert(properties.nvfs.driver_control_flags == 1u << hipFileAllowCompatMode);
    assert(properties.max_device_cache_size == 131072);
    assert(properties.per_buffer_cache_size == 2048);
    assert(properties.max_device_pinned_mem_size == 33554432);
    assert(properties.max_batch_io_count == 128);
    assert(properties.max_batch_io_timeout_msecs == 0);
    assert(bit(properties.feature_flags, hipFileParallelIOSupported));
    assert(!bit(properties.feature_flags, hipFileDynRoutingSupported));
}

/* Asking never opens; a bad value changes nothing. */
static void check_setters(void)
{
    hipFileDriverProps_t properties;

    must_be(hipFileDriverSetPollMode(true, 64), hipFileSuccess);
    must_be(hipFileDriverSetMaxDirectIOSize(1024), hipFileSuccess);
    must_be(hipFileDriverSetMaxCacheSize(16384), hipFileSuccess);
    must_be(hipFileDriverSetMaxPinnedMemSize(8192), hipFileSuccess);

    must_be(hipFileDriverSetPollMode(false, 63), hipFileDriverInvalidProps);
    must_be(hipFileDriverSetPollMode(false, 1048580), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxDirectIOSize(0), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxDirectIOSize(100), hipFileDriverInvalidProps);
    must_be(hipFileDriverSetMaxDirectIOSize(2097152), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxCacheSize(252), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxCacheSize(257), hipFileDriverInvalidProps);
    must_be(hipFileDriverSetMaxPinnedMemSize(0), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxPinnedMemSize(SIZE_MAX), hipFileDriverUnsupportedLimit);
    must_be(hipFileDriverSetMaxPinnedMemSize(9), hipFileDriverInvalidProps);
    must_be(hipFileDriverGetProperties(NULL), hipFileInvalidValue);
    assert(hipFileUseCount() == 0);

    for (int is_open = 0; is_open < 2; is_open++) {
        properties = get();
        assert(bit(properties.nvfs.driver_control_flags, hipFileUsePollMode));
        assert(bit(properties.nvfs.driver_control_flags, hipFileAllowCompatMode));
        assert(properties.nvfs.poll_thresh_size == 64);
        assert(properties.nvfs.max_direct_io_size == 1024);
        assert(properties.max_device_cache_size == 16384);
        assert(properties.max_device_pinned_mem_size == 8192);
        if (!is_open)
            must_be(hipFileDriverOpen(), hipFileSuccess);
    }
    must_be(hipFileDriverSetPollMode(false, 4), hipFileDriverAlreadyOpen);
    must_be(hipFileDriverSetMaxDirectIOSize(64), hipFileDriverAlreadyOpen);
    must_be(hipFileDriverSetMaxCacheSize(256), hipFileDriverAlreadyOpen);
    must_be(hipFileDriverSetMaxPinnedMemSize(4), hipFileDriverAlreadyOpen);
    must_be(hipFileDriverGetProperties(NULL), hipFileInvalidValue);
    must_be(hipFileDriverClose(), hipFileSuccess);
    check_defaults();
}

static void check_parameters_show(void)
{
    hipFileDriverProps_t properties;

    must_be(hipFileSetParameterSizeT(hipFileParamPropertiesPerBufferCacheSizeKB, 512),
            hipFileSuccess);
    must_be(hipFileSetParameterSizeT(hipFileParamPropertiesIOBatchsize, 4096), hipFileSuccess);
    must_be(hipFileSetParameterSizeT(hipFileParamPropertiesBatchIOTimeoutMs, 1500), hipFileSuccess);
    must_be(hipFileSetParameterBool(hipFileParamPropertiesAllowCompatMode, false), hipFileSuccess);
    must_be(hipFileSetParameterBool(hipFileParamExecutionParallelIO, false), hipFileSuccess);
    must_be(hipFileDriverOpen(), hipFileSuccess);
    properties = get();
    assert(properties.per_buffer_cache_size == 512);
    assert(properties.max_batch_io_count == 4096);
    assert(properties.max_batch_io_timeout_msecs == 1500);
    assert(properties.nvfs.driver_control_flags == 0);
    assert(!bit(properties.feature_flags, hipFileParallelIOSupported));
    must_be(hipFileDriverClose(), hipFileSuccess);
}

/* Asked for as the library does: nothing is known before the driver is open. */
static void check_storage(void)
{
    void *function = NULL;
    bool has_file_io =
        hipGetProcAddress("hipAmdFileRead", &function, 70200000, 0, NULL) == hipSuccess && function;

    assert(get().nvfs.driver_status_flags == 0);
    must_be(hipFileDriverOpen(), hipFileSuccess);
    assert(bit(get().nvfs.driver_status_flags, hipFileNVMeSupported) == has_file_io);
    must_be(hipFileDriverClose(), hipFileSuccess);
}

/* The flags say what the calls do. */
static void check_features(void)
{
    hipFileBatchHandle_t batch;
    bool has_batch = hipFileBatchIOSetUp(&batch, 1).err == hipFileSuccess;
    bool has_streams = hipFileStreamRegister(NULL, 0).err == hipFileSuccess;

    assert(bit(get().feature_flags, hipFileBatchIOSupported) == has_batch);
    assert(bit(get().feature_flags, hipFileStreamsSupported) == has_streams);
    if (has_batch)
        hipFileBatchIODestroy(batch);
    if (has_streams)
        must_be(hipFileStreamDeregister(NULL), hipFileSuccess);
}

int main(void)
{
    clean_environment();
    setenv("HIPFILE_ENV_PATH_JSON", "", 1);
    setenv("HIPFILE_LOGGING_LEVEL", "OFF", 1);
    assert(hipInit(0) == hipSuccess); /* the runtime is there */
    check_defaults();
    check_setters();
    check_parameters_show();
    check_storage();
    check_features();
    puts("properties read what was set, and setters check what they are given");
    return 0;
}
