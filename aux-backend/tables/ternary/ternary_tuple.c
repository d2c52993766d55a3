/* Table operations of tuple space search; its layout and rules are in ternary_tuple.h. */
#include "ternary_tuple.h"

#include <errno.h>
#include <stdlib.h>

#include "tables/common/memory.h"

#define REMOVED (UINT64_C(1) << 32)

enum {
    FIRST_PLACES = 8,
    DEFERS = 4,     /* that one change makes at most: list, tuple, table, value */
    SCAN_SMALL = 64 /* entries of a tuple whose highest order is looked for at once when it may have fallen */
};

typedef struct macs_ternary_tuple table_t;
typedef struct macs_ternary_tuple_table words_t;
typedef struct macs_ternary_tuple_space space_t;
typedef struct macs_ternary_tuple_list list_t;

/* -- the hash table of a tuple ----------------------------------------------------------------------------------------
 */

static size_t words_bytes(uint32_t places) {
    return sizeof(words_t) + (size_t)places * sizeof(uint64_t);
}

static words_t *words_make(uint32_t places) {
    words_t *words = macs_memory_alloc(words_bytes(places), false);
    if (words)
        words->places = places;
    return words;
}

static void words_free(words_t *words) {
    if (words)
        macs_memory_free(words, words_bytes(words->places));
}

static void release_words(void *owner, void *words) {
    (void)owner;
    words_free(words);
}

static words_t *words_of(const space_t *space) {
    return atomic_load_explicit(&space->table, memory_order_relaxed);
}

/* Put a slot that is not there into a free or removed word. True if the word was free. */
static bool words_put(const table_t *table, words_t *words, uint32_t slot) {
    const struct macs_ternary_tuple_match *match = (const void *)macs_values_inline(&table->rules.values, slot);
    uint64_t hash = macs_hash_bytes(match->key, table->rules.key_bytes, table->seed);
    uint32_t at = (uint32_t)hash & (words->places - 1);
    while ((uint32_t)atomic_load_explicit(&words->words[at], memory_order_relaxed) != 0)
        at = (at + 1) & (words->places - 1);
    bool was_free = atomic_load_explicit(&words->words[at], memory_order_relaxed) == 0;
    uint64_t tag = hash >> 32;
    atomic_store_explicit(&words->words[at], tag << 32 | (slot + 1), memory_order_release);
    return was_free;
}

/* Make sure that one more word is free, and one beyond it: 0 or -ENOMEM. Needs one reserved defer. */
static int make_room(table_t *table, space_t *space) {
    words_t *old = words_of(space);
    if ((space->filled + 1) * UINT64_C(4) <= old->places * UINT64_C(3))
        return 0;
    uint32_t places = FIRST_PLACES;
    while (places < 2 * ((uint64_t)space->live + 1))
        places *= 2;
    words_t *words = words_make(places);
    if (!words)
        return -ENOMEM;
    for (uint32_t at = 0; at < old->places; at++) {
        uint32_t slot = (uint32_t)atomic_load_explicit(&old->words[at], memory_order_relaxed);
        if (slot)
            words_put(table, words, slot - 1);
    }
    space->filled = space->live;
    atomic_store_explicit(&space->table, words, memory_order_release);
    macs_qsbr_defer(table->rules.qsbr, release_words, table, old);
    return 0;
}

/* The word in which a rule's masked key stands, or NULL. */
static _Atomic uint64_t *find_word(const table_t *table, const space_t *space, const struct macs_rule *rule,
                                   uint64_t *word) {
    return macs_ternary_tuple_probe(table, words_of(space), rule->bytes, table->rules.key_bytes, word);
}

/* Empty a word. If the word after it is free, no probe needs to pass it, and it becomes free too. */
static void clear_word(space_t *space, _Atomic uint64_t *word) {
    words_t *words = words_of(space);
    uint32_t next = ((uint32_t)(word - words->words) + 1) & (words->places - 1);
    bool end = atomic_load_explicit(&words->words[next], memory_order_relaxed) == 0;
    atomic_store_explicit(word, end ? 0 : REMOVED, memory_order_release);
    space->filled -= end;
    space->live--;
}

static uint64_t highest_order(const table_t *table, const space_t *space) {
    const words_t *words = words_of(space);
    uint64_t highest = 0;
    for (uint32_t at = 0; at < words->places; at++) {
        uint32_t slot = (uint32_t)atomic_load_explicit(&words->words[at], memory_order_relaxed);
        if (slot && macs_rules_of(&table->rules, slot - 1)->order > highest)
            highest = macs_rules_of(&table->rules, slot - 1)->order;
    }
    return highest;
}

/* -- tuples and their list --------------------------------------------------------------------------------------------
 */

static void space_free(space_t *space) {
    words_free(words_of(space));
    free(space);
}

static void release_space(void *owner, void *space) {
    (void)owner;
    space_free(space);
}

static void release_list(void *owner, void *list) {
    (void)owner;
    free(list);
}

static space_t *space_make(const table_t *table, const uint8_t *mask) {
    space_t *space = calloc(1, sizeof *space + table->rules.key_bytes);
    words_t *words = words_make(FIRST_PLACES);
    if (!space || !words) {
        words_free(words);
        free(space);
        return NULL;
    }
    atomic_init(&space->table, words);
    memcpy(space->mask, mask, table->rules.key_bytes);
    return space;
}

static list_t *list_of(const table_t *table) {
    return atomic_load_explicit(&table->list, memory_order_relaxed);
}

static struct macs_ternary_tuple_item *find_item(const table_t *table, const struct macs_rule *rule) {
    list_t *list = list_of(table);
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(list->items[i].space->mask, macs_rules_mask(&table->rules, rule), table->rules.key_bytes) == 0)
            return &list->items[i];
    return NULL;
}

/* Replace the list by one in which `space` stands with that order, or not at all: 0 or -ENOMEM. Needs a defer. */
static int relist(table_t *table, space_t *space, uint64_t order, bool keep) {
    list_t *old = list_of(table);
    list_t *list = malloc(sizeof *list + ((size_t)old->count + 1) * sizeof *list->items);
    if (!list)
        return -ENOMEM;
    list->count = 0;
    bool placed = !keep;
    for (uint32_t i = 0; i < old->count; i++) {
        if (!placed && old->items[i].order < order) {
            list->items[list->count++] = (struct macs_ternary_tuple_item){order, space};
            placed = true;
        }
        if (old->items[i].space != space)
            list->items[list->count++] = old->items[i];
    }
    if (!placed)
        list->items[list->count++] = (struct macs_ternary_tuple_item){order, space};
    atomic_store_explicit(&table->list, list, memory_order_release);
    macs_qsbr_defer(table->rules.qsbr, release_list, table, old);
    return 0;
}

/* After a removal: drop a tuple that is empty, or lower its order where the highest entry may have gone. Without memory
 * it stays as it is, which is right, only slower. */
static void tidy(table_t *table, const struct macs_ternary_tuple_item *item, uint64_t removed_order) {
    space_t *space = item->space;
    if (space->live == 0) {
        if (relist(table, space, 0, false) == 0)
            macs_qsbr_defer(table->rules.qsbr, release_space, table, space);
        return;
    }
    space->removals++;
    if (removed_order < item->order || (space->live > SCAN_SMALL && space->removals < space->live))
        return;
    space->removals = 0;
    uint64_t order = highest_order(table, space);
    if (order < item->order)
        (void)relist(table, space, order, true);
}

/* -- table operations -------------------------------------------------------------------------------------------------
 */

static void tuple_destroy(void *self) {
    table_t *table = self;
    list_t *list = list_of(table);
    macs_qsbr_drop(table->rules.qsbr, table);
    for (uint32_t i = 0; list && i < list->count; i++)
        space_free(list->items[i].space);
    free(list);
    macs_rules_destroy(&table->rules);
    free(table);
}

static int tuple_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (shape->key_bytes > MACS_TERNARY_TUPLE_KEY_MAX)
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    unsigned allowed = 1 << MACS_EXACT | 1 << MACS_LPM | 1 << MACS_TERNARY | 1 << MACS_OPTIONAL;
    uint32_t inline_bytes = (uint32_t)sizeof(struct macs_ternary_tuple_match) + shape->key_bytes;
    int error = macs_rules_create(&table->rules, shape, allowed, MACS_TERNARY, inline_bytes, qsbr);
    if (error) {
        free(table);
        return error;
    }
    atomic_init(&table->list, calloc(1, sizeof(list_t)));
    table->seed = macs_hash_seed();
    if (!list_of(table)) {
        tuple_destroy(table);
        return -ENOMEM;
    }
    *self = table;
    return 0;
}

/* Chain a rule behind `head`, which has the same mask and key and wins over it. */
static void chain(struct macs_rules *rules, struct macs_rule *head, struct macs_rule *rule) {
    while (head->next != MACS_RULES_NONE && macs_rules_at(rules, head->next)->order > rule->order)
        head = macs_rules_at(rules, head->next);
    rule->next = head->next;
    head->next = macs_rules_index(rules, rule);
}

/* Put a recorded rule where readers find it, in a tuple with room for it. */
static void publish(table_t *table, space_t *space, struct macs_rule *rule) {
    uint64_t word;
    _Atomic uint64_t *place = find_word(table, space, rule, &word);
    macs_changes_count(&table->changes);
    if (!place) {
        space->live++;
        space->filled += words_put(table, words_of(space), rule->slot);
        return;
    }
    struct macs_rule *head = macs_rules_of(&table->rules, (uint32_t)word - 1);
    if (head->order > rule->order) {
        chain(&table->rules, head, rule);
        return;
    }
    rule->next = macs_rules_index(&table->rules, head);
    atomic_store_explicit(place, (word & ~(uint64_t)UINT32_MAX) | (rule->slot + 1), memory_order_release);
}

/* The tuple of a rule, in the list with an order that is high enough, with room for one more: 0 or -ENOMEM. */
static int prepare(table_t *table, const struct macs_rule *rule, space_t **space) {
    const struct macs_ternary_tuple_item *item = find_item(table, rule);
    *space = item ? item->space : space_make(table, macs_rules_mask(&table->rules, rule));
    if (!*space)
        return -ENOMEM;
    int error = make_room(table, *space);
    if (!error && (!item || item->order < rule->order))
        error = relist(table, *space, rule->order, true);
    if (error && !item)
        space_free(*space);
    return error;
}

static int tuple_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    space_t *space = NULL;
    int error = macs_qsbr_reserve(table->rules.qsbr, DEFERS);
    if (!error)
        error = macs_rules_add(&table->rules, match, value, &rule);
    if (error)
        return error;
    struct macs_ternary_tuple_match *stored = (void *)macs_values_inline(&table->rules.values, rule->slot);
    stored->order = rule->order;
    stored->sequence = rule->sequence;
    memcpy(stored->key, rule->bytes, table->rules.key_bytes);
    error = prepare(table, rule, &space);
    if (error) {
        macs_rules_cancel(&table->rules, rule);
        return error;
    }
    publish(table, space, rule);
    if (index)
        *index = macs_rules_index(&table->rules, rule);
    return 0;
}

static int tuple_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    struct macs_rule *rule = NULL;
    uint32_t old = 0;
    uint64_t word;
    int error = macs_rules_find_to_change(&table->rules, match, DEFERS, &rule);
    if (!error)
        error = macs_rules_modify(&table->rules, rule, value, &old);
    if (error)
        return error;
    _Atomic uint64_t *place = find_word(table, find_item(table, rule)->space, rule, &word);
    if ((uint32_t)word - 1 == old)
        atomic_store_explicit(place, (word & ~(uint64_t)UINT32_MAX) | (rule->slot + 1), memory_order_release);
    macs_values_retire(&table->rules.values, old);
    return 0;
}

static int tuple_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    struct macs_rules *rules = &table->rules;
    struct macs_rule *rule = NULL;
    uint64_t word;
    int error = macs_rules_find_to_change(rules, match, DEFERS, &rule);
    if (error)
        return error;
    const struct macs_ternary_tuple_item *item = find_item(table, rule);
    _Atomic uint64_t *place = find_word(table, item->space, rule, &word);
    struct macs_rule *head = macs_rules_of(rules, (uint32_t)word - 1);
    macs_changes_count(&table->changes);
    if (head != rule) {
        while (macs_rules_at(rules, head->next) != rule)
            head = macs_rules_at(rules, head->next);
        head->next = rule->next;
    } else if (rule->next != MACS_RULES_NONE) {
        uint32_t slot = macs_rules_at(rules, rule->next)->slot;
        atomic_store_explicit(place, (word & ~(uint64_t)UINT32_MAX) | (slot + 1), memory_order_release);
    } else {
        clear_word(item->space, place);
    }
    if (head == rule)
        tidy(table, item, rule->order);
    macs_rules_remove(rules, rule);
    return 0;
}

static uint64_t tuple_memory(void *self) {
    const table_t *table = self;
    const list_t *list = list_of(table);
    uint64_t bytes = macs_rules_memory(&table->rules);
    for (uint32_t i = 0; i < list->count; i++)
        bytes += sizeof(space_t) + table->rules.key_bytes + words_bytes(words_of(list->items[i].space)->places);
    return bytes;
}

const struct macs_table_ops macs_ternary_tuple_ops = {
    .name = "ternary_tuple",
    .create = tuple_create,
    .destroy = tuple_destroy,
    .add = tuple_add,
    .modify = tuple_modify,
    .remove = tuple_remove,
    .find = macs_rules_ops_find,
    .walk = macs_rules_ops_walk,
    .count = macs_rules_ops_count,
    .indices = macs_rules_ops_indices,
    .memory_bytes = tuple_memory,
};
