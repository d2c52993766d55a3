/* Header fields and integers of odd widths. Fields are big-endian on the wire; values are held in the smallest unsigned
 * type that fits, bits above the width zero. All functions are inline and fold to a load and a shift where offset and
 * width are constants, as in generated code. */
#ifndef MACS_BITS_H
#define MACS_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t macs_mask(unsigned width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* `bytes` (1 … 8) bytes, most significant first. */
static inline uint64_t macs_load_bytes(const uint8_t *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | from[i];
    return value;
}

static inline void macs_store_bytes(uint8_t *to, unsigned bytes, uint64_t value) {
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        to[i] = (uint8_t)value;
}

/* The `width` (1 … 64) bits from bit `first` of `from`, bit 0 being the most significant of the first byte. */
static inline uint64_t macs_load_bits(const uint8_t *from, unsigned first, unsigned width) {
    from += first / 8;
    first %= 8;
    unsigned bytes = (first + width + 7) / 8;
    if (bytes <= 8)
        return macs_load_bytes(from, bytes) >> (bytes * 8 - first - width) & macs_mask(width);
    unsigned low = first + width - 64; /* bits in the ninth byte */
    return (macs_load_bytes(from, 8) << low | from[8] >> (8 - low)) & macs_mask(width);
}

/* Replace those bits, and no others. */
static inline void macs_store_bits(uint8_t *to, unsigned first, unsigned width, uint64_t value) {
    to += first / 8;
    first %= 8;
    unsigned bytes = (first + width + 7) / 8;
    if (bytes <= 8) {
        unsigned shift = bytes * 8 - first - width;
        uint64_t mask = macs_mask(width) << shift;
        macs_store_bytes(to, bytes, (macs_load_bytes(to, bytes) & ~mask) | (value << shift & mask));
        return;
    }
    unsigned low = first + width - 64;
    macs_store_bits(to, first, 64 - first, value >> low);
    macs_store_bits(to, 64, low, value & macs_mask(low));
}

/* The value as a signed number of `width` bits. */
static inline int64_t macs_signed(uint64_t value, unsigned width) {
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Shift by any amount; beyond the width nothing is left (P4-16 section 8.6). */
static inline uint64_t macs_shift_left(uint64_t value, uint64_t amount, unsigned width) {
    return amount >= width ? 0 : value << amount & macs_mask(width);
}

static inline uint64_t macs_shift_right(uint64_t value, uint64_t amount) {
    return amount >= 64 ? 0 : value >> amount;
}

/* Arithmetic: the sign comes in from the left. */
static inline uint64_t macs_shift_right_signed(uint64_t value, uint64_t amount, unsigned width) {
    return (uint64_t)(macs_signed(value, width) >> (amount > 63 ? 63 : amount)) & macs_mask(width);
}

/* Saturating arithmetic, P4-16 section 8.5 |+| and |-|. */
static inline uint64_t macs_add_saturating(uint64_t left, uint64_t right, unsigned width) {
    uint64_t sum = left + right;
    return sum < left || sum > macs_mask(width) ? macs_mask(width) : sum;
}

static inline uint64_t macs_sub_saturating(uint64_t left, uint64_t right) {
    return left < right ? 0 : left - right;
}

static inline uint64_t macs_clamp_signed(int64_t value, bool overflow, bool negative, unsigned width) {
    int64_t high = (int64_t)(macs_mask(width) >> 1);
    if (overflow)
        value = negative ? -high - 1 : high;
    else if (value > high)
        value = high;
    else if (value < -high - 1)
        value = -high - 1;
    return (uint64_t)value & macs_mask(width);
}

static inline uint64_t macs_add_saturating_signed(uint64_t left, uint64_t right, unsigned width) {
    int64_t sum;
    bool overflow = __builtin_add_overflow(macs_signed(left, width), macs_signed(right, width), &sum);
    return macs_clamp_signed(sum, overflow, macs_signed(left, width) < 0, width);
}

static inline uint64_t macs_sub_saturating_signed(uint64_t left, uint64_t right, unsigned width) {
    int64_t difference;
    bool overflow = __builtin_sub_overflow(macs_signed(left, width), macs_signed(right, width), &difference);
    return macs_clamp_signed(difference, overflow, macs_signed(left, width) < 0, width);
}

/* Division of the interpreter: by zero gives zero. */
static inline uint64_t macs_divide(uint64_t left, uint64_t right) {
    return right ? left / right : 0;
}

static inline uint64_t macs_modulo(uint64_t left, uint64_t right) {
    return right ? left % right : 0;
}

#endif
