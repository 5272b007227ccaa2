// SPDX-License-Identifier: MIT
#include "core/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reason.h"
#include "observe/log.h"

/*
 * A handle is a number, not an address: the place of the file in the table, and which use of that
 * place it is. So a handle that has gone, or was never given, is told from a good one without
 * touching memory that it might point to. Places are used again, but never given back.
 */
#define PLACE_BITS 20u
#define BLOCK      64u
#define BLOCKS     ((1u << PLACE_BITS) / BLOCK)

/* The lock is for registering and freeing; looking a handle up takes none. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct hf_file *) blocks[BLOCKS];
static atomic_uint places; /* in the blocks that are there */
static struct hf_file *free_files;

/* By descriptor number: the handle that it was last registered as. */
static hipFileHandle_t *latest;
static size_t latest_room;

static struct hf_file *file_at(unsigned place)
{
    struct hf_file *block = atomic_load_explicit(&blocks[place / BLOCK], memory_order_acquire);

    return block ? &block[place % BLOCK] : NULL;
}

static hipFileHandle_t make_handle(unsigned place, uint64_t use)
{
    return (hipFileHandle_t)(uintptr_t)(use << PLACE_BITS | place);
}

struct hf_file *hf_file_get(hipFileHandle_t handle)
{
    uint64_t use = (uintptr_t)handle >> PLACE_BITS;
    struct hf_file *file = use ? file_at((uintptr_t)handle & ((1u << PLACE_BITS) - 1)) : NULL;

    if (!file || hf_refs_get(&file->refs, use))
        return file;
    hf_file_put(file);
    return NULL;
}

static void report(struct hf_file *file)
{
    const struct hf_storage *storage;
    struct hf_tally_sum sum;
    char where[128] = "";

    if (!hf_log_on(HF_LOG_INFO))
        return;
    storage = hf_descriptor_storage(&file->descriptor);
    snprintf(where, sizeof where, "%s%s%s",
             storage->file_system[0] ? storage->file_system : "unknown file system",
             storage->block_device[0] ? " on " : "", storage->block_device);
    hf_tally_add_up(&file->tally, &sum);
    hf_tally_log(&sum, file->number, where);
}

static void release(struct hf_file *file)
{
    report(file);
    hf_descriptor_close(&file->descriptor);
    pthread_mutex_lock(&lock);
    hf_refs_free(&file->refs);
    file->next_free = free_files;
    free_files = file;
    pthread_mutex_unlock(&lock);
}

void hf_file_put(struct hf_file *file)
{
    if (hf_refs_put(&file->refs))
        release(file);
}

/* Adds a block of free places. */
static int grow(void)
{
    struct hf_file *block;

    if (places / BLOCK >= BLOCKS)
        return -hipFileGetNewFDFailed;
    block = aligned_alloc(HF_CACHE_LINE, BLOCK * sizeof *block);
    if (!block)
        return -ENOMEM;
    memset(block, 0, BLOCK * sizeof *block);
    for (unsigned i = BLOCK; i-- > 0;) {
        block[i].place = places + i;
        block[i].next_free = free_files;
        free_files = &block[i];
    }
    atomic_store_explicit(&blocks[places / BLOCK], block, memory_order_release);
    places += BLOCK;
    return 0;
}

/* Makes room for the number in `latest`. */
static int reach_number(int fd)
{
    size_t room = latest_room ? latest_room : 64;
    hipFileHandle_t *larger;

    if ((size_t)fd < latest_room)
        return 0;
    while (room <= (size_t)fd)
        room *= 2;
    larger = realloc(latest, room * sizeof *larger);
    if (!larger)
        return -ENOMEM;
    memset(larger + latest_room, 0, (room - latest_room) * sizeof *larger);
    latest = larger;
    latest_room = room;
    return 0;
}

/* Called without the lock: the put may have to free the file. */
static bool still_means(hipFileHandle_t handle, int fd)
{
    struct hf_file *file = hf_file_get(handle);
    bool same = file && hf_descriptor_is_same(&file->descriptor, fd);

    if (file)
        hf_file_put(file);
    return same;
}

/* Two threads that register one number at once must not both succeed, so that registering is one
   at a time; freeing is not held up by it. */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static int take_free(struct hf_file **file)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    if (!free_files)
        err = grow();
    if (err == 0) {
        *file = free_files;
        free_files = (*file)->next_free;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

static void give_free(struct hf_file *file)
{
    pthread_mutex_lock(&lock);
    file->next_free = free_files;
    free_files = file;
    pthread_mutex_unlock(&lock);
}

static int enter(int fd, hipFileHandle_t *handle)
{
    struct hf_file *file;
    int err;

    if (fd < 0)
        return -EBADF;
    if ((size_t)fd < latest_room && still_means(latest[fd], fd))
        return -hipFileHandleAlreadyRegistered;
    err = take_free(&file);
    if (err)
        return err;
    err = hf_descriptor_open(&file->descriptor, fd);
    if (err)
        goto fail_file;
    err = reach_number(fd); /* now that it is known to be one, and so is not out of bounds */
    if (err)
        goto fail_descriptor;
    file->number = fd;
    file->devices_refused = 0;
    hf_tally_clear(&file->tally);
    latest[fd] = *handle = make_handle(file->place, hf_refs_open(&file->refs));
    return 0;

fail_descriptor:
    hf_descriptor_close(&file->descriptor);
fail_file:
    give_free(file);
    return err;
}

int hf_files_register(int fd, hipFileHandle_t *handle)
{
    int err;

    pthread_mutex_lock(&registering);
    err = enter(fd, handle);
    pthread_mutex_unlock(&registering);
    return err;
}

bool hf_files_deregister(hipFileHandle_t handle)
{
    struct hf_file *file = hf_file_get(handle);
    bool last, was_open;

    if (!file)
        return false;
    was_open = hf_refs_close(&file->refs, (uintptr_t)handle >> PLACE_BITS, &last);
    hf_file_put(file); /* our own reference keeps the close from being the last */
    return was_open;
}

void hf_files_deregister_all(void)
{
    for (unsigned place = 0; place < places; place++) {
        struct hf_file *file = file_at(place);

        if (hf_refs_is_open(&file->refs))
            hf_files_deregister(make_handle(place, hf_refs_use(&file->refs)));
    }
}

void hf_files_before_fork(void)
{
    pthread_mutex_lock(&registering);
    pthread_mutex_lock(&lock);
}

void hf_files_after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&registering);
}

/* The child's copies of our descriptors are closed; the parent's files are not touched. */
void hf_files_after_fork_child(void)
{
    pthread_mutex_init(&registering, NULL);
    pthread_mutex_init(&lock, NULL);
    free_files = NULL;
    for (unsigned place = places; place-- > 0;) {
        struct hf_file *file = file_at(place);

        if (!hf_refs_is_free(&file->refs))
            hf_descriptor_close(&file->descriptor);
        hf_refs_reset(&file->refs);
        file->next_free = free_files;
        free_files = file;
    }
}
