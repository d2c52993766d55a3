/* Exact match on keys of any length: cuckoo hashing in buckets of one cache line, primary bucket first.
 *
 * Lookup: the key's hash names a primary bucket and a 30-bit tag; the tag names the distance to the secondary one, so
 * that an entry can be moved without its key. A bucket is 8 words of tag and slot; the slot holds the value and,
 * behind it in the same line, the whole key. An entry goes to its secondary bucket only when the primary is full, and
 * the primary then carries an overflow mark: without it nobody looks at the second line. So most lookups touch one
 * bucket and one slot, at every load up to 95 % of the words and more; when no cuckoo path is found the index is built
 * anew, larger.
 * Invariants: a word changes by one atomic store, so tag and slot belong together. A move writes the new word, sets
 * marks, counts in `moves`, then clears the old word: a reader that met no entry and sees that `moves` changed looks
 * again, and otherwise a miss is a miss. It repeats only as often as the writer moves entries meanwhile.
 * Threads: one writer, any number of readers between two quiescent reports (macs/qsbr.h).
 * Cost: lookup 2 misses of the cache one after the other (prefetched by start and step), 3 for some at high load;
 * memory 10 bytes an entry and its slot; add O(1) amortised, about 0.3 µs. The load is set at build by
 * MACS_EXACT_HASH_LOAD_PERCENT.
 * Source: Pagh and Rodler, Cuckoo hashing (2004); Li et al., Algorithmic improvements for fast concurrent cuckoo
 * hashing (2014); Fan et al., MemC3 (2013), for moves without keys.
 */
#ifndef MACS_TABLES_EXACT_HASH_H
#define MACS_TABLES_EXACT_HASH_H

#include <stdatomic.h>
#include <string.h>

#include "hash.h"
#include "values.h"

#define MACS_EXACT_HASH_STEPS 1
#define MACS_EXACT_HASH_WAYS 8u

/* A word: bits 0 … 31 slot + 1 (0: free), 32 the bucket's overflow mark (in its word 0 only), 33 set where the bucket
 * is the entry's secondary one, 34 … 63 tag (never 0). */
#define MACS_EXACT_HASH_OVERFLOW (UINT64_C(1) << 32)
#define MACS_EXACT_HASH_SECONDARY (UINT64_C(1) << 33)

struct macs_exact_hash_bucket {
    _Alignas(64) _Atomic uint64_t words[MACS_EXACT_HASH_WAYS];
};

struct macs_exact_hash_index {
    struct macs_exact_hash_bucket *buckets;
    uint32_t bucket_count; /* even, so that a distance that is odd leads to another bucket and back */
    uint64_t seed;
    uint32_t *overflows; /* per bucket: entries that have it as primary and stand in their secondary; writer only */
    _Atomic uint32_t moves;
};

struct macs_exact_hash {
    struct macs_exact_hash_index *_Atomic index;
    struct macs_values values;
    uint32_t key_bytes;
    uint8_t *ones; /* the mask of an exact key */
    struct macs_qsbr *qsbr;
};

struct macs_exact_hash_cursor {
    const struct macs_exact_hash_index *index;
    uint32_t tag;
    uint32_t primary;
    uint32_t moves;
    uint32_t candidate; /* slot + 1 whose tag fits, or 0 */
};

/* The other bucket of an entry with that tag: an odd distance up from an even bucket, down from an odd one. */
static inline uint32_t macs_exact_hash_other(uint32_t bucket, uint32_t tag, uint32_t bucket_count) {
    uint32_t distance = 2 * macs_hash_reduce(tag * UINT32_C(0x9e3779b1), bucket_count / 2) + 1;
    uint32_t other = bucket & 1 ? bucket - distance : bucket + distance;
    if (bucket & 1)
        return bucket < distance ? other + bucket_count : other;
    return other >= bucket_count ? other - bucket_count : other;
}

/* One bit for each word of the bucket with `want` in its bits 33 … 63. */
static inline uint32_t macs_exact_hash_scan(const struct macs_exact_hash_bucket *bucket, uint64_t want) {
    uint32_t hits = 0;
    for (uint32_t way = 0; way < MACS_EXACT_HASH_WAYS; way++)
        hits |= (uint32_t)(atomic_load_explicit(&bucket->words[way], memory_order_acquire) >> 33 == want) << way;
    return hits;
}

static inline uint64_t macs_exact_hash_want(uint32_t tag, bool secondary) {
    return (uint64_t)tag << 1 | secondary;
}

static inline void macs_exact_hash_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                         struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    const struct macs_exact_hash_index *index = atomic_load_explicit(&table->index, memory_order_acquire);
    uint64_t hash = macs_hash_bytes(key, key_bytes, index->seed);
    cursor->index = index;
    cursor->tag = (uint32_t)(hash >> 34) | 1;
    cursor->primary = macs_hash_reduce((uint32_t)hash, index->bucket_count);
    cursor->moves = atomic_load_explicit(&index->moves, memory_order_acquire);
    cursor->candidate = 0;
    __builtin_prefetch(&index->buckets[cursor->primary]);
}

/* When the primary bucket is in the cache: fetch the slot that is probably the key's, or the secondary bucket. */
static inline void macs_exact_hash_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                        struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    const struct macs_exact_hash_index *index = cursor->index;
    const struct macs_exact_hash_bucket *bucket = &index->buckets[cursor->primary];
    uint32_t hits = macs_exact_hash_scan(bucket, macs_exact_hash_want(cursor->tag, false));
    (void)key;
    if (hits) {
        uint64_t word = atomic_load_explicit(&bucket->words[__builtin_ctz(hits)], memory_order_acquire);
        cursor->candidate = (uint32_t)word;
        if (cursor->candidate) {
            const uint8_t *slot = (const uint8_t *)macs_values_at(&table->values, cursor->candidate - 1);
            __builtin_prefetch(slot);
            if (table->values.stride > 64)
                __builtin_prefetch(slot + table->values.inline_offset + key_bytes - 1);
        }
    } else if (atomic_load_explicit(&bucket->words[0], memory_order_acquire) & MACS_EXACT_HASH_OVERFLOW) {
        __builtin_prefetch(&index->buckets[macs_exact_hash_other(cursor->primary, cursor->tag, index->bucket_count)]);
    }
}

/* The word in which the key stands in this bucket, or NULL. The word as read goes to *found. */
static inline _Atomic uint64_t *macs_exact_hash_search(const struct macs_exact_hash *table,
                                                       struct macs_exact_hash_bucket *bucket, uint64_t want,
                                                       const uint8_t *key, uint32_t key_bytes, uint64_t *found) {
    for (uint32_t hits = macs_exact_hash_scan(bucket, want); hits; hits &= hits - 1) {
        _Atomic uint64_t *word = &bucket->words[__builtin_ctz(hits)];
        *found = atomic_load_explicit(word, memory_order_acquire);
        if (*found >> 33 == want &&
            memcmp(macs_values_inline(&table->values, (uint32_t)*found - 1), key, key_bytes) == 0)
            return word;
    }
    return NULL;
}

/* The word in which the key stands, or NULL: primary bucket, then secondary where the primary is marked. */
static inline _Atomic uint64_t *macs_exact_hash_locate(const struct macs_exact_hash *table, const uint8_t *key,
                                                       uint32_t key_bytes, struct macs_exact_hash_cursor *cursor,
                                                       uint64_t *found) {
    const struct macs_exact_hash_index *index = cursor->index;
    for (;;) {
        struct macs_exact_hash_bucket *bucket = &index->buckets[cursor->primary];
        _Atomic uint64_t *word =
            macs_exact_hash_search(table, bucket, macs_exact_hash_want(cursor->tag, false), key, key_bytes, found);
        if (word)
            return word;
        if (atomic_load_explicit(&bucket->words[0], memory_order_acquire) & MACS_EXACT_HASH_OVERFLOW) {
            bucket = &index->buckets[macs_exact_hash_other(cursor->primary, cursor->tag, index->bucket_count)];
            word =
                macs_exact_hash_search(table, bucket, macs_exact_hash_want(cursor->tag, true), key, key_bytes, found);
            if (word)
                return word;
        }
        uint32_t moves = atomic_load_explicit(&index->moves, memory_order_acquire);
        if (moves == cursor->moves)
            return NULL;
        cursor->moves = moves;
    }
}

static inline const struct macs_entry *macs_exact_hash_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                              struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    if (cursor->candidate && memcmp(macs_values_inline(&table->values, cursor->candidate - 1), key, key_bytes) == 0)
        return macs_values_at(&table->values, cursor->candidate - 1);
    uint64_t found;
    if (!macs_exact_hash_locate(table, key, key_bytes, cursor, &found))
        return NULL;
    return macs_values_at(&table->values, (uint32_t)found - 1);
}

extern const struct macs_kernel macs_exact_hash_kernel;

#endif
