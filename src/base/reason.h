// SPDX-License-Identifier: MIT
/* Why the direct path was not taken. The same list, as public enum, is in hipfile_ext.h. */
#ifndef HF_BASE_REASON_H
#define HF_BASE_REASON_H

#define HF_REASONS(X)                                                                              \
    X(NONE, "the direct path is taken")                                                            \
    X(COMPAT_FORCED, "compat mode is forced by a setting")                                         \
    X(RUNTIME_LACKS_FILE_IO, "the HIP runtime has no hipAmdFileRead and hipAmdFileWrite")          \
    X(NOT_DEVICE_MEMORY, "the buffer is memory that the CPU can address")                          \
    X(NO_DIRECT_DESCRIPTOR, "the file cannot be opened with O_DIRECT")                             \
    X(FILE_SYSTEM, "the file system is not known to be safe for direct GPU I/O")                   \
    X(JOURNAL_MODE, "the file system's journal mode is not data=ordered")                          \
    X(MEMORY_ALIGNMENT, "buffer address and file offset are not aligned alike")                    \
    X(BELOW_UNIT, "the request holds no whole block")                                              \
    X(REFUSED, "the driver refused the file's storage")                                            \
    X(CONFIGURED, "a rule of the configuration forbids it")                                        \
    X(NOT_HOST_MEMORY, "the buffer is device memory")

enum hf_reason {
#define REASON(name, text) HF_REASON_##name,
    HF_REASONS(REASON)
#undef REASON
        HF_REASON_COUNT
};

static inline const char *hf_reason_text(enum hf_reason reason)
{
    static const char *const texts[] = {
#define REASON(name, text) text,
        HF_REASONS(REASON)
#undef REASON
    };
    return (unsigned)reason < HF_REASON_COUNT ? texts[reason] : "unknown reason";
}

#endif
