/* Table operations of the hash table of tags; its layout and rules are in exact_hash.h. */
#include "exact_hash.h"

#include <errno.h>
#include <stdlib.h>

#include "exact_writer.h"

#ifndef MACS_EXACT_HASH_LOAD_PERCENT
#define MACS_EXACT_HASH_LOAD_PERCENT 80 /* of the words in use when the table is full */
#endif

enum { REBUILDS_MAX = 16 };

typedef struct macs_exact_hash table_t;
typedef struct macs_exact_hash_index index_t;
typedef struct macs_exact_hash_cursor cursor_t;
typedef struct macs_cuckoo_place place_t;

/* -- the index --------------------------------------------------------------------------------------------------------
 */

static index_t *index_make(uint64_t bucket_count) {
    index_t *index = calloc(1, sizeof *index);
    if (!index)
        return NULL;
    index->seed = macs_hash_seed();
    if (macs_cuckoo_init(&index->cuckoo, bucket_count + (bucket_count & 1), false) == 0)
        return index;
    macs_cuckoo_free(&index->cuckoo);
    return NULL;
}

static uint32_t other_bucket(const void *index, uint32_t bucket, uint64_t word) {
    return macs_exact_hash_other(bucket, word, ((const index_t *)index)->cuckoo.bucket_count);
}

/* Put an entry that is not there into the index; the cursor has its hash. */
static bool add_to(index_t *index, const cursor_t *cursor, uint32_t slot) {
    return macs_cuckoo_add(&index->cuckoo, cursor->primary, cursor->want | (slot + 1), other_bucket, index, NULL);
}

/* Put the entry of that slot into an index that is not published yet. */
static bool refill_one(table_t *fresh, uint32_t slot) {
    cursor_t cursor;
    macs_exact_hash_start(fresh, macs_values_inline(&fresh->values, slot), fresh->key_bytes, &cursor);
    return add_to(atomic_load_explicit(&fresh->index, memory_order_relaxed), &cursor, slot);
}

/* Put all entries of `old` and one more into it. */
static bool refill(table_t *fresh, const index_t *old, uint32_t extra) {
    uint64_t word;
    for (place_t at = {0, 0}; macs_cuckoo_next(&old->cuckoo, &at, &word); at = macs_cuckoo_behind(at))
        if (!refill_one(fresh, (uint32_t)word - 1))
            return false;
    return refill_one(fresh, extra);
}

/* Publish a larger index with another seed that holds the new slot too. Needs one reserved defer. */
static int rebuild(table_t *table, uint32_t slot) {
    index_t *old = atomic_load_explicit(&table->index, memory_order_relaxed);
    uint64_t bucket_count = old->cuckoo.bucket_count;
    for (int round = 0; round < REBUILDS_MAX; round++) {
        bucket_count += bucket_count / 16 + 2;
        index_t *index = index_make(bucket_count);
        if (!index)
            return -ENOMEM;
        table_t fresh = {.values = table->values, .key_bytes = table->key_bytes};
        atomic_init(&fresh.index, index);
        if (refill(&fresh, old, slot)) {
            macs_cuckoo_publish(&table->index, index, table->qsbr, table);
            return 0;
        }
        macs_cuckoo_free(&index->cuckoo);
    }
    return -ENOSPC;
}

/* -- table operations -------------------------------------------------------------------------------------------------
 */

static void exact_hash_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->qsbr, table);
    macs_cuckoo_free((struct macs_cuckoo *)atomic_load_explicit(&table->index, memory_order_relaxed));
    macs_values_destroy(&table->values);
    free(table->ones);
    free(table);
}

static int exact_hash_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (!macs_exact_writer_takes(shape))
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
    index_t *index = index_make(words / MACS_CUCKOO_WAYS + 1);
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

static void exact_hash_prefetch(void *self, const struct macs_match *match, bool entry) {
    const table_t *table = self;
    cursor_t cursor;
    macs_exact_hash_start(table, match->value, table->key_bytes, &cursor);
    if (entry)
        macs_exact_hash_step(table, match->value, table->key_bytes, &cursor);
}

/* Where an entry is; or, what the cursor tells, would go. */
struct place {
    cursor_t cursor;
    place_t at;
};

static uint32_t locate(void *self, const struct macs_match *match, void *to) {
    const table_t *table = self;
    struct place *place = to;
    uint64_t word = 0;
    macs_exact_hash_start(table, match->value, table->key_bytes, &place->cursor);
    bool there = macs_exact_hash_locate(table, match->value, table->key_bytes, &place->cursor, &place->at, &word);
    return there ? (uint32_t)word : 0;
}

static int insert(void *self, const struct macs_match *match, void *to, uint32_t slot) {
    table_t *table = self;
    const struct place *place = to;
    memcpy(macs_values_inline(&table->values, slot), match->value, table->key_bytes);
    bool room = add_to(atomic_load_explicit(&table->index, memory_order_relaxed), &place->cursor, slot);
    return room ? 0 : rebuild(table, slot);
}

static void replace(void *self, const struct macs_match *match, void *to, uint32_t slot) {
    table_t *table = self;
    const struct place *place = to;
    memcpy(macs_values_inline(&table->values, slot), match->value, table->key_bytes);
    index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    macs_cuckoo_replace(&index->cuckoo, place->at, place->cursor.want | (slot + 1));
}

static void take_out(void *self, const struct macs_match *match, void *to) {
    const struct place *place = to;
    index_t *index = atomic_load_explicit(&((table_t *)self)->index, memory_order_relaxed);
    (void)match;
    macs_cuckoo_remove(&index->cuckoo, place->at, place->cursor.primary);
}

static const struct macs_exact_writer_ops writer_ops = {locate, insert, replace, take_out, .add_defers = 1};

static struct macs_exact_writer writer_of(table_t *table, struct place *place) {
    return (struct macs_exact_writer){&writer_ops, table, place, &table->values};
}

static int exact_hash_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    struct place place;
    const struct macs_exact_writer writer = writer_of(self, &place);
    return ((const table_t *)self)->key_bytes ? macs_exact_writer_add(&writer, match, value, index) : -EINVAL;
}

static int exact_hash_modify(void *self, const struct macs_match *match, const void *value) {
    struct place place;
    const struct macs_exact_writer writer = writer_of(self, &place);
    return macs_exact_writer_modify(&writer, match, value);
}

static int exact_hash_remove(void *self, const struct macs_match *match) {
    struct place place;
    const struct macs_exact_writer writer = writer_of(self, &place);
    return macs_exact_writer_remove(&writer, match);
}

static const struct macs_entry *exact_hash_find(void *self, const struct macs_match *match) {
    struct place place;
    const struct macs_exact_writer writer = writer_of(self, &place);
    return macs_exact_writer_find(&writer, match);
}

static int exact_hash_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                           void *arg) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    struct macs_match match = {.mask = table->ones, .prefix_bits = table->key_bytes * 8};
    uint64_t word;
    for (place_t at = {0, 0}; macs_cuckoo_next(&index->cuckoo, &at, &word); at = macs_cuckoo_behind(at)) {
        uint32_t slot = (uint32_t)word - 1;
        match.value = match.high = macs_values_inline(&table->values, slot);
        int answer = visit(&match, macs_values_at(&table->values, slot), arg);
        if (answer)
            return answer;
    }
    return 0;
}

static uint32_t exact_hash_count(void *self) {
    return ((const table_t *)self)->values.count;
}

static uint64_t exact_hash_memory(void *self) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    return macs_values_memory(&table->values) + macs_cuckoo_memory(&index->cuckoo);
}

static uint64_t exact_hash_reader_bytes(void *self) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    return macs_cuckoo_reader_bytes(&index->cuckoo) + (uint64_t)exact_hash_count(self) * table->values.stride;
}

static struct macs_indices *exact_hash_indices(void *self) {
    return &((table_t *)self)->values.indices;
}

const struct macs_table_ops macs_exact_hash_ops = {
    .name = "exact_hash",
    .create = exact_hash_create,
    .destroy = exact_hash_destroy,
    .add = exact_hash_add,
    .prefetch = exact_hash_prefetch,
    .modify = exact_hash_modify,
    .remove = exact_hash_remove,
    .find = exact_hash_find,
    .walk = exact_hash_walk,
    .count = exact_hash_count,
    .indices = exact_hash_indices,
    .memory_bytes = exact_hash_memory,
    .reader_bytes = exact_hash_reader_bytes,
};
