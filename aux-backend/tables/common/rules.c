/* The writer's record of entries: matches in canonical form, found by a hash. */
#include "rules.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"

/* -- canonical form ---------------------------------------------------------------------------------------------------
 */

static int learn_kinds(struct macs_rules *rules, const struct macs_table_shape *shape, unsigned allowed,
                       enum macs_match_kind plain) {
    for (uint32_t at = 0; at < shape->key_bytes; at++)
        rules->kinds[at] = (uint8_t)(at >= shape->prefix_offset ? MACS_LPM : plain);
    for (uint32_t i = 0; shape->fields && i < shape->field_count; i++) {
        const struct macs_key_field *field = &shape->fields[i];
        uint32_t bytes = (field->bits + 7u) / 8;
        if (!(allowed >> field->kind & 1) || field->offset + bytes > shape->key_bytes)
            return -EINVAL;
        memset(rules->kinds + field->offset, field->kind, bytes);
        rules->ranges |= field->kind == MACS_RANGE;
    }
    return 0;
}

static int copy_fields(struct macs_rules *rules, const struct macs_table_shape *shape) {
    if (!shape->fields || shape->field_count == 0)
        return 0;
    rules->fields = malloc(shape->field_count * sizeof *rules->fields);
    if (!rules->fields)
        return -ENOMEM;
    memcpy(rules->fields, shape->fields, shape->field_count * sizeof *rules->fields);
    rules->field_count = shape->field_count;
    return 0;
}

const struct macs_key_field *macs_rules_range_of(const struct macs_rules *rules, uint32_t at) {
    if (rules->kinds[at] != MACS_RANGE)
        return NULL;
    const struct macs_key_field *field = rules->fields;
    while (at < field->offset || at >= field->offset + (field->bits + 7u) / 8)
        field++;
    return field;
}

bool macs_rules_between_long(const uint8_t *low, const uint8_t *high, const uint8_t *number, uint32_t bytes) {
    return memcmp(number, low, bytes) >= 0 && memcmp(number, high, bytes) <= 0;
}

/* The mask of byte `at` in a prefix of that many bits. */
static uint8_t prefix_mask(uint32_t prefix_bits, uint32_t at) {
    if (prefix_bits >= at * 8 + 8)
        return 0xff;
    return prefix_bits <= at * 8 ? 0 : (uint8_t)(0xff00 >> (prefix_bits - at * 8));
}

/* The bytes of a match, as a rule keeps them, where masks and high ends are kept too. */
static void copy_masked(const struct macs_rules *rules, const struct macs_match *match, struct macs_rule *rule) {
    uint32_t bytes = rules->key_bytes;
    for (uint32_t at = 0; at < bytes; at++) {
        uint8_t kind = rules->kinds[at];
        uint8_t mask = 0xff;
        if (kind == MACS_LPM)
            mask = prefix_mask(rule->prefix_bits, at);
        else if (kind == MACS_TERNARY || kind == MACS_OPTIONAL)
            mask = match->mask[at];
        rule->bytes[at] = match->value[at] & mask;
        rule->bytes[bytes + at] = mask;
        rule->bytes[2 * bytes + at] = kind == MACS_RANGE ? match->high[at] : rule->bytes[at];
    }
}

/* The bytes of a key, the bits behind its prefix cleared. */
static void copy_prefix(const struct macs_rules *rules, const uint8_t *key, struct macs_rule *rule) {
    uint32_t at = rule->prefix_bits / 8;
    memcpy(rule->bytes, key, rules->key_bytes);
    if (at == rules->key_bytes)
        return;
    rule->bytes[at] &= prefix_mask(rule->prefix_bits, at);
    memset(rule->bytes + at + 1, 0, rules->key_bytes - at - 1);
}

static uint64_t order_of(int32_t priority, uint32_t prefix_bits) {
    return (uint64_t)((uint32_t)priority ^ UINT32_C(0x80000000)) << 32 | prefix_bits;
}

static int canonical(struct macs_rules *rules, const struct macs_match *match) {
    struct macs_rule *current = rules->current;
    uint32_t bytes = rules->key_bytes;
    bool prefix = rules->prefix_offset < bytes;
    current->prefix_bits = prefix ? match->prefix_bits : bytes * 8;
    current->priority = rules->priorities ? match->priority : 0;
    current->order = order_of(current->priority, current->prefix_bits);
    if (bytes == 0 || current->prefix_bits > bytes * 8 ||
        current->prefix_bits < (prefix ? rules->prefix_offset * 8 : 0))
        return -EINVAL;
    if (rules->masked)
        copy_masked(rules, match, current);
    else
        copy_prefix(rules, match->value, current);
    return rules->ranges &&
                   !macs_rules_in_ranges(rules, current->bytes, macs_rules_high(rules, current), current->bytes)
               ? -EINVAL
               : 0;
}

/* -- the map ----------------------------------------------------------------------------------------------------------
 */

static uint32_t hash_of(const struct macs_rules *rules, const struct macs_rule *rule) {
    return (uint32_t)(macs_hash_bytes(rule->bytes, rules->match_bytes, rule->order) >> 32);
}

static bool same_match(const struct macs_rules *rules, const struct macs_rule *a, const struct macs_rule *b) {
    return a->order == b->order && memcmp(a->bytes, b->bytes, rules->match_bytes) == 0;
}

/* The place of a match of that hash: where it is, or the free one where it would go. */
static struct macs_rules_place *probe(const struct macs_rules *rules, const struct macs_rule *current, uint32_t hash) {
    uint32_t at = hash & (rules->map_places - 1);
    while (rules->map[at].index &&
           (rules->map[at].hash != hash || !same_match(rules, macs_rules_at(rules, rules->map[at].index - 1), current)))
        at = (at + 1) & (rules->map_places - 1);
    return &rules->map[at];
}

/* Empty the place of that rule and move up the following ones whose probes it would end. */
static void unmap(struct macs_rules *rules, const struct macs_rule *rule) {
    uint32_t last = rules->map_places - 1;
    uint32_t mapped = macs_rules_index(rules, rule) + 1;
    uint32_t hole = hash_of(rules, rule) & last;
    while (rules->map[hole].index != mapped)
        hole = (hole + 1) & last;
    for (uint32_t at = (hole + 1) & last; rules->map[at].index; at = (at + 1) & last) {
        if (((at - rules->map[at].hash) & last) >= ((at - hole) & last)) {
            rules->map[hole] = rules->map[at];
            hole = at;
        }
    }
    rules->map[hole].index = 0;
}

/* -- rules ------------------------------------------------------------------------------------------------------------
 */

static size_t records_bytes(const struct macs_rules *rules) {
    return (size_t)rules->values.size * rules->record_bytes;
}

static size_t map_bytes(const struct macs_rules *rules) {
    return (size_t)rules->map_places * sizeof *rules->map;
}

void macs_rules_destroy(struct macs_rules *rules) {
    macs_memory_free(rules->records, records_bytes(rules));
    macs_memory_free(rules->map, map_bytes(rules));
    free(rules->kinds);
    free(rules->fields);
    free(rules->current);
    free(rules->shorter);
    free(rules->mask);
    macs_values_destroy(&rules->values);
}

/* Bytes from rule to rule: a cache line where that is enough, so that none straddles one; else what is needed. */
static uint32_t record_for(uint64_t match_bytes) {
    uint64_t need = (offsetof(struct macs_rule, bytes) + match_bytes + 7) & ~UINT64_C(7);
    return need < 64 ? 64 : (uint32_t)need;
}

/* What is as long as the shape says. */
static int allocate(struct macs_rules *rules) {
    rules->record_bytes = record_for(rules->match_bytes);
    rules->map_places = 4;
    while (rules->map_places < 2 * (uint64_t)rules->values.size)
        rules->map_places *= 2;
    rules->records = macs_memory_alloc(records_bytes(rules), true);
    rules->map = macs_memory_alloc(map_bytes(rules), true);
    rules->kinds = calloc(1, (size_t)rules->key_bytes + 1);
    rules->mask = calloc(1, (size_t)rules->key_bytes + 1);
    rules->current = calloc(1, rules->record_bytes);
    rules->shorter = calloc(1, rules->record_bytes);
    bool all = rules->records && rules->map && rules->kinds && rules->mask && rules->current && rules->shorter;
    return all ? 0 : -ENOMEM;
}

int macs_rules_create(struct macs_rules *rules, const struct macs_table_shape *shape, unsigned allowed,
                      enum macs_match_kind plain, uint32_t inline_bytes, struct macs_qsbr *qsbr) {
    *rules = (struct macs_rules){.key_bytes = shape->key_bytes, .prefix_offset = shape->prefix_offset, .qsbr = qsbr};
    rules->priorities = allowed >> MACS_TERNARY & 1;
    rules->masked = allowed & ~(1u << MACS_EXACT | 1u << MACS_LPM);
    rules->match_bytes = rules->masked ? 3 * shape->key_bytes : shape->key_bytes;
    if (shape->key_bytes > UINT16_MAX || shape->prefix_offset > shape->key_bytes)
        return -EINVAL;
    if (shape->size > UINT32_C(1) << 29)
        return -ENOMEM;
    int error = macs_values_create(&rules->values, shape, inline_bytes, qsbr);
    if (error)
        return error;
    error = allocate(rules);
    if (!error)
        error = learn_kinds(rules, shape, allowed, plain);
    if (!error)
        error = copy_fields(rules, shape);
    if (error)
        macs_rules_destroy(rules);
    return error;
}

int macs_rules_prepare(struct macs_rules *rules, const struct macs_match *match) {
    int error = canonical(rules, match);
    if (error)
        return error;
    rules->current_hash = hash_of(rules, rules->current);
    __builtin_prefetch(&rules->map[rules->current_hash & (rules->map_places - 1)]);
    return 0;
}

void macs_rules_prefetch(const struct macs_rules *rules) {
    struct macs_rules_place place = rules->map[rules->current_hash & (rules->map_places - 1)];
    if (place.index && place.hash == rules->current_hash)
        __builtin_prefetch(macs_rules_at(rules, place.index - 1));
}

int macs_rules_find_current(struct macs_rules *rules, struct macs_rule **rule) {
    uint32_t mapped = probe(rules, rules->current, rules->current_hash)->index;
    if (mapped == 0)
        return -ENOENT;
    *rule = macs_rules_at(rules, mapped - 1);
    return 0;
}

struct macs_rule *macs_rules_current(struct macs_rules *rules) {
    uint32_t last = rules->map_places - 1, mapped = 0;
    for (uint32_t at = rules->current_hash & last; rules->map[at].index; at = (at + 1) & last) {
        if (rules->map[at].hash != rules->current_hash)
            continue;
        if (mapped) /* two matches of that hash */
            return macs_rules_at(rules, probe(rules, rules->current, rules->current_hash)->index - 1);
        mapped = rules->map[at].index;
    }
    return macs_rules_at(rules, mapped - 1);
}

int macs_rules_find(struct macs_rules *rules, const struct macs_match *match, struct macs_rule **rule) {
    int error = macs_rules_prepare(rules, match);
    return error ? error : macs_rules_find_current(rules, rule);
}

struct macs_rule *macs_rules_find_prefix(struct macs_rules *rules, const uint8_t *key, uint32_t prefix_bits) {
    struct macs_rule *shorter = rules->shorter;
    shorter->prefix_bits = prefix_bits;
    shorter->order = order_of(0, prefix_bits);
    copy_prefix(rules, key, shorter);
    uint32_t mapped = probe(rules, shorter, hash_of(rules, shorter))->index;
    return mapped ? macs_rules_at(rules, mapped - 1) : NULL;
}

struct macs_rule *macs_rules_find_shorter(struct macs_rules *rules, const struct macs_rule *rule, uint32_t beyond) {
    struct macs_rule *shorter = NULL;
    uint32_t bits = rule->prefix_bits;
    while (!shorter && bits > beyond + 1 && bits > rules->prefix_offset * 8)
        shorter = macs_rules_find_prefix(rules, rule->bytes, --bits);
    return shorter;
}

int macs_rules_add_current(struct macs_rules *rules, const void *value, struct macs_rule **rule) {
    uint32_t slot = 0;
    struct macs_rules_place *place = probe(rules, rules->current, rules->current_hash);
    if (place->index)
        return -EEXIST;
    int error = macs_values_add(&rules->values, value, &slot);
    if (error)
        return error;
    uint32_t index = macs_values_at(&rules->values, slot)->index;
    struct macs_rule *added = macs_rules_at(rules, index);
    memcpy(added, rules->current, rules->record_bytes);
    added->sequence = ++rules->sequence;
    added->slot = slot;
    added->next = MACS_RULES_NONE;
    *place = (struct macs_rules_place){rules->current_hash, index + 1};
    *rule = added;
    if (rules->values.indices.free) /* the next one's */
        __builtin_prefetch(macs_rules_at(rules, rules->values.indices.free - 1), 1);
    return 0;
}

int macs_rules_add(struct macs_rules *rules, const struct macs_match *match, const void *value,
                   struct macs_rule **rule) {
    int error = macs_rules_prepare(rules, match);
    return error ? error : macs_rules_add_current(rules, value, rule);
}

void macs_rules_cancel(struct macs_rules *rules, struct macs_rule *rule) {
    unmap(rules, rule);
    rule->sequence = 0;
    macs_values_cancel(&rules->values, rule->slot);
}

int macs_rules_modify(struct macs_rules *rules, struct macs_rule *rule, const void *value, uint32_t *old) {
    struct macs_values *values = &rules->values;
    uint32_t slot = 0;
    int error = macs_values_take(values, macs_rules_index(rules, rule), value, &slot);
    if (error)
        return error;
    *old = rule->slot;
    rule->slot = slot;
    if (values->inline_bytes)
        memcpy(macs_values_inline(values, slot), macs_values_inline(values, *old), values->inline_bytes);
    return 0;
}

void macs_rules_remove(struct macs_rules *rules, struct macs_rule *rule) {
    unmap(rules, rule);
    rule->sequence = 0;
    macs_values_remove(&rules->values, rule->slot);
}

const struct macs_entry *macs_rules_entry(struct macs_rules *rules, const struct macs_match *match) {
    struct macs_rule *rule = NULL;
    return macs_rules_find(rules, match, &rule) == 0 ? macs_values_at(&rules->values, rule->slot) : NULL;
}

/* A rule as a match, valid until the next call. */
static struct macs_match shown(struct macs_rules *rules, const struct macs_rule *rule) {
    struct macs_match match = {rule->bytes, rules->mask, rule->bytes, rule->prefix_bits, rule->priority};
    if (rules->masked) {
        match.mask = macs_rules_mask(rules, rule);
        match.high = macs_rules_high(rules, rule);
        return match;
    }
    for (uint32_t at = 0; at < rules->key_bytes; at++)
        rules->mask[at] = prefix_mask(rule->prefix_bits, at);
    return match;
}

int macs_rules_walk(struct macs_rules *rules,
                    int (*visit)(const struct macs_match *, const struct macs_entry *, void *), void *arg) {
    for (uint32_t index = 0; index < rules->values.indices.top; index++) {
        const struct macs_rule *rule = macs_rules_at(rules, index);
        if (rule->sequence == 0)
            continue;
        struct macs_match match = shown(rules, rule);
        int answer = visit(&match, macs_values_at(&rules->values, rule->slot), arg);
        if (answer)
            return answer;
    }
    return 0;
}

int macs_rules_find_to_change(struct macs_rules *rules, const struct macs_match *match, uint32_t defers,
                              struct macs_rule **rule) {
    int error = macs_rules_find(rules, match, rule);
    return error ? error : macs_qsbr_reserve(rules->qsbr, defers);
}

const struct macs_entry *macs_rules_ops_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(self, match);
}

int macs_rules_ops_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                        void *arg) {
    return macs_rules_walk(self, visit, arg);
}

uint32_t macs_rules_ops_count(void *self) {
    return ((const struct macs_rules *)self)->values.count;
}

uint64_t macs_rules_memory(const struct macs_rules *rules) {
    return macs_values_memory(&rules->values) + (uint64_t)rules->values.indices.top * rules->record_bytes +
           map_bytes(rules);
}

void macs_rules_comparable(const struct macs_rules *rules, const struct macs_rule *rule, uint8_t *value,
                           uint8_t *mask) {
    memcpy(value, rule->bytes, rules->key_bytes);
    memcpy(mask, macs_rules_mask(rules, rule), rules->key_bytes);
    for (uint32_t i = 0; i < rules->field_count; i++) {
        const struct macs_key_field *field = &rules->fields[i];
        uint8_t same = 0xff;
        for (uint32_t at = field->offset; field->kind == MACS_RANGE && at < field->offset + (field->bits + 7u) / 8;
             at++) {
            uint8_t differ = rule->bytes[at] ^ macs_rules_high(rules, rule)[at];
            mask[at] = differ && same ? (uint8_t)(0xff00 >> (__builtin_clz(differ) - 24)) : same;
            value[at] &= mask[at];
            same = differ ? 0 : same;
        }
    }
}

struct macs_indices *macs_rules_ops_indices(void *self) {
    return &((struct macs_rules *)self)->values.indices;
}
