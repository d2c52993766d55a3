/* Changes of the path-compressed trie: a rule (rules.h) is added to what lookups find, or removed from it.
 *
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_TRIE_CHANGE_H
#define MACS_TABLES_LPM_TRIE_CHANGE_H

#include "lpm_trie.h"

/* One node on the way to a rule's node; the table's `path` has room for one for each key byte, and one more. */
struct macs_lpm_trie_hop {
    _Atomic uint32_t *link; /* where the node's entry is published */
    uint32_t entry;
    uint8_t byte; /* by which the way goes on */
};

/* Prefetch what a change of the current match, which has that key, will read. */
void macs_lpm_trie_prefetch(const struct macs_lpm_trie *table, const uint8_t *key);

/* Publish a rule. Needs one reserved defer. 0 or -ENOMEM, and then nothing has changed. */
int macs_lpm_trie_set(struct macs_lpm_trie *table, const struct macs_rule *rule);

/* The rule has another result. Needs one reserved defer. 0 or -ENOMEM, and then nothing has changed. */
int macs_lpm_trie_renew(struct macs_lpm_trie *table, const struct macs_rule *rule);

/* Unlink a rule, and what nodes it leaves without use. Needs key_bytes + 2 reserved defers. 0 or -ENOMEM. */
int macs_lpm_trie_unset(struct macs_lpm_trie *table, const struct macs_rule *rule);

#endif
