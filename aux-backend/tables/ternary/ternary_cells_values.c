/* The values of a key byte that can match an entry, from its mask or range; see ternary_cells_values.h. */
#include "ternary_cells_values.h"

typedef struct macs_ternary_cells_values values_t;

static values_t masked_values(uint8_t value, uint8_t mask) {
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

static values_t values_between(uint8_t low, uint8_t high) {
    values_t values = {{0}};
    for (uint32_t value = low; value <= high; value++)
        values.has[value / 64] |= UINT64_C(1) << value % 64;
    return values;
}

/* Of a range, the first byte in which its ends differ is one between them, and those behind it are any. */
values_t macs_ternary_cells_values(const struct macs_rules *rules, const struct macs_rule *rule, uint32_t at) {
    const uint8_t *high = macs_rules_high(rules, rule);
    const struct macs_key_field *range = macs_rules_range_of(rules, at);
    if (!range)
        return masked_values(rule->bytes[at], macs_rules_mask(rules, rule)[at]);
    for (uint32_t before = range->offset; before < at; before++)
        if (rule->bytes[before] != high[before])
            return masked_values(0, 0);
    return values_between(rule->bytes[at], high[at]);
}
