/* Adds a rule to the trie and removes one: paths are made, split and joined, nodes are replaced. */
#include "lpm_trie_change.h"

#include <errno.h>
#include <string.h>

#include "lpm_trie_node.h"

typedef struct macs_lpm_trie table_t;
typedef struct macs_lpm_trie_node node_t;
typedef struct macs_lpm_trie_spread spread_t;
typedef struct macs_lpm_trie_run run_t;
typedef struct macs_lpm_trie_hop hop_t;
typedef _Atomic uint32_t link_t; /* where an entry is published */

/* -- reclamation and publication --------------------------------------------------------------------------------------
 */

static void release_node(void *owner, void *entry) {
    macs_lpm_trie_node_free(owner, (uint32_t)(uintptr_t)entry);
}

static void retire(table_t *table, uint32_t entry) {
    if (entry)
        macs_qsbr_defer(table->rules.qsbr, release_node, table, (void *)(uintptr_t)entry);
}

static void publish(table_t *table, link_t *link, uint32_t entry) {
    macs_changes_count(&table->changes);
    atomic_store_explicit(link, entry, memory_order_release);
}

/* -- a rule's answers -------------------------------------------------------------------------------------------------
 */

/* The entry of a rule in the stride that begins at bit `from` of the key. */
static uint32_t answer_of(const struct macs_rule *rule, uint32_t from) {
    return (rule->prefix_bits - from) << MACS_LPM_TRIE_LENGTH_AT | (rule->result + 1);
}

static uint32_t length_of(uint32_t answer) {
    return answer >> MACS_LPM_TRIE_LENGTH_AT;
}

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
    uint32_t first = rule->bytes[last_byte(rule)], answer = answer_of(rule, last_byte(rule) * 8);
    uint32_t place = macs_lpm_trie_node_cut(spread, first), end = macs_lpm_trie_node_cut(spread, first + span(rule));
    for (run_t *run = spread->runs + place; run < spread->runs + end; run++)
        if (length_of(macs_lpm_trie_node_answer(table, run)) <= length_of(answer))
            run->answer = answer;
}

/* An answer of `bits` bits or less for a byte value from `first` on, `count` of them: all these have it then. Unknown
 * where all have longer ones. */
static uint32_t short_answer(const table_t *table, spread_t *spread, uint32_t first, uint32_t count, uint32_t bits) {
    run_t *run = spread->runs;
    while (run[1].first <= first)
        run++;
    for (; run->first < first + count; run++)
        if (length_of(macs_lpm_trie_node_answer(table, run)) <= bits)
            return run->answer;
    return MACS_LPM_TRIE_UNKNOWN;
}

/* What is the answer for a rule's keys without it: that of the next shorter prefix that ends in the same byte, or 0.
 * It mostly is an answer beside the rule's; a prefix that is not, as longer ones have all its keys, is looked for. */
static uint32_t next_shorter(table_t *table, spread_t *spread, const struct macs_rule *rule) {
    uint32_t from = last_byte(rule) * 8;
    for (uint32_t bits = rule->prefix_bits - from - 1; bits > 0; bits--) {
        uint32_t count = UINT32_C(1) << (8 - bits);
        uint32_t answer = short_answer(table, spread, rule->bytes[from / 8] & ~(count - 1), count, bits);
        if (answer != MACS_LPM_TRIE_UNKNOWN)
            return answer;
        const struct macs_rule *shorter = macs_rules_find_prefix(&table->rules, rule->bytes, from + bits);
        if (shorter)
            return answer_of(shorter, from);
    }
    return 0;
}

/* Where the rule is the answer, the next shorter prefix that ends in the same byte becomes it. */
static void answer_without(table_t *table, spread_t *spread, const struct macs_rule *rule) {
    uint32_t from = last_byte(rule) * 8, first = rule->bytes[last_byte(rule)];
    uint32_t answer = next_shorter(table, spread, rule);
    uint32_t place = macs_lpm_trie_node_cut(spread, first), end = macs_lpm_trie_node_cut(spread, first + span(rule));
    for (run_t *run = spread->runs + place; run < spread->runs + end; run++)
        if (length_of(macs_lpm_trie_node_answer(table, run)) == rule->prefix_bits - from)
            run->answer = answer;
}

/* -- the first bytes --------------------------------------------------------------------------------------------------
 */

static link_t *first_link(const table_t *table, const struct macs_rule *rule) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < table->first_bytes; i++)
        index = index << 8 | rule->bytes[i];
    return &table->first[index];
}

/* Whether a rule ends in the first bytes: no node knows it. */
static bool ends_first(const table_t *table, const struct macs_rule *rule) {
    return rule->prefix_bits <= table->first_bytes * 8;
}

/* For the keys of a rule that ends in the first bytes: answers of `shortest` to `longest` bits become `to`. */
static void change_first(table_t *table, const struct macs_rule *rule, uint32_t shortest, uint32_t longest,
                         uint32_t to) {
    link_t *link = rule->prefix_bits ? first_link(table, rule) : &table->root;
    uint32_t count = rule->prefix_bits ? UINT32_C(1) << (table->first_bytes * 8 - rule->prefix_bits) : 1;
    macs_changes_count(&table->changes);
    for (uint32_t i = 0; i < count; i++) {
        link_t *place = &link[i];
        uint32_t entry = atomic_load_explicit(place, memory_order_relaxed);
        if (entry & MACS_LPM_TRIE_NODE) {
            place = &macs_lpm_trie_node_at(table, entry)->inherited;
            entry = atomic_load_explicit(place, memory_order_relaxed);
        }
        if (length_of(entry) >= shortest && length_of(entry) <= longest)
            atomic_store_explicit(place, to, memory_order_release);
    }
}

/* -- adding -----------------------------------------------------------------------------------------------------------
 */

/* New nodes for a rule from byte `position` of its key on, in the place of the answer `inherited`; 0 without memory. */
static uint32_t make_path(table_t *table, const struct macs_rule *rule, uint32_t position, uint32_t inherited) {
    uint32_t at = last_byte(rule), entry = 0;
    for (;;) {
        spread_t spread;
        uint32_t skip = at - position < table->skip ? at - position : table->skip;
        macs_lpm_trie_node_clear(&spread, rule->bytes + at - skip, skip);
        if (entry)
            macs_lpm_trie_node_single(&spread, rule->bytes[at])->child = entry;
        else
            answer_with(table, &spread, rule);
        spread.inherited = at - skip == position ? inherited : 0;
        uint32_t upper = macs_lpm_trie_node_make(table, &spread);
        if (!upper)
            macs_lpm_trie_node_free_all(table, entry);
        if (!upper || at - skip == position)
            return upper;
        entry = upper;
        at -= skip + 1;
    }
}

/* Put a new node in the place of `entry`: it says what `spread` says, and leads to the rule, whose way it meets at byte
 * `position`. */
static int replace_towards(table_t *table, link_t *link, uint32_t entry, spread_t *spread, const struct macs_rule *rule,
                           uint32_t position) {
    uint32_t path = 0;
    if (position == last_byte(rule)) {
        answer_with(table, spread, rule);
    } else {
        run_t *run = macs_lpm_trie_node_single(spread, rule->bytes[position]);
        path = make_path(table, rule, position + 1, run->answer);
        if (!path)
            return -ENOMEM;
        run->child = path;
    }
    uint32_t made = macs_lpm_trie_node_make(table, spread);
    if (!made) {
        macs_lpm_trie_node_free_all(table, path);
        return -ENOMEM;
    }
    macs_changes_count(&table->changes);
    macs_lpm_trie_node_bequeath(table, spread);
    publish(table, link, made);
    retire(table, entry);
    return 0;
}

/* The rule leaves the path of the node of `entry` after `common` bytes of it: a new node there, the old one shortened
 * below it. */
static int split(table_t *table, link_t *link, uint32_t entry, uint32_t common, const struct macs_rule *rule,
                 uint32_t position) {
    spread_t whole, spread;
    macs_lpm_trie_node_spread(table, entry, &whole);
    spread = whole;
    spread.inherited = 0;
    spread.skip -= common + 1;
    memmove(spread.skip_bytes, whole.skip_bytes + common + 1, spread.skip);
    uint32_t lower = macs_lpm_trie_node_make(table, &spread);
    if (!lower)
        return -ENOMEM;
    macs_lpm_trie_node_clear(&spread, whole.skip_bytes, common);
    spread.inherited = whole.inherited;
    macs_lpm_trie_node_single(&spread, whole.skip_bytes[common])->child = lower;
    int error = replace_towards(table, link, entry, &spread, rule, position + common);
    if (error)
        macs_lpm_trie_node_free(table, lower);
    return error;
}

/* The length of the common prefix of a node's path and a rule's bytes from `position` on, without the rule's last byte.
 */
static uint32_t common_bytes(const node_t *node, const struct macs_rule *rule, uint32_t position) {
    uint32_t common = 0;
    while (common < macs_lpm_trie_skip(node->path) && position + common < last_byte(rule) &&
           (uint8_t)(node->path >> (56 - 8 * common)) == rule->bytes[position + common])
        common++;
    return common;
}

/* Publish a rule that ends in a node, or its new result. Needs one reserved defer. 0 or -ENOMEM, and then nothing has
 * changed. */
static int insert(table_t *table, const struct macs_rule *rule) {
    link_t *link = first_link(table, rule);
    for (uint32_t position = table->first_bytes;; position++) {
        uint32_t entry = atomic_load_explicit(link, memory_order_relaxed);
        if (!(entry & MACS_LPM_TRIE_NODE)) {
            uint32_t path = make_path(table, rule, position, entry);
            if (path)
                publish(table, link, path);
            return path ? 0 : -ENOMEM;
        }
        node_t *node = macs_lpm_trie_node_at(table, entry);
        uint32_t common = common_bytes(node, rule, position);
        if (common < macs_lpm_trie_skip(node->path))
            return split(table, link, entry, common, rule, position);
        position += common;
        link_t *next = &node->entries[macs_lpm_trie_place(node, rule->bytes[position])];
        if (position == last_byte(rule) || !(atomic_load_explicit(next, memory_order_relaxed) & MACS_LPM_TRIE_NODE)) {
            spread_t spread;
            macs_lpm_trie_node_spread(table, entry, &spread);
            return replace_towards(table, link, entry, &spread, rule, position);
        }
        link = next;
    }
}

int macs_lpm_trie_set(table_t *table, const struct macs_rule *rule) {
    if (!ends_first(table, rule))
        return insert(table, rule);
    change_first(table, rule, 0, rule->prefix_bits, answer_of(rule, 0));
    return 0;
}

/* -- a rule that is in the trie ---------------------------------------------------------------------------------------
 */

void macs_lpm_trie_prefetch(const table_t *table, const uint8_t *key) {
    struct macs_lpm_trie_cursor cursor;
    uint32_t key_bytes = table->rules.key_bytes;
    macs_lpm_trie_begin(table, key, key_bytes, &cursor);
    macs_rules_prefetch(&table->rules);
    if (cursor.node)
        macs_lpm_trie_visit(table, key, key_bytes, &cursor);
}

/* The way to the node of a rule that is in one: the hop of that node, the last in table->path. */
static hop_t *find_way(table_t *table, const struct macs_rule *rule) {
    hop_t *hop = table->path;
    link_t *link = first_link(table, rule);
    for (uint32_t position = table->first_bytes;; position++, hop++) {
        hop->link = link;
        hop->entry = atomic_load_explicit(link, memory_order_relaxed);
        node_t *node = macs_lpm_trie_node_at(table, hop->entry);
        position += macs_lpm_trie_skip(node->path);
        hop->byte = rule->bytes[position];
        if (position == last_byte(rule))
            return hop;
        link = &node->entries[macs_lpm_trie_place(node, hop->byte)];
    }
}

/* Whether a run of a node begins at a byte value, 256 at most. */
static bool begins_at(const node_t *node, uint32_t byte) {
    return byte == 256 || node->runs[byte / 64] >> byte % 64 & 1;
}

/* The rule's answers are all runs of their own, and each gets the new result at its place. Else nothing happens. */
static bool renew_in_place(table_t *table, const node_t *node, const struct macs_rule *rule) {
    uint32_t from = last_byte(rule) * 8, first = rule->bytes[last_byte(rule)], end = first + span(rule);
    if (!begins_at(node, first) || !begins_at(node, end))
        return false;
    uint32_t place = macs_lpm_trie_place(node, first), last = macs_lpm_trie_place(node, end - 1);
    for (; place <= last; place++) {
        link_t *link = (link_t *)&node->entries[place];
        uint32_t entry = atomic_load_explicit(link, memory_order_relaxed);
        if (entry & MACS_LPM_TRIE_NODE) {
            link = &macs_lpm_trie_node_at(table, entry)->inherited;
            entry = atomic_load_explicit(link, memory_order_relaxed);
        }
        if (length_of(entry) == rule->prefix_bits - from)
            atomic_store_explicit(link, answer_of(rule, from), memory_order_release);
    }
    return true;
}

int macs_lpm_trie_renew(table_t *table, const struct macs_rule *rule) {
    if (ends_first(table, rule))
        return macs_lpm_trie_set(table, rule);
    const node_t *node = macs_lpm_trie_node_at(table, find_way(table, rule)->entry);
    return renew_in_place(table, node, rule) ? 0 : macs_lpm_trie_set(table, rule);
}

/* Unlink a rule that ends in a node, and what nodes it leaves without use. Needs key_bytes + 2 reserved defers. 0 or
 * -ENOMEM. */
static int unlink_rule(table_t *table, const struct macs_rule *rule) {
    hop_t *top = table->path, *last = find_way(table, rule), *hop = last;
    uint32_t entry, merged;
    spread_t spread;
    macs_lpm_trie_node_spread(table, last->entry, &spread);
    answer_without(table, &spread, rule);
    for (;;) {
        int error = macs_lpm_trie_node_shorten(table, &spread, &entry, &merged);
        if (error)
            return error;
        if (entry || hop == top)
            break;
        hop--;
        macs_lpm_trie_node_spread(table, hop->entry, &spread);
        run_t *run = macs_lpm_trie_node_single(&spread, hop->byte);
        macs_lpm_trie_node_answer(table, run);
        run->child = 0;
    }
    macs_changes_count(&table->changes);
    macs_lpm_trie_node_bequeath(table, &spread);
    publish(table, hop->link, entry ? entry : spread.inherited);
    for (; hop <= last; hop++)
        retire(table, hop->entry);
    retire(table, merged);
    return 0;
}

int macs_lpm_trie_unset(table_t *table, const struct macs_rule *rule) {
    if (!ends_first(table, rule))
        return unlink_rule(table, rule);
    uint32_t bits = rule->prefix_bits;
    const struct macs_rule *shorter = macs_rules_find_shorter(&table->rules, rule, 0);
    change_first(table, rule, bits, bits, shorter && bits ? answer_of(shorter, 0) : 0);
    return 0;
}
