// SPDX-License-Identifier: MIT
//
// The CPU device, inside. cpu_range.c knows the addresses, cpu_memory.c and cpu_vmm.c make them,
// cpu_queue.c orders and runs work, and the rest turns calls into work.
#ifndef HL_CPU_H
#define HL_CPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_ops.h"

#define HL_CPU_PRIORITIES 3 // 1 (low), 0, -1 (high)
#define HL_CPU_QUEUES_MAX 32

struct hl_cpu_settings {
    int devices;
    unsigned queues;  // per device and priority
    unsigned engines; // 0: the CPU copies, on the caller's thread where it can
    bool unified;     // the CPU may touch device memory
    bool wait_value;
    uint64_t memory; // bytes per device
};
extern struct hl_cpu_settings hl_cpu_settings;

// --- Addresses (cpu_range.c) ------------------------------------------------------------------

enum hl_kind {
    HL_KIND_DEVICE = 1,
    HL_KIND_MAPPED, // device memory mapped by hipMemMap
    HL_KIND_MANAGED,
    HL_KIND_HOST,
    HL_KIND_REGISTERED,
    HL_KIND_SIGNAL
};

// A range of addresses and where its bytes are.
struct hl_range {
    uintptr_t base;
    size_t size;
    char *storage;
    uint32_t flags; // as allocated
    uint16_t kind;
    uint8_t device;
    uint8_t blocked; // mapped without access
};

// The range that contains an address. Takes no lock.
bool hl_range_find(uintptr_t address, struct hl_range *range);
// hipErrorAlreadyMapped if it overlaps another one.
hipError_t hl_range_insert(const struct hl_range *range);
// Removes the range that starts at base, if its kind is in the mask (1 << kind).
bool hl_range_remove(uintptr_t base, unsigned kinds, struct hl_range *removed);
// Replaces `blocked` of the range that starts at base.
void hl_range_block(uintptr_t base, bool blocked);
void hl_range_lock(void);
void hl_range_unlock(void);

static inline bool hl_kind_is_device(unsigned kind)
{
    return kind == HL_KIND_DEVICE || kind == HL_KIND_MAPPED;
}

// --- Memory -----------------------------------------------------------------------------------

// Takes from or gives back to the memory of a device.
bool hl_cpu_reserve(int device, size_t size);
void hl_cpu_unreserve(int device, size_t size);
// Memory aligned to a page, or to a power of two above that; on huge pages where that helps.
// NULL if there is none.
char *hl_cpu_pages(size_t size, size_t alignment, int protection);
size_t hl_cpu_page_round(size_t size);

hipError_t hl_cpu_mem_alloc(void **ptr, size_t size, unsigned flags);
hipError_t hl_cpu_mem_alloc_managed(void **ptr, size_t size, unsigned flags);
hipError_t hl_cpu_mem_free(void *ptr);
hipError_t hl_cpu_mem_info(size_t *available, size_t *total);
hipError_t hl_cpu_mem_range(void **base, size_t *size, void *ptr);
hipError_t hl_cpu_mem_attributes(hipPointerAttribute_t *attributes, const void *ptr);
hipError_t hl_cpu_host_alloc(void **ptr, size_t size, unsigned flags);
hipError_t hl_cpu_host_free(void *ptr);
hipError_t hl_cpu_host_register(void *ptr, size_t size, unsigned flags);
hipError_t hl_cpu_host_unregister(void *ptr);
hipError_t hl_cpu_host_device_pointer(void **device_ptr, void *ptr);

// --- Slots: handles that can be checked without touching freed memory (cpu_slots.c) -----------

struct hl_slot {
    atomic_bool live;
    uint32_t next_free;
};

// Objects of one size, each beginning with a struct hl_slot, in one mapping that never goes away.
struct hl_slots {
    size_t object_size;
    uint32_t capacity;
    char *base;
    atomic_uint used;
    uint32_t first_free, last_free; // numbers from 1; the longest free is taken first
};

// Under the queue lock. A new object is zero, a used one is as its last owner left it.
void *hl_slot_take(struct hl_slots *slots);
void hl_slot_return(struct hl_slots *slots, void *object);
void *hl_slot_at(const struct hl_slots *slots, uint32_t number); // 1 .. used
// A live object of these?
bool hl_slot_valid(const struct hl_slots *slots, const void *object);

// --- Streams, events, work (cpu_queue.c) ------------------------------------------------------

struct hl_capture;
struct hl_op;

// Work of one or more streams, done one after the other in the order of submission.
struct hl_queue {
    struct hl_op *first, *last;
    atomic_uint pending; // ops in the list
    bool held;           // the first op is being done, or waited for, by some thread
    struct hl_op *job;   // what the copier is to do
    bool has_copier;
    pthread_cond_t wake;
    bool listed;
    struct hl_queue *next_listed; // of all queues that ever had work
};

struct hl_stream {
    struct hl_slot slot;
    int device;
    unsigned flags;
    int priority;
    bool is_null;   // a device's legacy default stream
    bool destroyed; // returned when its work is done
    struct hl_queue *queue;
    struct hl_op *first, *last; // work not done, in order
    // Count work over all lives of the slot, so that a number once reached stays so.
    atomic_ulong submitted, completed;
    pthread_cond_t changed;          // some work was done, or granted to its caller
    struct hl_stream *next_blocking; // the other blocking streams of the device
    // While capturing: work put into the graph, and how much of it the origin has joined.
    struct hl_capture *capture;
    uint64_t captured, joined;
};

// A moment in a stream: when `completed` reaches `number`.
struct hl_point {
    struct hl_stream *stream;
    uint64_t number;
};

struct hl_event {
    struct hl_slot slot;
    int device;
    unsigned flags;
    uint64_t ticket; // of the last record, over all lives of the slot
    bool recorded;
    struct hl_point point;
    int64_t time_ns; // of the last record that was reached
    uint64_t time_ticket;
    // Recorded last in a capturing stream: in which capture, where, after how much work.
    uint64_t capture_id;
    struct hl_stream *capture_stream;
    uint64_t captured;
};

enum hl_op_type {
    HL_OP_COPY,        // by the queue's thread
    HL_OP_FILL,        // by the queue's thread
    HL_OP_CALLER,      // by the thread that submitted it, when its turn comes
    HL_OP_HOST,        // by the host function thread
    HL_OP_WAIT_VALUE,  // by the watcher thread
    HL_OP_WRITE_VALUE, // the rest: by whoever finds them at the head
    HL_OP_WAIT_POINT,
    HL_OP_RECORD
};

struct hl_op {
    enum hl_op_type type;
    uint64_t order; // over all streams
    struct hl_stream *stream;
    struct hl_op *next_in_queue, *next_in_stream, *next_in_list;
    bool granted; // HL_OP_CALLER: go
    union {
        struct {
            char *dst;
            const char *src;
            size_t size;
            bool upload; // from the host into device memory
        } copy;
        struct {
            char *dst;
            size_t size;
            unsigned char value;
        } fill;
        struct {
            hipHostFn_t fn;
            hipStreamCallback_t callback; // instead, if not NULL
            void *data;
            hipStream_t handle; // as the caller named it
        } host;
        struct {
            void *address;
            struct hl_value_op op;
        } value;
        struct hl_point point;
        struct {
            struct hl_event *event;
            uint64_t ticket;
        } record;
    };
};

extern pthread_mutex_t hl_queue_mutex;
extern struct hl_slots hl_streams;
extern struct hl_slots hl_events;

static inline void hl_queue_lock(void)
{
    pthread_mutex_lock(&hl_queue_mutex);
}

static inline void hl_queue_unlock(void)
{
    pthread_mutex_unlock(&hl_queue_mutex);
}

// Makes the default streams of all devices.
bool hl_queues_open(void);
// NULL if there are too many. Under the queue lock.
struct hl_stream *hl_stream_new(int device, unsigned flags, int priority);
// The handle becomes invalid at once; false if it was. Under the queue lock.
bool hl_stream_end(struct hl_stream *stream);
struct hl_stream *hl_stream_null(int device);
// The stream that a handle means in this thread, NULL if it is none.
struct hl_stream *hl_stream_find(hipStream_t handle);
// A new op for a stream, NULL without memory.
struct hl_op *hl_op_new(enum hl_op_type type, struct hl_stream *stream);
// Queues the op, which is freed when done. Under the queue lock.
void hl_queue_submit(struct hl_op *op);
// Queues an op of type HL_OP_CALLER and waits for its turn; hl_queue_finish ends that.
void hl_queue_borrow(struct hl_op *op);
// The first op of a queue was done by another thread. Under the queue lock.
void hl_queue_finish(struct hl_op *op);
// Takes no lock: the stream's work is done; nothing is pending that new work in it would wait for.
bool hl_stream_done(const struct hl_stream *stream);
bool hl_stream_idle(const struct hl_stream *stream);
// New work in the stream would begin at once. Takes no lock: what is queued meanwhile comes after.
bool hl_stream_free(const struct hl_stream *stream);
// Wait for work that is already submitted. Under the queue lock, which they give up meanwhile.
void hl_point_wait(struct hl_point point);
void hl_stream_wait(struct hl_stream *stream); // a default stream: with all that it waits for
void hl_streams_wait(int device);              // of all devices: -1

static inline bool hl_point_reached(struct hl_point point)
{
    return atomic_load_explicit(&point.stream->completed, memory_order_acquire) >= point.number;
}

// The threads that serve queues, started when first needed; hipErrorOutOfMemory if they cannot be.
// Under the queue lock.
hipError_t hl_copier_start(struct hl_queue *queue);
hipError_t hl_host_thread_start(void);
hipError_t hl_watcher_start(void);
void hl_host_thread_push(struct hl_op *op);
void hl_watcher_push(struct hl_op *op);
bool hl_value_satisfied(const struct hl_op *op);
void hl_value_write(const struct hl_op *op);
void hl_event_reach(const struct hl_op *op);

// Around fork: the child keeps memory, streams and events; work and threads are the parent's.
void hl_queues_reset(void);
void hl_host_thread_reset(void);
void hl_watcher_reset(void);
bool hl_thread_start(void *(*body)(void *), void *arg); // detached, without signals

// --- Capture (cpu_capture.c) ------------------------------------------------------------------

// What a call does to streams that capture.
enum hl_capture_use {
    HL_USE_WORK,   // asynchronous work that a graph can hold
    HL_USE_REFUSED // anything else on the stream
};

// Whether a call may go on. *captured: the work went into the graph, do not run it.
hipError_t hl_capture_check(struct hl_stream *stream, enum hl_capture_use use, bool *captured);
// For calls that a capture forbids to the thread: allocation, freeing, synchronous copies.
hipError_t hl_capture_check_unsafe(void);
hipError_t hl_capture_record(struct hl_event *event, struct hl_stream *stream, bool *captured);
hipError_t hl_capture_wait(struct hl_stream *stream, struct hl_event *event, bool *captured);
// hipErrorCapturedEvent if the event's last record went into a graph.
hipError_t hl_capture_check_event(const struct hl_event *event);

hipError_t hl_cpu_capture_begin(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hl_cpu_capture_end(hipStream_t stream, hipGraph_t *graph);
hipError_t hl_cpu_capture_status(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hl_cpu_capture_exchange_mode(hipStreamCaptureMode *mode);
hipError_t hl_cpu_graph_destroy(hipGraph_t graph);

// --- The other entries of the table -----------------------------------------------------------

// memcpy into device memory, past the cache where that is faster.
void hl_bytes_upload(char *dst, const char *src, size_t size);

hipError_t hl_cpu_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                       hipStream_t stream);
hipError_t hl_cpu_copy_async(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                             hipStream_t stream);
hipError_t hl_cpu_fill(void *dst, unsigned char value, size_t size, hipStream_t stream);
hipError_t hl_cpu_fill_async(void *dst, unsigned char value, size_t size, hipStream_t stream);

hipError_t hl_cpu_stream_create(hipStream_t *stream, unsigned flags, int priority);
hipError_t hl_cpu_stream_destroy(hipStream_t stream);
hipError_t hl_cpu_stream_synchronize(hipStream_t stream);
hipError_t hl_cpu_stream_query(hipStream_t stream);
hipError_t hl_cpu_stream_device(hipStream_t stream, int *device);
hipError_t hl_cpu_stream_flags(hipStream_t stream, unsigned *flags);
hipError_t hl_cpu_stream_priority(hipStream_t stream, int *priority);
hipError_t hl_cpu_stream_wait_event(hipStream_t stream, hipEvent_t event);
hipError_t hl_cpu_stream_host_func(hipStream_t stream, hipHostFn_t fn, void *data);
hipError_t hl_cpu_stream_callback(hipStream_t stream, hipStreamCallback_t fn, void *data);
hipError_t hl_cpu_stream_wait_value(hipStream_t stream, const struct hl_value_op *op);
hipError_t hl_cpu_stream_write_value(hipStream_t stream, const struct hl_value_op *op);

hipError_t hl_cpu_event_create(hipEvent_t *event, unsigned flags);
hipError_t hl_cpu_event_record(hipEvent_t event, hipStream_t stream);
hipError_t hl_cpu_event_query(hipEvent_t event);
hipError_t hl_cpu_event_synchronize(hipEvent_t event);
hipError_t hl_cpu_event_elapsed(float *ms, hipEvent_t start, hipEvent_t stop);
hipError_t hl_cpu_event_destroy(hipEvent_t event);

hipError_t hl_cpu_vmm_granularity(size_t *granularity, const hipMemAllocationProp *prop);
hipError_t hl_cpu_vmm_reserve(void **ptr, size_t size, size_t alignment, void *hint);
hipError_t hl_cpu_vmm_unreserve(void *ptr, size_t size);
hipError_t hl_cpu_vmm_create(hipMemGenericAllocationHandle_t *handle, size_t size,
                             const hipMemAllocationProp *prop);
hipError_t hl_cpu_vmm_release(hipMemGenericAllocationHandle_t handle);
hipError_t hl_cpu_vmm_map(void *ptr, size_t size, size_t offset,
                          hipMemGenericAllocationHandle_t handle);
hipError_t hl_cpu_vmm_unmap(void *ptr, size_t size);
hipError_t hl_cpu_vmm_set_access(void *ptr, size_t size, const hipMemAccessDesc *desc,
                                 size_t count);

hipError_t hl_cpu_file_io(struct hl_file_io *io);

#endif
