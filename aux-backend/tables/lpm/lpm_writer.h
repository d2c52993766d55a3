/* What the writers of LPM tables have in common: how an entry comes, changes and goes.
 *
 * An entry is a rule (rules.h) with a result (results.h). Both are booked, then what lookups read is changed; where
 * that fails everything is as it was. Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_WRITER_H
#define MACS_TABLES_LPM_WRITER_H

#include "results.h"
#include "tables/common/rules.h"

/* The arrays or nodes of a table. All but prefetch() return 0 or -errno, and then nothing has changed. */
struct macs_lpm_writer_ops {
    /* Fetch what the change of that match, which is rules->wanted, will look at. */
    void (*prefetch)(void *table, const struct macs_match *match);
    /* 0: there is an entry of the match in hand, rules->wanted; else -ENOENT. */
    int (*find)(void *table);
    /* Lookups find a new rule, find a rule with another result, find it no more. Of a rule they look at prefix and
     * result only. */
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

/* As of struct macs_table_ops; `defers`: releases (macs/qsbr.h) that the change takes at most. */
int macs_lpm_writer_add(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match,
                        const void *value, uint32_t *index);
int macs_lpm_writer_modify(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match,
                           const void *value);
int macs_lpm_writer_remove(const struct macs_lpm_writer *writer, uint32_t defers, const struct macs_match *match);

#endif
