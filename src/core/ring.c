// SPDX-License-Identifier: MIT
#include "core/ring.h"

#include "base/settings.h"
#include "base/status.h"
#include "base/thread.h"
#include "core/feed.h"
#include "core/staging.h"
#include "hip/device.h"
#include "hip/hip.h"
#include "hip/lane.h"
#include "observe/log.h"
#include "os/uring.h"

/* No setting allows more in flight. */
#define MOST_IN_FLIGHT 4096u

/* Reads through the page cache up to this size: the ring's one thread copies what is cached, and
   more of it is better shared by the pool's. */
#define LARGEST_BUFFERED_READ ((size_t)64 << 10)

#define REAP_ROOM 128

enum state { UNTRIED, OPEN, UNUSABLE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static _Atomic enum state state;
static struct hf_uring *uring;
static atomic_bool asleep;

/* The rest is the ring's own thread's. */
static unsigned in_flight;    /* begun, and neither settled nor passed on */
static struct hf_entry *held; /* no staging place for it yet */
static struct hf_entries outgoing =
    STAILQ_HEAD_INITIALIZER(outgoing); /* to be copied and written */
static struct hf_entries incoming = STAILQ_HEAD_INITIALIZER(incoming); /* read, to be copied */
static struct hf_entries settled = STAILQ_HEAD_INITIALIZER(settled);

/* ---- to the pool ----------------------------------------------------------------------------- */

static void run_in_pool(struct hf_task *task)
{
    hf_entry_run((struct hf_entry *)task);
}

/* The entry is no longer the ring's. */
static void leave(struct hf_entry *entry)
{
    if (entry->staging)
        hf_staging_give(entry->staging);
    entry->staging = NULL;
    in_flight--;
}

/* Everything is done anew, also what the ring has moved: the bytes are the same. */
static void pass_on(struct hf_entry *entry)
{
    leave(entry);
    entry->task.run = run_in_pool;
    if (hf_pool_submit(&entry->task) != 0)
        hf_entry_run(entry);
}

/* ---- copies between staging and device memory ------------------------------------------------ */

static int copy(struct hf_lane *lane, const struct hf_entry *entry, int slot)
{
    const struct hf_segment *segment = &entry->single.segment;
    char *host = entry->staging + entry->single.io.lead;

    return entry->single.transfer.op == HF_READ
               ? hf_lane_copy_in(lane, slot, segment->address, host, segment->size)
               : hf_lane_copy_out(lane, slot, host, segment->address, segment->size);
}

static int copy_all(struct hf_entries *entries, int device)
{
    struct hf_device_scope scope;
    struct hf_lane *lane = NULL;
    struct hf_entry *entry;
    int err = hf_device_enter(device, &scope);

    if (err == 0)
        err = hf_lane_get(device, &lane);
    if (err)
        goto out;
    STAILQ_FOREACH (entry, entries, link)
        if (err == 0)
            err = copy(lane, entry, STAILQ_NEXT(entry, link) ? HF_LANE_UNMARKED : 0);
    if (err)
        hf_lane_drain(lane);
    else
        err = hf_lane_wait(lane, 0);
    hf_lane_put(lane);
out:
    hf_device_leave(&scope);
    return err;
}

/* Moves those at the head of the list that are for one device to the other list. */
static int split_off_device(struct hf_entries *from, struct hf_entries *to)
{
    int device = STAILQ_FIRST(from)->single.transfer.device;
    struct hf_entry *entry;

    while ((entry = STAILQ_FIRST(from)) && entry->single.transfer.device == device) {
        STAILQ_REMOVE_HEAD(from, link);
        STAILQ_INSERT_TAIL(to, entry, link);
    }
    return device;
}

/* Copies all of the list and then calls `then` for each, or passes them on. */
static void copy_then(struct hf_entries *entries, void (*then)(struct hf_entry *entry))
{
    while (!STAILQ_EMPTY(entries)) {
        struct hf_entries group = STAILQ_HEAD_INITIALIZER(group);
        int device = split_off_device(entries, &group);
        int err = copy_all(&group, device);
        struct hf_entry *entry;

        while ((entry = STAILQ_FIRST(&group))) {
            STAILQ_REMOVE_HEAD(&group, link);
            (err ? pass_on : then)(entry);
        }
    }
}

/* ---- the way of an entry --------------------------------------------------------------------- */

static void succeed(struct hf_entry *entry)
{
    leave(entry);
    hf_single_count(entry->request.file, &entry->single);
    hf_entry_settle(entry, hipFileComplete, (ssize_t)entry->size);
    STAILQ_INSERT_TAIL(&settled, entry, link);
}

static void queue(struct hf_entry *entry)
{
    const struct hf_single *single = &entry->single;
    enum hf_op op = single->transfer.op;
    int fd = hf_descriptor_fd(single->transfer.file, single->io.side, op);

    if (fd < 0)
        pass_on(entry);
    else
        hf_uring_queue(uring, op, fd, entry->staging ? entry->staging : single->io.memory,
                       single->io.size, single->io.offset, entry);
}

static bool is_staged(const struct hf_entry *entry)
{
    return !entry->single.io.memory;
}

/* False: every place is taken, and one will become free. */
static bool find_staging(struct hf_entry *entry)
{
    entry->staging = hf_staging_take(entry->single.transfer.device);
    return entry->staging || hf_staging_taken() == 0;
}

static void begin(struct hf_entry *entry)
{
    in_flight++;
    if (is_staged(entry) && !entry->staging)
        pass_on(entry);
    else if (is_staged(entry) && entry->single.transfer.op == HF_WRITE)
        STAILQ_INSERT_TAIL(&outgoing, entry, link);
    else
        queue(entry);
}

/* False: there is nothing to begin, or no place for it. */
static bool begin_next(void)
{
    struct hf_entry *entry = held ? held : hf_feed_take_for_ring();

    if (!entry)
        return false;
    if (!held && !hf_entry_start(entry))
        return true;
    held = entry;
    if (is_staged(entry) && !find_staging(entry))
        return false;
    held = NULL;
    begin(entry);
    return true;
}

static bool has_room(void)
{
    return in_flight < hf_setting_size(HF_SET_MAX_IO_QUEUE_DEPTH);
}

static void begin_all(void)
{
    while (has_room() && begin_next())
        ;
    copy_then(&outgoing, queue);
}

static void finish(const struct hf_uring_done *done)
{
    struct hf_entry *entry = done->tag;
    const struct hf_single *single = &entry->single;

    if (done->result < (ssize_t)(single->io.lead + single->segment.size))
        pass_on(entry);
    else if (is_staged(entry) && single->transfer.op == HF_READ)
        STAILQ_INSERT_TAIL(&incoming, entry, link);
    else
        succeed(entry);
}

static void finish_all(void)
{
    struct hf_uring_done done[REAP_ROOM];
    unsigned count;

    do {
        count = hf_uring_reap(uring, done, REAP_ROOM);
        for (unsigned i = 0; i < count; i++)
            finish(&done[i]);
    } while (count == REAP_ROOM);
    copy_then(&incoming, succeed);
    hf_entries_publish(&settled);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Whoever adds work looks at the flag afterwards, and this thread looks for work after setting it:
   one of the two sees the other. */
static void sleep_until_something_happens(void)
{
    if (in_flight == 0)
        hf_staging_release();
    atomic_store(&asleep, true);
    if (held || !has_room() || !hf_feed_has_for_ring())
        hf_uring_wait(uring);
    atomic_store(&asleep, false);
}

static void *serve(void *argument)
{
    int err = hf_uring_open(MOST_IN_FLIGHT, &uring);

    (void)argument;
    if (err)
        hf_notice("batches use worker threads only, as there is no io_uring: %s",
                  hf_status_describe(err));
    pthread_mutex_lock(&lock);
    state = err ? UNUSABLE : OPEN;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    while (err == 0) {
        hf_hip_enter_worker();
        begin_all();
        sleep_until_something_happens();
        finish_all();
    }
    return NULL;
}

static int start_thread(void)
{
    pthread_t thread;
    int err = hf_thread_start(&thread, serve, NULL);

    if (err == 0)
        pthread_detach(thread);
    return err;
}

static bool is_open(void)
{
    if (atomic_load_explicit(&state, memory_order_acquire) != UNTRIED)
        return state == OPEN;
    pthread_mutex_lock(&lock);
    if (state == UNTRIED && start_thread() != 0)
        state = UNUSABLE;
    while (state == UNTRIED)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return state == OPEN;
}

/* Writes through the page cache wait for the inode's lock, which is for threads to do. */
static bool is_worth_it(const struct hf_single *single)
{
    if (single->io.side == HF_SIDE_DIRECT)
        return single->io.size <= hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) * 1024;
    return single->transfer.op == HF_READ && single->io.size <= LARGEST_BUFFERED_READ;
}

bool hf_ring_takes(struct hf_entry *entry)
{
    return !entry->refused && hf_setting_bool(HF_SET_PREFER_IO_URING) &&
           hf_request_single(&entry->request, entry->size, entry->file_offset, entry->buffer_offset,
                             HF_STAGING_ROOM, &entry->single) &&
           is_worth_it(&entry->single) && is_open();
}

void hf_ring_wake(void)
{
    if (atomic_exchange(&asleep, false))
        hf_uring_wake(uring);
}

void hf_ring_forget(void)
{
    if (state == OPEN)
        hf_uring_forget(uring);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&opened, NULL);
    state = UNTRIED;
    uring = NULL;
    asleep = false;
    in_flight = 0;
    held = NULL;
    STAILQ_INIT(&outgoing);
    STAILQ_INIT(&incoming);
    STAILQ_INIT(&settled);
    hf_staging_forget();
}
