// SPDX-License-Identifier: MIT
#include "pattern.h"

#include <string.h>

#define WORD sizeof(uint64_t)

/* The mixing step of SplitMix64: neighbours and seeds have nothing in common. */
static uint64_t word_at(uint64_t number, uint64_t seed)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u ^ seed * 0xd1342543de82ef95u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* How much of a word there is at this place, and the word from there on. */
static size_t piece(uint64_t offset, size_t left, uint64_t seed, unsigned char word[WORD])
{
    uint64_t value = word_at(offset / WORD, seed);
    size_t skip = offset % WORD;
    size_t length = WORD - skip < left ? WORD - skip : left;

    memcpy(word, (const char *)&value + skip, WORD - skip);
    return length;
}

void pattern_fill(void *memory, size_t size, uint64_t offset, uint64_t seed)
{
    unsigned char *at = memory, word[WORD];
    size_t length;

    for (size_t done = 0; done < size; done += length) {
        length = piece(offset + done, size - done, seed, word);
        memcpy(at + done, word, length);
    }
}

size_t pattern_check(const void *memory, size_t size, uint64_t offset, uint64_t seed,
                     unsigned char *expected)
{
    const unsigned char *at = memory;
    unsigned char word[WORD];
    size_t length;

    for (size_t done = 0; done < size; done += length) {
        length = piece(offset + done, size - done, seed, word);
        if (memcmp(at + done, word, length) == 0)
            continue;
        for (size_t i = 0; i < length; i++)
            if (at[done + i] != word[i]) {
                *expected = word[i];
                return done + i;
            }
    }
    return size;
}
