/* Cuckoo hashing, shared by the exact-match tables: a bucket is a cache line of eight words, and each entry may be in
 * one of two buckets.
 *
 * An entry is put into its secondary bucket only when the primary one is full. The primary bucket then gets an overflow
 * mark; without the mark a lookup reads no second line. So most lookups read one bucket, up to a load of 95 %.
 * The table chooses 62 bits of each word (0: free). It can compute an entry's other bucket from its bucket and word, so
 * an entry is moved without its key.
 * Invariants: a word changes by one atomic store. A move writes the new word, sets the marks, increments `moves`, and
 * then clears the old word. A reader that found nothing searches again if `moves` has changed.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Source: Pagh and Rodler, Cuckoo hashing (2004); Li et al., Algorithmic improvements for fast concurrent cuckoo
 * hashing (2014); Fan et al., MemC3 (2013), for moves without keys.
 */
#ifndef MACS_TABLES_CUCKOO_H
#define MACS_TABLES_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/common/prefetch.h"
#include "tables/common/scan.h"

#define MACS_CUCKOO_WAYS MACS_SCAN_WORDS
#define MACS_CUCKOO_WAYS_BITS 3u

#define MACS_CUCKOO_OVERFLOW (UINT64_C(1) << 63)  /* of the bucket; in its word 0 only */
#define MACS_CUCKOO_SECONDARY (UINT64_C(1) << 62) /* the bucket is the entry's secondary one */

struct macs_cuckoo_bucket {
    _Alignas(64) _Atomic uint64_t words[MACS_CUCKOO_WAYS];
};

struct macs_cuckoo {
    struct macs_cuckoo_bucket *buckets;
    uint32_t bucket_count;
    _Atomic uint32_t moves;
    uint32_t *overflows; /* per bucket: entries that have it as primary and stand in their secondary; writer only */
    uint32_t *notes;     /* per word, where the table wants them: what goes along with an entry; writer only */
};

/* The other bucket of the entry whose word stands in `bucket`; never the same bucket. */
typedef uint32_t macs_cuckoo_other_fn(const void *table, uint32_t bucket, uint64_t word);

/* Where a word stands. */
struct macs_cuckoo_place {
    uint32_t bucket, way;
};

/* 0 or -ENOMEM, and then macs_cuckoo_fini may still be called. */
int macs_cuckoo_init(struct macs_cuckoo *cuckoo, uint64_t bucket_count, bool with_notes);
void macs_cuckoo_fini(struct macs_cuckoo *cuckoo);

/* Free an index of a table, which begins with its buckets; NULL is allowed. */
void macs_cuckoo_free(struct macs_cuckoo *index);

/* Publish another index of `table`, at `place`; the old one is freed when no lookup looks at it any more. Needs one
 * reserved defer. Both begin with their buckets. */
#define macs_cuckoo_publish(place, index, qsbr, table)                                                                 \
    macs_qsbr_defer(qsbr, macs_cuckoo_release, table, atomic_exchange_explicit(place, index, memory_order_acq_rel))
void macs_cuckoo_release(void *owner, void *index);

/* Prefetch what a change of a bucket's entries reads beside it. */
static inline void macs_cuckoo_prefetch(const struct macs_cuckoo *cuckoo, uint32_t bucket) {
    macs_prefetch(&cuckoo->overflows[bucket]);
    if (cuckoo->notes)
        macs_prefetch(&cuckoo->notes[(size_t)bucket * MACS_CUCKOO_WAYS]);
}

/* The word in a place without the bucket's mark; 0: free. */
uint64_t macs_cuckoo_word(const struct macs_cuckoo *cuckoo, struct macs_cuckoo_place at);

/* The next place from `at` on where a word is, which goes to *word: false, there is none. */
bool macs_cuckoo_next(const struct macs_cuckoo *cuckoo, struct macs_cuckoo_place *at, uint64_t *word);

/* The place behind. */
static inline struct macs_cuckoo_place macs_cuckoo_behind(struct macs_cuckoo_place at) {
    at.way = (at.way + 1) % MACS_CUCKOO_WAYS;
    at.bucket += at.way == 0;
    return at;
}

/* Put a word that is not there, without SECONDARY: false when no moves make room, and then nothing has changed for
 * readers. `place` may be NULL. */
bool macs_cuckoo_add(struct macs_cuckoo *cuckoo, uint32_t primary, uint64_t word, macs_cuckoo_other_fn *other,
                     const void *table, struct macs_cuckoo_place *place);

/* Put another word for the same entry. */
void macs_cuckoo_replace(struct macs_cuckoo *cuckoo, struct macs_cuckoo_place at, uint64_t word);

/* Take the word out; `primary` is its entry's primary bucket. */
void macs_cuckoo_remove(struct macs_cuckoo *cuckoo, struct macs_cuckoo_place at, uint32_t primary);

uint64_t macs_cuckoo_memory(const struct macs_cuckoo *cuckoo);

/* Of that, the buckets: what lookups read. */
static inline uint64_t macs_cuckoo_reader_bytes(const struct macs_cuckoo *cuckoo) {
    return (uint64_t)cuckoo->bucket_count * sizeof *cuckoo->buckets;
}

static inline bool macs_cuckoo_overflows(const struct macs_cuckoo_bucket *bucket) {
    return atomic_load_explicit(&bucket->words[0], memory_order_acquire) & MACS_CUCKOO_OVERFLOW;
}

/* After a miss: whether an entry was moved since `moves` was read, so that the miss may be none. */
static inline bool macs_cuckoo_moved(const struct macs_cuckoo *cuckoo, uint32_t *moves) {
#ifndef MACS_SCAN_PLAIN
    atomic_thread_fence(memory_order_acquire); /* vector loads order nothing */
#endif
    uint32_t now = atomic_load_explicit(&cuckoo->moves, memory_order_acquire);
    bool moved = now != *moves;
    *moves = now;
    return moved;
}

#endif
