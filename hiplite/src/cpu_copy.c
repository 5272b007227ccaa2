// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "runtime.h"

// Synchronous copies up to this size do not queue when their stream is idle.
#define SMALL_COPY ((size_t)64 << 10)

// Asynchronous copies up to this size are done by the caller when its queue is free: its cache has
// one side of them, and another thread would take as long to wake up as they take.
#define SHORT_COPY ((size_t)2 << 20)

// Where the bytes at an address are, and how many follow there. Kind 0 is memory that the runtime
// does not know, which is the program's own.
struct side {
    char *storage;
    size_t run;
    unsigned kind;
};

static hipError_t side_find(const void *ptr, size_t size, struct side *side)
{
    struct hl_range range;
    size_t offset;

    if (!hl_range_find((uintptr_t)ptr, &range)) {
        *side = (struct side){.storage = (char *)ptr, .run = size};
        return hipSuccess;
    }
    offset = (uintptr_t)ptr - range.base;
    *side = (struct side){range.storage + offset, range.size - offset, range.kind};
    return range.blocked ? hipErrorInvalidValue : hipSuccess;
}

// Mappings may follow one another; other ranges must hold all of it.
static hipError_t side_check(const void *ptr, size_t size, struct side *first)
{
    const char *at = ptr;
    struct side side;
    hipError_t error = side_find(ptr, size, first);

    side = *first;
    while (error == hipSuccess && side.run < size) {
        unsigned kind = side.kind;
        at += side.run;
        size -= side.run;
        error = side_find(at, size, &side);
        if (kind != HL_KIND_MAPPED || side.kind != HL_KIND_MAPPED)
            error = hipErrorInvalidValue;
    }
    return error;
}

static bool direction_fits(hipMemcpyKind kind, unsigned dst, unsigned src)
{
    switch (kind) {
    case hipMemcpyHostToHost:
        return !hl_kind_is_device(dst) && !hl_kind_is_device(src);
    case hipMemcpyHostToDevice:
        return dst != 0 && !hl_kind_is_device(src);
    case hipMemcpyDeviceToHost:
        return src != 0 && !hl_kind_is_device(dst);
    case hipMemcpyDeviceToDevice:
        return dst != 0 && src != 0;
    default:
        return true;
    }
}

struct copy {
    char *dst;
    const char *src;
    size_t size;
    struct side to, from; // at dst and src
};

static hipError_t copy_check(struct copy *copy, hipMemcpyKind kind)
{
    hipError_t error = side_check(copy->dst, copy->size, &copy->to);

    if (error == hipSuccess)
        error = side_check(copy->src, copy->size, &copy->from);
    if (error == hipSuccess && !direction_fits(kind, copy->to.kind, copy->from.kind))
        error = hipErrorInvalidValue;
    return error;
}

// The length of the first piece, that which lies in one range on either side.
static size_t piece_size(const struct copy *copy)
{
    size_t size = copy->size;

    if (size > copy->to.run)
        size = copy->to.run;
    return size < copy->from.run ? size : copy->from.run;
}

static void piece_next(struct copy *copy)
{
    size_t size = piece_size(copy);

    copy->dst += size;
    copy->src += size;
    copy->size -= size;
    if (copy->size > 0) {
        side_find(copy->dst, copy->size, &copy->to);
        side_find(copy->src, copy->size, &copy->from);
    }
}

static bool is_upload(const struct copy *copy)
{
    return hl_kind_is_device(copy->to.kind) && !hl_kind_is_device(copy->from.kind);
}

static void copy_here(struct copy copy)
{
    bool upload = is_upload(&copy);

    for (; copy.size > 0; piece_next(&copy)) {
        if (upload)
            hl_bytes_upload(copy.to.storage, copy.from.storage, piece_size(&copy));
        else
            memmove(copy.to.storage, copy.from.storage, piece_size(&copy));
    }
}

// Does the work on this thread when the stream comes to it.
static void copy_in_turn(const struct copy *copy, struct hl_stream *stream)
{
    struct hl_op op = {.type = HL_OP_CALLER, .stream = stream};

    if (copy->size <= SMALL_COPY && hl_stream_idle(stream)) {
        copy_here(*copy);
        return;
    }
    hl_queue_lock();
    hl_queue_borrow(&op);
    hl_queue_unlock();
    copy_here(*copy);
    hl_queue_lock();
    hl_queue_finish(&op);
    hl_queue_unlock();
}

static void ops_free(struct hl_op *op)
{
    while (op != NULL) {
        struct hl_op *next = op->next_in_list;
        free(op);
        op = next;
    }
}

// Queues a list of ops for the copier of the stream's queue.
static hipError_t ops_submit(struct hl_stream *stream, struct hl_op *op)
{
    hipError_t error;

    hl_queue_lock();
    error = hl_copier_start(stream->queue);
    while (error == hipSuccess && op != NULL) {
        struct hl_op *next = op->next_in_list;
        hl_queue_submit(op);
        op = next;
    }
    hl_queue_unlock();
    ops_free(op);
    return error;
}

static hipError_t copy_queue(struct copy copy, struct hl_stream *stream)
{
    struct hl_op *first = NULL;
    struct hl_op **link = &first;

    for (; copy.size > 0; piece_next(&copy)) {
        struct hl_op *op = hl_op_new(HL_OP_COPY, stream);
        if (op == NULL) {
            ops_free(first);
            return hipErrorOutOfMemory;
        }
        op->copy.dst = copy.to.storage;
        op->copy.src = copy.from.storage;
        op->copy.size = piece_size(&copy);
        op->copy.upload = is_upload(&copy);
        *link = op;
        link = &op->next_in_list;
    }
    return ops_submit(stream, first);
}

static hipError_t synchronous_check(struct hl_stream *stream)
{
    bool captured;
    hipError_t error = hl_capture_check_unsafe();

    return error == hipSuccess ? hl_capture_check(stream, HL_USE_REFUSED, &captured) : error;
}

hipError_t hl_cpu_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                       hipStream_t handle)
{
    struct copy copy = {.dst = dst, .src = src, .size = size};
    struct hl_stream *stream = hl_stream_find(handle);
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    error = copy_check(&copy, kind);
    if (error == hipSuccess)
        error = synchronous_check(stream);
    if (error != hipSuccess)
        return error;
    if (hl_kind_is_device(copy.to.kind) && hl_kind_is_device(copy.from.kind))
        return copy_queue(copy, stream); // nothing that the host could see
    copy_in_turn(&copy, stream);
    return hipSuccess;
}

hipError_t hl_cpu_copy_async(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                             hipStream_t handle)
{
    struct copy copy = {.dst = dst, .src = src, .size = size};
    struct hl_stream *stream = hl_stream_find(handle);
    bool captured = false;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    error = copy_check(&copy, kind);
    if (error == hipSuccess)
        error = hl_capture_check(stream, HL_USE_WORK, &captured);
    if (error != hipSuccess || captured)
        return error;
    if (copy.to.kind == 0 || copy.from.kind == 0)
        copy_in_turn(&copy, stream); // pageable memory: the program may free it when we return
    else if (hl_cpu_settings.engines == 0 && copy.size <= SHORT_COPY && hl_stream_free(stream))
        copy_here(copy);
    else
        error = copy_queue(copy, stream);
    return error;
}

// --- Fill -------------------------------------------------------------------------------------

static hipError_t fill_queue(char *dst, unsigned char value, size_t size, struct hl_stream *stream)
{
    struct hl_op *first = NULL;
    struct hl_op **link = &first;
    struct side side;

    for (; size > 0; dst += side.run, size -= side.run) {
        struct hl_op *op = hl_op_new(HL_OP_FILL, stream);
        if (op == NULL) {
            ops_free(first);
            return hipErrorOutOfMemory;
        }
        side_find(dst, size, &side);
        if (side.run > size)
            side.run = size;
        op->fill.dst = side.storage;
        op->fill.size = side.run;
        op->fill.value = value;
        *link = op;
        link = &op->next_in_list;
    }
    return ops_submit(stream, first);
}

static hipError_t fill_check(void *dst, size_t size, struct side *side)
{
    hipError_t error = side_check(dst, size, side);

    return error == hipSuccess && side->kind == 0 ? hipErrorInvalidValue : error;
}

hipError_t hl_cpu_fill(void *dst, unsigned char value, size_t size, hipStream_t handle)
{
    struct hl_stream *stream = hl_stream_find(handle);
    struct side side;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    error = fill_check(dst, size, &side);
    if (error == hipSuccess)
        error = synchronous_check(stream);
    if (error == hipSuccess)
        error = fill_queue(dst, value, size, stream);
    // Only the host can tell whether it is done, and only where the host can look.
    if (error == hipSuccess && !hl_kind_is_device(side.kind))
        error = hl_cpu_stream_synchronize(handle);
    return error;
}

hipError_t hl_cpu_fill_async(void *dst, unsigned char value, size_t size, hipStream_t handle)
{
    struct hl_stream *stream = hl_stream_find(handle);
    struct side side;
    bool captured = false;
    hipError_t error;

    if (stream == NULL)
        return hipErrorContextIsDestroyed;
    error = fill_check(dst, size, &side);
    if (error == hipSuccess)
        error = hl_capture_check(stream, HL_USE_WORK, &captured);
    if (error != hipSuccess || captured)
        return error;
    return fill_queue(dst, value, size, stream);
}
