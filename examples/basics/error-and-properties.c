// SPDX-License-Identifier: MIT
/*
 * error-and-properties: what hipFile's codes say, and how parameters become properties.
 *
 * Parameters are set while the driver is closed, take effect when it opens, and can then be read
 * from the driver's properties. No file and no device memory is used.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples_common.h"

#define CACHE_SIZE_KB  16384
#define PINNED_SIZE_KB 8192

static int print_error_strings(void)
{
    static const hipFileOpError_t codes[] = {
        hipFileSuccess,
        hipFileDriverNotInitialized,
        hipFileDIONotSet,
        hipFileMemoryAlreadyRegistered,
        hipFileMemoryNotRegistered,
        hipFileInvalidValue,
        hipFileHandleAlreadyRegistered,
    };

    printf("=== Step 1: hipFileGetOpErrorString ===\n");
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        const char *text = hipFileGetOpErrorString(codes[i]);

        if (text == NULL || text[0] == '\0') {
            fprintf(stderr, "There is no text for code %d\n", codes[i]);
            return 1;
        }
        printf("  [%d] -> \"%s\"\n", codes[i], text);
    }
    return 0;
}

static int set_parameters(void)
{
    printf("\n=== Step 2: set parameters before the driver opens ===\n");
    if (check_hipfile("hipFileSetParameterBool",
                      hipFileSetParameterBool(hipFileParamPropertiesUsePollMode, true)) ||
        check_hipfile(
            "hipFileSetParameterSizeT",
            hipFileSetParameterSizeT(hipFileParamPropertiesMaxDeviceCacheSizeKB, CACHE_SIZE_KB)) ||
        check_hipfile("hipFileSetParameterSizeT",
                      hipFileSetParameterSizeT(hipFileParamPropertiesMaxDevicePinnedMemSizeKB,
                                               PINNED_SIZE_KB))) {
        return 1;
    }
    printf("  poll mode on, device cache %d KiB, pinned memory %d KiB\n", CACHE_SIZE_KB,
           PINNED_SIZE_KB);
    return 0;
}

static int open_driver(void)
{
    printf("\n=== Step 3: hipFileDriverOpen ===\n");
    if (check_hipfile("hipFileDriverOpen", hipFileDriverOpen())) {
        return 1;
    }
    printf("  driver opened (use count = %" PRId64 ")\n", hipFileUseCount());
    return 0;
}

static int print_properties(hipFileDriverProps_t *props)
{
    printf("\n=== Step 4: hipFileDriverGetProperties ===\n");
    if (check_hipfile("hipFileDriverGetProperties", hipFileDriverGetProperties(props))) {
        return 1;
    }
    printf("  nvfs.major_version         = %u\n", props->nvfs.major_version);
    printf("  nvfs.minor_version         = %u\n", props->nvfs.minor_version);
    printf("  nvfs.poll_thresh_size      = %" PRIu64 " KiB\n", props->nvfs.poll_thresh_size);
    printf("  nvfs.max_direct_io_size    = %" PRIu64 " KiB\n", props->nvfs.max_direct_io_size);
    printf("  nvfs.driver_status_flags   = 0x%x\n", props->nvfs.driver_status_flags);
    printf("  nvfs.driver_control_flags  = 0x%x\n", props->nvfs.driver_control_flags);
    printf("  feature_flags              = 0x%x\n", props->feature_flags);
    printf("  max_device_cache_size      = %" PRIu64 " KiB\n", props->max_device_cache_size);
    printf("  per_buffer_cache_size      = %" PRIu64 " KiB\n", props->per_buffer_cache_size);
    printf("  max_device_pinned_mem_size = %" PRIu64 " KiB\n", props->max_device_pinned_mem_size);
    printf("  max_batch_io_count         = %u\n", props->max_batch_io_count);
    printf("  max_batch_io_timeout_msecs = %u\n", props->max_batch_io_timeout_msecs);
    return 0;
}

static int check_value(const char *name, uint64_t value, uint64_t expected)
{
    if (value != expected) {
        printf("[FAIL] %s is %" PRIu64 ", expected %" PRIu64 "\n", name, value, expected);
        fprintf(stderr, "%s is not what was set\n", name);
        return 1;
    }
    printf("[OK]   %s = %" PRIu64 "\n", name, value);
    return 0;
}

/* The flags are bit numbers, not masks. */
static int check_properties(const hipFileDriverProps_t *props)
{
    unsigned poll_mode = (props->nvfs.driver_control_flags >> hipFileUsePollMode) & 1;

    printf("\n=== Step 5: the properties are what was set ===\n");
    return check_value("poll mode", poll_mode, 1) |
           check_value("max_device_cache_size", props->max_device_cache_size, CACHE_SIZE_KB) |
           check_value("max_device_pinned_mem_size", props->max_device_pinned_mem_size,
                       PINNED_SIZE_KB);
}

int main(int argc, char *argv[])
{
    hipFileDriverProps_t props;
    int failed;

    if (argc != 1) {
        fprintf(stderr, "Usage: %s\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (print_error_strings() || set_parameters() || open_driver()) {
        return EXIT_FAILURE;
    }
    failed = print_properties(&props) || check_properties(&props);
    failed |= check_hipfile("hipFileDriverClose", hipFileDriverClose());
    if (failed) {
        return EXIT_FAILURE;
    }
    printf("\nAll checks passed.\n");
    return EXIT_SUCCESS;
}
