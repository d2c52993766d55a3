/* Exact match on keys of any length: a cuckoo hash table (cuckoo.h) of tags that point to the entries.
 *
 * The key's hash gives the primary bucket and a 30-bit tag. The tag gives the distance to the secondary bucket, so an
 * entry is moved without its key. A word holds a tag and a slot number. The slot (values.h) holds the value and behind
 * it, in the same line, the whole key. Where no cuckoo path makes room a larger index is built.
 * Invariants: those of cuckoo.h; tag and slot number change together.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup two dependent cache misses (prefetched by start and step), three for some keys at high load; memory
 * 10 bytes an entry and its slot; add O(1) amortised, about 0.3 µs.
 * MACS_EXACT_HASH_LOAD_PERCENT sets the load at build time.
 */
#ifndef MACS_TABLES_EXACT_HASH_H
#define MACS_TABLES_EXACT_HASH_H

#include <stdatomic.h>

#include <macs/inline.h>

#include "cuckoo.h"
#include "tables/common/hash.h"
#include "tables/common/prefetch.h"
#include "tables/common/values.h"

/* A word: bits 0 … 31 slot + 1, 32 … 61 tag (never 0), then the marks of cuckoo.h. */
#define MACS_EXACT_HASH_TAG_AT 32
#define MACS_EXACT_HASH_TAG (UINT64_C(0x3fffffff) << MACS_EXACT_HASH_TAG_AT)

struct macs_exact_hash_index {
    struct macs_cuckoo cuckoo; /* an even number of buckets: a distance that is odd leads to another and back */
    uint64_t seed;
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
    uint64_t want; /* the tag, as a word has it in the primary bucket */
    uint32_t primary;
    uint32_t moves;
    uint32_t candidate; /* slot + 1 whose tag fits, or 0 */
};

/* The other bucket of an entry with that word: an odd distance up from an even bucket, down from an odd one. */
static inline uint32_t macs_exact_hash_other(uint32_t bucket, uint64_t word, uint32_t bucket_count) {
    uint32_t tag = (uint32_t)((word & MACS_EXACT_HASH_TAG) >> MACS_EXACT_HASH_TAG_AT);
    uint32_t distance = 2 * macs_hash_reduce(tag * UINT32_C(0x9e3779b1), bucket_count / 2) + 1;
    uint32_t other = bucket & 1 ? bucket - distance : bucket + distance;
    if (bucket & 1)
        return bucket < distance ? other + bucket_count : other;
    return other >= bucket_count ? other - bucket_count : other;
}

static inline struct macs_cuckoo_bucket *macs_exact_hash_secondary(const struct macs_exact_hash_cursor *cursor) {
    const struct macs_cuckoo *cuckoo = &cursor->index->cuckoo;
    return &cuckoo->buckets[macs_exact_hash_other(cursor->primary, cursor->want, cuckoo->bucket_count)];
}

/* The tag of a key with that hash, as a word has it in the primary bucket. */
static inline uint64_t macs_exact_hash_tag(uint64_t hash) {
    return (hash >> 2 | UINT64_C(1) << MACS_EXACT_HASH_TAG_AT) & MACS_EXACT_HASH_TAG;
}

static inline uint32_t macs_exact_hash_primary(uint64_t hash, uint32_t bucket_count) {
    return macs_hash_reduce((uint32_t)hash, bucket_count);
}

MACS_ALWAYS_INLINE void macs_exact_hash_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                              struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    const struct macs_exact_hash_index *index = atomic_load_explicit(&table->index, memory_order_acquire);
    uint64_t hash = macs_hash_bytes(key, key_bytes, index->seed);
    cursor->index = index;
    cursor->want = macs_exact_hash_tag(hash);
    cursor->primary = macs_exact_hash_primary(hash, index->cuckoo.bucket_count);
    cursor->moves = atomic_load_explicit(&index->cuckoo.moves, memory_order_acquire);
    cursor->candidate = 0;
    macs_prefetch_far(&index->cuckoo.buckets[cursor->primary]);
}

/* One bit for each word of the bucket that may be the key's. */
static inline uint32_t macs_exact_hash_scan(const struct macs_cuckoo_bucket *bucket, uint64_t want) {
    return macs_scan(bucket->words, MACS_EXACT_HASH_TAG | MACS_CUCKOO_SECONDARY, want);
}

/* When the primary bucket is in the cache: prefetch the slot that is probably the key's, or the secondary bucket. */
static inline void macs_exact_hash_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                        struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    const struct macs_cuckoo_bucket *bucket = &cursor->index->cuckoo.buckets[cursor->primary];
    uint32_t hits = macs_exact_hash_scan(bucket, cursor->want);
    (void)key;
    if (hits) {
        uint64_t word = atomic_load_explicit(&bucket->words[__builtin_ctz(hits)], memory_order_acquire);
        cursor->candidate = (uint32_t)word;
        if (cursor->candidate) {
            const uint8_t *slot = (const uint8_t *)macs_values_at(&table->values, cursor->candidate - 1);
            macs_prefetch_far(slot);
            if (table->values.stride > 64)
                macs_prefetch_far(slot + table->values.inline_offset + key_bytes - 1);
        }
    } else if (macs_cuckoo_overflows(bucket)) {
        macs_prefetch_far(macs_exact_hash_secondary(cursor));
    }
}

/* The way in which the key stands in this bucket, or MACS_CUCKOO_WAYS. The word as read goes to *found. */
static inline uint32_t macs_exact_hash_search(const struct macs_exact_hash *table,
                                              const struct macs_cuckoo_bucket *bucket, uint64_t want,
                                              const uint8_t *key, uint32_t key_bytes, uint64_t *found) {
    for (uint32_t hits = macs_exact_hash_scan(bucket, want); hits; hits &= hits - 1) {
        uint32_t way = (uint32_t)__builtin_ctz(hits);
        *found = atomic_load_explicit(&bucket->words[way], memory_order_acquire);
        if ((*found & (MACS_EXACT_HASH_TAG | MACS_CUCKOO_SECONDARY)) == want &&
            macs_scan_equal(macs_values_inline(&table->values, (uint32_t)*found - 1), key, key_bytes))
            return way;
    }
    return MACS_CUCKOO_WAYS;
}

/* Where the key stands: primary bucket, then secondary where the primary is marked. The word goes to *found. */
static inline bool macs_exact_hash_locate(const struct macs_exact_hash *table, const uint8_t *key, uint32_t key_bytes,
                                          struct macs_exact_hash_cursor *cursor, struct macs_cuckoo_place *at,
                                          uint64_t *found) {
    const struct macs_cuckoo *cuckoo = &cursor->index->cuckoo;
    do {
        const struct macs_cuckoo_bucket *bucket = &cuckoo->buckets[cursor->primary];
        at->bucket = cursor->primary;
        at->way = macs_exact_hash_search(table, bucket, cursor->want, key, key_bytes, found);
        if (at->way == MACS_CUCKOO_WAYS && macs_cuckoo_overflows(bucket)) {
            bucket = macs_exact_hash_secondary(cursor);
            at->bucket = (uint32_t)(bucket - cuckoo->buckets);
            at->way =
                macs_exact_hash_search(table, bucket, cursor->want | MACS_CUCKOO_SECONDARY, key, key_bytes, found);
        }
        if (at->way < MACS_CUCKOO_WAYS)
            return true;
    } while (macs_cuckoo_moved(cuckoo, &cursor->moves));
    return false;
}

/* Of what happens rarely: it takes no registers from the code that calls it. */
#define MACS_EXACT_HASH_RARELY static __attribute__((noinline, cold, unused))

/* The end of a lookup that the first candidate of the primary bucket does not end. */
MACS_EXACT_HASH_RARELY const struct macs_entry *macs_exact_hash_look_on(const struct macs_exact_hash *table,
                                                                        const uint8_t *key, uint32_t key_bytes,
                                                                        struct macs_exact_hash_cursor cursor) {
    struct macs_cuckoo_place at;
    uint64_t found;
    if (!macs_exact_hash_locate(table, key, key_bytes, &cursor, &at, &found))
        return NULL;
    return macs_values_at(&table->values, (uint32_t)found - 1);
}

MACS_ALWAYS_INLINE const struct macs_entry *macs_exact_hash_finish(const void *self, const uint8_t *key,
                                                                   uint32_t key_bytes,
                                                                   const struct macs_exact_hash_cursor *cursor) {
    const struct macs_exact_hash *table = self;
    const struct macs_cuckoo *cuckoo = &cursor->index->cuckoo;
    uint32_t candidate = cursor->candidate; /* without a step before, none */
    if (!candidate) {
        const struct macs_cuckoo_bucket *bucket = &cuckoo->buckets[cursor->primary];
        uint32_t moves = cursor->moves;
        candidate = (uint32_t)macs_scan_find(bucket->words, MACS_EXACT_HASH_TAG | MACS_CUCKOO_SECONDARY, cursor->want);
        if (!candidate && __builtin_expect(!macs_cuckoo_overflows(bucket) && !macs_cuckoo_moved(cuckoo, &moves), 1))
            return NULL;
    }
    if (candidate &&
        __builtin_expect(macs_scan_equal(macs_values_inline(&table->values, candidate - 1), key, key_bytes), 1))
        return macs_values_at(&table->values, candidate - 1);
    return macs_exact_hash_look_on(table, key, key_bytes, *cursor);
}

/* -- the lookups of a burst -------------------------------------------------------------------------------------------
 *
 * All keys take a step before any takes the next, and other work may stand between the steps: start prefetches the
 * buckets, step the entries, finish compares the keys. Each is a loop with few instructions a key: a prefetch that
 * misses the TLB holds back what comes after it, and the processor looks at no more than some hundred instructions
 * ahead.
 */

#define MACS_EXACT_HASH_BULK_KEY 64u /* bytes */

struct macs_exact_hash_bulk {
    _Alignas(64) uint8_t keys[MACS_BURST_MAX][MACS_EXACT_HASH_BULK_KEY];
    const struct macs_exact_hash_index *index;
    const struct macs_entry *miss; /* stands for the entry of a key that has none */
    uint32_t moves;
    uint32_t away; /* keys that go on in their secondary bucket; these: */
    uint16_t aways[MACS_BURST_MAX];
    uint64_t wants[MACS_BURST_MAX]; /* the tags, as words have them in the bucket */
    const struct macs_cuckoo_bucket *buckets[MACS_BURST_MAX];
    const struct macs_entry *entries[MACS_BURST_MAX]; /* whose tag fits; after finish: whose key is equal */
};

static inline void macs_exact_hash_bulk_start(const void *self, struct macs_exact_hash_bulk *bulk, uint32_t count,
                                              uint32_t key_bytes, const struct macs_entry *miss) {
    const struct macs_exact_hash *table = self;
    const struct macs_exact_hash_index *index = atomic_load_explicit(&table->index, memory_order_acquire);
    const struct macs_cuckoo_bucket *const buckets = index->cuckoo.buckets;
    const uint32_t bucket_count = index->cuckoo.bucket_count;
    const uint64_t seed = index->seed;
    bulk->index = index;
    bulk->miss = miss;
    bulk->moves = atomic_load_explicit(&index->cuckoo.moves, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t hash = macs_hash_bytes(bulk->keys[i], key_bytes, seed);
        bulk->wants[i] = macs_exact_hash_tag(hash);
        bulk->buckets[i] = &buckets[macs_exact_hash_primary(hash, bucket_count)];
        macs_prefetch_far(bulk->buckets[i]);
    }
}

/* Prefetch the entry whose tag in the bucket is the key's: whether there is one. `before` is the place before the
 * first.
 */
static inline bool macs_exact_hash_bulk_look(struct macs_exact_hash_bulk *bulk, uint32_t at, uintptr_t before,
                                             uint32_t stride) {
    const uint64_t mask = MACS_EXACT_HASH_TAG | MACS_CUCKOO_SECONDARY;
    const uint64_t word = macs_scan_find(bulk->buckets[at]->words, mask, bulk->wants[at]);
    const uintptr_t entry = before + (uintptr_t)(uint32_t)word * stride;
    bulk->entries[at] = (const struct macs_entry *)(word ? entry : (uintptr_t)bulk->miss);
    macs_prefetch_far(bulk->entries[at]);
    return word != 0;
}

/* The key is not in its primary bucket: go on to the secondary one. */
MACS_EXACT_HASH_RARELY void macs_exact_hash_bulk_leave(struct macs_exact_hash_bulk *bulk, uint32_t at) {
    const struct macs_exact_hash_cursor cursor = {
        .index = bulk->index,
        .want = bulk->wants[at],
        .primary = (uint32_t)(bulk->buckets[at] - bulk->index->cuckoo.buckets),
    };
    bulk->buckets[at] = macs_exact_hash_secondary(&cursor);
    bulk->wants[at] |= MACS_CUCKOO_SECONDARY;
    macs_prefetch_far(bulk->buckets[at]);
    bulk->aways[bulk->away++] = (uint16_t)at;
}

static inline void macs_exact_hash_bulk_step(const void *self, struct macs_exact_hash_bulk *bulk, uint32_t count) {
    const struct macs_exact_hash *table = self;
    const uint32_t stride = table->values.stride;
    const uintptr_t before = (uintptr_t)table->values.base - stride;
    bulk->away = 0;
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_expect(
                !macs_exact_hash_bulk_look(bulk, i, before, stride) && macs_cuckoo_overflows(bulk->buckets[i]), 0))
            macs_exact_hash_bulk_leave(bulk, i);
}

MACS_EXACT_HASH_RARELY void macs_exact_hash_bulk_retry(const void *self, struct macs_exact_hash_bulk *bulk, uint32_t at,
                                                       uint32_t key_bytes) {
    struct macs_exact_hash_cursor cursor;
    macs_exact_hash_start(self, bulk->keys[at], key_bytes, &cursor);
    const struct macs_entry *entry = macs_exact_hash_finish(self, bulk->keys[at], key_bytes, &cursor);
    bulk->entries[at] = entry ? entry : bulk->miss;
}

/* Keys whose tag led to another's entry are looked up one by one, and all are where entries were moved meanwhile. */
static inline void macs_exact_hash_bulk_finish(const void *self, struct macs_exact_hash_bulk *bulk, uint32_t count,
                                               uint32_t key_bytes) {
    const struct macs_exact_hash *table = self;
    const uint32_t inline_offset = table->values.inline_offset, stride = table->values.stride;
    uint32_t others = 0;
    for (uint32_t i = 0; i < bulk->away; i++)
        macs_exact_hash_bulk_look(bulk, bulk->aways[i], (uintptr_t)table->values.base - stride, stride);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = (const uint8_t *)bulk->entries[i];
        if (entry != (const uint8_t *)bulk->miss &&
            __builtin_expect(!macs_scan_equal(entry + inline_offset, bulk->keys[i], key_bytes), 0))
            bulk->aways[others++] = (uint16_t)i;
    }
    const bool moved = macs_cuckoo_moved(&bulk->index->cuckoo, &bulk->moves);
    for (uint32_t i = 0; i < (moved ? count : others); i++)
        macs_exact_hash_bulk_retry(self, bulk, moved ? i : bulk->aways[i], key_bytes);
}

extern const struct macs_table_ops macs_exact_hash_ops;

#endif
