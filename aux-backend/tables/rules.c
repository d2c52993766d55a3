/* The writer's book of entries: canonical matches, found by hash. */
#include "rules.h"

#include <errno.h>
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

static int canonical(struct macs_rules *rules, const struct macs_match *match) {
    struct macs_rule *wanted = rules->wanted;
    uint32_t bytes = rules->key_bytes;
    bool prefix = rules->prefix_offset < bytes;
    wanted->prefix_bits = prefix ? match->prefix_bits : bytes * 8;
    wanted->priority = rules->priorities ? match->priority : 0;
    wanted->order = (uint64_t)((uint32_t)wanted->priority ^ UINT32_C(0x80000000)) << 32 | wanted->prefix_bits;
    if (bytes == 0 || wanted->prefix_bits > bytes * 8 || wanted->prefix_bits < (prefix ? rules->prefix_offset * 8 : 0))
        return -EINVAL;
    for (uint32_t at = 0; at < bytes; at++) {
        uint8_t kind = rules->kinds[at];
        uint8_t mask = 0xff;
        if (kind == MACS_LPM)
            mask = prefix_mask(wanted->prefix_bits, at);
        else if (kind == MACS_TERNARY || kind == MACS_OPTIONAL)
            mask = match->mask[at];
        wanted->bytes[at] = match->value[at] & mask;
        wanted->bytes[bytes + at] = mask;
        wanted->bytes[2 * bytes + at] = kind == MACS_RANGE ? match->high[at] : wanted->bytes[at];
    }
    return rules->ranges && !macs_rules_in_ranges(rules, wanted->bytes, macs_rules_high(rules, wanted), wanted->bytes)
               ? -EINVAL
               : 0;
}

/* -- the map ----------------------------------------------------------------------------------------------------------
 */

/* Of a match: where its place is looked for first, from the upper half, and the tag beside its index in the map. */
static uint64_t hash_of(const struct macs_rules *rules, const struct macs_rule *rule) {
    return macs_hash_bytes(rule->bytes, 3 * rules->key_bytes, rule->order);
}

static uint32_t home_of(const struct macs_rules *rules, uint64_t hash) {
    return (uint32_t)(hash >> 32) & (rules->map_places - 1);
}

static bool same_match(const struct macs_rules *rules, const struct macs_rule *a, const struct macs_rule *b) {
    return a->order == b->order && memcmp(a->bytes, b->bytes, 3 * (size_t)rules->key_bytes) == 0;
}

static uint32_t index_in(const struct macs_rules *rules, uint32_t mapped) {
    return (mapped & rules->index_mask) - 1;
}

static uint32_t mapped_as(const struct macs_rules *rules, uint64_t hash, uint32_t index) {
    return ((uint32_t)hash & ~rules->index_mask) | (index + 1);
}

/* Whether what stands in the map is the wanted match. Its record is looked at only where the tag is the same. */
static bool is_wanted(const struct macs_rules *rules, uint32_t mapped, uint64_t hash) {
    return ((mapped ^ (uint32_t)hash) & ~rules->index_mask) == 0 &&
           same_match(rules, macs_rules_at(rules, index_in(rules, mapped)), rules->wanted);
}

/* The place of the wanted match: where it is, or the free one where it would go. */
static uint32_t probe(const struct macs_rules *rules, uint64_t hash) {
    uint32_t place = home_of(rules, hash);
    while (rules->map[place] && !is_wanted(rules, rules->map[place], hash))
        place = (place + 1) & (rules->map_places - 1);
    return place;
}

/* Empty the place of that rule and move up those behind it that would not be found any more. */
static void unmap(struct macs_rules *rules, const struct macs_rule *rule) {
    uint32_t last = rules->map_places - 1;
    uint32_t index = macs_rules_index(rules, rule);
    uint32_t hole = home_of(rules, hash_of(rules, rule));
    while (index_in(rules, rules->map[hole]) != index)
        hole = (hole + 1) & last;
    for (uint32_t at = (hole + 1) & last; rules->map[at]; at = (at + 1) & last)
        __builtin_prefetch(macs_rules_at(rules, index_in(rules, rules->map[at])));
    for (uint32_t at = (hole + 1) & last; rules->map[at]; at = (at + 1) & last) {
        uint32_t home = home_of(rules, hash_of(rules, macs_rules_at(rules, index_in(rules, rules->map[at]))));
        if (((at - home) & last) >= ((at - hole) & last)) {
            rules->map[hole] = rules->map[at];
            hole = at;
        }
    }
    rules->map[hole] = 0;
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
    free(rules->wanted);
    macs_values_destroy(&rules->values);
}

int macs_rules_create(struct macs_rules *rules, const struct macs_table_shape *shape, unsigned allowed,
                      enum macs_match_kind plain, uint32_t inline_bytes, struct macs_qsbr *qsbr) {
    uint64_t record = (sizeof(struct macs_rule) + 3 * (uint64_t)shape->key_bytes + 7) & ~UINT64_C(7);
    *rules = (struct macs_rules){.key_bytes = shape->key_bytes, .prefix_offset = shape->prefix_offset, .qsbr = qsbr};
    rules->priorities = allowed >> MACS_TERNARY & 1;
    if (shape->key_bytes > UINT16_MAX || shape->prefix_offset > shape->key_bytes)
        return -EINVAL;
    if (shape->size > UINT32_C(1) << 29)
        return -ENOMEM;
    int error = macs_values_create(&rules->values, shape, inline_bytes, qsbr);
    if (error)
        return error;
    rules->record_bytes = (uint32_t)record;
    while (rules->index_mask < shape->size)
        rules->index_mask = rules->index_mask << 1 | 1;
    rules->map_places = 4;
    while (rules->map_places < 2 * (uint64_t)shape->size)
        rules->map_places *= 2;
    rules->records = macs_memory_alloc(records_bytes(rules), true);
    rules->map = macs_memory_alloc(map_bytes(rules), true);
    rules->kinds = calloc(1, (size_t)shape->key_bytes + 1);
    rules->wanted = calloc(1, rules->record_bytes);
    error = rules->records && rules->map && rules->kinds && rules->wanted ? 0 : -ENOMEM;
    if (!error)
        error = learn_kinds(rules, shape, allowed, plain);
    if (!error)
        error = copy_fields(rules, shape);
    if (error)
        macs_rules_destroy(rules);
    return error;
}

int macs_rules_find(struct macs_rules *rules, const struct macs_match *match, struct macs_rule **rule) {
    int error = canonical(rules, match);
    if (error)
        return error;
    uint32_t mapped = rules->map[probe(rules, hash_of(rules, rules->wanted))];
    if (mapped == 0)
        return -ENOENT;
    *rule = macs_rules_at(rules, index_in(rules, mapped));
    return 0;
}

struct macs_rule *macs_rules_find_shorter(struct macs_rules *rules, const struct macs_rule *rule, uint32_t beyond) {
    struct macs_rule *wanted = rules->wanted;
    uint32_t bytes = rules->key_bytes, least = rules->prefix_offset * 8;
    if (rules->prefix_offset == bytes)
        return NULL;
    memcpy(wanted, rule, rules->record_bytes);
    while (wanted->prefix_bits > beyond + 1 && wanted->prefix_bits > least) {
        uint32_t at = --wanted->prefix_bits / 8;
        uint8_t mask = prefix_mask(wanted->prefix_bits, at);
        wanted->order--;
        wanted->bytes[at] &= mask;
        wanted->bytes[bytes + at] = mask;
        wanted->bytes[2 * bytes + at] = wanted->bytes[at];
        uint32_t mapped = rules->map[probe(rules, hash_of(rules, wanted))];
        if (mapped)
            return macs_rules_at(rules, index_in(rules, mapped));
    }
    return NULL;
}

struct macs_rule *macs_rules_find_prefix(struct macs_rules *rules, const uint8_t *key, uint32_t prefix_bits) {
    struct macs_rule *rule = NULL;
    struct macs_match match = {.value = key, .mask = key, .high = key, .prefix_bits = prefix_bits};
    if (macs_rules_find(rules, &match, &rule) || rule->prefix_bits != prefix_bits)
        return NULL; /* of a key without an LPM field only the whole can be found */
    return rule;
}

int macs_rules_add(struct macs_rules *rules, const struct macs_match *match, const void *value,
                   struct macs_rule **rule) {
    uint32_t slot = 0;
    int error = canonical(rules, match);
    if (error)
        return error;
    uint64_t hash = hash_of(rules, rules->wanted);
    uint32_t place = probe(rules, hash);
    if (rules->map[place])
        return -EEXIST;
    error = macs_values_add(&rules->values, value, &slot);
    if (error)
        return error;
    uint32_t index = macs_values_at(&rules->values, slot)->index;
    struct macs_rule *added = macs_rules_at(rules, index);
    memcpy(added, rules->wanted, rules->record_bytes);
    added->sequence = ++rules->sequence;
    added->slot = slot;
    added->next = MACS_RULES_NONE;
    rules->map[place] = mapped_as(rules, hash, index);
    *rule = added;
    return 0;
}

void macs_rules_cancel(struct macs_rules *rules, struct macs_rule *rule) {
    unmap(rules, rule);
    rule->sequence = 0;
    macs_values_cancel(&rules->values, rule->slot);
}

int macs_rules_modify(struct macs_rules *rules, struct macs_rule *rule, const void *value, uint32_t *old) {
    uint32_t slot = 0;
    int error = macs_values_replace(&rules->values, rule->slot, value, &slot);
    if (error)
        return error;
    *old = rule->slot;
    rule->slot = slot;
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

int macs_rules_walk(struct macs_rules *rules,
                    int (*visit)(const struct macs_match *, const struct macs_entry *, void *), void *arg) {
    for (uint32_t index = 0; index < rules->values.indices.top; index++) {
        const struct macs_rule *rule = macs_rules_at(rules, index);
        if (rule->sequence == 0)
            continue;
        struct macs_match match = {
            .value = rule->bytes,
            .mask = macs_rules_mask(rules, rule),
            .high = macs_rules_high(rules, rule),
            .prefix_bits = rule->prefix_bits,
            .priority = rule->priority,
        };
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

const struct macs_entry *macs_rules_kernel_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(self, match);
}

int macs_rules_kernel_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                           void *arg) {
    return macs_rules_walk(self, visit, arg);
}

uint32_t macs_rules_kernel_count(void *self) {
    return ((const struct macs_rules *)self)->values.count;
}

uint64_t macs_rules_memory(const struct macs_rules *rules) {
    return macs_values_memory(&rules->values) + (uint64_t)rules->values.indices.top * rules->record_bytes +
           map_bytes(rules);
}
