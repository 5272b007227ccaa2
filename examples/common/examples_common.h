// SPDX-License-Identifier: MIT
/*
 * What the examples share: a pattern and its hash, opening and registering a file, and messages.
 *
 * Functions that return int return 0, or 1 after a message on stderr.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <hip/hip_runtime_api.h>
#include <hipfile.h>

/* A file that is open with O_DIRECT wants offsets, sizes and addresses that are multiples of this.
 */
#define BLOCK_ALIGN 4096

#define FILE_MODE 0644

bool is_power_of_two(size_t value);

/* Rounds up to a multiple of align, which is a power of two. */
size_t align_up(size_t value, size_t align);

size_t min_size(size_t a, size_t b);

/* What to allocate for size bytes of a file: whole blocks, and at least one. */
size_t buffer_size_for(size_t size);

/* Byte i becomes i & 0xff. */
void fill_pattern(void *buf, size_t size);

/* 64-bit FNV-1a. */
uint64_t hash_buffer(const void *buf, size_t size);

/* The hash of size bytes of a file; fewer bytes there are an error. */
int hash_file_range(const char *path, off_t offset, size_t size, uint64_t *hash);

/* Replaces whatever the file holds by size bytes of the pattern. */
int seed_read_file(const char *path, size_t size);

/* 0 if the first size bytes of the file have this hash. */
int verify_file_hash(const char *path, size_t size, uint64_t hash);

/* Compares the first size bytes of both files by their hash, and gives it. */
int verify_files_match(const char *a, const char *b, size_t size, uint64_t *hash);

/* Opens a file with just these flags (O_DIRECT is the caller's choice), and registers it. */
int open_file(const char *path, int flags, mode_t mode, int *fd, hipFileHandle_t *handle);
int close_file(const char *path, int fd, hipFileHandle_t handle);

/* The size of the open file, or cap if that is less. */
int file_size(const char *path, int fd, size_t cap, size_t *size);
int truncate_file(const char *path, int fd, size_t size);

/*
 * Makes path a file of the size bytes at devbuf + buffer_offset, written with O_DIRECT, so that the
 * buffer must reach to the next multiple of BLOCK_ALIGN.
 */
int write_file(const char *path, const void *devbuf, size_t size, hoff_t buffer_offset);

/* Queues the copy of size bytes of the pattern to the device, and gives their hash. */
int upload_pattern(void *devbuf, size_t size, uint64_t *hash);

/* The optional GPUID argument argv[index]: makes that device the thread's current one (default 0).
 */
int select_gpu(int argc, char *argv[], int index);

/* For a call that returns a code: 0 if it succeeded. */
int check_hip(const char *call, hipError_t err);
int check_hipfile(const char *call, hipFileError_t err);

/* For the result of hipFileRead or hipFileWrite on path: 0 if at least least bytes were moved. */
int check_io(const char *call, const char *path, ssize_t result, size_t least);

/* The same for what an asynchronous operation or a batch event says, which carries its errno. */
int check_async(const char *call, const char *path, ssize_t result, size_t least);

#endif
