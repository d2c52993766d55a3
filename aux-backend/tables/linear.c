/* Writer side of the linear table; layout and rules stand in linear.h. */
#include "linear.h"

#include <errno.h>
#include <stdlib.h>

#include "memory.h"

enum { ALL_KINDS = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_RANGE | 1 << MACS_OPTIONAL };

static size_t slots_bytes(const struct macs_linear *table) {
    return (size_t)table->rules.values.size * sizeof *table->slots;
}

static void linear_destroy(void *self) {
    struct macs_linear *table = self;
    macs_memory_free((void *)table->slots, slots_bytes(table));
    free((void *)(uintptr_t)table->fields);
    macs_rules_destroy(&table->rules);
    free(table);
}

static int copy_fields(struct macs_linear *table, const struct macs_table_shape *shape) {
    if (!shape->fields || shape->field_count == 0)
        return 0;
    struct macs_key_field *fields = malloc(shape->field_count * sizeof *fields);
    if (!fields)
        return -ENOMEM;
    memcpy(fields, shape->fields, shape->field_count * sizeof *fields);
    table->fields = fields;
    table->field_count = shape->field_count;
    return 0;
}

static int linear_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    struct macs_linear *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    uint32_t inline_bytes = (uint32_t)sizeof(struct macs_linear_match) + 3 * shape->key_bytes;
    int error = macs_rules_create(&table->rules, shape, ALL_KINDS, MACS_TERNARY, inline_bytes, qsbr);
    if (error) {
        free(table);
        return error;
    }
    table->slots = macs_memory_alloc(slots_bytes(table), true);
    error = table->slots ? copy_fields(table, shape) : -ENOMEM;
    if (error)
        linear_destroy(table);
    else
        *self = table;
    return error;
}

/* Whether the wanted match is one that could be: no range from a higher to a lower number. */
static bool ranges_in_order(const struct macs_linear *table, const struct macs_match *match) {
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct macs_key_field *field = &table->fields[i];
        if (field->kind == MACS_RANGE &&
            memcmp(match->value + field->offset, match->high + field->offset, (field->bits + 7u) / 8) > 0)
            return false;
    }
    return true;
}

static void publish(struct macs_linear *table, uint32_t index, uint32_t slot_plus_1) {
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    atomic_store_explicit(&table->slots[index], slot_plus_1, memory_order_release);
}

static int linear_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    struct macs_linear *table = self;
    struct macs_rules *rules = &table->rules;
    struct macs_rule *rule = NULL;
    if (!ranges_in_order(table, match))
        return -EINVAL;
    int error = macs_rules_add(rules, match, value, &rule);
    if (error)
        return error;
    struct macs_linear_match *stored = (void *)macs_values_inline(&rules->values, rule->slot);
    stored->order = rule->order;
    stored->sequence = rule->sequence;
    memcpy(stored->bytes, rule->bytes, 3 * (size_t)rules->key_bytes);
    uint32_t at = macs_rules_index(rules, rule);
    publish(table, at, rule->slot + 1);
    if (at >= atomic_load_explicit(&table->used, memory_order_relaxed))
        atomic_store_explicit(&table->used, at + 1, memory_order_release);
    if (index)
        *index = at;
    return 0;
}

static int linear_modify(void *self, const struct macs_match *match, const void *value) {
    struct macs_linear *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, 1);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    publish(table, macs_rules_index(&table->rules, rule), rule->slot + 1);
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int linear_remove(void *self, const struct macs_match *match) {
    struct macs_linear *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, 1);
    if (error)
        return error;
    publish(table, macs_rules_index(&table->rules, rule), 0);
    uint32_t used = atomic_load_explicit(&table->used, memory_order_relaxed);
    while (used > 0 && atomic_load_explicit(&table->slots[used - 1], memory_order_relaxed) == 0)
        used--;
    atomic_store_explicit(&table->used, used, memory_order_release);
    macs_rules_remove(&table->rules, rule);
    return 0;
}

static const struct macs_entry *linear_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(&((struct macs_linear *)self)->rules, match);
}

static int linear_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *), void *arg) {
    return macs_rules_walk(&((struct macs_linear *)self)->rules, visit, arg);
}

static uint32_t linear_count(void *self) {
    return ((const struct macs_linear *)self)->rules.values.count;
}

static uint64_t linear_memory(void *self) {
    const struct macs_linear *table = self;
    return macs_rules_memory(&table->rules) + slots_bytes(table);
}

const struct macs_kernel macs_linear_kernel = {
    .name = "linear",
    .create = linear_create,
    .destroy = linear_destroy,
    .add = linear_add,
    .modify = linear_modify,
    .remove = linear_remove,
    .find = linear_find,
    .walk = linear_walk,
    .count = linear_count,
    .memory_bytes = linear_memory,
};
