// SPDX-License-Identifier: MIT
#include "hipfile_ext.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/keep_errno.h"
#include "base/reason.h"
#include "base/settings.h"
#include "base/status.h"
#include "core/driver.h"
#include "core/route.h"
#include "core/transfer.h"
#include "hip/device.h"
#include "observe/log.h"

_Static_assert(HF_PATH_COUNT <= HIPFILE_EXT_PATHS, "paths outgrew the public array");
_Static_assert(HF_REASON_COUNT <= HIPFILE_EXT_REASONS, "reasons outgrew the public array");
_Static_assert((int)HF_REASON_CONFIGURED == hipFileExtReasonConfigured &&
                   (int)HF_REASON_MEMORY_ALIGNMENT == hipFileExtReasonMemoryAlignment,
               "reasons are numbered alike");
_Static_assert((int)HF_PATH_HOST == hipFileExtPathHost, "paths are numbered alike");

HIPFILE_API const char *hipFileExtPathString(hipFileExtPath_t path)
{
    switch (path) {
    case hipFileExtPathDirect:
        return hf_path_direct.name;
    case hipFileExtPathBounce:
        return hf_path_bounce.name;
    case hipFileExtPathHost:
        return hf_path_host.name;
    default:
        return "unknown path";
    }
}

HIPFILE_API const char *hipFileExtReasonString(hipFileExtReason_t reason)
{
    return hf_reason_text((enum hf_reason)reason);
}

struct query {
    hipFileHandle_t handle;
    const void *base;
    size_t size;
    hoff_t file_offset, buffer_offset;
    enum hf_op op;
    hipFileExtRoute_t *route;
    int status;
};

static void name_refusing_layer(struct hf_file *file, char *layer)
{
    if (file->devices_refused)
        snprintf(layer, HIPFILE_EXT_LAYER_SIZE, "%s",
                 hf_descriptor_storage(&file->descriptor)->layer);
    else
        layer[0] = '\0';
}

static void fill_route(const struct hf_request *request, const struct hf_route *found,
                       const struct hf_plan *plan, hipFileExtRoute_t *out)
{
    hipFileExtRoute_t route = {.struct_size = out->struct_size};
    size_t known = out->struct_size < sizeof route ? out->struct_size : sizeof route;

    route.path = found->path ? (hipFileExtPath_t)found->path->id : hipFileExtPathBounce;
    route.reason = (hipFileExtReason_t)found->reason;
    route.block_size = request->file->descriptor.facts.unit;
    route.whole_bytes = plan->blocks.size;
    if (found->reason == HF_REASON_REFUSED)
        name_refusing_layer(request->file, route.layer);
    memcpy(out, &route, known);
}

static void ask(void *argument)
{
    struct query *query = argument;
    struct hf_request request;
    struct hf_transfer transfer;
    struct hf_segment segment;
    struct hf_route route;
    struct hf_plan plan;

    query->status = hf_request_open(&request, query->op, query->handle, query->base,
                                    query->size + (uint64_t)query->buffer_offset);
    if (query->status)
        return;
    query->status =
        hf_request_check(&request, &query->size, query->file_offset, query->buffer_offset);
    if (query->status == 0) {
        hf_request_describe(&request, query->size, query->file_offset, query->buffer_offset,
                            &transfer, &segment);
        hf_plan_split(&segment, transfer.file->facts.unit, &plan);
        hf_route_choose(&transfer, &plan, &route);
        fill_route(&request, &route, &plan, query->route);
        query->status = route.status;
    }
    hf_request_close(&request);
}

HIPFILE_API hipFileError_t hipFileExtQueryRequest(hipFileHandle_t fh, const void *buffer_base,
                                                  size_t size, hoff_t file_offset,
                                                  hoff_t buffer_offset, hipFileOpcode_t opcode,
                                                  hipFileExtRoute_t *route)
{
    HF_KEEP_ERRNO;
    struct query query = {fh, buffer_base, size, file_offset, buffer_offset, HF_READ, route, 0};

    hf_settings_load();
    if (!route || route->struct_size < offsetof(hipFileExtRoute_t, block_size) ||
        (opcode != hipFileBatchRead && opcode != hipFileBatchWrite) || file_offset < 0 ||
        buffer_offset < 0)
        return hf_status_to_error(-hipFileInvalidValue);
    if (!hf_driver_is_open())
        return hf_status_to_error(-hipFileDriverNotInitialized);
    query.op = opcode == hipFileBatchRead ? HF_READ : HF_WRITE;
    query.status = hf_hip_load();
    if (query.status == 0)
        hf_device_isolate(ask, &query);
    return hf_status_to_error(query.status);
}

static void fill_info(struct hf_file *file, hipFileExtHandleInfo_t *out)
{
    hipFileExtHandleInfo_t info = {.struct_size = out->struct_size};
    size_t known = out->struct_size < sizeof info ? out->struct_size : sizeof info;
    struct hf_tally_sum sum;

    hf_tally_add_up(&file->tally, &sum);
    info.last_path = (hipFileExtPath_t)sum.last_path;
    info.last_reason = (hipFileExtReason_t)sum.last_reason;
    name_refusing_layer(file, info.layer);
    for (int path = 0; path < HF_PATH_COUNT; path++) {
        info.bytes_read[path] = sum.bytes[path][HF_READ];
        info.bytes_written[path] = sum.bytes[path][HF_WRITE];
    }
    memcpy(info.requests, sum.reasons, sizeof sum.reasons);
    memcpy(out, &info, known);
}

HIPFILE_API hipFileError_t hipFileExtGetHandleInfo(hipFileHandle_t fh, hipFileExtHandleInfo_t *info)
{
    HF_KEEP_ERRNO;
    struct hf_file *file;

    hf_settings_load();
    if (!info || info->struct_size < offsetof(hipFileExtHandleInfo_t, layer))
        return hf_status_to_error(-hipFileInvalidValue);
    if (!hf_driver_is_open())
        return hf_status_to_error(-hipFileDriverNotInitialized);
    file = hf_file_get(fh);
    if (!file)
        return hf_status_to_error(-hipFileHandleNotRegistered);
    fill_info(file, info);
    hf_file_put(file);
    return hf_status_to_error(0);
}

HIPFILE_API hipError_t hipFileExtGetLastHipError(void)
{
    return hf_status_last_hip_error();
}

static const char *name_of_hip_error(hipError_t error)
{
    return hf_hip_load() == 0 ? hf_hip.hipGetErrorName(error) : "HIP error";
}

static void describe_code(int code, hipError_t hip, char *text, size_t size)
{
    if (code == hipFileHipDriverError)
        snprintf(text, size, "%s (%d): %s (%d)", hf_status_text(code), code, name_of_hip_error(hip),
                 (int)hip);
    else
        snprintf(text, size, "%s (%d)", hf_status_text(code), code);
}

HIPFILE_API const char *hipFileExtDescribeResult(ssize_t result, char *text, size_t size)
{
    int before = errno;
    int error = result == -1 ? before : result < -INT_MAX ? INT_MAX : (int)-result;

    if (size == 0)
        return text;
    if (result >= 0)
        snprintf(text, size, "%zd bytes", result);
    else if (error > 0 && error < HIPFILE_BASE_ERR && strerrordesc_np(error))
        snprintf(text, size, "%s (%d)", strerrordesc_np(error), error);
    else
        describe_code(error, hf_status_last_hip_error(), text, size);
    errno = before;
    return text;
}

HIPFILE_API const char *hipFileExtDescribeError(hipFileError_t error, char *text, size_t size)
{
    int before = errno;

    if (size > 0)
        describe_code((int)error.err, error.hip_drv_err, text, size);
    errno = before;
    return text;
}

/* Functions that came after 0.2, the first release with this interface. */
static const struct {
    const char *name;
    unsigned minor;
} newer[] = {
    {"hipFileGetOpErrorString", 3},
    {"hipFileGetStatsL1", 5},
    {"hipFileGetStatsL2", 5},
    {"hipFileGetStatsL3", 5},
};

static const char *const exported[] = {
#define HF_EXPORT(name) #name,
#include "api/exports.def"
#undef HF_EXPORT
};

static bool is_exported(const char *name)
{
    for (size_t i = 0; i < sizeof exported / sizeof exported[0]; i++)
        if (strcmp(exported[i], name) == 0)
            return true;
    return false;
}

static unsigned first_minor(const char *name)
{
    if (strncmp(name, "hipFileExt", strlen("hipFileExt")) == 0)
        return HIPFILE_VERSION_MINOR;
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        if (strcmp(newer[i].name, name) == 0)
            return newer[i].minor;
    return 2;
}

HIPFILE_API hipFileError_t hipFileExtGetSymbolVersion(const char *name, unsigned *major,
                                                      unsigned *minor)
{
    if (!name || !is_exported(name))
        return hf_status_to_error(-hipFileInvalidValue);
    if (major)
        *major = HIPFILE_VERSION_MAJOR;
    if (minor)
        *minor = first_minor(name);
    return hf_status_to_error(0);
}
