#include "control/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/externs.h"

/* Bits of a handle that are the index; above them the version. BMv2's number, more only for larger tables. */
#define INDEX_BITS 24u

struct record {
    bool present;
    uint8_t version;
    uint32_t prefix_bits;
    int32_t priority;
    uint8_t keys[]; /* value; in wide tables mask and high behind it */
};

static struct record *record_at(const struct macs_store *store, uint32_t index) {
    return (struct record *)(void *)(store->map + index * store->stride);
}

static unsigned index_bits(const struct macs_store *store) {
    return store->table->desc->shape.size >> INDEX_BITS ? 32 : INDEX_BITS;
}

static uint64_t handle_of(const struct macs_store *store, uint32_t index) {
    uint64_t version = store->mapped && index < store->map_count ? record_at(store, index)->version : 0;
    return version << index_bits(store) | index;
}

int macs_store_init(struct macs_store *store, const struct macs_program *program, struct macs_table *table) {
    const struct macs_table_desc *desc = table->desc;
    *store = (struct macs_store){.program = program, .table = table};
    for (uint16_t field = 0; field < desc->field_count; field++)
        store->wide |= desc->fields[field].kind != MACS_EXACT && desc->fields[field].kind != MACS_LPM;
    size_t bytes = sizeof(struct record) + desc->shape.key_bytes * (store->wide ? 3u : 1u);
    store->stride = (bytes + _Alignof(struct record) - 1) / _Alignof(struct record) * _Alignof(struct record);
    store->scratch = malloc(2u * desc->shape.key_bytes + 1);
    return store->scratch ? 0 : -ENOMEM;
}

void macs_store_fini(struct macs_store *store) {
    free(store->map);
    free(store->scratch);
    *store = (struct macs_store){0};
}

static int ensure_records(struct macs_store *store, uint32_t index) {
    if (index < store->map_count)
        return 0;
    uint64_t count = store->map_count ? store->map_count : 64;
    while (count <= index)
        count *= 2;
    uint8_t *map = realloc(store->map, count * store->stride);
    if (!map)
        return -ENOMEM;
    memset(map + store->map_count * store->stride, 0, (count - store->map_count) * store->stride);
    store->map = map;
    store->map_count = (uint32_t)count;
    return 0;
}

static int remember(struct macs_store *store, const struct macs_match *match, uint32_t index) {
    int status = ensure_records(store, index);
    if (status)
        return status;
    struct record *record = record_at(store, index);
    uint32_t bytes = store->table->desc->shape.key_bytes;
    record->present = true;
    record->prefix_bits = match->prefix_bits;
    record->priority = match->priority;
    memcpy(record->keys, match->value, bytes);
    if (store->wide) {
        memcpy(record->keys + bytes, match->mask, bytes);
        memcpy(record->keys + 2 * bytes, match->high, bytes);
    }
    return 0;
}

static void forget(struct macs_store *store, uint32_t index) {
    record_at(store, index)->present = false;
    record_at(store, index)->version++;
}

static int remember_visited(const struct macs_match *match, const struct macs_entry *entry, void *argument) {
    return remember(argument, match, entry->index);
}

static const struct macs_kernel *kernel_of(const struct macs_store *store) {
    return store->table->desc->kernel;
}

static int make_map(struct macs_store *store) {
    if (!kernel_of(store))
        return -ENODEV;
    if (store->mapped)
        return 0;
    int status = kernel_of(store)->walk(store->table->kernel, remember_visited, store);
    store->mapped = !status;
    return status;
}

/* Mask and high of a table that has exact and LPM fields only. */
static void narrow_match(struct macs_store *store, struct macs_match *match) {
    uint32_t bytes = store->table->desc->shape.key_bytes;
    memset(store->scratch, 0xff, bytes);
    for (uint32_t bit = match->prefix_bits; bit < bytes * 8; bit++)
        store->scratch[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
    match->mask = store->scratch;
    match->high = match->value;
}

static void recall(struct macs_store *store, uint32_t index, struct macs_match *match) {
    const struct record *record = record_at(store, index);
    uint32_t bytes = store->table->desc->shape.key_bytes;
    *match =
        (struct macs_match){.value = record->keys, .prefix_bits = record->prefix_bits, .priority = record->priority};
    if (store->wide) {
        match->mask = record->keys + bytes;
        match->high = record->keys + 2 * bytes;
    } else {
        narrow_match(store, match);
    }
}

int macs_store_index(struct macs_store *store, uint64_t handle, uint32_t *index) {
    int status = make_map(store);
    if (status)
        return status;
    uint64_t at = handle & ((UINT64_C(1) << index_bits(store)) - 1);
    if (at >= store->map_count || !record_at(store, (uint32_t)at)->present || handle_of(store, (uint32_t)at) != handle)
        return -ENOENT;
    *index = (uint32_t)at;
    return 0;
}

int macs_store_get(struct macs_store *store, uint64_t handle, struct macs_match *match,
                   const struct macs_entry **entry) {
    uint32_t index;
    int status = macs_store_index(store, handle, &index);
    if (status)
        return status;
    recall(store, index, match);
    *entry = kernel_of(store)->find(store->table->kernel, match);
    return *entry ? 0 : -ENOENT;
}

int macs_store_add(struct macs_store *store, const struct macs_match *match, const void *value, uint64_t *handle) {
    if (!kernel_of(store))
        return -ENODEV;
    uint32_t index;
    int status = kernel_of(store)->add(store->table->kernel, match, value, &index);
    if (status)
        return status;
    if (store->mapped)
        status = remember(store, match, index);
    if (status) {
        kernel_of(store)->remove(store->table->kernel, match);
        return status;
    }
    *handle = handle_of(store, index);
    if (*handle != index) /* reused: workers may have counted on the old entry after it was deleted */
        macs_externs_reset_direct(store->program, store->table->desc->name, index);
    return 0;
}

void macs_store_expect(struct macs_store *store, uint64_t handle, unsigned step) {
    const uint64_t index = handle & ((UINT64_C(1) << index_bits(store)) - 1);
    if (!store->mapped || index >= store->map_count)
        return;
    const uint8_t *record = (const uint8_t *)record_at(store, (uint32_t)index);
    if (step == 0) {
        __builtin_prefetch(record, 1);
        __builtin_prefetch(record + store->stride - 1);
    } else if (kernel_of(store)->expect) {
        struct macs_match match;
        recall(store, (uint32_t)index, &match);
        kernel_of(store)->expect(store->table->kernel, &match, step > 1);
    }
}

int macs_store_modify(struct macs_store *store, uint64_t handle, const void *value) {
    struct macs_match match;
    const struct macs_entry *entry;
    int status = macs_store_get(store, handle, &match, &entry);
    return status ? status : kernel_of(store)->modify(store->table->kernel, &match, value);
}

int macs_store_delete(struct macs_store *store, uint64_t handle) {
    struct macs_match match;
    uint32_t index;
    int status = macs_store_index(store, handle, &index);
    if (status)
        return status;
    recall(store, index, &match);
    status = kernel_of(store)->remove(store->table->kernel, &match);
    if (status)
        return status;
    forget(store, index);
    macs_externs_reset_direct(store->program, store->table->desc->name, index);
    return 0;
}

int macs_store_clear(struct macs_store *store, uint64_t *at, uint32_t most) {
    int status = make_map(store);
    for (uint64_t end = *at + most; *at < end && *at < store->map_count && !status; ++*at)
        if (record_at(store, (uint32_t)*at)->present)
            status = macs_store_delete(store, handle_of(store, (uint32_t)*at));
    return status;
}

int macs_store_find(struct macs_store *store, const struct macs_match *match, uint64_t *handle) {
    if (!kernel_of(store))
        return -ENODEV;
    const struct macs_entry *entry = kernel_of(store)->find(store->table->kernel, match);
    if (!entry)
        return -ENOENT;
    *handle = handle_of(store, entry->index);
    return 0;
}

static int visit_index(struct macs_store *store, uint32_t index, macs_store_visit_fn *visit, void *argument) {
    if (!record_at(store, index)->present)
        return 0;
    struct macs_match match;
    recall(store, index, &match);
    const struct macs_entry *entry = kernel_of(store)->find(store->table->kernel, &match);
    return entry ? visit(handle_of(store, index), &match, entry, argument) : 0;
}

int macs_store_walk(struct macs_store *store, uint64_t *at, uint32_t most, macs_store_visit_fn *visit, void *argument) {
    if (!kernel_of(store))
        return 0;
    int status = make_map(store);
    for (uint64_t end = *at + most; *at < end && *at < store->map_count && !status; ++*at)
        status = visit_index(store, (uint32_t)*at, visit, argument);
    return status;
}

uint32_t macs_store_count(const struct macs_store *store) {
    return kernel_of(store) ? kernel_of(store)->count(store->table->kernel) : 0;
}
