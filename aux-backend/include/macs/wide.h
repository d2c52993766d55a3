/* Integers above 64 bits: `macs_wN` has N limbs of 64 bits, the least significant first; bits above the width are zero.
 *
 * The operations take arrays of limbs and their lengths. MACS_WIDE(N) makes a type, and functions that return it by
 * value, so that generated expressions nest. All are inline. N and the widths are constants, so loops are unrolled.
 */
#ifndef MACS_WIDE_H
#define MACS_WIDE_H

#include <macs/bits.h>

#define MACS_LIMBS_MAX 64

/* A program does not use all functions that MACS_WIDE defines. Those that move or compare values are a few instructions
 * once widths are known, which the compiler does not see when it decides what to inline. */
#define MACS_WIDE_INLINE __attribute__((unused)) static inline
#define MACS_WIDE_FORCE_INLINE __attribute__((unused)) MACS_ALWAYS_INLINE

/* Before loops whose steps are little code when widths are known: few limbs are taken one after the other, and what is
 * loaded and stored again becomes a copy. */
#define MACS_LIMBS_LOOP _Pragma("GCC unroll 8")

MACS_WIDE_FORCE_INLINE void macs_limbs_trim(uint64_t *x, unsigned n, unsigned width) {
    for (unsigned i = 0; i < n; i++)
        x[i] &= width > i * 64 ? macs_mask(width - i * 64) : 0;
}

static inline void macs_limbs_add(uint64_t *out, const uint64_t *x, const uint64_t *y, unsigned n, uint64_t carry,
                                  uint64_t flip) {
    for (unsigned i = 0; i < n; i++) {
        uint64_t term = y[i] ^ flip;
        uint64_t sum = x[i] + term;
        uint64_t over = sum < term;
        out[i] = sum + carry;
        carry = over | (out[i] < carry);
    }
}

static inline void macs_limbs_multiply(uint64_t *out, const uint64_t *x, const uint64_t *y, unsigned n) {
    uint32_t a[2 * MACS_LIMBS_MAX], b[2 * MACS_LIMBS_MAX], product[2 * MACS_LIMBS_MAX] = {0};
    for (unsigned i = 0; i < n; i++) {
        a[2 * i] = (uint32_t)x[i], a[2 * i + 1] = (uint32_t)(x[i] >> 32);
        b[2 * i] = (uint32_t)y[i], b[2 * i + 1] = (uint32_t)(y[i] >> 32);
    }
    for (unsigned i = 0; i < 2 * n; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; i + j < 2 * n; j++) {
            carry += (uint64_t)a[i] * b[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = (uint64_t)product[2 * i + 1] << 32 | product[2 * i];
}

MACS_WIDE_FORCE_INLINE void macs_limbs_shift_left(uint64_t *out, const uint64_t *x, unsigned n, uint64_t amount) {
    for (unsigned i = n; i-- > 0;) {
        uint64_t limb = 0;
        if (amount / 64 <= i) {
            unsigned from = i - (unsigned)(amount / 64);
            limb = x[from] << amount % 64;
            if (amount % 64 && from)
                limb |= x[from - 1] >> (64 - amount % 64);
        }
        out[i] = limb;
    }
}

MACS_WIDE_FORCE_INLINE void macs_limbs_shift_right(uint64_t *out, const uint64_t *x, unsigned n, uint64_t amount) {
    for (unsigned i = 0; i < n; i++) {
        uint64_t limb = 0;
        if (amount / 64 < n - i) {
            unsigned from = i + (unsigned)(amount / 64);
            limb = x[from] >> amount % 64;
            if (amount % 64 && from + 1 < n)
                limb |= x[from + 1] << (64 - amount % 64);
        }
        out[i] = limb;
    }
}

/* Copy the sign, bit width-1, to all bits above it. */
static inline void macs_limbs_extend_sign(uint64_t *x, unsigned n, unsigned width) {
    if (!(x[(width - 1) / 64] >> (width - 1) % 64 & 1))
        return;
    for (unsigned i = 0; i < n; i++)
        x[i] |= width > i * 64 ? ~macs_mask(width - i * 64) : UINT64_MAX;
}

/* -1, 0 or 1, as unsigned numbers. */
MACS_WIDE_FORCE_INLINE int macs_limbs_compare(const uint64_t *x, const uint64_t *y, unsigned n) {
    for (unsigned i = n; i-- > 0;)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

MACS_WIDE_FORCE_INLINE void macs_limbs_load(uint64_t *out, unsigned n, const uint8_t *from, unsigned first,
                                            unsigned width) {
    MACS_LIMBS_LOOP
    for (unsigned i = 0; i < n; i++) {
        unsigned above = width > (i + 1) * 64 ? width - (i + 1) * 64 : 0;
        unsigned bits = width > i * 64 ? width - i * 64 - above : 0;
        out[i] = bits ? macs_load_bits(from, first + above, bits) : 0;
    }
}

MACS_WIDE_FORCE_INLINE void macs_limbs_store(uint8_t *to, unsigned first, unsigned width, const uint64_t *x,
                                             unsigned n) {
    const unsigned used = width > n * 64 ? n : (width + 63) / 64;
    MACS_LIMBS_LOOP
    for (unsigned i = 0; i < used; i++) {
        unsigned above = width > (i + 1) * 64 ? width - (i + 1) * 64 : 0;
        macs_store_bits(to, first + above, width - i * 64 - above, x[i]);
    }
}

static inline uint64_t macs_limbs_amount(const uint64_t *x, unsigned n) {
    for (unsigned i = 1; i < n; i++)
        if (x[i])
            return UINT64_MAX;
    return x[0];
}

static inline bool macs_limbs_bit(const uint64_t *x, unsigned bit) {
    return x[bit / 64] >> bit % 64 & 1;
}

/* Schoolbook division, a bit at a time; by zero both results are zero. */
static inline void macs_limbs_divide(uint64_t *quotient, uint64_t *rest, const uint64_t *x, const uint64_t *y,
                                     unsigned n) {
    memset(quotient, 0, n * sizeof *quotient);
    memset(rest, 0, n * sizeof *rest);
    uint64_t any = 0;
    for (unsigned i = 0; i < n; i++)
        any |= y[i];
    for (unsigned bit = any ? n * 64 : 0; bit-- > 0;) {
        bool carry = macs_limbs_bit(rest, n * 64 - 1);
        macs_limbs_shift_left(rest, rest, n, 1);
        rest[0] |= macs_limbs_bit(x, bit);
        if (carry || macs_limbs_compare(rest, y, n) >= 0) {
            macs_limbs_add(rest, rest, y, n, 1, UINT64_MAX);
            quotient[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

#define MACS_WIDE(N)                                                                                                   \
    typedef struct {                                                                                                   \
        uint64_t limb[N];                                                                                              \
    } macs_w##N;                                                                                                       \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_trim(macs_w##N x, unsigned width) {                                   \
        macs_limbs_trim(x.limb, N, width);                                                                             \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_of(uint64_t value) {                                                  \
        macs_w##N x = {{value}};                                                                                       \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_resize(const uint64_t *limbs, unsigned count, unsigned width) {       \
        macs_w##N x = {{0}};                                                                                           \
        for (unsigned i = 0; i < N && i < count; i++)                                                                  \
            x.limb[i] = limbs[i];                                                                                      \
        return macs_w##N##_trim(x, width);                                                                             \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_extend_sign(macs_w##N x, unsigned from, unsigned width) {                   \
        macs_limbs_extend_sign(x.limb, N, from);                                                                       \
        return macs_w##N##_trim(x, width);                                                                             \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_add(macs_w##N x, macs_w##N y, unsigned width) {                             \
        macs_limbs_add(x.limb, x.limb, y.limb, N, 0, 0);                                                               \
        return macs_w##N##_trim(x, width);                                                                             \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_sub(macs_w##N x, macs_w##N y, unsigned width) {                             \
        macs_limbs_add(x.limb, x.limb, y.limb, N, 1, UINT64_MAX);                                                      \
        return macs_w##N##_trim(x, width);                                                                             \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_multiply(macs_w##N x, macs_w##N y, unsigned width) {                        \
        macs_w##N product;                                                                                             \
        macs_limbs_multiply(product.limb, x.limb, y.limb, N);                                                          \
        return macs_w##N##_trim(product, width);                                                                       \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_and(macs_w##N x, macs_w##N y) {                                       \
        for (unsigned i = 0; i < N; i++)                                                                               \
            x.limb[i] &= y.limb[i];                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_or(macs_w##N x, macs_w##N y) {                                        \
        for (unsigned i = 0; i < N; i++)                                                                               \
            x.limb[i] |= y.limb[i];                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_xor(macs_w##N x, macs_w##N y) {                                       \
        for (unsigned i = 0; i < N; i++)                                                                               \
            x.limb[i] ^= y.limb[i];                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_not(macs_w##N x, unsigned width) {                                    \
        for (unsigned i = 0; i < N; i++)                                                                               \
            x.limb[i] = ~x.limb[i];                                                                                    \
        return macs_w##N##_trim(x, width);                                                                             \
    }                                                                                                                  \
    /* The smallest or the largest signed number of that width. */                                                     \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_extreme(bool negative, unsigned width) {                                    \
        macs_w##N x = {{0}};                                                                                           \
        x.limb[(width - 1) / 64] = UINT64_C(1) << (width - 1) % 64;                                                    \
        return negative ? x : macs_w##N##_not(x, width);                                                               \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_shift_left(macs_w##N x, uint64_t amount, unsigned width) {            \
        macs_w##N out;                                                                                                 \
        macs_limbs_shift_left(out.limb, x.limb, N, amount);                                                            \
        return macs_w##N##_trim(out, width);                                                                           \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_shift_right(macs_w##N x, uint64_t amount) {                           \
        macs_w##N out;                                                                                                 \
        macs_limbs_shift_right(out.limb, x.limb, N, amount);                                                           \
        return out;                                                                                                    \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_shift_right_signed(macs_w##N x, uint64_t amount, unsigned width) {          \
        bool negative = x.limb[(width - 1) / 64] >> (width - 1) % 64 & 1;                                              \
        macs_w##N out = macs_w##N##_shift_right(x, amount);                                                            \
        if (negative && amount >= width)                                                                               \
            return macs_w##N##_not(macs_w##N##_of(0), width);                                                          \
        if (negative)                                                                                                  \
            macs_limbs_extend_sign(out.limb, N, width - (unsigned)amount);                                             \
        return macs_w##N##_trim(out, width);                                                                           \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE int macs_w##N##_compare(macs_w##N x, macs_w##N y) {                                         \
        return macs_limbs_compare(x.limb, y.limb, N);                                                                  \
    }                                                                                                                  \
    MACS_WIDE_INLINE int macs_w##N##_compare_signed(macs_w##N x, macs_w##N y, unsigned width) {                        \
        x.limb[(width - 1) / 64] ^= UINT64_C(1) << (width - 1) % 64;                                                   \
        y.limb[(width - 1) / 64] ^= UINT64_C(1) << (width - 1) % 64;                                                   \
        return macs_limbs_compare(x.limb, y.limb, N);                                                                  \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE macs_w##N macs_w##N##_load(const uint8_t *from, unsigned first, unsigned width) {           \
        macs_w##N x;                                                                                                   \
        macs_limbs_load(x.limb, N, from, first, width);                                                                \
        return x;                                                                                                      \
    }                                                                                                                  \
    MACS_WIDE_FORCE_INLINE void macs_w##N##_store(uint8_t *to, unsigned first, unsigned width, macs_w##N x) {          \
        macs_limbs_store(to, first, width, x.limb, N);                                                                 \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_add_saturating(macs_w##N x, macs_w##N y, unsigned width) {                  \
        macs_w##N sum = macs_w##N##_add(x, y, width);                                                                  \
        return macs_w##N##_compare(sum, x) < 0 ? macs_w##N##_not(macs_w##N##_of(0), width) : sum;                      \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_sub_saturating(macs_w##N x, macs_w##N y, unsigned width) {                  \
        return macs_w##N##_compare(x, y) < 0 ? macs_w##N##_of(0) : macs_w##N##_sub(x, y, width);                       \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_add_saturating_signed(macs_w##N x, macs_w##N y, unsigned width) {           \
        macs_w##N sum = macs_w##N##_add(x, y, width);                                                                  \
        bool negative = macs_limbs_bit(x.limb, width - 1);                                                             \
        if (negative != macs_limbs_bit(y.limb, width - 1) || negative == macs_limbs_bit(sum.limb, width - 1))          \
            return sum;                                                                                                \
        return macs_w##N##_extreme(negative, width);                                                                   \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_sub_saturating_signed(macs_w##N x, macs_w##N y, unsigned width) {           \
        macs_w##N difference = macs_w##N##_sub(x, y, width);                                                           \
        bool negative = macs_limbs_bit(x.limb, width - 1);                                                             \
        if (negative == macs_limbs_bit(y.limb, width - 1) || negative == macs_limbs_bit(difference.limb, width - 1))   \
            return difference;                                                                                         \
        return macs_w##N##_extreme(negative, width);                                                                   \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_divide(macs_w##N x, macs_w##N y) {                                          \
        macs_w##N quotient, rest;                                                                                      \
        macs_limbs_divide(quotient.limb, rest.limb, x.limb, y.limb, N);                                                \
        return quotient;                                                                                               \
    }                                                                                                                  \
    MACS_WIDE_INLINE macs_w##N macs_w##N##_modulo(macs_w##N x, macs_w##N y) {                                          \
        macs_w##N quotient, rest;                                                                                      \
        macs_limbs_divide(quotient.limb, rest.limb, x.limb, y.limb, N);                                                \
        return rest;                                                                                                   \
    }                                                                                                                  \
    MACS_WIDE_INLINE uint64_t macs_w##N##_amount(macs_w##N x) {                                                        \
        return macs_limbs_amount(x.limb, N);                                                                           \
    }

#endif
