// SPDX-License-Identifier: MIT
/*
 * get-version: the version that this program was compiled with, and the one that it runs with.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hipfile.h>

int main(int argc, char *argv[])
{
    unsigned major, minor, patch;
    hipFileError_t err;

    if (argc != 1) {
        fprintf(stderr, "Usage: %s\n", argv[0]);
        return EXIT_FAILURE;
    }

    printf("\nVersion from the header symbols (major.minor.patch): %d.%d.%d\n",
           HIPFILE_VERSION_MAJOR, HIPFILE_VERSION_MINOR, HIPFILE_VERSION_PATCH);

    err = hipFileGetVersion(&major, &minor, &patch);
    if (err.err != hipFileSuccess) {
        fprintf(stderr, "Could not get the version (%s)\n", hipFileGetOpErrorString(err.err));
        return EXIT_FAILURE;
    }
    printf("\nVersion from hipFileGetVersion() (major.minor.patch): %u.%u.%u\n\n", major, minor,
           patch);
    return EXIT_SUCCESS;
}
