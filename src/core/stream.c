// SPDX-License-Identifier: MIT
#include "core/stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "hip/stream.h"
#include "hipfile.h"
#include "observe/log.h"

#define BUCKETS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hf_stream *buckets[BUCKETS];

static struct hf_stream **bucket_of(hipStream_t handle)
{
    return &buckets[(uintptr_t)handle / 16 % BUCKETS];
}

/* All of these with the lock held. */
static struct hf_stream *find(hipStream_t handle)
{
    struct hf_stream *stream = *bucket_of(handle);

    while (stream && stream->handle != handle)
        stream = stream->next;
    return stream;
}

static struct hf_stream *find_or_add(hipStream_t handle)
{
    struct hf_stream **bucket = bucket_of(handle);
    struct hf_stream *stream = find(handle);

    if (stream || !(stream = calloc(1, sizeof *stream)))
        return stream;
    stream->handle = handle;
    pthread_mutex_init(&stream->order, NULL);
    stream->next = *bucket;
    *bucket = stream;
    return stream;
}

static void free_if_unused(struct hf_stream *stream)
{
    struct hf_stream **link = bucket_of(stream->handle);

    if (stream->registered || stream->users)
        return;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    pthread_mutex_destroy(&stream->order);
    free(stream);
}

static int add(hipStream_t handle, unsigned flags)
{
    struct hf_stream *stream = find_or_add(handle);

    if (!stream)
        return -ENOMEM;
    if (stream->registered)
        return -hipFileInvalidValue;
    stream->registered = true;
    stream->flags = flags;
    return 0;
}

/* Whether HIP accepts the handle, and does not capture it. */
static int look_at(hipStream_t handle)
{
    struct hf_hip_stream stream;
    hipStreamCaptureMode mode;
    int err = hf_hip_load();

    if (err)
        return err;
    mode = hf_hip_capture_leave();
    err = hf_hip_stream_describe(handle, &stream);
    hf_hip_capture_return(mode);
    return err;
}

int hf_stream_register(hipStream_t handle, unsigned flags)
{
    int err;

    if (flags & ~(unsigned)HIPFILE_STREAM_FLAGS_MASK) {
        hf_warn("stream %p: there are no flags %#x", (void *)handle, flags);
        return -hipFileInvalidValue;
    }
    err = look_at(handle);
    if (err)
        return err;
    pthread_mutex_lock(&lock);
    err = add(handle, flags);
    pthread_mutex_unlock(&lock);
    if (err)
        hf_warn("stream %p is registered already", (void *)handle);
    return err;
}

int hf_stream_deregister(hipStream_t handle)
{
    struct hf_stream *stream;
    int err = -hipFileInvalidValue;

    pthread_mutex_lock(&lock);
    stream = find(handle);
    if (stream && stream->registered) {
        stream->registered = false;
        stream->flags = 0;
        free_if_unused(stream);
        err = 0;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

void hf_stream_deregister_all(void)
{
    pthread_mutex_lock(&lock);
    for (unsigned b = 0; b < BUCKETS; b++) {
        struct hf_stream *next;

        for (struct hf_stream *stream = buckets[b]; stream; stream = next) {
            next = stream->next;
            stream->registered = false;
            stream->flags = 0;
            free_if_unused(stream);
        }
    }
    pthread_mutex_unlock(&lock);
}

struct hf_stream *hf_stream_enter(hipStream_t handle, unsigned *flags)
{
    struct hf_stream *stream;

    pthread_mutex_lock(&lock);
    stream = find_or_add(handle);
    if (stream) {
        stream->users++;
        *flags = stream->flags;
    }
    pthread_mutex_unlock(&lock);
    return stream;
}

void hf_stream_leave(struct hf_stream *stream)
{
    pthread_mutex_lock(&lock);
    stream->users--;
    free_if_unused(stream);
    pthread_mutex_unlock(&lock);
}

void hf_stream_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    for (unsigned b = 0; b < BUCKETS; b++)
        buckets[b] = NULL;
}
