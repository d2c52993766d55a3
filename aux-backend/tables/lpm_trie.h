/* Longest prefix match on keys of any width, exact fields in front allowed: a path-compressed trie of 8-bit strides.
 *
 * The key's first 16 bits (all of a shorter key) index `first`. What stands there, and for each byte value in a node,
 * is an *entry*: the longest prefix that ends there (its result, results.h, and how many of its bits are in this
 * stride), or the node that goes on. A node stands behind up to 7 bytes that must be equal (a path without branches),
 * branches on the byte after them, and holds one entry for each run of equal ones, found by counting bits. What the
 * place that leads to a node would have answered stands in the node itself, as `inherited`: so a lookup reads one entry
 * a level, goes down, and remembers the last answer. The prefix of length 0 stands in `root`.
 * Invariants: a published node changes only in its entries that lead on, in `inherited`, and in the answers of a prefix
 * that gets another result, each by one atomic store; any other change makes a new node and publishes it in the place
 * of the old one, which goes back after a grace period. A node without answers has two children or more, unless the
 * path below it is too long for one node. A change of what prefixes there are counts in `changes` before it is
 * published: a lookup that saw some looks again (64 times at most: a writer must not hold readers up), so that a prefix
 * replaced by a shorter or longer one is never missed.
 * Threads: one writer, any number of readers between two quiescent reports (macs/qsbr.h).
 * Cost: lookup 1 or 2 lines for each byte at which prefixes part; memory 64 bytes for a lone prefix, and 256 KiB;
 * change O(runs of a node), and O(2^(16 - prefix)) stores for a prefix shorter than 16 bits. Compile with a popcount
 * instruction. The twin, lpm_trie_plain, is the same without compressed paths: to compare with.
 * Source: Morrison, PATRICIA (1968); Srinivasan and Varghese, Controlled prefix expansion (1999); Asai and Ohara,
 * Poptrie (2015), for runs found by counting bits.
 */
#ifndef MACS_TABLES_LPM_TRIE_H
#define MACS_TABLES_LPM_TRIE_H

#include <stdatomic.h>
#include <string.h>

#include "arena.h"
#include "prefetch.h"
#include "results.h"
#include "rules.h"

#define MACS_LPM_TRIE_STEPS 3  /* nodes visited with a prefetch; finish visits the rest */
#define MACS_LPM_TRIE_FIRST 2u /* bytes that index `first` */
#define MACS_LPM_TRIE_SKIP 7u  /* bytes before a node's own, at most */
#define MACS_LPM_TRIE_RETRIES 64
#define MACS_LPM_TRIE_LINE 64u /* bytes of a cache line */
/* An entry: this and a node's block, or a result's number + 1 (0: none) and above it how many bits of the stride its
 * prefix has. */
#define MACS_LPM_TRIE_NODE UINT32_C(0x80000000)
#define MACS_LPM_TRIE_RESULT UINT32_C(0x00ffffff)
#define MACS_LPM_TRIE_LENGTH_AT 24

struct macs_lpm_trie_node {
    uint64_t runs[4]; /* a bit for each byte value at which a run of equal entries begins; byte 0 always */
    uint64_t path;    /* the bytes before the node's own from the top down; in the lowest byte how many they are */
    _Atomic uint32_t inherited;
    uint8_t before[4]; /* runs that begin in the words before each of `runs` */
    _Atomic uint32_t entries[];
};

struct macs_lpm_trie {
    _Atomic uint32_t *first;
    _Atomic uint32_t root; /* the entry of the prefix of length 0, or 0 */
    _Atomic uint32_t changes;
    struct macs_results results;
    struct macs_arena arena;
    struct macs_rules rules;
    uint32_t first_bytes;
    uint32_t skip; /* bytes before a node's own, at most */
    void *path;    /* of the writer, one place for each key byte */
};

struct macs_lpm_trie_cursor {
    const struct macs_lpm_trie_node *node; /* to visit next, or NULL */
    uint32_t position;                     /* of the node in the key, bytes */
    uint32_t best;                         /* the last answer, or 0 */
    uint32_t changes;
};

static inline uint32_t macs_lpm_trie_skip(const struct macs_lpm_trie_node *node) {
    return (uint32_t)(node->path & 0xff);
}

static inline uint32_t macs_lpm_trie_place(const struct macs_lpm_trie_node *node, uint32_t byte) {
    uint64_t up_to = UINT64_MAX >> (63 - (byte & 63));
    return node->before[byte >> 6] + (uint32_t)__builtin_popcountll(node->runs[byte >> 6] & up_to) - 1;
}

static inline struct macs_lpm_trie_node *macs_lpm_trie_node_at(const struct macs_lpm_trie *table, uint32_t entry) {
    return macs_arena_at(&table->arena, entry & ~MACS_LPM_TRIE_NODE);
}

/* Eight bytes of the key from `position` on, the first one highest; zeros behind the key's end. */
static inline uint64_t macs_lpm_trie_word(const uint8_t *key, uint32_t key_bytes, uint32_t position) {
    uint8_t bytes[8] = {0};
    uint64_t word;
    uint32_t at = 0;
    if (key_bytes >= 8) {
        at = position < key_bytes - 8 ? position : key_bytes - 8;
        memcpy(bytes, key + at, 8);
    } else {
        memcpy(bytes, key, key_bytes);
    }
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word << 8 * (position - at);
}

/* Take an entry that stands before byte `position` of the key: an answer, or the way to a node. What it leads to is
 * fetched. */
static inline void macs_lpm_trie_take(const struct macs_lpm_trie *table, struct macs_lpm_trie_cursor *cursor,
                                      uint32_t entry, uint32_t position) {
    if (entry & MACS_LPM_TRIE_NODE) {
        cursor->node = macs_lpm_trie_node_at(table, entry);
        cursor->position = position;
        macs_prefetch(cursor->node);
        macs_prefetch((const uint8_t *)cursor->node + MACS_LPM_TRIE_LINE); /* has most of its entries */
        return;
    }
    cursor->node = NULL;
    cursor->best = entry ? entry : cursor->best;
    if (cursor->best)
        macs_prefetch(macs_results_at(&table->results, (cursor->best & MACS_LPM_TRIE_RESULT) - 1));
}

static inline void macs_lpm_trie_begin(const struct macs_lpm_trie *table, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_trie_cursor *cursor) {
    uint32_t index = key_bytes ? key[0] : 0;
    if (key_bytes > 1)
        index = index << 8 | key[1];
    cursor->changes = atomic_load_explicit(&table->changes, memory_order_acquire);
    cursor->best = atomic_load_explicit(&table->root, memory_order_acquire);
    macs_lpm_trie_take(table, cursor, atomic_load_explicit(&table->first[index], memory_order_acquire),
                       MACS_LPM_TRIE_FIRST);
}

static inline void macs_lpm_trie_visit(const struct macs_lpm_trie *table, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_trie_cursor *cursor) {
    const struct macs_lpm_trie_node *node = cursor->node;
    uint64_t word = macs_lpm_trie_word(key, key_bytes, cursor->position);
    uint32_t skip = macs_lpm_trie_skip(node), shift = 56 - 8 * skip, entry = 0;
    uint32_t inherited = atomic_load_explicit(&node->inherited, memory_order_acquire);
    cursor->best = inherited ? inherited : cursor->best;
    if ((word ^ node->path) >> 8 >> shift == 0)
        entry =
            atomic_load_explicit(&node->entries[macs_lpm_trie_place(node, word >> shift & 0xff)], memory_order_acquire);
    macs_lpm_trie_take(table, cursor, entry, cursor->position + skip + 1);
}

static inline void macs_lpm_trie_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_trie_cursor *cursor) {
    macs_lpm_trie_begin(self, key, key_bytes, cursor);
}

static inline void macs_lpm_trie_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                      struct macs_lpm_trie_cursor *cursor) {
    if (cursor->node)
        macs_lpm_trie_visit(self, key, key_bytes, cursor);
}

static inline const struct macs_entry *macs_lpm_trie_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                            struct macs_lpm_trie_cursor *cursor) {
    const struct macs_lpm_trie *table = self;
    for (int retry = 0;; retry++) {
        while (cursor->node)
            macs_lpm_trie_visit(table, key, key_bytes, cursor);
        if (retry == MACS_LPM_TRIE_RETRIES ||
            atomic_load_explicit(&table->changes, memory_order_acquire) == cursor->changes)
            break;
        macs_lpm_trie_begin(table, key, key_bytes, cursor);
    }
    return cursor->best ? macs_results_at(&table->results, (cursor->best & MACS_LPM_TRIE_RESULT) - 1) : NULL;
}

extern const struct macs_kernel macs_lpm_trie_kernel;
extern const struct macs_kernel macs_lpm_trie_plain_kernel;

#endif
