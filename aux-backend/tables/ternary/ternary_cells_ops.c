/* Table operations of ternary match by cells; their layout and rules are in ternary_cells.h. */
#include "ternary_cells.h"

#include <errno.h>
#include <stdlib.h>

#include "ternary_cells_map.h"
#include "ternary_cells_plan.h"

enum {
    DEFERS = 5,   /* that one change makes at most: quads, map, few, mask, value */
    HASTE = 4,    /* the same where the plan stays, and rows have no place for an entry */
    PATIENCE = 16 /* entries that are added to a map before another one is made, beside a share of those in it */
};

typedef struct macs_ternary_cells table_t;
typedef struct macs_ternary_cells_made made_t;

/* -- one mask ---------------------------------------------------------------------------------------------------------
 */

static void release_mask(void *owner, void *mask) {
    (void)owner;
    macs_ternary_mask_free(mask);
}

static struct macs_ternary_mask *mask_of(const table_t *table) {
    return atomic_load_explicit(&table->mask, memory_order_relaxed);
}

/* Needs one reserved defer. */
static void publish_mask(table_t *table, struct macs_ternary_mask *mask) {
    struct macs_ternary_mask *old = mask_of(table);
    atomic_store_explicit(&table->mask, mask, memory_order_release);
    if (old)
        macs_qsbr_defer(table->rules.qsbr, release_mask, table, old);
}

/* Look up by the mask that all entries have, if there is one, and they are not few. Needs one reserved defer. */
static void renew_mask(table_t *table) {
    const bool many = table->rules.values.count > MACS_TERNARY_FEW;
    publish_mask(table, many ? macs_ternary_mask_make(&table->rules) : NULL);
}

/* A rule has been added. Where it has no place among those that are looked up by their mask, these begin anew if it is
 * only room that they lack; else the table has to be tidied before lookups are so again. Needs one reserved defer. */
static void put_in_mask(table_t *table, const struct macs_rule *rule) {
    struct macs_ternary_mask *mask = mask_of(table);
    if (!mask || macs_ternary_mask_put(mask, &table->rules, rule))
        return;
    if (macs_ternary_mask_is_full(mask))
        renew_mask(table);
    else
        publish_mask(table, NULL);
}

/* -- maps -------------------------------------------------------------------------------------------------------------
 */

/* A map for the table's rules, not yet published, by the same plan as the last one: 0 or -ENOMEM. */
static int make_again(const table_t *table, made_t **made) {
    *made = macs_ternary_cells_make(&table->rules, table->plan);
    if (!*made)
        return -ENOMEM;
    (*made)->entries = table->made->entries;
    (*made)->added = table->made->added;
    return 0;
}

/* The same by a new plan. */
static int make_anew(table_t *table, made_t **made) {
    struct macs_ternary_cells_plan *plan = malloc(sizeof *plan);
    if (!plan)
        return -ENOMEM;
    int error = macs_ternary_cells_choose(&table->rules, plan);
    if (!error) {
        *made = macs_ternary_cells_make(&table->rules, plan);
        error = *made ? 0 : -ENOMEM;
    }
    if (error) {
        free(plan);
        return error;
    }
    free(table->plan);
    table->plan = plan;
    return 0;
}

static void release_map(void *owner, void *made) {
    (void)owner;
    macs_ternary_cells_free(made);
}

static void publish_map(table_t *table, made_t *made) {
    made_t *old = table->made;
    made->has_readers = true;
    table->made = made;
    atomic_store_explicit(&table->map, &made->map, memory_order_release);
    if (old)
        macs_qsbr_defer(table->rules.qsbr, release_map, table, old);
}

/* Whether the plan no longer suits the entries. */
static bool is_worn(const made_t *made) {
    uint32_t entries = made->entries, patience = PATIENCE + entries / 8, size = made->rules->values.size;
    if (made->rules->values.count == size && entries < size) /* it grows no more: once for all that it has */
        return made->added > PATIENCE;
    return made->added + made->gone > PATIENCE + entries / 2 || (made->added > patience && made->strain > patience);
}

/* Whether the map is too new to be given up for one entry that has no place in its rows. */
static bool is_new(const made_t *made) {
    return made->put < HASTE + made->entries / 64;
}

/* Make sure that there are quads for a change: 0, or -EBUSY when readers hang. */
static int wait_for_quads(const table_t *table) {
    if (macs_ternary_cells_has_room(table->made))
        return 0;
    return macs_qsbr_flush(table->rules.qsbr);
}

/* Put a recorded rule where readers find it: 0, -ENOMEM, -EBUSY. */
static int publish(table_t *table, struct macs_rule *rule) {
    made_t *made = NULL;
    int error = wait_for_quads(table);
    if (error)
        return error;
    bool full = !macs_ternary_cells_has_room(table->made), worn = full || is_worn(table->made), put = false;
    macs_changes_count(&table->changes);
    if (!worn)
        put = macs_ternary_cells_put(table->made, rule, is_new(table->made));
    if (!put)
        error = worn ? make_anew(table, &made) : make_again(table, &made);
    if (error && full)
        return error;
    if (made)
        publish_map(table, made);
    else if (!put)
        macs_ternary_cells_put(table->made, rule, true);
    if (!made)
        macs_ternary_cells_defer_release(table);
    if (made && worn && !mask_of(table))
        renew_mask(table);
    else
        put_in_mask(table, rule);
    return 0;
}

/* -- few entries ------------------------------------------------------------------------------------------------------
 */

static void release_few(void *owner, void *few) {
    (void)owner;
    free(few);
}

static struct macs_ternary_few *few_of(const table_t *table) {
    return atomic_load_explicit(&table->few, memory_order_relaxed);
}

/* Put a rule among so many others, which stand in the order in which they win. */
static void insert(const struct macs_rule *sorted[], uint32_t count, const struct macs_rule *rule) {
    uint32_t at = count;
    for (; at > 0 && macs_rules_wins(rule->order, rule->sequence, sorted[at - 1]->order, sorted[at - 1]->sequence);
         at--)
        sorted[at] = sorted[at - 1];
    sorted[at] = rule;
}

/* The rules of a table with few entries, but for `gone`, in the order in which they win: how many. */
static uint32_t list_few(const table_t *table, const struct macs_rule *gone,
                         const struct macs_rule *sorted[MACS_TERNARY_FEW]) {
    const struct macs_rules *rules = &table->rules;
    uint32_t count = 0, left = rules->values.count;
    for (uint32_t index = 0; left; index++) {
        const struct macs_rule *rule = macs_rules_at(rules, index);
        left -= rule->sequence != 0;
        if (rule->sequence && rule != gone)
            insert(sorted, count++, rule);
    }
    return count;
}

/* What the last step of a change does, before a slot is given back: readers see the rules as they are, but for `gone`.
 * Needs one reserved defer. */
static void renew_few(table_t *table, const struct macs_rule *gone) {
    struct macs_ternary_few *old = few_of(table), *few = NULL;
    if (table->rules.values.count - (gone != NULL) <= MACS_TERNARY_FEW) {
        const struct macs_rule *sorted[MACS_TERNARY_FEW];
        uint32_t count = list_few(table, gone, sorted);
        few = macs_ternary_few_make(&table->rules, sorted, count);
    }
    atomic_store_explicit(&table->few, few, memory_order_release);
    if (old)
        macs_qsbr_defer(table->rules.qsbr, release_few, table, old);
}

/* -- table operations -------------------------------------------------------------------------------------------------
 */

static void cells_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->rules.qsbr, table);
    macs_ternary_cells_free(table->made);
    macs_ternary_mask_free(mask_of(table));
    free(table->plan);
    free(few_of(table));
    macs_rules_destroy(&table->rules);
    free(table);
}

static bool has_ranges(const struct macs_table_shape *shape) {
    bool ranges = false;
    for (uint32_t i = 0; shape->fields && i < shape->field_count; i++)
        ranges |= shape->fields[i].kind == MACS_RANGE;
    return ranges;
}

static int cells_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (shape->key_bytes > MACS_TERNARY_CELLS_KEY_MAX)
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    unsigned allowed = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_RANGE | 1 << MACS_OPTIONAL;
    uint32_t inline_bytes = (uint32_t)sizeof(uint64_t) + (has_ranges(shape) ? 2 * shape->key_bytes : 0);
    made_t *made = NULL;
    int error = macs_rules_create(&table->rules, shape, allowed, MACS_TERNARY, inline_bytes, qsbr);
    if (error) {
        free(table);
        return error;
    }
    error = make_anew(table, &made);
    if (error) {
        cells_destroy(table);
        return error;
    }
    publish_map(table, made);
    renew_few(table, NULL);
    *self = table;
    return 0;
}

/* What readers want to know of an entry beside its value. */
static void write_behind(const struct macs_rules *rules, const struct macs_rule *rule) {
    uint8_t *behind = macs_values_inline(&rules->values, rule->slot);
    memcpy(behind, &rule->sequence, sizeof rule->sequence);
    if (rules->ranges) {
        memcpy(behind + sizeof rule->sequence, rule->bytes, rules->key_bytes);
        memcpy(behind + sizeof rule->sequence + rules->key_bytes, macs_rules_high(rules, rule), rules->key_bytes);
    }
}

static int cells_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_qsbr_reserve(table->rules.qsbr, DEFERS);
    if (!error)
        error = macs_rules_add(&table->rules, match, value, &rule);
    if (error)
        return error;
    write_behind(&table->rules, rule);
    error = publish(table, rule);
    if (error) {
        macs_rules_cancel(&table->rules, rule);
        return error;
    }
    renew_few(table, NULL);
    if (index)
        *index = macs_rules_index(&table->rules, rule);
    return 0;
}

static int cells_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    int error = macs_rules_find_to_change(&table->rules, match, DEFERS, &rule);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    macs_ternary_cells_move(table->made, rule, old);
    if (mask_of(table) && !macs_ternary_mask_move(mask_of(table), &table->rules, rule, old))
        publish_mask(table, NULL);
    renew_few(table, NULL);
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int cells_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    int error = macs_rules_find_to_change(&table->rules, match, DEFERS, &rule);
    if (!error)
        error = wait_for_quads(table);
    if (error)
        return error;
    macs_changes_count(&table->changes);
    macs_ternary_cells_remove(table->made, rule);
    macs_ternary_cells_defer_release(table);
    if (mask_of(table) && !macs_ternary_mask_remove(mask_of(table), &table->rules, rule))
        publish_mask(table, NULL);
    renew_few(table, rule);
    macs_rules_remove(&table->rules, rule);
    return 0;
}

/* Entries that came later are not in the order of the others, nor where a plan would have them: a new map, unless
 * lookups do not look there. */
static int cells_tidy(void *self) {
    table_t *table = self;
    made_t *made = NULL;
    if (few_of(table))
        return 0;
    int error = macs_qsbr_reserve(table->rules.qsbr, 2);
    if (error)
        return error;
    if (!mask_of(table))
        renew_mask(table);
    if (mask_of(table) || table->made->put + table->made->gone == 0)
        return 0;
    error = make_anew(table, &made);
    if (!error)
        publish_map(table, made);
    return error;
}

static uint64_t cells_memory(void *self) {
    const table_t *table = self;
    uint64_t few = few_of(table) ? macs_ternary_few_bytes(few_of(table)) : 0;
    uint64_t mask = mask_of(table) ? macs_ternary_mask_bytes(mask_of(table)) : 0;
    return macs_rules_memory(&table->rules) + macs_ternary_cells_bytes(table->made) + sizeof *table->plan + few + mask;
}

static const char *cells_way(void *self) {
    const table_t *table = self;
    if (few_of(table))
        return "few entries";
    return mask_of(table) ? "one mask" : NULL;
}

const struct macs_table_ops macs_ternary_cells_ops = {
    .name = "ternary_cells",
    .create = cells_create,
    .destroy = cells_destroy,
    .add = cells_add,
    .modify = cells_modify,
    .remove = cells_remove,
    .find = macs_rules_ops_find,
    .walk = macs_rules_ops_walk,
    .count = macs_rules_ops_count,
    .indices = macs_rules_ops_indices,
    .memory_bytes = cells_memory,
    .tidy = cells_tidy,
    .way = cells_way,
};
