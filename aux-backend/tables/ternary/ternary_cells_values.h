/* For each byte of the key, the values with which it can match an entry. ternary_cells.h finds an entry's cells by
 * them.
 *
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_VALUES_H
#define MACS_TABLES_TERNARY_CELLS_VALUES_H

#include "tables/common/rules.h"

struct macs_ternary_cells_values {
    uint64_t has[4];
};

/* Those of byte `at`. */
struct macs_ternary_cells_values macs_ternary_cells_values(const struct macs_rules *rules, const struct macs_rule *rule,
                                                           uint32_t at);

static inline bool macs_ternary_cells_has(const struct macs_ternary_cells_values *values, uint32_t value) {
    return values->has[value / 64] >> value % 64 & 1;
}

static inline bool macs_ternary_cells_any(const struct macs_ternary_cells_values *values) {
    return (values->has[0] & values->has[1] & values->has[2] & values->has[3]) == UINT64_MAX;
}

/* For each of `values`, with that name. */
#define MACS_TERNARY_CELLS_EACH(VALUE, VALUES)                                                                         \
    for (uint32_t VALUE = 0; VALUE < 256; VALUE++)                                                                     \
        if (macs_ternary_cells_has(VALUES, VALUE))

#endif
