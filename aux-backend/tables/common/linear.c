/* Table operations of the linear table; its layout and rules are in linear.h. */
#include "linear.h"

#include <errno.h>
#include <stdlib.h>

enum { ALL_KINDS = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_RANGE | 1 << MACS_OPTIONAL };

enum { ITEM = sizeof(_Atomic uint32_t) };

static struct macs_sequence *list_of(const struct macs_linear *table) {
    return atomic_load_explicit(&table->list, memory_order_relaxed);
}

static _Atomic uint32_t *slot_at(const struct macs_linear *table, uint32_t position) {
    return macs_sequence_at(list_of(table), ITEM, position);
}

static void linear_destroy(void *self) {
    struct macs_linear *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    macs_sequence_destroy(list_of(table));
    macs_rules_destroy(&table->rules);
    free(table);
}

static int linear_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    struct macs_linear *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    int error = macs_rules_create(&table->rules, shape, ALL_KINDS, MACS_TERNARY, 3 * shape->key_bytes, qsbr);
    if (error) {
        free(table);
        return error;
    }
    atomic_init(&table->list, macs_sequence_create());
    error = list_of(table) ? 0 : -ENOMEM;
    if (error)
        linear_destroy(table);
    else
        *self = table;
    return error;
}

/* The position of a rule in the list, or where it would stand: behind all that win over it. */
static uint32_t position_of(const struct macs_linear *table, const struct macs_rule *rule) {
    uint32_t low = 0, high = list_of(table)->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t slot = atomic_load_explicit(slot_at(table, middle), memory_order_relaxed);
        const struct macs_rule *other = macs_rules_of(&table->rules, slot);
        if (macs_rules_wins(other->order, other->sequence, rule->order, rule->sequence))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Publish the list with `removed` (0 or 1) entries at `position` taken out and `added` (0 or 1) put in: 0 or -ENOMEM.
 * Needs one reserved defer. */
static int relist(struct macs_linear *table, uint32_t position, uint32_t removed, uint32_t added, uint32_t slot) {
    struct macs_sequence *old = list_of(table), *list = old;
    int error = macs_sequence_splice(&list, ITEM, position, removed, &slot, added);
    if (error)
        return error;
    atomic_store_explicit(&table->list, list, memory_order_release);
    macs_qsbr_defer(table->rules.qsbr, macs_sequence_retire, table, old);
    return 0;
}

static int linear_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    struct macs_linear *table = self;
    struct macs_rules *rules = &table->rules;
    struct macs_rule *rule = NULL;
    int error = macs_qsbr_reserve(rules->qsbr, 1);
    if (!error)
        error = macs_rules_add(rules, match, value, &rule);
    if (error)
        return error;
    memcpy(macs_values_inline(&rules->values, rule->slot), rule->bytes, 3 * (size_t)rules->key_bytes);
    error = relist(table, position_of(table, rule), 0, 1, rule->slot);
    if (error)
        macs_rules_cancel(rules, rule);
    else if (index)
        *index = macs_rules_index(rules, rule);
    return error;
}

static int linear_modify(void *self, const struct macs_match *match, const void *value) {
    struct macs_linear *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    int error = macs_rules_find_to_change(&table->rules, match, 1, &rule);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    atomic_store_explicit(slot_at(table, position_of(table, rule)), rule->slot, memory_order_release);
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int linear_remove(void *self, const struct macs_match *match) {
    struct macs_linear *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_rules_find_to_change(&table->rules, match, 2, &rule);
    if (!error)
        error = relist(table, position_of(table, rule), 1, 0, 0);
    if (!error)
        macs_rules_remove(&table->rules, rule);
    return error;
}

static uint64_t linear_memory(void *self) {
    const struct macs_linear *table = self;
    return macs_rules_memory(&table->rules) + macs_sequence_memory(list_of(table), ITEM);
}

const struct macs_table_ops macs_linear_ops = {
    .name = "linear",
    .create = linear_create,
    .destroy = linear_destroy,
    .add = linear_add,
    .modify = linear_modify,
    .remove = linear_remove,
    .find = macs_rules_ops_find,
    .walk = macs_rules_ops_walk,
    .count = macs_rules_ops_count,
    .indices = macs_rules_ops_indices,
    .memory_bytes = linear_memory,
};
