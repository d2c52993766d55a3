/* Making what readers see of a table with few entries: ternary_few.h. */
#include "ternary_few.h"

#include <stdlib.h>

enum { LANES = MACS_SCAN_LANES, KEY_MAX = MACS_TERNARY_FEW_WORDS * 8 };

/* Where the words begin that are needed to compare all bytes with a mask, into `at`: how many. */
static uint32_t choose_words(const struct macs_rules *rules, const struct macs_rule *const sorted[], uint32_t count,
                             uint8_t at[MACS_TERNARY_FEW_WORDS]) {
    const uint32_t key_bytes = rules->key_bytes, last = key_bytes < 8 ? 0 : key_bytes - 8;
    uint8_t masks[KEY_MAX] = {0}, value[KEY_MAX], mask[KEY_MAX];
    uint32_t words = 0;
    for (uint32_t i = 0; i < count; i++) {
        macs_rules_comparable(rules, sorted[i], value, mask);
        for (uint32_t byte = 0; byte < key_bytes; byte++)
            masks[byte] |= mask[byte];
    }
    for (uint32_t byte = 0; byte < key_bytes; byte++) {
        if (!masks[byte])
            continue;
        at[words] = (uint8_t)(byte < last ? byte : last);
        byte = at[words++] + 7u;
    }
    if (words == 0)
        at[words++] = 0;
    return words;
}

static void fill_lane(struct macs_ternary_few *few, const struct macs_rules *rules, uint32_t number,
                      const struct macs_rule *rule) {
    uint8_t value[KEY_MAX], mask[KEY_MAX];
    macs_rules_comparable(rules, rule, value, mask);
    few->entries[number] = macs_values_at(&rules->values, rule->slot);
    for (uint32_t word = 0; word < few->words; word++) {
        uint64_t *line = few->lines + (size_t)(word * few->quads + number / LANES) * MACS_SCAN_WORDS;
        line[number % LANES] = macs_rules_key_word(value + few->at[word], rules->key_bytes);
        line[LANES + number % LANES] = macs_rules_key_word(mask + few->at[word], rules->key_bytes);
    }
}

struct macs_ternary_few *macs_ternary_few_make(const struct macs_rules *rules, const struct macs_rule *const sorted[],
                                               uint32_t count) {
    uint8_t at[MACS_TERNARY_FEW_WORDS];
    const uint32_t words = choose_words(rules, sorted, count, at),
                   quads = count <= LANES ? 1 : (count + LANES - 1) / LANES;
    const size_t bytes = sizeof(struct macs_ternary_few) + (size_t)words * quads * MACS_SCAN_WORDS * sizeof(uint64_t);
    struct macs_ternary_few *few = aligned_alloc(64, bytes);
    if (!few)
        return NULL;
    memset(few, 0, bytes);
    few->words = words;
    few->quads = quads;
    memcpy(few->at, at, words);
    for (uint32_t quad = 0; quad < quads; quad++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            few->lines[(size_t)quad * MACS_SCAN_WORDS + lane] = 1; /* a bit that its mask lacks */
    for (uint32_t i = 0; i < count; i++)
        fill_lane(few, rules, i, sorted[i]);
    return few;
}

uint64_t macs_ternary_few_bytes(const struct macs_ternary_few *few) {
    return sizeof *few + (uint64_t)few->words * few->quads * MACS_SCAN_WORDS * sizeof few->lines[0];
}
