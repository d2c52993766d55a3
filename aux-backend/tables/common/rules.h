/* Rules: the writer's own record of a table's entries, for tables whose lookup structure does not hold whole matches.
 *
 * A rule is an entry's match in canonical form, its order, and the slot of its value. In canonical form bits outside
 * the mask are zero, an exact byte has the mask 0xff, and a prefix is its mask. A hash map finds a rule by its match,
 * an array by the entry's index.
 * Invariants: there is one rule for each entry, at rules[index]. The map has at least twice as many places as there are
 * rules. A place has the upper half of its match's hash: a record is read only where that is equal.
 * Threads: the one writer; readers do not use this.
 * Cost: O(1); two cache misses: the place in the map, then the record (one line if it fits). 36 bytes a rule, and for
 * each byte of the key 1, or 3 where there are masks; 16 to 32 bytes in the map.
 */
#ifndef MACS_TABLES_RULES_H
#define MACS_TABLES_RULES_H

#include <macs/inline.h>
#include <string.h>

#include "values.h"

#define MACS_RULES_NONE UINT32_MAX

struct macs_rule {
    uint64_t order;    /* compare this first, the larger wins: priority, then prefix length */
    uint64_t sequence; /* then this, the smaller wins: when the entry was added, from 1; 0: no entry */
    uint32_t slot;
    uint32_t next;   /* index of a rule that the table chains to this one, or MACS_RULES_NONE */
    uint32_t result; /* its number, in tables with shared results (results.h) */
    uint32_t prefix_bits;
    int32_t priority;
    uint8_t bytes[]; /* value; in tables with masks or ranges: mask, high */
};

struct macs_rules {
    struct macs_values values;
    struct macs_qsbr *qsbr;
    uint8_t *records; /* `size` rules of record_bytes each */
    struct macs_rules_place {
        uint32_t hash;  /* of the match: its low bits say where it is looked for first */
        uint32_t index; /* + 1, or 0 */
    } * map;
    uint8_t *kinds;                /* enum macs_match_kind of each key byte */
    struct macs_key_field *fields; /* a copy of the shape's */
    uint32_t field_count;
    struct macs_rule *current; /* the match that macs_rules_prepare() was given, in canonical form */
    struct macs_rule *shorter; /* another match, for macs_rules_find_prefix() */
    uint32_t current_hash;
    uint8_t *mask; /* of a rule that has none of its own, while it is shown */
    uint64_t sequence;
    uint32_t record_bytes;
    uint32_t map_places; /* a power of two */
    uint32_t key_bytes;
    uint32_t match_bytes; /* of a match */
    uint32_t prefix_offset;
    bool masked;     /* rules have masks and high ends; else they are prefixes or exact */
    bool priorities; /* else every priority is taken as 0 */
    bool ranges;     /* some field is one */
};

/* `allowed`: bit 1 << kind for each match kind that the table takes (ternary implies priorities). `plain`: the kind of
 * the bytes before the prefix, where the shape has no fields. 0, -ENOMEM, -EINVAL for a field of another kind. */
int macs_rules_create(struct macs_rules *rules, const struct macs_table_shape *shape, unsigned allowed,
                      enum macs_match_kind plain, uint32_t inline_bytes, struct macs_qsbr *qsbr);
void macs_rules_destroy(struct macs_rules *rules);

static inline struct macs_rule *macs_rules_at(const struct macs_rules *rules, uint32_t index) {
    return (struct macs_rule *)(void *)(rules->records + (size_t)index * rules->record_bytes);
}

/* The rule of the entry whose value stands in that slot. */
static inline struct macs_rule *macs_rules_of(const struct macs_rules *rules, uint32_t slot) {
    return macs_rules_at(rules, macs_values_at(&rules->values, slot)->index);
}

static inline uint32_t macs_rules_index(const struct macs_rules *rules, const struct macs_rule *rule) {
    return (uint32_t)((size_t)((const uint8_t *)rule - rules->records) / rules->record_bytes);
}

/* These two for tables with masks or ranges. */
static inline const uint8_t *macs_rules_mask(const struct macs_rules *rules, const struct macs_rule *rule) {
    return rule->bytes + rules->key_bytes;
}

static inline const uint8_t *macs_rules_high(const struct macs_rules *rules, const struct macs_rule *rule) {
    return rule->bytes + 2 * (size_t)rules->key_bytes;
}

/* The range field that a key byte belongs to, or NULL. */
const struct macs_key_field *macs_rules_range_of(const struct macs_rules *rules, uint32_t at);

/* As macs_rules_between(), for numbers of any length. */
bool macs_rules_between_long(const uint8_t *low, const uint8_t *high, const uint8_t *number, uint32_t bytes);

/* A number of at most 8 bytes, most significant byte first; of two, as ports have, by one load. */
static inline uint64_t macs_rules_number(const uint8_t *number, uint32_t bytes) {
    uint64_t is = 0;
    if (bytes == 2)
        return (uint64_t)number[0] << 8 | number[1];
    for (uint32_t i = 0; i < bytes; i++)
        is = is << 8 | number[i];
    return is;
}

/* Whether a number of so many bytes is one from `low` to `high`; most significant byte first. */
static inline bool macs_rules_between(const uint8_t *low, const uint8_t *high, const uint8_t *number, uint32_t bytes) {
    if (bytes > 8)
        return macs_rules_between_long(low, high, number, bytes);
    uint64_t is = macs_rules_number(number, bytes), from = macs_rules_number(low, bytes);
    return from <= is && is <= macs_rules_number(high, bytes);
}

/* Whether all range fields of the key are numbers from those in `low` to those in `high`. */
static inline bool macs_rules_in_ranges(const struct macs_rules *rules, const uint8_t *low, const uint8_t *high,
                                        const uint8_t *key) {
    __asm__("" : "+r"(key)); /* or gcc warns of ranges of two bytes in keys of one, which are in no table */
    for (uint32_t i = 0; i < rules->field_count; i++) {
        uint32_t at = rules->fields[i].offset, bytes = (rules->fields[i].bits + 7u) / 8;
        if (rules->fields[i].kind == MACS_RANGE && !macs_rules_between(low + at, high + at, key + at, bytes))
            return false;
    }
    return true;
}

/* Whether `a` wins over `b` where both match. */
static inline bool macs_rules_wins(uint64_t a_order, uint64_t a_sequence, uint64_t b_order, uint64_t b_sequence) {
    return a_order > b_order || (a_order == b_order && a_sequence < b_sequence);
}

/* Make `match` the current one, and prefetch its place in the map. 0, or -EINVAL for a match that cannot be: a prefix
 * longer than the key, a range from a higher to a lower number. The next four functions use the current match; the two
 * after them make the match that they are given the current one. */
int macs_rules_prepare(struct macs_rules *rules, const struct macs_match *match);

/* When the place is in the cache: prefetch the rule. */
void macs_rules_prefetch(const struct macs_rules *rules);

/* The rule with the current match: 0 or -ENOENT. */
int macs_rules_find_current(struct macs_rules *rules, struct macs_rule **rule);

/* That rule, if there certainly is one. The rule itself is not read, so its prefetch need not be complete. */
struct macs_rule *macs_rules_current(struct macs_rules *rules);

/* Record a new entry with the current match and this value (not yet published): 0, -EEXIST, -ENOSPC, -EBUSY. */
int macs_rules_add_current(struct macs_rules *rules, const void *value, struct macs_rule **rule);

/* The rule with that very match: 0, -ENOENT, -EINVAL. */
int macs_rules_find(struct macs_rules *rules, const struct macs_match *match, struct macs_rule **rule);

/* Record a new entry: as above, or -EINVAL. */
int macs_rules_add(struct macs_rules *rules, const struct macs_match *match, const void *value,
                   struct macs_rule **rule);

/* The rule of the prefix of so many bits of a key; NULL if there is none. For tables without masks. */
struct macs_rule *macs_rules_find_prefix(struct macs_rules *rules, const uint8_t *key, uint32_t prefix_bits);

/* The rule of the next shorter prefix, of more than `beyond` bits, of the same key as a rule's; NULL if there is none.
 * For tables without masks. */
struct macs_rule *macs_rules_find_shorter(struct macs_rules *rules, const struct macs_rule *rule, uint32_t beyond);

/* Undo macs_rules_add, at once: nothing of it was published. */
void macs_rules_cancel(struct macs_rules *rules, struct macs_rule *rule);

/* Give a rule a new value's slot; the old one goes to *old, for macs_values_retire once it is unlinked. 0 or -EBUSY. */
int macs_rules_modify(struct macs_rules *rules, struct macs_rule *rule, const void *value, uint32_t *old);

/* Remove the rule of an entry that readers no longer find. Needs one reserved defer. */
void macs_rules_remove(struct macs_rules *rules, struct macs_rule *rule);

/* The rule with that very match, for a change that makes so many defers: 0, -ENOENT, -EINVAL, -EBUSY. */
int macs_rules_find_to_change(struct macs_rules *rules, const struct macs_match *match, uint32_t defers,
                              struct macs_rule **rule);

/* As in struct macs_table_ops. */
const struct macs_entry *macs_rules_entry(struct macs_rules *rules, const struct macs_match *match);
int macs_rules_walk(struct macs_rules *rules,
                    int (*visit)(const struct macs_match *, const struct macs_entry *, void *), void *arg);

/* The same for tables whose state begins with their rules. */
const struct macs_entry *macs_rules_ops_find(void *self, const struct macs_match *match);
int macs_rules_ops_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                        void *arg);
uint32_t macs_rules_ops_count(void *self);
struct macs_indices *macs_rules_ops_indices(void *self);

uint64_t macs_rules_memory(const struct macs_rules *rules);

/* The value and mask that a key is compared with, of key_bytes bytes each: of a range what its ends have in common. */
void macs_rules_comparable(const struct macs_rules *rules, const struct macs_rule *rule, uint8_t *value, uint8_t *mask);

/* The word at this byte of a key; all of a shorter key. The copy says its bound for GCC, which warns at -O0 of one that
 * longer keys do not make. */
MACS_ALWAYS_INLINE uint64_t macs_rules_key_word(const uint8_t *bytes, uint32_t key_bytes) {
    uint64_t word = 0;
    if (key_bytes >= 8)
        memcpy(&word, bytes, 8);
    else
        memcpy(&word, bytes, key_bytes % 8);
    return word;
}

#endif
