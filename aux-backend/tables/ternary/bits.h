/* Operations on 512 bits at once, for the intersection of bit vectors.
 *
 * Uses the widest vectors that the compiler's target has: AVX-512, AVX2, SSE4.1, NEON, else a plain loop, as does
 * -DMACS_SCAN_PLAIN. All give the same answer.
 * Threads: as in scan.h. Each aligned 64-bit word is read atomically, and nothing is ordered.
 */
#ifndef MACS_TABLES_BITS_H
#define MACS_TABLES_BITS_H

#include <stdbool.h>

#include "tables/common/scan.h"

#define MACS_BITS_WORDS 8u

/* macs_bits_load: a line of a row, aligned to 64 bytes. macs_bits_and: what is in both; macs_bits_without: in the first
 * only. macs_bits_store: to words aligned to 64 bytes; one bit for each word that is not 0. MACS_BITS_LOADS:
 * instructions that load a line. */
#if !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_512)
#define MACS_BITS_LOADS 1
typedef macs_words8 macs_bits;
static inline macs_bits macs_bits_load(const _Atomic uint64_t *line) {
    return *(const macs_words8 *)(const void *)line;
}
static inline macs_bits macs_bits_and(macs_bits a, macs_bits b) {
    return a & b;
}
static inline macs_bits macs_bits_without(macs_bits a, macs_bits b) {
    return a & ~b;
}
static inline uint32_t macs_bits_store(macs_bits bits, uint64_t *words) {
    *(macs_words8 *)(void *)words = bits;
    return macs_words8_meet(bits, bits);
}
static inline bool macs_bits_meet(macs_bits a, macs_bits b) {
    return macs_words8_meet(a, b) != 0;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_256)
#define MACS_BITS_LOADS 2
typedef struct {
    macs_words4 low, high;
} macs_bits;
static inline macs_bits macs_bits_load(const _Atomic uint64_t *line) {
    const macs_words4 *halves = (const macs_words4 *)(const void *)line;
    return (macs_bits){halves[0], halves[1]};
}
static inline macs_bits macs_bits_and(macs_bits a, macs_bits b) {
    return (macs_bits){a.low & b.low, a.high & b.high};
}
static inline macs_bits macs_bits_without(macs_bits a, macs_bits b) {
    return (macs_bits){a.low & ~b.low, a.high & ~b.high};
}
static inline uint32_t macs_bits_store(macs_bits bits, uint64_t *words) {
    const macs_words4 none = {0};
    macs_words4 *const halves = (macs_words4 *)(void *)words;
    halves[0] = bits.low;
    halves[1] = bits.high;
    return (macs_words4_equal(bits.low, none) | macs_words4_equal(bits.high, none) << 4) ^ 0xff;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__SSE4_1__)
#define MACS_BITS_LOADS 4
typedef struct {
    __m128i of[4];
} macs_bits;
static inline macs_bits macs_bits_load(const _Atomic uint64_t *line) {
    const __m128i *pairs = (const __m128i *)(const void *)line;
    return (macs_bits){
        {_mm_load_si128(pairs), _mm_load_si128(pairs + 1), _mm_load_si128(pairs + 2), _mm_load_si128(pairs + 3)}};
}
static inline macs_bits macs_bits_and(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < 4; i++)
        a.of[i] = _mm_and_si128(a.of[i], b.of[i]);
    return a;
}
static inline macs_bits macs_bits_without(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < 4; i++)
        a.of[i] = _mm_andnot_si128(b.of[i], a.of[i]);
    return a;
}
static inline uint32_t macs_bits_store(macs_bits bits, uint64_t *words) {
    uint32_t none = 0;
    for (uint32_t i = 0; i < 4; i++) {
        __m128i equal = _mm_cmpeq_epi64(bits.of[i], _mm_setzero_si128());
        _mm_store_si128((__m128i *)(void *)(words + 2 * i), bits.of[i]);
        none |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(equal)) << 2 * i;
    }
    return none ^ 0xff;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__aarch64__) && defined(__ARM_NEON)
#define MACS_BITS_LOADS 4
typedef uint64x2x4_t macs_bits;
static inline macs_bits macs_bits_load(const _Atomic uint64_t *line) {
    const uint64_t *words = (const uint64_t *)(const void *)line;
    return (macs_bits){{vld1q_u64(words), vld1q_u64(words + 2), vld1q_u64(words + 4), vld1q_u64(words + 6)}};
}
static inline macs_bits macs_bits_and(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < 4; i++)
        a.val[i] = vandq_u64(a.val[i], b.val[i]);
    return a;
}
static inline macs_bits macs_bits_without(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < 4; i++)
        a.val[i] = vbicq_u64(a.val[i], b.val[i]);
    return a;
}
static inline uint32_t macs_bits_store(macs_bits bits, uint64_t *words) {
    uint64x2_t some[4];
    for (uint32_t i = 0; i < 4; i++) {
        vst1q_u64(words + 2 * i, bits.val[i]);
        some[i] = vtstq_u64(bits.val[i], bits.val[i]);
    }
    return macs_scan_bits(some);
}
#else
#define MACS_BITS_LOADS 8
typedef struct {
    uint64_t of[MACS_BITS_WORDS];
} macs_bits;
static inline macs_bits macs_bits_load(const _Atomic uint64_t *line) {
    macs_bits bits;
    for (uint32_t i = 0; i < MACS_BITS_WORDS; i++)
        bits.of[i] = atomic_load_explicit(&line[i], memory_order_relaxed);
    return bits;
}
static inline macs_bits macs_bits_and(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < MACS_BITS_WORDS; i++)
        a.of[i] &= b.of[i];
    return a;
}
static inline macs_bits macs_bits_without(macs_bits a, macs_bits b) {
    for (uint32_t i = 0; i < MACS_BITS_WORDS; i++)
        a.of[i] &= ~b.of[i];
    return a;
}
static inline uint32_t macs_bits_store(macs_bits bits, uint64_t *words) {
    uint32_t some = 0;
    for (uint32_t i = 0; i < MACS_BITS_WORDS; i++) {
        words[i] = bits.of[i];
        some |= (uint32_t)(bits.of[i] != 0) << i;
    }
    return some;
}
#endif

#if MACS_BITS_LOADS > 1
static inline bool macs_bits_meet(macs_bits a, macs_bits b) {
    _Alignas(64) uint64_t words[MACS_BITS_WORDS];
    return macs_bits_store(macs_bits_and(a, b), words) != 0;
}
#endif

#endif
