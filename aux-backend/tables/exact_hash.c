/* Writer side of the cuckoo hash; layout and rules stand in exact_hash.h. */
#include "exact_hash.h"

#include <errno.h>
#include <stdlib.h>

#include "memory.h"

#ifndef MACS_EXACT_HASH_LOAD_PERCENT
#define MACS_EXACT_HASH_LOAD_PERCENT 80 /* of the words in use when the table is full */
#endif

enum { SEARCH_MAX = 1024 /* buckets that a search for a cuckoo path looks at */, REBUILDS_MAX = 16 };

typedef struct macs_exact_hash table_t;
typedef struct macs_exact_hash_index index_t;
typedef struct macs_exact_hash_cursor cursor_t;

/* -- the index and its words ------------------------------------------------------------------------------------------
 */

static void index_free(index_t *index) {
    if (!index)
        return;
    macs_memory_free(index->buckets, (size_t)index->bucket_count * sizeof *index->buckets);
    macs_memory_free(index->overflows, (size_t)index->bucket_count * sizeof *index->overflows);
    free(index);
}

static void release_index(void *owner, void *index) {
    (void)owner;
    index_free(index);
}

static index_t *index_make(uint64_t bucket_count) {
    index_t *index = calloc(1, sizeof *index);
    if (!index)
        return NULL;
    bucket_count += bucket_count & 1;
    if (bucket_count < UINT32_MAX && bucket_count < SIZE_MAX / 2 / sizeof *index->buckets) {
        index->bucket_count = bucket_count ? (uint32_t)bucket_count : 2;
        index->buckets = macs_memory_alloc((size_t)index->bucket_count * sizeof *index->buckets, false);
        index->overflows = macs_memory_alloc((size_t)index->bucket_count * sizeof *index->overflows, true);
    }
    index->seed = macs_hash_seed();
    if (index->buckets && index->overflows)
        return index;
    index_free(index);
    return NULL;
}

static uint64_t word_at(const index_t *index, uint32_t bucket, uint32_t way) {
    uint64_t word = atomic_load_explicit(&index->buckets[bucket].words[way], memory_order_relaxed);
    return word & ~MACS_EXACT_HASH_OVERFLOW;
}

static uint32_t tag_of(uint64_t word) {
    return (uint32_t)(word >> 34);
}

/* Store a word, keeping the bucket's overflow mark. */
static void put_word(index_t *index, uint32_t bucket, uint32_t way, uint64_t word) {
    if (way == 0 && index->overflows[bucket])
        word |= MACS_EXACT_HASH_OVERFLOW;
    atomic_store_explicit(&index->buckets[bucket].words[way], word, memory_order_release);
}

/* Count entries of this primary bucket that stand elsewhere, and mark it accordingly. */
static void count_overflow(index_t *index, uint32_t bucket, int difference) {
    index->overflows[bucket] += (uint32_t)difference;
    put_word(index, bucket, 0, word_at(index, bucket, 0));
}

/* A free way, or WAYS. */
static uint32_t free_way(const index_t *index, uint32_t bucket) {
    uint32_t way = 0;
    while (way < MACS_EXACT_HASH_WAYS && (uint32_t)word_at(index, bucket, way) != 0)
        way++;
    return way;
}

/* -- cuckoo moves -----------------------------------------------------------------------------------------------------
 */

/* A bucket in the search for a path: reached by moving the entry in `way` of the bucket of node `parent`. */
struct node {
    uint32_t bucket;
    int16_t parent;
    uint8_t way;
};

static bool on_path(const struct node *nodes, int at, uint32_t bucket) {
    for (; at >= 0; at = nodes[at].parent)
        if (nodes[at].bucket == bucket)
            return true;
    return false;
}

/* Move the entry in (from, from_way) to its other bucket's free `to_way`; see the invariant in exact_hash.h. */
static void move_entry(index_t *index, uint32_t from, uint32_t from_way, uint32_t to, uint32_t to_way) {
    uint64_t word = word_at(index, from, from_way);
    bool to_primary = word & MACS_EXACT_HASH_SECONDARY;
    put_word(index, to, to_way, word ^ MACS_EXACT_HASH_SECONDARY);
    if (!to_primary)
        count_overflow(index, from, 1);
    atomic_fetch_add_explicit(&index->moves, 1, memory_order_acq_rel);
    put_word(index, from, from_way, 0);
    if (to_primary)
        count_overflow(index, to, -1);
}

/* Make a way of bucket a or b free by moving others. Breadth first, so by the fewest moves. */
static bool make_room(index_t *index, uint32_t a, uint32_t b, uint32_t *bucket, uint32_t *way) {
    struct node nodes[SEARCH_MAX] = {{a, -1, 0}, {b, -1, 0}};
    int count = 2;
    for (int at = 0; at < count; at++) {
        uint32_t room = free_way(index, nodes[at].bucket);
        if (room == MACS_EXACT_HASH_WAYS) {
            for (uint32_t i = 0; i < MACS_EXACT_HASH_WAYS && count < SEARCH_MAX; i++) {
                uint32_t tag = tag_of(word_at(index, nodes[at].bucket, i));
                uint32_t other = macs_exact_hash_other(nodes[at].bucket, tag, index->bucket_count);
                if (!on_path(nodes, at, other))
                    nodes[count++] = (struct node){other, (int16_t)at, (uint8_t)i};
            }
            continue;
        }
        for (; nodes[at].parent >= 0; at = nodes[at].parent) {
            move_entry(index, nodes[nodes[at].parent].bucket, nodes[at].way, nodes[at].bucket, room);
            room = nodes[at].way;
        }
        *bucket = nodes[at].bucket;
        *way = room;
        return true;
    }
    return false;
}

/* Put an entry that is not there into the index: false when there is no path. */
static bool place(index_t *index, uint32_t primary, uint32_t tag, uint32_t slot) {
    uint32_t secondary = macs_exact_hash_other(primary, tag, index->bucket_count);
    uint32_t bucket = primary;
    uint32_t way = free_way(index, primary);
    if (way == MACS_EXACT_HASH_WAYS) {
        bucket = secondary;
        way = free_way(index, secondary);
    }
    if (way == MACS_EXACT_HASH_WAYS && !make_room(index, primary, secondary, &bucket, &way))
        return false;
    uint64_t word = (uint64_t)tag << 34 | (slot + 1);
    if (bucket == primary) {
        put_word(index, bucket, way, word);
    } else {
        put_word(index, bucket, way, word | MACS_EXACT_HASH_SECONDARY);
        count_overflow(index, primary, 1);
    }
    return true;
}

/* Put all entries of `old` and one more into an index that is empty. */
static bool refill(const table_t *table, const index_t *old, index_t *index, uint32_t slot) {
    for (uint64_t i = 0; i <= (uint64_t)old->bucket_count * MACS_EXACT_HASH_WAYS; i++) {
        bool last = i == (uint64_t)old->bucket_count * MACS_EXACT_HASH_WAYS;
        uint32_t known =
            last ? 0 : (uint32_t)word_at(old, (uint32_t)(i / MACS_EXACT_HASH_WAYS), i % MACS_EXACT_HASH_WAYS);
        if (!last && known == 0)
            continue;
        uint32_t at = last ? slot : known - 1;
        uint64_t hash = macs_hash_bytes(macs_values_inline(&table->values, at), table->key_bytes, index->seed);
        if (!place(index, macs_hash_reduce((uint32_t)hash, index->bucket_count), (uint32_t)(hash >> 34) | 1, at))
            return false;
    }
    return true;
}

/* Publish a larger index with another seed that holds the new slot too. Needs one reserved defer. */
static int rebuild(table_t *table, uint32_t slot) {
    index_t *old = atomic_load_explicit(&table->index, memory_order_relaxed);
    uint64_t bucket_count = old->bucket_count;
    for (int round = 0; round < REBUILDS_MAX; round++) {
        bucket_count += bucket_count / 16 + 2;
        index_t *index = index_make(bucket_count);
        if (!index)
            return -ENOMEM;
        if (refill(table, old, index, slot)) {
            atomic_store_explicit(&table->index, index, memory_order_release);
            macs_qsbr_defer(table->qsbr, release_index, table, old);
            return 0;
        }
        index_free(index);
    }
    return -ENOSPC;
}

/* -- the kernel -------------------------------------------------------------------------------------------------------
 */

static void exact_hash_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->qsbr, table);
    index_free(atomic_load_explicit(&table->index, memory_order_relaxed));
    macs_values_destroy(&table->values);
    free(table->ones);
    free(table);
}

static int exact_hash_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    for (uint32_t i = 0; shape->fields && i < shape->field_count; i++)
        if (shape->fields[i].kind != MACS_EXACT)
            return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->key_bytes = shape->key_bytes;
    table->qsbr = qsbr;
    int error = macs_values_create(&table->values, shape, shape->key_bytes, qsbr);
    if (error) {
        free(table);
        return error;
    }
    uint64_t words = (uint64_t)shape->size * 100 / MACS_EXACT_HASH_LOAD_PERCENT;
    index_t *index = index_make(words / MACS_EXACT_HASH_WAYS + 1);
    atomic_init(&table->index, index);
    table->ones = malloc((size_t)shape->key_bytes + 1);
    if (!index || !table->ones) {
        exact_hash_destroy(table);
        return -ENOMEM;
    }
    memset(table->ones, 0xff, (size_t)shape->key_bytes + 1);
    *self = table;
    return 0;
}

/* The word of that key, or NULL with the cursor at where it would go. */
static _Atomic uint64_t *locate(const table_t *table, const struct macs_match *match, cursor_t *cursor,
                                uint64_t *word) {
    macs_exact_hash_start(table, match->value, table->key_bytes, cursor);
    return macs_exact_hash_locate(table, match->value, table->key_bytes, cursor, word);
}

static int exact_hash_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    cursor_t cursor;
    uint64_t word;
    uint32_t slot = 0;
    if (table->key_bytes == 0)
        return -EINVAL;
    if (locate(table, match, &cursor, &word))
        return -EEXIST;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (!error)
        error = macs_values_add(&table->values, value, &slot);
    if (error)
        return error;
    memcpy(macs_values_inline(&table->values, slot), match->value, table->key_bytes);
    index_t *current = atomic_load_explicit(&table->index, memory_order_relaxed);
    if (!place(current, cursor.primary, cursor.tag, slot)) {
        error = rebuild(table, slot);
        if (error) {
            macs_values_cancel(&table->values, slot);
            return error;
        }
    }
    if (index)
        *index = macs_values_at(&table->values, slot)->index;
    return 0;
}

static int exact_hash_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    cursor_t cursor;
    uint64_t word;
    uint32_t slot = 0;
    _Atomic uint64_t *place_of = locate(table, match, &cursor, &word);
    if (!place_of)
        return -ENOENT;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (!error)
        error = macs_values_replace(&table->values, (uint32_t)word - 1, value, &slot);
    if (error)
        return error;
    atomic_store_explicit(place_of, (word & ~(uint64_t)UINT32_MAX) | (slot + 1), memory_order_release);
    macs_values_retire(&table->values, (uint32_t)word - 1);
    return 0;
}

static int exact_hash_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    cursor_t cursor;
    uint64_t word;
    _Atomic uint64_t *place_of = locate(table, match, &cursor, &word);
    if (!place_of)
        return -ENOENT;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (error)
        return error;
    atomic_store_explicit(place_of, word & MACS_EXACT_HASH_OVERFLOW, memory_order_release);
    if (word & MACS_EXACT_HASH_SECONDARY)
        count_overflow(atomic_load_explicit(&table->index, memory_order_relaxed), cursor.primary, -1);
    macs_values_remove(&table->values, (uint32_t)word - 1);
    return 0;
}

static const struct macs_entry *exact_hash_find(void *self, const struct macs_match *match) {
    const table_t *table = self;
    cursor_t cursor;
    uint64_t word;
    return locate(table, match, &cursor, &word) ? macs_values_at(&table->values, (uint32_t)word - 1) : NULL;
}

static int exact_hash_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                           void *arg) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    struct macs_match match = {.mask = table->ones, .prefix_bits = table->key_bytes * 8};
    for (uint32_t bucket = 0; bucket < index->bucket_count; bucket++) {
        for (uint32_t way = 0; way < MACS_EXACT_HASH_WAYS; way++) {
            uint32_t slot = (uint32_t)word_at(index, bucket, way);
            if (slot == 0)
                continue;
            match.value = match.high = macs_values_inline(&table->values, slot - 1);
            int answer = visit(&match, macs_values_at(&table->values, slot - 1), arg);
            if (answer)
                return answer;
        }
    }
    return 0;
}

static uint32_t exact_hash_count(void *self) {
    return ((const table_t *)self)->values.count;
}

static uint64_t exact_hash_memory(void *self) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    return macs_values_memory(&table->values) +
           (uint64_t)index->bucket_count * (sizeof *index->buckets + sizeof *index->overflows);
}

const struct macs_kernel macs_exact_hash_kernel = {
    .name = "exact_hash",
    .create = exact_hash_create,
    .destroy = exact_hash_destroy,
    .add = exact_hash_add,
    .modify = exact_hash_modify,
    .remove = exact_hash_remove,
    .find = exact_hash_find,
    .walk = exact_hash_walk,
    .count = exact_hash_count,
    .memory_bytes = exact_hash_memory,
};
