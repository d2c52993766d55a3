/* Linear search: takes every match kind. The reference for all other table kernels.
 *
 * The list of entries is in the order in which entries win: highest priority, then longest prefix, then added first.
 * A lookup returns the first entry that matches. Each field is compared by its match kind, as the P4-16 specification
 * and P4Runtime define it: exact, prefix, under a mask, or low … high as unsigned numbers. Without fields in the shape
 * the whole key is compared under its mask.
 * Invariants: each add and remove publishes a new version of the list (macs/sequence.h), so a lookup sees all entries
 * of one moment. A modified value replaces the old one by one atomic store. The match is behind the value in its slot.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup O(entries × key bytes); a change copies some 2 kB, and 16 bytes for each 256 entries.
 * Source: the P4-16 and P4Runtime specifications.
 */
#ifndef MACS_TABLES_LINEAR_H
#define MACS_TABLES_LINEAR_H

#include <macs/sequence.h>
#include <stdatomic.h>
#include <string.h>

#include "rules.h"

struct macs_linear {
    struct macs_rules rules;
    struct macs_sequence *_Atomic list; /* of slots, _Atomic uint32_t, in the order in which they win */
};

struct macs_linear_cursor {
    const struct macs_sequence *list;
};

static inline bool macs_linear_masked(const uint8_t *key, const uint8_t *value, const uint8_t *mask, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        if ((key[i] & mask[i]) != value[i])
            return false;
    return true;
}

static inline bool macs_linear_matches(const struct macs_linear *table, const uint8_t *value, const uint8_t *key,
                                       uint32_t key_bytes) {
    const uint8_t *mask = value + key_bytes, *high = mask + key_bytes;
    const struct macs_rules *rules = &table->rules;
    if (!rules->ranges)
        return macs_linear_masked(key, value, mask, key_bytes);
    for (uint32_t i = 0; i < rules->field_count; i++) {
        uint32_t at = rules->fields[i].offset, bytes = (rules->fields[i].bits + 7u) / 8;
        if (rules->fields[i].kind != MACS_RANGE && !macs_linear_masked(key + at, value + at, mask + at, bytes))
            return false;
    }
    return macs_rules_in_ranges(rules, value, high, key);
}

static inline void macs_linear_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                     struct macs_linear_cursor *cursor) {
    const struct macs_linear *table = self;
    (void)key;
    (void)key_bytes;
    cursor->list = atomic_load_explicit(&table->list, memory_order_acquire);
}

static inline const struct macs_entry *macs_linear_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                          struct macs_linear_cursor *cursor) {
    const struct macs_linear *table = self;
    for (uint32_t part = 0; part < cursor->list->part_count; part++) {
        const struct macs_sequence_run *run = cursor->list->parts[part].run;
        const _Atomic uint32_t *slots = (const _Atomic uint32_t *)run->items;
        for (uint32_t i = 0; i < run->count; i++) {
            uint32_t slot = atomic_load_explicit(&slots[i], memory_order_acquire);
            if (macs_linear_matches(table, macs_values_inline(&table->rules.values, slot), key, key_bytes))
                return macs_values_at(&table->rules.values, slot);
        }
    }
    return NULL;
}

extern const struct macs_table_ops macs_linear_ops;

#endif
