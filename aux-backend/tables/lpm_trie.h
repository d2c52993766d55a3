/* Longest prefix match on keys of any width, exact fields in front allowed: a compressed trie of 8-bit strides.
 *
 * A node branches on one byte of the key; before it stand up to 15 bytes that must be equal (a path without branches).
 * For each of the 256 byte values it says which prefix ending in this byte is the longest (as runs of equal answers,
 * one bit where a run begins, found by counting bits) and which child goes on (one bit each, counted likewise). Lookup
 * goes down and remembers the last answer. The prefix of length 0 stands in `root`.
 * Invariants: a published node changes only in its child pointers and answers, each by one atomic store; any other
 * change makes a new node and publishes it in the place of the old one, which goes back after a grace period. A node
 * without answers has two children or more, unless the path below it is too long for one node. Each change counts in
 * `changes` before it is published: a lookup that saw some looks again (64 times at most: a writer must not hold
 * readers up), so that a prefix replaced by a shorter or longer one is never missed.
 * Threads: one writer, any number of readers between two quiescent reports (macs/qsbr.h).
 * Cost: lookup 2 or 3 lines a node, a node for each byte at which prefixes part; memory 128 bytes for a lone prefix;
 * change O(node). Compile with a popcount instruction.
 * Source: Morrison, PATRICIA (1968); Srinivasan and Varghese, Controlled prefix expansion (1999); Asai and Ohara,
 * Poptrie (2015), for bit-counted children and runs.
 */
#ifndef MACS_TABLES_LPM_TRIE_H
#define MACS_TABLES_LPM_TRIE_H

#include <stdatomic.h>

#include "arena.h"
#include "rules.h"

#define MACS_LPM_TRIE_STEPS 3 /* nodes visited with a prefetch; finish visits the rest */
#define MACS_LPM_TRIE_SKIP 15u
#define MACS_LPM_TRIE_RETRIES 64

struct macs_lpm_trie_node {
    uint64_t runs[4];     /* a bit for each byte value at which a run of equal answers begins; byte 0 always */
    uint64_t children[4]; /* a bit for each byte value with a child */
    uint8_t runs_before[4];
    uint8_t children_before[4];
    uint8_t skip;
    uint8_t skip_bytes[MACS_LPM_TRIE_SKIP];
    uint16_t run_count;
    uint16_t child_count;
    uint32_t pad;
    struct macs_lpm_trie_node *_Atomic child[]; /* child_count of them, then run_count answers (slot + 1, or 0) */
};

struct macs_lpm_trie {
    struct macs_lpm_trie_node *_Atomic top;
    _Atomic uint32_t root; /* slot + 1 of the prefix of length 0, or 0 */
    _Atomic uint32_t changes;
    struct macs_rules rules;
    struct macs_arena arena;
    void *path; /* of the writer, one place for each key byte */
};

struct macs_lpm_trie_cursor {
    const struct macs_lpm_trie_node *node; /* to visit next, or NULL */
    uint32_t position;                     /* of the node in the key, bytes */
    uint32_t best;                         /* slot + 1, or 0 */
    uint32_t changes;
};

static inline const _Atomic uint32_t *macs_lpm_trie_answers(const struct macs_lpm_trie_node *node) {
    return (const void *)&node->child[node->child_count];
}

static inline struct macs_lpm_trie_node *_Atomic *macs_lpm_trie_child(struct macs_lpm_trie_node *node, uint8_t byte) {
    uint64_t bit = UINT64_C(1) << (byte & 63), word = node->children[byte >> 6];
    if (!(word & bit))
        return NULL;
    return &node->child[node->children_before[byte >> 6] + __builtin_popcountll(word & (bit - 1))];
}

static inline uint32_t macs_lpm_trie_answer(const struct macs_lpm_trie_node *node, uint8_t byte) {
    uint64_t up_to = UINT64_MAX >> (63 - (byte & 63));
    uint32_t run = node->runs_before[byte >> 6] + (uint32_t)__builtin_popcountll(node->runs[byte >> 6] & up_to);
    return atomic_load_explicit(macs_lpm_trie_answers(node) + run - 1, memory_order_acquire);
}

static inline void macs_lpm_trie_begin(const struct macs_lpm_trie *table, struct macs_lpm_trie_cursor *cursor) {
    cursor->changes = atomic_load_explicit(&table->changes, memory_order_acquire);
    cursor->best = atomic_load_explicit(&table->root, memory_order_acquire);
    cursor->node = atomic_load_explicit(&table->top, memory_order_acquire);
    cursor->position = 0;
}

/* Visit one node: take its answer, go on to its child, which is fetched. */
static inline void macs_lpm_trie_visit(const struct macs_lpm_trie *table, const uint8_t *key,
                                       struct macs_lpm_trie_cursor *cursor) {
    struct macs_lpm_trie_node *node = (struct macs_lpm_trie_node *)(uintptr_t)cursor->node;
    const uint8_t *rest = key + cursor->position;
    cursor->node = NULL;
    for (uint32_t i = 0; i < node->skip; i++)
        if (rest[i] != node->skip_bytes[i])
            return;
    uint8_t byte = rest[node->skip];
    uint32_t answer = macs_lpm_trie_answer(node, byte);
    if (answer)
        cursor->best = answer;
    struct macs_lpm_trie_node *_Atomic *child = macs_lpm_trie_child(node, byte);
    if (child) {
        cursor->position += node->skip + 1u;
        cursor->node = atomic_load_explicit(child, memory_order_acquire);
        __builtin_prefetch(cursor->node);
        __builtin_prefetch((const uint8_t *)cursor->node + 64);
    } else if (cursor->best) {
        __builtin_prefetch(macs_values_at(&table->rules.values, cursor->best - 1));
    }
}

static inline void macs_lpm_trie_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_trie_cursor *cursor) {
    macs_lpm_trie_begin(self, cursor);
    (void)key_bytes;
    if (cursor->node)
        macs_lpm_trie_visit(self, key, cursor);
}

static inline void macs_lpm_trie_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                      struct macs_lpm_trie_cursor *cursor) {
    (void)key_bytes;
    if (cursor->node)
        macs_lpm_trie_visit(self, key, cursor);
}

static inline const struct macs_entry *macs_lpm_trie_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                            struct macs_lpm_trie_cursor *cursor) {
    const struct macs_lpm_trie *table = self;
    (void)key_bytes;
    for (int retry = 0;; retry++) {
        while (cursor->node)
            macs_lpm_trie_visit(table, key, cursor);
        if (retry == MACS_LPM_TRIE_RETRIES ||
            atomic_load_explicit(&table->changes, memory_order_acquire) == cursor->changes)
            break;
        macs_lpm_trie_begin(table, cursor);
    }
    return cursor->best ? macs_values_at(&table->rules.values, cursor->best - 1) : NULL;
}

extern const struct macs_kernel macs_lpm_trie_kernel;

#endif
