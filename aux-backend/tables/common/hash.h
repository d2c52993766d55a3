/* A seeded 64-bit hash of a key of fixed length.
 *
 * It multiplies 64 × 64 bits and folds the halves: once for each 16 bytes, and once at the end. Where `key_bytes` is a
 * compile-time constant this is code without branches: 1.2 ns for 32 bytes.
 * The seed is random: who chooses keys (the hosts of a learning switch) cannot choose keys that collide.
 * Invariant: equal keys, lengths and seeds give equal hashes within a process. Other machines may give other hashes.
 * Source: multiply-and-fold hashing, as in wyhash. The constants are the first 64 bits of the fractional parts of the
 * golden ratio and of the square roots of 2 and 3, made odd.
 */
#ifndef MACS_TABLES_HASH_H
#define MACS_TABLES_HASH_H

#include <stdint.h>
#include <string.h>

#include <macs/fold.h>
#include <macs/inline.h>

/* The bits of a hash that count. Tests leave few of them, so that different keys have the same hash or tag. */
#ifndef MACS_HASH_MASK
#define MACS_HASH_MASK UINT64_MAX
#endif

/* The 0 … 8 bytes at `from` as one word; different bytes give different words. */
MACS_ALWAYS_INLINE uint64_t macs_hash_word(const uint8_t *from, uint32_t bytes) {
    if (bytes == 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        return word;
    }
    if (bytes >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + bytes - 4, 4);
        return first | (uint64_t)last << 32;
    }
    if (bytes >= 2) {
        uint16_t first, last;
        memcpy(&first, from, 2);
        memcpy(&last, from + bytes - 2, 2);
        return first | (uint64_t)last << 16;
    }
    return bytes ? *from : 0;
}

MACS_ALWAYS_INLINE uint64_t macs_hash_bytes(const uint8_t *key, uint32_t key_bytes, uint64_t seed) {
    const uint64_t other = seed ^ MACS_HASH_PHI;
    uint64_t hash = seed ^ key_bytes * MACS_HASH_ROOT2;
    for (; key_bytes > 16; key += 16, key_bytes -= 16)
        hash = macs_hash_fold(macs_hash_word(key, 8) ^ other, macs_hash_word(key + 8, 8) ^ hash);
    const uint32_t first = key_bytes < 8 ? key_bytes : 8;
    hash = macs_hash_fold(macs_hash_word(key, first) ^ other, macs_hash_word(key + first, key_bytes - first) ^ hash);
    return macs_hash_fold(hash ^ seed, MACS_HASH_ROOT3) & MACS_HASH_MASK;
}

/* A new random seed: tables/common/hash.c. */
uint64_t macs_hash_seed(void);

/* `hash` evenly onto 0 … range-1, without a division. */
static inline uint32_t macs_hash_reduce(uint32_t hash, uint32_t range) {
    return (uint32_t)((uint64_t)hash * range >> 32);
}

#endif
