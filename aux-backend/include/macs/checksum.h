/* Hash and checksum algorithms over packed bytes, with the names and parameters of BMv2's documentation.
 *
 * macs_extend_…(before, …): `before` is the hash of some bytes; returns the hash of these with more bytes behind them.
 */
#ifndef MACS_CHECKSUM_H
#define MACS_CHECKSUM_H

#include <macs/bits.h>
#include <macs/crc.h>

/* A sequence of bytes in two parts: packed fields, and the payload or nothing. */
struct macs_bytes {
    const uint8_t *data;
    uint32_t length;
    const uint8_t *payload;
    uint32_t payload_length;
};

/* The checksum of words that have this sum, as plain numbers or modulo 65535: folded to 16 bits, complemented. The sum
 * of a number and of itself with its halves exchanged has in its upper half the sum of the halves, the carry added. */
static inline uint64_t macs_checksum_of_sum(uint64_t sum) {
    sum += sum << 32 | sum >> 32;
    uint32_t half = (uint32_t)(sum >> 32);
    half += half << 16 | half >> 16;
    return ~half >> 16;
}

/* The rest of a sequence of words, 0 to 7 bytes, as the first bytes of one with zeros behind them. */
static inline uint64_t macs_checksum_rest(const uint8_t *data, uint32_t length) {
    return length ? macs_load_bytes(data, length) << (64 - 8 * length) : 0;
}

/* The sum of bytes as 16-bit words, an odd end padded with zero, modulo 65535. Words of 32 bits are added: to the
 * modulus each counts as the sum of its halves. */
static inline uint64_t macs_checksum_sum(const uint8_t *data, uint32_t length) {
    uint64_t sum = 0;
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t word = macs_load64(data);
        sum += (word >> 32) + (uint32_t)word;
    }
    uint64_t rest = macs_checksum_rest(data, length);
    return sum + (rest >> 32) + (uint32_t)rest;
}

/* Ones' complement sum of 16-bit words, complemented (RFC 1071); an odd end is padded with zero. Behind an odd number
 * of bytes each byte of the payload stands in the other half of a word: its sum counts 2^8 times, and 2^16 is 1. */
static inline uint64_t macs_extend_csum16(uint64_t before, struct macs_bytes bytes) {
    uint64_t sum = macs_checksum_sum(bytes.data, bytes.length);
    uint64_t payload = ~macs_checksum_of_sum(macs_checksum_sum(bytes.payload, bytes.payload_length)) & 0xffff;
    return macs_checksum_of_sum((~before & 0xffff) + sum + (payload << bytes.length % 2 * 8));
}

static inline uint64_t macs_checksum_csum16(struct macs_bytes bytes) {
    return macs_extend_csum16(0xffff, bytes);
}

/* The bytes as 16-bit words, an odd end padded with zero, combined by exclusive or. */
static inline uint64_t macs_checksum_xor(const uint8_t *data, uint32_t length) {
    uint64_t folded = 0;
    for (; length >= 8; data += 8, length -= 8)
        folded ^= macs_load64(data);
    folded ^= macs_checksum_rest(data, length);
    folded ^= folded >> 32;
    return (folded ^ folded >> 16) & 0xffff;
}

static inline uint64_t macs_extend_xor16(uint64_t before, struct macs_bytes bytes) {
    uint64_t payload = macs_checksum_xor(bytes.payload, bytes.payload_length);
    if (bytes.length % 2)
        payload = (payload << 8 | payload >> 8) & 0xffff;
    return before ^ macs_checksum_xor(bytes.data, bytes.length) ^ payload;
}

static inline uint64_t macs_checksum_xor16(struct macs_bytes bytes) {
    return macs_extend_xor16(0, bytes);
}

/* The first eight bytes as a number, all of them when there are fewer. */
static inline uint64_t macs_checksum_identity(struct macs_bytes bytes) {
    if (bytes.length >= 8)
        return macs_load64(bytes.data);
    uint64_t value = bytes.length ? macs_load_bytes(bytes.data, bytes.length) : 0;
    for (uint32_t j = 0; j < bytes.payload_length && j + bytes.length < 8; j++)
        value = value << 8 | bytes.payload[j];
    return value;
}

/* CRC-16/ARC: polynomial 0x8005, start 0. */
MACS_ALWAYS_INLINE uint64_t macs_extend_crc16(uint64_t before, struct macs_bytes bytes) {
    uint32_t crc = macs_crc16_on(bytes.data, bytes.length, (uint32_t)before);
    return macs_crc16_on(bytes.payload, bytes.payload_length, crc);
}

MACS_ALWAYS_INLINE uint64_t macs_checksum_crc16(struct macs_bytes bytes) {
    return macs_extend_crc16(0, bytes);
}

/* CRC-32 of IEEE 802.3: polynomial 0x04c11db7, start and final exclusive or all ones. */
MACS_ALWAYS_INLINE uint64_t macs_extend_crc32(uint64_t before, struct macs_bytes bytes) {
    uint32_t crc = macs_crc32_on(bytes.data, bytes.length, (uint32_t)before ^ 0xffffffff);
    return macs_crc32_on(bytes.payload, bytes.payload_length, crc) ^ 0xffffffff;
}

MACS_ALWAYS_INLINE uint64_t macs_checksum_crc32(struct macs_bytes bytes) {
    return macs_extend_crc32(0, bytes);
}

/* What the control plane may give other parameters begins with those of the plain form. */
MACS_ALWAYS_INLINE uint64_t macs_extend_crc16_custom(uint64_t before, struct macs_bytes bytes) {
    return macs_extend_crc16(before, bytes);
}

MACS_ALWAYS_INLINE uint64_t macs_extend_crc32_custom(uint64_t before, struct macs_bytes bytes) {
    return macs_extend_crc32(before, bytes);
}

MACS_ALWAYS_INLINE uint64_t macs_checksum_crc16_custom(struct macs_bytes bytes) {
    return macs_checksum_crc16(bytes);
}

MACS_ALWAYS_INLINE uint64_t macs_checksum_crc32_custom(struct macs_bytes bytes) {
    return macs_checksum_crc32(bytes);
}

#endif
