/* Table operations of the array of slot numbers; its layout and rules are in exact_index.h. */
#include "exact_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exact_writer.h"
#include "tables/common/memory.h"

typedef struct macs_exact_index table_t;

static uint32_t key_count(const table_t *table) {
    return UINT32_C(1) << 8 * table->key_bytes;
}

static size_t cells_bytes(const table_t *table) {
    return (size_t)key_count(table) * sizeof *table->cells;
}

static void exact_index_destroy(void *self) {
    table_t *table = self;
    macs_values_destroy(&table->values);
    macs_memory_free((void *)table->cells, cells_bytes(table));
    free(table->shown);
    free(table);
}

static int exact_index_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (shape->key_bytes > MACS_EXACT_INDEX_KEY_BYTES || !macs_exact_writer_takes(shape))
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    int error = macs_values_create(&table->values, shape, 0, qsbr);
    if (error) {
        free(table);
        return error;
    }
    table->key_bytes = shape->key_bytes;
    table->cells = macs_memory_alloc(cells_bytes(table), false);
    table->shown = malloc(2 * (size_t)shape->key_bytes + 1);
    if (!table->cells || !table->shown) {
        exact_index_destroy(table);
        return -ENOMEM;
    }
    memset(table->shown + shape->key_bytes, 0xff, shape->key_bytes);
    *self = table;
    return 0;
}

/* The place is the cell. */
static uint32_t locate(void *self, const struct macs_match *match, void *place) {
    const table_t *table = self;
    _Atomic uint32_t *cell = &table->cells[macs_exact_index_of(match->value, table->key_bytes)];
    *(_Atomic uint32_t **)place = cell;
    return atomic_load_explicit(cell, memory_order_relaxed);
}

static void replace(void *self, const struct macs_match *match, void *place, uint32_t slot) {
    (void)self, (void)match;
    atomic_store_explicit(*(_Atomic uint32_t **)place, slot + 1, memory_order_release);
}

static int insert(void *self, const struct macs_match *match, void *place, uint32_t slot) {
    replace(self, match, place, slot);
    return 0;
}

static void take_out(void *self, const struct macs_match *match, void *place) {
    (void)self, (void)match;
    atomic_store_explicit(*(_Atomic uint32_t **)place, 0, memory_order_release);
}

static const struct macs_exact_writer_ops writer_ops = {locate, insert, replace, take_out, .add_defers = 0};

static struct macs_exact_writer writer_of(table_t *table, _Atomic uint32_t **place) {
    return (struct macs_exact_writer){&writer_ops, table, place, &table->values};
}

static int exact_index_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    _Atomic uint32_t *cell;
    const struct macs_exact_writer writer = writer_of(self, &cell);
    return ((table_t *)self)->key_bytes ? macs_exact_writer_add(&writer, match, value, index) : -EINVAL;
}

static int exact_index_modify(void *self, const struct macs_match *match, const void *value) {
    _Atomic uint32_t *cell;
    const struct macs_exact_writer writer = writer_of(self, &cell);
    return macs_exact_writer_modify(&writer, match, value);
}

static int exact_index_remove(void *self, const struct macs_match *match) {
    _Atomic uint32_t *cell;
    const struct macs_exact_writer writer = writer_of(self, &cell);
    return macs_exact_writer_remove(&writer, match);
}

static const struct macs_entry *exact_index_find(void *self, const struct macs_match *match) {
    _Atomic uint32_t *cell;
    const struct macs_exact_writer writer = writer_of(self, &cell);
    return macs_exact_writer_find(&writer, match);
}

static int exact_index_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                            void *arg) {
    const table_t *table = self;
    const uint32_t bytes = table->key_bytes;
    const struct macs_match match = {table->shown, table->shown + bytes, table->shown, bytes * 8, 0};
    for (uint32_t key = 0; key < key_count(table); key++) {
        uint32_t slot = atomic_load_explicit(&table->cells[key], memory_order_relaxed);
        if (!slot)
            continue;
        table->shown[0] = (uint8_t)(bytes == 1 ? key : key >> 8);
        table->shown[bytes - 1] = (uint8_t)key;
        int answer = visit(&match, macs_values_at(&table->values, slot - 1), arg);
        if (answer)
            return answer;
    }
    return 0;
}

static uint32_t exact_index_count(void *self) {
    return ((const table_t *)self)->values.count;
}

static uint64_t exact_index_memory(void *self) {
    const table_t *table = self;
    return cells_bytes(table) + macs_values_memory(&table->values);
}

static uint64_t exact_index_reader_bytes(void *self) {
    const table_t *table = self;
    return cells_bytes(table) + (uint64_t)table->values.count * table->values.stride;
}

static struct macs_indices *exact_index_indices(void *self) {
    return &((table_t *)self)->values.indices;
}

const struct macs_table_ops macs_exact_index_ops = {
    .name = "exact_index",
    .create = exact_index_create,
    .destroy = exact_index_destroy,
    .add = exact_index_add,
    .modify = exact_index_modify,
    .remove = exact_index_remove,
    .find = exact_index_find,
    .walk = exact_index_walk,
    .count = exact_index_count,
    .indices = exact_index_indices,
    .memory_bytes = exact_index_memory,
    .reader_bytes = exact_index_reader_bytes,
};
