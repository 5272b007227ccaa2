// SPDX-License-Identifier: MIT
/* Rows about what can be counted: instructions, system calls, memory. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>

#include "bed.h"

/* What a program costs that makes few such reads and one that makes many differ in nothing else. */
#define FEW  100
#define MANY 1100

/* Runs this program under another one, and returns the number that the filter prints; negative:
   there was none. */
static double watch(const struct row_options *options, const char *before, const char *filter,
                    unsigned calls, unsigned threads)
{
    char self[4096], command[3 * 4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length < 0)
        return -1;
    self[length] = '\0';
    snprintf(command, sizeof command, "%s '%s' -d '%s' -s %zu --reads=%u --threads=%u 2>&1 | %s",
             before, self, options->directory, options->size / MIB, calls, threads, filter);
    return peer_command(command);
}

static bool count_calls(const struct row_options *options, const char *what, const char *before,
                        const char *filter, unsigned threads, const char *unit, double allowed)
{
    double few = watch(options, before, filter, FEW, threads);
    double many = watch(options, before, filter, MANY, threads);

    if (few < 0 || many < 0)
        bench_print_note(options, what, "not measured: the tool is not there");
    else
        bench_print_count(options, what, (many - few) / ((MANY - FEW) * threads), unit, allowed);
    return true;
}

bool row_instructions(const struct row_options *options)
{
    return count_calls(options, "4 4 KiB direct, in user space",
                       "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
                       "awk '/Collected/ { print $4 }'", 1, "instructions", 1200);
}

bool row_system_calls(const struct row_options *options)
{
    return count_calls(options, "4 4 KiB direct", "strace -f -c -U calls,name -o /dev/stdout",
                       "awk '$2 == \"total\" { print $1 }'", 1, "system calls", 1.005) &&
           count_calls(options, "6 16 threads x 4 KiB", "strace -f -c -U calls,name -o /dev/stdout",
                       "awk '$2 == \"futex\" { n = $1 } END { print n + 0 }'", 16, "futex calls",
                       0.001);
}

static double resident_mib(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (statm) {
        if (fscanf(statm, "%*d %ld", &pages) != 1)
            pages = 0;
        fclose(statm);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (double)MIB;
}

bool row_memory(const struct row_options *options)
{
    struct bed bed;
    void *device;
    double before;
    bool fine;

    if (hipMalloc(&device, options->size) != hipSuccess ||
        hipMemset(device, 1, options->size) != hipSuccess || hipFree(device) != hipSuccess)
        return false;
    before = resident_mib();
    fine = bed_open(&bed, options, options->size, 0) && bed_run(&bed) > 0;
    bed_close(&bed);
    if (fine)
        bench_print_count(options, "9 after a 1 GiB read and hipFree", resident_mib() - before,
                          "MiB more", 40);
    return fine;
}

#define READERS     64
#define READER_SIZE (4 * MIB)

struct reader {
    pthread_t thread;
    struct bed *bed;
    size_t offset;
    bool fine;
};

static void *read_part(void *argument)
{
    struct reader *reader = argument;

    for (int i = 0; i < 4; i++)
        reader->fine =
            hipFileRead(reader->bed->handle, reader->bed->device, READER_SIZE,
                        (hoff_t)reader->offset, (hoff_t)reader->offset) == (ssize_t)READER_SIZE;
    return NULL;
}

/* Two buffers for 64 threads. What else grows are the threads' stacks. */
bool row_pool(const struct row_options *options)
{
    struct reader readers[READERS];
    struct bed bed;
    bool fine = bed_open(&bed, options, READERS * READER_SIZE, 0);
    double before = resident_mib();
    unsigned started = 0;

    for (; fine && started < READERS; started++) {
        struct reader *reader = &readers[started];

        *reader = (struct reader){.bed = &bed, .offset = started * READER_SIZE};
        if (pthread_create(&reader->thread, NULL, read_part, reader) != 0)
            break;
    }
    fine = fine && started == READERS;
    while (started-- > 0) {
        pthread_join(readers[started].thread, NULL);
        fine = fine && readers[started].fine;
    }
    if (fine)
        bench_print_count(options, "9 64 threads, pool of 8 MiB", resident_mib() - before,
                          "MiB more", 12);
    bed_close(&bed);
    return fine;
}
