/* CRC-32 of short messages: as generated code has it, its length known to the compiler, beside a plain loop by eight
 * tables (slicing by 8: Kounavis, Berry, 2008).
 *
 * A burst of messages one after the other, each hashed for itself, as of packets' fields.
 * Usage: hashes. Contests "ours" and "plain", NUMBER: bytes of a message, 13 or 64.
 */
#include <macs/checksum.h>

#include "probe.h"

enum { MESSAGES = 64, PLACE = 64, ROUNDS = 64 };

static uint8_t memory[MESSAGES][PLACE];
static uint32_t tables[8][256];

static void fill(void) {
    uint64_t random = 1;
    for (uint32_t byte = 0; byte < 256; byte++) {
        tables[0][byte] = byte;
        for (unsigned bit = 0; bit < 8; bit++)
            tables[0][byte] = tables[0][byte] >> 1 ^ (tables[0][byte] & 1 ? 0xedb88320 : 0);
    }
    for (unsigned behind = 1; behind < 8; behind++)
        for (uint32_t byte = 0; byte < 256; byte++)
            tables[behind][byte] = tables[behind - 1][byte] >> 8 ^ tables[0][tables[behind - 1][byte] & 0xff];
    for (unsigned i = 0; i < MESSAGES; i++)
        for (unsigned at = 0; at < PLACE; at++)
            memory[i][at] = (uint8_t)probe_random(&random);
}

static uint32_t sliced(const uint8_t *data, uint64_t length) {
    uint32_t crc = 0xffffffff, low, high;
    for (; length >= 8; data += 8, length -= 8) {
        memcpy(&low, data, sizeof(low));
        memcpy(&high, data + 4, sizeof(high));
        low ^= crc;
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
              tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^
              tables[0][high >> 24];
    }
    for (; length; data++, length--)
        crc = crc >> 8 ^ tables[0][(crc ^ *data) & 0xff];
    return ~crc;
}

static uint64_t plain(uint64_t bytes) {
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < MESSAGES; i++)
            probe_keep(sliced(memory[i], bytes));
    return MESSAGES * ROUNDS;
}

#define OURS(bytes)                                                                                                    \
    for (unsigned round = 0; round < ROUNDS; round++)                                                                  \
        for (unsigned i = 0; i < MESSAGES; i++)                                                                        \
            probe_keep(macs_checksum_crc32((struct macs_bytes){memory[i], bytes, NULL, 0}));

static uint64_t ours(uint64_t bytes) {
    if (bytes == 13) {
        OURS(13)
    } else {
        OURS(64)
    }
    return MESSAGES * ROUNDS;
}

int main(void) {
    static const struct probe probes[] = {{"ours", ours}, {"plain", plain}};
    fill();
    for (unsigned i = 0; i < MESSAGES; i++)
        if (sliced(memory[i], 13) != macs_checksum_crc32((struct macs_bytes){memory[i], 13, NULL, 0}) ||
            sliced(memory[i], 64) != macs_checksum_crc32((struct macs_bytes){memory[i], 64, NULL, 0})) {
            fprintf(stderr, "the two differ\n");
            return 1;
        }
    return probe_serve(probes, 2);
}
