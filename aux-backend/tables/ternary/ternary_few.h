/* Ternary match in a table with few entries: all of them are compared with the key, four at once.
 *
 * Of the key only those words are compared in which some entry has a mask: in a table of many fields, whose entries
 * look at two of them, these are one or two words. Entries stand in the order in which they win, so the first match is
 * the answer, and a lookup has no branch but loops over words. A prefix is compared as a mask. A range is compared by
 * the bits that its ends have in common, and then, if these match, as a whole.
 * Invariants: what readers see is never changed. Each change of the table makes another one and publishes it, so a
 * lookup sees all entries of one moment. Where there are more entries than MACS_TERNARY_FEW, or no memory, there is
 * none, and lookups go on as ternary_cells.h says; what that needs is always there.
 * -DMACS_NO_FEW_ENTRIES: lookups never do this.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup, for each word that is compared 64 bytes for four entries, from the first-level cache. A change 1 µs;
 * more in a table that had many entries, as it looks for those that are left among their places.
 */
#ifndef MACS_TABLES_TERNARY_FEW_H
#define MACS_TABLES_TERNARY_FEW_H

#include <macs/inline.h>
#include <stdatomic.h>
#include <string.h>

#include "tables/common/bulk.h"
#include "tables/common/rules.h"
#include "tables/common/scan.h"

/* Entries at most. The map needs less for more of them if these have masks in many words. Found by measuring. */
#ifndef MACS_TERNARY_FEW
#define MACS_TERNARY_FEW 16u
#endif
#define MACS_TERNARY_FEW_QUADS ((MACS_TERNARY_FEW + MACS_SCAN_LANES - 1) / MACS_SCAN_LANES)
#define MACS_TERNARY_FEW_WORDS 32u /* of a key */

struct macs_ternary_few {
    uint32_t words; /* that are compared, at least one */
    uint32_t quads; /* of entries, at least one */
    const struct macs_entry *entries[MACS_TERNARY_FEW_QUADS * MACS_SCAN_LANES + 1]; /* NULL behind the last one */
    uint8_t at[MACS_TERNARY_FEW_WORDS];                                             /* where in the key each begins */
    /* For each word, for each quad, 4 values and 4 masks; no key matches an unused one. */
    _Alignas(64) uint64_t lines[];
};

/* One bit for each entry of so many quads that agrees with a word of the key. */
MACS_ALWAYS_INLINE uint32_t macs_ternary_few_scan(const uint64_t *lines, uint64_t word, uint32_t quads) {
    uint32_t hits = 0;
    for (uint32_t quad = 0; quad < quads; quad++)
        hits |= macs_scan_masked(lines + (size_t)quad * MACS_SCAN_WORDS, &word, 1) << quad * MACS_SCAN_LANES;
    return hits;
}

/* Of the entries that match apart from ranges, the first that matches. */
static inline const struct macs_entry *macs_ternary_few_in_ranges(const struct macs_rules *rules,
                                                                  const struct macs_ternary_few *few,
                                                                  const uint8_t *key, uint32_t hits) {
    for (; hits; hits &= hits - 1) {
        const struct macs_entry *entry = few->entries[__builtin_ctz(hits)];
        const uint8_t *low = (const uint8_t *)entry + rules->values.inline_offset + sizeof(uint64_t);
        if (macs_rules_in_ranges(rules, low, low + rules->key_bytes, key))
            return entry;
    }
    return NULL;
}

MACS_ALWAYS_INLINE const struct macs_entry *macs_ternary_few_first(const struct macs_rules *rules,
                                                                   const struct macs_ternary_few *few,
                                                                   const uint8_t *key, uint32_t hits) {
    if (__builtin_expect(rules->ranges, 0))
        return macs_ternary_few_in_ranges(rules, few, key, hits);
    return few->entries[__builtin_ctz(hits | 1u << MACS_TERNARY_FEW_QUADS * MACS_SCAN_LANES)];
}

/* The entry of a key, or NULL. */
MACS_ALWAYS_INLINE const struct macs_entry *macs_ternary_few_find(const struct macs_rules *rules,
                                                                  const struct macs_ternary_few *few,
                                                                  const uint8_t *key, uint32_t key_bytes) {
    const uint32_t quads = few->quads, next = quads * MACS_SCAN_WORDS;
    const uint64_t *line = few->lines, *const end = line + (size_t)few->words * next;
    uint32_t hits = UINT32_MAX >> (32 - MACS_TERNARY_FEW_QUADS * MACS_SCAN_LANES);
    for (const uint8_t *at = few->at; line < end; line += next, at++)
        hits &= macs_ternary_few_scan(line, macs_rules_key_word(key + *at, key_bytes), quads);
    return macs_ternary_few_first(rules, few, key, hits);
}

/* The same of many keys, each `next` bytes behind the one before, in so many quads; `miss` for a key that has none. */
MACS_ALWAYS_INLINE void macs_ternary_few_find_in(const struct macs_rules *rules, const struct macs_ternary_few *few,
                                                 const uint8_t *keys, uint32_t next, uint32_t count, uint32_t key_bytes,
                                                 uint32_t quads, const struct macs_entry *miss,
                                                 const struct macs_entry *entries[]) {
    uint32_t hits[MACS_BURST_MAX];
    for (uint32_t i = 0; i < count; i++)
        hits[i] =
            macs_ternary_few_scan(few->lines, macs_rules_key_word(keys + few->at[0] + i * next, key_bytes), quads);
    for (uint32_t word = 1; word < few->words; word++) {
        const uint64_t *line = few->lines + (size_t)word * quads * MACS_SCAN_WORDS;
        for (uint32_t i = 0; i < count; i++)
            hits[i] &=
                macs_ternary_few_scan(line, macs_rules_key_word(keys + few->at[word] + i * next, key_bytes), quads);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct macs_entry *entry = macs_ternary_few_first(rules, few, keys + i * next, hits[i]);
        entries[i] = entry ? entry : miss;
    }
}

MACS_ALWAYS_INLINE void macs_ternary_few_find_all(const struct macs_rules *rules, const struct macs_ternary_few *few,
                                                  const uint8_t *keys, uint32_t next, uint32_t count,
                                                  uint32_t key_bytes, const struct macs_entry *miss,
                                                  const struct macs_entry *entries[]) {
    if (few->quads == 1)
        macs_ternary_few_find_in(rules, few, keys, next, count, key_bytes, 1, miss, entries);
    else
        macs_ternary_few_find_in(rules, few, keys, next, count, key_bytes, few->quads, miss, entries);
}

/* What readers see of these rules (`count`, in the order in which they win), not yet published; NULL without memory. */
struct macs_ternary_few *macs_ternary_few_make(const struct macs_rules *rules, const struct macs_rule *const sorted[],
                                               uint32_t count);

uint64_t macs_ternary_few_bytes(const struct macs_ternary_few *few);

#endif
