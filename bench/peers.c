// SPDX-License-Identifier: MIT
#include "peers.h"

#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pairs.h"

static void prepare(struct io_uring *ring, const struct peer_job *job, size_t offset)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    size_t left = job->size - offset;
    unsigned bytes = (unsigned)(left < job->block ? left : job->block);

    if (job->write)
        io_uring_prep_write(sqe, job->fd, job->memory + offset, bytes, offset);
    else
        io_uring_prep_read(sqe, job->fd, job->memory + offset, bytes, offset);
}

static bool run_ring(struct io_uring *ring, const struct peer_job *job)
{
    size_t next = 0, done = 0;
    unsigned in_flight = 0;
    struct io_uring_cqe *cqe;

    while (done < job->size) {
        for (; next < job->size && in_flight < job->depth; next += job->block, in_flight++)
            prepare(ring, job, next);
        if (io_uring_submit_and_wait(ring, 1) < 0)
            return false;
        while (io_uring_peek_cqe(ring, &cqe) == 0) {
            if (cqe->res <= 0)
                return false;
            done += (size_t)cqe->res;
            in_flight--;
            io_uring_cqe_seen(ring, cqe);
        }
    }
    return true;
}

double peer_ring(void *argument)
{
    const struct peer_job *job = argument;
    struct io_uring ring;
    double begin = bench_now();
    bool fine;

    if (io_uring_queue_init(job->depth, &ring, 0) < 0)
        return -1;
    fine = run_ring(&ring, job);
    io_uring_queue_exit(&ring);
    return fine ? bench_now() - begin : -1;
}

struct copy {
    pthread_t thread;
    char *to;
    const char *from;
    size_t size;
};

static void *copy_part(void *argument)
{
    struct copy *copy = argument;

    memcpy(copy->to, copy->from, copy->size);
    return NULL;
}

double peer_memcpy(void *argument)
{
    const struct peer_job *job = argument;
    size_t part = job->size / job->threads;
    double begin = bench_now();
    struct copy copies[64];
    unsigned started = 0;

    for (; started < job->threads; started++) {
        struct copy *copy = &copies[started];

        copy->to = job->memory + started * part;
        copy->from = job->memory + job->size + started * part;
        copy->size = part;
        if (pthread_create(&copy->thread, NULL, copy_part, copy) != 0)
            break;
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(copies[i].thread, NULL);
    return started == job->threads ? bench_now() - begin : -1;
}

double peer_serial(void *argument)
{
    const struct peer_job *job = argument;
    double begin = bench_now();

    for (size_t done = 0; done < job->size;) {
        size_t left = job->size - done;
        size_t bytes = left < job->block ? left : job->block;
        ssize_t n = job->write ? pwrite(job->fd, job->memory + done, bytes, (off_t)done)
                               : pread(job->fd, job->memory + done, bytes, (off_t)done);

        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return bench_now() - begin;
}

#define ORIGINAL_CHUNK ((size_t)16 << 20)

static bool move_chunk(const struct peer_job *job, char *bounce, size_t done, size_t bytes)
{
    if (!job->write) {
        if (pread(job->fd, bounce, bytes, (off_t)done) != (ssize_t)bytes)
            return false;
        memcpy(job->memory + done, bounce, bytes);
        return true;
    }
    memcpy(bounce, job->memory + done, bytes);
    return pwrite(job->fd, bounce, bytes, (off_t)done) == (ssize_t)bytes && fdatasync(job->fd) == 0;
}

double peer_original(void *argument)
{
    const struct peer_job *job = argument;
    double begin = bench_now();
    bool fine = true;

    for (size_t done = 0; done < job->size && fine; done += job->block) {
        char *bounce =
            mmap(NULL, ORIGINAL_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        size_t end = done + job->block < job->size ? done + job->block : job->size;

        if (bounce == MAP_FAILED)
            return -1;
        for (size_t at = done; at < end && fine; at += ORIGINAL_CHUNK)
            fine =
                move_chunk(job, bounce, at, end - at < ORIGINAL_CHUNK ? end - at : ORIGINAL_CHUNK);
        munmap(bounce, ORIGINAL_CHUNK);
    }
    return fine ? bench_now() - begin : -1;
}

double peer_command(const char *command)
{
    FILE *output = popen(command, "r");
    double number;

    if (!output)
        return -1;
    if (fscanf(output, "%lf", &number) != 1)
        number = -1;
    return pclose(output) == 0 ? number : -1;
}
