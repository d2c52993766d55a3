/* Nodes of the path-compressed trie in the form in which the writer edits them.
 *
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_LPM_TRIE_NODE_H
#define MACS_TABLES_LPM_TRIE_NODE_H

#include "lpm_trie.h"

#define MACS_LPM_TRIE_UNKNOWN UINT32_MAX /* an answer that was not looked at, and stays as it is */

/* Byte values from `first` to before the next run's that have one answer, or the one that leads to a child. */
struct macs_lpm_trie_run {
    uint32_t first;
    uint32_t answer; /* or what the child inherits, or unknown */
    uint32_t child;  /* the entry that leads there, or 0 */
};

struct macs_lpm_trie_spread {
    struct macs_lpm_trie_run runs[256 + 1]; /* after the last one stands another, that begins at 256 */
    uint32_t count;
    uint32_t inherited;
    uint32_t skip;
    uint8_t skip_bytes[MACS_LPM_TRIE_SKIP];
};

/* An empty node after a path of these `skip` bytes. */
void macs_lpm_trie_node_clear(struct macs_lpm_trie_spread *spread, const uint8_t *skip_bytes, uint32_t skip);

/* Take the node that an entry leads to apart. */
void macs_lpm_trie_node_spread(const struct macs_lpm_trie *table, uint32_t entry, struct macs_lpm_trie_spread *spread);

/* Split the runs so that one begins at that byte value (at most 256). Returns its place. */
uint32_t macs_lpm_trie_node_cut(struct macs_lpm_trie_spread *spread, uint32_t byte);

/* Split the runs so that one has that byte value only. */
struct macs_lpm_trie_run *macs_lpm_trie_node_single(struct macs_lpm_trie_spread *spread, uint8_t byte);

/* The answer of a run, looked at now if it was not before. */
uint32_t macs_lpm_trie_node_answer(const struct macs_lpm_trie *table, struct macs_lpm_trie_run *run);

/* An entry that leads to a new node that says what `spread` says, or 0 without memory. Its children don't know yet
 * what they inherit. */
uint32_t macs_lpm_trie_node_make(struct macs_lpm_trie *table, const struct macs_lpm_trie_spread *spread);

/* Tell the children of `spread` what they inherit, where it is known. */
void macs_lpm_trie_node_bequeath(const struct macs_lpm_trie *table, const struct macs_lpm_trie_spread *spread);

/* The shortest form of `spread`: nothing (*entry 0), its only child with a longer path (that child's entry goes to
 * *merged), or a node. 0 or -ENOMEM. */
int macs_lpm_trie_node_shorten(struct macs_lpm_trie *table, struct macs_lpm_trie_spread *spread, uint32_t *entry,
                               uint32_t *merged);

/* The number of a node's entries. */
uint32_t macs_lpm_trie_node_count(const struct macs_lpm_trie_node *node);

/* Free the node that an entry leads to, or that and all below it. */
void macs_lpm_trie_node_free(struct macs_lpm_trie *table, uint32_t entry);
void macs_lpm_trie_node_free_all(struct macs_lpm_trie *table, uint32_t entry);

#endif
