// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/files.h"
#include "observe/log.h"

static int check(const hipFileHandle_t *fh, const hipFileDescr_t *descr)
{
    hf_settings_load();
    if (!fh || !descr) {
        hf_warn("hipFileHandleRegister: %s is NULL", fh ? "descr" : "fh");
        return -hipFileInvalidValue;
    }
    if (descr->type != hipFileHandleTypeOpaqueFD) {
        hf_warn("hipFileHandleRegister: descr->type %d is not supported", (int)descr->type);
        return -hipFileIONotSupported;
    }
    return 0;
}

HIPFILE_API hipFileError_t hipFileHandleRegister(hipFileHandle_t *fh, hipFileDescr_t *descr)
{
    HF_KEEP_ERRNO;
    hipFileHandle_t handle;
    int err = check(fh, descr);

    if (err)
        return hf_status_to_error(err);
    err = hf_files_register(descr->handle.fd, &handle);
    if (err) {
        hf_warn("hipFileHandleRegister: descriptor %d: %s", descr->handle.fd,
                hf_status_describe(err));
        return hf_status_to_error(err);
    }
    hf_driver_open_implicitly();
    *fh = handle;
    return hf_status_to_error(0);
}

HIPFILE_API void hipFileHandleDeregister(hipFileHandle_t fh)
{
    HF_KEEP_ERRNO;

    hf_settings_load();
    if (!hf_files_deregister(fh))
        hf_warn("hipFileHandleDeregister: handle %p is not registered", fh);
}
