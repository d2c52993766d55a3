/* Writer side of the linear table; layout and rules stand in linear.h. */
#include "linear.h"

#include <errno.h>
#include <stdlib.h>

enum { ALL_KINDS = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_RANGE | 1 << MACS_OPTIONAL };

typedef struct macs_linear_list list_t;

static list_t *list_of(const struct macs_linear *table) {
    return atomic_load_explicit(&table->list, memory_order_relaxed);
}

static void release_list(void *owner, void *list) {
    (void)owner;
    free(list);
}

static void linear_destroy(void *self) {
    struct macs_linear *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    free(list_of(table));
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
    atomic_init(&table->list, calloc(1, sizeof(list_t)));
    error = list_of(table) ? 0 : -ENOMEM;
    if (error)
        linear_destroy(table);
    else
        *self = table;
    return error;
}

/* The position of a rule in the list, or where it would stand: behind all that win over it. */
static uint32_t position_of(const struct macs_linear *table, const struct macs_rule *rule) {
    const list_t *list = list_of(table);
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t slot = atomic_load_explicit(&list->slots[middle], memory_order_relaxed);
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
    list_t *old = list_of(table);
    uint32_t count = old->count + added - removed;
    list_t *list = malloc(sizeof *list + (size_t)count * sizeof *list->slots);
    if (!list)
        return -ENOMEM;
    list->count = count;
    for (uint32_t i = 0; i < position; i++)
        atomic_init(&list->slots[i], atomic_load_explicit(&old->slots[i], memory_order_relaxed));
    if (added)
        atomic_init(&list->slots[position], slot);
    for (uint32_t i = position + removed; i < old->count; i++)
        atomic_init(&list->slots[i + added - removed], atomic_load_explicit(&old->slots[i], memory_order_relaxed));
    atomic_store_explicit(&table->list, list, memory_order_release);
    macs_qsbr_defer(table->rules.qsbr, release_list, table, old);
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
    atomic_store_explicit(&list_of(table)->slots[position_of(table, rule)], rule->slot, memory_order_release);
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
    return macs_rules_memory(&table->rules) + sizeof(list_t) + list_of(table)->count * sizeof(uint32_t);
}

const struct macs_kernel macs_linear_kernel = {
    .name = "linear",
    .create = linear_create,
    .destroy = linear_destroy,
    .add = linear_add,
    .modify = linear_modify,
    .remove = linear_remove,
    .find = macs_rules_kernel_find,
    .walk = macs_rules_kernel_walk,
    .count = macs_rules_kernel_count,
    .memory_bytes = linear_memory,
};
