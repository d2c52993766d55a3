/* The vector instructions of AVX2 and AVX-512 that lookups take, by builtins that GCC and clang have: <immintrin.h>,
 * which has them all, takes as long to compile as a small program. Where a compiler lacks one, narrower vectors are
 * used.
 *
 * Loads are of aligned memory, but for macs_bytes32_at.
 */
#ifndef MACS_TABLES_VECTORS_H
#define MACS_TABLES_VECTORS_H

#include <stdint.h>

#include <macs/inline.h>

#if defined(__AVX2__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_movmskpd256) && __has_builtin(__builtin_ia32_pmovmskb256)
#define MACS_VECTORS_256

typedef uint64_t macs_words4 __attribute__((vector_size(32), may_alias));
typedef uint8_t macs_bytes32 __attribute__((vector_size(32)));
typedef uint8_t macs_bytes32_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef double macs_doubles4 __attribute__((vector_size(32)));
typedef char macs_chars32 __attribute__((vector_size(32)));

MACS_ALWAYS_INLINE macs_words4 macs_words4_of(uint64_t word) {
    return (macs_words4){word, word, word, word};
}

/* The uppermost bit of each word. */
MACS_ALWAYS_INLINE uint32_t macs_words4_signs(macs_words4 words) {
    return (uint32_t)__builtin_ia32_movmskpd256((macs_doubles4)words);
}

/* One bit for each pair of equal words. */
MACS_ALWAYS_INLINE uint32_t macs_words4_equal(macs_words4 a, macs_words4 b) {
    return macs_words4_signs((macs_words4)(a == b));
}

/* One bit for each pair of equal bytes. */
MACS_ALWAYS_INLINE uint32_t macs_bytes32_equal(macs_bytes32 a, macs_bytes32 b) {
    return (uint32_t)__builtin_ia32_pmovmskb256((macs_chars32)(a == b));
}
#endif
#endif

#if defined(MACS_VECTORS_256) && defined(__AVX512F__) && __has_builtin(__builtin_ia32_cmpq512_mask) &&                 \
    __has_builtin(__builtin_ia32_compressdi512_mask)
#if defined(__clang__) || (__has_builtin(__builtin_ia32_ptestmq512) && __has_builtin(__builtin_ia32_ptestnmq512))
#define MACS_VECTORS_512

typedef uint64_t macs_words8 __attribute__((vector_size(64), may_alias));
typedef long long macs_longs8 __attribute__((vector_size(64)));

MACS_ALWAYS_INLINE macs_words8 macs_words8_of(uint64_t word) {
    return (macs_words8){word, word, word, word, word, word, word, word};
}

/* One bit for each pair of equal words. */
MACS_ALWAYS_INLINE uint32_t macs_words8_equal(macs_words8 a, macs_words8 b) {
    return (uint8_t)__builtin_ia32_cmpq512_mask((macs_longs8)a, (macs_longs8)b, 0, (uint8_t)-1);
}

/* One bit for each pair of words that have a bit in common, */
MACS_ALWAYS_INLINE uint32_t macs_words8_meet(macs_words8 a, macs_words8 b) {
#ifdef __clang__
    return (uint8_t)__builtin_ia32_cmpq512_mask((macs_longs8)(a & b), (macs_longs8){0}, 4, (uint8_t)-1);
#else
    return (uint8_t)__builtin_ia32_ptestmq512((macs_longs8)a, (macs_longs8)b, (uint8_t)-1);
#endif
}

/* or that have none. */
MACS_ALWAYS_INLINE uint32_t macs_words8_apart(macs_words8 a, macs_words8 b) {
#ifdef __clang__
    return (uint8_t)__builtin_ia32_cmpq512_mask((macs_longs8)(a & b), (macs_longs8){0}, 0, (uint8_t)-1);
#else
    return (uint8_t)__builtin_ia32_ptestnmq512((macs_longs8)a, (macs_longs8)b, (uint8_t)-1);
#endif
}

/* The first of the words with bits in `which`; 0 where that is 0. */
MACS_ALWAYS_INLINE uint64_t macs_words8_first(macs_words8 words, uint32_t which) {
    const macs_longs8 first = __builtin_ia32_compressdi512_mask((macs_longs8)words, (macs_longs8){0}, (uint8_t)which);
    return (uint64_t)first[0];
}
#endif
#endif

#endif
