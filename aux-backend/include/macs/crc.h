/* Reflected CRCs of 16 and 32 bits: by carry-less multiplication where the processor has that, else by tables.
 *
 * As polynomials over GF(2), a message is the sum of its words, each times x to the power of the bits behind it, and
 * its CRC that sum's rest by the CRC's polynomial. So words are multiplied by the rests of these powers, which are
 * known, independently of each other, and the sum of a few bits more than a word is reduced in the end. All is
 * reflected: a word's lowest bit has the highest power, so that a product of two has x once too often, which the powers
 * leave out. Cost: 45 bytes take 9 multiplications; by tables 45 loads, each eight of which wait for the eight before
 * them. Source: Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ (2009); by tables: Sarwate,
 * Computation of cyclic redundancy checks via table look-up (1988); Kounavis, Berry, Novel table lookup-based
 * algorithms for high-performance CRC generation (2008).
 */
#ifndef MACS_CRC_H
#define MACS_CRC_H

#include <stdint.h>
#include <string.h>

/* Where the length is a constant, as in generated code, its loops unroll. */
#define MACS_CRC_INLINE __attribute__((always_inline)) static inline

#if defined(__PCLMUL__) && defined(__x86_64__) && !defined(MACS_CRC_PLAIN)
#include <wmmintrin.h>
#define MACS_CRC_WORDS 16u    /* of a message that are multiplied at once */
#define MACS_CRC_AT_ONCE 128u /* bytes of them */

/* `bits`: of the CRC. Rests have that many bits, and stand in the highest of a word when they are multiplied. */
struct macs_crc {
    unsigned bits;
    uint32_t powers[MACS_CRC_WORDS]; /* x^(64 i + bits - 1), by the polynomial */
    uint32_t fold;                   /* x^63, by the polynomial */
    uint64_t quotient;               /* x^(63 + bits) / (the polynomial x^bits + ...) */
    uint64_t polynomial;
};

static const struct macs_crc macs_crc16 = {
    .bits = 16,
    .powers = {0x0001, 0xccc1, 0x90c1, 0x955d, 0xac01, 0xc6ad, 0xed6d, 0xbffa, 0xf0c1, 0x933d, 0x8461, 0xec03, 0xdb6d,
               0xbcac, 0xe677, 0x0cc1},
    .fold = 0xd101,
    .quotient = UINT64_C(0x0001ebffcfffbfff),
    .polynomial = UINT64_C(0xa001800000000000),
};

static const struct macs_crc macs_crc32 = {
    .bits = 32,
    .powers = {0x00000001, 0xccaa009e, 0xae689191, 0x81256527, 0xf1da05aa, 0xaf449247, 0x3db1ecdc, 0x1d9513d7,
               0x8f352d95, 0xae0b5394, 0x1c279815, 0x57c54819, 0xdf068dc2, 0x0cbec0ed, 0x31f8303f, 0x910eeec1},
    .fold = 0xb8bc6765,
    .quotient = UINT64_C(0x00000001f7011641),
    .polynomial = UINT64_C(0xedb8832080000000),
};

static inline __m128i macs_crc_times(uint64_t left, uint64_t right) {
    return _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)left), _mm_cvtsi64_si128((long long)right), 0);
}

static inline uint64_t macs_crc_low(__m128i product) {
    return (uint64_t)_mm_cvtsi128_si64(product);
}

static inline uint64_t macs_crc_high(__m128i product) {
    return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product));
}

static inline uint64_t macs_crc_load(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* The rest of a sum of products: Barrett's reduction, after the highest `bits` bits are multiplied once more. */
static inline uint32_t macs_crc_reduce(const struct macs_crc *of, __m128i sum) {
    const unsigned above = 64 - of->bits;
    uint64_t left = macs_crc_high(sum) ^ macs_crc_high(macs_crc_times(macs_crc_low(sum), (uint64_t)of->fold << above));
    uint64_t quotient = macs_crc_low(macs_crc_times(left << of->bits, of->quotient));
    return (uint32_t)((left ^ macs_crc_high(macs_crc_times(quotient, of->polynomial)) << 1) >> above);
}

/* Of 8 to MACS_CRC_AT_ONCE bytes. The first word has what is left over by eights; to the others the CRC so far is
 * added as far as it is longer than that. */
MACS_CRC_INLINE uint32_t macs_crc_some(const struct macs_crc *of, const uint8_t *data, uint32_t length, uint32_t crc) {
    const unsigned above = 64 - of->bits;
    const uint32_t words = length / 8, over = length % 8;
    __m128i sum = _mm_setzero_si128();
    if (over)
        sum = macs_crc_times((macs_crc_load(data) ^ crc) << (64 - 8 * over), (uint64_t)of->powers[words] << above);
    sum = _mm_xor_si128(sum, macs_crc_times(macs_crc_load(data + over) ^ (uint64_t)crc >> 8 * over,
                                            (uint64_t)of->powers[words - 1] << above));
    for (uint32_t i = 1; i < words; i++)
        sum = _mm_xor_si128(sum, macs_crc_times(macs_crc_load(data + over + (size_t)8 * i),
                                                (uint64_t)of->powers[words - 1 - i] << above));
    return macs_crc_reduce(of, sum);
}

/* Of any number of bytes, all but the last few, which `data` and `length` are set to. */
MACS_CRC_INLINE uint32_t macs_crc_most(const struct macs_crc *of, const uint8_t **data, uint32_t *length,
                                       uint32_t crc) {
    while (*length >= 8) {
        uint32_t some = *length > MACS_CRC_AT_ONCE ? MACS_CRC_AT_ONCE : *length;
        crc = macs_crc_some(of, *data, some, crc);
        *data += some;
        *length -= some;
    }
    return crc;
}
#endif

/* By tables: `[k]` has what each byte makes of the rest with k bytes behind it, so that eight bytes, and then four, are
 * looked up at once. */
#define MACS_CRC_TABLES 8u

extern const uint16_t macs_crc16_tables[MACS_CRC_TABLES][256]; /* polynomial 0x8005 */
extern const uint32_t macs_crc32_tables[MACS_CRC_TABLES][256]; /* polynomial 0x04c11db7 */

MACS_CRC_INLINE uint32_t macs_crc16_on(const uint8_t *data, uint32_t length, uint32_t crc) {
#ifdef MACS_CRC_WORDS
    crc = macs_crc_most(&macs_crc16, &data, &length, crc);
#endif
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
}

/* The CRC so far and four bytes, with `behind` bytes behind them. */
static inline uint32_t macs_crc32_four(const uint8_t *data, uint32_t behind, uint32_t crc) {
    const uint32_t(*const of)[256] = macs_crc32_tables + behind;
    return of[3][(crc ^ data[0]) & 0xff] ^ of[2][(crc >> 8 ^ data[1]) & 0xff] ^ of[1][(crc >> 16 ^ data[2]) & 0xff] ^
           of[0][crc >> 24 ^ data[3]];
}

MACS_CRC_INLINE uint32_t macs_crc32_on(const uint8_t *data, uint32_t length, uint32_t crc) {
#ifdef MACS_CRC_WORDS
    crc = macs_crc_most(&macs_crc32, &data, &length, crc);
#endif
    for (; length >= 8; data += 8, length -= 8)
        crc = macs_crc32_four(data + 4, 0, 0) ^ macs_crc32_four(data, 4, crc);
    for (; length >= 4; data += 4, length -= 4)
        crc = macs_crc32_four(data, 0, crc);
    for (; length; data++, length--)
        crc = crc >> 8 ^ macs_crc32_tables[0][(crc ^ data[0]) & 0xff];
    return crc;
}

#endif
