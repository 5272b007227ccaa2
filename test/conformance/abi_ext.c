// SPDX-License-Identifier: MIT
/* hipfile_ext.h: layouts, names, texts and versions, as far as no device is needed. */
#include <assert.h>
#include <errno.h>
#include <hipfile_ext.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(hipFileExtRoute_t) == 64, "a structure may only grow at its end");
_Static_assert(sizeof(hipFileExtHandleInfo_t) == 432, "a structure may only grow at its end");
_Static_assert(sizeof(hipFileExtSetting_t) == 928, "a structure may only grow at its end");
_Static_assert(hipFileExtPathDirect == 0 && hipFileExtPathBounce == 1 && hipFileExtPathHost == 2,
               "paths keep their numbers");
_Static_assert(hipFileExtReasonNone == 0 && hipFileExtReasonCompatForced == 1 &&
                   hipFileExtReasonRuntimeLacksFileIO == 2 &&
                   hipFileExtReasonNotDeviceMemory == 3 &&
                   hipFileExtReasonNoDirectDescriptor == 4 && hipFileExtReasonFileSystem == 5 &&
                   hipFileExtReasonJournalMode == 6 && hipFileExtReasonMemoryAlignment == 7 &&
                   hipFileExtReasonBelowUnit == 8 && hipFileExtReasonRefused == 9 &&
                   hipFileExtReasonConfigured == 10,
               "reasons keep their numbers");

static void check_names(void)
{
    assert(strcmp(hipFileExtPathString(hipFileExtPathDirect), "direct") == 0);
    assert(strcmp(hipFileExtPathString(hipFileExtPathBounce), "bounce") == 0);
    assert(strcmp(hipFileExtPathString(hipFileExtPathHost), "host") == 0);
    assert(strcmp(hipFileExtPathString((hipFileExtPath_t)77), "unknown path") == 0);
    for (int i = hipFileExtReasonNone; i <= hipFileExtReasonConfigured; i++)
        for (int j = 0; j < i; j++)
            assert(strcmp(hipFileExtReasonString((hipFileExtReason_t)i),
                          hipFileExtReasonString((hipFileExtReason_t)j)) != 0);
    assert(strcmp(hipFileExtReasonString((hipFileExtReason_t)77), "unknown reason") == 0);
    assert(strcmp(hipFileExtReasonString((hipFileExtReason_t)-1), "unknown reason") == 0);
}

/* The description has the words in it, errno is as before, and it is cut where it must be. */
static void check_result(ssize_t result, int error, const char *words)
{
    char text[HIPFILE_EXT_TEXT_SIZE], cut[6] = "xxxxx", none[2] = "x";

    errno = error;
    assert(hipFileExtDescribe(result, text, sizeof text) == text);
    assert(errno == error);
    assert(strstr(text, words) || !fprintf(stderr, "%zd: %s\n", result, text));
    assert(hipFileExtDescribe(result, cut, 5) == cut);
    assert(strncmp(cut, text, 4) == 0 && cut[4] == '\0');
    assert(hipFileExtDescribe(result, none, 0) == none && none[0] == 'x');
}

static void check_results(void)
{
    check_result(4096, 0, "4096 bytes");
    check_result(0, EIO, "0 bytes");
    check_result(-1, ENOSPC, strerror(ENOSPC));
    check_result(-EFBIG, EIO, strerror(EFBIG));
    check_result(-hipFileInvalidValue, EIO, HIPFILE_ERRSTR(hipFileInvalidValue));
    check_result(-hipFileInvalidValue, EIO, "5022");
    check_result(-hipFileHipDriverError, EIO, HIPFILE_ERRSTR(hipFileHipDriverError));
    check_result(-12345, EIO, "12345");
}

static void check_errors(void)
{
    char text[HIPFILE_EXT_TEXT_SIZE];
    hipFileError_t error = {hipFileBatchFull, hipSuccess};

    errno = EIO;
    hipFileExtDescribe(error, text, sizeof text);
    assert(strstr(text, HIPFILE_ERRSTR(hipFileBatchFull)) && strstr(text, "5037"));
    error.err = hipFileHipDriverError;
    error.hip_drv_err = hipErrorUnknown;
    hipFileExtDescribe(error, text, sizeof text);
    assert(strstr(text, "5011") && strstr(text, "999") && errno == EIO);
}

static void check_version(const char *name, unsigned minor)
{
    unsigned major = 9, found = 99;

    assert(hipFileExtGetSymbolVersion(name, &major, &found).err == hipFileSuccess);
    assert(major == 0 && found == minor);
    assert(hipFileExtGetSymbolVersion(name, NULL, NULL).err == hipFileSuccess);
}

static void check_versions(void)
{
    unsigned major = 9, minor = 99;

    check_version("hipFileRead", 2);
    check_version("hipFileGetOpErrorString", 3);
    check_version("hipFileGetStatsL1", 5);
    check_version("hipFileExtGetSymbolVersion", 5);
    assert(hipFileExtGetSymbolVersion("hipFileReed", &major, &minor).err == hipFileInvalidValue);
    assert(hipFileExtGetSymbolVersion("", &major, &minor).err == hipFileInvalidValue);
    assert(hipFileExtGetSymbolVersion(NULL, &major, &minor).err == hipFileInvalidValue);
    assert(major == 9 && minor == 99);
}

/* What is asked of a closed library is answered, and does not open it. */
static void check_closed(void)
{
    hipFileExtRoute_t route = {.struct_size = sizeof route};
    hipFileExtHandleInfo_t info = {.struct_size = sizeof info};
    char byte = 0;

    assert(hipFileExtQueryRequest(&byte, &byte, 1, 0, 0, hipFileBatchRead, &route).err ==
           hipFileDriverNotInitialized);
    assert(hipFileExtQueryRequest(&byte, &byte, 1, 0, 0, hipFileBatchRead, NULL).err ==
           hipFileInvalidValue);
    assert(hipFileExtGetHandleInfo(&byte, &info).err == hipFileDriverNotInitialized);
    assert(hipFileExtGetHandleInfo(&byte, NULL).err == hipFileInvalidValue);
    info.struct_size = route.struct_size = sizeof(size_t);
    assert(hipFileExtGetHandleInfo(&byte, &info).err == hipFileInvalidValue);
    assert(hipFileExtQueryRequest(&byte, &byte, 1, 0, 0, hipFileBatchRead, &route).err ==
           hipFileInvalidValue);
    assert(hipFileUseCount() == 0);
    assert(hipFileExtGetLastHipError() == hipSuccess);
}

int main(void)
{
    check_names();
    check_results();
    check_errors();
    check_versions();
    check_closed();
    puts("names, texts, versions and layouts of hipfile_ext.h are as documented");
    return 0;
}
