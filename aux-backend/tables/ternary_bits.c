/* Writer side of ternary match by bit vectors over groups; layout and rules stand in ternary_bits.h. */
#include "ternary_bits.h"

#include <errno.h>
#include <stdlib.h>

#include "memory.h"

enum {
    LANES = MACS_TERNARY_BITS_LANES,
    TRIED = 64, /* groups with a free lane that a new entry is tried in */
    SPARE = 64, /* groups that wait for their readers, beside one for each 4 in use */
    DEFERS = 2  /* that one change makes at most: group, value */
};

#define GROUP_BITS UINT32_C(64)        /* of a word of a row */
#define SIZE_LIMIT (UINT32_C(1) << 16) /* entries; rows grow with it, and lookups */

/* By how much an entry may widen a group before it is better to begin a new one: the share of all keys. */
#define WIDENING_MAX (1.0 / 4096)

typedef struct macs_ternary_bits table_t;
typedef struct macs_ternary_bits_group group_t;

/* The values of one key byte that some entries could match, a bit for each. */
typedef struct {
    uint64_t has[4];
} values_t;

struct macs_ternary_bits_book {
    values_t *sets;   /* of each group's key bytes */
    values_t *wanted; /* of the key bytes of the entry in hand */
    uint8_t *counts;  /* entries of each group */
    uint32_t limit;   /* groups */
    uint32_t used;    /* groups from here on have no entry */
    uint8_t *blocks;  /* memory of groups, the first of which is the group without entries */
    uint32_t *free;   /* blocks to take, a stack */
    uint32_t free_count;
    uint32_t block_count;
    uint32_t block_bytes;
};

/* -- sets of values ---------------------------------------------------------------------------------------------------
 */

static values_t values_of(uint8_t value, uint8_t mask) {
    static const uint64_t with[6] = {UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc),
                                     UINT64_C(0xf0f0f0f0f0f0f0f0), UINT64_C(0xff00ff00ff00ff00),
                                     UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000)};
    uint64_t low = UINT64_MAX;
    values_t values;
    for (uint32_t bit = 0; bit < 6; bit++)
        if (mask >> bit & 1)
            low &= value >> bit & 1 ? with[bit] : ~with[bit];
    for (uint32_t i = 0; i < 4; i++)
        values.has[i] = ((i << 6 ^ value) & mask & 0xc0) == 0 ? low : 0;
    return values;
}

static void values_add(values_t *values, const values_t *more) {
    for (uint32_t i = 0; i < 4; i++)
        values->has[i] |= more->has[i];
}

static double share_of(const values_t *values) {
    int count = 0;
    for (uint32_t i = 0; i < 4; i++)
        count += __builtin_popcountll(values->has[i]);
    return count / 256.0;
}

static values_t *sets_of(const table_t *table, uint32_t group) {
    return table->book->sets + (size_t)group * table->rules.key_bytes;
}

static void learn_values(const table_t *table, const struct macs_rule *rule, values_t *values) {
    const uint8_t *mask = macs_rules_mask(&table->rules, rule);
    for (uint32_t at = 0; at < table->rules.key_bytes; at++)
        values[at] = values_of(rule->bytes[at], mask[at]);
}

static group_t *group_of(const table_t *table, uint32_t group) {
    return atomic_load_explicit(&table->groups[group], memory_order_relaxed);
}

static struct macs_rule *rule_at(const table_t *table, const group_t *group, uint32_t lane) {
    return macs_rules_of(&table->rules, atomic_load_explicit(&group->slots[lane], memory_order_relaxed));
}

/* -- where a new entry goes -------------------------------------------------------------------------------------------
 */

/* By how much larger the share of keys gets for which the group is looked at, when the wanted entry comes into it. */
static double widening(const table_t *table, uint32_t group) {
    const values_t *sets = sets_of(table, group), *wanted = table->book->wanted;
    double before = 1, after = 1;
    for (uint32_t at = 0; at < table->rules.key_bytes; at++) {
        values_t both = sets[at];
        values_add(&both, &wanted[at]);
        before *= share_of(&sets[at]);
        after *= share_of(&both);
    }
    return after - before;
}

/* The group for the wanted entry: the one that it widens least of the last ones that have a free lane, or an empty one
 * where that is too much. There is a free lane. */
static uint32_t choose(const table_t *table) {
    const struct macs_ternary_bits_book *book = table->book;
    uint32_t empty = book->used, best = book->limit, tried = 0;
    double least = 2;
    for (uint32_t group = book->used; group-- > 0 && tried < TRIED;) {
        if (book->counts[group] == 0)
            empty = group;
        if (book->counts[group] == 0 || book->counts[group] == LANES)
            continue;
        double more = widening(table, group);
        if (more < least) {
            least = more;
            best = group;
        }
        tried++;
    }
    return best < book->limit && (least <= WIDENING_MAX || empty == book->limit) ? best : empty;
}

/* -- rows -------------------------------------------------------------------------------------------------------------
 */

static size_t rows_bytes(const table_t *table) {
    return (size_t)table->rules.key_bytes * 256 * table->stride * sizeof(uint64_t);
}

/* Set or clear the group's bit in the rows of these values of key byte `at`. */
static void write_rows(const table_t *table, uint32_t group, uint32_t at, const values_t *values, bool set) {
    uint64_t bit = UINT64_C(1) << group % GROUP_BITS;
    _Atomic uint64_t *words = table->rows + (size_t)at * 256 * table->stride + group / GROUP_BITS;
    for (uint32_t i = 0; i < 4; i++) {
        for (uint64_t left = values->has[i]; left; left &= left - 1) {
            _Atomic uint64_t *word = words + (size_t)(i * 64 + (uint32_t)__builtin_ctzll(left)) * table->stride;
            uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
            atomic_store_explicit(word, set ? now | bit : now & ~bit, memory_order_release);
        }
    }
}

static void widen(table_t *table, uint32_t group) {
    values_t *sets = sets_of(table, group);
    for (uint32_t at = 0; at < table->rules.key_bytes; at++) {
        values_t more = table->book->wanted[at];
        for (uint32_t i = 0; i < 4; i++)
            more.has[i] &= ~sets[at].has[i];
        write_rows(table, group, at, &more, true);
        values_add(&sets[at], &more);
    }
}

/* Take back the bits that only the removed entry needed. */
static void narrow(table_t *table, uint32_t group) {
    const group_t *entries = group_of(table, group);
    values_t *sets = sets_of(table, group);
    for (uint32_t at = 0; at < table->rules.key_bytes; at++) {
        values_t needed = {{0}}, spare = sets[at];
        for (uint32_t lane = 0; lane < table->book->counts[group]; lane++) {
            const struct macs_rule *rule = rule_at(table, entries, lane);
            values_t values = values_of(rule->bytes[at], macs_rules_mask(&table->rules, rule)[at]);
            values_add(&needed, &values);
        }
        for (uint32_t i = 0; i < 4; i++)
            spare.has[i] &= ~needed.has[i];
        write_rows(table, group, at, &spare, false);
        sets[at] = needed;
    }
}

/* -- groups -----------------------------------------------------------------------------------------------------------
 */

static group_t *block_at(const table_t *table, uint32_t number) {
    return (group_t *)(void *)(table->book->blocks + (size_t)number * table->book->block_bytes);
}

static void release_block(void *owner, void *block) {
    struct macs_ternary_bits_book *book = ((table_t *)owner)->book;
    book->free[book->free_count++] = (uint32_t)((size_t)((uint8_t *)block - book->blocks) / book->block_bytes);
}

/* Memory for a group to be: 0 or -EBUSY. */
static int take_block(table_t *table, group_t **block) {
    struct macs_ternary_bits_book *book = table->book;
    if (book->free_count == 0 && (macs_qsbr_flush(table->rules.qsbr) || book->free_count == 0))
        return -EBUSY;
    *block = block_at(table, book->free[--book->free_count]);
    return 0;
}

/* Values with a bit that their masks lack: no key matches. */
static void clear(const table_t *table, group_t *group) {
    memset(group, 0, table->book->block_bytes);
    for (uint32_t lane = 0; lane < LANES; lane++)
        group->lanes[lane / 8 * 16 + lane % 8] = 1;
}

static void put(const table_t *table, group_t *group, uint32_t lane, const struct macs_rule *rule) {
    uint32_t key_bytes = table->rules.key_bytes;
    for (uint32_t at = 0; at < (key_bytes + 7) / 8; at++) {
        uint64_t *value = group->lanes + (size_t)at * 2 * LANES + (size_t)(lane / 8) * 16 + lane % 8;
        value[0] = macs_ternary_bits_word(rule->bytes, key_bytes, at);
        value[8] = macs_ternary_bits_word(macs_rules_mask(&table->rules, rule), key_bytes, at);
    }
    group->orders[lane] = rule->order + 1;
    atomic_init(&group->slots[lane], rule->slot);
}

/* Fill `block` with the group's entries without `removed` and with `added`, either of them NULL, and publish it. */
static void regroup(table_t *table, uint32_t group, group_t *block, const struct macs_rule *removed,
                    const struct macs_rule *added) {
    group_t *old = group_of(table, group);
    uint32_t count = 0;
    clear(table, block);
    for (uint32_t lane = 0; lane < table->book->counts[group]; lane++) {
        const struct macs_rule *rule = rule_at(table, old, lane);
        if (added && macs_rules_wins(added->order, added->sequence, rule->order, rule->sequence)) {
            put(table, block, count++, added);
            added = NULL;
        }
        if (rule != removed)
            put(table, block, count++, rule);
    }
    if (added)
        put(table, block, count++, added);
    table->book->counts[group] = (uint8_t)count;
    atomic_store_explicit(&table->groups[group], block, memory_order_release);
    if (old != block_at(table, 0))
        macs_qsbr_defer(table->rules.qsbr, release_block, table, old);
}

static void set_used(table_t *table, uint32_t used) {
    table->book->used = used;
    atomic_store_explicit(&table->words, (used + GROUP_BITS - 1) / GROUP_BITS, memory_order_release);
}

/* Put a booked rule where readers find it. */
static void publish(table_t *table, struct macs_rule *rule, group_t *block) {
    learn_values(table, rule, table->book->wanted);
    uint32_t group = choose(table);
    rule->next = group;
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    regroup(table, group, block, NULL, rule);
    widen(table, group);
    if (group == table->book->used)
        set_used(table, group + 1);
}

static void unpublish(table_t *table, const struct macs_rule *rule, group_t *block) {
    const struct macs_ternary_bits_book *book = table->book;
    uint32_t used = book->used;
    atomic_fetch_add_explicit(&table->changes, 1, memory_order_acq_rel);
    regroup(table, rule->next, block, rule, NULL);
    narrow(table, rule->next);
    while (used && book->counts[used - 1] == 0)
        used--;
    set_used(table, used);
}

/* -- the kernel -------------------------------------------------------------------------------------------------------
 */

static size_t blocks_bytes(const table_t *table) {
    return (size_t)table->book->block_count * table->book->block_bytes;
}

static size_t sets_bytes(const table_t *table) {
    return ((size_t)table->book->limit + 1) * table->rules.key_bytes * sizeof(values_t);
}

static void bits_destroy(void *self) {
    table_t *table = self;
    struct macs_ternary_bits_book *book = table->book;
    macs_qsbr_drop(table->rules.qsbr, table);
    macs_memory_free(table->rows, rows_bytes(table));
    macs_memory_free(book->blocks, blocks_bytes(table));
    macs_memory_free(book->sets, sets_bytes(table));
    free(table->groups);
    free(book->counts);
    free(book->free);
    macs_rules_destroy(&table->rules);
    free(book);
    free(table);
}

/* As many groups as a row's words have bits for, which is more than entries fill in most tables. */
static void plan(table_t *table, uint32_t size) {
    struct macs_ternary_bits_book *book = table->book;
    uint32_t groups = (size + LANES - 1) / LANES, key_words = (table->rules.key_bytes + 7) / 8;
    uint32_t words = (groups + GROUP_BITS - 1) / GROUP_BITS;
    table->stride = words > 4 ? (words + 7) & ~UINT32_C(7) : words == 3 ? 4 : words;
    book->limit = GROUP_BITS * table->stride < size ? GROUP_BITS * table->stride : size;
    book->block_bytes = (uint32_t)(sizeof(group_t) + (key_words + !key_words) * 2 * LANES * sizeof(uint64_t));
    book->block_count = 1 + book->limit + book->limit / 4 + SPARE;
}

static int make_groups(table_t *table) {
    struct macs_ternary_bits_book *book = table->book;
    table->rows = macs_memory_alloc(rows_bytes(table), false);
    table->groups = calloc((size_t)book->limit + 1, sizeof *table->groups);
    book->blocks = macs_memory_alloc(blocks_bytes(table), false);
    book->sets = macs_memory_alloc(sets_bytes(table), true);
    book->counts = calloc((size_t)book->limit + 1, sizeof *book->counts);
    book->free = calloc(book->block_count, sizeof *book->free);
    if (!table->rows || !table->groups || !book->blocks || !book->sets || !book->counts || !book->free)
        return -ENOMEM;
    book->wanted = book->sets + (size_t)book->limit * table->rules.key_bytes;
    clear(table, block_at(table, 0));
    for (uint32_t group = 0; group < book->limit; group++)
        atomic_init(&table->groups[group], block_at(table, 0));
    for (uint32_t block = book->block_count; block-- > 1;)
        book->free[book->free_count++] = block;
    return 0;
}

static int bits_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (shape->key_bytes > MACS_TERNARY_BITS_KEY_MAX)
        return -EINVAL;
    if (shape->size > SIZE_LIMIT)
        return -ENOMEM;
    table_t *table = calloc(1, sizeof *table);
    struct macs_ternary_bits_book *book = calloc(1, sizeof *book);
    unsigned allowed = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_OPTIONAL;
    int error = -ENOMEM;
    if (table && book)
        error = macs_rules_create(&table->rules, shape, allowed, MACS_TERNARY, sizeof(uint64_t), qsbr);
    if (error) {
        free(table);
        free(book);
        return error;
    }
    table->book = book;
    plan(table, shape->size);
    error = make_groups(table);
    if (error)
        bits_destroy(table);
    else
        *self = table;
    return error;
}

static int bits_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    group_t *block = NULL;
    int error = macs_qsbr_reserve(table->rules.qsbr, DEFERS);
    if (!error)
        error = macs_rules_add(&table->rules, match, value, &rule);
    if (error)
        return error;
    error = take_block(table, &block);
    if (error) {
        macs_rules_cancel(&table->rules, rule);
        return error;
    }
    memcpy(macs_values_inline(&table->rules.values, rule->slot), &rule->sequence, sizeof rule->sequence);
    publish(table, rule, block);
    if (index)
        *index = macs_rules_index(&table->rules, rule);
    return 0;
}

static int bits_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, DEFERS);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    group_t *group = group_of(table, rule->next);
    uint32_t lane = 0;
    while (atomic_load_explicit(&group->slots[lane], memory_order_relaxed) != old)
        lane++;
    atomic_store_explicit(&group->slots[lane], rule->slot, memory_order_release);
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int bits_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    group_t *block = NULL;
    int error = macs_rules_find(&table->rules, match, &rule);
    if (!error)
        error = macs_qsbr_reserve(table->rules.qsbr, DEFERS);
    if (!error)
        error = take_block(table, &block);
    if (error)
        return error;
    unpublish(table, rule, block);
    macs_rules_remove(&table->rules, rule);
    return 0;
}

static const struct macs_entry *bits_find(void *self, const struct macs_match *match) {
    return macs_rules_entry(&((table_t *)self)->rules, match);
}

static int bits_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                     void *arg) {
    return macs_rules_walk(&((table_t *)self)->rules, visit, arg);
}

static uint32_t bits_count(void *self) {
    return ((const table_t *)self)->rules.values.count;
}

static uint64_t bits_memory(void *self) {
    const table_t *table = self;
    return macs_rules_memory(&table->rules) + rows_bytes(table) + blocks_bytes(table) + sets_bytes(table);
}

const struct macs_kernel macs_ternary_bits_kernel = {
    .name = "ternary_bits",
    .create = bits_create,
    .destroy = bits_destroy,
    .add = bits_add,
    .modify = bits_modify,
    .remove = bits_remove,
    .find = bits_find,
    .walk = bits_walk,
    .count = bits_count,
    .memory_bytes = bits_memory,
};
