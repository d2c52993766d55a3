/* Ternary match with priorities by tuple space search: one hash table for each mask in use.
 *
 * The entries with the same mask are a tuple. One hash of the masked key finds the entry in a tuple. A lookup visits
 * the tuples in the order of the highest priority in each, and stops when its match wins over all entries of the tuples
 * that follow. A prefix is a mask; among equal priorities the longer prefix wins, then the entry that was added first.
 * Invariants: the list of tuples is sorted by `order`, which is at least that of each entry in the tuple. The list is
 * replaced as a whole. An entry is published by one atomic store of a word. Words do not move within a hash table; a
 * larger one replaces it as a whole. Of entries with the same mask and key, which differ in priority, only the best is
 * in the hash table; the others are chained in the writer's rules. No lookup misses a rule that is
 * moved by adding it again first (changes.h).
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup one mask, one hash and two cache misses for each tuple visited; memory 16 bytes an entry, its slot and
 * its rule; change O(1), O(tuples) where the list changes.
 * Source: Srinivasan, Suri, Varghese, Packet classification using tuple space search (1999); the order of tuples as in
 * Open vSwitch's classifier (Pfaff et al., 2015).
 */
#ifndef MACS_TABLES_TERNARY_TUPLE_H
#define MACS_TABLES_TERNARY_TUPLE_H

#include <stdatomic.h>
#include <string.h>

#include "tables/common/changes.h"
#include "tables/common/hash.h"
#include "tables/common/prefetch.h"
#include "tables/common/rules.h"

#define MACS_TERNARY_TUPLE_KEY_MAX 256u /* bytes */

/* Entries of one mask. A word: bits 0 … 31 slot + 1, 32 … 63 tag; 0 free; a tag without slot was removed. */
struct macs_ternary_tuple_table {
    uint32_t places; /* a power of two; at least one word is free */
    _Alignas(64) _Atomic uint64_t words[];
};

struct macs_ternary_tuple_space {
    struct macs_ternary_tuple_table *_Atomic table;
    uint32_t live;     /* words with a slot; writer only, as what follows */
    uint32_t filled;   /* words that are not free */
    uint32_t removals; /* since the highest order was last looked for */
    uint8_t mask[];
};

struct macs_ternary_tuple_item {
    uint64_t order;
    struct macs_ternary_tuple_space *space;
};

struct macs_ternary_tuple_list {
    uint32_t count;
    struct macs_ternary_tuple_item items[];
};

struct macs_ternary_tuple {
    struct macs_rules rules;
    struct macs_ternary_tuple_list *_Atomic list;
    struct macs_changes changes;
    uint64_t seed;
};

/* Behind the value in a slot. */
struct macs_ternary_tuple_match {
    uint64_t order;
    uint64_t sequence;
    uint8_t key[];
};

struct macs_ternary_tuple_cursor {
    const struct macs_ternary_tuple_list *list;
    uint32_t changes;
};

static inline void macs_ternary_tuple_mask(const uint8_t *key, const uint8_t *mask, uint32_t key_bytes,
                                           uint8_t *masked) {
    for (uint32_t i = 0; i < key_bytes; i++)
        masked[i] = key[i] & mask[i];
}

/* The word of a masked key in a table, or NULL. The word as read goes to *found. */
static inline _Atomic uint64_t *macs_ternary_tuple_probe(const struct macs_ternary_tuple *table,
                                                         struct macs_ternary_tuple_table *words, const uint8_t *masked,
                                                         uint32_t key_bytes, uint64_t *found) {
    uint64_t hash = macs_hash_bytes(masked, key_bytes, table->seed);
    for (uint32_t at = (uint32_t)hash & (words->places - 1);; at = (at + 1) & (words->places - 1)) {
        *found = atomic_load_explicit(&words->words[at], memory_order_acquire);
        if (*found == 0)
            return NULL;
        if (*found >> 32 != hash >> 32 || (uint32_t)*found == 0)
            continue;
        const struct macs_ternary_tuple_match *match =
            (const void *)macs_values_inline(&table->rules.values, (uint32_t)*found - 1);
        if (memcmp(match->key, masked, key_bytes) == 0)
            return &words->words[at];
    }
}

static inline void macs_ternary_tuple_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                            struct macs_ternary_tuple_cursor *cursor) {
    const struct macs_ternary_tuple *table = self;
    cursor->changes = macs_changes_seen(&table->changes);
    cursor->list = atomic_load_explicit(&table->list, memory_order_acquire);
    if (cursor->list->count) {
        uint8_t masked[MACS_TERNARY_TUPLE_KEY_MAX];
        struct macs_ternary_tuple_space *space = cursor->list->items[0].space;
        struct macs_ternary_tuple_table *words = atomic_load_explicit(&space->table, memory_order_acquire);
        macs_ternary_tuple_mask(key, space->mask, key_bytes, masked);
        uint32_t at = (uint32_t)macs_hash_bytes(masked, key_bytes, table->seed) & (words->places - 1);
        macs_prefetch((const void *)&words->words[at]);
    }
}

static inline const struct macs_entry *macs_ternary_tuple_search(const struct macs_ternary_tuple *table,
                                                                 const struct macs_ternary_tuple_list *list,
                                                                 const uint8_t *key, uint32_t key_bytes) {
    const struct macs_entry *found = NULL;
    const struct macs_ternary_tuple_match *best = NULL;
    for (uint32_t i = 0; i < list->count && !(best && best->order > list->items[i].order); i++) {
        uint8_t masked[MACS_TERNARY_TUPLE_KEY_MAX];
        struct macs_ternary_tuple_space *space = list->items[i].space;
        uint64_t word;
        macs_ternary_tuple_mask(key, space->mask, key_bytes, masked);
        if (!macs_ternary_tuple_probe(table, atomic_load_explicit(&space->table, memory_order_acquire), masked,
                                      key_bytes, &word))
            continue;
        uint32_t slot = (uint32_t)word - 1;
        const struct macs_ternary_tuple_match *match = (const void *)macs_values_inline(&table->rules.values, slot);
        if (!best || macs_rules_wins(match->order, match->sequence, best->order, best->sequence)) {
            best = match;
            found = macs_values_at(&table->rules.values, slot);
        }
    }
    return found;
}

static inline const struct macs_entry *macs_ternary_tuple_finish(const void *self, const uint8_t *key,
                                                                 uint32_t key_bytes,
                                                                 struct macs_ternary_tuple_cursor *cursor) {
    const struct macs_ternary_tuple *table = self;
    const struct macs_entry *found = macs_ternary_tuple_search(table, cursor->list, key, key_bytes);
    uint32_t repeats = 0;
    for (; !macs_changes_none(&table->changes, cursor->changes); repeats++) {
        macs_changes_repeat(&table->changes, repeats);
        cursor->changes = macs_changes_seen(&table->changes);
        cursor->list = atomic_load_explicit(&table->list, memory_order_acquire);
        found = macs_ternary_tuple_search(table, cursor->list, key, key_bytes);
    }
    macs_changes_repeated(&table->changes, repeats);
    return found;
}

extern const struct macs_table_ops macs_ternary_tuple_ops;

#endif
