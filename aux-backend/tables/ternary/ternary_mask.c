/* Making and changing what readers see of a table whose entries have one mask: ternary_mask.h. */
#include "ternary_mask.h"

#include <stdlib.h>

#include "tables/common/memory.h"

enum {
    KEY_MAX = MACS_TERNARY_MASK_WORDS * 8,
    LINE = 64,
    ROOM = 8,    /* places for each entry, when they are made */
    FIRST = 64,  /* places at least */
    REACH = 4096 /* places behind a home at most */
};

typedef struct macs_ternary_mask mask_t;
typedef struct macs_ternary_mask_place place_t;

/* -- the mask ---------------------------------------------------------------------------------------------------------
 */

/* Value and mask of a rule: false where it has a range that is none. */
static bool canonical(const struct macs_rules *rules, const struct macs_rule *rule, uint8_t *value, uint8_t *mask) {
    macs_rules_comparable(rules, rule, value, mask);
    const uint8_t *high = macs_rules_high(rules, rule);
    for (uint32_t at = 0; rules->ranges && at < rules->key_bytes; at++)
        if (macs_rules_range_of(rules, at) && ((rule->bytes[at] & ~mask[at]) || (high[at] | mask[at]) != 0xff))
            return false;
    return true;
}

/* The mask that all rules have: false where they differ, or there are none. */
static bool common_mask(const struct macs_rules *rules, uint8_t *common) {
    uint8_t value[KEY_MAX], mask[KEY_MAX];
    bool any = false;
    for (uint32_t index = 0; index < rules->values.indices.top; index++) {
        const struct macs_rule *rule = macs_rules_at(rules, index);
        if (!rule->sequence)
            continue;
        if (!canonical(rules, rule, value, mask) || (any && memcmp(common, mask, rules->key_bytes)))
            return false;
        memcpy(common, mask, rules->key_bytes);
        any = true;
    }
    return any;
}

/* Which words of the key have a bit of the mask. */
static void choose_words(mask_t *mask, const uint8_t *common, uint32_t key_bytes) {
    const uint32_t last = key_bytes < 8 ? 0 : key_bytes - 8;
    for (uint32_t byte = 0; byte < key_bytes; byte++) {
        if (!common[byte])
            continue;
        mask->at[mask->words] = (uint8_t)(byte < last ? byte : last);
        byte = mask->at[mask->words++] + 7u;
    }
    if (mask->words == 0)
        mask->at[mask->words++] = 0;
    for (uint32_t word = 0; word < mask->words; word++)
        mask->masks[word] = macs_rules_key_word(common + mask->at[word], key_bytes);
}

/* -- places -----------------------------------------------------------------------------------------------------------
 */

/* What a rule matches, if it has this mask: whether it has. */
static bool is_of(const mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule, uint8_t *value) {
    uint8_t own[KEY_MAX];
    if (!canonical(rules, rule, value, own))
        return false;
    uint64_t differ = 0;
    for (uint32_t word = 0; word < mask->words; word++)
        differ |= mask->masks[word] ^ macs_rules_key_word(own + mask->at[word], rules->key_bytes);
    for (uint32_t word = 0; word < mask->words; word++)
        memset(own + mask->at[word], 0, rules->key_bytes < 8 ? rules->key_bytes : 8);
    for (uint32_t at = 0; at < rules->key_bytes; at++)
        differ |= own[at];
    return !differ;
}

static uint32_t home_of(const mask_t *mask, const struct macs_rules *rules, const uint8_t *value) {
    return macs_ternary_mask_home(mask, value, rules->key_bytes, mask->words);
}

static uint32_t slot_at(const place_t *place) {
    return atomic_load_explicit(&place->slot, memory_order_relaxed);
}

/* The place with an entry of that key, or NULL. */
static place_t *find(const mask_t *mask, const struct macs_rules *rules, const uint8_t *value) {
    const uint32_t home = home_of(mask, rules, value);
    const uint32_t reach = atomic_load_explicit(&macs_ternary_mask_at(mask, home)->reach, memory_order_relaxed);
    for (uint32_t far = 0; far <= reach; far++) {
        place_t *place = macs_ternary_mask_at(mask, (home + far) & (mask->places - 1));
        if (macs_ternary_mask_look(mask, place, value, rules->key_bytes, mask->words) >= MACS_TERNARY_MASK_TAKEN)
            return place;
    }
    return NULL;
}

/* The place of a rule, or NULL. */
static place_t *place_of(const mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule) {
    uint8_t value[KEY_MAX];
    return is_of(mask, rules, rule, value) ? find(mask, rules, value) : NULL;
}

/* Into the first free place: whether there is one near enough. */
static bool fill(mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule, const uint8_t *value) {
    const uint32_t at = home_of(mask, rules, value);
    place_t *home = macs_ternary_mask_at(mask, at), *place = home;
    uint32_t far = 0;
    while (far <= REACH && slot_at(place))
        place = macs_ternary_mask_at(mask, (at + ++far) & (mask->places - 1));
    if (far > REACH || macs_ternary_mask_is_full(mask))
        return false;
    mask->used++;
    for (uint32_t word = 0; word < mask->words; word++)
        atomic_store_explicit(&place->words[word],
                              macs_rules_key_word(value + mask->at[word], rules->key_bytes) & mask->masks[word],
                              memory_order_relaxed);
    atomic_store_explicit(&place->slot, rule->slot + MACS_TERNARY_MASK_TAKEN, memory_order_release);
    if (far > atomic_load_explicit(&home->reach, memory_order_relaxed))
        atomic_store_explicit(&home->reach, far, memory_order_release);
    return true;
}

bool macs_ternary_mask_put(mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule) {
    uint8_t value[KEY_MAX];
    return is_of(mask, rules, rule, value) && !find(mask, rules, value) && fill(mask, rules, rule, value);
}

bool macs_ternary_mask_move(mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule, uint32_t old) {
    place_t *place = place_of(mask, rules, rule);
    if (!place || slot_at(place) != old + MACS_TERNARY_MASK_TAKEN)
        return mask->shadowed;
    atomic_store_explicit(&place->slot, rule->slot + MACS_TERNARY_MASK_TAKEN, memory_order_release);
    return true;
}

bool macs_ternary_mask_remove(mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule) {
    place_t *place = place_of(mask, rules, rule);
    if (mask->shadowed || !place)
        return false;
    atomic_store_explicit(&place->slot, 1, memory_order_release);
    return true;
}

/* Put a rule while nobody looks; of two with the same key the better one. */
static bool put_first(mask_t *mask, const struct macs_rules *rules, const struct macs_rule *rule) {
    uint8_t value[KEY_MAX];
    if (!is_of(mask, rules, rule, value))
        return false;
    place_t *place = find(mask, rules, value);
    if (!place)
        return fill(mask, rules, rule, value);
    const struct macs_rule *other = macs_rules_of(rules, slot_at(place) - MACS_TERNARY_MASK_TAKEN);
    mask->shadowed = true;
    if (macs_rules_wins(rule->order, rule->sequence, other->order, other->sequence))
        atomic_store_explicit(&place->slot, rule->slot + MACS_TERNARY_MASK_TAKEN, memory_order_relaxed);
    return true;
}

/* -- all of it --------------------------------------------------------------------------------------------------------
 */

static size_t places_bytes(const mask_t *mask) {
    return (size_t)mask->places * mask->stride;
}

/* Bytes from place to place: a power of two up to a line, so that none straddles one, then lines. */
static uint32_t stride_of(uint32_t words) {
    const uint32_t need = (uint32_t)sizeof(place_t) + words * 8;
    uint32_t stride = LINE / 4;
    while (stride < need)
        stride += stride < LINE ? stride : LINE;
    return stride;
}

static bool put_all(mask_t *mask, const struct macs_rules *rules) {
    for (uint32_t index = 0; index < rules->values.indices.top; index++) {
        const struct macs_rule *rule = macs_rules_at(rules, index);
        if (rule->sequence && !put_first(mask, rules, rule))
            return false;
    }
    return true;
}

mask_t *macs_ternary_mask_make(const struct macs_rules *rules) {
    uint8_t common[KEY_MAX];
    if (rules->key_bytes > KEY_MAX || !common_mask(rules, common))
        return NULL;
    mask_t *mask = calloc(1, sizeof *mask);
    if (!mask)
        return NULL;
    mask->seed = macs_hash_seed();
    mask->places = FIRST;
    while (mask->places < ROOM * (uint64_t)rules->values.count)
        mask->places *= 2;
    choose_words(mask, common, rules->key_bytes);
    mask->stride = stride_of(mask->words);
    mask->base = macs_memory_alloc(places_bytes(mask), false);
    if (mask->base && put_all(mask, rules))
        return mask;
    macs_ternary_mask_free(mask);
    return NULL;
}

void macs_ternary_mask_free(mask_t *mask) {
    if (!mask)
        return;
    macs_memory_free(mask->base, places_bytes(mask));
    free(mask);
}

uint64_t macs_ternary_mask_bytes(const mask_t *mask) {
    return sizeof *mask + places_bytes(mask);
}
