/* Cycles a lookup in ternary_cells whose entries have one mask, or several: by keys in arrays of 64, and one by one.
 * Usage: one_mask ENTRIES MASKS BYTES [MISSES]: the masks are in the first BYTES of a key; of 100 lookups so many miss.
 * Compile with -DKEY=13 (bytes of a key), and with -DMACS_NO_ONE_MASK to compare:
 *   gcc -std=c11 -O2 -march=haswell -DKEY=13 -Iaux-backend -Iaux-backend/include -pthread bench/one_mask.c
 *       aux-backend/tables/ternary/[a-z]*.c aux-backend/tables/common/[a-z]*.c
 * Prints the medians of five rounds over a million random keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "tables/ternary/ternary_cells.h"

#ifndef KEY
#define KEY 13
#endif
enum { LOOKUPS = 1 << 20, BURST = 64, ROUNDS = 5 };

struct value {
    struct macs_entry entry;
    uint64_t id;
};

struct entry {
    uint8_t value[KEY], mask[KEY];
};

static uint64_t state = 4711;

static uint64_t next_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

/* Entry number n: a scattered key; of several masks one, which differ in the first four bytes. */
static struct entry numbered(uint32_t n, uint32_t masks, uint32_t bytes) {
    const uint64_t kept = state;
    struct entry made;
    state = (n + 1) * MACS_HASH_PHI;
    for (uint32_t at = 0; at < KEY; at++)
        made.value[at] = (uint8_t)(next_random() >> 32);
    state = kept;
    memset(made.mask, 0, KEY);
    memset(made.mask, 0xff, bytes);
    for (uint32_t at = 0; at < 4; at++)
        if (n % masks >> at & 1)
            made.mask[at] = 0;
    return made;
}

static int compare(const void *a, const void *b) {
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

int main(int argc, char **argv) {
    static struct macs_ternary_cells_bulk bulk;
    static struct value miss;
    if (argc < 4)
        return 2;
    const uint32_t entries = (uint32_t)atoi(argv[1]), masks = (uint32_t)atoi(argv[2]), bytes = (uint32_t)atoi(argv[3]);
    const uint32_t misses = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    const struct macs_table_ops *ops = &macs_ternary_cells_ops;
    const struct macs_table_shape shape = {
        .key_bytes = KEY, .prefix_offset = KEY, .value_bytes = sizeof(struct value), .size = entries};
    uint8_t(*keys)[KEY] = malloc(sizeof *keys * LOOKUPS);
    double alone[ROUNDS], arrays[ROUNDS];
    uint64_t sum = 0;
    void *table;
    if (!keys || ops->create(&shape, NULL, &table))
        return 1;
    for (uint32_t n = 0; n < entries; n++) {
        const struct entry own = numbered(n, masks, bytes);
        const struct value value = {.id = n};
        const struct macs_match match = {own.value, own.mask, own.value, KEY * 8, (int32_t)(n % 100)};
        ops->add(table, &match, &value, NULL);
    }
    ops->tidy(table);
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        const struct entry own = numbered((uint32_t)((next_random() >> 32) * entries >> 32), masks, bytes);
        memcpy(keys[i], own.value, KEY);
        for (uint32_t at = bytes; at < KEY; at++)
            keys[i][at] = (uint8_t)(next_random() >> 32);
        keys[i][5] ^= next_random() % 100 < misses ? 0x55 : 0;
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t begin = __rdtsc();
        for (uint32_t i = 0; i < LOOKUPS; i++) {
            struct macs_ternary_cells_cursor cursor;
            macs_ternary_cells_start(table, keys[i], KEY, &cursor);
            const struct value *found = (const void *)macs_ternary_cells_finish(table, keys[i], KEY, &cursor);
            sum += found ? found->id : 0;
        }
        const uint64_t middle = __rdtsc();
        for (uint32_t i = 0; i < LOOKUPS; i += BURST) {
            for (uint32_t at = 0; at < BURST; at++)
                memcpy(bulk.keys[at], keys[i + at], KEY);
            macs_ternary_cells_bulk_start(table, &bulk, BURST, KEY, &miss.entry);
            for (uint32_t at = 0; at < BURST; at++)
                sum += ((const struct value *)bulk.entries[at])->id;
        }
        alone[round] = (double)(middle - begin) / LOOKUPS;
        arrays[round] = (double)(__rdtsc() - middle) / LOOKUPS;
    }
    qsort(alone, ROUNDS, sizeof *alone, compare);
    qsort(arrays, ROUNDS, sizeof *arrays, compare);
    printf("%u entries, %u masks in %u of %d bytes, by %s: arrays %.1f, one by one %.1f cycles; %llu bytes an entry "
           "[%llx]\n",
           entries, masks, bytes, KEY, ops->way(table) ? ops->way(table) : "cells", arrays[ROUNDS / 2],
           alone[ROUNDS / 2], (unsigned long long)ops->memory_bytes(table) / entries, (unsigned long long)sum);
    ops->destroy(table);
    free(keys);
    return 0;
}
