// SPDX-License-Identifier: MIT
/* The driver's use count: what opening and closing mean for everything that is registered. */
#ifndef HF_CORE_DRIVER_H
#define HF_CORE_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic int64_t hf_driver_use_count;

static inline bool hf_driver_is_open(void)
{
    return atomic_load_explicit(&hf_driver_use_count, memory_order_acquire) > 0;
}

/* One more user. The first opening applies the staged settings. */
void hf_driver_open(void);

/* Lets a forked child start anew: for what can exist before the driver is opened. */
void hf_driver_watch_forks(void);

/* Opens it if nobody has: what registering does. */
void hf_driver_open_implicitly(void);

/* One user less; the last one takes all registrations along. -hipFileDriverNotInitialized. */
int hf_driver_close(void);

#endif
