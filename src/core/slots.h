// SPDX-License-Identifier: MIT
/*
 * Completion slots: a word in signal memory for which a stream waits, and which a worker raises.
 *
 * The value of a word only grows, and the word is never freed: a slot can be used again as soon as
 * it was raised, even while a stream has yet to notice, since what the stream waits for stays true.
 */
#ifndef HF_CORE_SLOTS_H
#define HF_CORE_SLOTS_H

#include <stdint.h>

struct hf_slot {
    uint64_t *word;
    uint64_t value; /* what this use's stream waits for */
    int device;
    struct hf_slot *next;
};

/* A slot for a stream of the device, which is current. 0 or a status. */
int hf_slot_get(int device, struct hf_slot **slot);

/* Everything that was done before is seen by what the stream runs next. */
void hf_slot_raise(struct hf_slot *slot);

/* For the next use. The slot was raised, or no stream waits for it. */
void hf_slot_put(struct hf_slot *slot);

/* In a forked child. */
void hf_slots_forget(void);

#endif
