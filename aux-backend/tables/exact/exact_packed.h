/* Exact match where key and action data fit one 64-bit word: eight entries a cache line, one cache miss a lookup.
 *
 * The key's bits are permuted, by random multipliers of each index. The high bits of the permuted key (the quotient)
 * are the primary bucket. Only the others (the remainder) are stored: a table of 2^r buckets stores r bits less of each
 * key, so a 48-bit address with 18 bits of action data fits from 32 buckets on. The remainder gives the distance to the
 * secondary bucket (cuckoo.h). A word is the whole entry: one load reads it, one store changes it.
 * A table begins small and doubles when 70 % of its words are in use or no move makes room. So its memory follows the
 * number of entries, whatever size the program declares: 12 to 23 bytes an entry, and 8 to 16 for the entry's index,
 * which only the control plane reads.
 * An *indexed* table is one whose readers want the entry's index, for direct counters and meters. There the index
 * stands in the word, above the remainder: with each doubling it takes the bit that the remainder gives. So a move
 * changes nothing that counts, and an index is used again only when no reader has it any more.
 * Takes: keys of 4 to 64 bits; key and data of at most 61 + log2(buckets) bits together, where the compiler allows
 * size / 8 buckets or more for that; of at most 58 bits in indexed tables.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup one cache miss, two for the few keys whose primary bucket overflows; the optional step prefetches the
 * second line. Add O(1) amortised.
 * Source: quotienting, Knuth, TAOCP 3, 6.4; Pagh and Rodler, Cuckoo hashing (2004).
 */
#ifndef MACS_TABLES_EXACT_PACKED_H
#define MACS_TABLES_EXACT_PACKED_H

#include <stdatomic.h>

#include <macs/inline.h>

#include "cuckoo.h"
#include "tables/common/hash.h"
#include "tables/common/packing.h"
#include "tables/common/prefetch.h"

/* A word: data in the lowest bits, the rest of the key above, then this and the marks of cuckoo.h. */
#define MACS_EXACT_PACKED_PRESENT (UINT64_C(1) << 61)
#define MACS_EXACT_PACKED_BITS 61u
#define MACS_EXACT_PACKED_INDEXED_BITS (MACS_EXACT_PACKED_BITS - MACS_CUCKOO_WAYS_BITS) /* of key and data */

struct macs_exact_packed_index {
    struct macs_cuckoo cuckoo; /* 2^bucket_bits buckets; the notes are the entries' indices, if words have none */
    uint64_t multiply[2];      /* odd: the permutation */
    uint64_t remainder_mask;   /* where the rest of the key stands in a word */
    uint32_t bucket_bits;      /* at least 1 */
    uint32_t remainder_bits;   /* the key's others */
    uint32_t number_at;        /* the lowest bit of the entry's index in a word of an indexed table */
    uint32_t number_mask;      /* its bits, there */
};

struct macs_exact_packed;

/* The table's first member is its index. */
typedef struct macs_exact_packed_index *_Atomic macs_exact_packed_head;

struct macs_exact_packed_cursor {
    const struct macs_exact_packed_index *index;
    uint64_t want; /* as the word has it in the primary bucket */
    uint64_t word; /* that was found there; 0: none, or not looked yet */
    uint32_t primary;
    uint32_t moves;
};

/* A permutation of the numbers of `bits` bits; its high bits depend on all of the key's. */
static inline uint64_t macs_exact_packed_permute(const struct macs_exact_packed_index *index, uint64_t key,
                                                 uint32_t bits) {
    uint64_t ones = macs_packing_ones(bits);
    key = key * index->multiply[0] & ones;
    key ^= key >> (bits + 1) / 2;
    return key * index->multiply[1] & ones;
}

static inline uint32_t macs_exact_packed_other(const struct macs_exact_packed_index *index, uint32_t bucket,
                                               uint64_t remainder) {
    return bucket ^ (uint32_t)(remainder * MACS_HASH_PHI >> (64 - index->bucket_bits) | 1);
}

/* The rest of the key, and the marks that are compared along with it. */
static inline uint64_t macs_exact_packed_mask(const struct macs_exact_packed_index *index) {
    return index->remainder_mask | MACS_EXACT_PACKED_PRESENT | MACS_CUCKOO_SECONDARY;
}

MACS_ALWAYS_INLINE void macs_exact_packed_start(const void *self, uint64_t key, uint32_t key_bits, uint32_t data_bits,
                                                struct macs_exact_packed_cursor *cursor) {
    const struct macs_exact_packed_index *index =
        atomic_load_explicit((const macs_exact_packed_head *)self, memory_order_acquire);
    uint64_t permuted = macs_exact_packed_permute(index, key, key_bits);
    uint32_t primary = (uint32_t)(permuted >> index->remainder_bits);
    cursor->index = index;
    cursor->want = (permuted << data_bits & index->remainder_mask) | MACS_EXACT_PACKED_PRESENT;
    cursor->word = 0;
    cursor->primary = primary;
    cursor->moves = atomic_load_explicit(&index->cuckoo.moves, memory_order_acquire);
    macs_prefetch_far(&index->cuckoo.buckets[primary]);
}

static inline uint32_t macs_exact_packed_secondary(const struct macs_exact_packed_cursor *cursor, uint32_t data_bits) {
    uint64_t remainder = (cursor->want & ~MACS_EXACT_PACKED_PRESENT) >> data_bits;
    return macs_exact_packed_other(cursor->index, cursor->primary, remainder);
}

/* The word and the way of an entry in this bucket; 0 if it is not there. */
static inline uint64_t macs_exact_packed_search(const struct macs_cuckoo_bucket *bucket, uint64_t mask, uint64_t want,
                                                uint32_t *way) {
    for (;;) {
        uint32_t hits = macs_scan(bucket->words, mask, want);
        if (!hits)
            return 0;
        *way = (uint32_t)__builtin_ctz(hits);
        uint64_t word = atomic_load_explicit(&bucket->words[*way], memory_order_acquire);
        if ((word & mask) == want) /* else it was changed since */
            return word;
    }
}

/* The word of the entry and its place, or 0. Apart from the code around it, as few lookups come here. */
__attribute__((noinline, unused)) static uint64_t
macs_exact_packed_locate(uint32_t data_bits, struct macs_exact_packed_cursor *cursor, struct macs_cuckoo_place *at) {
    const struct macs_cuckoo *cuckoo = &cursor->index->cuckoo;
    const uint64_t mask = macs_exact_packed_mask(cursor->index);
    do {
        const struct macs_cuckoo_bucket *bucket = &cuckoo->buckets[cursor->primary];
        at->bucket = cursor->primary;
        uint64_t word = macs_exact_packed_search(bucket, mask, cursor->want, &at->way);
        if (!word && macs_cuckoo_overflows(bucket)) {
            at->bucket = macs_exact_packed_secondary(cursor, data_bits);
            word = macs_exact_packed_search(&cuckoo->buckets[at->bucket], mask, cursor->want | MACS_CUCKOO_SECONDARY,
                                            &at->way);
        }
        if (word)
            return word;
    } while (macs_cuckoo_moved(cuckoo, &cursor->moves));
    return 0;
}

/* The index of the entry with that word, of an indexed table. */
static inline uint32_t macs_exact_packed_number(const struct macs_exact_packed_index *index, uint64_t word) {
    return (uint32_t)(word >> index->number_at) & index->number_mask;
}

/* Search the primary bucket; if the entry may be in the secondary one, prefetch that. */
static inline void macs_exact_packed_step(uint32_t data_bits, struct macs_exact_packed_cursor *cursor) {
    const struct macs_exact_packed_index *index = cursor->index;
    const struct macs_cuckoo_bucket *bucket = &index->cuckoo.buckets[cursor->primary];
    cursor->word = macs_scan_find(bucket->words, macs_exact_packed_mask(index), cursor->want);
    if (__builtin_expect(!cursor->word && macs_cuckoo_overflows(bucket), 0))
        macs_prefetch_far(&index->cuckoo.buckets[macs_exact_packed_secondary(cursor, data_bits)]);
}

/* The same where the primary bucket alone does not tell. By values, so that the caller's cursor stays in registers. */
__attribute__((noinline, cold, unused)) static uint64_t
macs_exact_packed_look_on(uint32_t data_bits, struct macs_exact_packed_cursor cursor) {
    struct macs_cuckoo_place at;
    return macs_exact_packed_locate(data_bits, &cursor, &at);
}

/* The word of the key's entry; 0: there is none. */
MACS_ALWAYS_INLINE uint64_t macs_exact_packed_word(uint32_t data_bits, const struct macs_exact_packed_cursor *cursor) {
    const struct macs_cuckoo *cuckoo = &cursor->index->cuckoo;
    const struct macs_cuckoo_bucket *bucket = &cuckoo->buckets[cursor->primary];
    uint32_t moves = cursor->moves;
    uint64_t word = cursor->word; /* without a step before, none */
    if (!word)
        word = macs_scan_find(bucket->words, macs_exact_packed_mask(cursor->index), cursor->want);
    if (word || __builtin_expect(!macs_cuckoo_overflows(bucket) && !macs_cuckoo_moved(cuckoo, &moves), 1))
        return word;
    return macs_exact_packed_look_on(data_bits, *cursor);
}

/* Whether the key is there; then its entry's data. */
MACS_ALWAYS_INLINE bool macs_exact_packed_finish(uint32_t key_bits, uint32_t data_bits,
                                                 struct macs_exact_packed_cursor *cursor, uint64_t *data) {
    const uint64_t word = macs_exact_packed_word(data_bits, cursor);
    (void)key_bits;
    *data = word & macs_packing_ones(data_bits);
    return word != 0;
}

/* The same of an indexed table: the entry's index, too. */
MACS_ALWAYS_INLINE void macs_exact_packed_start_indexed(const void *self, uint64_t key, uint32_t key_bits,
                                                        uint32_t data_bits, struct macs_exact_packed_cursor *cursor) {
    macs_exact_packed_start(self, key, key_bits, data_bits, cursor);
}

MACS_ALWAYS_INLINE bool macs_exact_packed_finish_indexed(uint32_t key_bits, uint32_t data_bits,
                                                         struct macs_exact_packed_cursor *cursor, uint64_t *data,
                                                         uint32_t *number) {
    const uint64_t word = macs_exact_packed_word(data_bits, cursor);
    (void)key_bits;
    *data = word & macs_packing_ones(data_bits);
    *number = macs_exact_packed_number(cursor->index, word);
    return word != 0;
}

/* -- the lookups of a burst -------------------------------------------------------------------------------------------
 *
 * Their keys stand in an array and are hashed there, which is vector code. So prefetching a bucket takes an instruction
 * or two, and that counts: a prefetch that misses the TLB holds back what comes after it, and the processor looks at no
 * more than some hundred instructions ahead for the next one.
 */

/* As many cursors as a burst has packets, with arrays for members. */
struct macs_exact_packed_bulk {
    const struct macs_exact_packed_index *index;
    uint64_t mask; /* of the index: here it is one load */
    uint32_t moves;
    uint64_t keys[MACS_BURST_MAX]; /* from the start on what the words have of them in the primary bucket */
    const struct macs_cuckoo_bucket *buckets[MACS_BURST_MAX]; /* primary ones */
    uint64_t words[MACS_BURST_MAX];                           /* that were found there; 0: none */
};

/* In place of the start if the table is empty: all lookups of the burst miss. */
static inline void macs_exact_packed_bulk_none(struct macs_exact_packed_bulk *bulk) {
    bulk->index = NULL;
    bulk->mask = 0;
    bulk->moves = 0;
}

static inline void macs_exact_packed_bulk_start(const void *self, struct macs_exact_packed_bulk *bulk, uint32_t count,
                                                uint32_t key_bits, uint32_t data_bits) {
    const struct macs_exact_packed_index *index =
        atomic_load_explicit((const macs_exact_packed_head *)self, memory_order_acquire);
    const struct macs_exact_packed_index here = {.multiply = {index->multiply[0], index->multiply[1]}};
    const struct macs_cuckoo_bucket *const buckets = index->cuckoo.buckets;
    const uint64_t remainder_mask = index->remainder_mask;
    const uint32_t remainder_bits = index->remainder_bits;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t permuted = macs_exact_packed_permute(&here, bulk->keys[i], key_bits);
        bulk->buckets[i] = &buckets[permuted >> remainder_bits];
        bulk->keys[i] = (permuted << data_bits & remainder_mask) | MACS_EXACT_PACKED_PRESENT;
    }
    bulk->index = index;
    bulk->mask = macs_exact_packed_mask(index);
    bulk->moves = atomic_load_explicit(&index->cuckoo.moves, memory_order_acquire);
}

static inline void macs_exact_packed_bulk_prefetch(const struct macs_exact_packed_bulk *bulk, uint32_t at) {
    macs_prefetch_far(bulk->buckets[at]);
}

/* One of them by itself. */
static inline struct macs_exact_packed_cursor macs_exact_packed_bulk_cursor(const struct macs_exact_packed_bulk *bulk,
                                                                            uint32_t at) {
    return (struct macs_exact_packed_cursor){
        .index = bulk->index,
        .want = bulk->keys[at],
        .primary = (uint32_t)(bulk->buckets[at] - bulk->index->cuckoo.buckets),
        .moves = bulk->moves,
    };
}

/* As the step of a single lookup. */
static inline void macs_exact_packed_bulk_step(struct macs_exact_packed_bulk *bulk, uint32_t at, uint32_t data_bits) {
    const struct macs_cuckoo_bucket *bucket = bulk->buckets[at];
    bulk->words[at] = macs_scan_find(bucket->words, bulk->mask, bulk->keys[at]);
    if (__builtin_expect(!bulk->words[at] && macs_cuckoo_overflows(bucket), 0)) {
        const struct macs_exact_packed_cursor cursor = macs_exact_packed_bulk_cursor(bulk, at);
        macs_prefetch_far(&bulk->index->cuckoo.buckets[macs_exact_packed_secondary(&cursor, data_bits)]);
    }
}

static inline uint64_t macs_exact_packed_bulk_word(const struct macs_exact_packed_bulk *bulk, uint32_t at,
                                                   uint32_t data_bits) {
    if (__builtin_expect(bulk->words[at] != 0, 1))
        return bulk->words[at];
    struct macs_exact_packed_cursor cursor = macs_exact_packed_bulk_cursor(bulk, at);
    struct macs_cuckoo_place place;
    return macs_exact_packed_locate(data_bits, &cursor, &place);
}

/* Whether the key is there; then its entry's data. After its step. */
static inline bool macs_exact_packed_bulk_finish(const struct macs_exact_packed_bulk *bulk, uint32_t at,
                                                 uint32_t data_bits, uint64_t *data) {
    const uint64_t word = macs_exact_packed_bulk_word(bulk, at, data_bits);
    *data = word & macs_packing_ones(data_bits);
    return word != 0;
}

/* The same of an indexed table: the entry's index, too. */
static inline bool macs_exact_packed_bulk_finish_indexed(const struct macs_exact_packed_bulk *bulk, uint32_t at,
                                                         uint32_t data_bits, uint64_t *data, uint32_t *number) {
    const uint64_t word = macs_exact_packed_bulk_word(bulk, at, data_bits);
    *data = word & macs_packing_ones(data_bits);
    *number = macs_exact_packed_number(bulk->index, word);
    return word != 0;
}

extern const struct macs_table_ops macs_exact_packed_ops;

#endif
