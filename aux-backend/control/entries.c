#include "control/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/learning.h"
#include "runtime/profile.h"

/* Bits of a handle that are the index; above them the version. BMv2's number, more only for larger tables. */
#define INDEX_BITS 24u

struct record {
    bool present;
    uint8_t version;
    uint32_t prefix_bits;
    int32_t priority;
    uint8_t keys[]; /* value; in wide tables mask and high behind it */
};

static struct record *record_at(const struct macs_entries *entries, uint32_t index) {
    return (struct record *)(void *)(entries->map + index * entries->stride);
}

static unsigned index_bits(const struct macs_entries *entries) {
    return entries->table->desc->shape.size >> INDEX_BITS ? 32 : INDEX_BITS;
}

static uint64_t handle_of(const struct macs_entries *entries, uint32_t index) {
    uint64_t version = entries->mapped && index < entries->map_count ? record_at(entries, index)->version : 0;
    return version << index_bits(entries) | index;
}

int macs_entries_init(struct macs_entries *entries, const struct macs_switch *sw, const struct macs_program *program,
                      uint16_t table) {
    const struct macs_table_desc *desc = program->tables[table].desc;
    *entries = (struct macs_entries){.sw = sw, .program = program, .table = &program->tables[table]};
    for (uint16_t field = 0; field < desc->field_count; field++)
        entries->wide |= desc->fields[field].kind != MACS_EXACT && desc->fields[field].kind != MACS_LPM;
    size_t bytes = sizeof(struct record) + desc->shape.key_bytes * (entries->wide ? 3u : 1u);
    entries->stride = (bytes + _Alignof(struct record) - 1) / _Alignof(struct record) * _Alignof(struct record);
    entries->scratch = malloc(2u * desc->shape.key_bytes + 1);
    return entries->scratch ? 0 : -ENOMEM;
}

void macs_entries_fini(struct macs_entries *entries) {
    free(entries->map);
    free(entries->scratch);
    *entries = (struct macs_entries){0};
}

static int ensure_records(struct macs_entries *entries, uint32_t index) {
    if (index < entries->map_count)
        return 0;
    uint64_t count = entries->map_count ? entries->map_count : 64;
    while (count <= index)
        count *= 2;
    uint8_t *map = realloc(entries->map, count * entries->stride);
    if (!map)
        return -ENOMEM;
    memset(map + entries->map_count * entries->stride, 0, (count - entries->map_count) * entries->stride);
    entries->map = map;
    entries->map_count = (uint32_t)count;
    return 0;
}

static int remember(struct macs_entries *entries, const struct macs_match *match, uint32_t index) {
    int status = ensure_records(entries, index);
    if (status)
        return status;
    struct record *record = record_at(entries, index);
    uint32_t bytes = entries->table->desc->shape.key_bytes;
    record->present = true;
    record->prefix_bits = match->prefix_bits;
    record->priority = match->priority;
    memcpy(record->keys, match->value, bytes);
    if (entries->wide) {
        memcpy(record->keys + bytes, match->mask, bytes);
        memcpy(record->keys + 2 * bytes, match->high, bytes);
    }
    return 0;
}

static void forget(struct macs_entries *entries, uint32_t index) {
    record_at(entries, index)->present = false;
    record_at(entries, index)->version++;
}

static int remember_visited(const struct macs_match *match, const struct macs_entry *entry, void *argument) {
    const struct macs_entries *entries = argument;
    return atomic_load(&entries->sw->ending) ? -ECANCELED : remember(argument, match, entry->index);
}

static const struct macs_table_ops *ops_of(const struct macs_entries *entries) {
    return entries->table->desc->ops;
}

static int make_map(struct macs_entries *entries) {
    if (!ops_of(entries))
        return -ENODEV;
    if (entries->mapped)
        return 0;
    int status = ops_of(entries)->walk(entries->table->state, remember_visited, entries);
    entries->mapped = !status;
    return status;
}

/* Mask and high of a table that has exact and LPM fields only. */
static void narrow_match(struct macs_entries *entries, struct macs_match *match) {
    uint32_t bytes = entries->table->desc->shape.key_bytes;
    memset(entries->scratch, 0xff, bytes);
    for (uint32_t bit = match->prefix_bits; bit < bytes * 8; bit++)
        entries->scratch[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
    match->mask = entries->scratch;
    match->high = match->value;
}

static void recall(struct macs_entries *entries, uint32_t index, struct macs_match *match) {
    const struct record *record = record_at(entries, index);
    uint32_t bytes = entries->table->desc->shape.key_bytes;
    *match =
        (struct macs_match){.value = record->keys, .prefix_bits = record->prefix_bits, .priority = record->priority};
    if (entries->wide) {
        match->mask = record->keys + bytes;
        match->high = record->keys + 2 * bytes;
    } else {
        narrow_match(entries, match);
    }
}

uint32_t macs_entries_index_of(const struct macs_entries *entries, uint64_t handle) {
    return (uint32_t)(handle & ((UINT64_C(1) << index_bits(entries)) - 1));
}

int macs_entries_index(struct macs_entries *entries, uint64_t handle, uint32_t *index) {
    int status = make_map(entries);
    if (status)
        return status;
    uint64_t at = handle & ((UINT64_C(1) << index_bits(entries)) - 1);
    if (at >= entries->map_count || !record_at(entries, (uint32_t)at)->present ||
        handle_of(entries, (uint32_t)at) != handle)
        return -ENOENT;
    *index = (uint32_t)at;
    return 0;
}

int macs_entries_get(struct macs_entries *entries, uint64_t handle, struct macs_match *match,
                     const struct macs_entry **entry) {
    uint32_t index;
    int status = macs_entries_index(entries, handle, &index);
    if (status)
        return status;
    recall(entries, index, match);
    *entry = ops_of(entries)->find(entries->table->state, match);
    return *entry ? 0 : -ENOENT;
}

/* What the entry with that match names in the table's action profile; an action of its own if there is none. */
static struct macs_indirect named_by(const struct macs_entries *entries, const struct macs_match *match) {
    const struct macs_entry *entry =
        entries->table->desc->profile ? ops_of(entries)->find(entries->table->state, match) : NULL;
    if (!entry || (entry->action != MACS_INDIRECT_MEMBER && entry->action != MACS_INDIRECT_GROUP))
        return (struct macs_indirect){.head = {.action = MACS_NO_ACTION}};
    return *(const struct macs_indirect *)entry;
}

/* An entry, or the default entry, has come (1) or gone (-1). */
static void refer(const struct macs_entries *entries, const void *entry, int more) {
    const uint16_t profile = entries->table->desc->profile;
    if (profile)
        macs_profile_refer(entries->program->externs[profile - 1], entry, more);
}

/* Add an entry where no index is reserved for it. All indices may be those of what packets have added and is no entry
 * yet: then the table is full, and nobody hangs. */
static int add_unreserved(struct macs_entries *entries, const struct macs_match *match, const void *value,
                          uint32_t *index) {
    const struct macs_learning *learning = entries->table->learning;
    const int status = macs_table_add(entries->table, match, value, index);
    const bool all_promised =
        learning && macs_entries_count(entries) + learning->reserved >= entries->table->desc->shape.size;
    return status == -EBUSY && all_promised ? -ENOSPC : status;
}

/* Add an entry to the table, where packets add others by an index that is reserved. */
static int add(struct macs_entries *entries, const struct macs_match *match, const void *value, uint32_t *index) {
    struct macs_learning *learning = entries->table->learning;
    uint32_t reserved;
    if (!learning || !macs_learning_take(learning, &reserved))
        return add_unreserved(entries, match, value, index);
    learning->indices->given = reserved + 1;
    const int status = macs_table_add(entries->table, match, value, index);
    if (learning->indices->given)
        macs_learning_put_back(learning, reserved);
    else
        learning->reserved--;
    learning->indices->given = 0;
    return status;
}

int macs_entries_learn(struct macs_entries *entries, const struct macs_match *match, const struct macs_entry *value,
                       bool *taken) {
    struct macs_indices *indices = entries->table->learning->indices;
    const uint32_t index = value->index;
    struct macs_match whole = *match;
    *taken = false;
    int status = entries->mapped ? ensure_records(entries, index) : 0;
    if (status)
        return status;
    narrow_match(entries, &whole);
    indices->given = index + 1;
    status = macs_table_add(entries->table, &whole, value, NULL);
    *taken = !indices->given;
    indices->given = 0;
    if (!status && entries->mapped)
        status = remember(entries, &whole, index);
    struct macs_ages *ages = entries->table->ages;
    if (!status && ages && !entries->table->desc->deletes) /* who has subscribed is told of it as of others */
        macs_ages_limit(ages, index, macs_ages_timeout_ns(ages, index));
    return status;
}

int macs_entries_add(struct macs_entries *entries, const struct macs_match *match, const void *value,
                     uint64_t *handle) {
    if (!ops_of(entries))
        return -ENODEV;
    uint32_t index;
    int status = add(entries, match, value, &index);
    if (status)
        return status;
    if (entries->mapped)
        status = remember(entries, match, index);
    if (status) {
        macs_table_remove(entries->table, match);
        return status;
    }
    refer(entries, value, 1);
    *handle = handle_of(entries, index);
    if (entries->table->ages)
        macs_ages_begin(entries->table->ages, index, macs_switch_now(entries->sw));
    if (*handle != index) /* reused: workers may have counted on the old entry after it was deleted */
        macs_externs_reset_direct(entries->program, entries->table->desc->name, index);
    return 0;
}

void macs_entries_prefetch(struct macs_entries *entries, uint64_t handle, unsigned step) {
    const uint64_t index = handle & ((UINT64_C(1) << index_bits(entries)) - 1);
    if (!entries->mapped || index >= entries->map_count)
        return;
    const uint8_t *record = (const uint8_t *)record_at(entries, (uint32_t)index);
    if (step == 0) {
        __builtin_prefetch(record, 1);
        __builtin_prefetch(record + entries->stride - 1);
    } else if (ops_of(entries)->prefetch) {
        struct macs_match match;
        recall(entries, (uint32_t)index, &match);
        ops_of(entries)->prefetch(entries->table->state, &match, step > 1);
    }
}

int macs_entries_modify(struct macs_entries *entries, uint64_t handle, const void *value) {
    struct macs_match match;
    const struct macs_entry *entry;
    int status = macs_entries_get(entries, handle, &match, &entry);
    return status ? status : macs_entries_change(entries, &match, value);
}

int macs_entries_change(struct macs_entries *entries, const struct macs_match *match, const void *value) {
    if (!ops_of(entries))
        return -ENODEV;
    const struct macs_indirect old = named_by(entries, match);
    int status = ops_of(entries)->modify(entries->table->state, match, value);
    if (status)
        return status;
    macs_tables_changed();
    refer(entries, value, 1);
    refer(entries, &old, -1);
    return 0;
}

int macs_entries_set_default(struct macs_entries *entries, const void *value) {
    struct macs_table *table = entries->table;
    const struct macs_entry *before = macs_table_default(table);
    struct macs_indirect old = {.head = {.action = MACS_NO_ACTION}};
    if (before->action == MACS_INDIRECT_MEMBER || before->action == MACS_INDIRECT_GROUP)
        old = *(const struct macs_indirect *)before;
    int status = macs_table_set_default(table, value);
    if (status)
        return status;
    if (value)
        refer(entries, value, 1);
    refer(entries, &old, -1);
    return 0;
}

int macs_entries_delete(struct macs_entries *entries, uint64_t handle) {
    struct macs_match match;
    uint32_t index;
    int status = macs_entries_index(entries, handle, &index);
    if (status)
        return status;
    recall(entries, index, &match);
    const struct macs_indirect old = named_by(entries, &match);
    status = macs_table_remove(entries->table, &match);
    if (status)
        return status;
    if (entries->table->learning)
        macs_learning_forget(entries->table->learning, match.value);
    refer(entries, &old, -1);
    forget(entries, index);
    if (entries->table->ages)
        macs_ages_end(entries->table->ages, index);
    macs_externs_reset_direct(entries->program, entries->table->desc->name, index);
    return 0;
}

int macs_entries_delete_at(struct macs_entries *entries, uint32_t index) {
    const int status = make_map(entries);
    if (status)
        return status;
    if (index >= entries->map_count || !record_at(entries, index)->present)
        return -ENOENT;
    return macs_entries_delete(entries, handle_of(entries, index));
}

int macs_entries_clear(struct macs_entries *entries, uint64_t *at, uint32_t most) {
    int status = make_map(entries);
    for (uint64_t end = *at + most; *at < end && *at < entries->map_count && !status; ++*at)
        if (record_at(entries, (uint32_t)*at)->present)
            status = macs_entries_delete(entries, handle_of(entries, (uint32_t)*at));
    return status;
}

int macs_entries_find(struct macs_entries *entries, const struct macs_match *match, uint64_t *handle) {
    if (!ops_of(entries))
        return -ENODEV;
    const struct macs_entry *entry = ops_of(entries)->find(entries->table->state, match);
    if (!entry)
        return -ENOENT;
    *handle = handle_of(entries, entry->index);
    return 0;
}

static int visit_index(struct macs_entries *entries, uint32_t index, macs_entries_visit_fn *visit, void *argument) {
    if (!record_at(entries, index)->present)
        return 0;
    struct macs_match match;
    recall(entries, index, &match);
    const struct macs_entry *entry = ops_of(entries)->find(entries->table->state, &match);
    return entry ? visit(handle_of(entries, index), &match, entry, argument) : 0;
}

int macs_entries_walk(struct macs_entries *entries, uint64_t *at, uint32_t most, macs_entries_visit_fn *visit,
                      void *argument) {
    if (!ops_of(entries))
        return 0;
    int status = make_map(entries);
    for (uint64_t end = *at + most; *at < end && *at < entries->map_count && !status; ++*at)
        status = visit_index(entries, (uint32_t)*at, visit, argument);
    return status;
}

uint32_t macs_entries_count(const struct macs_entries *entries) {
    return ops_of(entries) ? ops_of(entries)->count(entries->table->state) : 0;
}
