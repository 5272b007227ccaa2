// SPDX-License-Identifier: MIT
/* Reads and writes of one range on one side of a file, until done or at the end of the file. */
#ifndef HF_OS_IO_H
#define HF_OS_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/descriptor.h"

/* Bytes read (fewer at the end of the file), or -errno if none were. EINTR is retried. After a
   short direct read nothing continues at an unaligned offset. */
ssize_t hf_io_read(struct hf_descriptor *file, enum hf_side side, void *buffer, size_t size,
                   uint64_t offset);

/* Bytes written (fewer when an error stopped it), or -errno if none were. */
ssize_t hf_io_write(struct hf_descriptor *file, enum hf_side side, const void *buffer, size_t size,
                    uint64_t offset);

/* Writers of one file through the page cache take turns: the inode's own lock makes more of them
   useless. The lock is shared by files whose inodes fall together. */
pthread_mutex_t *hf_io_writer_lock(const struct hf_descriptor *file);

/* In a forked child: no one is writing. */
void hf_io_forget(void);

#endif
