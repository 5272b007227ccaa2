// SPDX-License-Identifier: MIT
/*
 * What hipFile is measured against: bare loops of a few lines each. All return the seconds that
 * they took, or a negative number when a call failed.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

struct peer_job {
    int fd;
    char *memory;   /* as much as is moved, touched before */
    size_t size;    /* bytes, from file offset 0 on */
    size_t block;   /* bytes of one call */
    unsigned depth; /* calls in flight */
    unsigned threads;
    bool write;
};

/* io_uring: `depth` reads or writes of `block` bytes in flight, each into its own place. */
double peer_ring(void *job);

/* memcpy of `size` bytes between two places, in `threads` threads. memory holds 2 x size. */
double peer_memcpy(void *job);

/* pread or pwrite of one block after the other. */
double peer_serial(void *job);

/* The plain way of the original fallback: map 16 MiB, pread, copy, unmap; or copy, pwrite and
   fdatasync after each chunk. `memory` stands for the device. */
double peer_original(void *job);

/* Runs a command of the shell that prints a number, and returns that; negative if it fails. */
double peer_command(const char *command);

#endif
