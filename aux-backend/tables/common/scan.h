/* Compares the eight words of a cache line with one word: the search in a bucket of a hash table. Also compares four
 * ternary entries with a key, and two keys with each other.
 *
 * Uses the widest vectors that the compiler's target has: AVX-512, AVX2, SSE4.1, NEON, else a plain loop. All give the
 * same answer. -DMACS_SCAN_PLAIN forces the loop. So does the thread sanitizer, which cannot check vector loads.
 * Threads: any number of readers beside one writer that stores whole words. A vector load reads each aligned 64-bit
 * word atomically, but not all at one moment, and it orders nothing: so a reader loads the word that it found again.
 * Cost: about 2 ns from the first-level cache; 1 ns with AVX-512.
 */
#ifndef MACS_TABLES_SCAN_H
#define MACS_TABLES_SCAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hash.h"
#include "vectors.h"

#define MACS_SCAN_WORDS 8u
#define MACS_SCAN_LANES 4u /* ternary entries */

#if defined(__SANITIZE_THREAD__) && !defined(MACS_SCAN_PLAIN)
#define MACS_SCAN_PLAIN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(MACS_SCAN_PLAIN)
#define MACS_SCAN_PLAIN
#endif
#endif

/* macs_scan: one bit for each of the eight words, aligned to 64 bytes, that is equal to `want` in the bits of `mask`.
 * macs_scan_masked: one bit for each of four entries that agrees with the key's `count` words in the bits of its mask.
 * A line for each word, aligned to 64 bytes and constant: four values, then four masks. */
#if !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_512)
#define MACS_SCAN_WITH "AVX-512"
MACS_ALWAYS_INLINE uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    const macs_words8 line = *(const macs_words8 *)(const void *)words;
    return macs_words8_equal(line & macs_words8_of(mask), macs_words8_of(want));
}
#elif !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_256)
#define MACS_SCAN_WITH "AVX2"
MACS_ALWAYS_INLINE uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    const macs_words4 *halves = (const macs_words4 *)(const void *)words;
    const macs_words4 masks = macs_words4_of(mask), wanted = macs_words4_of(want);
    return macs_words4_equal(halves[0] & masks, wanted) | macs_words4_equal(halves[1] & masks, wanted) << 4;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__SSE4_1__)
#include <smmintrin.h>
#define MACS_SCAN_WITH "SSE4.1"
MACS_ALWAYS_INLINE uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    __m128i masks = _mm_set1_epi64x((long long)mask), wanted = _mm_set1_epi64x((long long)want);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i += 2) {
        __m128i pair = _mm_and_si128(_mm_load_si128((const __m128i *)(const void *)(words + i)), masks);
        hits |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(pair, wanted))) << i;
    }
    return hits;
}
static inline uint32_t macs_scan_masked(const uint64_t *lines, const uint64_t *words, uint32_t count) {
    __m128i low = _mm_set1_epi64x(-1), high = low;
    for (uint32_t at = 0; at < count; at++) {
        const __m128i *line = (const __m128i *)(const void *)(lines + at * MACS_SCAN_WORDS);
        __m128i word = _mm_set1_epi64x((long long)words[at]);
        __m128i two = _mm_and_si128(_mm_load_si128(line + 2), word),
                others = _mm_and_si128(_mm_load_si128(line + 3), word);
        low = _mm_and_si128(low, _mm_cmpeq_epi64(two, _mm_load_si128(line)));
        high = _mm_and_si128(high, _mm_cmpeq_epi64(others, _mm_load_si128(line + 1)));
    }
    return (uint32_t)(_mm_movemask_pd(_mm_castsi128_pd(low)) | _mm_movemask_pd(_mm_castsi128_pd(high)) << 2);
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
MACS_ALWAYS_INLINE uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    uint64x2_t masks = vdupq_n_u64(mask), wanted = vdupq_n_u64(want), equal[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint64x2_t pair = vld1q_u64((const uint64_t *)(const void *)(words + 2 * i));
        equal[i] = vceqq_u64(vandq_u64(pair, masks), wanted);
    }
    return macs_scan_bits(equal);
}
static inline uint32_t macs_scan_masked(const uint64_t *lines, const uint64_t *words, uint32_t count) {
    uint64x2_t low = vdupq_n_u64(UINT64_MAX), high = low;
    for (uint32_t at = 0; at < count; at++) {
        const uint64_t *line = lines + at * MACS_SCAN_WORDS;
        uint64x2_t word = vdupq_n_u64(words[at]);
        low = vandq_u64(low, vceqq_u64(vandq_u64(vld1q_u64(line + 4), word), vld1q_u64(line)));
        high = vandq_u64(high, vceqq_u64(vandq_u64(vld1q_u64(line + 6), word), vld1q_u64(line + 2)));
    }
    uint64x2_t equal[4] = {low, high, vdupq_n_u64(0), vdupq_n_u64(0)};
    return macs_scan_bits(equal);
}
#else
#ifndef MACS_SCAN_PLAIN
#define MACS_SCAN_PLAIN
#endif
#define MACS_SCAN_WITH "plain C"
MACS_ALWAYS_INLINE uint32_t macs_scan(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MACS_SCAN_WORDS; i++)
        hits |= (uint32_t)((atomic_load_explicit(&words[i], memory_order_acquire) & mask) == want) << i;
    return hits;
}
static inline uint32_t macs_scan_masked(const uint64_t *lines, const uint64_t *words, uint32_t count) {
    uint32_t hits = (1u << MACS_SCAN_LANES) - 1;
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = 0; i < MACS_SCAN_LANES; i++)
            if ((words[at] & lines[at * MACS_SCAN_WORDS + MACS_SCAN_LANES + i]) != lines[at * MACS_SCAN_WORDS + i])
                hits &= ~(1u << i);
    return hits;
}
#endif

/* The word of those eight that is equal to `want`, which is not 0, in the bits of `mask`; 0: none is. */
MACS_ALWAYS_INLINE uint64_t macs_scan_find(const _Atomic uint64_t *words, uint64_t mask, uint64_t want) {
#if !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_512)
    const macs_words8 line = *(const macs_words8 *)(const void *)words; /* what is compared is what is returned */
    return macs_words8_first(line, macs_words8_apart(line ^ macs_words8_of(want), macs_words8_of(mask)));
#else
    uint32_t hits;
    while ((hits = macs_scan(words, mask, want)) != 0) {
        uint64_t word = atomic_load_explicit(&words[__builtin_ctz(hits)], memory_order_acquire);
        if ((word & mask) == want) /* else it was changed since */
            return word;
    }
    return 0;
#endif
}

#if !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_256)
static inline uint32_t macs_scan_masked(const uint64_t *lines, const uint64_t *words, uint32_t count) {
    macs_words4 equal = macs_words4_of(UINT64_MAX);
    for (uint32_t at = 0; at < count; at++) {
        const macs_words4 *line = (const macs_words4 *)(const void *)(lines + at * MACS_SCAN_WORDS);
        equal &= (macs_words4)((line[1] & macs_words4_of(words[at])) == line[0]);
    }
    return macs_words4_signs(equal);
}
#endif

/* Bytes that are compared at once, by macs_scan_differ: not 0 where these differ. */
#if !defined(MACS_SCAN_PLAIN) && defined(MACS_VECTORS_256)
#define MACS_SCAN_BYTES 32u
MACS_ALWAYS_INLINE uint32_t macs_scan_differ(const uint8_t *a, const uint8_t *b) {
    return ~macs_bytes32_equal(*(const macs_bytes32_at *)(const void *)a, *(const macs_bytes32_at *)(const void *)b);
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__SSE4_1__)
#define MACS_SCAN_BYTES 16u
MACS_ALWAYS_INLINE uint32_t macs_scan_differ(const uint8_t *a, const uint8_t *b) {
    const __m128i one = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m128i other = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(one, other)) ^ 0xffff;
}
#elif !defined(MACS_SCAN_PLAIN) && defined(__aarch64__) && defined(__ARM_NEON)
#define MACS_SCAN_BYTES 16u
MACS_ALWAYS_INLINE uint32_t macs_scan_differ(const uint8_t *a, const uint8_t *b) {
    return vmaxvq_u32(vreinterpretq_u32_u8(veorq_u8(vld1q_u8(a), vld1q_u8(b))));
}
#endif

/* Whether two keys are equal: straight code where `bytes` is a constant. Short ones are not left to memcmp(), whose
 * masked loads are slow on some processors where the memory was not touched lately. */
MACS_ALWAYS_INLINE bool macs_scan_equal(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
#ifdef MACS_SCAN_BYTES
    if (bytes >= MACS_SCAN_BYTES) {
        const uint32_t last = bytes - MACS_SCAN_BYTES; /* it may overlap the one before */
        uint32_t differ = macs_scan_differ(a + last, b + last);
        for (uint32_t at = 0; at < last; at += MACS_SCAN_BYTES)
            differ |= macs_scan_differ(a + at, b + at);
        return !differ;
    }
#endif
    uint64_t differ = 0;
    for (; bytes > 8; a += 8, b += 8, bytes -= 8)
        differ |= macs_hash_word(a, 8) ^ macs_hash_word(b, 8);
    return !(differ | (macs_hash_word(a, bytes) ^ macs_hash_word(b, bytes)));
}

#endif
