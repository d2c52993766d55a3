/* Longest prefix match on one field of up to 32 bits: DIR-24-8, with a compressed copy of its base array for lookups.
 *
 * The first 24 bits of the field (all bits of a shorter field) index the base array. An entry of it has the result of
 * the longest prefix that covers it (results.h) and that prefix's length, or the number of a group. A group has 256
 * entries for the last 8 bits; it exists where there is a prefix longer than 24. The prefix of length 0 is apart, in
 * `root`, so a default route need not be written to each entry.
 * Lookups begin with a run-length code of the base array (lpm_runs.h), a tenth of its size, whose leaves are results or
 * groups. Results and groups of high numbers have no leaf; their lookups go on to the base array. If these were many,
 * `words` is NULL and all lookups begin with the base array.
 * Invariants: each entry is complete by itself (leaf pushing) and changes by one atomic store. A group is filled before
 * the base array names it. The base array changes before its runs. A lookup reads `root` last, so it does not miss a
 * default route that replaces a prefix. `root` is cleared only after all lookups that began before, so none misses a
 * prefix that replaces the default route.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h). The writer waits
 * for them when a default route is removed.
 * Cost: lookup 1 or 2 cache lines out of some MB (without the runs 1 line out of 64 MiB), one more for a prefix longer
 * than 24 bits, and the result's. Memory 64 MiB for the base array, of which pages without prefixes are never written,
 * 4 MiB for the words of the runs, 64 bytes for each /16 with prefixes, 1 KiB a group. Change O(2^(24 - prefix)).
 * Source: Gupta, Lin, McKeown, Routing lookups in hardware at memory access speeds (1998).
 */
#ifndef MACS_TABLES_LPM_DIR24_H
#define MACS_TABLES_LPM_DIR24_H

#include <stdatomic.h>

#include "tables/common/bulk.h"
#include "lpm_runs.h"
#include "results.h"
#include "tables/common/rules.h"

/* An entry: this and a group's number, or a result's number + 1 (0: none) and above it its prefix's length. */
#define MACS_LPM_DIR24_GROUP UINT32_C(0x80000000)
#define MACS_LPM_DIR24_RESULT UINT32_C(0x00ffffff)
#define MACS_LPM_DIR24_LENGTH_AT 24
/* Leaves of the runs from here on are groups' numbers; below, results' numbers + 1. */
#define MACS_LPM_DIR24_LEAF_GROUP ((MACS_LPM_RUNS_ELSEWHERE + 1) / 2)

struct macs_lpm_dir24 {
    _Atomic uint32_t *base;
    _Atomic uint32_t *groups; /* 256 entries each */
    struct macs_lpm_runs runs;
    _Atomic uint64_t *_Atomic words;       /* of the runs, that lookups begin with, or NULL */
    const struct macs_entry *_Atomic root; /* the result of the prefix of length 0, or NULL */
    struct macs_results results;
    struct macs_rules rules;
    /* The writer's: of the prefixes that end in the same byte a bit for each, at 1 before its bits there: one line. */
    struct macs_lpm_dir24_tree {
        uint64_t bits[8];
    } * trees;                               /* of the first byte; of the second, for each first; of the third */
    struct macs_lpm_dir24_tree *group_trees; /* of the fourth; in a free group's the next free one + 1 */
    uint32_t base_bits;
    uint32_t group_limit;
    uint32_t group_top;  /* groups from here on were never used */
    uint32_t group_free; /* first free group + 1, or 0 */
};

struct macs_lpm_dir24_cursor {
    uint32_t leaf; /* its number; at first that of a leaf that is elsewhere, so that the base would be asked */
};

/* A key as a number. */
static inline uint32_t macs_lpm_dir24_key(const uint8_t *key, uint32_t key_bytes) {
    uint32_t number = 0;
    if (key_bytes < 4) {
        for (uint32_t i = 0; i < key_bytes; i++)
            number = number << 8 | key[i];
        return number;
    }
    memcpy(&number, key, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    number = __builtin_bswap32(number);
#endif
    return number;
}

/* What of it does not index the base. */
static inline uint32_t macs_lpm_dir24_low_bits(uint32_t key_bytes) {
    return key_bytes > 3 ? 8 : 0;
}

/* The first bits of a key that index the base. */
static inline uint32_t macs_lpm_dir24_index(const uint8_t *key, uint32_t key_bytes) {
    return macs_lpm_dir24_key(key, key_bytes) >> macs_lpm_dir24_low_bits(key_bytes);
}

static inline const _Atomic uint64_t *macs_lpm_dir24_words(const struct macs_lpm_dir24 *table) {
    return atomic_load_explicit(&table->words, memory_order_relaxed);
}

static inline void macs_lpm_dir24_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                        struct macs_lpm_dir24_cursor *cursor) {
    const struct macs_lpm_dir24 *table = self;
    uint32_t index = macs_lpm_dir24_index(key, key_bytes);
    const _Atomic uint64_t *words = macs_lpm_dir24_words(table);
    cursor->leaf = MACS_LPM_RUNS_ELSEWHERE;
    if (__builtin_expect(words != NULL, 1))
        macs_prefetch((const void *)&words[index / MACS_LPM_RUNS_EACH]);
    else
        macs_prefetch((const void *)&table->base[index]);
}

static inline const _Atomic uint32_t *macs_lpm_dir24_in_group(const struct macs_lpm_dir24 *table, uint32_t group,
                                                              uint32_t key) {
    return &table->groups[(size_t)group << 8 | (key & 0xff)];
}

static inline uint32_t macs_lpm_dir24_in_base(const struct macs_lpm_dir24 *table, uint32_t key, uint32_t key_bytes) {
    return atomic_load_explicit(&table->base[key >> macs_lpm_dir24_low_bits(key_bytes)], memory_order_acquire);
}

/* When the base's entry is in the cache: prefetch the group's entry, or the result. */
static inline void macs_lpm_dir24_fetch_far(const struct macs_lpm_dir24 *table, uint32_t key, uint32_t key_bytes) {
    uint32_t entry = macs_lpm_dir24_in_base(table, key, key_bytes);
    if (key_bytes > 3 && entry & MACS_LPM_DIR24_GROUP)
        macs_prefetch((const void *)macs_lpm_dir24_in_group(table, entry & ~MACS_LPM_DIR24_GROUP, key));
    else if (entry)
        macs_prefetch(macs_results_at(&table->results, (entry & MACS_LPM_DIR24_RESULT) - 1));
}

/* When the word is in the cache: prefetch the leaf. */
static inline void macs_lpm_dir24_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_dir24_cursor *cursor) {
    const struct macs_lpm_dir24 *table = self;
    const _Atomic uint64_t *words = macs_lpm_dir24_words(table);
    if (__builtin_expect(words == NULL, 0)) {
        macs_lpm_dir24_fetch_far(table, macs_lpm_dir24_key(key, key_bytes), key_bytes);
        return;
    }
    cursor->leaf = macs_lpm_runs_find(words, macs_lpm_dir24_index(key, key_bytes));
    macs_prefetch((const void *)&table->runs.leaves[cursor->leaf]);
}

/* What the base has for a key: the number of its result + 1, or 0. */
static inline uint32_t macs_lpm_dir24_by_base(const struct macs_lpm_dir24 *table, uint32_t key, uint32_t key_bytes) {
    uint32_t entry = macs_lpm_dir24_in_base(table, key, key_bytes);
    if (key_bytes > 3 && entry & MACS_LPM_DIR24_GROUP)
        entry = atomic_load_explicit(macs_lpm_dir24_in_group(table, entry & ~MACS_LPM_DIR24_GROUP, key),
                                     memory_order_acquire);
    return entry & MACS_LPM_DIR24_RESULT;
}

/* The same of a leaf that is no result's number. */
static inline uint32_t macs_lpm_dir24_far(const struct macs_lpm_dir24 *table, uint32_t key, uint32_t key_bytes,
                                          uint32_t leaf) {
    if (key_bytes < 4 || leaf == MACS_LPM_RUNS_ELSEWHERE)
        return macs_lpm_dir24_by_base(table, key, key_bytes);
    return atomic_load_explicit(macs_lpm_dir24_in_group(table, leaf - MACS_LPM_DIR24_LEAF_GROUP, key),
                                memory_order_acquire) &
           MACS_LPM_DIR24_RESULT;
}

static inline const struct macs_entry *macs_lpm_dir24_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                             struct macs_lpm_dir24_cursor *cursor) {
    const struct macs_lpm_dir24 *table = self;
    uint32_t answer = macs_lpm_runs_leaf(&table->runs, cursor->leaf);
    if (__builtin_expect(answer >= MACS_LPM_DIR24_LEAF_GROUP, 0))
        answer = macs_lpm_dir24_far(table, macs_lpm_dir24_key(key, key_bytes), key_bytes, answer);
    const struct macs_entry *result = macs_results_at(&table->results, answer - 1);
    const struct macs_entry *root = atomic_load_explicit(&table->root, memory_order_acquire); /* after the leaf */
    return answer ? result : root;
}

/* -- the lookups of a burst -------------------------------------------------------------------------------------------
 */

/* Lookups begin with the runs' words, which have 8 bytes for 32 entries of the base, or with the base. */
static inline struct macs_bulk_begin macs_lpm_dir24_bulk_begin(const void *self, uint32_t key_bytes) {
    const struct macs_lpm_dir24 *table = self;
    const uint32_t low = macs_lpm_dir24_low_bits(key_bytes);
    const _Atomic uint64_t *words = macs_lpm_dir24_words(table);
    return words ? (struct macs_bulk_begin){(const uint8_t *)words, low + 4}
                 : (struct macs_bulk_begin){(const uint8_t *)table->base, low};
}

/* What stands for a key without a prefix: to be read after its answer. */
static inline const struct macs_entry *macs_lpm_dir24_root(const struct macs_lpm_dir24 *table,
                                                           const struct macs_entry *miss) {
    const struct macs_entry *root = atomic_load_explicit(&table->root, memory_order_acquire);
    return root ? root : miss;
}

/* The numbers of the leaves of keys. */
static inline void macs_lpm_dir24_numbers(const _Atomic uint64_t *words, const uint32_t keys[], uint32_t count,
                                          uint32_t low, uint32_t numbers[]) {
    const uint32_t whole = count - count % MACS_BULK_EACH;
    uint32_t i;
#define WORD(j) macs_lpm_runs_word(words, keys[i + (j)] >> low)
    for (i = 0; i < whole; i += MACS_BULK_EACH) {
        const macs_bulk_u64 eight = MACS_BULK_EIGHT(WORD);
        uint64_t found[MACS_BULK_EACH];
        memcpy(found, &eight, sizeof found);
        for (uint32_t j = 0; j < MACS_BULK_EACH; j++)
            numbers[i + j] = macs_lpm_runs_in_word(found[j], keys[i + j] >> low);
    }
    for (i = whole; i < count; i++)
        numbers[i] = macs_lpm_runs_in_word(WORD(0), keys[i] >> low);
#undef WORD
}

/* The leaves of these numbers. */
static inline void macs_lpm_dir24_leaves(const _Atomic uint16_t *of_runs, const uint32_t numbers[], uint32_t count,
                                         uint32_t leaves[]) {
    const uint32_t whole = count - count % MACS_BULK_EACH;
    uint32_t i;
#define LEAF(j) atomic_load_explicit(&of_runs[numbers[i + (j)]], memory_order_acquire)
    for (i = 0; i < whole; i += MACS_BULK_EACH) {
        const macs_bulk_u32 eight = MACS_BULK_EIGHT(LEAF);
        memcpy(&leaves[i], &eight, sizeof eight);
    }
    for (i = whole; i < count; i++)
        leaves[i] = LEAF(0);
#undef LEAF
}

/* The entries of those that are results' numbers; whether there may be others. */
static inline bool macs_lpm_dir24_near(const struct macs_lpm_dir24 *table, const uint32_t leaves[], uint32_t count,
                                       struct macs_bulk *bulk) {
    const uint32_t whole = count - count % MACS_BULK_EACH, stride = table->results.stride;
    const uint8_t *const first = table->results.base;
    const struct macs_entry *const root = macs_lpm_dir24_root(table, bulk->miss);
    uint32_t all = 0;
    for (uint32_t i = 0; i < whole; i += MACS_BULK_EACH)
        macs_bulk_entries_of_eight(&leaves[i], first, stride, root, &bulk->entries[i]);
    for (uint32_t i = whole; i < count; i++)
        bulk->entries[i] = leaves[i] ? macs_results_at(&table->results, leaves[i] - 1u) : root;
    for (uint32_t i = 0; i < count; i++)
        all |= leaves[i]; /* no less than any of them */
    return all >= MACS_LPM_DIR24_LEAF_GROUP;
}

/* The entries of keys with other leaves. */
static inline void macs_lpm_dir24_far_entries(const struct macs_lpm_dir24 *table, struct macs_bulk *bulk,
                                              uint32_t count, uint32_t key_bytes, const uint32_t leaves[]) {
    const uint32_t low = macs_lpm_dir24_low_bits(key_bytes), *const keys = bulk->keys;
    uint32_t far[MACS_BURST_MAX], n = 0;
    for (uint32_t i = 0; i < count; i++) {
        far[n] = i;
        n += leaves[i] >= MACS_LPM_DIR24_LEAF_GROUP;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t key = keys[far[i]], leaf = leaves[far[i]];
        if (key_bytes < 4 || leaf == MACS_LPM_RUNS_ELSEWHERE)
            macs_prefetch((const void *)&table->base[key >> low]);
        else
            macs_prefetch((const void *)macs_lpm_dir24_in_group(table, leaf - MACS_LPM_DIR24_LEAF_GROUP, key));
    }
    for (uint32_t i = 0; i < n; i++)
        if (key_bytes < 4 || leaves[far[i]] == MACS_LPM_RUNS_ELSEWHERE)
            macs_lpm_dir24_fetch_far(table, keys[far[i]], key_bytes);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = macs_lpm_dir24_far(table, keys[far[i]], key_bytes, leaves[far[i]]);
        const struct macs_entry *root = macs_lpm_dir24_root(table, bulk->miss);
        bulk->entries[far[i]] = number ? macs_results_at(&table->results, number - 1) : root;
    }
}

/* Look up all keys: the entries are there. */
static inline void macs_lpm_dir24_bulk_start(const void *self, struct macs_bulk *bulk, uint32_t count,
                                             uint32_t key_bytes, const struct macs_entry *miss) {
    const struct macs_lpm_dir24 *table = self;
    const _Atomic uint64_t *words = macs_lpm_dir24_words(table);
    uint32_t numbers[MACS_BURST_MAX];
    uint32_t leaves[MACS_BURST_MAX];
    bool far = true;
    bulk->miss = miss;
    if (__builtin_expect(words != NULL, 1)) {
        macs_lpm_dir24_numbers(words, bulk->keys, count, macs_lpm_dir24_low_bits(key_bytes), numbers);
        macs_lpm_dir24_leaves(table->runs.leaves, numbers, count, leaves);
        far = macs_lpm_dir24_near(table, leaves, count, bulk);
    } else {
        for (uint32_t i = 0; i < count; i++)
            leaves[i] = MACS_LPM_RUNS_ELSEWHERE;
    }
    if (__builtin_expect(far, 0))
        macs_lpm_dir24_far_entries(table, bulk, count, key_bytes, leaves);
    if (table->results.indexed) /* there may be many */
        macs_bulk_prefetch_entries(bulk->entries, count);
}

extern const struct macs_table_ops macs_lpm_dir24_ops;

#endif
