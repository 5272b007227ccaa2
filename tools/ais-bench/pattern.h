/* SPDX-License-Identifier: MIT */
/* File contents that tell of each byte which offset and seed it belongs to. */
#ifndef AIS_BENCH_PATTERN_H
#define AIS_BENCH_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The contents of the file from offset on, of any alignment. */
void pattern_fill(void *memory, size_t size, uint64_t offset, uint64_t seed);

/* The index of the first byte that differs from them, size if none; what should be there. */
size_t pattern_check(const void *memory, size_t size, uint64_t offset, uint64_t seed,
                     unsigned char *expected);

#endif
