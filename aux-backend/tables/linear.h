/* The reference: every match kind, one entry looked at after the other. Also the kernel of range tables.
 *
 * Lookup: all entries in turn, each field by its kind as the P4-16 specification and P4Runtime have it: exact equal,
 * prefix equal, equal under the mask, within low … high as unsigned numbers; the winner has the highest priority, then the
 * longest prefix, then was added first. Without fields in the shape the key is compared under its mask.
 * Invariants: slots[index] names the value of the entry with that index, or 0; the match stands behind the value in its
 * slot, so value and match belong together. Each change counts in `changes` before it is made: a lookup that saw some
 * changes looks again, a few times, so that a rule that is moved by adding it anew first is never missed.
 * Threads: one writer, any number of readers between two quiescent reports (macs/qsbr.h).
 * Cost: lookup O(entries × key bytes); change O(1). Source: the specification.
 */
#ifndef MACS_TABLES_LINEAR_H
#define MACS_TABLES_LINEAR_H

#include <stdatomic.h>
#include <string.h>

#include "rules.h"

#define MACS_LINEAR_STEPS 0
#define MACS_LINEAR_RETRIES 3

struct macs_linear {
    struct macs_rules rules;
    _Atomic uint32_t *slots; /* slot + 1, or 0, by index */
    _Atomic uint32_t used;   /* no entry has an index from here on */
    _Atomic uint32_t changes;
    const struct macs_key_field *fields; /* a copy */
    uint32_t field_count;
};

/* Behind the value in a slot; then value, mask, high. */
struct macs_linear_match {
    uint64_t order;
    uint64_t sequence;
    uint8_t bytes[];
};

struct macs_linear_cursor {
    uint32_t changes;
};

static inline bool macs_linear_masked(const uint8_t *key, const uint8_t *value, const uint8_t *mask, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        if ((key[i] & mask[i]) != value[i])
            return false;
    return true;
}

static inline bool macs_linear_matches(const struct macs_linear *table, const struct macs_linear_match *match,
                                       const uint8_t *key, uint32_t key_bytes) {
    const uint8_t *value = match->bytes, *mask = value + key_bytes, *high = mask + key_bytes;
    if (table->field_count == 0)
        return macs_linear_masked(key, value, mask, key_bytes);
    for (uint32_t i = 0; i < table->field_count; i++) {
        uint32_t at = table->fields[i].offset, bytes = (table->fields[i].bits + 7u) / 8;
        if (table->fields[i].kind == MACS_RANGE) {
            if (memcmp(key + at, value + at, bytes) < 0 || memcmp(key + at, high + at, bytes) > 0)
                return false;
        } else if (!macs_linear_masked(key + at, value + at, mask + at, bytes)) {
            return false;
        }
    }
    return true;
}

static inline const struct macs_entry *macs_linear_scan(const struct macs_linear *table, const uint8_t *key,
                                                        uint32_t key_bytes) {
    const struct macs_values *values = &table->rules.values;
    const struct macs_linear_match *best = NULL;
    const struct macs_entry *found = NULL;
    uint32_t used = atomic_load_explicit(&table->used, memory_order_acquire);
    for (uint32_t i = 0; i < used; i++) {
        uint32_t slot = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (slot == 0)
            continue;
        const struct macs_linear_match *match = (const void *)macs_values_inline(values, slot - 1);
        if ((!best || macs_rules_wins(match->order, match->sequence, best->order, best->sequence)) &&
            macs_linear_matches(table, match, key, key_bytes)) {
            best = match;
            found = macs_values_at(values, slot - 1);
        }
    }
    return found;
}

static inline void macs_linear_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                     struct macs_linear_cursor *cursor) {
    const struct macs_linear *table = self;
    (void)key;
    (void)key_bytes;
    cursor->changes = atomic_load_explicit(&table->changes, memory_order_acquire);
}

static inline const struct macs_entry *macs_linear_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                          struct macs_linear_cursor *cursor) {
    const struct macs_linear *table = self;
    const struct macs_entry *found = macs_linear_scan(table, key, key_bytes);
    for (int retry = 0; retry < MACS_LINEAR_RETRIES; retry++) {
        uint32_t changes = atomic_load_explicit(&table->changes, memory_order_acquire);
        if (changes == cursor->changes)
            break;
        cursor->changes = changes;
        found = macs_linear_scan(table, key, key_bytes);
    }
    return found;
}

extern const struct macs_kernel macs_linear_kernel;

#endif
