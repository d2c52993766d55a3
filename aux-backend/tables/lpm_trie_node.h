/* Nodes of the path-compressed trie as its writer changes them: spread out, edited, made anew.
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_TRIE_NODE_H
#define MACS_TABLES_LPM_TRIE_NODE_H

#include "lpm_trie.h"

/* A node with a place for each byte value. */
struct macs_lpm_trie_spread {
    uint32_t answers[256];  /* the answer there, or what the child there inherits */
    uint32_t children[256]; /* the entry that leads to the child, or 0 */
    uint32_t inherited;
    uint32_t skip;
    uint8_t skip_bytes[MACS_LPM_TRIE_SKIP];
};

/* An empty node behind these `skip` bytes. */
void macs_lpm_trie_node_clear(struct macs_lpm_trie_spread *spread, const uint8_t *skip_bytes, uint32_t skip);

/* Spread out the node that an entry leads to. */
void macs_lpm_trie_node_spread(const struct macs_lpm_trie *table, uint32_t entry, struct macs_lpm_trie_spread *spread);

/* An entry that leads to a new node that says what `spread` says, or 0 without memory. Its children don't know yet
 * what they inherit. */
uint32_t macs_lpm_trie_node_make(struct macs_lpm_trie *table, const struct macs_lpm_trie_spread *spread);

/* Tell the children of `spread` what they inherit. */
void macs_lpm_trie_node_bequeath(const struct macs_lpm_trie *table, const struct macs_lpm_trie_spread *spread);

/* The shortest form of `spread`: nothing (*entry 0), its only child with a longer path (that child's entry goes to
 * *merged), or a node. 0 or -ENOMEM. */
int macs_lpm_trie_node_shorten(struct macs_lpm_trie *table, const struct macs_lpm_trie_spread *spread, uint32_t *entry,
                               uint32_t *merged);

/* The number of a node's entries. */
uint32_t macs_lpm_trie_node_count(const struct macs_lpm_trie_node *node);

/* Free the node that an entry leads to, or that and all below it. */
void macs_lpm_trie_node_free(struct macs_lpm_trie *table, uint32_t entry);
void macs_lpm_trie_node_free_all(struct macs_lpm_trie *table, uint32_t entry);

#endif
