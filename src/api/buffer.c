// SPDX-License-Identifier: MIT
#include "hipfile.h"

#include "api/keep_errno.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/buffers.h"
#include "core/driver.h"
#include "hip/device.h"
#include "observe/log.h"

struct registration {
    const void *base;
    size_t length;
    int status;
};

static void do_register(void *argument)
{
    struct registration *registration = argument;

    registration->status = hf_buffers_register(registration->base, registration->length);
}

HIPFILE_API hipFileError_t hipFileBufRegister(const void *buffer_base, size_t length, int flags)
{
    HF_KEEP_ERRNO;
    struct registration registration = {buffer_base, length, -hipFileInvalidValue};

    (void)flags;
    hf_driver_open_implicitly(); /* before any check, as programs rely on */
    if (buffer_base) {
        registration.status = hf_hip_load();
        if (registration.status == 0)
            hf_device_isolate(do_register, &registration);
    }
    if (registration.status)
        hf_warn("hipFileBufRegister: buffer_base %p, length %zu: %s", buffer_base, length,
                hf_status_describe(registration.status));
    return hf_status_to_error(registration.status);
}

HIPFILE_API hipFileError_t hipFileBufDeregister(const void *buffer_base)
{
    HF_KEEP_ERRNO;
    int err = -hipFileDriverClosing;

    hf_settings_load();
    if (hf_driver_is_open())
        err = hf_buffers_deregister(buffer_base);
    if (err)
        hf_warn("hipFileBufDeregister: buffer_base %p: %s", buffer_base, hf_status_describe(err));
    return hf_status_to_error(err);
}
