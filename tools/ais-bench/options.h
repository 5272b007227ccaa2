/* SPDX-License-Identifier: MIT */
/* What was asked for on the command line. */
#ifndef AIS_BENCH_OPTIONS_H
#define AIS_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_BLOCK_SIZES 32
#define MAX_THREADS     1024
#define MAX_DEPTH       4096

enum op { OP_READ, OP_WRITE, OP_MIXED };
enum order { ORDER_SEQUENTIAL, ORDER_RANDOM };
enum api { API_SYNC, API_ASYNC, API_BATCH };
enum way { WAY_AUTO, WAY_DIRECT, WAY_BOUNCE };
enum memory { MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED, MEMORY_PAGEABLE };
enum cache { CACHE_KEEP, CACHE_WARM, CACHE_COLD };

/* The words on the command line and in the reports, by the enumerations above. */
extern const char *const op_words[],
    *const order_words[], *const api_words[], *const way_words[], *const memory_words[],
                                                                      *const cache_words[];

struct options {
    const char *file;
    size_t blocks[MAX_BLOCK_SIZES];
    unsigned block_count;
    unsigned threads;
    unsigned depth; /* a thread's requests in flight */
    unsigned read_percent;
    enum op op;
    enum order order;
    enum api api;
    enum way way;
    enum memory memory;
    enum cache cache;
    int gpu;
    uint64_t size;  /* of the part of the file that is used; 0: all of it */
    uint64_t bytes; /* to move for each block size; 0: not limited if there is a time, else size */
    double seconds; /* for each block size; 0: not limited */
    uint64_t seed;
    bool o_direct, fsync, verify, keep, overwrite, json;
    const char *svg;
};

/* Ends the program on --help, --version, and with a message and status 2 on a wrong argument. */
void options_parse(struct options *options, int argc, char **argv);

/* Prints to stderr and ends the program with status 2. */
_Noreturn void options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
