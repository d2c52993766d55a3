/* Writer side of the hash of tags; layout and rules stand in exact_hash.h. */
#include "exact_hash.h"

#include <errno.h>
#include <stdlib.h>

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

static void index_free(index_t *index) {
    if (!index)
        return;
    macs_cuckoo_fini(&index->cuckoo);
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
    index->seed = macs_hash_seed();
    if (macs_cuckoo_init(&index->cuckoo, bucket_count + (bucket_count & 1), false) == 0)
        return index;
    index_free(index);
    return NULL;
}

static uint32_t other_bucket(const void *index, uint32_t bucket, uint64_t word) {
    return macs_exact_hash_other(bucket, word, ((const index_t *)index)->cuckoo.bucket_count);
}

/* Put an entry that is not there into the index; the cursor has its hash. */
static bool add_to(index_t *index, const cursor_t *cursor, uint32_t slot) {
    return macs_cuckoo_add(&index->cuckoo, cursor->primary, cursor->want | (slot + 1), other_bucket, index, NULL);
}

/* Put all entries of `old` and one more into an index that is not published yet. */
static bool refill(table_t *fresh, const index_t *old, uint32_t extra) {
    index_t *index = atomic_load_explicit(&fresh->index, memory_order_relaxed);
    uint64_t words = (uint64_t)old->cuckoo.bucket_count * MACS_CUCKOO_WAYS;
    for (uint64_t i = 0; i <= words; i++) {
        place_t at = {(uint32_t)(i / MACS_CUCKOO_WAYS), i % MACS_CUCKOO_WAYS};
        uint32_t slot = i == words ? extra + 1 : (uint32_t)macs_cuckoo_word(&old->cuckoo, at);
        cursor_t cursor;
        if (slot == 0)
            continue;
        macs_exact_hash_start(fresh, macs_values_inline(&fresh->values, slot - 1), fresh->key_bytes, &cursor);
        if (!add_to(index, &cursor, slot - 1))
            return false;
    }
    return true;
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

/* Whether the key is there; if not, the cursor tells where it would go. */
static bool locate(const table_t *table, const struct macs_match *match, cursor_t *cursor, place_t *at,
                   uint64_t *word) {
    macs_exact_hash_start(table, match->value, table->key_bytes, cursor);
    return macs_exact_hash_locate(table, match->value, table->key_bytes, cursor, at, word);
}

static void exact_hash_expect(void *self, const struct macs_match *match, bool entry) {
    const table_t *table = self;
    cursor_t cursor;
    macs_exact_hash_start(table, match->value, table->key_bytes, &cursor);
    if (entry)
        macs_exact_hash_step(table, match->value, table->key_bytes, &cursor);
}

static int exact_hash_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t word;
    uint32_t slot = 0;
    if (table->key_bytes == 0)
        return -EINVAL;
    if (locate(table, match, &cursor, &at, &word))
        return -EEXIST;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (!error)
        error = macs_values_add(&table->values, value, &slot);
    if (error)
        return error;
    memcpy(macs_values_inline(&table->values, slot), match->value, table->key_bytes);
    if (!add_to(atomic_load_explicit(&table->index, memory_order_relaxed), &cursor, slot)) {
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
    place_t at;
    uint64_t word;
    uint32_t slot = 0;
    if (!locate(table, match, &cursor, &at, &word))
        return -ENOENT;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    uint32_t old = (uint32_t)word - 1;
    if (!error)
        error = macs_values_take(&table->values, macs_values_at(&table->values, old)->index, value, &slot);
    if (error)
        return error;
    memcpy(macs_values_inline(&table->values, slot), match->value, table->key_bytes);
    index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    macs_cuckoo_replace(&index->cuckoo, at, cursor.want | (slot + 1));
    macs_values_retire(&table->values, old);
    return 0;
}

static int exact_hash_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t word;
    if (!locate(table, match, &cursor, &at, &word))
        return -ENOENT;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (error)
        return error;
    index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    macs_cuckoo_remove(&index->cuckoo, at, cursor.primary);
    macs_values_remove(&table->values, (uint32_t)word - 1);
    return 0;
}

static const struct macs_entry *exact_hash_find(void *self, const struct macs_match *match) {
    const table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t word;
    return locate(table, match, &cursor, &at, &word) ? macs_values_at(&table->values, (uint32_t)word - 1) : NULL;
}

static int exact_hash_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                           void *arg) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    struct macs_match match = {.mask = table->ones, .prefix_bits = table->key_bytes * 8};
    for (place_t at = {0, 0}; at.bucket < index->cuckoo.bucket_count; at.bucket++) {
        for (at.way = 0; at.way < MACS_CUCKOO_WAYS; at.way++) {
            uint32_t slot = (uint32_t)macs_cuckoo_word(&index->cuckoo, at);
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
    return macs_values_memory(&table->values) + macs_cuckoo_memory(&index->cuckoo);
}

static uint64_t exact_hash_reader_bytes(void *self) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    return macs_cuckoo_reader_bytes(&index->cuckoo) + (uint64_t)exact_hash_count(self) * table->values.stride;
}

const struct macs_kernel macs_exact_hash_kernel = {
    .name = "exact_hash",
    .create = exact_hash_create,
    .destroy = exact_hash_destroy,
    .add = exact_hash_add,
    .expect = exact_hash_expect,
    .modify = exact_hash_modify,
    .remove = exact_hash_remove,
    .find = exact_hash_find,
    .walk = exact_hash_walk,
    .count = exact_hash_count,
    .memory_bytes = exact_hash_memory,
    .reader_bytes = exact_hash_reader_bytes,
};
