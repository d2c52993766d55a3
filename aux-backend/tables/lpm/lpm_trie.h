/* Longest prefix match on keys of any width, with exact fields in front: a path-compressed trie with 8-bit strides.
 *
 * The key's first 16 bits (all bits of a shorter key) index the array `first`. An element of it, and of a node, is an
 * *entry*: either the longest prefix that ends there, as a result (results.h) and its number of bits in this stride, or
 * the node to go on with. A node has a path of up to 7 bytes, which the key must have, and branches on the byte after
 * it. It holds one entry for each run of equal entries, found by counting bits. The answer in the place that leads to a
 * node is in the node itself, as `inherited`. So a lookup reads one entry a level and keeps the last answer that it
 * saw. The prefix of length 0 is in `root`.
 * Invariants: a published node changes only in the entries that lead to nodes, in `inherited`, and where a prefix gets
 * another result; each by one atomic store. For any other change a new node is built and published in the place of the
 * old one, which is freed after a grace period. A node without answers has two children or more, unless its path is
 * too long for one node. No lookup misses a prefix that is replaced by a shorter or longer one (changes.h).
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup 1 or 2 cache lines for each byte in which prefixes differ; memory 256 KiB, and 64 bytes for a prefix
 * without neighbours; change O(runs of a node), and O(2^(16 - prefix)) for a prefix shorter than 16 bits. Compile with
 * a popcount instruction.
 * lpm_trie_plain is the same without path compression, for comparison.
 * Source: Morrison, PATRICIA (1968); Srinivasan and Varghese, Controlled prefix expansion (1999); Asai and Ohara,
 * Poptrie (2015), for runs found by counting bits.
 */
#ifndef MACS_TABLES_LPM_TRIE_H
#define MACS_TABLES_LPM_TRIE_H

#include <stdatomic.h>
#include <string.h>

#include "arena.h"
#include "results.h"
#include "tables/common/bulk.h"
#include "tables/common/changes.h"
#include "tables/common/rules.h"

#define MACS_LPM_TRIE_STEPS 3  /* nodes visited with a prefetch; finish visits the rest */
#define MACS_LPM_TRIE_FIRST 2u /* bytes that index `first` */
#define MACS_LPM_TRIE_SKIP 7u  /* bytes before a node's own, at most */
#define MACS_LPM_TRIE_LINE 64u /* bytes of a cache line */
/* Bytes of a key that is looked up with others at once, at most; from one such key to the next. */
#define MACS_LPM_TRIE_BULK_KEY 24u
#define MACS_LPM_TRIE_BULK_NEXT 32u
/* Keys that are worth it, as each pass over them ends with a wait for memory: where the nodes are so few (in chunks of
 * the arena) that caches hold them, and where they are not. */
#define MACS_LPM_TRIE_BULK_NEAR 16u
#define MACS_LPM_TRIE_BULK_FAR 128u
#define MACS_LPM_TRIE_NEAR_CHUNKS 4u
/* An entry: this and a node's block, or a result's number + 1 (0: none) and above it how many bits of the stride its
 * prefix has. */
#define MACS_LPM_TRIE_NODE UINT32_C(0x80000000)
#define MACS_LPM_TRIE_RESULT UINT32_C(0x00ffffff)
#define MACS_LPM_TRIE_LENGTH_AT 24

struct macs_lpm_trie_node {
    uint64_t runs[4]; /* a bit for each byte value at which a run of equal entries begins; byte 0 always */
    uint64_t path;    /* the bytes before the node's own from the top down; in the lowest byte the bits that stand below
                         the node's own byte in eight bytes that begin with these */
    _Atomic uint32_t inherited;
    uint8_t before[4]; /* runs that begin in the words before each of `runs` */
    _Atomic uint32_t entries[];
};

struct macs_lpm_trie {
    _Atomic uint32_t *first;
    _Atomic uint32_t root; /* the entry of the prefix of length 0, or 0 */
    struct macs_changes changes;
    _Atomic uint32_t bulk_min; /* keys to look up at once, at least */
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

/* How many bytes a path has. */
static inline uint32_t macs_lpm_trie_skip(uint64_t path) {
    return 7 - (uint32_t)(path >> 3 & 7);
}

/* What a path leaves of eight bytes of a key: the node's own byte where they begin with it, else more than a byte. */
static inline uint64_t macs_lpm_trie_branch(uint64_t path, uint64_t word) {
    return (word ^ path) >> (path & 63);
}

static inline uint64_t macs_lpm_trie_place(const struct macs_lpm_trie_node *node, uint32_t byte) {
    uint64_t up_to = node->runs[byte >> 6] << (63 - (byte & 63));
    return node->before[byte >> 6] + (uint64_t)__builtin_popcountll(up_to) - 1;
}

static inline struct macs_lpm_trie_node *macs_lpm_trie_node_at(const struct macs_lpm_trie *table, uint32_t entry) {
    return macs_arena_at(&table->arena, entry & ~MACS_LPM_TRIE_NODE);
}

/* Eight bytes of the key from `position` on, big-endian; zeros after the key's end. */
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

/* What a key that begins with these eight bytes indexes `first` by. (Two bytes joined would be loaded as such, on top
 * of what was in the register: x86's compilers let a key's lookup wait for the one before it then.) */
static inline uint32_t macs_lpm_trie_index(uint64_t word, uint32_t key_bytes) {
    return key_bytes > 1 ? (uint32_t)(word >> 48) : key_bytes ? (uint32_t)(word >> 56) : 0;
}

/* Take an entry that stands before byte `position` of the key: an answer, or the way to a node. What it leads to is
 * prefetched. */
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
    uint32_t index = macs_lpm_trie_index(macs_lpm_trie_word(key, key_bytes, 0), key_bytes);
    cursor->changes = macs_changes_seen(&table->changes);
    cursor->best = atomic_load_explicit(&table->root, memory_order_acquire);
    macs_lpm_trie_take(table, cursor, atomic_load_explicit(&table->first[index], memory_order_acquire),
                       MACS_LPM_TRIE_FIRST);
}

static inline void macs_lpm_trie_visit(const struct macs_lpm_trie *table, const uint8_t *key, uint32_t key_bytes,
                                       struct macs_lpm_trie_cursor *cursor) {
    const struct macs_lpm_trie_node *node = cursor->node;
    uint64_t word = macs_lpm_trie_word(key, key_bytes, cursor->position);
    uint64_t branch = macs_lpm_trie_branch(node->path, word);
    uint32_t entry = 0;
    uint32_t inherited = atomic_load_explicit(&node->inherited, memory_order_acquire);
    cursor->best = inherited ? inherited : cursor->best;
    if (branch < 256)
        entry = atomic_load_explicit(&node->entries[macs_lpm_trie_place(node, (uint32_t)branch)], memory_order_acquire);
    macs_lpm_trie_take(table, cursor, entry, cursor->position + macs_lpm_trie_skip(node->path) + 1);
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
    for (uint32_t repeats = 0;; repeats++) {
        while (cursor->node)
            macs_lpm_trie_visit(table, key, key_bytes, cursor);
        if (macs_changes_none(&table->changes, cursor->changes)) {
            macs_changes_repeated(&table->changes, repeats);
            break;
        }
        macs_changes_repeat(&table->changes, repeats);
        macs_lpm_trie_begin(table, key, key_bytes, cursor);
    }
    return cursor->best ? macs_results_at(&table->results, (cursor->best & MACS_LPM_TRIE_RESULT) - 1) : NULL;
}

/* -- the lookups of a burst -------------------------------------------------------------------------------------------
 *
 * All keys take a step before any takes the next. A pass over them is a loop with few instructions that wait for
 * memory, and no place that it stores to depends on such: else the processor has few keys in flight.
 */

struct macs_lpm_trie_bulk {
    uint8_t keys[MACS_BURST_MAX][MACS_LPM_TRIE_BULK_NEXT]; /* eight bytes can be read from each byte of a key on */
    const struct macs_entry *miss;                         /* stands for the entry of a key that has none */
    const struct macs_entry *entries[MACS_BURST_MAX];
};

/* The ways of keys that have not ended, and by the keys' numbers what is known of all. */
struct macs_lpm_trie_ways {
    uint32_t at[MACS_BURST_MAX];      /* the byte of the bulk's keys that the way has come to */
    uint32_t entries[MACS_BURST_MAX]; /* what stands there */
    const struct macs_lpm_trie_node *nodes[MACS_BURST_MAX];
    const _Atomic uint32_t *places[MACS_BURST_MAX]; /* of the next entries */
    uint32_t ends[MACS_BURST_MAX];                  /* by keys: the last entry */
    uint32_t best[MACS_BURST_MAX];                  /* by keys: the last answer before that, or 0 */
};

/* Keeps the compiler from turning a choice between known numbers into an unpredictable branch. */
#define MACS_LPM_TRIE_KNOWN(number) __asm__("" : "+r"(number))

static inline void macs_lpm_trie_ways_begin(const struct macs_lpm_trie *table, const struct macs_lpm_trie_bulk *bulk,
                                            uint32_t count, uint32_t key_bytes, struct macs_lpm_trie_ways *ways) {
    const uint32_t root = atomic_load_explicit(&table->root, memory_order_acquire);
    const _Atomic uint32_t *const first = table->first;
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = macs_lpm_trie_index(macs_lpm_trie_word(bulk->keys[i], 8, 0), key_bytes);
        ways->at[i] = i * MACS_LPM_TRIE_BULK_NEXT + MACS_LPM_TRIE_FIRST;
        ways->entries[i] = atomic_load_explicit(&first[index], memory_order_acquire);
        ways->best[i] = root;
    }
}

/* Remove finished lookups, and prefetch the next nodes of the others; returns their number. */
static inline uint32_t macs_lpm_trie_ways_go_on(const struct macs_lpm_trie *table, uint32_t count,
                                                struct macs_lpm_trie_ways *ways) {
    uint32_t left = 0;
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t entry = ways->entries[i], at = ways->at[i];
        ways->ends[at / MACS_LPM_TRIE_BULK_NEXT] = entry;
        ways->entries[left] = entry;
        ways->at[left] = at;
        left += entry / MACS_LPM_TRIE_NODE;
    }
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < left; i++) {
        ways->nodes[i] = macs_lpm_trie_node_at(table, ways->entries[i]);
        macs_prefetch(ways->nodes[i]);
    }
    return left;
}

/* Visit the nodes: the next entries' places first, then these. */
static inline void macs_lpm_trie_ways_visit(const uint8_t *keys, uint32_t count, struct macs_lpm_trie_ways *ways) {
    static const _Atomic uint32_t nothing;
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++) {
        const struct macs_lpm_trie_node *node = ways->nodes[i];
        const uint32_t at = ways->at[i];
        const uint64_t path = node->path, branch = macs_lpm_trie_branch(path, macs_lpm_trie_word(keys + at, 8, 0));
        const _Atomic uint32_t *place = &node->entries[macs_lpm_trie_place(node, (uint8_t)branch)];
        MACS_LPM_TRIE_KNOWN(place);
        place = branch < 256 ? place : &nothing;
        MACS_LPM_TRIE_KNOWN(place);
        macs_prefetch((const void *)place);
        ways->places[i] = place;
        uint32_t inherited = atomic_load_explicit(&node->inherited, memory_order_acquire);
        uint32_t best = ways->best[at / MACS_LPM_TRIE_BULK_NEXT];
        best = inherited ? inherited : best;
        MACS_LPM_TRIE_KNOWN(best);
        ways->best[at / MACS_LPM_TRIE_BULK_NEXT] = best;
        ways->at[i] = at + macs_lpm_trie_skip(path) + 1;
    }
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++)
        ways->entries[i] = atomic_load_explicit(ways->places[i], memory_order_acquire);
}

/* Look up the keys as arrays; whether nothing changed meanwhile. */
static inline bool macs_lpm_trie_bulk_at_once(const struct macs_lpm_trie *table, struct macs_lpm_trie_bulk *bulk,
                                              uint32_t count, uint32_t key_bytes) {
    const uint32_t changes = macs_changes_seen(&table->changes);
    struct macs_lpm_trie_ways ways;
    macs_lpm_trie_ways_begin(table, bulk, count, key_bytes, &ways);
    for (uint32_t left = macs_lpm_trie_ways_go_on(table, count, &ways); left;
         left = macs_lpm_trie_ways_go_on(table, left, &ways))
        macs_lpm_trie_ways_visit(bulk->keys[0], left, &ways);
    for (uint32_t i = 0; i < count; i++)
        ways.best[i] = (ways.ends[i] ? ways.ends[i] : ways.best[i]) & MACS_LPM_TRIE_RESULT;
    macs_bulk_entries(ways.best, count, table->results.base, table->results.stride, bulk->miss, bulk->entries);
    return macs_changes_none(&table->changes, changes);
}

/* Look up the keys by cursors. */
static inline void macs_lpm_trie_bulk_by_cursors(const struct macs_lpm_trie *table, struct macs_lpm_trie_bulk *bulk,
                                                 uint32_t count, uint32_t key_bytes) {
    struct macs_lpm_trie_cursor cursors[MACS_BURST_MAX];
    for (uint32_t i = 0; i < count; i++)
        macs_lpm_trie_start(table, bulk->keys[i], key_bytes, &cursors[i]);
    for (uint32_t step = 0; step < MACS_LPM_TRIE_STEPS; step++)
        for (uint32_t i = 0; i < count; i++)
            macs_lpm_trie_step(table, bulk->keys[i], key_bytes, &cursors[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct macs_entry *entry = macs_lpm_trie_finish(table, bulk->keys[i], key_bytes, &cursors[i]);
        bulk->entries[i] = entry ? entry : bulk->miss;
    }
}

/* Look up all keys, and prefetch the entries found. */
static inline void macs_lpm_trie_bulk_start(const void *self, struct macs_lpm_trie_bulk *bulk, uint32_t count,
                                            uint32_t key_bytes, const struct macs_entry *miss) {
    bulk->miss = miss;
    const struct macs_lpm_trie *table = self;
    if (count < atomic_load_explicit(&table->bulk_min, memory_order_relaxed) ||
        !macs_lpm_trie_bulk_at_once(table, bulk, count, key_bytes))
        macs_lpm_trie_bulk_by_cursors(table, bulk, count, key_bytes);
    macs_bulk_prefetch_entries(bulk->entries, count);
}

extern const struct macs_table_ops macs_lpm_trie_ops;
extern const struct macs_table_ops macs_lpm_trie_plain_ops;

#endif
