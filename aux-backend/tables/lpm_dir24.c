/* Writer side of DIR-24-8; layout and rules stand in lpm_dir24.h. */
#include "lpm_dir24.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { GROUP_ENTRIES = 256, GROUP_SLACK = 64 /* groups that may wait for their readers */ };

typedef struct macs_lpm_dir24 table_t;

/* A change of the entries under a prefix: those that name nothing or a prefix of `shortest` to `longest` bits become
 * `to`. */
struct change {
    uint32_t shortest, longest;
    bool empty_too;
    uint32_t to;
};

static uint32_t entry_of(const struct macs_rule *rule) {
    return rule->prefix_bits << MACS_LPM_DIR24_LENGTH_AT | (rule->result + 1);
}

/* What the runs have for an entry of the base. */
static uint16_t leaf_of(uint32_t entry) {
    uint32_t result = entry & MACS_LPM_DIR24_RESULT;
    bool elsewhere = entry & MACS_LPM_DIR24_GROUP || result >= MACS_LPM_RUNS_ELSEWHERE;
    return (uint16_t)(elsewhere ? MACS_LPM_RUNS_ELSEWHERE : result);
}

/* The rule comes, or its result is another. */
static struct change change_to(const struct macs_rule *rule) {
    return (struct change){.longest = rule->prefix_bits, .empty_too = true, .to = entry_of(rule)};
}

/* The rule goes; `to`: what covers its keys then. */
static struct change change_from(const struct macs_rule *rule, uint32_t to) {
    return (struct change){.shortest = rule->prefix_bits, .longest = rule->prefix_bits, .to = to};
}

static void change_entry(_Atomic uint32_t *entry, const struct change *change) {
    uint32_t now = atomic_load_explicit(entry, memory_order_relaxed);
    uint32_t length = now >> MACS_LPM_DIR24_LENGTH_AT;
    if (now ? length >= change->shortest && length <= change->longest : change->empty_too)
        atomic_store_explicit(entry, change->to, memory_order_release);
}

static _Atomic uint32_t *group_at(const table_t *table, uint32_t entry) {
    return &table->groups[(size_t)(entry & ~MACS_LPM_DIR24_GROUP) * GROUP_ENTRIES];
}

static void change_group(const table_t *table, uint32_t entry, uint32_t first, uint32_t count,
                         const struct change *change) {
    for (uint32_t i = first; i < first + count; i++)
        change_entry(group_at(table, entry) + i, change);
}

/* The runs learn what the base says from `index` to before `end`. */
static void refresh_runs(table_t *table, uint32_t index, uint32_t end, bool shrink) {
    for (uint32_t word = index / MACS_LPM_RUNS_EACH; word * MACS_LPM_RUNS_EACH < end; word++) {
        uint32_t entries[MACS_LPM_RUNS_EACH];
        uint16_t leaves[MACS_LPM_RUNS_EACH];
        memcpy(entries, (const void *)&table->base[word * MACS_LPM_RUNS_EACH], sizeof entries); /* none else writes */
        for (uint32_t i = 0; i < MACS_LPM_RUNS_EACH; i++)
            leaves[i] = leaf_of(entries[i]);
        macs_lpm_runs_refresh(&table->runs, word, entries, leaves, shrink);
    }
    atomic_store_explicit(&table->words, macs_lpm_runs_pay(&table->runs) ? table->runs.words : NULL,
                          memory_order_release);
}

/* -- groups -----------------------------------------------------------------------------------------------------------
 */

static void release_group(void *owner, void *group) {
    table_t *table = owner;
    uint32_t number = (uint32_t)(uintptr_t)group;
    table->group_rules[number] = table->group_free;
    table->group_free = number + 1;
}

/* Make a group out of a base entry: 0 or -EBUSY, -ENOMEM. */
static int open_group(table_t *table, uint32_t index) {
    if (!table->group_free && table->group_top == table->group_limit) {
        int error = macs_qsbr_flush(table->rules.qsbr);
        if (error || !table->group_free)
            return error ? error : -ENOMEM;
    }
    uint32_t number = table->group_free ? table->group_free - 1 : table->group_top++;
    if (table->group_free)
        table->group_free = table->group_rules[number];
    table->group_rules[number] = 0;
    uint32_t covering = atomic_load_explicit(&table->base[index], memory_order_relaxed);
    for (uint32_t i = 0; i < GROUP_ENTRIES; i++)
        atomic_store_explicit(group_at(table, number) + i, covering, memory_order_relaxed);
    atomic_store_explicit(&table->base[index], number | MACS_LPM_DIR24_GROUP, memory_order_release);
    return 0;
}

/* A group without rules of its own has 256 equal entries: fold it into the base. Needs two reserved defers. */
static void close_group(table_t *table, uint32_t index) {
    uint32_t entry = atomic_load_explicit(&table->base[index], memory_order_relaxed);
    uint32_t covering = atomic_load_explicit(group_at(table, entry), memory_order_relaxed);
    atomic_store_explicit(&table->base[index], covering, memory_order_release);
    refresh_runs(table, index, index + 1, true);
    macs_qsbr_defer(table->rules.qsbr, release_group, table, (void *)(uintptr_t)(entry & ~MACS_LPM_DIR24_GROUP));
}

/* -- prefixes ---------------------------------------------------------------------------------------------------------
 */

/* The index in the base of the first key under a rule. */
static uint32_t first_index(const table_t *table, const uint8_t *bytes) {
    return macs_lpm_dir24_index(bytes, table->rules.key_bytes);
}

/* Apply a change to all keys under a rule; the group of a rule beyond the base is there. Needs one reserved defer. */
static void change_prefix(table_t *table, const struct macs_rule *rule, const struct change *change) {
    uint32_t length = rule->prefix_bits;
    uint32_t index = first_index(table, rule->bytes);
    macs_lpm_runs_expect(&table->runs, index / MACS_LPM_RUNS_EACH);
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    if (length == 0) {
        atomic_store_explicit(&table->root, change->to, memory_order_release);
    } else if (length > table->base_bits) {
        uint32_t entry = atomic_load_explicit(&table->base[index], memory_order_relaxed);
        change_group(table, entry, rule->bytes[3], UINT32_C(1) << (32 - length), change);
        refresh_runs(table, index, index + 1, true);
    } else {
        uint32_t end = index + (UINT32_C(1) << (table->base_bits - length));
        for (uint32_t at = index; at < end; at++) {
            uint32_t entry = atomic_load_explicit(&table->base[at], memory_order_relaxed);
            if (entry & MACS_LPM_DIR24_GROUP)
                change_group(table, entry, 0, GROUP_ENTRIES, change);
            else
                change_entry(&table->base[at], change);
        }
        refresh_runs(table, index, end, end - index < MACS_LPM_RUNS_EACH);
    }
}

/* The word of `present` that has a prefix of `length` bits, none beyond the base, and its bit. */
static uint64_t *presence(const table_t *table, const uint8_t *bytes, uint32_t length, uint64_t *bit) {
    uint32_t place = UINT32_C(1) << length | first_index(table, bytes) >> (table->base_bits - length);
    *bit = UINT64_C(1) << place % 64;
    return &table->present[place / 64];
}

static void set_present(table_t *table, const struct macs_rule *rule, bool is) {
    uint64_t bit, *word;
    if (rule->prefix_bits > table->base_bits)
        return;
    word = presence(table, rule->bytes, rule->prefix_bits, &bit);
    *word = is ? *word | bit : *word & ~bit;
}

/* What covers a rule's keys when the rule is gone: the entry of the next shorter prefix but the root, or 0. */
static uint32_t next_shorter(table_t *table, const struct macs_rule *rule) {
    for (uint32_t length = rule->prefix_bits; length-- > 1;) {
        uint64_t bit;
        if (length <= table->base_bits && !(*presence(table, rule->bytes, length, &bit) & bit))
            continue;
        const struct macs_rule *shorter = macs_rules_find_prefix(&table->rules, rule->bytes, length);
        if (shorter)
            return entry_of(shorter);
    }
    return 0;
}

/* Fetch what a change of a prefix will look at, while its rule is being looked for. */
static void expect_change(const table_t *table, const uint8_t *bytes) {
    uint32_t index = first_index(table, bytes);
    __builtin_prefetch((const void *)&table->base[index]);
    __builtin_prefetch((const void *)&table->runs.words[index / MACS_LPM_RUNS_EACH]);
}

/* -- the kernel -------------------------------------------------------------------------------------------------------
 */

static size_t base_bytes(const table_t *table) {
    return sizeof *table->base << table->base_bits;
}

static size_t present_bytes(const table_t *table) {
    return (UINT64_C(2) << table->base_bits) / 8;
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
    macs_memory_free(table->group_rules, table->group_limit * sizeof *table->group_rules);
    macs_memory_free(table->present, present_bytes(table));
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
    table->present = macs_memory_alloc(present_bytes(table), true);
    table->group_rules = macs_memory_alloc(table->group_limit * sizeof *table->group_rules, true);
    error = macs_lpm_runs_create(&table->runs, table->base_bits, qsbr);
    atomic_init(&table->words, table->runs.words);
    if (!error)
        error = macs_results_create(&table->results, shape, qsbr);
    if (!error && table->base && table->groups && table->present && table->group_rules) {
        *self = table;
        return 0;
    }
    dir24_destroy(table);
    return -ENOMEM;
}

/* The group of a rule beyond the base, made if need be. */
static int count_in_group(table_t *table, const struct macs_rule *rule) {
    uint32_t at = first_index(table, rule->bytes);
    if (!(atomic_load_explicit(&table->base[at], memory_order_relaxed) & MACS_LPM_DIR24_GROUP)) {
        int error = open_group(table, at);
        if (error)
            return error;
    }
    table->group_rules[atomic_load_explicit(&table->base[at], memory_order_relaxed) & ~MACS_LPM_DIR24_GROUP]++;
    return 0;
}

static int dir24_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    expect_change(table, match->value);
    int error = macs_qsbr_reserve(table->rules.qsbr, 2);
    if (!error)
        error = macs_rules_add(&table->rules, match, value, &rule);
    if (error)
        return error;
    error = macs_results_take(&table->results, macs_values_at(&table->rules.values, rule->slot), &rule->result);
    if (!error && rule->prefix_bits > table->base_bits) {
        error = count_in_group(table, rule);
        if (error)
            macs_results_drop(&table->results, rule->result);
    }
    if (error) {
        macs_rules_cancel(&table->rules, rule);
        return error;
    }
    const struct change change = change_to(rule);
    change_prefix(table, rule, &change);
    set_present(table, rule, true);
    if (index)
        *index = macs_rules_index(&table->rules, rule);
    return 0;
}

static int dir24_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0, result = 0;
    expect_change(table, match->value);
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, 3);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    error = macs_results_take(&table->results, macs_values_at(&table->rules.values, rule->slot), &result);
    if (error) {
        macs_values_retire(&table->rules.values, rule->slot);
        rule->slot = old;
        return error;
    }
    uint32_t before = rule->result;
    rule->result = result;
    const struct change change = change_to(rule);
    change_prefix(table, rule, &change);
    macs_values_retire(&table->rules.values, old);
    macs_results_drop(&table->results, before);
    return 0;
}

static int dir24_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    expect_change(table, match->value);
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, 5);
    if (error)
        return error;
    const struct change change = change_from(rule, next_shorter(table, rule));
    set_present(table, rule, false);
    change_prefix(table, rule, &change);
    if (rule->prefix_bits > table->base_bits) {
        uint32_t at = first_index(table, rule->bytes);
        uint32_t entry = atomic_load_explicit(&table->base[at], memory_order_relaxed);
        if (--table->group_rules[entry & ~MACS_LPM_DIR24_GROUP] == 0)
            close_group(table, at);
    }
    macs_results_drop(&table->results, rule->result);
    macs_rules_remove(&table->rules, rule);
    return 0;
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
           macs_lpm_runs_memory(&table->runs) + base_bytes(table) + present_bytes(table) + groups_used_bytes(table) +
           table->group_top * sizeof *table->group_rules;
}

static uint64_t dir24_reader_bytes(void *self) {
    const table_t *table = self;
    bool by_runs = atomic_load_explicit(&table->words, memory_order_relaxed);
    return groups_used_bytes(table) + (by_runs ? macs_lpm_runs_memory(&table->runs) : base_bytes(table));
}

const struct macs_kernel macs_lpm_dir24_kernel = {
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
