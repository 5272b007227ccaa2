// SPDX-License-Identifier: MIT
/* hipFileGet/SetParameter*: all 27, staged while closed, in force while open, forgotten after. */
#include <assert.h>
#include <hipfile.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "in_child.h"

static const struct {
    hipFileSizeTConfigParameter_t parameter;
    size_t initial, minimum, maximum, multiple; /* initial 0: measured, or the machine's */
} sizes[] = {
    {hipFileParamProfileStats, 1, 0, 3, 1},
    {hipFileParamExecutionMaxIOQueueDepth, 128, 1, 4096, 1},
    {hipFileParamExecutionMaxIOThreads, 0, 0, 1024, 1},
    {hipFileParamExecutionMinIOThresholdSizeKB, 0, 4, 1048576, 1},
    {hipFileParamExecutionMaxRequestParallelism, 0, 0, 1024, 1},
    {hipFileParamPropertiesMaxDirectIOSizeKB, 16384, 64, 2097088, 64},
    {hipFileParamPropertiesMaxDeviceCacheSizeKB, 131072, 256, 67108864, 4},
    {hipFileParamPropertiesPerBufferCacheSizeKB, 2048, 64, 1048576, 4},
    {hipFileParamPropertiesMaxDevicePinnedMemSizeKB, 33554432, 4, (size_t)1 << 40, 4},
    {hipFileParamPropertiesIOBatchsize, 128, 1, 4096, 1},
    {hipFileParamPollthresholdSizeKB, 4, 0, 1048576, 4},
    {hipFileParamPropertiesBatchIOTimeoutMs, 0, 0, 86400000, 1},
};

static const bool bools[] = {
    [hipFileParamPropertiesUsePollMode] = false,
    [hipFileParamPropertiesAllowCompatMode] = true,
    [hipFileParamForceCompatMode] = false,
    [hipFileParamFsMiscApiCheckAggressive] = false,
    [hipFileParamExecutionParallelIO] = true,
    [hipFileParamProfileNvtx] = false,
    [hipFileParamPropertiesAllowSystemMemory] = true,
    [hipFileParamUsePcip2pdma] = false,
    [hipFileParamPreferIOUring] = true,
    [hipFileParamForceOdirectMode] = false,
    [hipFileParamSkipTopologyDetection] = false,
    [hipFileParamStreamMemopsBypass] = false,
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void must_be(hipFileError_t error, hipFileOpError_t code)
{
    if (error.err != code)
        fprintf(stderr, "%s, expected %s\n", hipFileGetOpErrorString(error.err),
                hipFileGetOpErrorString(code));
    assert(error.err == code && error.hip_drv_err == hipSuccess);
}

static size_t get_size(hipFileSizeTConfigParameter_t parameter)
{
    size_t value = SIZE_MAX;

    must_be(hipFileGetParameterSizeT(parameter, &value), hipFileSuccess);
    return value;
}

static bool get_bool(hipFileBoolConfigParameter_t parameter)
{
    bool value;

    memset(&value, 1, sizeof(value));
    must_be(hipFileGetParameterBool(parameter, &value), hipFileSuccess);
    return value;
}

static const char *get_string(hipFileStringConfigParameter_t parameter)
{
    static char text[PATH_MAX];

    memset(text, 'x', sizeof(text));
    must_be(hipFileGetParameterString(parameter, text, sizeof(text)), hipFileSuccess);
    return text;
}

static void open_driver(void)
{
    must_be(hipFileDriverOpen(), hipFileSuccess);
    assert(hipFileUseCount() == 1);
}

static void close_driver(void)
{
    must_be(hipFileDriverClose(), hipFileSuccess);
    assert(hipFileUseCount() == 0);
}

static void check_size(size_t i)
{
    hipFileSizeTConfigParameter_t parameter = sizes[i].parameter;
    size_t before = get_size(parameter), untouched = 12345;

    if (sizes[i].initial)
        assert(before == sizes[i].initial);
    must_be(hipFileSetParameterSizeT(parameter, sizes[i].maximum + sizes[i].multiple),
            hipFileDriverUnsupportedLimit);
    must_be(hipFileSetParameterSizeT(parameter, SIZE_MAX), hipFileDriverUnsupportedLimit);
    if (sizes[i].minimum)
        must_be(hipFileSetParameterSizeT(parameter, sizes[i].minimum - 1),
                hipFileDriverUnsupportedLimit);
    if (sizes[i].multiple > 1)
        must_be(hipFileSetParameterSizeT(parameter, sizes[i].maximum - 1),
                hipFileDriverInvalidProps);
    must_be(hipFileGetParameterSizeT(parameter, NULL), hipFileInvalidValue);
    assert(get_size(parameter) == before);

    must_be(hipFileSetParameterSizeT(parameter, sizes[i].minimum), hipFileSuccess);
    assert(get_size(parameter) == sizes[i].minimum);
    must_be(hipFileSetParameterSizeT(parameter, sizes[i].maximum), hipFileSuccess);
    assert(get_size(parameter) == sizes[i].maximum);
    open_driver();
    assert(get_size(parameter) == sizes[i].maximum);
    must_be(hipFileSetParameterSizeT(parameter, sizes[i].maximum), hipFileDriverAlreadyOpen);
    close_driver();
    assert(get_size(parameter) == before);
    must_be(hipFileGetParameterSizeT((hipFileSizeTConfigParameter_t)12, &untouched),
            hipFileInvalidValue);
    must_be(hipFileGetParameterSizeT((hipFileSizeTConfigParameter_t)-1, &untouched),
            hipFileInvalidValue);
    assert(untouched == 12345);
}

static void check_bool(hipFileBoolConfigParameter_t parameter)
{
    bool before = bools[parameter];

    assert(get_bool(parameter) == before);
    must_be(hipFileGetParameterBool(parameter, NULL), hipFileInvalidValue);
    must_be(hipFileSetParameterBool(parameter, !before), hipFileSuccess);
    assert(get_bool(parameter) == !before);
    open_driver();
    assert(get_bool(parameter) == !before);
    must_be(hipFileSetParameterBool(parameter, before), hipFileDriverAlreadyOpen);
    close_driver();
    assert(get_bool(parameter) == before);
}

static void check_string(hipFileStringConfigParameter_t parameter, const char *initial,
                         const char *set, const char *read_back)
{
    char small[8] = "xxxxxxx";

    assert(strcmp(get_string(parameter), initial) == 0);
    must_be(hipFileSetParameterString(parameter, NULL), hipFileInvalidValue);
    must_be(hipFileSetParameterString(parameter, set), hipFileSuccess);
    assert(strcmp(get_string(parameter), read_back) == 0);

    /* What does not fit is not cut; what just fits is whole. */
    must_be(hipFileGetParameterString(parameter, small, (int)strlen(read_back)),
            hipFileInvalidValue);
    assert(strcmp(small, "xxxxxxx") == 0);
    must_be(hipFileGetParameterString(parameter, small, (int)strlen(read_back) + 1),
            hipFileSuccess);
    assert(strcmp(small, read_back) == 0);
    must_be(hipFileGetParameterString(parameter, small, 0), hipFileInvalidValue);
    must_be(hipFileGetParameterString(parameter, small, -1), hipFileInvalidValue);
    must_be(hipFileGetParameterString(parameter, NULL, 8), hipFileInvalidValue);

    open_driver();
    assert(strcmp(get_string(parameter), read_back) == 0);
    must_be(hipFileSetParameterString(parameter, set), hipFileDriverAlreadyOpen);
    close_driver();
    assert(strcmp(get_string(parameter), initial) == 0);
}

static void check_misuse(void)
{
    char text[PATH_MAX + 1];
    bool flag = true;

    must_be(hipFileSetParameterSizeT((hipFileSizeTConfigParameter_t)12, 1), hipFileInvalidValue);
    must_be(hipFileSetParameterSizeT((hipFileSizeTConfigParameter_t)-1, 1), hipFileInvalidValue);
    must_be(hipFileSetParameterBool((hipFileBoolConfigParameter_t)12, true), hipFileInvalidValue);
    must_be(hipFileGetParameterBool((hipFileBoolConfigParameter_t)99, &flag), hipFileInvalidValue);
    must_be(hipFileSetParameterString((hipFileStringConfigParameter_t)3, "x"), hipFileInvalidValue);
    must_be(hipFileGetParameterString((hipFileStringConfigParameter_t)3, text, 9),
            hipFileInvalidValue);
    must_be(hipFileSetParameterString(hipFileParamLoggingLevel, "LOUD"), hipFileInvalidValue);
    must_be(hipFileSetParameterString(hipFileParamLoggingLevel, ""), hipFileInvalidValue);
    memset(text, 'a', sizeof(text));
    text[PATH_MAX] = '\0';
    must_be(hipFileSetParameterString(hipFileParamLogDir, text), hipFileDriverUnsupportedLimit);
}

/* Values survive until the last close, not only the first. */
static void check_nested_opening(void)
{
    must_be(hipFileSetParameterSizeT(hipFileParamPropertiesIOBatchsize, 77), hipFileSuccess);
    open_driver();
    must_be(hipFileDriverOpen(), hipFileSuccess);
    must_be(hipFileDriverClose(), hipFileSuccess);
    assert(get_size(hipFileParamPropertiesIOBatchsize) == 77);
    close_driver();
    assert(get_size(hipFileParamPropertiesIOBatchsize) == 128);
}

int main(void)
{
    clean_environment();
    setenv("HIPFILE_ENV_PATH_JSON", "", 1);
    setenv("HIPFILE_LOGGING_LEVEL", "OFF", 1);
    assert(COUNT(sizes) + COUNT(bools) + 3 == 27);
    for (size_t i = 0; i < COUNT(sizes); i++)
        check_size(i);
    for (size_t i = 0; i < COUNT(bools); i++)
        check_bool((hipFileBoolConfigParameter_t)i);
    check_string(hipFileParamLoggingLevel, "OFF", "error", "ERROR");
    check_string(hipFileParamEnvLogfilePath, "", "/a.log", "/a.log");
    check_string(hipFileParamLogDir, "", "/none", "/none");
    check_misuse();
    check_nested_opening();
    assert(hipFileUseCount() == 0);
    puts("all 27 parameters are staged, applied and cleared");
    return 0;
}
