// SPDX-License-Identifier: MIT
#include "hip/hold.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "hip/device.h"
#include "hip/hip.h"

/* How long a submission waits for copies in flight. They end by themselves, except where the
   program holds streams up by means of its own. */
#define PATIENCE_STEPS 10000
#define STEP_NS        100000

struct device {
    atomic_uint levels; /* 0: not asked yet */
    int highest;        /* HIP's number for level 0; priorities count downwards */
    pthread_mutex_t lock;
    atomic_uint lane_level;                  /* where lanes are taken now */
    atomic_uint pending[HF_PRIORITY_LEVELS]; /* operations of ours, by their stream's level */
    atomic_uint lanes[HF_PRIORITY_LEVELS];   /* in use */
};

static struct device devices[HF_MAX_DEVICES] = {
    [0 ... HF_MAX_DEVICES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER},
};
static atomic_uint holds;

static void ask_for_levels(struct device *device)
{
    int least = 0, greatest = 0;
    int levels;

    if (hf_hip.hipDeviceGetStreamPriorityRange(&least, &greatest) != hipSuccess)
        least = greatest = 0;
    levels = least - greatest + 1;
    device->highest = greatest;
    if (levels > HF_PRIORITY_LEVELS)
        levels = HF_PRIORITY_LEVELS;
    atomic_store(&device->levels, levels > 0 ? (unsigned)levels : 1);
}

static struct device *find(int number)
{
    struct device *device = &devices[number];

    if (atomic_load_explicit(&device->levels, memory_order_acquire) == 0) {
        pthread_mutex_lock(&device->lock);
        if (atomic_load(&device->levels) == 0)
            ask_for_levels(device);
        pthread_mutex_unlock(&device->lock);
    }
    return device;
}

static unsigned level_of(const struct device *device, int priority)
{
    int level = priority - device->highest;
    int lowest = (int)device->levels - 1;

    if (level < 0)
        return 0;
    return (unsigned)(level > lowest ? lowest : level);
}

/* A level without operations, the default priority's only as the last; false if there is none. */
static bool find_free(struct device *device, unsigned *level)
{
    unsigned usual = level_of(device, 0);

    for (unsigned l = 0; l < device->levels; l++) {
        if (l != usual && atomic_load(&device->pending[l]) == 0) {
            *level = l;
            return true;
        }
    }
    *level = usual;
    return atomic_load(&device->pending[usual]) == 0;
}

/*
 * Lanes go to another level, and those in use at this one come back before anything can hold them
 * up: a thread that is stuck on its lane would keep its pinned buffers, and its place in the pool,
 * from the very operation that it waits for.
 */
static bool move_lanes(struct device *device, unsigned from)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    unsigned to;

    if (!find_free(device, &to))
        return false;
    atomic_store(&device->lane_level, to);
    for (int steps = PATIENCE_STEPS; atomic_load(&device->lanes[from]) > 0 && steps > 0; steps--)
        nanosleep(&step, NULL);
    return true;
}

enum hf_hold hf_hold_begin(int number, int priority)
{
    struct device *device = find(number);
    unsigned level = level_of(device, priority);
    enum hf_hold hold = HF_HOLD_APART;

    pthread_mutex_lock(&device->lock);
    atomic_fetch_add(&holds, 1);
    atomic_fetch_add(&device->pending[level], 1);
    if (device->levels == 1)
        hold = HF_HOLD_SHARED;
    else if (atomic_load(&device->lane_level) == level && !move_lanes(device, level))
        hold = HF_HOLD_NONE;
    if (hold == HF_HOLD_NONE)
        hf_hold_end(number, priority);
    pthread_mutex_unlock(&device->lock);
    return hold;
}

void hf_hold_end(int number, int priority)
{
    struct device *device = &devices[number];

    atomic_fetch_sub(&device->pending[level_of(device, priority)], 1);
    atomic_fetch_sub(&holds, 1);
}

unsigned hf_holds(void)
{
    return atomic_load(&holds);
}

/* The count comes before the second look at the level, as move_lanes changes the level before it
   looks at the count. */
unsigned hf_hold_enter_level(int number)
{
    struct device *device = find(number);

    for (;;) {
        unsigned level = atomic_load(&device->lane_level);

        atomic_fetch_add(&device->lanes[level], 1);
        if (atomic_load(&device->lane_level) == level)
            return level;
        atomic_fetch_sub(&device->lanes[level], 1);
    }
}

void hf_hold_leave_level(int number, unsigned level)
{
    atomic_fetch_sub(&devices[number].lanes[level], 1);
}

int hf_hold_priority(int number, unsigned level)
{
    return devices[number].highest + (int)level;
}

void hf_hold_forget(void)
{
    for (int d = 0; d < HF_MAX_DEVICES; d++) {
        struct device *device = &devices[d];

        pthread_mutex_init(&device->lock, NULL);
        device->levels = 0;
        device->lane_level = 0;
        for (unsigned l = 0; l < HF_PRIORITY_LEVELS; l++)
            device->pending[l] = device->lanes[l] = 0;
    }
    holds = 0;
}
