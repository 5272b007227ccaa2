// SPDX-License-Identifier: MIT
#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_parse.h"
#include "base/config_rules.h"
#include "base/findings.h"

/* cufile.json has 8 KiB, most of it comments. */
#define FILE_MAX ((size_t)64 * 1024)

struct reading {
    const char *path;
    hf_config_take *take;
};

/* Keys of cufile.json with nothing to act on here; an entry with a dot at its end is a section. */
static const char *const inert_keys[] = {
    "properties.posix_pool_slab_size_kb",
    "properties.posix_pool_slab_count",
    "properties.gds_rdma_write_support",
    "properties.io_priority",
    "properties.rdma_dev_addr_list",
    "properties.rdma_load_balancing_policy",
    "properties.rdma_dynamic_routing",
    "properties.rdma_dynamic_routing_order",
    "fs.beegfs.posix_gds_min_kb",
    "fs.lustre.posix_gds_min_kb",
    "fs.nfs.",
    "fs.gpfs.gds_write_support",
    "fs.gpfs.gds_async_support",
    "fs.weka.rdma_write_support",
};

static bool is_inert(const char *key)
{
    for (size_t i = 0; i < sizeof(inert_keys) / sizeof(inert_keys[0]); i++) {
        const size_t length = strlen(inert_keys[i]);

        if (inert_keys[i][length - 1] == '.' ? strncmp(key, inert_keys[i], length) == 0
                                             : strcmp(key, inert_keys[i]) == 0)
            return true;
    }
    return false;
}

static void take_value(void *context, const char *key, const char *text, unsigned line)
{
    const struct reading *reading = context;
    char where[PATH_MAX + 32];

    snprintf(where, sizeof(where), "%s:%u", reading->path, line);
    if (hf_config_rule_take(key, text, where))
        return;
    if (text && reading->take(key, text, where))
        return;
    if (is_inert(key))
        hf_finding_add(HF_LOG_INFO, "%s: %s: nothing to act on here", where, key);
    else
        hf_finding_add(HF_LOG_WARN, "%s: unknown key %s", where, key);
}

void hf_config_take_text(const char *path, char *text, size_t length, hf_config_take *take)
{
    struct reading reading = {.path = path, .take = take};
    struct hf_config_error error;

    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        memset(text, ' ', 3);
    if (memchr(text, '\0', length))
        error = (struct hf_config_error){0, "not a text file"};
    else if (hf_config_parse(text, length, take_value, &reading, &error))
        return;
    if (error.line)
        hf_finding_add(HF_LOG_WARN, "%s:%u: %s; nothing of the file is used", path, error.line,
                       error.why);
    else
        hf_finding_add(HF_LOG_WARN, "%s: %s", path, error.why);
}

/* Refuses what could block or never end. Returns a descriptor, or -1 with *why set. */
static int open_file(const char *path, const char **why)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0) {
        *why = strerrordesc_np(errno);
        return -1;
    }
    if (fstat(fd, &status) < 0)
        *why = strerrordesc_np(errno);
    else if (!S_ISREG(status.st_mode))
        *why = "not a regular file";
    else
        return fd;
    close(fd);
    return -1;
}

/* Reads until the end; a text of FILE_MAX + 1 bytes is one that is too long. */
static ssize_t read_text(int fd, char *text)
{
    size_t length = 0;
    ssize_t count;

    while (length <= FILE_MAX) {
        count = read(fd, text + length, FILE_MAX + 1 - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        if (count == 0)
            break;
        length += (size_t)count;
    }
    return (ssize_t)length;
}

/* Returns the text, which the caller frees, or NULL with *why set. */
static char *read_file(int fd, size_t *length, const char **why)
{
    char *text = malloc(FILE_MAX + 2);
    ssize_t count = text ? read_text(fd, text) : -ENOMEM;

    if (count >= 0 && (size_t)count <= FILE_MAX) {
        text[count] = '\0';
        *length = (size_t)count;
        return text;
    }
    *why = count < 0 ? strerrordesc_np((int)-count) : "longer than 64 KiB";
    free(text);
    return NULL;
}

void hf_config_read(const char *path, bool named, hf_config_take *take)
{
    const char *why = NULL;
    char *text = NULL;
    size_t length;
    int fd;

    hf_config_rules_clear();
    if (!*path)
        return;
    errno = 0;
    fd = open_file(path, &why);
    if (fd < 0 && errno == ENOENT && !named)
        return;
    if (fd >= 0) {
        text = read_file(fd, &length, &why);
        close(fd);
    }
    if (text) {
        hf_config_take_text(path, text, length, take);
        hf_config_rules_check();
    } else {
        hf_finding_add(HF_LOG_WARN, "%s: %s; the file is not used", path, why);
    }
    free(text);
}
