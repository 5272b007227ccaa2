// SPDX-License-Identifier: MIT
#include "hip/place.h"

#include <stdatomic.h>

#include "base/settings.h"
#include "hip/device.h"
#include "hip/hip.h"

static atomic_uint places[HF_MAX_DEVICES]; /* plus one; 0: not asked yet */
static _Thread_local unsigned moved_to;

/* What copies by the CPU has no place of its own, whatever bus address it shows. */
static unsigned ask(int device)
{
    char bus_id[32];

    if (!hf_device_has_copy_engine(device) ||
        hf_hip.hipDeviceGetPCIBusId(bus_id, sizeof bus_id, device) != hipSuccess)
        return 0;
    return hf_numa_place_of(bus_id);
}

unsigned hf_place_of_device(int device)
{
    unsigned known;

    if (device < 0 || device >= HF_MAX_DEVICES || hf_setting_bool(HF_SET_SKIP_TOPOLOGY_DETECTION))
        return 0;
    known = atomic_load_explicit(&places[device], memory_order_relaxed);
    if (known == 0) {
        known = ask(device) + 1;
        atomic_store_explicit(&places[device], known, memory_order_relaxed);
    }
    return known - 1;
}

unsigned hf_place_here(void)
{
    int device = 0;

    if (hf_hip.devices > 1 && hf_hip.hipGetDevice(&device) != hipSuccess)
        return 0;
    return hf_place_of_device(device);
}

void hf_place_worker(int device)
{
    unsigned place;

    if (!hf_hip_in_worker())
        return;
    place = hf_place_of_device(device);
    if (place == 0 || place == moved_to)
        return;
    hf_numa_move_thread(place);
    moved_to = place;
}

void hf_place_forget(void)
{
    for (int d = 0; d < HF_MAX_DEVICES; d++)
        atomic_store(&places[d], 0);
    moved_to = 0;
}
