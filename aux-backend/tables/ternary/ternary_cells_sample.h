/* A sample of a table's entries, and keys that stand for the traffic, to estimate the cost of cuts
 * (ternary_cells_plan.h).
 *
 * For each value of each byte of the key there is a bit vector with a bit for each entry of the sample that the value
 * can match. The intersection of the vectors of a key's bytes is the set of entries that the key can match.
 * Threads: the one writer.
 * Cost: 16 KiB of memory for each byte of the key.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_SAMPLE_H
#define MACS_TABLES_TERNARY_CELLS_SAMPLE_H

#include "ternary_cells_values.h"

#define MACS_TERNARY_CELLS_SAMPLE 512u /* entries at most */
#define MACS_TERNARY_CELLS_ROW_WORDS (MACS_TERNARY_CELLS_SAMPLE / 64)
#define MACS_TERNARY_CELLS_KEYS 64u

struct macs_ternary_cells_row {
    uint64_t has[MACS_TERNARY_CELLS_ROW_WORDS];
};

struct macs_ternary_cells_sample {
    const struct macs_rules *rules;
    uint32_t count;
    double scale; /* entries that it was drawn from for each of its own */
    const struct macs_rule *rule[MACS_TERNARY_CELLS_SAMPLE];
    uint32_t owner[MACS_TERNARY_CELLS_KEYS]; /* entries that the keys were made for */
    uint8_t *keys;
    struct macs_ternary_cells_row *rows; /* 256 for each byte of the key */
    uint8_t *same;                       /* for each of them the first value of the byte with such a row */
};

/* A sample of the table's rules, not drawn yet; NULL: no memory. */
struct macs_ternary_cells_sample *macs_ternary_cells_sample_make(const struct macs_rules *rules);
void macs_ternary_cells_sample_free(struct macs_ternary_cells_sample *sample);

/* Draw the sample from the indices below `count` whose `wanted` is not 0. */
void macs_ternary_cells_draw(struct macs_ternary_cells_sample *sample, const uint32_t *wanted, uint32_t count);

/* The entries that may match a key with that value of byte `at`. */
static inline const struct macs_ternary_cells_row *
macs_ternary_cells_row_of(const struct macs_ternary_cells_sample *sample, uint32_t at, uint32_t value) {
    return &sample->rows[(size_t)at * 256 + value];
}

/* The same for byte `at` of key `number`. */
static inline const struct macs_ternary_cells_row *
macs_ternary_cells_row_for(const struct macs_ternary_cells_sample *sample, uint32_t at, uint32_t number) {
    return macs_ternary_cells_row_of(sample, at, sample->keys[(size_t)number * sample->rules->key_bytes + at]);
}

static inline bool macs_ternary_cells_row_has(const struct macs_ternary_cells_row *row, uint32_t number) {
    return row->has[number / 64] >> number % 64 & 1;
}

static inline void macs_ternary_cells_row_set(struct macs_ternary_cells_row *row, uint32_t number) {
    row->has[number / 64] |= UINT64_C(1) << number % 64;
}

static inline struct macs_ternary_cells_row macs_ternary_cells_row_and(const struct macs_ternary_cells_row *a,
                                                                       const struct macs_ternary_cells_row *b) {
    struct macs_ternary_cells_row both;
    for (uint32_t i = 0; i < MACS_TERNARY_CELLS_ROW_WORDS; i++)
        both.has[i] = a->has[i] & b->has[i];
    return both;
}

static inline uint32_t macs_ternary_cells_row_count(const struct macs_ternary_cells_row *row) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < MACS_TERNARY_CELLS_ROW_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(row->has[i]);
    return count;
}

#endif
