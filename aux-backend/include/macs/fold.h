/* Multiply and fold: how hashes here mix two words of 64 bits.
 *
 * The constants are the first 64 bits of the fractional parts of the golden ratio and of the square roots of 2 and 3,
 * made odd.
 * Source: as in wyhash.
 */
#ifndef MACS_FOLD_H
#define MACS_FOLD_H

#include <stdint.h>

#include <macs/inline.h>

#define MACS_HASH_PHI UINT64_C(0x9e3779b97f4a7c15)
#define MACS_HASH_ROOT2 UINT64_C(0x6a09e667f3bcc909)
#define MACS_HASH_ROOT3 UINT64_C(0xbb67ae8584caa73b)

/* High half xor low half of the 128-bit product. */
MACS_ALWAYS_INLINE uint64_t macs_hash_fold(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    uint64_t cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (other << 32 | (low & UINT32_MAX)) ^ (high + (cross >> 32) + (other >> 32));
#endif
}

#endif
