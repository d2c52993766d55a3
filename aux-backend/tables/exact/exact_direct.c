/* Table operations of the direct array; its layout and rules are in exact_direct.h. */
#include "exact_direct.h"

#include <errno.h>
#include <stdlib.h>

#include "tables/common/indices.h"
#include "tables/common/memory.h"

struct macs_exact_direct {
    void *cells;       /* first: lookups read it there */
    uint32_t *numbers; /* per key: its entry's index; NULL in an indexed table */
    struct macs_table_shape shape;
    struct macs_indices indices;
    struct macs_packing_view view;
    struct macs_qsbr *qsbr;
    uint32_t count;
};

typedef struct macs_exact_direct table_t;

/* Bits of a cell below its mark. */
static uint32_t cell_bits(const struct macs_table_shape *shape) {
    return shape->data_bits + (shape->indexed ? shape->key_bits : 0u);
}

static uint32_t width_of(const table_t *table) {
    return macs_exact_direct_width(cell_bits(&table->shape));
}

static size_t cells_bytes(const table_t *table) {
    return (size_t)width_of(table) << table->shape.key_bits;
}

static size_t numbers_bytes(const table_t *table) {
    return table->shape.indexed ? 0 : sizeof *table->numbers << table->shape.key_bits;
}

/* The cell of a key: 0 where there is no entry. */
static uint64_t load(const table_t *table, uint64_t key) {
    uint32_t width = width_of(table);
    return macs_exact_direct_load((const uint8_t *)table->cells + key * width, width);
}

static void store(table_t *table, uint64_t key, uint64_t word) {
    switch (width_of(table)) {
    case 1:
        atomic_store_explicit((_Atomic uint8_t *)table->cells + key, (uint8_t)word, memory_order_release);
        break;
    case 2:
        atomic_store_explicit((_Atomic uint16_t *)table->cells + key, (uint16_t)word, memory_order_release);
        break;
    case 4:
        atomic_store_explicit((_Atomic uint32_t *)table->cells + key, (uint32_t)word, memory_order_release);
        break;
    default:
        atomic_store_explicit((_Atomic uint64_t *)table->cells + key, word, memory_order_release);
    }
}

/* The cell of an entry with those data and that index. */
static uint64_t cell_of(const table_t *table, uint64_t data, uint32_t number) {
    uint64_t index = table->shape.indexed ? (uint64_t)number << table->shape.data_bits : 0;
    return data | index | UINT64_C(1) << cell_bits(&table->shape);
}

/* The index of the key's entry, which has that cell. */
static uint32_t number_of(const table_t *table, uint64_t key, uint64_t word) {
    uint64_t number = word >> table->shape.data_bits & macs_packing_ones(table->shape.key_bits);
    return table->shape.indexed ? (uint32_t)number : table->numbers[key];
}

/* How many indices there are: in cells, as many as there are cells. */
static uint32_t index_count(const struct macs_table_shape *shape) {
    uint32_t most = shape->indexed ? UINT32_C(1) << shape->key_bits : UINT32_MAX;
    return shape->size < most ? shape->size : most;
}

static uint64_t key_of(const table_t *table, const struct macs_match *match) {
    return macs_packing_key(&table->shape, match->value);
}

static void exact_direct_destroy(void *self) {
    table_t *table = self;
    macs_qsbr_drop(table->qsbr, &table->indices);
    macs_memory_free(table->cells, cells_bytes(table));
    macs_memory_free(table->numbers, numbers_bytes(table));
    macs_indices_destroy(&table->indices);
    macs_packing_view_destroy(&table->view);
    free(table);
}

static int exact_direct_create(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self) {
    if (!macs_packing_takes(shape) || shape->key_bits < 1 || shape->key_bits > MACS_EXACT_DIRECT_KEY_BITS ||
        cell_bits(shape) > MACS_EXACT_DIRECT_DATA_BITS)
        return -EINVAL;
    table_t *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->shape = *shape;
    table->qsbr = qsbr;
    table->cells = macs_memory_alloc(cells_bytes(table), false);
    if (!shape->indexed)
        table->numbers = macs_memory_alloc(numbers_bytes(table), true);
    if (macs_packing_view_create(&table->view, &table->shape) ||
        macs_indices_create(&table->indices, index_count(shape)) || !table->cells ||
        (!table->numbers && !shape->indexed)) {
        exact_direct_destroy(table);
        return -ENOMEM;
    }
    *self = table;
    return 0;
}

static int exact_direct_add(void *self, const struct macs_match *match, const void *value, uint32_t *index) {
    table_t *table = self;
    uint64_t key = key_of(table, match), data;
    uint32_t number = 0;
    int error = macs_packing_check(&table->shape, value, &data);
    if (!error && load(table, key))
        error = -EEXIST;
    if (!error)
        error = macs_indices_take_waiting(&table->indices, table->qsbr, table->count, &number);
    if (error)
        return error;
    if (!table->shape.indexed)
        table->numbers[key] = number;
    store(table, key, cell_of(table, data, number));
    table->count++;
    if (index)
        *index = number;
    return 0;
}

static int exact_direct_modify(void *self, const struct macs_match *match, const void *value) {
    table_t *table = self;
    uint64_t key = key_of(table, match), word = load(table, key), data;
    if (!word)
        return -ENOENT;
    int error = macs_packing_check(&table->shape, value, &data);
    if (!error)
        store(table, key, cell_of(table, data, number_of(table, key, word)));
    return error;
}

static int exact_direct_remove(void *self, const struct macs_match *match) {
    table_t *table = self;
    uint64_t key = key_of(table, match), word = load(table, key);
    if (!word)
        return -ENOENT;
    int error = table->shape.indexed ? macs_qsbr_reserve(table->qsbr, 1) : 0;
    if (error)
        return error;
    uint32_t number = number_of(table, key, word);
    store(table, key, 0);
    if (table->shape.indexed)
        macs_indices_give_later(&table->indices, table->qsbr, number);
    else
        macs_indices_give(&table->indices, number);
    table->count--;
    return 0;
}

static const struct macs_entry *show(const table_t *table, uint64_t key, uint64_t word) {
    return macs_packing_show(&table->view, word & macs_packing_ones(table->shape.data_bits),
                             number_of(table, key, word));
}

static const struct macs_entry *exact_direct_find(void *self, const struct macs_match *match) {
    const table_t *table = self;
    uint64_t key = key_of(table, match), word = load(table, key);
    return word ? show(table, key, word) : NULL;
}

static int exact_direct_walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                             void *arg) {
    const table_t *table = self;
    for (uint64_t key = 0; key >> table->shape.key_bits == 0; key++) {
        uint64_t word = load(table, key);
        if (!word)
            continue;
        struct macs_match match = macs_packing_match(&table->view, key);
        int answer = visit(&match, show(table, key, word), arg);
        if (answer)
            return answer;
    }
    return 0;
}

static uint32_t exact_direct_count(void *self) {
    return ((const table_t *)self)->count;
}

static uint64_t exact_direct_memory(void *self) {
    const table_t *table = self;
    return cells_bytes(table) + numbers_bytes(table) + macs_indices_memory(&table->indices);
}

static uint64_t exact_direct_reader_bytes(void *self) {
    return cells_bytes(self);
}

static struct macs_indices *exact_direct_indices(void *self) {
    return &((table_t *)self)->indices;
}

const struct macs_table_ops macs_exact_direct_ops = {
    .name = "exact_direct",
    .create = exact_direct_create,
    .destroy = exact_direct_destroy,
    .add = exact_direct_add,
    .modify = exact_direct_modify,
    .remove = exact_direct_remove,
    .find = exact_direct_find,
    .walk = exact_direct_walk,
    .count = exact_direct_count,
    .indices = exact_direct_indices,
    .memory_bytes = exact_direct_memory,
    .reader_bytes = exact_direct_reader_bytes,
};
