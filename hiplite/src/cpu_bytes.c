// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <string.h>

#include "cpu.h"

#ifdef __SSE2__
#include <emmintrin.h>

#define LINE 64

// From here on it pays not to read what is about to be overwritten, and not to push other data out
// of the cache for bytes that the CPU will not look at.
#define STREAM_MIN ((size_t)8 << 10)

// Fewer bytes than that are in the cache sooner than they would be in memory, and whoever comes
// next need not wait for them. All their lines are asked for at once.
static void short_upload(char *dst, const char *src, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch(dst + i, 1);
    memcpy(dst, src, size);
}

static void stream_lines(char *dst, const char *src, size_t size)
{
    for (size_t i = 0; i < size; i += LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)(src + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(src + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(src + i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(src + i + 48));
        _mm_stream_si128((__m128i *)(dst + i), a);
        _mm_stream_si128((__m128i *)(dst + i + 16), b);
        _mm_stream_si128((__m128i *)(dst + i + 32), c);
        _mm_stream_si128((__m128i *)(dst + i + 48), d);
    }
    _mm_sfence();
}

void hl_bytes_upload(char *dst, const char *src, size_t size)
{
    size_t lead = -(uintptr_t)dst % LINE;
    size_t lines;

    if (size < STREAM_MIN) {
        short_upload(dst, src, size);
        return;
    }
    lines = (size - lead) / LINE * LINE;
    memcpy(dst, src, lead);
    stream_lines(dst + lead, src + lead, lines);
    memcpy(dst + lead + lines, src + lead + lines, size - lead - lines);
}

#else

void hl_bytes_upload(char *dst, const char *src, size_t size)
{
    memcpy(dst, src, size);
}

#endif
