// SPDX-License-Identifier: MIT
#include "hip/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/settings.h"
#include "observe/log.h"

/* A library that defines both is a HIP runtime, whatever its name. */
#define MARK        "hipPointerGetAttributes"
#define SECOND_MARK "hipRuntimeGetVersion"

static const char *const sonames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libhiplite.so.0"};
#define SONAMES ((int)(sizeof sonames / sizeof sonames[0]))

enum step { NAMED, LOADED, FIRST_SONAME };

static void open_path(const char *path, struct hf_hip_library *library)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    snprintf(library->path, sizeof library->path, "%s", path);
}

static void open_named(struct hf_hip_library *library)
{
    char name[PATH_MAX];

    if (hf_setting_string(HF_SET_HIP_LIBRARY, name, sizeof name) == 0)
        return;
    library->final = true;
    if (strchr(name, '/') && name[0] != '/') {
        hf_warn("HIPFILE_HIP_LIBRARY=%s is a relative path: ignored", name);
        library->final = false;
        return;
    }
    open_path(name, library);
    if (!library->handle)
        hf_warn("HIPFILE_HIP_LIBRARY=%s cannot be loaded: %s", name, dlerror());
    library->final = library->handle != NULL;
}

/* Only collects names: dlopen inside the walk would wait for the loader's own lock. */
struct names {
    char **name;
    size_t count, room;
};

static int collect_name(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct names *names = argument;

    (void)size;
    if (!info->dlpi_name[0])
        return 0;
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        char **larger = realloc(names->name, room * sizeof *larger);

        if (!larger)
            return 1;
        names->name = larger;
        names->room = room;
    }
    names->name[names->count] = strdup(info->dlpi_name);
    if (names->name[names->count])
        names->count++;
    return 0;
}

/* dlsym also finds what a library's dependencies define: dladdr says who really does. */
static bool adopt(void *scope, struct hf_hip_library *library)
{
    void *mark = dlsym(scope, MARK);
    Dl_info info;

    if (!mark || !dlsym(scope, SECOND_MARK) || !dladdr(mark, &info))
        return false;
    library->handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!library->handle) /* the program itself, or a file that has gone: the scope serves too */
        library->handle = scope;
    library->final = true;
    snprintf(library->path, sizeof library->path, "%s", info.dli_fname);
    return true;
}

static bool adopt_by_name(const char *name, struct hf_hip_library *library)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    bool found;

    if (!handle)
        return false;
    found = adopt(handle, library);
    if (!found || library->handle != handle)
        dlclose(handle);
    return found;
}

static void find_loaded(struct hf_hip_library *library)
{
    struct names names = {0};
    bool found = adopt(RTLD_DEFAULT, library);

    if (!found)
        dl_iterate_phdr(collect_name, &names);
    for (size_t i = 0; i < names.count; i++) {
        found = found || adopt_by_name(names.name[i], library);
        free(names.name[i]);
    }
    free(names.name);
}

static bool is_relative(const char *element, size_t length)
{
    return length == 0 || element[0] != '/';
}

/* Tries the absolute elements of LD_LIBRARY_PATH; true if there were relative ones too. */
static bool search_library_path(const char *soname, struct hf_hip_library *library)
{
    const char *element = secure_getenv("LD_LIBRARY_PATH");
    bool relative = false;

    while (element && !library->handle) {
        size_t length = strcspn(element, ":");
        char path[PATH_MAX];

        if (is_relative(element, length)) {
            relative = true;
        } else {
            snprintf(path, sizeof path, "%.*s/%s", (int)length, element, soname);
            open_path(path, library);
        }
        element = element[length] ? element + length + 1 : NULL;
    }
    return relative;
}

/* An empty or relative element of LD_LIBRARY_PATH would let the loader take a runtime from the
   current directory. */
static void open_soname(const char *soname, struct hf_hip_library *library)
{
    bool relative = search_library_path(soname, library);

    if (library->handle)
        return;
    if (relative && access(soname, F_OK) == 0) {
        hf_warn("LD_LIBRARY_PATH has a relative element and %s lies in the current directory: "
                "not loaded",
                soname);
        return;
    }
    open_path(soname, library);
}

enum hf_library_step hf_hip_library_next(int index, struct hf_hip_library *library)
{
    memset(library, 0, sizeof *library);
    if (index == NAMED)
        open_named(library);
    else if (index == LOADED)
        find_loaded(library);
    else if (index - FIRST_SONAME < SONAMES)
        open_soname(sonames[index - FIRST_SONAME], library);
    else
        return HF_LIBRARY_END;
    return HF_LIBRARY_CANDIDATE;
}
