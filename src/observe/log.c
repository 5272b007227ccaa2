// SPDX-License-Identifier: MIT
#include "observe/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/findings.h"

/* A line fits into PIPE_BUF, so that a pipe takes it whole. */
#define LINE_MAX_BYTES 1024
#define WAIT_MS        100
#define BURST          10
#define BURST_SECONDS  10
#define FORMATS        64

/* Where lines go. It is looked at again when settings come into force, and after a fork. */
struct target {
    int fd;       /* our own, or -1: stderr */
    dev_t device; /* what fd was, since a program that closes all descriptors closes ours too */
    ino_t inode;
    unsigned generation;
    pid_t pid;
};

struct repeats {
    const char *format;
    time_t since;
    unsigned lines;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Guards what follows, and is held while a line is written: never for long. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct target target = {.fd = -1};
static struct repeats repeats[FORMATS];
static unsigned dropped;

static void acquire(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    hf_settings_watch_forks();
    pthread_atfork(acquire, release, release);
}

void hf_log_watch_forks(void)
{
    pthread_once(&once, watch_forks);
}

/* ---- lines ------------------------------------------------------------------------------ */

/* UTC by arithmetic: gmtime_r takes a lock, which a forked child may find held for ever. */
static int put_time(char *text, size_t size, const struct timespec *now)
{
    const int64_t day_seconds = 86400;
    int64_t days = now->tv_sec / day_seconds, second = now->tv_sec % day_seconds;
    /* Years that begin in March, counted from 0000-03-01, put the leap day last. */
    int64_t z = days + 719468, era = z / 146097, day_of_era = z % 146097;
    int64_t year =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day = day_of_era - (365 * year + year / 4 - year / 100);
    int64_t march_month = (5 * day + 2) / 153;
    int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;

    return snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%06ldZ",
                    (int)(year + era * 400 + (month <= 2)), (int)month,
                    (int)(day - (153 * march_month + 2) / 5 + 1), (int)(second / 3600),
                    (int)(second / 60 % 60), (int)(second % 60), now->tv_nsec / 1000);
}

/* A path may hold any byte, but a message is one line. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

/* Returns the length, the newline included. */
static size_t put_line(char *line, enum hf_log_level level, const char *text, const char *suffix)
{
    const size_t room = LINE_MAX_BYTES - strlen(suffix) - 1;
    struct timespec now;
    size_t length;

    clock_gettime(CLOCK_REALTIME, &now);
    length = (size_t)put_time(line, room, &now);
    length += (size_t)snprintf(line + length, room - length, " %d %d %s hipfile: %s", getpid(),
                               gettid(), hf_level_names[level], text);
    if (length >= room) {
        length = room - 1;
        memcpy(line + length - 3, "...", 3);
    }
    make_printable(line);
    length += (size_t)sprintf(line + length, "%s\n", suffix);
    return length;
}

/* Waits a little for room. A pipe without a reader is not written to: the signal would kill. */
static bool is_writable(int fd)
{
    struct pollfd state = {.fd = fd, .events = POLLOUT};

    return poll(&state, 1, WAIT_MS) == 1 && !(state.revents & (POLLERR | POLLHUP | POLLNVAL));
}

static bool write_line(int fd, const char *line, size_t length)
{
    return is_writable(fd) && write(fd, line, length) == (ssize_t)length;
}

/* ---- where to --------------------------------------------------------------------------- */

static int open_log(const char *path, bool follow)
{
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, flags | (follow ? 0 : O_NOFOLLOW), 0644), high;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    /* The program runs without its standard descriptors; leave their numbers free. */
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return high;
}

/* The file that the settings name. False: none. *follow: the name is the user's, not ours. */
static bool name_file(char *path, size_t size, bool *follow)
{
    char directory[PATH_MAX];

    *follow = true;
    if (hf_setting_string(HF_SET_LOGFILE_PATH, path, size) > 0)
        return true;
    if (hf_setting_string(HF_SET_LOG_DIR, directory, sizeof(directory)) == 0)
        return false;
    *follow = false;
    snprintf(path, size, "%s/hipfile_%d.log", directory, getpid());
    return true;
}

/* Is our descriptor still what we opened? */
static bool is_ours(const struct target *known)
{
    struct stat status;

    return fstat(known->fd, &status) == 0 && status.st_dev == known->device &&
           status.st_ino == known->inode;
}

static void say_why(const char *path)
{
    char line[LINE_MAX_BYTES], text[LINE_MAX_BYTES / 2];

    snprintf(text, sizeof(text), "cannot log to %.400s: %m", path);
    write_line(STDERR_FILENO, line, put_line(line, HF_LOG_ERROR, text, ""));
}

static void close_target(void)
{
    if (target.fd >= 0 && is_ours(&target))
        close(target.fd);
    target.fd = -1;
}

static void open_target(void)
{
    char path[PATH_MAX + 64];
    struct stat status;
    bool follow;

    if (!name_file(path, sizeof(path), &follow))
        return;
    target.fd = open_log(path, follow);
    if (target.fd < 0 || fstat(target.fd, &status) < 0) {
        say_why(path);
        return;
    }
    target.device = status.st_dev;
    target.inode = status.st_ino;
}

static int current_fd(void)
{
    unsigned generation = hf_settings_generation();
    pid_t pid = getpid();

    if (target.generation != generation || target.pid != pid ||
        (target.fd >= 0 && !is_ours(&target))) {
        close_target();
        target.generation = generation;
        target.pid = pid;
        open_target();
    }
    return target.fd >= 0 ? target.fd : STDERR_FILENO;
}

/* ---- how much --------------------------------------------------------------------------- */

/* False: leave the line out. */
static bool may_repeat(const char *format, char *suffix, size_t size)
{
    struct repeats *known = &repeats[((uintptr_t)format >> 3) % FORMATS];
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (known->format != format || now.tv_sec - known->since >= BURST_SECONDS) {
        if (known->format == format && known->lines > BURST)
            snprintf(suffix, size, " [%u like this were left out]", known->lines - BURST);
        *known = (struct repeats){.format = format, .since = now.tv_sec};
    }
    known->lines++;
    if (known->lines == BURST)
        snprintf(suffix, size, " [more like this are left out for a while]");
    return known->lines <= BURST;
}

static void emit(enum hf_log_level level, const char *text, const char *format)
{
    char line[LINE_MAX_BYTES], suffix[64] = "";
    bool written;
    int fd;

    hf_log_watch_forks();
    acquire();
    if (!format || may_repeat(format, suffix, sizeof(suffix))) {
        fd = current_fd();
        if (dropped && !suffix[0])
            snprintf(suffix, sizeof(suffix), " [%u lines before this were lost]", dropped);
        written = write_line(fd, line, put_line(line, level, text, suffix));
        dropped = written ? 0 : dropped + 1;
    }
    release();
}

void hf_log(enum hf_log_level level, const char *format, ...)
{
    int kept = errno;
    char text[LINE_MAX_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    emit(level, text, level <= HF_LOG_NOTICE ? format : NULL);
    errno = kept;
}

void hf_log_finding(enum hf_log_level level, const char *text)
{
    int kept = errno;

    if (hf_log_on(level))
        emit(level, text, NULL);
    errno = kept;
}
