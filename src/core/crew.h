// SPDX-License-Identifier: MIT
/*
 * The crew of a segment: the calling thread, and for a large segment helpers from the pool. All of
 * them claim chunks until none is left; the caller finishes what no helper has begun, so that a
 * segment never waits for a thread that waits for something else.
 */
#ifndef HF_CORE_CREW_H
#define HF_CORE_CREW_H

#include "path/path.h"

/* Returns the bytes moved without a gap from the segment's start. *status: 0 if that is all of it
   or up to the end of the file, else why it stopped. */
size_t hf_crew_move(const struct hf_path *path, const struct hf_transfer *transfer,
                    const struct hf_segment *segment, int *status);

#endif
