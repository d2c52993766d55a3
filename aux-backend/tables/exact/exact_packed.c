/* Table operations of the packed hash table; its layout and rules are in exact_packed.h. */
#include "exact_packed.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>

#include "tables/common/indices.h"

#ifndef MACS_EXACT_PACKED_LOAD_PERCENT
#define MACS_EXACT_PACKED_LOAD_PERCENT 70 /* of the words in use when the table is doubled */
#endif

enum { ENTRIES_FIRST = 1024 /* that a new table is made for, if the program wants so many */, BUCKET_BITS_MAX = 30 };

struct macs_exact_packed {
    macs_exact_packed_head index;
    struct macs_table_shape shape;
    struct macs_indices indices;
    uint32_t count;
    struct macs_packing_view view;
    struct macs_qsbr *qsbr;
};

typedef struct macs_exact_packed table_t;
typedef struct macs_exact_packed_index index_t;
typedef struct macs_exact_packed_cursor cursor_t;
typedef struct macs_cuckoo_place place_t;

/* -- the index --------------------------------------------------------------------------------------------------------
 */

/* With a permutation of its own, or with that of `like`. */
static index_t *index_make(const struct macs_table_shape *shape, uint32_t bucket_bits, const index_t *like) {
    index_t *index = calloc(1, sizeof *index);
    if (!index)
        return NULL;
    index->bucket_bits = bucket_bits;
    index->remainder_bits = shape->key_bits - bucket_bits;
    index->remainder_mask = macs_packing_ones(index->remainder_bits) << shape->data_bits;
    index->number_at = shape->data_bits + index->remainder_bits;
    index->number_mask = (uint32_t)((MACS_EXACT_PACKED_PRESENT - 1) >> index->number_at);
    for (int i = 0; i < 2; i++)
        index->multiply[i] = like ? like->multiply[i] : macs_hash_seed() | 1;
    if (macs_cuckoo_init(&index->cuckoo, UINT64_C(1) << bucket_bits, !shape->indexed) == 0)
        return index;
    macs_cuckoo_free(&index->cuckoo);
    return NULL;
}

/* Inverse of an odd number modulo 2^64: Newton's iteration doubles the bits that are right. */
static uint64_t inverse(uint64_t odd) {
    uint64_t found = odd;
    for (int round = 0; round < 5; round++)
        found *= 2 - odd * found;
    return found;
}

static uint64_t permute_back(const index_t *index, uint64_t permuted, uint32_t bits) {
    uint64_t key = permuted * inverse(index->multiply[1]) & macs_packing_ones(bits);
    key ^= key >> (bits + 1) / 2;
    return key * inverse(index->multiply[0]) & macs_packing_ones(bits);
}

static uint64_t remainder_of(const table_t *table, const index_t *index, uint64_t word) {
    return word >> table->shape.data_bits & macs_packing_ones(index->remainder_bits);
}

/* What a move needs to know. */
struct inside {
    const table_t *table;
    const index_t *index;
};

static uint32_t other_bucket(const void *context, uint32_t bucket, uint64_t word) {
    const struct inside *inside = context;
    return macs_exact_packed_other(inside->index, bucket, remainder_of(inside->table, inside->index, word));
}

/* The key of the entry in that place. */
static uint64_t key_of(const table_t *table, const index_t *index, place_t at, uint64_t word) {
    uint64_t remainder = remainder_of(table, index, word);
    uint32_t primary = word & MACS_CUCKOO_SECONDARY ? macs_exact_packed_other(index, at.bucket, remainder) : at.bucket;
    return permute_back(index, (uint64_t)primary << index->remainder_bits | remainder, table->shape.key_bits);
}

static uint32_t *note(const index_t *index, place_t at) {
    return &index->cuckoo.notes[(size_t)at.bucket * MACS_CUCKOO_WAYS + at.way];
}

/* The index of the entry in that place. */
static uint32_t number_of(const table_t *table, const index_t *index, place_t at, uint64_t word) {
    return table->shape.indexed ? macs_exact_packed_number(index, word) : *note(index, at);
}

/* Whether words have room for that index. */
static bool has_room(const table_t *table, const index_t *index, uint32_t number) {
    return !table->shape.indexed || number < (uint64_t)index->cuckoo.bucket_count * MACS_CUCKOO_WAYS;
}

/* Put an entry that is not there into the index. */
static bool add_to(const table_t *table, index_t *index, uint64_t key, uint64_t data, uint32_t number) {
    const struct inside inside = {table, index};
    const macs_exact_packed_head head = index;
    cursor_t cursor;
    place_t at;
    const bool indexed = table->shape.indexed;
    if (!has_room(table, index, number))
        return false;
    macs_exact_packed_start(&head, key, table->shape.key_bits, table->shape.data_bits, &cursor);
    uint64_t word = cursor.want | data | (indexed ? (uint64_t)number << index->number_at : 0);
    if (!macs_cuckoo_add(&index->cuckoo, cursor.primary, word, other_bucket, &inside, &at))
        return false;
    if (!indexed)
        *note(index, at) = number;
    return true;
}

/* Put all entries of `old` into an index that is not published yet. */
static bool refill(const table_t *table, const index_t *old, index_t *index) {
    uint64_t word;
    for (place_t at = {0, 0}; macs_cuckoo_next(&old->cuckoo, &at, &word); at = macs_cuckoo_behind(at)) {
        uint64_t data = word & macs_packing_ones(table->shape.data_bits);
        if (!add_to(table, index, key_of(table, old, at, word), data, number_of(table, old, at, word)))
            return false;
    }
    return true;
}

/* With this many bucket bits each bucket has a way for every key that it can be asked for. */
static uint32_t most_bucket_bits(const table_t *table) {
    uint32_t bits = table->shape.key_bits - 3;
    return bits < BUCKET_BITS_MAX ? bits : BUCKET_BITS_MAX;
}

/* Publish a larger index. Needs one reserved defer. 0, -ENOMEM, or -ENOSPC where it cannot be larger.
 * `like`: the permutation to begin with, or NULL; with the old index's own, each bucket's entries go to the next two
 * buckets, so memory is written from front to back. */
static int grow(table_t *table, const index_t *like) {
    index_t *old = atomic_load_explicit(&table->index, memory_order_relaxed);
    for (uint32_t bits = old->bucket_bits + 1; bits <= most_bucket_bits(table); bits++, like = NULL) {
        index_t *index = index_make(&table->shape, bits, like);
        if (!index)
            return -ENOMEM;
        if (refill(table, old, index)) {
            macs_cuckoo_publish(&table->index, index, table->qsbr, table);
            return 0;
        }
        macs_cuckoo_free(&index->cuckoo);
    }
    return -ENOSPC;
}

static bool is_loaded(const table_t *table, const index_t *index, uint32_t entries) {
    uint64_t words = (uint64_t)index->cuckoo.bucket_count * MACS_CUCKOO_WAYS;
    return (uint64_t)entries * 100 > words * MACS_EXACT_PACKED_LOAD_PERCENT &&
           index->bucket_bits < most_bucket_bits(table);
}

/* -- table operations -------------------------------------------------------------------------------------------------
 */

static void exact_packed_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->qsbr, table);
    macs_qsbr_drop(table->qsbr, &table->indices);
    macs_cuckoo_free((struct macs_cuckoo *)atomic_load_explicit(&table->index, memory_order_relaxed));
    macs_indices_destroy(&table->indices);
    macs_packing_view_destroy(&table->view);
    free(table);
}

/* As few as the first entries need, but enough for the rest of the key to fit its word; 0 if it never does. */
static uint32_t first_bucket_bits(const table_t *table) {
    const struct macs_table_shape *shape = &table->shape;
    uint32_t entries = shape->size < ENTRIES_FIRST ? shape->size : ENTRIES_FIRST;
    uint32_t bits = 1;
    while (bits < most_bucket_bits(table) && (UINT64_C(8) << bits) * MACS_EXACT_PACKED_LOAD_PERCENT < entries * 100u)
        bits++;
    while (shape->key_bits - bits + shape->data_bits > MACS_EXACT_PACKED_BITS)
        bits++;
    return bits <= most_bucket_bits(table) ? bits : 0;
}

static bool fits(const struct macs_table_shape *shape) {
    return macs_packing_takes(shape) && shape->key_bits >= 4 && shape->data_bits <= 57 &&
           (!shape->indexed || shape->key_bits + shape->data_bits <= MACS_EXACT_PACKED_INDEXED_BITS);
}

/* How many indices there are: in words, as many as there may be words. */
static uint32_t index_count(const struct macs_table_shape *shape) {
    uint64_t most = shape->indexed ? macs_packing_ones(shape->key_bits) : UINT32_MAX;
    return shape->size <= most ? shape->size : (uint32_t)most + 1;
}

static int exact_packed_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (!fits(shape))
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->shape = *shape;
    table->qsbr = qsbr;
    uint32_t bucket_bits = first_bucket_bits(table);
    if (!bucket_bits) {
        free(table);
        return -EINVAL;
    }
    atomic_init(&table->index, index_make(&table->shape, bucket_bits, NULL));
    if (macs_packing_view_create(&table->view, &table->shape) ||
        macs_indices_create(&table->indices, index_count(shape)) || !atomic_load(&table->index)) {
        exact_packed_destroy(table);
        return -ENOMEM;
    }
    *self = table;
    return 0;
}

/* The word of that entry and its place, or 0; the cursor has where it would go. */
static uint64_t locate(const table_t *table, const struct macs_match *match, cursor_t *cursor, place_t *at) {
    const struct macs_table_shape *shape = &table->shape;
    uint64_t key = macs_packing_key(shape, match->value);
    macs_exact_packed_start(table, key, shape->key_bits, shape->data_bits, cursor);
    macs_cuckoo_prefetch(&cursor->index->cuckoo, cursor->primary);
    return macs_exact_packed_locate(shape->data_bits, cursor, at);
}

static void exact_packed_prefetch(void *self, const struct macs_match *match, bool entry) {
    const table_t *table = self;
    cursor_t cursor;
    if (entry) /* it is in the bucket */
        return;
    macs_exact_packed_start(table, macs_packing_key(&table->shape, match->value), table->shape.key_bits,
                            table->shape.data_bits, &cursor);
    macs_cuckoo_prefetch(&cursor.index->cuckoo, cursor.primary);
}

static int exact_packed_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t data;
    uint32_t number = 0;
    int error = macs_packing_check(&table->shape, value, &data);
    if (!error && locate(table, match, &cursor, &at))
        error = -EEXIST;
    if (!error)
        error = macs_qsbr_reserve(table->qsbr, 2);
    if (!error)
        error = macs_indices_take_waiting(&table->indices, table->qsbr, table->count, &number);
    if (error)
        return error;
    index_t *current = atomic_load_explicit(&table->index, memory_order_relaxed);
    if (is_loaded(table, current, table->count + 1) && grow(table, current) == 0) /* else it has room yet */
        current = atomic_load_explicit(&table->index, memory_order_relaxed);
    uint64_t key = macs_packing_key(&table->shape, match->value);
    while (!error && !add_to(table, current, key, data, number)) {
        error = macs_qsbr_reserve(table->qsbr, 1);
        if (!error)
            error = grow(table, NULL); /* the keys may suit another permutation better */
        current = atomic_load_explicit(&table->index, memory_order_relaxed);
    }
    if (error) {
        macs_indices_give(&table->indices, number);
        return error;
    }
    table->count++;
    if (index)
        *index = number;
    return 0;
}

static int exact_packed_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t data, word = locate(table, match, &cursor, &at);
    if (!word)
        return -ENOENT;
    int error = macs_packing_check(&table->shape, value, &data);
    if (error)
        return error;
    index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    if (table->shape.indexed)
        data |= (uint64_t)macs_exact_packed_number(index, word) << index->number_at;
    macs_cuckoo_replace(&index->cuckoo, at, cursor.want | data);
    return 0;
}

/* Where readers have it in words, after a grace period: no packet counts for another entry. */
static void give_number(table_t *table, uint32_t number) {
    if (table->shape.indexed)
        macs_indices_give_later(&table->indices, table->qsbr, number);
    else
        macs_indices_give(&table->indices, number);
}

static int exact_packed_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t word = locate(table, match, &cursor, &at);
    if (!word)
        return -ENOENT;
    int error = table->shape.indexed ? macs_qsbr_reserve(table->qsbr, 1) : 0;
    if (error)
        return error;
    index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    uint32_t number = number_of(table, index, at, word);
    macs_cuckoo_remove(&index->cuckoo, at, cursor.primary);
    give_number(table, number);
    table->count--;
    return 0;
}

static const struct macs_entry *show(const table_t *table, const index_t *index, place_t at, uint64_t word) {
    return macs_packing_show(&table->view, word & macs_packing_ones(table->shape.data_bits),
                             number_of(table, index, at, word));
}

static const struct macs_entry *exact_packed_find(void *self, const struct macs_match *match) {
    const table_t *table = self;
    cursor_t cursor;
    place_t at;
    uint64_t word = locate(table, match, &cursor, &at);
    return word ? show(table, atomic_load_explicit(&table->index, memory_order_relaxed), at, word) : NULL;
}

static int exact_packed_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                             void *arg) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    uint64_t word;
    for (place_t at = {0, 0}; macs_cuckoo_next(&index->cuckoo, &at, &word); at = macs_cuckoo_behind(at)) {
        struct macs_match match = macs_packing_match(&table->view, key_of(table, index, at, word));
        int answer = visit(&match, show(table, index, at, word), arg);
        if (answer)
            return answer;
    }
    return 0;
}

static uint32_t exact_packed_count(void *self) {
    return ((const table_t *)self)->count;
}

static uint64_t exact_packed_memory(void *self) {
    const table_t *table = self;
    const index_t *index = atomic_load_explicit(&table->index, memory_order_relaxed);
    return macs_cuckoo_memory(&index->cuckoo) + macs_indices_memory(&table->indices);
}

static uint64_t exact_packed_reader_bytes(void *self) {
    const table_t *table = self;
    return macs_cuckoo_reader_bytes(&atomic_load_explicit(&table->index, memory_order_relaxed)->cuckoo);
}

static struct macs_indices *exact_packed_indices(void *self) {
    return &((table_t *)self)->indices;
}

const struct macs_table_ops macs_exact_packed_ops = {
    .name = "exact_packed",
    .create = exact_packed_create,
    .destroy = exact_packed_destroy,
    .add = exact_packed_add,
    .prefetch = exact_packed_prefetch,
    .modify = exact_packed_modify,
    .remove = exact_packed_remove,
    .find = exact_packed_find,
    .walk = exact_packed_walk,
    .count = exact_packed_count,
    .indices = exact_packed_indices,
    .memory_bytes = exact_packed_memory,
    .reader_bytes = exact_packed_reader_bytes,
};
