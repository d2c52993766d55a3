/* Ternary match by bit vectors: for each value of each byte of the key a *row*, with a bit for each entry that the
 * value can match.
 *
 * An entry has a *place*, the same in all rows; places are in the order in which entries win. The intersection of the
 * rows of a key's bytes is the set of entries that match, and its first bit is the answer. Values of a byte that can
 * match the same entries share a row. A byte that no entry restricts has no rows. So a lookup does the same loads
 * whatever the masks are. It has no branch for up to two *lines* (512 places each), and then goes on two lines at a
 * time until there is a bit.
 * The first places are *young*: they take later entries, in no order, until new rows are made.
 * The rows of a range describe it byte by byte, which matches too much: so an entry that is found is compared again as
 * a whole.
 * Invariants: a place is used for one entry only, and before that its bit is 0 in all rows. To add an entry its bit is
 * set in the rows of one byte after the other, so it is found once all are set. A row that it shares with only some of
 * its values is copied for these first. To remove an entry its bit is cleared in all rows of one byte. The last place
 * is for keys that match nothing.
 * Threads: one writer, any number of readers; ternary_cells.h publishes rows and frees them. Address dependencies alone
 * order a row's pointer before its words, and these before the place.
 * Cost: lookup, for each byte of the key, 3 loads and one line of each row: 26 lines with 1,000 entries and 13 bytes,
 * mostly from the second-level cache. Memory at most 40 bytes an entry for each byte of the key. Change 2 to 5 µs;
 * making the rows of 1,000 entries 0.3 ms.
 * Source: Lakshman, Stiliadis, High-speed policy-based packet forwarding using efficient multi-dimensional range
 * matching (1998), with classes of values as in Gupta, McKeown (1999).
 */
#ifndef MACS_TABLES_TERNARY_ROWS_H
#define MACS_TABLES_TERNARY_ROWS_H

#include "bits.h"
#include "tables/common/bulk.h"
#include "tables/common/rules.h"

#define MACS_TERNARY_ROWS_LINE 512u /* places */
#define MACS_TERNARY_ROWS_ORDER 2u  /* orders from here on are those of entries */

struct macs_ternary_rows_byte {
    uint32_t at;               /* in the key */
    uint32_t count;            /* of different rows */
    _Atomic uint32_t row[256]; /* of each value: words from the first row to it */
    uint8_t number[256];       /* the same number where it is the same row; the writer's */
};

struct macs_ternary_rows_place {
    _Atomic uint64_t order; /* as in a quad; 1 in the last place */
    _Atomic uint32_t slot;
};

struct macs_ternary_rows {
    _Atomic uint64_t young[MACS_BITS_WORDS]; /* the bits of young places, aligned to 64 bytes */
    uint32_t lines;                          /* of a row: 1, or an even number */
    uint32_t bytes;                          /* that tell entries apart, at least one */
    uint32_t key_bytes;
    _Atomic uint64_t *rows;
    struct macs_ternary_rows_place *places;
    uint32_t young_top, young_end; /* writer only, as what follows: places from `top` on were never used */
    uint64_t used, words;          /* of the rows */
    struct macs_ternary_rows_byte byte[];
};

static inline const _Atomic uint64_t *
macs_ternary_rows_of(const _Atomic uint64_t *rows, const struct macs_ternary_rows_byte *byte, const uint8_t *key) {
    return rows + atomic_load_explicit(&byte->row[key[byte->at]], memory_order_relaxed);
}

/* What a key's rows have in common in one line or two from word `from` on. */
static inline void macs_ternary_rows_meet(const struct macs_ternary_rows *rows, const uint8_t *key, uint32_t from,
                                          bool two, macs_bits common[2]) {
    const struct macs_ternary_rows_byte *byte = rows->byte, *end = byte + rows->bytes;
    const _Atomic uint64_t *first = rows->rows + from, *row = macs_ternary_rows_of(first, byte, key);
    common[0] = macs_bits_load(row);
    common[1] = two ? macs_bits_load(row + MACS_BITS_WORDS) : common[0];
    while (++byte < end) {
        row = macs_ternary_rows_of(first, byte, key);
        common[0] = macs_bits_and(common[0], macs_bits_load(row));
        if (two)
            common[1] = macs_bits_and(common[1], macs_bits_load(row + MACS_BITS_WORDS));
    }
}

static inline uint32_t macs_ternary_rows_store(const macs_bits common[2], bool two, uint64_t *words) {
    uint32_t some = macs_bits_store(common[0], words);
    return two ? some | macs_bits_store(common[1], words + MACS_BITS_WORDS) << MACS_BITS_WORDS : some;
}

/* The same of the first lines, without the young places, which go to other words; `young` gets what these are. */
static inline uint32_t macs_ternary_rows_begin(const struct macs_ternary_rows *rows, const uint8_t *key, bool two,
                                               uint64_t *words, uint64_t *young_words, uint32_t *young) {
    macs_bits common[2], of_young = macs_bits_load(rows->young);
    macs_ternary_rows_meet(rows, key, 0, two, common);
    *young = macs_bits_store(macs_bits_and(common[0], of_young), young_words);
    common[0] = macs_bits_without(common[0], of_young);
    return macs_ternary_rows_store(common, two, words);
}

/* Whether a place's entry is one that the key matches in its ranges too. */
static inline bool macs_ternary_rows_holds(const struct macs_rules *rules, const struct macs_ternary_rows_place *place,
                                           const uint8_t *key) {
    if (!rules->ranges)
        return true;
    uint32_t slot = atomic_load_explicit(&place->slot, memory_order_acquire);
    const uint8_t *low = macs_values_inline(&rules->values, slot) + sizeof(uint64_t);
    return macs_rules_in_ranges(rules, low, low + rules->key_bytes, key);
}

/* The best of a place and of young ones. They came one after the other, and after all others: among equals the first
 * one wins. */
static inline const struct macs_ternary_rows_place *
macs_ternary_rows_among_young(const struct macs_rules *rules, const struct macs_ternary_rows *rows, const uint8_t *key,
                              uint32_t some, const uint64_t *words, const struct macs_ternary_rows_place *best) {
    for (; some; some &= some - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(some);
        for (uint64_t left = words[word]; left; left &= left - 1) {
            const struct macs_ternary_rows_place *place = &rows->places[word * 64 + (uint32_t)__builtin_ctzll(left)];
            if (atomic_load_explicit(&place->order, memory_order_relaxed) >
                    atomic_load_explicit(&best->order, memory_order_relaxed) &&
                macs_ternary_rows_holds(rules, place, key))
                best = place;
        }
    }
    return best;
}

/* The place of the first bit of these words; the last place when there is none: no branch, as nothing would foretell
 * it. There is room for one word more. */
static inline const struct macs_ternary_rows_place *macs_ternary_rows_place_of(const struct macs_ternary_rows *rows,
                                                                               uint32_t from, bool two, uint32_t some,
                                                                               uint64_t *words) {
    uint32_t end = two ? 2 * MACS_BITS_WORDS : MACS_BITS_WORDS;
    words[end] = 1;
    uint32_t word = (uint32_t)__builtin_ctz(some | 1u << end);
    return &rows->places[(from + word) * 64 + (uint32_t)__builtin_ctzll(words[word])];
}

/* The best entry's place, without ranges, in rows of one line or two. */
static inline const struct macs_ternary_rows_place *macs_ternary_rows_find_first(const struct macs_rules *rules,
                                                                                 const struct macs_ternary_rows *rows,
                                                                                 const uint8_t *key, bool two) {
    _Alignas(64) uint64_t words[2 * MACS_BITS_WORDS + 1], young_words[MACS_BITS_WORDS];
    uint32_t young, some = macs_ternary_rows_begin(rows, key, two, words, young_words, &young);
    const struct macs_ternary_rows_place *place = macs_ternary_rows_place_of(rows, 0, two, some, words);
    if (__builtin_expect(young != 0, 0))
        place = macs_ternary_rows_among_young(rules, rows, key, young, young_words, place);
    return place;
}

/* The same in more lines. */
static inline const struct macs_ternary_rows_place *
macs_ternary_rows_find_on(const struct macs_rules *rules, const struct macs_ternary_rows *rows, const uint8_t *key) {
    _Alignas(64) uint64_t words[2 * MACS_BITS_WORDS + 1], young_words[MACS_BITS_WORDS];
    uint32_t from = 0, young, some = macs_ternary_rows_begin(rows, key, true, words, young_words, &young);
    while (some == 0 && from + 2 * MACS_BITS_WORDS < rows->lines * MACS_BITS_WORDS) {
        macs_bits common[2];
        from += 2 * MACS_BITS_WORDS;
        macs_ternary_rows_meet(rows, key, from, true, common);
        some = macs_ternary_rows_store(common, true, words);
    }
    const struct macs_ternary_rows_place *place = macs_ternary_rows_place_of(rows, from, true, some, words);
    return young ? macs_ternary_rows_among_young(rules, rows, key, young, young_words, place) : place;
}

/* The best entry's place, without ranges. */
static inline const struct macs_ternary_rows_place *
macs_ternary_rows_find(const struct macs_rules *rules, const struct macs_ternary_rows *rows, const uint8_t *key) {
    if (rows->lines == 1)
        return macs_ternary_rows_find_first(rules, rows, key, false);
    if (__builtin_expect(rows->lines == 2, 1))
        return macs_ternary_rows_find_first(rules, rows, key, true);
    return macs_ternary_rows_find_on(rules, rows, key);
}

/* The first place that holds of these words; the last place of all when there is none. */
static inline const struct macs_ternary_rows_place *macs_ternary_rows_next(const struct macs_rules *rules,
                                                                           const struct macs_ternary_rows *rows,
                                                                           const uint8_t *key, uint32_t from,
                                                                           uint32_t some, const uint64_t *words) {
    for (; some; some &= some - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(some);
        for (uint64_t left = words[word]; left; left &= left - 1) {
            const struct macs_ternary_rows_place *place =
                &rows->places[(from + word) * 64 + (uint32_t)__builtin_ctzll(left)];
            if (__builtin_expect(macs_ternary_rows_holds(rules, place, key), 1))
                return place;
        }
    }
    return &rows->places[(size_t)rows->lines * MACS_TERNARY_ROWS_LINE];
}

/* The best entry's place when there are ranges, which rows say too much of. */
static inline const struct macs_ternary_rows_place *
macs_ternary_rows_find_in_ranges(const struct macs_rules *rules, const struct macs_ternary_rows *rows,
                                 const uint8_t *key) {
    _Alignas(64) uint64_t words[2 * MACS_BITS_WORDS], young_words[MACS_BITS_WORDS];
    const struct macs_ternary_rows_place *none = &rows->places[(size_t)rows->lines * MACS_TERNARY_ROWS_LINE];
    uint32_t end = rows->lines * MACS_BITS_WORDS, from = 0, young;
    uint32_t some = end == MACS_BITS_WORDS ? macs_ternary_rows_begin(rows, key, false, words, young_words, &young)
                                           : macs_ternary_rows_begin(rows, key, true, words, young_words, &young);
    const struct macs_ternary_rows_place *place = macs_ternary_rows_next(rules, rows, key, 0, some, words);
    while (place == none && (from += 2 * MACS_BITS_WORDS) < end) {
        macs_bits common[2];
        macs_ternary_rows_meet(rows, key, from, true, common);
        some = macs_ternary_rows_store(common, true, words);
        place = macs_ternary_rows_next(rules, rows, key, from, some, words);
    }
    return macs_ternary_rows_among_young(rules, rows, key, young, young_words, place);
}

/* -- the keys of a burst ----------------------------------------------------------------------------------------------
 *
 * Some keys at once, a byte of all of them before the next: what is known of a byte's rows is read once for them all.
 */

#define MACS_TERNARY_ROWS_GROUP (MACS_BITS_LOADS == 1 ? 4u : 1u) /* keys whose rows in common stay in registers */

/* Where the words of a key's rows go: of two lines, and one for the last place. */
struct macs_ternary_rows_found {
    _Alignas(64) uint64_t words[2 * MACS_BITS_WORDS + 1];
};

/* The places of a group of keys, each `next` bytes behind the one before, in rows of one line or two. One bit for each
 * key that young places may match: that is to be looked up alone. `found` has 1 in the words behind two lines, or
 * behind one. */
MACS_ALWAYS_INLINE uint32_t macs_ternary_rows_find_group(const struct macs_ternary_rows *rows, const uint8_t *keys,
                                                         uint32_t next, bool two,
                                                         struct macs_ternary_rows_found found[], uint32_t places[]) {
    const struct macs_ternary_rows_byte *const end = rows->byte + rows->bytes;
    const macs_bits young = macs_bits_load(rows->young);
    macs_bits common[MACS_TERNARY_ROWS_GROUP][2];
    uint32_t alone = 0;
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < MACS_TERNARY_ROWS_GROUP; i++) {
        const _Atomic uint64_t *row = macs_ternary_rows_of(rows->rows, rows->byte, keys + i * next);
        common[i][0] = macs_bits_load(row);
        common[i][1] = two ? macs_bits_load(row + MACS_BITS_WORDS) : common[i][0];
    }
    for (const struct macs_ternary_rows_byte *byte = rows->byte + 1; byte < end; byte++) {
        const uint8_t *const at = keys + byte->at;
        MACS_BULK_LOOP
        for (uint32_t i = 0; i < MACS_TERNARY_ROWS_GROUP; i++) {
            const _Atomic uint64_t *row =
                rows->rows + atomic_load_explicit(&byte->row[at[i * next]], memory_order_relaxed);
            common[i][0] = macs_bits_and(common[i][0], macs_bits_load(row));
            if (two)
                common[i][1] = macs_bits_and(common[i][1], macs_bits_load(row + MACS_BITS_WORDS));
        }
    }
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < MACS_TERNARY_ROWS_GROUP; i++) {
        uint64_t *const words = found[i].words;
        const uint32_t some = macs_ternary_rows_store(common[i], two, words);
        const uint32_t word = (uint32_t)__builtin_ctz(some | 1u << (two ? 2 * MACS_BITS_WORDS : MACS_BITS_WORDS));
        places[i] = word * 64 + (uint32_t)__builtin_ctzll(words[word]);
        alone |= (uint32_t)macs_bits_meet(common[i][0], young) << i;
    }
    return alone;
}

/* Rows for these rules, best first; rule->result is then the place. NULL without memory. */
struct macs_ternary_rows *macs_ternary_rows_make(const struct macs_rules *rules, struct macs_rule *const sorted[],
                                                 uint32_t count);
void macs_ternary_rows_free(struct macs_ternary_rows *rows);

/* Put a recorded rule into a young place; false when there is none, or no room for what rows it needs. */
bool macs_ternary_rows_put(struct macs_ternary_rows *rows, const struct macs_rules *rules, struct macs_rule *rule);

/* The rule goes. */
void macs_ternary_rows_remove(struct macs_ternary_rows *rows, const struct macs_rule *rule);

/* The rule's value is in rule->slot now. */
void macs_ternary_rows_move(struct macs_ternary_rows *rows, const struct macs_rule *rule);

uint64_t macs_ternary_rows_memory(const struct macs_ternary_rows *rows);

#endif
