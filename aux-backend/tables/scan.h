/* Compare the eight words of a cache line with one word at once: what hash buckets and groups of ternary entries are
 * searched with.
 *
 * The widest compare that the compiler's target has: AVX-512, AVX2, SSE4.1, NEON, else a plain loop. All give the same
 * answer. -DMACS_SCAN_PLAIN takes the loop, and so does the thread sanitizer, which cannot see into vector loads.
 * Threads: any number of readers beside one writer that stores whole words. A vector load reads each aligned 64-bit
 * word at once, but not all words at the same moment, and orders nothing: a reader loads the word that it found again.
 * Cost: about 2 ns from the first-level cache; 1 ns with AVX-512.
 */
#ifndef MACS_TABLES_SCAN_H
#define MACS_TABLES_SCAN_H

#include <stdatomic.h>
#include <stdint.h>

#define MACS_SCAN_WORDS 8u

#if defined(__SANITIZE_THREAD__) && !defined(MACS_SCAN_PLAIN)
#define MACS_SCAN_PLAIN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(MACS_SCAN_PLAIN)
#define MACS_SCAN_PLAIN
#endif
#endif

/* macs_scan: one bit for each of the eight words, aligned to 64 bytes, that is equal to `want` in the bits of `mask`.
 * macs_scan_masked: one bit for each of the eight `values` that is equal to `word` in the bits of its mask; both
 * aligned to 64 bytes, and constant. */
#if !defined(MACS_SCAN_PLAIN) && defined(__AVX512F__)
#include <immintrin.h>
#define MACS_SCAN_WITH "AVX-512"
static inline uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    __m512i line = _mm512_load_si512((const void *)words);
    __m512i wanted = _mm512_set1_epi64((long long)want);
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(line, _mm512_set1_epi64((long long)mask)), wanted);
}
static inline uint32_t macs_scan_masked(const uint64_t *values, const uint64_t *masks, uint64_t word) {
    __m512i line = _mm512_load_si512((const void *)values), mask = _mm512_load_si512((const void *)masks);
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(mask, _mm512_set1_epi64((long long)word)), line);
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__AVX2__)
#include <immintrin.h>
#define MACS_SCAN_WITH "AVX2"
static inline uint32_t macs_scan_half(const _Atomic uint64_t *words, __m256i mask, __m256i want) {
    __m256i half = _mm256_and_si256(_mm256_load_si256((const __m256i *)(const void *)words), mask);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(half, want)));
}
static inline uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    __m256i masks = _mm256_set1_epi64x((long long)mask), wanted = _mm256_set1_epi64x((long long)want);
    return macs_scan_half(words, masks, wanted) | macs_scan_half(words + 4, masks, wanted) << 4;
}
static inline uint32_t macs_scan_masked(const uint64_t *values, const uint64_t *masks, uint64_t word) {
    __m256i wanted = _mm256_set1_epi64x((long long)word);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i += 4) {
        __m256i masked = _mm256_and_si256(_mm256_load_si256((const __m256i *)(const void *)(masks + i)), wanted);
        __m256i equal = _mm256_cmpeq_epi64(masked, _mm256_load_si256((const __m256i *)(const void *)(values + i)));
        hits |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << i;
    }
    return hits;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__SSE4_1__)
#include <smmintrin.h>
#define MACS_SCAN_WITH "SSE4.1"
static inline uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    __m128i masks = _mm_set1_epi64x((long long)mask), wanted = _mm_set1_epi64x((long long)want);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i += 2) {
        __m128i pair = _mm_and_si128(_mm_load_si128((const __m128i *)(const void *)(words + i)), masks);
        hits |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(pair, wanted))) << i;
    }
    return hits;
}
static inline uint32_t macs_scan_masked(const uint64_t *values, const uint64_t *masks, uint64_t word) {
    __m128i wanted = _mm_set1_epi64x((long long)word);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i += 2) {
        __m128i masked = _mm_and_si128(_mm_load_si128((const __m128i *)(const void *)(masks + i)), wanted);
        __m128i equal = _mm_cmpeq_epi64(masked, _mm_load_si128((const __m128i *)(const void *)(values + i)));
        hits |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(equal)) << i;
    }
    return hits;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define MACS_SCAN_WITH "NEON"
/* One bit for each word that is all ones, of pairs that are all ones or zero. */
static inline uint32_t macs_scan_bits(const uint64x2_t equal[4]) {
    static const uint16_t weights[MACS_SCAN_WORDS] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint16x4_t low = vmovn_u32(vcombine_u32(vmovn_u64(equal[0]), vmovn_u64(equal[1])));
    uint16x4_t high = vmovn_u32(vcombine_u32(vmovn_u64(equal[2]), vmovn_u64(equal[3])));
    return vaddvq_u16(vandq_u16(vcombine_u16(low, high), vld1q_u16(weights)));
}
static inline uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    uint64x2_t masks = vdupq_n_u64(mask), wanted = vdupq_n_u64(want), equal[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint64x2_t pair = vld1q_u64((const uint64_t *)(const void *)(words + 2 * i));
        equal[i] = vceqq_u64(vandq_u64(pair, masks), wanted);
    }
    return macs_scan_bits(equal);
}
static inline uint32_t macs_scan_masked(const uint64_t *values, const uint64_t *masks, uint64_t word) {
    uint64x2_t wanted = vdupq_n_u64(word), equal[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint64x2_t mask = vld1q_u64(masks + 2 * i);
        equal[i] = vceqq_u64(vandq_u64(mask, wanted), vld1q_u64(values + 2 * i));
    }
    return macs_scan_bits(equal);
}
#else
#ifndef MACS_SCAN_PLAIN
#define MACS_SCAN_PLAIN
#endif
#define MACS_SCAN_WITH "plain C"
static inline uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i++)
        hits |= (uint32_t)((atomic_load_explicit(&words[i], memory_order_acquire) & mask) == want) << i;
    return hits;
}
static inline uint32_t macs_scan_masked(const uint64_t *values, const uint64_t *masks, uint64_t word) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i++)
        hits |= (uint32_t)((word & masks[i]) == values[i]) << i;
    return hits;
}
#endif

/* Keep of `left` what eight words, aligned to 64 bytes, have too. */
static inline void macs_scan_and(uint64_t *left, const _Atomic uint64_t *words) {
#ifdef MACS_SCAN_PLAIN
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i++)
        left[i] &= atomic_load_explicit(&words[i], memory_order_acquire);
#else
    typedef uint64_t line_t __attribute__((vector_size(64), may_alias)); /* as wide as the target's registers are */
    typedef uint64_t unaligned_t __attribute__((vector_size(64), may_alias, aligned(8)));
    *(unaligned_t *)left &= *(const line_t *)(const void *)words;
#endif
}

/* Between vector loads and a later load that must not come before them; the plain loop's loads are in order. */
static inline void macs_scan_fence(void) {
#ifndef MACS_SCAN_PLAIN
    atomic_thread_fence(memory_order_acquire);
#endif
}

#endif
