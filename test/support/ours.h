// SPDX-License-Identifier: MIT
/* Which descriptors and threads of a process may be the library's. On the CPU device that is any of
   them; the runtime of a GPU has some of its own, and more whenever it likes. */
#ifndef OURS_H
#define OURS_H

#include <dirent.h>
#include <instrumented.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* CUDA opens devices, pipes, sockets and events, and keeps no file open. */
static inline bool descriptor_may_be_ours(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return false;
    return !on_gpu() || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
}

static inline void name_of_thread(int number, char name[32])
{
    char path[64];
    FILE *file;

    name[0] = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", number);
    file = fopen(path, "r");
    if (!file)
        return; /* it has ended */
    if (!fgets(name, 32, file))
        name[0] = 0;
    fclose(file);
}

static int threads_of_runtime[256];
static int known_threads;

static inline bool is_thread_of_runtime(int number)
{
    for (int i = 0; i < known_threads; i++)
        if (threads_of_runtime[i] == number)
            return true;
    return false;
}

/* Ours bear the name of the program; CUDA gives names to its threads, or to most of them. */
static inline bool thread_may_be_ours(int number)
{
    char program[32], name[32];

    if (!on_gpu())
        return true;
    if (is_thread_of_runtime(number))
        return false;
    name_of_thread(getpid(), program);
    name_of_thread(number, name);
    return strcmp(program, name) == 0;
}

static inline void for_each_thread(void (*body)(int number, void *argument), void *argument)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;

    if (!folder)
        abort();
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && thread_may_be_ours(atoi(entry->d_name)))
            body(atoi(entry->d_name), argument);
    closedir(folder);
}

static inline void note_thread_of_runtime(int number, void *unused)
{
    (void)unused;
    if (number != getpid() && known_threads < 256)
        threads_of_runtime[known_threads++] = number;
}

/* On a GPU: what threads there are but this one are the runtime's. */
static inline void note_threads_of_runtime(void)
{
    if (on_gpu())
        for_each_thread(note_thread_of_runtime, NULL);
}

static inline void count_thread(int number, void *count)
{
    (void)number;
    *(int *)count += 1;
}

static inline int count_our_threads(void)
{
    int count = 0;

    for_each_thread(count_thread, &count);
    return count;
}

/* The kernel makes the clock of a thread of its number, as pthread_getcpuclockid does. */
static inline void add_cpu_time(int number, void *sum)
{
    clockid_t clock = (clockid_t)(~(unsigned)number << 3 | 6);
    struct timespec time;

    if (clock_gettime(clock, &time) == 0)
        *(int64_t *)sum += time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline int64_t cpu_time_of_our_threads(void)
{
    int64_t sum = 0;

    for_each_thread(add_cpu_time, &sum);
    return sum;
}

#endif
