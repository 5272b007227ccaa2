// SPDX-License-Identifier: MIT
#include "core/staging.h"

#include <string.h>

#include "base/settings.h"
#include "hip/device.h"
#include "hip/pinned.h"

#define MOST_BUFFERS 16u

static struct hf_pinned *buffers[MOST_BUFFERS];
static unsigned held, taken;
static char *spare; /* the first free place; each one begins with the address of the next */

static void add_places(const struct hf_pinned *buffer)
{
    size_t places = buffer->size / HF_STAGING_ROOM;

    for (size_t i = places; i-- > 0;) {
        char *place = (char *)buffer->host + i * HF_STAGING_ROOM;

        memcpy(place, &spare, sizeof spare);
        spare = place;
    }
}

/* One buffer at least is left to the pool's workers. */
static void get_buffer(int device)
{
    size_t limit = hf_setting_size(HF_SET_MAX_DEVICE_CACHE_SIZE_KB) * 1024;
    struct hf_device_scope scope;

    if (held == MOST_BUFFERS || (held + 2) * hf_pinned_size() > limit)
        return;
    if (hf_device_enter(device, &scope) == 0 &&
        hf_pinned_get(HF_STAGING_ROOM, false, &buffers[held]) == 0)
        add_places(buffers[held++]);
    hf_device_leave(&scope);
}

/* Whoever waits for a buffer comes first. */
static bool must_yield(void)
{
    if (!hf_pinned_wanted())
        return false;
    if (taken == 0)
        hf_staging_release();
    return true;
}

char *hf_staging_take(int device)
{
    char *place;

    if (must_yield())
        return NULL;
    if (!spare)
        get_buffer(device);
    if (!spare)
        return NULL;
    place = spare;
    memcpy(&spare, place, sizeof spare);
    taken++;
    return place;
}

void hf_staging_give(char *place)
{
    memcpy(place, &spare, sizeof spare);
    spare = place;
    taken--;
}

unsigned hf_staging_taken(void)
{
    return taken;
}

void hf_staging_release(void)
{
    while (held > 0)
        hf_pinned_put(buffers[--held]);
    spare = NULL;
}

void hf_staging_forget(void)
{
    held = taken = 0;
    spare = NULL;
}
