// SPDX-License-Identifier: MIT
#include "core/crew.h"

#include "base/settings.h"
#include "core/pool.h"

#define MOST_HELPERS 63u

struct crew;

struct helper {
    struct hf_task task;
    struct crew *crew;
};

/* The counts are changed with claims->lock held. */
struct crew {
    const struct hf_path *path;
    struct hf_claims *claims;
    pthread_cond_t helper_left;
    unsigned wanted; /* helpers in all; 0 when no more are to be called */
    unsigned called;
    unsigned helpers; /* that have been called and have not left */
    struct helper helper[MOST_HELPERS];
};

static void help(struct hf_task *task);

static void leave(struct crew *crew)
{
    pthread_mutex_lock(&crew->claims->lock);
    if (--crew->helpers == 0)
        pthread_cond_signal(&crew->helper_left);
    pthread_mutex_unlock(&crew->claims->lock);
}

static bool has_work_left(const struct crew *crew)
{
    const struct hf_claims *claims = crew->claims;

    return atomic_load(&claims->next) * claims->chunk < claims->segment.size;
}

/* The next helper to call; NULL if there are enough, or nothing is left for one. */
static struct helper *next_helper(struct crew *crew)
{
    struct helper *helper = NULL;

    pthread_mutex_lock(&crew->claims->lock);
    if (crew->called < crew->wanted && has_work_left(crew)) {
        helper = &crew->helper[crew->called++];
        helper->task.run = help;
        helper->crew = crew;
        crew->helpers++;
    }
    pthread_mutex_unlock(&crew->claims->lock);
    return helper;
}

/* Everyone who comes calls the next two: so the caller begins at once, and the last of many helpers
   comes after a few wake-ups in a row, not after all of them. */
static void call_more(struct crew *crew)
{
    for (int i = 0; i < 2; i++) {
        struct helper *helper = next_helper(crew);

        if (!helper)
            return;
        if (hf_pool_submit(&helper->task) != 0)
            leave(crew);
    }
}

static void help(struct hf_task *task)
{
    struct crew *crew = ((struct helper *)task)->crew;

    call_more(crew);
    crew->path->work(crew->claims);
    leave(crew);
}

/* A write that extends the file goes in ascending order: after a crash or an error there must not
   be a hole that looks like data. */
static bool extends_file(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    const struct hf_descriptor *file = transfer->file;

    return transfer->op == HF_WRITE && hf_facts_size(file->fd, file->facts.is_block_device) <
                                           (int64_t)(segment->file_offset + segment->size);
}

/* One, and one and a half times the root of the size in MiB: with more threads on a request of a
   few MiB, chunks get small, and waking, copying and locking in the runtime cost more than the
   threads bring. */
static unsigned useful_members(size_t size)
{
    size_t mib = size >> 20;
    unsigned members = 1;

    while (4 * (size_t)members * members <= 9 * mib && members <= MOST_HELPERS)
        members++;
    return members;
}

static unsigned crew_size(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    size_t limit = hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM);
    size_t threads = hf_setting_size(HF_SET_MAX_IO_THREADS);
    unsigned useful;

    if (segment->size < hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) * 1024 ||
        !hf_setting_bool(HF_SET_PARALLEL_IO) || extends_file(transfer, segment))
        return 1;
    useful = useful_members(segment->size);
    if (threads + 1 < limit)
        limit = threads + 1;
    return useful < limit ? useful : (unsigned)limit;
}

/* Those who have begun finish what they claimed; the others are sent back. */
static void dismiss_helpers(struct crew *crew)
{
    unsigned called;

    pthread_mutex_lock(&crew->claims->lock);
    crew->wanted = 0;
    called = crew->called;
    pthread_mutex_unlock(&crew->claims->lock);
    for (unsigned n = 0; n < called; n++)
        if (hf_pool_withdraw(&crew->helper[n].task))
            leave(crew);
    pthread_mutex_lock(&crew->claims->lock);
    while (crew->helpers > 0)
        pthread_cond_wait(&crew->helper_left, &crew->claims->lock);
    pthread_mutex_unlock(&crew->claims->lock);
}

static void move_together(const struct hf_path *path, struct hf_claims *claims, unsigned wanted)
{
    struct crew crew;

    crew.path = path;
    crew.claims = claims;
    crew.wanted = wanted;
    crew.called = crew.helpers = 0;
    pthread_cond_init(&crew.helper_left, NULL);
    call_more(&crew);
    path->work(claims);
    dismiss_helpers(&crew);
    pthread_cond_destroy(&crew.helper_left);
}

size_t hf_crew_move(const struct hf_path *path, const struct hf_transfer *transfer,
                    const struct hf_segment *segment, int *status)
{
    unsigned members = crew_size(transfer, segment);
    struct hf_claims claims = {.transfer = transfer,
                               .segment = *segment,
                               .chunk = path->chunk(transfer, segment->size, members),
                               .lock = PTHREAD_MUTEX_INITIALIZER,
                               .stop = segment->size};

    if (members > 1 && segment->size > claims.chunk)
        move_together(path, &claims, members - 1);
    else
        path->work(&claims);
    *status = claims.status;
    return claims.stop;
}
