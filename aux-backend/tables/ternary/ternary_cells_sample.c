/* Bit vectors and keys of a sample of entries; see ternary_cells_sample.h. */
#include "ternary_cells_sample.h"

#include <stdlib.h>

#include "tables/common/hash.h"

enum {
    SAMPLE = MACS_TERNARY_CELLS_SAMPLE,
    ROW_WORDS = MACS_TERNARY_CELLS_ROW_WORDS,
    KEYS = MACS_TERNARY_CELLS_KEYS,
    VALUES = 256, /* of a byte */
};

typedef struct macs_ternary_cells_sample sample_t;
typedef struct macs_ternary_cells_row row_t;
typedef struct macs_ternary_cells_values values_t;

static void learn_rows(sample_t *sample, uint32_t at) {
    row_t *rows = sample->rows + (size_t)at * VALUES, any = {{0}};
    for (uint32_t i = 0; i < sample->count; i++) {
        values_t values = macs_ternary_cells_values(sample->rules, sample->rule[i], at);
        if (macs_ternary_cells_any(&values)) {
            macs_ternary_cells_row_set(&any, i);
            continue;
        }
        for (uint32_t word = 0; word < 4; word++)
            for (uint64_t left = values.has[word]; left; left &= left - 1)
                macs_ternary_cells_row_set(&rows[word * 64 + (uint32_t)__builtin_ctzll(left)], i);
    }
    for (uint32_t value = 0; value < VALUES; value++)
        for (uint32_t i = 0; i < ROW_WORDS; i++)
            rows[value].has[i] |= any.has[i];
}

/* Most bytes have few different rows. */
static void learn_same(sample_t *sample, uint32_t at) {
    const row_t *rows = macs_ternary_cells_row_of(sample, at, 0);
    uint8_t *same = sample->same + (size_t)at * VALUES, first[VALUES];
    uint32_t count = 0;
    for (uint32_t value = 0; value < VALUES; value++) {
        uint32_t i = count;
        while (i > 0 && memcmp(&rows[first[i - 1]], &rows[value], sizeof *rows))
            i--;
        if (i == 0)
            first[count++] = (uint8_t)value;
        same[value] = i ? first[i - 1] : (uint8_t)value;
    }
}

/* A key that matches an entry: for each byte the first matching value from a random one on. */
static void make_key(sample_t *sample, uint32_t number, uint64_t *state) {
    uint32_t key_bytes = sample->rules->key_bytes;
    sample->owner[number] = (uint32_t)((uint64_t)number * sample->count / KEYS);
    for (uint32_t at = 0; at < key_bytes; at++) {
        values_t values = macs_ternary_cells_values(sample->rules, sample->rule[sample->owner[number]], at);
        *state = macs_hash_fold(*state + MACS_HASH_PHI, MACS_HASH_ROOT2);
        uint32_t value = *state % VALUES;
        while (!macs_ternary_cells_has(&values, value))
            value = (value + 1) % VALUES;
        sample->keys[(size_t)number * key_bytes + at] = (uint8_t)value;
    }
}

void macs_ternary_cells_sample_free(sample_t *sample) {
    if (!sample)
        return;
    free(sample->rows);
    free(sample->same);
    free(sample->keys);
    free(sample);
}

sample_t *macs_ternary_cells_sample_make(const struct macs_rules *rules) {
    sample_t *sample = calloc(1, sizeof *sample);
    if (!sample)
        return NULL;
    sample->rules = rules;
    sample->keys = calloc(KEYS, rules->key_bytes);
    sample->rows = calloc((size_t)rules->key_bytes * VALUES, sizeof *sample->rows);
    sample->same = calloc(rules->key_bytes, VALUES);
    if (sample->keys && sample->rows && sample->same)
        return sample;
    macs_ternary_cells_sample_free(sample);
    return NULL;
}

/* Entries evenly over the indices, as many as fit. */
static void pick_entries(sample_t *sample, const uint32_t *wanted, uint32_t count) {
    uint64_t seen = 0, all = 0, size;
    for (uint32_t index = 0; index < count; index++)
        all += wanted[index] != 0;
    size = all < SAMPLE ? all : SAMPLE;
    sample->count = 0;
    for (uint32_t index = 0; index < count; index++)
        if (wanted[index] && seen++ * size / all == sample->count && sample->count < size)
            sample->rule[sample->count++] = macs_rules_at(sample->rules, index);
    sample->scale = (double)all / (sample->count ? sample->count : 1);
}

void macs_ternary_cells_draw(sample_t *sample, const uint32_t *wanted, uint32_t count) {
    uint32_t key_bytes = sample->rules->key_bytes;
    uint64_t state = 1;
    pick_entries(sample, wanted, count);
    memset(sample->rows, 0, (size_t)key_bytes * VALUES * sizeof *sample->rows);
    for (uint32_t at = 0; at < key_bytes; at++) {
        learn_rows(sample, at);
        learn_same(sample, at);
    }
    for (uint32_t i = 0; i < KEYS && sample->count; i++)
        make_key(sample, i, &state);
}
