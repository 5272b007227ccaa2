// SPDX-License-Identifier: MIT
#include "latency.h"

/* Small values have a cell each; then the leading bits below the first one choose. */
static unsigned cell_of(uint64_t ns)
{
    unsigned shift;

    if (ns < LATENCY_STEPS)
        return (unsigned)ns;
    shift = 63u - (unsigned)__builtin_clzll(ns) - LATENCY_STEP_BITS;
    return (shift << LATENCY_STEP_BITS) + (unsigned)(ns >> shift);
}

/* The middle of a cell. */
static uint64_t value_of(unsigned cell)
{
    unsigned shift = cell >> LATENCY_STEP_BITS;

    if (shift <= 1)
        return cell;
    shift--;
    return ((uint64_t)(cell - (shift << LATENCY_STEP_BITS)) << shift) + (1ull << shift >> 1);
}

void latency_add(struct latency *latency, uint64_t ns)
{
    latency->cells[cell_of(ns)]++;
    latency->count++;
    if (ns > latency->max)
        latency->max = ns;
}

void latency_merge(struct latency *into, const struct latency *from)
{
    for (unsigned i = 0; i < LATENCY_CELLS; i++)
        into->cells[i] += from->cells[i];
    into->count += from->count;
    if (from->max > into->max)
        into->max = from->max;
}

uint64_t latency_quantile(const struct latency *latency, double share)
{
    uint64_t below = 0;

    for (unsigned i = 0; i < LATENCY_CELLS; i++) {
        below += latency->cells[i];
        if (below > 0 && (double)below >= share * (double)latency->count) {
            uint64_t value = value_of(i);

            return value < latency->max ? value : latency->max;
        }
    }
    return 0;
}
