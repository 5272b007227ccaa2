// SPDX-License-Identifier: MIT
#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/batches.h"
#include "hip/device.h"
#include "hipfile_ext.h"
#include "observe/log.h"

static int get(const char *function, hipFileBatchHandle_t handle, struct hf_batch **batch)
{
    *batch = hf_batches_get(handle);
    if (*batch)
        return 0;
    hf_warn("%s: %p is not a batch", function, handle);
    return -hipFileInvalidValue;
}

HIPFILE_API hipFileError_t hipFileBatchIOSetUp(hipFileBatchHandle_t *batch_idp, unsigned max_nr)
{
    HF_KEEP_ERRNO;
    size_t largest;

    hf_settings_load();
    largest = hf_setting_next_size(HF_SET_IO_BATCHSIZE);
    if (!batch_idp || max_nr == 0 || max_nr > largest) {
        hf_warn("hipFileBatchIOSetUp: batch_idp is NULL, or max_nr %u is not in 1 to %zu", max_nr,
                largest);
        return hf_status_to_error(-hipFileInvalidValue);
    }
    return hf_status_to_error(hf_batches_create(max_nr, batch_idp));
}

struct submission {
    struct hf_batch *batch;
    const hipFileIOParams_t *params;
    unsigned count;
    int status;
};

static void submit(void *argument)
{
    struct submission *submission = argument;

    submission->status = hf_batch_submit(submission->batch, submission->params, submission->count);
}

HIPFILE_API hipFileError_t hipFileBatchIOSubmit(hipFileBatchHandle_t batch_idp, unsigned nr,
                                                hipFileIOParams_t *iocbp, unsigned flags)
{
    HF_KEEP_ERRNO;
    struct submission submission = {.params = iocbp, .count = nr};
    int err;

    (void)flags;
    hf_settings_load();
    if (nr == 0 || !iocbp) {
        hf_warn("hipFileBatchIOSubmit: nr is 0, or iocbp is NULL");
        return hf_status_to_error(-hipFileInvalidValue);
    }
    err = get("hipFileBatchIOSubmit", batch_idp, &submission.batch);
    if (err)
        return hf_status_to_error(err);
    if (hf_hip_load() == 0)
        hf_device_isolate(submit, &submission);
    else
        submit(&submission);
    hf_batches_put(submission.batch);
    return hf_status_to_error(submission.status);
}

static bool can_collect(unsigned min_nr, const unsigned *nr, const hipFileIOEvents_t *iocbp,
                        const struct timespec *timeout)
{
    if (!iocbp || !nr || *nr == 0 || min_nr > *nr)
        return false;
    return !timeout ||
           (timeout->tv_sec >= 0 && timeout->tv_nsec >= 0 && timeout->tv_nsec < 1000000000);
}

HIPFILE_API hipFileError_t hipFileBatchIOGetStatus(hipFileBatchHandle_t batch_idp, unsigned min_nr,
                                                   unsigned *nr, hipFileIOEvents_t *iocbp,
                                                   struct timespec *timeout)
{
    HF_KEEP_ERRNO;
    struct hf_batch *batch;
    int err;

    hf_settings_load();
    if (!can_collect(min_nr, nr, iocbp, timeout)) {
        hf_warn("hipFileBatchIOGetStatus: no room for events, min_nr %u above it, or no valid "
                "timeout",
                min_nr);
        return hf_status_to_error(-hipFileInvalidValue);
    }
    err = get("hipFileBatchIOGetStatus", batch_idp, &batch);
    if (err)
        return hf_status_to_error(err);
    *nr = hf_batch_collect(batch, min_nr, *nr, iocbp, timeout);
    hf_batches_put(batch);
    for (unsigned i = 0; i < *nr; i++)
        iocbp[i].ret = (size_t)hf_status_to_completion((ssize_t)iocbp[i].ret);
    return hf_status_to_error(0);
}

static hipFileError_t cancel(const char *function, hipFileBatchHandle_t handle, bool wait)
{
    struct hf_batch *batch;
    int err;

    hf_settings_load();
    err = get(function, handle, &batch);
    if (err)
        return hf_status_to_error(err);
    if (wait)
        hf_batch_cancel_and_wait(batch, false);
    else
        hf_batch_cancel(batch);
    hf_batches_put(batch);
    return hf_status_to_error(0);
}

HIPFILE_API hipFileError_t hipFileBatchIOCancel(hipFileBatchHandle_t batch_idp)
{
    HF_KEEP_ERRNO;

    return cancel("hipFileBatchIOCancel", batch_idp, true);
}

HIPFILE_API hipFileError_t hipFileExtBatchIOCancelNoWait(hipFileBatchHandle_t batch_idp)
{
    HF_KEEP_ERRNO;

    return cancel("hipFileExtBatchIOCancelNoWait", batch_idp, false);
}

HIPFILE_API void hipFileBatchIODestroy(hipFileBatchHandle_t batch_idp)
{
    HF_KEEP_ERRNO;

    hf_settings_load();
    if (!hf_batches_destroy(batch_idp) && batch_idp)
        hf_warn("hipFileBatchIODestroy: %p is not a batch", batch_idp);
}
