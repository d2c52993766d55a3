#include "control/match_wire.h"

#include <errno.h>

#include "control/value.h"
#include "runtime/profile.h"

/* Bits of the first byte of a value that are its own. */
static uint8_t first_bits(uint32_t bits) {
    return bits % 8 ? (uint8_t)((1u << bits % 8) - 1) : 0xff;
}

/* A value of so many bits, or false. */
static bool take_value(struct macs_wire *wire, uint32_t bits, uint8_t *value) {
    uint32_t count = macs_value_bytes(bits);
    const uint8_t *bytes = macs_wire_bytes(wire, count);
    if (!bytes || (count && bytes[0] & ~first_bits(bits)))
        return false;
    memcpy(value, bytes, count);
    return true;
}

/* The value is no more than what the mask says, and the range that value alone. */
static void apply_mask(uint32_t count, uint8_t *value, const uint8_t *mask, uint8_t *high) {
    for (uint32_t i = 0; i < count; i++)
        value[i] &= mask[i];
    memcpy(high, value, count);
}

static bool take_prefix(const struct macs_key_field *field, struct macs_wire *wire, uint8_t *value, uint8_t *mask,
                        uint8_t *high, uint32_t *prefix_bits) {
    uint32_t count = macs_value_bytes(field->bits), pad = count * 8 - field->bits;
    if (!take_value(wire, field->bits, value))
        return false;
    uint32_t length = macs_wire_u16(wire);
    if (wire->cut || length > field->bits)
        return false;
    memset(mask, 0, count);
    for (uint32_t bit = 0; bit < pad + length; bit++)
        mask[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
    apply_mask(count, value, mask, high);
    *prefix_bits -= field->bits - length;
    return true;
}

/* The mask of an optional field is all ones or zero. */
static bool is_optional_mask(const uint8_t *mask, uint32_t bits) {
    bool none = true, all = true;
    for (uint32_t i = 0; i < macs_value_bytes(bits); i++) {
        none &= mask[i] == 0;
        all &= mask[i] == (i ? 0xff : first_bits(bits));
    }
    return none || all;
}

static bool take_field(const struct macs_key_field *field, struct macs_wire *wire, uint8_t *value, uint8_t *mask,
                       uint8_t *high, uint32_t *prefix_bits) {
    uint32_t count = macs_value_bytes(field->bits);
    switch ((enum macs_match_kind)field->kind) {
    case MACS_EXACT:
        memset(mask, 0xff, count);
        if (!take_value(wire, field->bits, value))
            return false;
        memcpy(high, value, count);
        return true;
    case MACS_LPM:
        return take_prefix(field, wire, value, mask, high, prefix_bits);
    case MACS_TERNARY:
    case MACS_OPTIONAL:
        if (!take_value(wire, field->bits, value) || !take_value(wire, field->bits, mask))
            return false;
        apply_mask(count, value, mask, high);
        return field->kind == MACS_TERNARY || is_optional_mask(mask, field->bits);
    case MACS_RANGE:
        memset(mask, 0xff, count);
        return take_value(wire, field->bits, value) && take_value(wire, field->bits, high) &&
               memcmp(value, high, count) <= 0;
    }
    return false;
}

bool macs_match_take(const struct macs_table_desc *desc, struct macs_wire *wire, struct macs_match_buffer *buffer,
                     struct macs_match *match) {
    *match = (struct macs_match){
        .value = buffer->value, .mask = buffer->mask, .high = buffer->high, .prefix_bits = desc->shape.key_bytes * 8};
    for (uint16_t i = 0; i < desc->field_count; i++) {
        const struct macs_key_field *field = &desc->fields[i];
        if (!take_field(field, wire, buffer->value + field->offset, buffer->mask + field->offset,
                        buffer->high + field->offset, &match->prefix_bits))
            return false;
    }
    if (macs_match_has_priority(desc) && !desc->value_set)
        match->priority = (int32_t)macs_wire_u32(wire);
    return !wire->cut && match->priority >= 0;
}

static int take_named(const struct macs_profile *profile, uint32_t action, struct macs_wire *wire, void *value) {
    const uint64_t id = macs_wire_u64(wire);
    uint32_t *handle = &((struct macs_indirect *)value)->handle;
    if (wire->cut)
        return -EINVAL;
    const int status = action == MACS_INDIRECT_MEMBER ? macs_profile_member_find(profile, id, handle)
                                                      : macs_profile_group_find(profile, id, handle);
    return status ? -ENOENT : 0;
}

int macs_action_take(const struct macs_program *program, const struct macs_table_desc *desc, struct macs_wire *wire,
                     void *value) {
    memset(value, 0, desc->shape.value_bytes);
    if (desc->value_set)
        return 0;
    const uint32_t action = macs_wire_u32(wire);
    ((struct macs_entry *)value)->action = action;
    if (desc->profile && (action == MACS_INDIRECT_MEMBER || action == MACS_INDIRECT_GROUP))
        return take_named(program->externs[desc->profile - 1], action, wire, value);
    if (wire->cut || action >= desc->action_count)
        return -EINVAL;
    const struct macs_action_desc *described = &desc->actions[action];
    for (uint16_t i = 0; i < described->param_count; i++) {
        uint8_t bytes[UINT16_MAX / 8 + 1];
        if (!take_value(wire, described->params[i].bits, bytes))
            return -EINVAL;
        macs_param_store(&described->params[i], bytes, value);
    }
    return 0;
}

static bool put_field(const struct macs_table_desc *desc, const struct macs_key_field *field,
                      const struct macs_match *match, struct macs_bytes *bytes) {
    const uint32_t count = macs_value_bytes(field->bits);
    uint8_t length[2];
    switch ((enum macs_match_kind)field->kind) {
    case MACS_EXACT:
        return macs_wire_put(bytes, match->value + field->offset, count);
    case MACS_LPM:
        macs_put_u16(length, (uint16_t)(match->prefix_bits - (desc->shape.key_bytes * 8 - field->bits)));
        return macs_wire_put(bytes, match->value + field->offset, count) && macs_wire_put(bytes, length, 2);
    case MACS_TERNARY:
    case MACS_OPTIONAL:
        return macs_wire_put(bytes, match->value + field->offset, count) &&
               macs_wire_put(bytes, match->mask + field->offset, count);
    case MACS_RANGE:
        return macs_wire_put(bytes, match->value + field->offset, count) &&
               macs_wire_put(bytes, match->high + field->offset, count);
    }
    return false;
}

bool macs_match_put(const struct macs_table_desc *desc, const struct macs_match *match, struct macs_bytes *bytes) {
    for (uint16_t i = 0; i < desc->field_count; i++)
        if (!put_field(desc, &desc->fields[i], match, bytes))
            return false;
    return !macs_match_has_priority(desc) || desc->value_set || macs_wire_put_u32(bytes, (uint32_t)match->priority);
}

static uint64_t id_of(const struct macs_profile *profile, const struct macs_entry *entry) {
    const uint32_t handle = ((const struct macs_indirect *)entry)->handle;
    return entry->action == MACS_INDIRECT_MEMBER ? macs_profile_member_id(profile, handle)
                                                 : macs_profile_group_id(profile, handle);
}

bool macs_action_put(const struct macs_program *program, const struct macs_table_desc *desc,
                     const struct macs_entry *entry, struct macs_bytes *bytes) {
    if (desc->value_set)
        return true;
    if (!macs_wire_put_u32(bytes, entry->action))
        return false;
    if (entry->action == MACS_INDIRECT_MEMBER || entry->action == MACS_INDIRECT_GROUP)
        return macs_wire_put_u64(bytes, id_of(program->externs[desc->profile - 1], entry));
    if (entry->action >= desc->action_count)
        return true; /* none to run */
    const struct macs_action_desc *described = &desc->actions[entry->action];
    for (uint16_t i = 0; i < described->param_count; i++) {
        uint8_t value[UINT16_MAX / 8 + 1];
        macs_param_bytes(&described->params[i], entry, value);
        if (!macs_wire_put(bytes, value, macs_value_bytes(described->params[i].bits)))
            return false;
    }
    return true;
}

bool macs_entry_put(const struct macs_program *program, const struct macs_table_desc *desc,
                    const struct macs_match *match, const struct macs_entry *entry, struct macs_bytes *bytes) {
    return macs_match_put(desc, match, bytes) && macs_wire_put_u32(bytes, entry->index) &&
           macs_action_put(program, desc, entry, bytes);
}
