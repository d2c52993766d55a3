/* Reflected CRCs of 16 and 32 bits: by ARM's CRC instructions, by carry-less multiplication (x86, ARM), else by tables.
 * -DMACS_CRC_PLAIN uses the tables.
 *
 * A message is a polynomial over GF(2), and its CRC the remainder by the CRC's polynomial. The message is the sum of
 * its words, each times x to the power of the number of bits behind it. The remainders of these powers are constants.
 * So each word is multiplied by its constant, independently of the others, and only the sum is reduced at the end.
 * Everything is reflected: the lowest bit of a word is the highest power. The product of two reflected words has a
 * factor x too many, which the constants do without.
 * Cost: up to 8 bytes take 2 multiplications, up to 12 take 3, each 8 more one more. By tables 8 loads depend on the 8
 * before them.
 * Source: Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ (2009). Tables: Sarwate,
 * Computation of cyclic redundancy checks via table look-up (1988); Kounavis, Berry, Novel table lookup-based
 * algorithms for high-performance CRC generation (2008).
 */
#ifndef MACS_CRC_H
#define MACS_CRC_H

#include <stdint.h>
#include <string.h>

#include <macs/inline.h>

#if !defined(MACS_CRC_PLAIN) && defined(__x86_64__) && defined(__PCLMUL__)
#define MACS_CRC_MULTIPLIES
#include <wmmintrin.h>

typedef __m128i macs_crc_product;

/* The lower half of a product times a constant, and the upper one. */
#define macs_crc_times_low(product, constant) _mm_clmulepi64_si128(product, macs_crc_word(constant), 0x00)
#define macs_crc_times_high(product, constant) _mm_clmulepi64_si128(product, macs_crc_word(constant), 0x01)

static inline macs_crc_product macs_crc_word(uint64_t low) {
    return _mm_cvtsi64_si128((long long)low);
}

static inline macs_crc_product macs_crc_upper(uint64_t high) {
    return _mm_slli_si128(macs_crc_word(high), 8);
}

static inline macs_crc_product macs_crc_sum(macs_crc_product a, macs_crc_product b) {
    return _mm_xor_si128(a, b);
}

static inline uint64_t macs_crc_high(macs_crc_product product) {
    return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product));
}

#elif !defined(MACS_CRC_PLAIN) && defined(__aarch64__) && defined(__ARM_FEATURE_AES) && !defined(__ARM_BIG_ENDIAN)
#define MACS_CRC_MULTIPLIES
#include <arm_neon.h>

typedef uint64x2_t macs_crc_product;

#define macs_crc_times_low(product, constant) macs_crc_multiply(vgetq_lane_u64(product, 0), constant)
#define macs_crc_times_high(product, constant) macs_crc_multiply(vgetq_lane_u64(product, 1), constant)

static inline macs_crc_product macs_crc_multiply(uint64_t left, uint64_t right) {
    return vreinterpretq_u64_p128(vmull_p64((poly64_t)left, (poly64_t)right));
}

static inline macs_crc_product macs_crc_word(uint64_t low) {
    return vcombine_u64(vcreate_u64(low), vcreate_u64(0));
}

static inline macs_crc_product macs_crc_upper(uint64_t high) {
    return vcombine_u64(vcreate_u64(0), vcreate_u64(high));
}

static inline macs_crc_product macs_crc_sum(macs_crc_product a, macs_crc_product b) {
    return veorq_u64(a, b);
}

static inline uint64_t macs_crc_high(macs_crc_product product) {
    return vgetq_lane_u64(product, 1);
}
#endif

#if !defined(MACS_CRC_PLAIN) && defined(__aarch64__) && defined(__ARM_FEATURE_CRC32) && !defined(__ARM_BIG_ENDIAN)
#define MACS_CRC_INSTRUCTIONS /* for the polynomial of CRC-32 */
#include <arm_acle.h>
#endif

#if defined(MACS_CRC_MULTIPLIES) || defined(MACS_CRC_INSTRUCTIONS)
static inline uint64_t macs_crc_load64(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint32_t macs_crc_load32(const uint8_t *from) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}
#endif

#ifdef MACS_CRC_MULTIPLIES
#define MACS_CRC_WORDS 16u /* of a message that are multiplied before their sum is reduced */

/* `bits`: of the CRC. `powers[i]`: x^(64 i - 1) by the polynomial, which stands in the highest bits of a word when it
 * is multiplied: the lower half of a product has what is above the last word. */
struct macs_crc {
    unsigned bits;
    uint32_t powers[MACS_CRC_WORDS];
    uint64_t quotient;   /* x^(63 + bits) / polynomial */
    uint64_t polynomial; /* without x^bits, times x */
};

static const struct macs_crc macs_crc16 = {
    .bits = 16,
    .powers = {0x4003, 0xd101, 0xc100, 0xccd0, 0x5001, 0xc991, 0xac91, 0xaaa4, 0x8101, 0xc450, 0xf080, 0x6ff8, 0xe491,
               0xae6c, 0xb749, 0x5103},
    .quotient = UINT64_C(0xf0ffebffcfffbfff),
    .polynomial = UINT64_C(0x14002),
};

static const struct macs_crc macs_crc32 = {
    .bits = 32,
    .powers = {0xdb710641, 0xb8bc6765, 0x9ba54c6f, 0x65673b46, 0x01b5fd1d, 0x9570d495, 0x2a283862, 0x69ccfc0d,
               0xcad38e8f, 0x653d9822, 0x8e42b13e, 0x5a03a0cf, 0x101a2331, 0x759fc69d, 0xc64ac0b8, 0x019866e8},
    .quotient = UINT64_C(0xb4e5b025f7011641),
    .polynomial = UINT64_C(0x1db710640),
};

/* 1 to 8 bytes as a little-endian number; reads no other bytes. */
MACS_ALWAYS_INLINE uint64_t macs_crc_load(const uint8_t *from, uint32_t bytes) {
    if (bytes == 8)
        return macs_crc_load64(from);
    if (bytes >= 4)
        return macs_crc_load32(from) | (uint64_t)macs_crc_load32(from + bytes - 4) << 8 * (bytes - 4);
    return from[0] | (uint64_t)from[bytes / 2] << 8 * (bytes / 2) | (uint64_t)from[bytes - 1] << 8 * (bytes - 1);
}

/* The rest of a word in the upper half, with as many bits as the CRC has behind it: Barrett's reduction. */
static inline uint32_t macs_crc_rest(const struct macs_crc *of, macs_crc_product upper) {
    macs_crc_product quotient = macs_crc_times_high(upper, of->quotient);
    return (uint32_t)macs_crc_high(macs_crc_times_low(quotient, of->polynomial));
}

/* Of 1 to 8 * MACS_CRC_WORDS bytes. The first piece has what there is beside whole words behind it, as a word with its
 * bytes uppermost. The CRC so far is added to the first bytes; what it has more of to the word behind. */
MACS_ALWAYS_INLINE uint32_t macs_crc_some(const struct macs_crc *of, const uint8_t *data, uint32_t length,
                                          uint32_t crc) {
    const unsigned above = 64 - of->bits;
    const uint32_t words = (length - 1) / 8, first = length - 8 * words;
    const uint64_t piece = (macs_crc_load(data, first) ^ crc) << (64 - 8 * first),
                   over = (uint64_t)crc >> 8 * (first & 7);
    const uint32_t carried = first < 8 ? (uint32_t)over : 0;
    if (words == 0)
        return macs_crc_rest(of, macs_crc_upper(piece)) ^ carried;
    macs_crc_product sum = macs_crc_times_low(macs_crc_word(piece), (uint64_t)of->powers[words] << above);
    data += first;
    for (uint32_t i = words - 1; i > 0; i--, data += 8) {
        uint64_t word = macs_crc_load64(data) ^ (i == words - 1 ? carried : 0);
        sum = macs_crc_sum(sum, macs_crc_times_low(macs_crc_word(word), (uint64_t)of->powers[i] << above));
    }
    if (words > 1 || first > above / 8) /* else nothing is above the last word */
        sum = macs_crc_sum(sum, macs_crc_times_low(sum, (uint64_t)of->powers[1] << above));
    return macs_crc_rest(of, macs_crc_sum(sum, macs_crc_upper(macs_crc_load64(data) ^ (words == 1 ? carried : 0))));
}

MACS_ALWAYS_INLINE uint32_t macs_crc_on(const struct macs_crc *of, const uint8_t *data, uint32_t length, uint32_t crc) {
    for (; length > 8 * MACS_CRC_WORDS; data += 8 * MACS_CRC_WORDS, length -= 8 * MACS_CRC_WORDS)
        crc = macs_crc_some(of, data, 8 * MACS_CRC_WORDS, crc);
    return length ? macs_crc_some(of, data, length, crc) : crc;
}
#endif

/* By tables: `[k]` has what each byte makes of the rest with k bytes behind it, so that eight bytes, and then four, are
 * looked up at once. */
#define MACS_CRC_TABLES 8u

extern const uint16_t macs_crc16_tables[MACS_CRC_TABLES][256]; /* polynomial 0x8005 */
extern const uint32_t macs_crc32_tables[MACS_CRC_TABLES][256]; /* polynomial 0x04c11db7 */

MACS_ALWAYS_INLINE uint32_t macs_crc16_on(const uint8_t *data, uint32_t length, uint32_t crc) {
#ifdef MACS_CRC_MULTIPLIES
    return macs_crc_on(&macs_crc16, data, length, crc);
#else
    const uint16_t(*const of)[256] = macs_crc16_tables;
    for (; length >= 8; data += 8, length -= 8) {
        uint32_t first = of[7][(crc ^ data[0]) & 0xff] ^ of[6][(crc >> 8 ^ data[1]) & 0xff];
        crc = of[5][data[2]] ^ of[4][data[3]] ^ of[3][data[4]] ^ of[2][data[5]] ^ of[1][data[6]] ^ of[0][data[7]];
        crc ^= first;
    }
    for (; length >= 4; data += 4, length -= 4)
        crc = of[3][(crc ^ data[0]) & 0xff] ^ of[2][(crc >> 8 ^ data[1]) & 0xff] ^ of[1][data[2]] ^ of[0][data[3]];
    for (; length; data++, length--)
        crc = crc >> 8 ^ of[0][(crc ^ data[0]) & 0xff];
    return crc;
#endif
}

#if defined(MACS_CRC_INSTRUCTIONS)
MACS_ALWAYS_INLINE uint32_t macs_crc32_on(const uint8_t *data, uint32_t length, uint32_t crc) {
    for (; length >= 8; data += 8, length -= 8)
        crc = __crc32d(crc, macs_crc_load64(data));
    for (; length >= 4; data += 4, length -= 4)
        crc = __crc32w(crc, macs_crc_load32(data));
    for (; length; data++, length--)
        crc = __crc32b(crc, *data);
    return crc;
}
#elif defined(MACS_CRC_MULTIPLIES)
MACS_ALWAYS_INLINE uint32_t macs_crc32_on(const uint8_t *data, uint32_t length, uint32_t crc) {
    return macs_crc_on(&macs_crc32, data, length, crc);
}
#else
/* The CRC so far and four bytes, with `behind` bytes behind them. */
static inline uint32_t macs_crc32_four(const uint8_t *data, uint32_t behind, uint32_t crc) {
    const uint32_t(*const of)[256] = macs_crc32_tables + behind;
    return of[3][(crc ^ data[0]) & 0xff] ^ of[2][(crc >> 8 ^ data[1]) & 0xff] ^ of[1][(crc >> 16 ^ data[2]) & 0xff] ^
           of[0][crc >> 24 ^ data[3]];
}

MACS_ALWAYS_INLINE uint32_t macs_crc32_on(const uint8_t *data, uint32_t length, uint32_t crc) {
    for (; length >= 8; data += 8, length -= 8)
        crc = macs_crc32_four(data + 4, 0, 0) ^ macs_crc32_four(data, 4, crc);
    for (; length >= 4; data += 4, length -= 4)
        crc = macs_crc32_four(data, 0, crc);
    for (; length; data++, length--)
        crc = crc >> 8 ^ macs_crc32_tables[0][(crc ^ data[0]) & 0xff];
    return crc;
}
#endif

#endif
