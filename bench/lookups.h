/* Lookups of a switch, noted while it runs and done again alone.
 *
 * Generated code is compiled behind a header that macsad/bench/lookups.py writes: there the functions that begin a
 * lookup are macros, which note table and key first. When the switch has ended, bench/lookups.c does the lookups of one
 * table after the other again, BATCH keys at a time, as generated code does: as an array where the kernel has that,
 * else by cursors. The functions that do so are made by the macros below, with a table's key lengths as constants.
 */
#ifndef MACSAD_BENCH_LOOKUPS_H
#define MACSAD_BENCH_LOOKUPS_H

#include <macs/table.h>

#include "tables/common/bulk.h"

enum { LOOKUPS_BATCH = 64 };

/* A lookup with a packed key, with a key that is a number or a word, with `count` of each side by side. */
void lookups_note(const void *state, const uint8_t *key, uint32_t bytes);
void lookups_note_word(const void *state, uint64_t word);
void lookups_note_words(const void *state, const uint64_t words[], uint32_t count);
void lookups_note_numbers(const void *state, const uint32_t numbers[], uint32_t count, uint32_t bytes);
void lookups_note_rows(const void *state, const void *rows, size_t stride, uint32_t count, uint32_t bytes);

/* Does `count` lookups, LOOKUPS_BATCH at most, with keys side by side, words in host order; how many found an entry. */
typedef uint32_t lookups_fn(const void *state, const uint8_t *keys, uint32_t count);

/* What is measured: the tables and value sets that have a kernel. */
struct lookups_subject {
    const char *table; /* control-plane name */
    lookups_fn *run;
    uint32_t bytes; /* of a key as it is kept */
};

extern const struct lookups_subject lookups_subjects[];
extern const uint32_t lookups_subject_count;

#define LOOKUPS_NO_STEP(...) (void)0

/* By cursors, STEP done STEPS times for all keys. */
#define LOOKUPS_CURSORS(NAME, X, BYTES, STEPS, STEP)                                                                   \
    static uint32_t NAME(const void *state, const uint8_t *keys, uint32_t count) {                                     \
        struct macs_##X##_cursor cursors[LOOKUPS_BATCH];                                                               \
        uint32_t found = 0;                                                                                            \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            macs_##X##_start(state, keys + (size_t)i * (BYTES), BYTES, &cursors[i]);                                   \
        for (int step = 0; step < (STEPS); step++)                                                                     \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                STEP(state, keys + (size_t)i * (BYTES), BYTES, &cursors[i]);                                           \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            found += macs_##X##_finish(state, keys + (size_t)i * (BYTES), BYTES, &cursors[i]) != NULL;                 \
        return found;                                                                                                  \
    }

/* As an array of numbers. */
#define LOOKUPS_NUMBERS(NAME, X, BYTES)                                                                                \
    static uint32_t NAME(const void *state, const uint8_t *keys, uint32_t count) {                                     \
        static const struct macs_entry miss;                                                                           \
        struct macs_bulk bulk;                                                                                         \
        uint32_t found = 0;                                                                                            \
        struct macs_bulk_begin begin = macs_##X##_bulk_begin(state, BYTES);                                            \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            uint32_t key = 0;                                                                                          \
            for (uint32_t k = 0; k < (BYTES); k++)                                                                     \
                key = key << 8 | keys[(size_t)i * (BYTES) + k];                                                        \
            bulk.keys[i] = key;                                                                                        \
            macs_bulk_prefetch(begin, key);                                                                            \
        }                                                                                                              \
        macs_##X##_bulk_start(state, &bulk, count, BYTES, &miss);                                                      \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            found += bulk.entries[i] != &miss;                                                                         \
        return found;                                                                                                  \
    }

/* As an array of packed keys; STEP and FINISH of kernels that do it in parts. */
#define LOOKUPS_ROWS(NAME, X, BYTES, STEP, FINISH)                                                                     \
    static uint32_t NAME(const void *state, const uint8_t *keys, uint32_t count) {                                     \
        static const struct macs_entry miss;                                                                           \
        struct macs_##X##_bulk bulk;                                                                                   \
        uint32_t found = 0;                                                                                            \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            memcpy(bulk.keys[i], keys + (size_t)i * (BYTES), BYTES);                                                   \
        macs_##X##_bulk_start(state, &bulk, count, BYTES, &miss);                                                      \
        STEP(state, &bulk, count);                                                                                     \
        FINISH(state, &bulk, count, BYTES);                                                                            \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            found += bulk.entries[i] != &miss;                                                                         \
        return found;                                                                                                  \
    }

/* Entries that are words, by cursors. */
#define LOOKUPS_WORD_CURSORS(NAME, X, KEY_BITS, DATA_BITS, STEPS, STEP)                                                \
    static uint32_t NAME(const void *state, const uint8_t *keys, uint32_t count) {                                     \
        struct macs_##X##_cursor cursors[LOOKUPS_BATCH];                                                               \
        uint64_t words[LOOKUPS_BATCH], data = 0, sum = 0;                                                              \
        uint32_t found = 0;                                                                                            \
        memcpy(words, keys, count * sizeof words[0]);                                                                  \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            macs_##X##_start(state, words[i], KEY_BITS, DATA_BITS, &cursors[i]);                                       \
        for (int step = 0; step < (STEPS); step++)                                                                     \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                STEP(DATA_BITS, &cursors[i]);                                                                          \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            found += macs_##X##_finish(KEY_BITS, DATA_BITS, &cursors[i], &data);                                       \
            sum += data;                                                                                               \
        }                                                                                                              \
        __asm__ volatile("" : : "r"(sum));                                                                             \
        return found;                                                                                                  \
    }

/* Entries that are words, as an array. */
#define LOOKUPS_WORDS(NAME, X, KEY_BITS, DATA_BITS)                                                                    \
    static uint32_t NAME(const void *state, const uint8_t *keys, uint32_t count) {                                     \
        struct macs_##X##_bulk bulk;                                                                                   \
        uint64_t data = 0, sum = 0;                                                                                    \
        uint32_t found = 0;                                                                                            \
        memcpy(bulk.keys, keys, count * sizeof bulk.keys[0]);                                                          \
        macs_##X##_bulk_start(state, &bulk, count, KEY_BITS, DATA_BITS);                                               \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            macs_##X##_bulk_prefetch(&bulk, i);                                                                        \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            macs_##X##_bulk_step(&bulk, i, DATA_BITS);                                                                 \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            found += macs_##X##_bulk_finish(&bulk, i, DATA_BITS, &data);                                               \
            sum += data;                                                                                               \
        }                                                                                                              \
        __asm__ volatile("" : : "r"(sum));                                                                             \
        return found;                                                                                                  \
    }

#endif
