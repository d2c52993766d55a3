#include "control/match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/value.h"

bool macs_match_has_priority(const struct macs_table_desc *desc) {
    for (uint16_t field = 0; field < desc->field_count; field++)
        if (desc->fields[field].kind != MACS_EXACT && desc->fields[field].kind != MACS_LPM)
            return true;
    return false;
}

/* The part of the buffers that belongs to a field. */
struct field_bytes {
    const struct macs_key_field *field;
    uint32_t count;
    uint8_t *value, *mask, *high;
};

/* Put "key field F: " before what is wrong. */
static int field_error(const struct macs_key_field *field, struct macs_text *why) {
    struct macs_text reason = *why;
    *why = (struct macs_text){0};
    macs_text_add(why, "key field %s: %.*s", field->name, (int)reason.length, reason.data ? reason.data : "");
    macs_text_free(&reason);
    return -1;
}

/* All ones in `bits` bits. */
static void fill_ones(uint8_t *bytes, uint32_t bits) {
    uint32_t count = macs_value_bytes(bits);
    memset(bytes, 0xff, count);
    if (bits % 8)
        bytes[0] = (uint8_t)((1u << bits % 8) - 1);
}

static int parse_exact(const struct field_bytes *part, const char *word, struct macs_text *why) {
    uint32_t bits = part->field->bits;
    if (bits == 1 && !strcmp(word, "true"))
        word = "1";
    else if (bits == 1 && !strcmp(word, "false"))
        word = "0";
    if (macs_value_parse(word, strlen(word), bits, part->value, why))
        return -1;
    memset(part->mask, 0xff, part->count);
    memcpy(part->high, part->value, part->count);
    return 0;
}

/* The first `length` bits of a field of `bits` bits. */
static void prefix_mask(uint8_t *mask, uint32_t bits, uint32_t length) {
    uint32_t count = macs_value_bytes(bits), pad = count * 8 - bits;
    memset(mask, 0, count);
    for (uint32_t bit = 0; bit < pad + length; bit++)
        mask[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
}

static void apply_mask(const struct field_bytes *part) {
    for (uint32_t i = 0; i < part->count; i++)
        part->value[i] &= part->mask[i];
    memcpy(part->high, part->value, part->count);
}

static int parse_lpm(const struct field_bytes *part, const char *word, uint32_t *prefix, struct macs_text *why) {
    const char *slash = strrchr(word, '/');
    if (!slash)
        return macs_text_fail(why, "'%.80s' is no prefix; write VALUE/LENGTH", word);
    uint64_t length;
    if (!macs_value_uint64(slash + 1, &length) || length > part->field->bits)
        return macs_text_fail(why, "prefix length '%.20s' is not a number from 0 to %u", slash + 1, part->field->bits);
    if (macs_value_parse(word, (size_t)(slash - word), part->field->bits, part->value, why))
        return -1;
    *prefix = (uint32_t)length;
    prefix_mask(part->mask, part->field->bits, *prefix);
    apply_mask(part);
    return 0;
}

/* VALUE&&&MASK, or * for anything; an optional field takes a plain value as well. */
static int parse_ternary(const struct field_bytes *part, const char *word, struct macs_text *why) {
    uint32_t bits = part->field->bits;
    const char *and = strstr(word, "&&&");
    if (!strcmp(word, "*")) {
        memset(part->value, 0, part->count);
        memset(part->mask, 0, part->count);
    } else if (and) {
        if (macs_value_parse(word, (size_t)(and-word), bits, part->value, why) ||
            macs_value_parse(and+3, strlen(and+3), bits, part->mask, why))
            return -1;
    } else if (part->field->kind == MACS_OPTIONAL) {
        if (macs_value_parse(word, strlen(word), bits, part->value, why))
            return -1;
        fill_ones(part->mask, bits);
    } else {
        return macs_text_fail(why, "'%.80s' has no mask; write VALUE&&&MASK, or * for any value", word);
    }
    apply_mask(part);
    return 0;
}

/* An optional field matches one value or anything. */
static int check_optional(const struct field_bytes *part, struct macs_text *why) {
    bool none = true, all = true;
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t used = i || part->field->bits % 8 == 0 ? 0xff : (1u << part->field->bits % 8) - 1;
        none &= part->mask[i] == 0;
        all &= part->mask[i] == used;
    }
    return none || all ? 0 : macs_text_fail(why, "an optional field is matched whole (VALUE) or not at all (*)");
}

static int parse_range(const struct field_bytes *part, const char *word, struct macs_text *why) {
    uint32_t bits = part->field->bits;
    const char *arrow = strstr(word, "->");
    memset(part->mask, 0xff, part->count);
    if (!strcmp(word, "*")) {
        memset(part->value, 0, part->count);
        fill_ones(part->high, bits);
        return 0;
    }
    if (!arrow)
        return macs_text_fail(why, "'%.80s' is no range; write LOW->HIGH", word);
    if (macs_value_parse(word, (size_t)(arrow - word), bits, part->value, why) ||
        macs_value_parse(arrow + 2, strlen(arrow + 2), bits, part->high, why))
        return -1;
    if (memcmp(part->value, part->high, part->count) > 0)
        return macs_text_fail(why, "'%.80s' is an empty range", word);
    return 0;
}

static int parse_field(const struct field_bytes *part, const char *word, uint32_t *prefix, struct macs_text *why) {
    switch ((enum macs_match_kind)part->field->kind) {
    case MACS_EXACT:
        return parse_exact(part, word, why);
    case MACS_LPM:
        return parse_lpm(part, word, prefix, why);
    case MACS_TERNARY:
        return parse_ternary(part, word, why);
    case MACS_OPTIONAL:
        return parse_ternary(part, word, why) || check_optional(part, why) ? -1 : 0;
    case MACS_RANGE:
        return parse_range(part, word, why);
    }
    return macs_text_fail(why, "unknown match kind");
}

int macs_match_parse(const struct macs_table_desc *desc, char *const words[], struct macs_match_buffer *buffer,
                     struct macs_match *match, struct macs_text *why) {
    match->value = buffer->value;
    match->mask = buffer->mask;
    match->high = buffer->high;
    match->prefix_bits = desc->shape.key_bytes * 8;
    for (uint16_t i = 0; i < desc->field_count; i++) {
        const struct macs_key_field *field = &desc->fields[i];
        struct field_bytes part = {field, macs_value_bytes(field->bits), buffer->value + field->offset,
                                   buffer->mask + field->offset, buffer->high + field->offset};
        uint32_t prefix = field->bits;
        if (parse_field(&part, words[i], &prefix, why))
            return field_error(field, why);
        if (field->kind == MACS_LPM)
            match->prefix_bits -= field->bits - prefix;
    }
    return 0;
}

static void store_limbs(uint8_t *place, uint32_t size, const uint8_t *bytes, uint32_t count) {
    for (uint32_t limb = 0; limb * 8 < size; limb++) {
        uint64_t word = 0;
        for (uint32_t i = 8; i-- > 0;) {
            uint32_t back = limb * 8 + i; /* counted from the least significant byte */
            word = word << 8 | (back < count ? bytes[count - 1 - back] : 0);
        }
        memcpy(place + limb * 8, &word, 8);
    }
}

/* In the host's byte order. */
void macs_param_store(const struct macs_param *param, const uint8_t *bytes, void *value) {
    uint8_t *place = (uint8_t *)value + param->offset;
    uint64_t word = 0;
    uint32_t count = macs_value_bytes(param->bits);
    if (param->bytes > 8) {
        store_limbs(place, param->bytes, bytes, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        word = word << 8 | bytes[i];
    switch (param->bytes) {
    case 1:
        *place = (uint8_t)word;
        break;
    case 2:
        memcpy(place, &(uint16_t){(uint16_t)word}, 2);
        break;
    case 4:
        memcpy(place, &(uint32_t){(uint32_t)word}, 4);
        break;
    default:
        memcpy(place, &word, 8);
    }
}

int macs_params_parse(const struct macs_table_desc *desc, uint32_t action, char *const words[], void *value,
                      struct macs_text *why) {
    const struct macs_action_desc *described = &desc->actions[action];
    memset(value, 0, desc->shape.value_bytes);
    ((struct macs_entry *)value)->action = action;
    for (uint16_t i = 0; i < described->param_count; i++) {
        const struct macs_param *param = &described->params[i];
        uint8_t bytes[UINT16_MAX / 8 + 1];
        if (macs_value_parse(words[i], strlen(words[i]), param->bits, bytes, why)) {
            struct macs_text reason = *why;
            *why = (struct macs_text){0};
            macs_text_add(why, "parameter %s of %s: %.*s", param->name, described->name, (int)reason.length,
                          reason.data ? reason.data : "");
            macs_text_free(&reason);
            return -1;
        }
        macs_param_store(param, bytes, value);
    }
    return 0;
}

/* The 64 bits of a parameter's place from byte `limb` on. */
static uint64_t load_param(const struct macs_param *param, const uint8_t *place, uint32_t limb) {
    uint64_t word = 0;
    uint32_t half = 0;
    uint16_t quarter = 0;
    switch (param->bytes) {
    case 1:
        return *place;
    case 2:
        memcpy(&quarter, place, 2);
        return quarter;
    case 4:
        memcpy(&half, place, 4);
        return half;
    default:
        memcpy(&word, place + limb, 8);
        return word;
    }
}

void macs_param_bytes(const struct macs_param *param, const void *value, uint8_t *bytes) {
    const uint8_t *place = (const uint8_t *)value + param->offset;
    uint32_t count = macs_value_bytes(param->bits);
    for (uint32_t back = 0; back < count; back++)
        bytes[count - 1 - back] = (uint8_t)(load_param(param, place, back / 8 * 8) >> back % 8 * 8);
}

void macs_match_print_field(struct macs_text *text, const struct macs_table_desc *desc, unsigned index,
                            const struct macs_match *match) {
    const struct macs_key_field *field = &desc->fields[index];
    uint32_t count = macs_value_bytes(field->bits);
    macs_text_hex(text, match->value + field->offset, count);
    switch ((enum macs_match_kind)field->kind) {
    case MACS_EXACT:
        break;
    case MACS_LPM:
        macs_text_add(text, "/%" PRIu32, match->prefix_bits - (desc->shape.key_bytes * 8 - field->bits));
        break;
    case MACS_TERNARY:
    case MACS_OPTIONAL:
        macs_text_add(text, " &&& ");
        macs_text_hex(text, match->mask + field->offset, count);
        break;
    case MACS_RANGE:
        macs_text_add(text, " -> ");
        macs_text_hex(text, match->high + field->offset, count);
        break;
    }
}
