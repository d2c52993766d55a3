/* Header fields and integers of any width up to 64 bits.
 *
 * Fields are big-endian on the wire. A value is in the smallest unsigned type that holds it; bits above its width are
 * zero. All functions are inline. Where offset and width are constants, as in generated code, each becomes a load and a
 * shift.
 */
#ifndef MACS_BITS_H
#define MACS_BITS_H

#include <odp_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <macs/inline.h>

static inline uint64_t macs_mask(unsigned width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* By way of 32 bits: a register of 16 that is spilled is read again as a wider one, which waits for the store. */
static inline uint64_t macs_load16(const uint8_t *from) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return odp_be_to_cpu_32((odp_u32be_t)value << (ODP_BYTE_ORDER == ODP_LITTLE_ENDIAN ? 16 : 0));
}

static inline uint64_t macs_load32(const uint8_t *from) {
    odp_u32be_t value;
    memcpy(&value, from, sizeof value);
    return odp_be_to_cpu_32(value);
}

static inline uint64_t macs_load64(const uint8_t *from) {
    odp_u64be_t value;
    memcpy(&value, from, sizeof value);
    return odp_be_to_cpu_64(value);
}

static inline void macs_store16(uint8_t *to, uint64_t value) {
    odp_u16be_t wire = odp_cpu_to_be_16((uint16_t)value);
    memcpy(to, &wire, sizeof wire);
}

static inline void macs_store32(uint8_t *to, uint64_t value) {
    odp_u32be_t wire = odp_cpu_to_be_32((uint32_t)value);
    memcpy(to, &wire, sizeof wire);
}

static inline void macs_store64(uint8_t *to, uint64_t value) {
    odp_u64be_t wire = odp_cpu_to_be_64(value);
    memcpy(to, &wire, sizeof wire);
}

/* `bytes` (1 … 8) bytes, most significant first: no byte beside them is touched. */
MACS_ALWAYS_INLINE uint64_t macs_load_bytes(const uint8_t *from, unsigned bytes) {
    switch (bytes) {
    case 1:
        return from[0];
    case 2:
        return macs_load16(from);
    case 3:
        return (uint64_t)from[0] << 16 | macs_load16(from + 1);
    case 4:
        return macs_load32(from);
    case 5:
        return (uint64_t)from[0] << 32 | macs_load32(from + 1);
    case 6:
        return macs_load16(from) << 32 | macs_load32(from + 2);
    case 7:
        return (uint64_t)from[0] << 48 | macs_load16(from + 1) << 32 | macs_load32(from + 3);
    default:
        return macs_load64(from);
    }
}

MACS_ALWAYS_INLINE void macs_store_bytes(uint8_t *to, unsigned bytes, uint64_t value) {
    switch (bytes) {
    case 1:
        to[0] = (uint8_t)value;
        break;
    case 2:
        macs_store16(to, value);
        break;
    case 3:
        to[0] = (uint8_t)(value >> 16);
        macs_store16(to + 1, value);
        break;
    case 4:
        macs_store32(to, value);
        break;
    case 5:
        to[0] = (uint8_t)(value >> 32);
        macs_store32(to + 1, value);
        break;
    case 6:
        macs_store16(to, value >> 32);
        macs_store32(to + 2, value);
        break;
    case 7:
        to[0] = (uint8_t)(value >> 48);
        macs_store16(to + 1, value >> 32);
        macs_store32(to + 3, value);
        break;
    default:
        macs_store64(to, value);
    }
}

/* The `width` (1 … 64) bits from bit `first` of `from`, bit 0 being the most significant of the first byte. */
MACS_ALWAYS_INLINE uint64_t macs_load_bits(const uint8_t *from, unsigned first, unsigned width) {
    from += first / 8;
    first %= 8;
    unsigned bytes = (first + width + 7) / 8;
    if (bytes <= 8)
        return macs_load_bytes(from, bytes) >> (bytes * 8 - first - width) & macs_mask(width);
    unsigned low = first + width - 64; /* bits in the ninth byte */
    return (macs_load_bytes(from, 8) << low | from[8] >> (8 - low)) & macs_mask(width);
}

/* Those bits of a word of `bytes` (4 or 8) bytes, all of which may be read. */
MACS_ALWAYS_INLINE uint64_t macs_load_from_word(const uint8_t *from, unsigned bytes, unsigned first, unsigned width) {
    return macs_load_bytes(from, bytes) >> (bytes * 8 - first - width) & macs_mask(width);
}

/* Replace those bits, and no others. */
MACS_ALWAYS_INLINE void macs_store_bits(uint8_t *to, unsigned first, unsigned width, uint64_t value) {
    to += first / 8;
    first %= 8;
    unsigned bytes = (first + width + 7) / 8;
    if (bytes <= 8) {
        unsigned shift = bytes * 8 - first - width;
        uint64_t mask = macs_mask(width) << shift;
        macs_store_bytes(to, bytes, (macs_load_bytes(to, bytes) & ~mask) | (value << shift & mask));
        return;
    }
    unsigned low = first + width - 64; /* bits in the ninth byte */
    uint64_t mask = macs_mask(64 - first);
    macs_store64(to, (macs_load64(to) & ~mask) | (value >> low & mask));
    to[8] = (uint8_t)((to[8] & 0xff >> low) | value << (8 - low));
}

/* Append the first `count` bits of `from`, behind which are zeros up to the next byte, to the `*bits` that `to` has. */
static inline void macs_append_bits(uint8_t *to, uint32_t *bits, const uint8_t *from, uint32_t count) {
    unsigned shift = *bits % 8;
    uint32_t bytes = (count + 7) / 8;
    to += *bits / 8;
    *bits += count;
    if (shift == 0) {
        memcpy(to, from, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] |= (uint8_t)(from[i] >> shift);
        if (shift + count > 8 * (i + 1))
            to[i + 1] = (uint8_t)(from[i] << (8 - shift));
    }
}

/* Functions, since compilers warn of a comparison of ~x, promoted or widened before, with a constant. */
static inline uint8_t macs_complement8(uint8_t value) {
    return (uint8_t)~value;
}

static inline uint16_t macs_complement16(uint16_t value) {
    return (uint16_t)~value;
}

static inline uint32_t macs_complement32(uint32_t value) {
    return ~value;
}

static inline uint64_t macs_complement64(uint64_t value) {
    return ~value;
}

/* The value as a signed number of `width` bits. */
static inline int64_t macs_signed(uint64_t value, unsigned width) {
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

static inline bool macs_between(uint64_t value, uint64_t low, uint64_t high) {
    return value >= low && value <= high;
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
/* Of a sum beyond the width one bit at most is beyond it; where there is one, all bits are set. No branch: what is
 * added has often just come from memory, and a branch on it would end what the processor does ahead. */
static inline uint64_t macs_add_saturating(uint64_t left, uint64_t right, unsigned width) {
    const uint64_t sum = left + right, over = width < 64 ? sum >> (width & 63) : sum < left;
    return (sum | -over) & macs_mask(width);
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
