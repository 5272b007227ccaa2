// SPDX-License-Identifier: MIT
#include "core/slots.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hip/device.h"
#include "hip/stream.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hf_slot *idle[HF_MAX_DEVICES];

static struct hf_slot *take_idle(int device)
{
    struct hf_slot *slot;

    pthread_mutex_lock(&lock);
    slot = idle[device];
    if (slot)
        idle[device] = slot->next;
    pthread_mutex_unlock(&lock);
    return slot;
}

static int make(int device, struct hf_slot **out)
{
    struct hf_slot *slot = malloc(sizeof *slot);
    int err;

    if (!slot)
        return -ENOMEM;
    err = hf_hip_word_make(&slot->word);
    if (err) {
        free(slot);
        return err;
    }
    slot->value = 0;
    slot->device = device;
    *out = slot;
    return 0;
}

int hf_slot_get(int device, struct hf_slot **out)
{
    struct hf_slot *slot = take_idle(device);
    int err = slot ? 0 : make(device, &slot);

    if (err)
        return err;
    slot->value++;
    *out = slot;
    return 0;
}

void hf_slot_raise(struct hf_slot *slot)
{
    atomic_store_explicit((_Atomic uint64_t *)slot->word, slot->value, memory_order_release);
}

void hf_slot_put(struct hf_slot *slot)
{
    pthread_mutex_lock(&lock);
    slot->next = idle[slot->device];
    idle[slot->device] = slot;
    pthread_mutex_unlock(&lock);
}

void hf_slots_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    for (int d = 0; d < HF_MAX_DEVICES; d++)
        idle[d] = NULL;
}
