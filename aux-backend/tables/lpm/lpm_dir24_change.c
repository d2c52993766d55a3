/* Changes of the arrays of lpm_dir24: the entries that a prefix covers, groups, and the runs. */
#include "lpm_dir24_change.h"

#include <errno.h>
#include <string.h>

enum { GROUP_ENTRIES = 256, NEAR = 16 /* entries, of a cache line */ };

typedef struct macs_lpm_dir24 table_t;
typedef struct macs_lpm_dir24_tree tree_t;

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
    if (entry & MACS_LPM_DIR24_GROUP) {
        uint32_t group = entry & ~MACS_LPM_DIR24_GROUP;
        bool named = group < MACS_LPM_RUNS_ELSEWHERE - MACS_LPM_DIR24_LEAF_GROUP;
        return (uint16_t)(named ? MACS_LPM_DIR24_LEAF_GROUP + group : MACS_LPM_RUNS_ELSEWHERE);
    }
    uint32_t result = entry & MACS_LPM_DIR24_RESULT;
    return (uint16_t)(result < MACS_LPM_DIR24_LEAF_GROUP ? result : MACS_LPM_RUNS_ELSEWHERE);
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
    table->group_trees[number].bits[0] = table->group_free;
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
        table->group_free = (uint32_t)table->group_trees[number].bits[0];
    table->group_trees[number].bits[0] = 0; /* now all of it */
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

/* Apply a change to all keys under a rule that is not the root; the group of one beyond the base is there. Needs one
 * reserved defer. */
static void change_prefix(table_t *table, const struct macs_rule *rule, const struct change *change) {
    uint32_t length = rule->prefix_bits;
    uint32_t index = first_index(table, rule->bytes);
    if (length > table->base_bits) {
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

/* The tree of the prefixes that end in byte `at` of a key; of the last one in the group that the key has. */
static tree_t *tree_of(const table_t *table, const uint8_t *bytes, uint32_t at) {
    if (at == 0)
        return table->trees;
    if (at == 1)
        return &table->trees[1 + bytes[0]];
    if (at == 2)
        return &table->trees[1 + 256 + ((uint32_t)bytes[0] << 8 | bytes[1])];
    uint32_t entry = atomic_load_explicit(&table->base[first_index(table, bytes)], memory_order_relaxed);
    return &table->group_trees[entry & ~MACS_LPM_DIR24_GROUP];
}

/* Where a prefix of so many bits, 1 to 8, of a byte stands in its tree. */
static uint32_t place_of(uint8_t byte, uint32_t bits) {
    return UINT32_C(1) << bits | (uint32_t)byte >> (8 - bits);
}

bool macs_lpm_dir24_has(const table_t *table, const struct macs_rule *rule) {
    if (rule->prefix_bits == 0)
        return atomic_load_explicit(&table->root, memory_order_relaxed) != NULL;
    uint32_t at = (rule->prefix_bits - 1) / 8, place = place_of(rule->bytes[at], (rule->prefix_bits - 1) % 8 + 1);
    uint32_t entry = atomic_load_explicit(&table->base[first_index(table, rule->bytes)], memory_order_relaxed);
    if (at == 3 && !(entry & MACS_LPM_DIR24_GROUP))
        return false;
    return tree_of(table, rule->bytes, at)->bits[place / 64] >> place % 64 & 1;
}

static void set_present(const table_t *table, const struct macs_rule *rule, bool is) {
    uint32_t at = (rule->prefix_bits - 1) / 8, place = place_of(rule->bytes[at], (rule->prefix_bits - 1) % 8 + 1);
    uint64_t *word = &tree_of(table, rule->bytes, at)->bits[place / 64], bit = UINT64_C(1) << place % 64;
    *word = is ? *word | bit : *word & ~bit;
}

/* The length of the next shorter prefix of a rule's keys, or 0. */
static uint32_t shorter_length(const table_t *table, const struct macs_rule *rule) {
    uint32_t at = (rule->prefix_bits - 1) / 8;
    for (uint32_t bits = (rule->prefix_bits - 1) % 8;; bits = 8) {
        const tree_t *tree = tree_of(table, rule->bytes, at);
        for (uint32_t place = place_of(rule->bytes[at], bits); bits; place /= 2, bits--)
            if (tree->bits[place / 64] >> place % 64 & 1)
                return at * 8 + bits;
        if (at-- == 0)
            return 0;
    }
}

/* The entry of the prefix of `length` bits that covers entry `at` and all others that differ in its lowest `below` bits
 * only, if one of the same cache line says so, or 0. */
static uint32_t look_near(const _Atomic uint32_t *entries, uint32_t at, uint32_t below, uint32_t length) {
    uint32_t first = at & ~(NEAR - 1u);
    for (uint32_t i = first; i < first + NEAR; i++) {
        uint32_t entry = atomic_load_explicit(&entries[i], memory_order_relaxed);
        if ((i ^ at) >> below == 0 && entry >> MACS_LPM_DIR24_LENGTH_AT == length)
            return entry;
    }
    return 0;
}

/* The index in the base of the first key of the other half of what a rule's prefix is a half of. */
static uint32_t other_half(const table_t *table, const uint8_t *bytes, uint32_t prefix_bits) {
    return first_index(table, bytes) ^ UINT32_C(1) << (table->base_bits - prefix_bits);
}

/* What covers a rule's keys when the rule is gone: the entry of the next shorter prefix but the root, or 0. That prefix
 * mostly covers keys beside the rule's too, so that its result is known there; where it does not, it is looked for. */
static uint32_t next_shorter(table_t *table, const struct macs_rule *rule) {
    uint32_t length = shorter_length(table, rule), entry, index = first_index(table, rule->bytes);
    if (length == 0)
        return 0;
    if (rule->prefix_bits > table->base_bits) {
        uint32_t group = atomic_load_explicit(&table->base[index], memory_order_relaxed);
        uint32_t half = rule->bytes[3] ^ UINT32_C(1) << (32 - rule->prefix_bits);
        entry = look_near(group_at(table, group), half, length > 24 ? 32 - length : 8, length);
    } else {
        uint32_t half = other_half(table, rule->bytes, rule->prefix_bits);
        entry = look_near(table->base, half, table->base_bits - length, length);
    }
    return entry ? entry : entry_of(macs_rules_find_prefix(&table->rules, rule->bytes, length));
}

/* A rule beyond the base has a group, made if need be. 0, -EBUSY, -ENOMEM. */
static int join_group(table_t *table, const struct macs_rule *rule) {
    uint32_t at = first_index(table, rule->bytes);
    if (atomic_load_explicit(&table->base[at], memory_order_relaxed) & MACS_LPM_DIR24_GROUP)
        return 0;
    return open_group(table, at);
}

/* A group is removed with its last rule. */
static void leave_group(table_t *table, const struct macs_rule *rule) {
    static const tree_t empty;
    if (memcmp(tree_of(table, rule->bytes, 3), &empty, sizeof empty) == 0)
        close_group(table, first_index(table, rule->bytes));
}

/* -- rules ------------------------------------------------------------------------------------------------------------
 */

void macs_lpm_dir24_prefetch(const table_t *table, const struct macs_match *match) {
    uint32_t index = first_index(table, match->value), bits = match->prefix_bits;
    if (bits == 0)
        return;
    __builtin_prefetch((const void *)&table->base[index]);
    __builtin_prefetch((const void *)&table->base[index ^ NEAR]); /* the runs' word has both lines */
    if (bits > 16 && bits <= 24)
        __builtin_prefetch(tree_of(table, match->value, 2));
    if (bits <= table->base_bits)
        __builtin_prefetch((const void *)&table->base[other_half(table, match->value, bits)]);
    macs_lpm_runs_prefetch(&table->runs, index / MACS_LPM_RUNS_EACH);
    if (bits <= table->base_bits)
        return;
    uint32_t entry = atomic_load_explicit(&table->base[index], memory_order_relaxed);
    if (entry & MACS_LPM_DIR24_GROUP) {
        __builtin_prefetch((const void *)(group_at(table, entry) + match->value[3]));
        __builtin_prefetch(tree_of(table, match->value, 3));
    }
}

void macs_lpm_dir24_renew(table_t *table, const struct macs_rule *rule) {
    const struct change change = {.longest = rule->prefix_bits, .empty_too = true, .to = entry_of(rule)};
    if (rule->prefix_bits)
        change_prefix(table, rule, &change);
    else
        atomic_store_explicit(&table->root, macs_results_at(&table->results, rule->result), memory_order_release);
}

int macs_lpm_dir24_set(table_t *table, const struct macs_rule *rule) {
    int error = rule->prefix_bits > table->base_bits ? join_group(table, rule) : 0;
    if (error)
        return error;
    macs_lpm_dir24_renew(table, rule);
    if (rule->prefix_bits)
        set_present(table, rule, true);
    return 0;
}

/* Lookups that found no prefix and have not read `root` yet must end before it is cleared. */
static int unset_root(table_t *table) {
    struct macs_qsbr *qsbr = table->rules.qsbr;
    if (qsbr && macs_qsbr_synchronize(qsbr, MACS_QSBR_TIMEOUT_NS))
        return -EBUSY;
    atomic_store_explicit(&table->root, NULL, memory_order_release);
    return 0;
}

int macs_lpm_dir24_unset(table_t *table, const struct macs_rule *rule) {
    uint32_t bits = rule->prefix_bits;
    if (bits == 0)
        return unset_root(table);
    const struct change change = {.shortest = bits, .longest = bits, .to = next_shorter(table, rule)};
    set_present(table, rule, false);
    change_prefix(table, rule, &change);
    if (bits > table->base_bits)
        leave_group(table, rule);
    return 0;
}
