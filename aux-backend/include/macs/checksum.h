/* The hash and checksum algorithms over packed bytes. Names and parameters as BMv2's documentation has them.
 *
 * macs_extend_… gives the hash of what has the hash `before` with these bytes behind it. */
#ifndef MACS_CHECKSUM_H
#define MACS_CHECKSUM_H

#include <macs/bits.h>

/* A sequence of bytes in two parts: packed fields, and the payload or nothing. */
struct macs_bytes {
    const uint8_t *data;
    uint32_t length;
    const uint8_t *payload;
    uint32_t payload_length;
};

/* The checksum of words that have this sum, as plain numbers or modulo 65535: folded to 16 bits, complemented. */
static inline uint64_t macs_checksum_of_sum(uint64_t sum) {
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16); /* less than 2^18 */
    sum = (sum & 0xffff) + (sum >> 16); /* at most 2^16 + 1 */
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
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

/* Reflected CRCs by tables: `[k]` has what each byte makes of the rest with k bytes behind it, so that eight bytes, and
 * then four, are looked up at once. Source: Sarwate, Computation of cyclic redundancy checks via table look-up (1988);
 * Kounavis, Berry, Novel table lookup-based algorithms for high-performance CRC generation (2008). */
#define MACS_CRC_TABLES 8u

extern const uint16_t macs_crc16_tables[MACS_CRC_TABLES][256]; /* polynomial 0x8005 */
extern const uint32_t macs_crc32_tables[MACS_CRC_TABLES][256]; /* polynomial 0x04c11db7 */

static inline uint32_t macs_crc16_on(const uint8_t *data, uint32_t length, uint32_t crc) {
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

static inline uint32_t macs_crc32_on(const uint8_t *data, uint32_t length, uint32_t crc) {
    for (; length >= 8; data += 8, length -= 8)
        crc = macs_crc32_four(data + 4, 0, 0) ^ macs_crc32_four(data, 4, crc);
    for (; length >= 4; data += 4, length -= 4)
        crc = macs_crc32_four(data, 0, crc);
    for (; length; data++, length--)
        crc = crc >> 8 ^ macs_crc32_tables[0][(crc ^ data[0]) & 0xff];
    return crc;
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
