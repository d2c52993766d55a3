/* Lookups of ternary_cells.h, which describes the algorithm. */
#ifndef MACS_TABLES_TERNARY_CELLS_LOOKUP_H
#define MACS_TABLES_TERNARY_CELLS_LOOKUP_H

#include <stdatomic.h>
#include <string.h>

#include "tables/common/changes.h"
#include "tables/common/prefetch.h"
#include "tables/common/rules.h"
#include "tables/common/scan.h"
#include "ternary_few.h"
#include "ternary_mask.h"
#include "ternary_rows.h"

#define MACS_TERNARY_CELLS_KEY_MAX 256u /* bytes */
#define MACS_TERNARY_CELLS_CUTS 6u
#define MACS_TERNARY_CELLS_PICKED 3u     /* bytes of a cut */
#define MACS_TERNARY_CELLS_QUAD_BITS 28u /* of a quad's number: it and a quad's hits fit 32 */
#define MACS_TERNARY_CELLS_ORDER MACS_TERNARY_ROWS_ORDER

/* Four entries, or fewer. A quad's number counts cache lines from the first quad, which has no entries and is 0. The
 * lane behind the four is the one of keys that match none. */
struct macs_ternary_cells_quad {
    _Alignas(64) uint64_t orders[MACS_SCAN_LANES + 1]; /* + MACS_TERNARY_CELLS_ORDER; 0: no entry */
    _Atomic uint32_t slots[MACS_SCAN_LANES + 1];       /* the last is the writer's: a quad that is free as well */
    _Atomic uint32_t next;                             /* quad of the cell, or 0 */
    uint64_t lines[];                                  /* for each word of the key, 4 values and 4 masks */
};

/* The bytes that a cut picks; those that it could pick more are byte 0, with one class. */
struct macs_ternary_cells_cut {
    uint32_t first; /* cell */
    uint32_t depth; /* quads of a cell that are looked at in any case */
    uint32_t picks;
    uint32_t picked[MACS_TERNARY_CELLS_PICKED];
    uint32_t strides[MACS_TERNARY_CELLS_PICKED];      /* cells from a class to the next */
    uint16_t classes[MACS_TERNARY_CELLS_PICKED][256]; /* of each value of the byte, times its stride */
};

struct macs_ternary_cells_map {
    _Atomic uint32_t cuts_used; /* the last cut only once it has entries */
    uint8_t *quads;
    _Atomic uint32_t *cells;        /* the first quad of each, or 0 */
    struct macs_ternary_rows *rows; /* or NULL */
    struct macs_ternary_cells_cut cuts[MACS_TERNARY_CELLS_CUTS];
};

struct macs_ternary_cells {
    struct macs_rules rules;
    struct macs_ternary_few *_Atomic few;   /* or NULL: look by the mask, or in the map */
    struct macs_ternary_mask *_Atomic mask; /* or NULL: look in the map */
    struct macs_ternary_cells_map *_Atomic map;
    struct macs_changes changes;
    struct macs_ternary_cells_made *made; /* the writer's view of the map, and what it was made by */
    struct macs_ternary_cells_plan *plan;
};

struct macs_ternary_cells_cursor {
    const struct macs_ternary_few *few;   /* or NULL, and then what follows counts */
    const struct macs_ternary_mask *mask; /* or NULL, and then all that follows counts; else at[0] is the key's home */
    const struct macs_ternary_cells_map *map;
    uint32_t changes;
    uint32_t cuts;
    uint32_t at[MACS_TERNARY_CELLS_CUTS]; /* the cell in each, then its first quad */
    bool stepped;
    const struct macs_ternary_rows_place *place; /* the best in rows, or NULL without these */
};

/* The best entry so far. */
struct macs_ternary_best {
    uint64_t order; /* 1: none */
    uint64_t slot;
};

/* Word `at` of a key. The last one of a key of more than 8 bytes begins 8 bytes before its end. */
static inline uint64_t macs_ternary_cells_word(const uint8_t *key, uint32_t key_bytes, uint32_t at) {
    uint64_t word = 0;
    if (key_bytes < 8)
        memcpy(&word, key, key_bytes);
    else
        memcpy(&word, key + (at * 8 + 8 <= key_bytes ? at * 8 : key_bytes - 8), 8);
    return word;
}

static inline uint32_t macs_ternary_cells_cell(const struct macs_ternary_cells_cut *cut, const uint8_t *key) {
    uint32_t cell = cut->first;
    for (uint32_t i = 0; i < MACS_TERNARY_CELLS_PICKED; i++)
        cell += cut->classes[i][key[cut->picked[i]]];
    return cell;
}

static inline struct macs_ternary_cells_quad *macs_ternary_cells_at(const struct macs_ternary_cells_map *map,
                                                                    uint32_t quad) {
    return (struct macs_ternary_cells_quad *)(void *)(map->quads + (size_t)quad * 64);
}

/* What stands behind a value in its slot: the entry's sequence, and in a table with ranges its value and its high. */
static inline bool macs_ternary_cells_sooner(const struct macs_ternary_cells *table, uint64_t a, uint64_t b) {
    uint64_t of_a, of_b;
    memcpy(&of_a, macs_values_inline(&table->rules.values, (uint32_t)a), sizeof of_a);
    memcpy(&of_b, macs_values_inline(&table->rules.values, (uint32_t)b), sizeof of_b);
    return of_a < of_b;
}

/* Of the lanes whose entries match apart from ranges, keep those that match. */
static inline uint32_t macs_ternary_cells_in_ranges(const struct macs_ternary_cells *table,
                                                    const struct macs_ternary_cells_quad *quad, const uint8_t *key,
                                                    uint32_t hits) {
    for (uint32_t left = hits; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t slot = atomic_load_explicit(&quad->slots[lane], memory_order_acquire);
        const uint8_t *low = macs_values_inline(&table->rules.values, slot) + sizeof(uint64_t);
        if (!macs_rules_in_ranges(&table->rules, low, low + table->rules.key_bytes, key))
            hits &= ~(1u << lane);
    }
    return hits;
}

/* Take a quad's first match if it wins over the best so far; 0 when it has none. */
MACS_ALWAYS_INLINE uint32_t macs_ternary_cells_look(const struct macs_ternary_cells *table,
                                                    const struct macs_ternary_cells_quad *quad, const uint8_t *key,
                                                    const uint64_t *words, uint32_t count,
                                                    struct macs_ternary_best *best) {
    uint32_t hits = macs_scan_masked(quad->lines, words, count);
    if (__builtin_expect(table->rules.ranges, 0))
        hits = macs_ternary_cells_in_ranges(table, quad, key, hits);
    uint32_t lane = (uint32_t)__builtin_ctz(hits | 1u << MACS_SCAN_LANES);
    uint64_t order = quad->orders[lane], slot = atomic_load_explicit(&quad->slots[lane], memory_order_acquire);
    if (__builtin_expect(order == best->order, 0) && macs_ternary_cells_sooner(table, slot, best->slot))
        best->order = 0;
    uint64_t wins = UINT64_C(0) - (order > best->order); /* no branch: nothing would foretell it */
    best->order ^= (best->order ^ order) & wins;
    best->slot ^= (best->slot ^ slot) & wins;
    return hits;
}

/* Go through a cell's quads: `depth` of them in any case, as a branch that goes the one way or the other costs more
 * than a quad, then on until one has a match. Each of that in one compare, lest a branch on the hits alone is made. */
MACS_ALWAYS_INLINE void macs_ternary_cells_descend(const struct macs_ternary_cells *table,
                                                   const struct macs_ternary_cells_map *map, uint32_t number,
                                                   uint32_t depth, const uint8_t *key, const uint64_t *words,
                                                   uint32_t count, struct macs_ternary_best *best) {
    uint32_t hits = 0;
    do {
        const struct macs_ternary_cells_quad *quad = macs_ternary_cells_at(map, number);
        hits |= macs_ternary_cells_look(table, quad, key, words, count, best);
        number = atomic_load_explicit(&quad->next, memory_order_acquire);
    } while (--depth);
    while (__builtin_expect(number > hits << MACS_TERNARY_CELLS_QUAD_BITS, 0)) {
        const struct macs_ternary_cells_quad *quad = macs_ternary_cells_at(map, number);
        hits = macs_ternary_cells_look(table, quad, key, words, count, best);
        number = atomic_load_explicit(&quad->next, memory_order_acquire);
    }
}

static inline const struct macs_ternary_few *macs_ternary_cells_few(const struct macs_ternary_cells *table) {
#ifdef MACS_NO_FEW_ENTRIES
    (void)table;
    return NULL;
#else
    return atomic_load_explicit(&table->few, memory_order_acquire);
#endif
}

static inline const struct macs_ternary_mask *macs_ternary_cells_mask(const struct macs_ternary_cells *table) {
#ifdef MACS_NO_ONE_MASK
    (void)table;
    return NULL;
#else
    return atomic_load_explicit(&table->mask, memory_order_acquire);
#endif
}

static inline void macs_ternary_cells_start_in_map(const struct macs_ternary_cells *table, const uint8_t *key,
                                                   struct macs_ternary_cells_cursor *cursor) {
    cursor->few = NULL;
    cursor->mask = NULL;
    cursor->changes = macs_changes_seen(&table->changes);
    cursor->map = atomic_load_explicit(&table->map, memory_order_acquire);
    cursor->stepped = false;
    cursor->cuts = atomic_load_explicit(&cursor->map->cuts_used, memory_order_acquire);
    for (uint32_t i = 0; i < cursor->cuts; i++) {
        cursor->at[i] = macs_ternary_cells_cell(&cursor->map->cuts[i], key);
        macs_prefetch((const void *)&cursor->map->cells[cursor->at[i]]);
    }
}

/* The same of a table with more than few entries. */
static inline void macs_ternary_cells_start_in_many(const struct macs_ternary_cells *table, const uint8_t *key,
                                                    uint32_t key_bytes, struct macs_ternary_cells_cursor *cursor) {
    cursor->mask = macs_ternary_cells_mask(table);
    if (cursor->mask)
        cursor->at[0] = macs_ternary_mask_start(cursor->mask, key, key_bytes);
    else
        macs_ternary_cells_start_in_map(table, key, cursor);
}

MACS_ALWAYS_INLINE void macs_ternary_cells_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                 struct macs_ternary_cells_cursor *cursor) {
    cursor->few = macs_ternary_cells_few(self);
    if (!cursor->few)
        macs_ternary_cells_start_in_many(self, key, key_bytes, cursor);
}

static inline void macs_ternary_cells_step_in_map(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                  struct macs_ternary_cells_cursor *cursor) {
    const struct macs_rules *rules = &((const struct macs_ternary_cells *)self)->rules;
    const struct macs_ternary_rows *rows = cursor->map->rows;
    cursor->stepped = true;
    cursor->place = NULL;
    if (rows) {
        cursor->place = __builtin_expect(rules->ranges, 0) ? macs_ternary_rows_find_in_ranges(rules, rows, key)
                                                           : macs_ternary_rows_find(rules, rows, key);
        macs_prefetch(cursor->place);
    }
    for (uint32_t i = 0; i < cursor->cuts; i++) {
        cursor->at[i] = atomic_load_explicit(&cursor->map->cells[cursor->at[i]], memory_order_acquire);
        const struct macs_ternary_cells_quad *quad = macs_ternary_cells_at(cursor->map, cursor->at[i]);
        macs_prefetch(quad);
        for (uint32_t at = 0; at < (key_bytes + 7) / 8; at++)
            macs_prefetch(quad->lines + (size_t)at * MACS_SCAN_WORDS);
    }
}

MACS_ALWAYS_INLINE void macs_ternary_cells_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                struct macs_ternary_cells_cursor *cursor) {
    if (!cursor->few && !cursor->mask)
        macs_ternary_cells_step_in_map(self, key, key_bytes, cursor);
}

/* Take the best of all cuts' matches if it wins over the best so far. */
static inline void macs_ternary_cells_look_in_cuts(const struct macs_ternary_cells *table, const uint8_t *key,
                                                   uint32_t key_bytes, const struct macs_ternary_cells_cursor *cursor,
                                                   struct macs_ternary_best *best) {
    uint64_t words[(MACS_TERNARY_CELLS_KEY_MAX + 7) / 8];
    uint32_t count = (key_bytes + 7) / 8;
    for (uint32_t at = 0; at < count; at++)
        words[at] = macs_ternary_cells_word(key, key_bytes, at);
    for (uint32_t i = 0; i < cursor->cuts; i++)
        macs_ternary_cells_descend(table, cursor->map, cursor->at[i], cursor->map->cuts[i].depth, key, words, count,
                                   best);
}

static inline const struct macs_entry *macs_ternary_cells_search(const struct macs_ternary_cells *table,
                                                                 const uint8_t *key, uint32_t key_bytes,
                                                                 struct macs_ternary_cells_cursor *cursor) {
    struct macs_ternary_best best = {.order = 1};
    if (__builtin_expect(!cursor->stepped, 0))
        macs_ternary_cells_step_in_map(table, key, key_bytes, cursor);
    if (cursor->place) {
        best.order = atomic_load_explicit(&cursor->place->order, memory_order_relaxed);
        best.slot = atomic_load_explicit(&cursor->place->slot, memory_order_acquire);
    }
    if (cursor->cuts)
        macs_ternary_cells_look_in_cuts(table, key, key_bytes, cursor, &best);
    uintptr_t found = (uintptr_t)0 - (best.order > 1);
    return (const void *)((uintptr_t)macs_values_at(&table->rules.values, (uint32_t)best.slot) & found);
}

/* Repeat the lookup in the map until nothing changes meanwhile. */
static __attribute__((noinline, unused)) const struct macs_entry *
macs_ternary_cells_retry(const struct macs_ternary_cells *table, const uint8_t *key, uint32_t key_bytes,
                         struct macs_ternary_cells_cursor *cursor) {
    const struct macs_entry *found;
    uint32_t repeats = 0;
    do {
        macs_changes_repeat(&table->changes, repeats++);
        macs_ternary_cells_start_in_map(table, key, cursor);
        found = macs_ternary_cells_search(table, key, key_bytes, cursor);
    } while (!macs_changes_none(&table->changes, cursor->changes));
    macs_changes_repeated(&table->changes, repeats);
    return found;
}

static inline const struct macs_entry *macs_ternary_cells_finish_in_many(const struct macs_ternary_cells *table,
                                                                         const uint8_t *key, uint32_t key_bytes,
                                                                         struct macs_ternary_cells_cursor *cursor) {
    if (cursor->mask)
        return macs_ternary_mask_finish(&table->rules, cursor->mask, key, key_bytes, cursor->at[0]);
    const struct macs_entry *found = macs_ternary_cells_search(table, key, key_bytes, cursor);
    if (!macs_changes_none(&table->changes, cursor->changes))
        return macs_ternary_cells_retry(table, key, key_bytes, cursor);
    return found;
}

MACS_ALWAYS_INLINE const struct macs_entry *macs_ternary_cells_finish(const void *self, const uint8_t *key,
                                                                      uint32_t key_bytes,
                                                                      struct macs_ternary_cells_cursor *cursor) {
    const struct macs_ternary_cells *table = self;
    if (cursor->few)
        return macs_ternary_few_find(&table->rules, cursor->few, key, key_bytes);
    return macs_ternary_cells_finish_in_many(table, key, key_bytes, cursor);
}

#endif
