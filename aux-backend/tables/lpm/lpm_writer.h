/* Changes of an LPM table, the same for all of them.
 *
 * An entry is a rule (rules.h) with a result (results.h). Both are recorded, then the structure for lookups is changed.
 * If that fails, both are undone.
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_WRITER_H
#define MACS_TABLES_LPM_WRITER_H

#include "results.h"
#include "tables/common/rules.h"

/* The arrays or nodes of a table. All but prefetch() return 0 or -errno, and then nothing has changed. */
struct macs_lpm_writer_ops {
    /* Prefetch what a change of the current match of the rules will read. */
    void (*prefetch)(void *table, const struct macs_match *match);
    /* 0 if there is an entry with the current match, else -ENOENT. */
    int (*find)(void *table);
    /* Add a rule to what lookups find, change its result, remove it. Of the rule only prefix and result are read. */
    int (*set)(void *table, const struct macs_rule *rule);
    int (*renew)(void *table, const struct macs_rule *rule);
    int (*unset)(void *table, const struct macs_rule *rule);
};

struct macs_lpm_writer {
    const struct macs_lpm_writer_ops *ops;
    void *table;
    struct macs_rules *rules;
    struct macs_results *results;
};

/* As in struct macs_table_ops. `defers`: the most releases (macs/qsbr.h) that the change needs. */
int macs_lpm_writer_add(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match,
                        const void *value, uint32_t *index);
int macs_lpm_writer_modify(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match,
                           const void *value);
int macs_lpm_writer_remove(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match);

#endif
