/* Table operations of DIR-24-8; its layout and rules are in lpm_dir24.h. */
#include "lpm_dir24.h"

#include <errno.h>
#include <stdlib.h>

#include "lpm_dir24_change.h"
#include "lpm_writer.h"
#include "tables/common/memory.h"

enum { GROUP_ENTRIES = 256, GROUP_SLACK = 64 /* groups that may wait for their readers */ };

typedef struct macs_lpm_dir24 table_t;

static size_t base_bytes(const table_t *table) {
    return sizeof *table->base << table->base_bits;
}

static size_t trees_bytes(const table_t *table) {
    size_t trees = 1;
    for (uint32_t bits = 8; bits < table->base_bits; bits += 8)
        trees += (size_t)1 << bits;
    return trees * sizeof *table->trees;
}

static size_t group_trees_bytes(const table_t *table) {
    return table->group_limit * sizeof *table->group_trees;
}

static size_t groups_bytes(const table_t *table) {
    return (size_t)table->group_limit * GROUP_ENTRIES * sizeof *table->groups;
}

static void dir24_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    macs_lpm_runs_destroy(&table->runs);
    macs_memory_free((void *)table->base, base_bytes(table));
    macs_memory_free((void *)table->groups, groups_bytes(table));
    macs_memory_free(table->group_trees, group_trees_bytes(table));
    macs_memory_free(table->trees, trees_bytes(table));
    macs_results_destroy(&table->results);
    macs_rules_destroy(&table->rules);
    free(table);
}

static int dir24_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (shape->key_bytes > 4 || (shape->prefix_offset != 0 && shape->key_bytes != 0))
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    int error = macs_rules_create(&table->rules, shape, 1 << MACS_LPM, MACS_LPM, 0, qsbr);
    if (error) {
        free(table);
        return error;
    }
    table->base_bits = shape->key_bytes < 3 ? shape->key_bytes * 8 : 24;
    if (shape->key_bytes == 4)
        table->group_limit = (shape->size < 1u << 24 ? shape->size : 1u << 24) + GROUP_SLACK;
    table->base = macs_memory_alloc(base_bytes(table), true);
    table->groups = macs_memory_alloc(groups_bytes(table), true);
    table->trees = macs_memory_alloc(trees_bytes(table), true);
    table->group_trees = macs_memory_alloc(group_trees_bytes(table), true);
    error = macs_lpm_runs_create(&table->runs, table->base_bits, qsbr);
    atomic_init(&table->words, table->runs.words);
    if (!error)
        error = macs_results_create(&table->results, shape, qsbr);
    if (!error && table->base && table->groups && table->trees && table->group_trees) {
        *self = table;
        return 0;
    }
    dir24_destroy(table);
    return -ENOMEM;
}

static void prefetch(void *self, const struct macs_match *match) {
    const table_t *table = self;
    macs_lpm_dir24_prefetch(table, match);
    macs_rules_prefetch(&table->rules);
}

/* As the arrays say it: the rule's record need not have come. */
static int find_current(void *self) {
    const table_t *table = self;
    return macs_lpm_dir24_has(table, table->rules.current) ? 0 : -ENOENT;
}

static int set(void *self, const struct macs_rule *rule) {
    return macs_lpm_dir24_set(self, rule);
}

static int renew(void *self, const struct macs_rule *rule) {
    macs_lpm_dir24_renew(self, rule);
    return 0;
}

static int unset(void *self, const struct macs_rule *rule) {
    return macs_lpm_dir24_unset(self, rule);
}

static const struct macs_lpm_writer_ops writer_ops = {prefetch, find_current, set, renew, unset};

static struct macs_lpm_writer writer_of(table_t *table) {
    return (struct macs_lpm_writer){&writer_ops, table, &table->rules, &table->results};
}

static int dir24_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_add(&writer, 2, match, value, index);
}

static int dir24_modify(void *self, const struct macs_match *match, const void *value) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_modify(&writer, 3, match, value);
}

static int dir24_remove(void *self, const struct macs_match *match) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_remove(&writer, 5, match);
}

static const struct macs_entry *dir24_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(&((table_t *)self)->rules, match);
}

static int dir24_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                      void *arg) {
    return macs_rules_walk(&((table_t *)self)->rules, visit, arg);
}

static uint32_t dir24_count(void *self) {
    return ((const table_t *)self)->rules.values.count;
}

static uint64_t groups_used_bytes(const table_t *table) {
    return (uint64_t)table->group_top * GROUP_ENTRIES * sizeof *table->groups;
}

static uint64_t dir24_memory(void *self) {
    const table_t *table = self;
    return macs_rules_memory(&table->rules) + macs_results_memory(&table->results) +
           macs_lpm_runs_memory(&table->runs) + base_bytes(table) + trees_bytes(table) + groups_used_bytes(table) +
           table->group_top * sizeof *table->group_trees;
}

static uint64_t dir24_reader_bytes(void *self) {
    const table_t *table = self;
    bool by_runs = atomic_load_explicit(&table->words, memory_order_relaxed);
    return groups_used_bytes(table) + (by_runs ? macs_lpm_runs_memory(&table->runs) : base_bytes(table));
}

const struct macs_table_ops macs_lpm_dir24_ops = {
    .name = "lpm_dir24",
    .create = dir24_create,
    .destroy = dir24_destroy,
    .add = dir24_add,
    .modify = dir24_modify,
    .remove = dir24_remove,
    .find = dir24_find,
    .walk = dir24_walk,
    .count = dir24_count,
    .memory_bytes = dir24_memory,
    .reader_bytes = dir24_reader_bytes,
};
