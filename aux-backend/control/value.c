#include "control/value.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

/* The longest address in text, end mark included. */
#define ADDRESS_TEXT 64u

/* What a digit stands for, beyond any base if it is none. From a table: what digit comes next no branch foresees. */
static unsigned digit_of(char letter) {
    static const uint8_t more[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
        ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
        ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    };
    return more[(uint8_t)letter] - 1u;
}

/* Skips 0x, 0b, 0o; returns the base. */
static unsigned base_of(const char **text, size_t *length) {
    unsigned base = 10;
    if (*length > 2 && (*text)[0] == '0') {
        char mark = (*text)[1] | 0x20;
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 10;
    }
    if (base != 10) {
        *text += 2;
        *length -= 2;
    }
    return base;
}

enum number_status { NUMBER_FITS, NUMBER_WIDE, NUMBER_NONE };

/* bytes = bytes * base + digit; true: it overflowed. */
static bool shift_in(uint8_t *bytes, uint32_t count, unsigned base, unsigned digit) {
    unsigned carry = digit;
    for (uint32_t i = count; i-- > 0;) {
        carry += bytes[i] * base;
        bytes[i] = (uint8_t)carry;
        carry >>= 8;
    }
    return carry != 0;
}

static bool too_wide(const uint8_t *bytes, uint32_t bits) {
    return bits % 8 && bytes[0] >> bits % 8;
}

/* Numbers of at most 64 bits: the usual ones, and many of them. */
static enum number_status parse_short(const char *text, size_t length, unsigned base, uint32_t bits, uint8_t *bytes) {
    uint64_t value = 0;
    bool wide = false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = digit_of(text[i]);
        if (digit >= base)
            return NUMBER_NONE;
        wide |= __builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value);
    }
    if (wide || (bits < 64 && value >> bits))
        return NUMBER_WIDE;
    for (uint32_t i = macs_value_bytes(bits); i-- > 0; value >>= 8)
        bytes[i] = (uint8_t)value;
    return NUMBER_FITS;
}

/* From the last digit on, two digits a byte. */
static enum number_status parse_hexadecimal(const char *text, size_t length, uint32_t bits, uint8_t *bytes) {
    const uint32_t count = macs_value_bytes(bits);
    bool wide = false;
    memset(bytes, 0, count);
    for (size_t i = 0; i < length; i++) {
        unsigned digit = digit_of(text[length - 1 - i]);
        if (digit >= 16)
            return NUMBER_NONE;
        if (i / 2 < count)
            bytes[count - 1 - i / 2] |= (uint8_t)(digit << i % 2 * 4);
        else
            wide |= digit != 0;
    }
    return wide || too_wide(bytes, bits) ? NUMBER_WIDE : NUMBER_FITS;
}

static enum number_status parse_long(const char *text, size_t length, unsigned base, uint32_t bits, uint8_t *bytes) {
    uint32_t count = macs_value_bytes(bits);
    memset(bytes, 0, count);
    for (size_t i = 0; i < length; i++)
        if (digit_of(text[i]) >= base)
            return NUMBER_NONE;
    for (size_t i = 0; i < length; i++)
        if (shift_in(bytes, count, base, digit_of(text[i])))
            return NUMBER_WIDE;
    return too_wide(bytes, bits) ? NUMBER_WIDE : NUMBER_FITS;
}

static enum number_status parse_number(const char *text, size_t length, uint32_t bits, uint8_t *bytes) {
    unsigned base = base_of(&text, &length);
    if (!length)
        return NUMBER_NONE;
    if (bits <= 64)
        return parse_short(text, length, base, bits, bytes);
    if (base == 16)
        return parse_hexadecimal(text, length, bits, bytes);
    return parse_long(text, length, base, bits, bytes);
}

/* Six pairs of hexadecimal digits with colons between. */
static bool parse_mac(const char *text, uint8_t *bytes) {
    for (unsigned i = 0; i < 6; i++) {
        unsigned value = digit_of(*text++);
        if (value > 15)
            return false;
        if (digit_of(*text) <= 15)
            value = value * 16 + digit_of(*text++);
        if (*text++ != (i < 5 ? ':' : 0))
            return false;
        bytes[i] = (uint8_t)value;
    }
    return true;
}

static unsigned colons(const char *text) {
    unsigned count = 0;
    for (; *text; text++)
        count += *text == ':';
    return count;
}

/* What looks like an address: into bytes if it is one and as wide as what it is for. */
static int parse_address(const char *text, uint32_t bits, uint8_t *bytes, struct macs_text *why) {
    uint8_t address[16];
    uint32_t width;
    const char *kind;
    bool fine;
    if (!strchr(text, ':')) {
        kind = "IPv4", width = 32, fine = inet_pton(AF_INET, text, address) == 1;
    } else if (bits == 48 || (bits != 128 && colons(text) == 5 && !strstr(text, "::"))) {
        kind = "MAC", width = 48, fine = parse_mac(text, address);
    } else {
        kind = "IPv6", width = 128, fine = inet_pton(AF_INET6, text, address) == 1;
    }
    if (!fine)
        return macs_text_fail(why, "'%s' is not a valid %s address", text, kind);
    if (width != bits)
        return macs_text_fail(why, "the %s address '%s' has %" PRIu32 " bits, but %" PRIu32 " bits are wanted", kind,
                              text, width, bits);
    memcpy(bytes, address, width / 8);
    return 0;
}

static bool looks_like_address(const char *text, size_t length) {
    return memchr(text, ':', length) || memchr(text, '.', length);
}

int macs_value_parse(const char *text, size_t length, uint32_t bits, uint8_t *bytes, struct macs_text *why) {
    int shown = length < 80 ? (int)length : 80;
    if (bits) {
        switch (parse_number(text, length, bits, bytes)) {
        case NUMBER_FITS:
            return 0;
        case NUMBER_WIDE:
            return macs_text_fail(why, "%.*s does not fit in %" PRIu32 " bit%s", shown, text, bits,
                                  bits == 1 ? "" : "s");
        case NUMBER_NONE:
            break;
        }
    }
    if (length < ADDRESS_TEXT && looks_like_address(text, length)) {
        char address[ADDRESS_TEXT];
        memcpy(address, text, length);
        address[length] = 0;
        return parse_address(address, bits, bytes, why);
    }
    if (length && text[0] == '-')
        return macs_text_fail(why, "'%.*s' is negative", shown, text);
    return macs_text_fail(why, "'%.*s' is not a number (decimal, 0x..., 0b...) nor an address", shown, text);
}

bool macs_value_uint64(const char *text, uint64_t *value) {
    size_t length = strlen(text);
    uint8_t bytes[8];
    if (parse_number(text, length, 64, bytes) != NUMBER_FITS)
        return false;
    *value = 0;
    for (unsigned i = 0; i < 8; i++)
        *value = *value << 8 | bytes[i];
    return true;
}

/* Divide by ten in place; returns the remainder. */
static unsigned divide_by_ten(uint8_t *bytes, uint32_t count) {
    unsigned rest = 0;
    for (uint32_t i = 0; i < count; i++) {
        rest = rest << 8 | bytes[i];
        bytes[i] = (uint8_t)(rest / 10);
        rest %= 10;
    }
    return rest;
}

void macs_value_print(struct macs_text *text, const uint8_t *bytes, uint32_t count) {
    /* The widest usual value; wider ones are shown in hexadecimal. */
    uint8_t left[256];
    if (count > sizeof(left)) {
        macs_text_add(text, "0x");
        macs_text_hex(text, bytes, count);
        return;
    }
    char digits[sizeof(left) * 3];
    unsigned first = sizeof(digits);
    memcpy(left, bytes, count);
    do {
        digits[--first] = (char)('0' + divide_by_ten(left, count));
        while (count && !left[0]) {
            memmove(left, left + 1, count - 1);
            count--;
        }
    } while (count);
    macs_text_bytes(text, digits + first, sizeof(digits) - first);
}
