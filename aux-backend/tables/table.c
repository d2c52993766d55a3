/* What every table needs, whatever its kernel: made from its description, its default entry, cleared, closed. */
#include <errno.h>
#include <macs/qsbr.h>
#include <macs/table.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void release_fallback(void *owner, void *value) {
    (void)owner;
    free(value);
}

int macs_table_set_default(struct macs_table *table, const void *value) {
    const struct macs_table_shape *shape = &table->desc->shape;
    int error = macs_qsbr_reserve(table->qsbr, 1);
    if (error)
        return error;
    struct macs_entry *fallback = aligned_alloc(64, ((size_t)shape->value_bytes + 63) & ~(size_t)63);
    if (!fallback)
        return -ENOMEM;
    memcpy(fallback, value ? value : table->desc->default_value, shape->value_bytes);
    fallback->index = shape->size;
    const struct macs_entry *old = atomic_exchange_explicit(&table->fallback, fallback, memory_order_acq_rel);
    if (old)
        macs_qsbr_defer(table->qsbr, release_fallback, table, (void *)(uintptr_t)old);
    return 0;
}

int macs_table_init(struct macs_table *table, const struct macs_table_desc *desc, struct macs_qsbr *qsbr) {
    *table = (struct macs_table){.desc = desc, .qsbr = qsbr};
    struct macs_table_shape shape = desc->shape;
    shape.fields = desc->fields;
    shape.field_count = desc->field_count;
    if (shape.value_bytes < sizeof(struct macs_entry) || (desc->entry_count && !desc->kernel))
        return -EINVAL;
    int error = desc->kernel ? desc->kernel->create(&shape, qsbr, &table->kernel) : 0;
    if (!error)
        error = macs_table_set_default(table, NULL);
    for (uint32_t i = 0; !error && i < desc->entry_count; i++)
        error = desc->kernel->add(table->kernel, &desc->entries[i].match, desc->entries[i].value, NULL);
    if (error)
        macs_table_close(table);
    return error;
}

void macs_table_close(struct macs_table *table) {
    macs_qsbr_drop(table->qsbr, table);
    if (table->kernel)
        table->desc->kernel->destroy(table->kernel);
    table->kernel = NULL;
    release_fallback(table, (void *)(uintptr_t)atomic_exchange(&table->fallback, NULL));
}

/* A copy of one entry's match, taken during a walk: the entry can't be removed before the walk has ended. */
struct first_match {
    struct macs_match match;
    uint32_t key_bytes;
    uint8_t *bytes; /* value, mask, high */
};

static int copy_first(const struct macs_match *match, const struct macs_entry *value, void *arg) {
    struct first_match *first = arg;
    uint32_t bytes = first->key_bytes;
    (void)value;
    memcpy(first->bytes, match->value, bytes);
    memcpy(first->bytes + bytes, match->mask, bytes);
    memcpy(first->bytes + 2 * (size_t)bytes, match->high, bytes);
    first->match = *match;
    first->match.value = first->bytes;
    first->match.mask = first->bytes + bytes;
    first->match.high = first->bytes + 2 * (size_t)bytes;
    return 1;
}

int macs_table_clear(struct macs_table *table) {
    const struct macs_kernel *kernel = table->desc->kernel;
    if (!kernel)
        return 0;
    struct first_match first = {.key_bytes = table->desc->shape.key_bytes};
    first.bytes = malloc(3 * (size_t)first.key_bytes + 1);
    if (!first.bytes)
        return -ENOMEM;
    int error = 0;
    while (!error && kernel->walk(table->kernel, copy_first, &first) != 0)
        error = kernel->remove(table->kernel, &first.match);
    free(first.bytes);
    return error;
}
