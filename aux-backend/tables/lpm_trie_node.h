/* Nodes of the compressed trie as its writer changes them: spread out, edited, made anew.
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_TRIE_NODE_H
#define MACS_TABLES_LPM_TRIE_NODE_H

#include "lpm_trie.h"

/* A node with a place for each byte value. */
struct macs_lpm_trie_spread {
    uint32_t answers[256];
    struct macs_lpm_trie_node *children[256];
    uint32_t skip;
    uint8_t skip_bytes[MACS_LPM_TRIE_SKIP];
};

/* An empty node behind these `skip` bytes. */
void macs_lpm_trie_node_clear(struct macs_lpm_trie_spread *spread, const uint8_t *skip_bytes, uint32_t skip);

void macs_lpm_trie_node_spread(const struct macs_lpm_trie_node *node, struct macs_lpm_trie_spread *spread);

/* A new node that says what `spread` says, or NULL without memory. */
struct macs_lpm_trie_node *macs_lpm_trie_node_make(struct macs_arena *arena, const struct macs_lpm_trie_spread *spread);

/* The shortest form of `spread`: nothing (*node NULL), its only child with a longer path (that child goes to *merged),
 * or a node. 0 or -ENOMEM. */
int macs_lpm_trie_node_shorten(struct macs_arena *arena, const struct macs_lpm_trie_spread *spread,
                               struct macs_lpm_trie_node **node, struct macs_lpm_trie_node **merged);

void macs_lpm_trie_node_free(struct macs_arena *arena, struct macs_lpm_trie_node *node);

#endif
