/* Changes of the arrays of lpm_dir24: a rule (rules.h) is added to what lookups find, or removed from it.
 *
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_DIR24_CHANGE_H
#define MACS_TABLES_LPM_DIR24_CHANGE_H

#include "lpm_dir24.h"

/* Prefetch what a change of a prefix will read. */
void macs_lpm_dir24_prefetch(const struct macs_lpm_dir24 *table, const struct macs_match *match);

/* The next four read a rule's prefix and result only: it need not be recorded. */

/* Whether there is a rule of that prefix. */
bool macs_lpm_dir24_has(const struct macs_lpm_dir24 *table, const struct macs_rule *rule);

/* A new rule; one beyond the base opens a group if need be. Needs one reserved defer. 0, or -EBUSY, -ENOMEM for want of
 * a group: then nothing has changed. */
int macs_lpm_dir24_set(struct macs_lpm_dir24 *table, const struct macs_rule *rule);

/* The rule has another result. Needs one reserved defer. */
void macs_lpm_dir24_renew(struct macs_lpm_dir24 *table, const struct macs_rule *rule);

/* The rule goes. Needs three reserved defers. 0, or -EBUSY where readers hang: then nothing has changed. */
int macs_lpm_dir24_unset(struct macs_lpm_dir24 *table, const struct macs_rule *rule);

#endif
