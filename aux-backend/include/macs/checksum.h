/* The hash and checksum algorithms over packed bytes. Names and parameters as BMv2's documentation has them.
 *
 * macs_extend_… gives the hash of what has the hash `before` with these bytes behind it. */
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

/* Ones' complement sum of 16-bit words, complemented (RFC 1071); an odd end is padded with zero. */
static inline uint64_t macs_extend_csum16(uint64_t before, struct macs_bytes bytes) {
    uint64_t sum = ~before & 0xffff;
    uint32_t i = 0;
    for (; i + 1 < bytes.length; i += 2)
        sum += (uint64_t)bytes.data[i] << 8 | bytes.data[i + 1];
    bool odd = i < bytes.length;
    if (odd)
        sum += (uint64_t)bytes.data[i] << 8;
    for (uint32_t j = 0; j < bytes.payload_length; j++, odd = !odd)
        sum += odd ? bytes.payload[j] : (uint64_t)bytes.payload[j] << 8;
    return macs_checksum_of_sum(sum);
}

static inline uint64_t macs_checksum_csum16(struct macs_bytes bytes) {
    return macs_extend_csum16(0xffff, bytes);
}

/* The bytes as 16-bit words, an odd end padded with zero, combined by exclusive or. */
static inline uint64_t macs_extend_xor16(uint64_t before, struct macs_bytes bytes) {
    uint64_t folded = before;
    for (uint32_t i = 0; i < bytes.length + bytes.payload_length; i++) {
        uint8_t byte = i < bytes.length ? bytes.data[i] : bytes.payload[i - bytes.length];
        folded ^= i % 2 ? byte : (uint64_t)byte << 8;
    }
    return folded;
}

static inline uint64_t macs_checksum_xor16(struct macs_bytes bytes) {
    return macs_extend_xor16(0, bytes);
}

/* The first eight bytes as a number, all of them when there are fewer. */
static inline uint64_t macs_checksum_identity(struct macs_bytes bytes) {
    uint64_t value = 0;
    uint32_t i = 0;
    for (; i < bytes.length && i < 8; i++)
        value = value << 8 | bytes.data[i];
    for (uint32_t j = 0; j < bytes.payload_length && i < 8; i++, j++)
        value = value << 8 | bytes.payload[j];
    return value;
}

/* CRC-16/ARC: polynomial 0x8005, start 0. */
static inline uint64_t macs_extend_crc16(uint64_t before, struct macs_bytes bytes) {
    uint32_t crc = macs_crc16_on(bytes.data, bytes.length, (uint32_t)before);
    return macs_crc16_on(bytes.payload, bytes.payload_length, crc);
}

static inline uint64_t macs_checksum_crc16(struct macs_bytes bytes) {
    return macs_extend_crc16(0, bytes);
}

/* CRC-32 of IEEE 802.3: polynomial 0x04c11db7, start and final exclusive or all ones. */
static inline uint64_t macs_extend_crc32(uint64_t before, struct macs_bytes bytes) {
    uint32_t crc = macs_crc32_on(bytes.data, bytes.length, (uint32_t)before ^ 0xffffffff);
    return macs_crc32_on(bytes.payload, bytes.payload_length, crc) ^ 0xffffffff;
}

static inline uint64_t macs_checksum_crc32(struct macs_bytes bytes) {
    return macs_extend_crc32(0, bytes);
}

/* What the control plane may give other parameters begins with those of the plain form. */
static inline uint64_t macs_extend_crc16_custom(uint64_t before, struct macs_bytes bytes) {
    return macs_extend_crc16(before, bytes);
}

static inline uint64_t macs_extend_crc32_custom(uint64_t before, struct macs_bytes bytes) {
    return macs_extend_crc32(before, bytes);
}

static inline uint64_t macs_checksum_crc16_custom(struct macs_bytes bytes) {
    return macs_checksum_crc16(bytes);
}

static inline uint64_t macs_checksum_crc32_custom(struct macs_bytes bytes) {
    return macs_checksum_crc32(bytes);
}

#endif
