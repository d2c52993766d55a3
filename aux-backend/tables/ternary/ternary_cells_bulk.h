/* Bulk lookups of ternary_cells.h: the keys of a burst as arrays. What several keys read of the table is read once for
 * them, and each pass over the keys is a loop of few instructions.
 *
 * A key that needs more than the common case is looked up by itself: where there are entries newer than the bit
 * vectors, or where the first entry found does not match in a range. If the table changes meanwhile all keys are looked
 * up again, one by one.
 * Threads: as in ternary_cells.h.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_BULK_H
#define MACS_TABLES_TERNARY_CELLS_BULK_H

#include "ternary_cells_lookup.h"

#define MACS_TERNARY_CELLS_BULK_KEY 48u /* bytes of a key that is looked up with others at once, at most */
/* Keys are read by whole words, which have room for that: what stands behind a shorter key has no bit in any mask. */
#define MACS_TERNARY_CELLS_BULK_READ 8u

struct macs_ternary_cells_bulk {
    uint8_t keys[MACS_BURST_MAX][MACS_TERNARY_CELLS_BULK_KEY];
    const struct macs_entry *miss; /* stands for the entry of a key that has none */
    const struct macs_entry *entries[MACS_BURST_MAX];
};

/* The places in rows, of one line or two. Inlined, so that the loop over a key's bytes does not ask which. */
MACS_ALWAYS_INLINE void macs_ternary_cells_bulk_places(const struct macs_rules *rules,
                                                       const struct macs_ternary_rows *rows,
                                                       const struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                       bool two, const struct macs_ternary_rows_place *places[]) {
    struct macs_ternary_rows_found found[MACS_TERNARY_ROWS_GROUP];
    for (uint32_t i = 0; i < MACS_TERNARY_ROWS_GROUP; i++)
        found[i].words[two ? 2 * MACS_BITS_WORDS : MACS_BITS_WORDS] = 1;
    for (uint32_t i = 0; i < count; i += MACS_TERNARY_ROWS_GROUP) {
        uint32_t numbers[MACS_TERNARY_ROWS_GROUP];
        uint32_t at = i + MACS_TERNARY_ROWS_GROUP <= count ? i : count - MACS_TERNARY_ROWS_GROUP;
        uint32_t alone = macs_ternary_rows_find_group(rows, bulk->keys[at], sizeof bulk->keys[0], two, found, numbers);
        MACS_BULK_LOOP
        for (uint32_t k = 0; k < MACS_TERNARY_ROWS_GROUP; k++)
            places[at + k] = &rows->places[numbers[k]];
        for (; __builtin_expect(alone != 0, 0); alone &= alone - 1) {
            uint32_t k = at + (uint32_t)__builtin_ctz(alone);
            places[k] = macs_ternary_rows_find(rules, rows, bulk->keys[k]);
        }
    }
}

static inline void macs_ternary_cells_bulk_in_rows(const struct macs_rules *rules, const struct macs_ternary_rows *rows,
                                                   const struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                   struct macs_ternary_best best[]) {
    const struct macs_ternary_rows_place *places[MACS_BURST_MAX];
    if (count < MACS_TERNARY_ROWS_GROUP || rows->lines > 2)
        for (uint32_t i = 0; i < count; i++)
            places[i] = macs_ternary_rows_find(rules, rows, bulk->keys[i]);
    else if (rows->lines == 1)
        macs_ternary_cells_bulk_places(rules, rows, bulk, count, false, places);
    else
        macs_ternary_cells_bulk_places(rules, rows, bulk, count, true, places);
    const struct macs_ternary_rows_place *none = &rows->places[(size_t)rows->lines * MACS_TERNARY_ROWS_LINE];
    if (rules->ranges)
        for (uint32_t i = 0; i < count; i++)
            if (places[i] != none && !macs_ternary_rows_holds(rules, places[i], bulk->keys[i]))
                places[i] = macs_ternary_rows_find_in_ranges(rules, rows, bulk->keys[i]);
    for (uint32_t i = 0; i < count; i++) {
        best[i].order = atomic_load_explicit(&places[i]->order, memory_order_relaxed);
        best[i].slot = atomic_load_explicit(&places[i]->slot, memory_order_acquire);
    }
}

/* In one cut, of keys of so many words. */
MACS_ALWAYS_INLINE void
macs_ternary_cells_bulk_of_words(const struct macs_ternary_cells *table, const struct macs_ternary_cells_map *map,
                                 const struct macs_ternary_cells_cut *cut, const struct macs_ternary_cells_bulk *bulk,
                                 uint32_t count, uint32_t words, uint32_t last, struct macs_ternary_best best[]) {
    const uint32_t depth = cut->depth;
    uint32_t at[MACS_BURST_MAX];
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++)
        at[i] = atomic_load_explicit(&map->cells[macs_ternary_cells_cell(cut, bulk->keys[i])], memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        const struct macs_ternary_cells_quad *quad = macs_ternary_cells_at(map, at[i]);
        macs_prefetch(quad);
        for (uint32_t word = 0; word < words; word++)
            macs_prefetch(quad->lines + (size_t)word * MACS_SCAN_WORDS);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key[MACS_TERNARY_CELLS_BULK_KEY / 8];
        for (uint32_t word = 0; word < words; word++)
            memcpy(&key[word], bulk->keys[i] + (word + 1 < words ? word * 8 : last), 8);
        macs_ternary_cells_descend(table, map, at[i], depth, bulk->keys[i], key, words, &best[i]);
    }
}

/* Keys of one word and of two have code of their own. */
static inline void macs_ternary_cells_bulk_in_cut(const struct macs_ternary_cells *table,
                                                  const struct macs_ternary_cells_map *map, uint32_t number,
                                                  const struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                  uint32_t key_bytes, struct macs_ternary_best best[]) {
    const struct macs_ternary_cells_cut *cut = &map->cuts[number];
    const uint32_t words = (key_bytes + 7) / 8;
    const uint32_t last = key_bytes < MACS_TERNARY_CELLS_BULK_READ ? 0 : key_bytes - 8;
    if (words == 1)
        macs_ternary_cells_bulk_of_words(table, map, cut, bulk, count, 1, last, best);
    else if (words == 2)
        macs_ternary_cells_bulk_of_words(table, map, cut, bulk, count, 2, last, best);
    else
        macs_ternary_cells_bulk_of_words(table, map, cut, bulk, count, words, last, best);
}

/* Look up the keys as arrays; whether nothing changed meanwhile. */
static inline bool macs_ternary_cells_bulk_at_once(const struct macs_ternary_cells *table,
                                                   struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                   uint32_t key_bytes) {
    const uint32_t changes = macs_changes_seen(&table->changes);
    const struct macs_ternary_cells_map *map = atomic_load_explicit(&table->map, memory_order_acquire);
    const uint32_t cuts = atomic_load_explicit(&map->cuts_used, memory_order_acquire);
    struct macs_ternary_best best[MACS_BURST_MAX];
    if (map->rows)
        macs_ternary_cells_bulk_in_rows(&table->rules, map->rows, bulk, count, best);
    else
        for (uint32_t i = 0; i < count; i++)
            best[i] = (struct macs_ternary_best){.order = 1};
    for (uint32_t cut = 0; cut < cuts; cut++)
        macs_ternary_cells_bulk_in_cut(table, map, cut, bulk, count, key_bytes, best);
    for (uint32_t i = 0; i < count; i++) {
        const uintptr_t found = (uintptr_t)macs_values_at(&table->rules.values, (uint32_t)best[i].slot);
        const uintptr_t is = (uintptr_t)0 - (best[i].order > 1);
        bulk->entries[i] = (const void *)((found & is) | ((uintptr_t)bulk->miss & ~is));
    }
    return macs_changes_none(&table->changes, changes);
}

/* Look up all keys in the map. */
static inline void macs_ternary_cells_bulk_in_map(const struct macs_ternary_cells *table,
                                                  struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                  uint32_t key_bytes) {
    if (__builtin_expect(macs_ternary_cells_bulk_at_once(table, bulk, count, key_bytes), 1))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_ternary_cells_cursor cursor;
        const struct macs_entry *entry = macs_ternary_cells_retry(table, bulk->keys[i], key_bytes, &cursor);
        bulk->entries[i] = entry ? entry : bulk->miss;
    }
}

/* Look up all keys, and prefetch the entries found. */
static inline void macs_ternary_cells_bulk_start(const void *self, struct macs_ternary_cells_bulk *bulk, uint32_t count,
                                                 uint32_t key_bytes, const struct macs_entry *miss) {
    const struct macs_ternary_cells *table = self;
    const struct macs_ternary_few *few = macs_ternary_cells_few(table);
    const struct macs_ternary_mask *mask = few ? NULL : macs_ternary_cells_mask(table);
    bulk->miss = miss;
    if (few)
        macs_ternary_few_find_all(&table->rules, few, bulk->keys[0], sizeof bulk->keys[0], count,
                                  MACS_TERNARY_CELLS_BULK_READ, miss, bulk->entries);
    else if (mask)
        macs_ternary_mask_find_all(&table->rules, mask, bulk->keys[0], sizeof bulk->keys[0], count,
                                   MACS_TERNARY_CELLS_BULK_READ, miss, bulk->entries);
    else
        macs_ternary_cells_bulk_in_map(table, bulk, count, key_bytes);
    macs_bulk_prefetch_entries(bulk->entries, count);
}

#endif
