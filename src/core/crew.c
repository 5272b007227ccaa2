// SPDX-License-Identifier: MIT
#include "core/crew.h"

#include <stdatomic.h>

#include "base/settings.h"
#include "core/pool.h"

#define MOST_HELPERS 63u

struct crew {
    const struct hf_path *path;
    struct hf_claims *claims;
    pthread_cond_t helper_left; /* with claims->lock */
    unsigned helpers;           /* that have started or still may */
};

struct helper {
    struct hf_task task;
    struct crew *crew;
};

static void leave(struct crew *crew)
{
    pthread_mutex_lock(&crew->claims->lock);
    if (--crew->helpers == 0)
        pthread_cond_signal(&crew->helper_left);
    pthread_mutex_unlock(&crew->claims->lock);
}

static void help(struct hf_task *task)
{
    struct helper *helper = (struct helper *)task;

    helper->crew->path->work(helper->crew->claims);
    leave(helper->crew);
}

/* A write that extends the file goes in ascending order: after a crash or an error there must not
   be a hole that looks like data. */
static bool extends_file(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    const struct hf_descriptor *file = transfer->file;

    return transfer->op == HF_WRITE && hf_facts_size(file->fd, file->facts.is_block_device) <
                                           (int64_t)(segment->file_offset + segment->size);
}

static unsigned crew_size(const struct hf_transfer *transfer, const struct hf_segment *segment)
{
    size_t limit = hf_setting_size(HF_SET_MAX_REQUEST_PARALLELISM);
    size_t threads = hf_setting_size(HF_SET_MAX_IO_THREADS);

    if (segment->size < hf_setting_size(HF_SET_MIN_IO_THRESHOLD_KB) * 1024 ||
        !hf_setting_bool(HF_SET_PARALLEL_IO) || extends_file(transfer, segment))
        return 1;
    if (threads < limit)
        limit = threads;
    return limit > MOST_HELPERS ? MOST_HELPERS + 1 : (unsigned)limit;
}

static void call_helpers(struct crew *crew, struct helper *helpers, unsigned wanted)
{
    unsigned n;

    for (n = 0; n < wanted; n++) {
        helpers[n].task.run = help;
        helpers[n].crew = crew;
        pthread_mutex_lock(&crew->claims->lock);
        crew->helpers++;
        pthread_mutex_unlock(&crew->claims->lock);
        if (hf_pool_submit(&helpers[n].task) != 0) {
            leave(crew);
            helpers[n].crew = NULL;
        }
    }
}

static void dismiss_helpers(struct crew *crew, struct helper *helpers, unsigned wanted)
{
    for (unsigned n = 0; n < wanted; n++)
        if (helpers[n].crew && hf_pool_withdraw(&helpers[n].task))
            leave(crew);
    pthread_mutex_lock(&crew->claims->lock);
    while (crew->helpers > 0)
        pthread_cond_wait(&crew->helper_left, &crew->claims->lock);
    pthread_mutex_unlock(&crew->claims->lock);
}

static void move_together(const struct hf_path *path, struct hf_claims *claims, unsigned wanted)
{
    struct crew crew = {.path = path, .claims = claims, .helper_left = PTHREAD_COND_INITIALIZER};
    struct helper helpers[MOST_HELPERS];

    call_helpers(&crew, helpers, wanted);
    path->work(claims);
    dismiss_helpers(&crew, helpers, wanted);
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
