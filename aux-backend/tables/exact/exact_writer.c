#include "exact_writer.h"

#include <errno.h>

typedef struct macs_exact_writer writer_t;

bool macs_exact_writer_takes(const struct macs_table_shape *shape) {
    for (uint32_t i = 0; shape->fields && i < shape->field_count; i++)
        if (shape->fields[i].kind != MACS_EXACT)
            return false;
    return true;
}

static uint32_t locate(const writer_t *writer, const struct macs_match *match) {
    return writer->ops->locate(writer->table, match, writer->place);
}

int macs_exact_writer_add(const writer_t *writer, const struct macs_match *match, const void *value, uint32_t *index) {
    uint32_t slot = 0;
    if (locate(writer, match))
        return -EEXIST;
    int error = macs_qsbr_reserve(writer->values->qsbr, writer->ops->add_defers);
    if (!error)
        error = macs_values_add(writer->values, value, &slot);
    if (error)
        return error;
    error = writer->ops->insert(writer->table, match, writer->place, slot);
    if (error)
        macs_values_cancel(writer->values, slot);
    else if (index)
        *index = macs_values_at(writer->values, slot)->index;
    return error;
}

int macs_exact_writer_modify(const writer_t *writer, const struct macs_match *match, const void *value) {
    uint32_t old = locate(writer, match), slot = 0;
    if (!old)
        return -ENOENT;
    int error = macs_qsbr_reserve(writer->values->qsbr, 1);
    if (!error)
        error = macs_values_take(writer->values, macs_values_at(writer->values, old - 1)->index, value, &slot);
    if (error)
        return error;
    writer->ops->replace(writer->table, match, writer->place, slot);
    macs_values_retire(writer->values, old - 1);
    return 0;
}

int macs_exact_writer_remove(const writer_t *writer, const struct macs_match *match) {
    uint32_t old = locate(writer, match);
    if (!old)
        return -ENOENT;
    int error = macs_qsbr_reserve(writer->values->qsbr, 1);
    if (error)
        return error;
    writer->ops->remove(writer->table, match, writer->place);
    macs_values_remove(writer->values, old - 1);
    return 0;
}

const struct macs_entry *macs_exact_writer_find(const writer_t *writer, const struct macs_match *match) {
    uint32_t slot = locate(writer, match);
    return slot ? macs_values_at(writer->values, slot - 1) : NULL;
}
