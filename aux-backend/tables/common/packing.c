/* Packs and unpacks 64-bit entries, for the writer; see packing.h. */
#include "packing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t macs_packing_key(const struct macs_table_shape *shape, const uint8_t *bytes) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct macs_key_field *field = &shape->fields[i];
        uint64_t value = 0;
        for (uint32_t at = 0; at < (field->bits + 7u) / 8; at++)
            value = value << 8 | bytes[field->offset + at];
        key |= (value & macs_packing_ones(field->bits)) << field->word_at;
    }
    return key;
}

void macs_packing_key_bytes(const struct macs_table_shape *shape, uint64_t key, uint8_t *bytes) {
    memset(bytes, 0, shape->key_bytes);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct macs_key_field *field = &shape->fields[i];
        uint64_t value = key >> field->word_at & macs_packing_ones(field->bits);
        for (uint32_t at = (field->bits + 7u) / 8; at-- > 0; value >>= 8)
            bytes[field->offset + at] = (uint8_t)value;
    }
}

/* A number of 1, 2, 4 or 8 bytes in host order. */
static uint64_t load(const uint8_t *from, uint32_t bytes) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1:
        return memcpy(&one, from, 1), one;
    case 2:
        return memcpy(&two, from, 2), two;
    case 4:
        return memcpy(&four, from, 4), four;
    default:
        return memcpy(&eight, from, 8), eight;
    }
}

static void store(uint8_t *to, uint32_t bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        memcpy(to, &(uint8_t){(uint8_t)value}, 1);
        break;
    case 2:
        memcpy(to, &(uint16_t){(uint16_t)value}, 2);
        break;
    case 4:
        memcpy(to, &(uint32_t){(uint32_t)value}, 4);
        break;
    default:
        memcpy(to, &value, 8);
    }
}

uint64_t macs_packing_data(const struct macs_table_shape *shape, const void *value) {
    struct macs_entry entry;
    memcpy(&entry, value, sizeof entry);
    uint64_t data = entry.action;
    if (entry.action >= shape->action_count)
        return data;
    const struct macs_action_desc *action = &shape->actions[entry.action];
    for (uint32_t i = 0; i < action->param_count; i++) {
        const struct macs_param *param = &action->params[i];
        uint64_t argument = load((const uint8_t *)value + param->offset, param->bytes);
        data |= (argument & macs_packing_ones(param->bits)) << param->word_at;
    }
    return data;
}

void macs_packing_value(const struct macs_table_shape *shape, uint64_t data, void *value) {
    struct macs_entry entry;
    memcpy(&entry, value, sizeof entry);
    entry.action = (uint32_t)(data & macs_packing_ones(shape->action_bits));
    memset(value, 0, shape->value_bytes);
    memcpy(value, &entry, sizeof entry);
    if (entry.action >= shape->action_count)
        return;
    const struct macs_action_desc *action = &shape->actions[entry.action];
    for (uint32_t i = 0; i < action->param_count; i++) {
        const struct macs_param *param = &action->params[i];
        store((uint8_t *)value + param->offset, param->bytes, data >> param->word_at & macs_packing_ones(param->bits));
    }
}

bool macs_packing_takes(const struct macs_table_shape *shape) {
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (shape->fields[i].kind != MACS_EXACT || shape->fields[i].bits + shape->fields[i].word_at > shape->key_bits)
            return false;
    return shape->field_count && shape->key_bits <= 64 && shape->value_bytes >= sizeof(struct macs_entry);
}

int macs_packing_check(const struct macs_table_shape *shape, const void *value, uint64_t *data) {
    *data = macs_packing_data(shape, value);
    return *data & ~macs_packing_ones(shape->data_bits) ? -EINVAL : 0;
}

int macs_packing_view_create(struct macs_packing_view *view, const struct macs_table_shape *shape) {
    view->shape = shape;
    view->value = calloc(1, shape->value_bytes);
    view->key = malloc(2 * (size_t)shape->key_bytes);
    if (!view->value || !view->key)
        return -ENOMEM;
    memset(view->key + shape->key_bytes, 0xff, shape->key_bytes);
    return 0;
}

void macs_packing_view_destroy(struct macs_packing_view *view) {
    free(view->value);
    free(view->key);
}

const struct macs_entry *macs_packing_show(const struct macs_packing_view *view, uint64_t data, uint32_t index) {
    macs_packing_value(view->shape, data, view->value);
    view->value->index = index;
    return view->value;
}

struct macs_match macs_packing_match(const struct macs_packing_view *view, uint64_t key) {
    const uint32_t bytes = view->shape->key_bytes;
    macs_packing_key_bytes(view->shape, key, view->key);
    return (struct macs_match){view->key, view->key + bytes, view->key, bytes * 8, 0};
}
