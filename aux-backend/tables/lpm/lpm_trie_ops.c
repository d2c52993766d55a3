/* Table operations of the path-compressed trie and of its twin; their layout and rules are in lpm_trie.h. */
#include "lpm_trie.h"

#include <errno.h>
#include <stdlib.h>

#include "lpm_trie_change.h"
#include "lpm_trie_node.h"
#include "lpm_writer.h"
#include "tables/common/memory.h"

enum { KEY_BYTES_MAX = 1024 /* a removal may retire a node for each byte: far less than the backlog takes */ };

typedef struct macs_lpm_trie table_t;

static size_t first_bytes(const table_t *table) {
    return sizeof *table->first << table->first_bytes * 8;
}

static void trie_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    macs_memory_free((void *)table->first, first_bytes(table));
    macs_results_destroy(&table->results);
    macs_arena_destroy(&table->arena);
    macs_rules_destroy(&table->rules);
    free(table->path);
    free(table);
}

static int create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, uint32_t skip, void **self) {
    if (shape->key_bytes > KEY_BYTES_MAX)
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    int error = macs_rules_create(&table->rules, shape, 1 << MACS_EXACT | 1 << MACS_LPM, MACS_EXACT, 0, qsbr);
    if (error) {
        free(table);
        return error;
    }
    table->skip = skip;
    atomic_init(&table->bulk_min, MACS_LPM_TRIE_BULK_NEAR);
    table->first_bytes = shape->key_bytes < MACS_LPM_TRIE_FIRST ? shape->key_bytes : MACS_LPM_TRIE_FIRST;
    table->first = macs_memory_alloc(first_bytes(table), true);
    table->path = calloc((size_t)shape->key_bytes + 1, sizeof(struct macs_lpm_trie_hop));
    error = macs_results_create(&table->results, shape, qsbr);
    if (!error)
        error = macs_arena_create(&table->arena);
    if (!error && table->first && table->path) {
        *self = table;
        return 0;
    }
    trie_destroy(table);
    return -ENOMEM;
}

static int trie_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    return create(shape, qsbr, MACS_LPM_TRIE_SKIP, self);
}

static int plain_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    return create(shape, qsbr, 0, self);
}

static void prefetch(void *self, const struct macs_match *match) {
    macs_lpm_trie_prefetch(self, match->value);
}

static int find_current(void *self) {
    struct macs_rule *rule;
    return macs_rules_find_current(&((table_t *)self)->rules, &rule);
}

static int set(void *self, const struct macs_rule *rule) {
    return macs_lpm_trie_set(self, rule);
}

static int renew(void *self, const struct macs_rule *rule) {
    return macs_lpm_trie_renew(self, rule);
}

static int unset(void *self, const struct macs_rule *rule) {
    return macs_lpm_trie_unset(self, rule);
}

static const struct macs_lpm_writer_ops writer_ops = {prefetch, find_current, set, renew, unset};

static struct macs_lpm_writer writer_of(table_t *table) {
    return (struct macs_lpm_writer){&writer_ops, table, &table->rules, &table->results};
}

static int trie_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_add(&writer, 1, match, value, index);
}

static int trie_modify(void *self, const struct macs_match *match, const void *value) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_modify(&writer, 3, match, value);
}

static int trie_remove(void *self, const struct macs_match *match) {
    const struct macs_lpm_writer writer = writer_of(self);
    return macs_lpm_writer_remove(&writer, writer.rules->key_bytes + 4, match);
}

static const struct macs_entry *trie_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(&((table_t *)self)->rules, match);
}

static int trie_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                     void *arg) {
    return macs_rules_walk(&((table_t *)self)->rules, visit, arg);
}

static uint32_t trie_count(void *self) {
    return ((const table_t *)self)->rules.values.count;
}

static uint64_t trie_memory(void *self) {
    const table_t *table = self;
    return macs_rules_memory(&table->rules) + macs_results_memory(&table->results) + macs_arena_memory(&table->arena) +
           first_bytes(table);
}

static uint64_t trie_reader_bytes(void *self) {
    const table_t *table = self;
    return first_bytes(table) + macs_arena_memory(&table->arena);
}

const struct macs_table_ops macs_lpm_trie_ops = {
    .name = "lpm_trie",
    .create = trie_create,
    .destroy = trie_destroy,
    .add = trie_add,
    .modify = trie_modify,
    .remove = trie_remove,
    .find = trie_find,
    .walk = trie_walk,
    .count = trie_count,
    .memory_bytes = trie_memory,
    .reader_bytes = trie_reader_bytes,
};

const struct macs_table_ops macs_lpm_trie_plain_ops = {
    .name = "lpm_trie_plain",
    .create = plain_create,
    .destroy = trie_destroy,
    .add = trie_add,
    .modify = trie_modify,
    .remove = trie_remove,
    .find = trie_find,
    .walk = trie_walk,
    .count = trie_count,
    .memory_bytes = trie_memory,
    .reader_bytes = trie_reader_bytes,
};
