// SPDX-License-Identifier: MIT
#include "hip/lane.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/refs.h"
#include "base/status.h"
#include "hip/device.h"

/* Kept lanes, by device and shard; a thread looks into its own place first. */
static _Atomic(struct hf_lane *) kept[HF_MAX_DEVICES][HF_SHARDS];

static int create(int device, struct hf_lane **out)
{
    struct hf_lane *lane = calloc(1, sizeof *lane);
    hipError_t error;
    int i = 0;

    if (!lane)
        return -ENOMEM;
    lane->device = device;
    error = hf_hip.hipStreamCreateWithFlags(&lane->stream, hipStreamNonBlocking);
    if (error != hipSuccess)
        goto fail_lane;
    for (i = 0; i < HF_LANE_DEPTH; i++) {
        error = hf_hip.hipEventCreateWithFlags(&lane->done[i], hipEventDisableTiming);
        if (error != hipSuccess)
            goto fail_events;
    }
    *out = lane;
    return 0;

fail_events:
    while (i-- > 0)
        hf_hip.hipEventDestroy(lane->done[i]);
    hf_hip.hipStreamDestroy(lane->stream);
fail_lane:
    free(lane);
    return hf_status_from_hip(error);
}

static void destroy(struct hf_lane *lane)
{
    for (int i = 0; i < HF_LANE_DEPTH; i++)
        hf_hip.hipEventDestroy(lane->done[i]);
    hf_hip.hipStreamDestroy(lane->stream);
    free(lane);
}

int hf_lane_get(int device, struct hf_lane **out)
{
    unsigned own = hf_shard();

    if (device < 0 || device >= HF_MAX_DEVICES)
        return -hipFileDeviceNotSupported;
    for (unsigned i = 0; i < HF_SHARDS; i++) {
        struct hf_lane *lane = atomic_exchange(&kept[device][(own + i) % HF_SHARDS], NULL);

        if (lane) {
            *out = lane;
            return 0;
        }
    }
    return create(device, out);
}

void hf_lane_put(struct hf_lane *lane)
{
    unsigned own = hf_shard();

    for (unsigned i = 0; i < HF_SHARDS; i++) {
        struct hf_lane *empty = NULL;

        if (atomic_compare_exchange_strong(&kept[lane->device][(own + i) % HF_SHARDS], &empty,
                                           lane))
            return;
    }
    destroy(lane);
}

static int copy(struct hf_lane *lane, int slot, void *to, const void *from, size_t size,
                hipMemcpyKind kind)
{
    hipError_t error = hf_hip.hipMemcpyAsync(to, from, size, kind, lane->stream);

    if (error == hipSuccess)
        error = hf_hip.hipEventRecord(lane->done[slot], lane->stream);
    return hf_status_from_hip(error);
}

int hf_lane_copy_in(struct hf_lane *lane, int slot, uintptr_t device_address, const void *host,
                    size_t size)
{
    return copy(lane, slot, (void *)device_address, host, size, hipMemcpyHostToDevice);
}

int hf_lane_copy_out(struct hf_lane *lane, int slot, void *host, uintptr_t device_address,
                     size_t size)
{
    return copy(lane, slot, host, (const void *)device_address, size, hipMemcpyDeviceToHost);
}

int hf_lane_wait(struct hf_lane *lane, int slot)
{
    return hf_status_from_hip(hf_hip.hipEventSynchronize(lane->done[slot]));
}

int hf_lane_drain(struct hf_lane *lane)
{
    return hf_status_from_hip(hf_hip.hipStreamSynchronize(lane->stream));
}

void hf_lane_forget(void)
{
    for (unsigned d = 0; d < HF_MAX_DEVICES; d++)
        for (unsigned i = 0; i < HF_SHARDS; i++)
            atomic_store(&kept[d][i], NULL);
}
