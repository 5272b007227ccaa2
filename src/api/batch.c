// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "base/settings.h"
#include "base/status.h"
#include "observe/log.h"

static hipFileError_t refuse(const char *function, int status)
{
    hf_settings_load();
    hf_warn("%s: %s", function, hf_status_text(-status));
    return hf_status_to_error(status);
}

HIPFILE_API hipFileError_t hipFileBatchIOSetUp(hipFileBatchHandle_t *batch_idp, unsigned max_nr)
{
    return refuse("hipFileBatchIOSetUp", !batch_idp || max_nr == 0 || max_nr > 4096
                                             ? -hipFileInvalidValue
                                             : -hipFileIONotSupported);
}

HIPFILE_API hipFileError_t hipFileBatchIOSubmit(hipFileBatchHandle_t batch_idp, unsigned nr,
                                                hipFileIOParams_t *iocbp, unsigned flags)
{
    (void)batch_idp;
    (void)nr;
    (void)iocbp;
    (void)flags;
    return refuse("hipFileBatchIOSubmit", -hipFileInvalidValue);
}

HIPFILE_API hipFileError_t hipFileBatchIOGetStatus(hipFileBatchHandle_t batch_idp, unsigned min_nr,
                                                   unsigned *nr, hipFileIOEvents_t *iocbp,
                                                   struct timespec *timeout)
{
    (void)batch_idp;
    (void)min_nr;
    (void)nr;
    (void)iocbp;
    (void)timeout;
    return refuse("hipFileBatchIOGetStatus", -hipFileInvalidValue);
}

HIPFILE_API hipFileError_t hipFileBatchIOCancel(hipFileBatchHandle_t batch_idp)
{
    (void)batch_idp;
    return refuse("hipFileBatchIOCancel", -hipFileInvalidValue);
}

HIPFILE_API void hipFileBatchIODestroy(hipFileBatchHandle_t batch_idp)
{
    (void)batch_idp;
}
