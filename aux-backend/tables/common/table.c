/* What is the same for all tables: creation from a description, the default entry, clearing, destruction. */
#include <errno.h>
#include <macs/qsbr.h>
#include <macs/table.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "packing.h"

static void release_default(void *owner, void *value) {
    (void)owner;
    free(value);
}

/* The shape with what the rest of the description says. */
static struct macs_table_shape shape_of(const struct macs_table_desc *desc) {
    struct macs_table_shape shape = desc->shape;
    shape.fields = desc->fields;
    shape.field_count = desc->field_count;
    shape.actions = desc->actions;
    shape.action_count = desc->action_count;
    return shape;
}

/* 0 where entries are not words. */
static uint64_t default_word(const struct macs_table_desc *desc, const struct macs_entry *default_entry) {
    struct macs_table_shape shape = shape_of(desc);
    return shape.key_bits ? macs_packing_data(&shape, default_entry) : 0;
}

int macs_table_set_default(struct macs_table *table, const void *value) {
    const struct macs_table_shape *shape = &table->desc->shape;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (error)
        return error;
    struct macs_entry *default_entry = aligned_alloc(64, ((size_t)shape->value_bytes + 63) & ~(size_t)63);
    if (!default_entry)
        return -ENOMEM;
    memcpy(default_entry, value ? value : table->desc->default_value, shape->value_bytes);
    default_entry->index = shape->size;
    atomic_store_explicit(&table->default_word, default_word(table->desc, default_entry), memory_order_release);
    const struct macs_entry *old = atomic_exchange_explicit(&table->default_entry, default_entry, memory_order_acq_rel);
    if (old)
        macs_qsbr_defer(table->qsbr, release_default, table, (void *)(uintptr_t)old);
    macs_tables_changed();
    return 0;
}

const char *macs_table_missing(const struct macs_table_ops *ops) {
    const struct {
        bool there;
        const char *name;
    } operations[] = {
        {ops->name, "name"},       {ops->create, "create"},
        {ops->destroy, "destroy"}, {ops->add, "add"},
        {ops->modify, "modify"},   {ops->remove, "remove"},
        {ops->find, "find"},       {ops->walk, "walk"},
        {ops->count, "count"},     {ops->memory_bytes, "memory_bytes"},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!operations[i].there)
            return operations[i].name;
    return NULL;
}

struct macs_match macs_table_own_match(const struct macs_table_desc *desc, uint32_t number) {
    struct macs_match match = desc->entries[number].match;
    bool ranked = false;
    for (uint16_t field = 0; field < desc->field_count; field++)
        ranked |= desc->fields[field].kind != MACS_EXACT && desc->fields[field].kind != MACS_LPM;
    match.priority = ranked ? match.priority : 0;
    return match;
}

static int add_own(struct macs_table *table, uint32_t number) {
    const struct macs_match match = macs_table_own_match(table->desc, number);
    return macs_table_add(table, &match, table->desc->entries[number].value, NULL);
}

int macs_table_init(struct macs_table *table, const struct macs_table_desc *desc, struct macs_qsbr *qsbr) {
    *table = (struct macs_table){.desc = desc, .qsbr = qsbr};
    const struct macs_table_shape shape = shape_of(desc);
    if (shape.value_bytes < sizeof(struct macs_entry) || (desc->entry_count && !desc->ops))
        return -EINVAL;
    if (desc->ops && macs_table_missing(desc->ops))
        return -ENOSYS;
    int error = desc->ops ? desc->ops->create(&shape, qsbr, &table->state) : 0;
    if (!error)
        error = macs_table_set_default(table, NULL);
    for (uint32_t i = 0; !error && i < desc->entry_count; i++)
        error = add_own(table, i);
    if (error)
        macs_table_close(table);
    return error;
}

void macs_table_close(struct macs_table *table) {
    macs_qsbr_drop(table->qsbr, table);
    if (table->state)
        table->desc->ops->destroy(table->state);
    table->state = NULL;
    release_default(table, (void *)(uintptr_t)atomic_exchange(&table->default_entry, NULL));
}

/* Tell readers that there may be entries: 0 when all of them know. */
static int announce(struct macs_table *table) {
    if (!macs_table_is_empty(table))
        return 0;
    atomic_store_explicit(&table->filled, true, memory_order_release);
    if (!table->qsbr || !macs_qsbr_synchronize(table->qsbr, MACS_QSBR_TIMEOUT_NS))
        return 0;
    atomic_store_explicit(&table->filled, false, memory_order_release);
    return -EBUSY;
}

/* Tell readers, if it is so, that there are no entries any more. */
static void announce_empty(struct macs_table *table) {
    if (table->desc->ops->count(table->state) == 0)
        atomic_store_explicit(&table->filled, false, memory_order_release);
}

int macs_table_add(struct macs_table *table, const struct macs_match *match, const void *value, uint32_t *index) {
    int error = announce(table);
    if (error)
        return error;
    error = table->desc->ops->add(table->state, match, value, index);
    if (error)
        announce_empty(table);
    else
        table->quiet.changes++;
    macs_tables_changed();
    return error;
}

int macs_table_remove(struct macs_table *table, const struct macs_match *match) {
    const int error = table->desc->ops->remove(table->state, match);
    if (error)
        return error;
    announce_empty(table);
    table->quiet.changes++;
    macs_tables_changed();
    return 0;
}

int macs_table_tidy(struct macs_table *table) {
    const struct macs_table_ops *ops = table->desc->ops;
    struct macs_table_quiet *quiet = &table->quiet;
    if (!ops || !ops->tidy || quiet->tidied == quiet->changes)
        return 0;
    quiet->tidied = quiet->changes;
    return ops->tidy(table->state);
}

static int remove_visited(const struct macs_match *match, const struct macs_entry *value, void *arg) {
    struct macs_table *table = arg;
    (void)value;
    return macs_table_remove(table, match);
}

int macs_table_clear(struct macs_table *table) {
    const struct macs_table_ops *ops = table->desc->ops;
    return ops ? ops->walk(table->state, remove_visited, table) : 0;
}
