/* Writer side of the compressed trie; layout and rules stand in lpm_trie.h. */
#include "lpm_trie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lpm_trie_node.h"

enum { KEY_BYTES_MAX = 1024 /* a removal may retire a node for each byte: far less than the backlog takes */ };

typedef struct macs_lpm_trie table_t;
typedef struct macs_lpm_trie_node node_t;
typedef struct macs_lpm_trie_spread spread_t;
typedef node_t *_Atomic link_t;

/* One node on the way to a rule's node. */
struct hop {
    link_t *link; /* where it is published */
    node_t *node;
    uint8_t byte; /* by which the way goes on */
};

/* -- reclamation and publication --------------------------------------------------------------------------------------
 */

static void release_node(void *owner, void *node) {
    macs_lpm_trie_node_free(&((table_t *)owner)->arena, node);
}

static void retire(table_t *table, node_t *node) {
    if (node)
        macs_qsbr_defer(table->rules.qsbr, release_node, table, node);
}

static void publish(table_t *table, link_t *link, node_t *node) {
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    atomic_store_explicit(link, node, memory_order_release);
}

static void publish_root(table_t *table, uint32_t answer) {
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    atomic_store_explicit(&table->root, answer, memory_order_release);
}

/* Free a node and all below it. Recursion is as deep as the key has bytes. */
static void free_subtree(table_t *table, node_t *node) {
    if (!node)
        return;
    for (uint32_t i = 0; i < node->child_count; i++)
        free_subtree(table, atomic_load_explicit(&node->child[i], memory_order_relaxed));
    macs_lpm_trie_node_free(&table->arena, node);
}

/* -- the rule in its node ---------------------------------------------------------------------------------------------
 */

/* The byte in which a prefix (not of length 0) ends. */
static uint32_t last_byte(const struct macs_rule *rule) {
    return (rule->prefix_bits - 1) / 8;
}

/* How many byte values it covers there, from rule->bytes[last_byte] on. */
static uint32_t span(const struct macs_rule *rule) {
    return UINT32_C(1) << (7 - (rule->prefix_bits - 1) % 8);
}

/* Where the rule is the longest prefix it becomes the answer. */
static void answer_with(const table_t *table, spread_t *spread, const struct macs_rule *rule) {
    uint32_t first = rule->bytes[last_byte(rule)];
    for (uint32_t byte = first; byte < first + span(rule); byte++) {
        uint32_t now = spread->answers[byte];
        if (now == 0 || macs_rules_of(&table->rules, now - 1)->prefix_bits <= rule->prefix_bits)
            spread->answers[byte] = rule->slot + 1;
    }
}

/* Where the rule is the answer, the next shorter prefix that ends in the same byte becomes it. */
static void answer_without(table_t *table, spread_t *spread, const struct macs_rule *rule) {
    uint32_t answer = 0;
    for (uint32_t bits = rule->prefix_bits - 1; answer == 0 && bits > last_byte(rule) * 8; bits--) {
        const struct macs_rule *shorter = macs_rules_find_prefix(&table->rules, rule->bytes, bits);
        answer = shorter ? shorter->slot + 1 : 0;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        if (spread->answers[byte] == rule->slot + 1)
            spread->answers[byte] = answer;
}

/* -- adding -----------------------------------------------------------------------------------------------------------
 */

/* New nodes for a rule from byte `position` of its key on, the lowest first; NULL without memory. */
static node_t *make_path(table_t *table, const struct macs_rule *rule, uint32_t position) {
    uint32_t at = last_byte(rule);
    node_t *node = NULL;
    for (;;) {
        spread_t spread;
        uint32_t skip = at - position < MACS_LPM_TRIE_SKIP ? at - position : MACS_LPM_TRIE_SKIP;
        macs_lpm_trie_node_clear(&spread, rule->bytes + at - skip, skip);
        if (node)
            spread.children[rule->bytes[at]] = node;
        else
            answer_with(table, &spread, rule);
        node_t *upper = macs_lpm_trie_node_make(&table->arena, &spread);
        if (!upper)
            free_subtree(table, node);
        if (!upper || at - skip == position)
            return upper;
        node = upper;
        at -= skip + 1;
    }
}

/* Put a new node in the place of `node`: it says what `spread` says, and leads to the rule, whose way it meets at byte
 * `position`. */
static int replace_towards(table_t *table, link_t *link, node_t *node, spread_t *spread, const struct macs_rule *rule,
                           uint32_t position) {
    node_t *path = NULL;
    if (position == last_byte(rule)) {
        answer_with(table, spread, rule);
    } else {
        path = make_path(table, rule, position + 1);
        if (!path)
            return -ENOMEM;
        spread->children[rule->bytes[position]] = path;
    }
    node_t *made = macs_lpm_trie_node_make(&table->arena, spread);
    if (!made) {
        free_subtree(table, path);
        return -ENOMEM;
    }
    publish(table, link, made);
    retire(table, node);
    return 0;
}

/* The rule leaves the path of `node` after `common` bytes of it: a new node there, `node` shortened below it. */
static int split(table_t *table, link_t *link, node_t *node, uint32_t common, const struct macs_rule *rule,
                 uint32_t position) {
    spread_t spread;
    macs_lpm_trie_node_spread(node, &spread);
    spread.skip -= common + 1;
    memmove(spread.skip_bytes, node->skip_bytes + common + 1, spread.skip);
    node_t *lower = macs_lpm_trie_node_make(&table->arena, &spread);
    if (!lower)
        return -ENOMEM;
    macs_lpm_trie_node_clear(&spread, node->skip_bytes, common);
    spread.children[node->skip_bytes[common]] = lower;
    int error = replace_towards(table, link, node, &spread, rule, position + common);
    if (error)
        macs_lpm_trie_node_free(&table->arena, lower);
    return error;
}

/* Publish a rule. Needs one reserved defer. 0 or -ENOMEM, and then nothing has changed. */
static int insert(table_t *table, const struct macs_rule *rule) {
    if (rule->prefix_bits == 0) {
        publish_root(table, rule->slot + 1);
        return 0;
    }
    link_t *link = &table->top;
    for (uint32_t position = 0;; position++) {
        node_t *node = atomic_load_explicit(link, memory_order_relaxed);
        if (!node) {
            node = make_path(table, rule, position);
            if (node)
                publish(table, link, node);
            return node ? 0 : -ENOMEM;
        }
        uint32_t common = 0;
        while (common < node->skip && position + common < last_byte(rule) &&
               node->skip_bytes[common] == rule->bytes[position + common])
            common++;
        if (common < node->skip)
            return split(table, link, node, common, rule, position);
        position += common;
        link_t *child = position < last_byte(rule) ? macs_lpm_trie_child(node, rule->bytes[position]) : NULL;
        if (!child) {
            spread_t spread;
            macs_lpm_trie_node_spread(node, &spread);
            return replace_towards(table, link, node, &spread, rule, position);
        }
        link = child;
    }
}

/* -- finding and removing ---------------------------------------------------------------------------------------------
 */

/* The way to the node of a rule that is in the trie: the hop of that node, the last in table->path. */
static struct hop *find_way(table_t *table, const struct macs_rule *rule) {
    struct hop *hop = table->path;
    link_t *link = &table->top;
    for (uint32_t position = 0;; position++, hop++) {
        hop->link = link;
        hop->node = atomic_load_explicit(link, memory_order_relaxed);
        position += hop->node->skip;
        hop->byte = rule->bytes[position];
        if (position == last_byte(rule))
            return hop;
        link = macs_lpm_trie_child(hop->node, hop->byte);
    }
}

/* Unlink a rule and what nodes it leaves without use. Needs key_bytes + 2 reserved defers. 0 or -ENOMEM. */
static int unlink_rule(table_t *table, const struct macs_rule *rule) {
    if (rule->prefix_bits == 0) {
        publish_root(table, 0);
        return 0;
    }
    struct hop *first = table->path, *last = find_way(table, rule), *hop = last;
    node_t *node, *merged;
    spread_t spread;
    macs_lpm_trie_node_spread(last->node, &spread);
    answer_without(table, &spread, rule);
    for (;;) {
        int error = macs_lpm_trie_node_shorten(&table->arena, &spread, &node, &merged);
        if (error)
            return error;
        if (node || hop == first)
            break;
        hop--;
        macs_lpm_trie_node_spread(hop->node, &spread);
        spread.children[hop->byte] = NULL;
    }
    publish(table, hop->link, node);
    for (; hop <= last; hop++)
        retire(table, hop->node);
    retire(table, merged);
    return 0;
}

/* -- the kernel -------------------------------------------------------------------------------------------------------
 */

static void trie_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    free_subtree(table, atomic_load_explicit(&table->top, memory_order_relaxed));
    macs_arena_destroy(&table->arena);
    macs_rules_destroy(&table->rules);
    free(table->path);
    free(table);
}

static int trie_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
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
    table->path = calloc((size_t)shape->key_bytes + 1, sizeof(struct hop));
    if (!table->path) {
        trie_destroy(table);
        return -ENOMEM;
    }
    *self = table;
    return 0;
}

static int trie_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_qsbr_reserve(table->rules.qsbr, 1);
    if (!error)
        error = macs_rules_add(&table->rules, match, value, &rule);
    if (error)
        return error;
    error = insert(table, rule);
    if (error)
        macs_rules_cancel(&table->rules, rule);
    else if (index)
        *index = macs_rules_index(&table->rules, rule);
    return error;
}

static int trie_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, 1);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    if (rule->prefix_bits == 0) {
        publish_root(table, rule->slot + 1);
    } else {
        const node_t *node = find_way(table, rule)->node;
        _Atomic uint32_t *answers = (_Atomic uint32_t *)(uintptr_t)macs_lpm_trie_answers(node);
        for (uint32_t run = 0; run < node->run_count; run++)
            if (atomic_load_explicit(&answers[run], memory_order_relaxed) == old + 1)
                atomic_store_explicit(&answers[run], rule->slot + 1, memory_order_release);
    }
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int trie_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, table->rules.key_bytes + 3);
    if (!error)
        error = unlink_rule(table, rule);
    if (!error)
        macs_rules_remove(&table->rules, rule);
    return error;
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
    return macs_rules_memory(&table->rules) + table->arena.bytes;
}

const struct macs_kernel macs_lpm_trie_kernel = {
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
};
