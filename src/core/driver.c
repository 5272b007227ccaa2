// SPDX-License-Identifier: MIT
#include "core/driver.h"

#include <pthread.h>

#include "base/settings.h"
#include "base/status.h"
#include "core/batches.h"
#include "core/buffers.h"
#include "core/files.h"
#include "core/operation.h"
#include "core/pool.h"
#include "core/slots.h"
#include "core/stream.h"
#include "hip/hip.h"
#include "hip/hold.h"
#include "hip/lane.h"
#include "hip/pinned.h"
#include "hip/place.h"
#include "observe/log.h"
#include "os/io.h"

_Atomic int64_t hf_driver_use_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    hf_batches_before_fork();
    hf_files_before_fork();
    hf_buffers_before_fork();
}

static void after_fork_parent(void)
{
    hf_buffers_after_fork_parent();
    hf_files_after_fork_parent();
    hf_batches_after_fork_parent();
    pthread_mutex_unlock(&lock);
}

/* The child starts with a closed driver and nothing registered. What belongs to the parent's HIP
   runtime is forgotten, not freed: the child may not touch it. */
static void after_fork_child(void)
{
    hf_driver_use_count = 0;
    hf_batches_after_fork_child();
    hf_buffers_after_fork_child();
    hf_files_after_fork_child();
    hf_io_forget();
    hf_pool_forget();
    hf_stream_forget();
    hf_operations_forget();
    hf_slots_forget();
    hf_hold_forget();
    hf_lane_forget();
    hf_pinned_forget();
    hf_place_forget();
    hf_hip_forget();
    hf_settings_clear();
    pthread_mutex_init(&lock, NULL);
}

static void watch_forks(void)
{
    hf_log_watch_forks();
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void hf_driver_watch_forks(void)
{
    pthread_once(&watch_once, watch_forks);
}

static void add_user(void)
{
    if (hf_driver_use_count == 0) {
        hf_driver_watch_forks();
        hf_settings_load();
        hf_settings_apply();
        hf_pinned_resize();
        hf_debug("driver opened");
    }
    hf_driver_use_count++;
}

void hf_driver_open(void)
{
    pthread_mutex_lock(&lock);
    add_user();
    pthread_mutex_unlock(&lock);
}

void hf_driver_open_implicitly(void)
{
    if (hf_driver_is_open())
        return;
    pthread_mutex_lock(&lock);
    if (hf_driver_use_count == 0)
        add_user();
    pthread_mutex_unlock(&lock);
}

int hf_driver_close(void)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    if (hf_driver_use_count == 0) {
        err = -hipFileDriverNotInitialized;
    } else if (--hf_driver_use_count == 0) {
        hf_batches_destroy_all();
        hf_files_deregister_all();
        hf_buffers_deregister_all();
        hf_stream_deregister_all();
        hf_settings_clear();
        hf_debug("driver closed");
    }
    pthread_mutex_unlock(&lock);
    return err;
}
