/* Ternary match with priorities by bit vectors over groups of entries, and a compare of whole groups.
 *
 * Entries stand in groups of 16. For each key byte and each of its 256 values a row of bits says which groups have an
 * entry that this value could match; the rows of all bytes of a key, taken together, leave the few groups to look at.
 * In those, all entries are compared with the key at once, 64 bits of it at a time (scan.h). So the rows may say too
 * much, never too little. An entry goes where it widens the rows least: entries with the same bytes of no concern come
 * together. In a group they are sorted: of those that match the first wins; the order of groups means nothing, and the
 * best of all is taken. An LPM field counts as its mask.
 * Invariants: a bit in a row is set if and only if an entry of the group needs it. A group is replaced as a whole by
 * each change but that of a value, which is one atomic store of a slot; places behind its entries match nothing. Each
 * change counts in `changes` before it is published: a lookup that saw some looks again (64 times at most: a writer
 * must not hold readers up), so that a rule that is moved by adding it anew first is never missed.
 * Threads: one writer, any number of readers between two quiescent reports (macs/qsbr.h).
 * Cost: lookup 8 to 64 bytes of a row for each 512 groups and key byte, then 700 bytes (a key of 9 to 16 bytes) for
 * each group that is left, which is one for each match that an entry has in most tables; memory 64 bytes an entry and
 * 16 a key byte, beside its value; change 1 to 5 µs, and up to 256 bits set or cleared for each key byte. Source:
 * Lakshman, Stiliadis, High-speed policy-based packet forwarding (1998), bit vectors; Baboescu, Varghese, Scalable
 * packet classification (2001), their aggregation.
 */
#ifndef MACS_TABLES_TERNARY_BITS_H
#define MACS_TABLES_TERNARY_BITS_H

#include <stdatomic.h>
#include <string.h>

#include "rules.h"
#include "scan.h"

#define MACS_TERNARY_BITS_STEPS 0
#define MACS_TERNARY_BITS_KEY_MAX 256u /* bytes */
#define MACS_TERNARY_BITS_LANES 16u    /* entries of a group */
#define MACS_TERNARY_BITS_RETRIES 64

/* `lanes`: for each word of the key and each 8 entries, 8 values and behind them 8 masks. */
struct macs_ternary_bits_group {
    _Alignas(64) uint64_t orders[MACS_TERNARY_BITS_LANES]; /* + 1 */
    _Atomic uint32_t slots[MACS_TERNARY_BITS_LANES];
    uint64_t lanes[];
};

struct macs_ternary_bits_book;

struct macs_ternary_bits {
    _Atomic uint64_t *rows; /* 256 for each key byte, of `stride` words each */
    struct macs_ternary_bits_group *_Atomic *groups;
    _Atomic uint32_t changes;
    _Atomic uint32_t words; /* of each row that are in use */
    uint32_t stride;        /* 1, 2, 4, or a multiple of 8 */
    struct macs_rules rules;
    struct macs_ternary_bits_book *book; /* the writer's */
};

struct macs_ternary_bits_cursor {
    uint32_t changes;
    uint32_t words;
    uint64_t left[MACS_SCAN_WORDS]; /* the groups to look at, of the first 512 */
};

struct macs_ternary_bits_best {
    uint64_t order; /* + 1; 0: none so far */
    uint32_t slot;
};

/* Word `at` of a key. The last one of a key of more than 8 bytes begins 8 bytes before its end. */
static inline uint64_t macs_ternary_bits_word(const uint8_t *key, uint32_t key_bytes, uint32_t at) {
    uint64_t word = 0;
    if (key_bytes < 8)
        memcpy(&word, key, key_bytes);
    else
        memcpy(&word, key + (at * 8 + 8 <= key_bytes ? at * 8 : key_bytes - 8), 8);
    return word;
}

/* What the rows of `key` have in common in the words from `from` on, `count` of them, of rows of `stride` words. */
static inline void macs_ternary_bits_and(const _Atomic uint64_t *rows, const uint8_t *key, uint32_t key_bytes,
                                         uint32_t stride, uint32_t from, uint32_t count, uint64_t *left) {
    uint64_t all[MACS_SCAN_WORDS];
    for (uint32_t i = 0; i < count; i++)
        all[i] = UINT64_MAX;
    for (uint32_t at = 0; at < key_bytes; at++) {
        const _Atomic uint64_t *row = rows + ((size_t)at * 256 + key[at]) * stride + from;
        if (count == MACS_SCAN_WORDS)
            macs_scan_and(all, row);
        else
            for (uint32_t i = 0; i < count; i++)
                all[i] &= atomic_load_explicit(&row[i], memory_order_acquire);
    }
    for (uint32_t i = 0; i < count; i++)
        left[i] = all[i];
}

/* The groups to look at, of those in the 8 words from `from` on. */
static inline void macs_ternary_bits_narrow(const struct macs_ternary_bits *table, const uint8_t *key,
                                            uint32_t key_bytes, uint32_t from, uint64_t *left) {
    switch (table->stride) {
    case 1:
        macs_ternary_bits_and(table->rows, key, key_bytes, 1, 0, 1, left);
        break;
    case 2:
        macs_ternary_bits_and(table->rows, key, key_bytes, 2, 0, 2, left);
        break;
    case 4:
        macs_ternary_bits_and(table->rows, key, key_bytes, 4, 0, 4, left);
        break;
    default:
        macs_ternary_bits_and(table->rows, key, key_bytes, table->stride, from, MACS_SCAN_WORDS, left);
    }
}

/* One bit for each entry of the group that matches. */
static inline uint32_t macs_ternary_bits_hits(const struct macs_ternary_bits_group *group, const uint8_t *key,
                                              uint32_t key_bytes) {
    uint32_t hits = 0;
    for (uint32_t part = 0; part < MACS_TERNARY_BITS_LANES / MACS_SCAN_WORDS; part++) {
        uint32_t of_part = 0xff;
        for (uint32_t at = 0; at < (key_bytes + 7) / 8; at++) {
            const uint64_t *lanes = group->lanes + 2 * MACS_TERNARY_BITS_LANES * at + 2 * MACS_SCAN_WORDS * part;
            of_part &= macs_scan_masked(lanes, lanes + MACS_SCAN_WORDS, macs_ternary_bits_word(key, key_bytes, at));
        }
        hits |= of_part << MACS_SCAN_WORDS * part;
    }
    return hits;
}

static inline uint64_t macs_ternary_bits_sequence(const struct macs_ternary_bits *table, uint32_t slot) {
    uint64_t sequence;
    memcpy(&sequence, macs_values_inline(&table->rules.values, slot), sizeof sequence);
    return sequence;
}

/* Take a group's first match if it wins over the best so far. */
static inline void macs_ternary_bits_look(const struct macs_ternary_bits *table,
                                          const struct macs_ternary_bits_group *group, const uint8_t *key,
                                          uint32_t key_bytes, struct macs_ternary_bits_best *best) {
    uint32_t hits = macs_ternary_bits_hits(group, key, key_bytes);
    uint32_t lane = (uint32_t)__builtin_ctz(hits | 1u << (MACS_TERNARY_BITS_LANES - 1));
    uint64_t order = hits ? group->orders[lane] : 0;
    uint32_t slot = atomic_load_explicit(&group->slots[lane], memory_order_acquire);
    bool wins = order > best->order;
    if (__builtin_expect(order == best->order && order, 0))
        wins = macs_ternary_bits_sequence(table, slot) < macs_ternary_bits_sequence(table, best->slot);
    best->order = wins ? order : best->order;
    best->slot = wins ? slot : best->slot;
}

static inline const struct macs_entry *macs_ternary_bits_search(const struct macs_ternary_bits *table,
                                                                const uint8_t *key, uint32_t key_bytes,
                                                                struct macs_ternary_bits_cursor *cursor) {
    struct macs_ternary_bits_best best = {0};
    for (uint32_t from = 0;;) {
        for (uint32_t i = 0; i < MACS_SCAN_WORDS && from + i < cursor->words; i++) {
            for (uint64_t word = cursor->left[i]; word; word &= word - 1) {
                uint32_t number = (from + i) * 64 + (uint32_t)__builtin_ctzll(word);
                macs_ternary_bits_look(table, atomic_load_explicit(&table->groups[number], memory_order_acquire), key,
                                       key_bytes, &best);
            }
        }
        from += MACS_SCAN_WORDS;
        if (from >= cursor->words)
            return best.order ? macs_values_at(&table->rules.values, best.slot) : NULL;
        macs_ternary_bits_narrow(table, key, key_bytes, from, cursor->left);
    }
}

static inline void macs_ternary_bits_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                           struct macs_ternary_bits_cursor *cursor) {
    const struct macs_ternary_bits *table = self;
    cursor->changes = atomic_load_explicit(&table->changes, memory_order_acquire);
    cursor->words = atomic_load_explicit(&table->words, memory_order_acquire);
    macs_ternary_bits_narrow(table, key, key_bytes, 0, cursor->left);
}

static inline const struct macs_entry *macs_ternary_bits_finish(const void *self, const uint8_t *key,
                                                                uint32_t key_bytes,
                                                                struct macs_ternary_bits_cursor *cursor) {
    const struct macs_ternary_bits *table = self;
    const struct macs_entry *found = macs_ternary_bits_search(table, key, key_bytes, cursor);
    for (int retry = 0; retry < MACS_TERNARY_BITS_RETRIES; retry++) {
        macs_scan_fence();
        uint32_t changes = atomic_load_explicit(&table->changes, memory_order_acquire);
        if (changes == cursor->changes)
            break;
        macs_ternary_bits_start(self, key, key_bytes, cursor);
        found = macs_ternary_bits_search(table, key, key_bytes, cursor);
    }
    return found;
}

extern const struct macs_kernel macs_ternary_bits_kernel;

#endif
