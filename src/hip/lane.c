// SPDX-License-Identifier: MIT
#include "hip/lane.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/settings.h"
#include "base/status.h"
#include "hip/device.h"
#include "hip/hold.h"
#include "hip/stream.h"
#include "observe/log.h"

#define STALL_SECONDS     10
#define EAGER_NS          200000
#define QUERY_INTERVAL_NS 20000

/* Lanes by device, level and user. The pool's threads have theirs apart, so that those which were
   made for them are there when they need them. Made when first needed. */
struct rack {
    struct hf_shelf shelf;
    atomic_uint made;
};

static _Atomic(struct rack *) racks[HF_MAX_DEVICES][HF_PRIORITY_LEVELS][2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct rack *make_rack(_Atomic(struct rack *) *place)
{
    struct rack *rack;

    pthread_mutex_lock(&lock);
    rack = atomic_load(place);
    if (!rack && (rack = aligned_alloc(HF_CACHE_LINE, sizeof *rack))) {
        hf_shelf_init(&rack->shelf);
        atomic_init(&rack->made, 0);
        atomic_store(place, rack);
    }
    pthread_mutex_unlock(&lock);
    return rack;
}

static struct rack *find_rack(int device, unsigned level, bool of_worker)
{
    _Atomic(struct rack *) *place = &racks[device][level][of_worker];
    struct rack *rack = atomic_load_explicit(place, memory_order_acquire);

    return rack ? rack : make_rack(place);
}

/* Where there are no priorities, all streams have the same. */
static hipError_t create_stream(struct hf_lane *lane)
{
    hipError_t error = hf_hip.hipStreamCreateWithPriority(
        &lane->stream, hipStreamNonBlocking, hf_hold_priority(lane->device, lane->level));

    return error == hipErrorNotSupported
               ? hf_hip.hipStreamCreateWithFlags(&lane->stream, hipStreamNonBlocking)
               : error;
}

static int create(int device, unsigned level, bool of_worker, struct hf_lane **out)
{
    struct hf_lane *lane = calloc(1, sizeof *lane);
    hipError_t error;
    int i = 0;

    if (!lane)
        return -ENOMEM;
    lane->device = device;
    lane->level = level;
    lane->of_worker = of_worker;
    error = create_stream(lane);
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

static int make(struct rack *rack, int device, unsigned level, bool of_worker,
                struct hf_lane **lane)
{
    int err = create(device, level, of_worker, lane);

    if (err == 0)
        atomic_fetch_add(&rack->made, 1);
    return err;
}

/* The caller has entered the level. */
static int take(int device, unsigned level, struct hf_lane **lane)
{
    bool of_worker = hf_hip_in_worker();
    struct rack *rack = find_rack(device, level, of_worker);

    if (!rack)
        return -ENOMEM;
    *lane = (struct hf_lane *)hf_shelf_take(&rack->shelf);
    return *lane ? 0 : make(rack, device, level, of_worker, lane);
}

int hf_lane_get(int device, struct hf_lane **lane)
{
    hipStreamCaptureMode capture;
    unsigned level;
    int err;

    if (device < 0 || device >= HF_MAX_DEVICES)
        return -hipFileDeviceNotSupported;
    capture = hf_hip_capture_leave();
    level = hf_hold_enter_level(device);
    err = take(device, level, lane);
    if (err) {
        hf_hold_leave_level(device, level);
        hf_hip_capture_return(capture);
        return err;
    }
    (*lane)->capture = capture;
    (*lane)->single = false;
    return 0;
}

void hf_lane_put(struct hf_lane *lane)
{
    hipStreamCaptureMode capture = lane->capture;
    int device = lane->device;
    unsigned level = lane->level;

    hf_shelf_put(&find_rack(device, level, lane->of_worker)->shelf, &lane->kept);
    hf_hold_leave_level(device, level);
    hf_hip_capture_return(capture);
}

static int fill_rack(int device, unsigned level, unsigned count)
{
    struct rack *rack = find_rack(device, level, true);
    struct hf_lane *lane;
    int err = rack ? 0 : -ENOMEM;

    while (err == 0 && atomic_load(&rack->made) < count) {
        err = make(rack, device, level, true, &lane);
        if (err == 0)
            hf_shelf_put(&rack->shelf, &lane->kept);
    }
    return err;
}

int hf_lane_prepare(int device, unsigned count)
{
    unsigned level = hf_hold_enter_level(device);
    int err = fill_rack(device, level, count);

    hf_hold_leave_level(device, level);
    return err;
}

static bool is_watched(void)
{
    return hf_hip_in_worker() && hf_holds() > 0;
}

static int copy(struct hf_lane *lane, int slot, void *to, const void *from, size_t size,
                hipMemcpyKind kind)
{
    hipError_t error = hf_hip.hipMemcpyAsync(to, from, size, kind, lane->stream);

    if (slot == HF_LANE_UNMARKED)
        return hf_status_from_hip(error);
    lane->polled[slot] = hf_setting_bool(HF_SET_USE_POLL_MODE) &&
                         size <= hf_setting_size(HF_SET_POLLTHRESHOLD_SIZE_KB) * 1024;
    lane->marked[slot] = !lane->single || lane->polled[slot] || is_watched();
    if (error == hipSuccess && lane->marked[slot])
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

static void tell_of_stall(const struct hf_lane *lane)
{
    hf_error("device %d: a copy at stream priority %d has not moved for %d s, with %u operations "
             "pending in streams",
             lane->device, hf_hold_priority(lane->device, lane->level), STALL_SECONDS, hf_holds());
}

/* While streams are held, a copy that stands still may be stuck behind one of them, which only the
   log can tell. */
static hipError_t wait_watching(struct hf_lane *lane, int slot)
{
    int64_t begun = hf_clock_ns(), waited;
    bool told = false;
    hipError_t error;

    while ((error = hf_hip.hipEventQuery(lane->done[slot])) == hipErrorNotReady) {
        waited = hf_clock_ns() - begun;
        if (waited < EAGER_NS) {
            sched_yield();
            continue;
        }
        nanosleep(&(struct timespec){.tv_nsec = QUERY_INTERVAL_NS}, NULL);
        if (!told && waited / HF_NS_PER_SECOND >= STALL_SECONDS) {
            tell_of_stall(lane);
            told = true;
        }
    }
    return error == hipErrorNotSupported ? hf_hip.hipEventSynchronize(lane->done[slot]) : error;
}

static hipError_t wait_spinning(struct hf_lane *lane, int slot)
{
    hipError_t error;

    do
        error = hf_hip.hipEventQuery(lane->done[slot]);
    while (error == hipErrorNotReady);
    return error == hipErrorNotSupported ? hf_hip.hipEventSynchronize(lane->done[slot]) : error;
}

int hf_lane_wait(struct hf_lane *lane, int slot)
{
    if (!lane->marked[slot])
        return hf_lane_drain(lane);
    if (lane->polled[slot])
        return hf_status_from_hip(wait_spinning(lane, slot));
    return hf_status_from_hip(is_watched() ? wait_watching(lane, slot)
                                           : hf_hip.hipEventSynchronize(lane->done[slot]));
}

int hf_lane_drain(struct hf_lane *lane)
{
    return hf_status_from_hip(hf_hip.hipStreamSynchronize(lane->stream));
}

void hf_lane_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    for (unsigned d = 0; d < HF_MAX_DEVICES; d++)
        for (unsigned l = 0; l < HF_PRIORITY_LEVELS; l++)
            for (unsigned user = 0; user < 2; user++)
                atomic_store(&racks[d][l][user], NULL);
}
