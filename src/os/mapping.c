// SPDX-License-Identifier: MIT
#include "os/mapping.h"

#include <stdio.h>
#include <stdlib.h>

bool hf_mapping_is_readable(uintptr_t address, size_t size)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uintptr_t covered = address; /* up to here every byte is readable */
    uintptr_t from, to;
    char *line = NULL;
    size_t room = 0;
    char readable;

    if (!maps)
        return false;
    /* Lines are sorted by address. */
    while (covered < address + size && getline(&line, &room, maps) > 0) {
        if (sscanf(line, "%lx-%lx %c", &from, &to, &readable) != 3 || to <= covered)
            continue;
        if (from > covered || readable != 'r')
            break;
        covered = to;
    }
    free(line);
    fclose(maps);
    return covered >= address + size;
}
