// SPDX-License-Identifier: MIT
//
// Waits for values. A plain store of the CPU releases one, and nothing tells us of a store: one
// thread looks at all the values that streams wait for, at first all the time, then with pauses
// that grow with the time in which nothing happened. It sleeps when there is none.
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "cpu.h"

#define SPIN_NS      20000
#define PAUSE_SHARE  16 // a pause makes a wait longer by at most this part
#define PAUSE_MIN_NS 4000
#define PAUSE_MAX_NS 200000

static struct hl_op *waits;
static bool running;
static bool news; // a wait was added
static pthread_cond_t wake;

static uint64_t value_mask(const struct hl_value_op *op)
{
    return op->width == 4 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t value_load(const struct hl_op *op)
{
    if (op->value.op.width == 4)
        return __atomic_load_n((const uint32_t *)op->value.address, __ATOMIC_ACQUIRE);
    return __atomic_load_n((const uint64_t *)op->value.address, __ATOMIC_ACQUIRE);
}

// Greater or equal on a circle, so that counters may wrap.
static bool reached(uint64_t seen, uint64_t wanted, unsigned width)
{
    return width == 4 ? (int32_t)(uint32_t)(seen - wanted) >= 0 : (int64_t)(seen - wanted) >= 0;
}

bool hl_value_satisfied(const struct hl_op *op)
{
    const struct hl_value_op *want = &op->value.op;
    uint64_t seen = value_load(op) & want->mask;

    switch (want->flags) {
    case hipStreamWaitValueGte:
        return reached(seen, want->value, want->width);
    case hipStreamWaitValueEq:
        return seen == want->value;
    case hipStreamWaitValueAnd:
        return (seen & want->value) != 0;
    default:
        return (~(seen | want->value) & want->mask & value_mask(want)) != 0;
    }
}

void hl_value_write(const struct hl_op *op)
{
    if (op->value.op.width == 4)
        __atomic_store_n((uint32_t *)op->value.address, (uint32_t)op->value.op.value,
                         __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)op->value.address, op->value.op.value, __ATOMIC_RELEASE);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void pause_until(int64_t ns)
{
    const struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    pthread_cond_timedwait(&wake, &hl_queue_mutex, &until);
}

static int64_t pause_after(int64_t quiet_ns)
{
    int64_t pause = quiet_ns / PAUSE_SHARE;

    if (pause < PAUSE_MIN_NS)
        return PAUSE_MIN_NS;
    return pause < PAUSE_MAX_NS ? pause : PAUSE_MAX_NS;
}

static void yield(void)
{
    hl_queue_unlock();
    sched_yield();
    hl_queue_lock();
}

// Releases what can be; true if something was.
static bool waits_check(void)
{
    struct hl_op **link = &waits;
    struct hl_op *done = NULL;
    bool any;

    while (*link != NULL) {
        struct hl_op *op = *link;
        if (hl_value_satisfied(op)) {
            *link = op->next_in_list;
            op->next_in_list = done;
            done = op;
        } else {
            link = &op->next_in_list;
        }
    }
    any = done != NULL;
    while (done != NULL) {
        struct hl_op *next = done->next_in_list;
        hl_queue_finish(done); // may add waits
        done = next;
    }
    return any;
}

static void *watcher(void *arg)
{
    int64_t quiet_since = 0;

    (void)arg;
    prctl(PR_SET_TIMERSLACK, 1000UL);
    hl_queue_lock();
    for (;;) {
        int64_t now;

        while (waits == NULL)
            pthread_cond_wait(&wake, &hl_queue_mutex);
        now = now_ns();
        if (waits_check() || news) {
            news = false;
            quiet_since = now;
        } else if (now - quiet_since < SPIN_NS) {
            yield();
        } else {
            pause_until(now + pause_after(now - quiet_since));
        }
    }
    return NULL;
}

static void wake_init(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

hipError_t hl_watcher_start(void)
{
    if (!running) {
        wake_init();
        running = hl_thread_start(watcher, NULL);
    }
    return running ? hipSuccess : hipErrorOutOfMemory;
}

void hl_watcher_push(struct hl_op *op)
{
    op->next_in_list = waits;
    waits = op;
    news = true;
    pthread_cond_signal(&wake);
}

void hl_watcher_reset(void)
{
    waits = NULL;
    running = news = false;
}
