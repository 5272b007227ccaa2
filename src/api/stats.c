// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "observe/log.h"

static hipFileError_t refuse(const char *function, const void *stats)
{
    int status = stats ? -hipFileInternalError : -hipFileInvalidValue;

    hf_settings_load();
    hf_warn("%s: %s", function, stats ? "statistics are not kept yet" : "stats is NULL");
    return hf_status_to_error(status);
}

HIPFILE_API hipFileError_t hipFileGetStatsL1(hipFileStatsLevel1_t *stats)
{
    HF_KEEP_ERRNO;

    return refuse("hipFileGetStatsL1", stats);
}

HIPFILE_API hipFileError_t hipFileGetStatsL2(hipFileStatsLevel2_t *stats)
{
    HF_KEEP_ERRNO;

    return refuse("hipFileGetStatsL2", stats);
}

HIPFILE_API hipFileError_t hipFileGetStatsL3(hipFileStatsLevel3_t *stats)
{
    HF_KEEP_ERRNO;

    return refuse("hipFileGetStatsL3", stats);
}
