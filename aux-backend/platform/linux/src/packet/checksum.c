/* The Internet checksum. Source: RFC 1071. */
#include "packet/checksum.h"

#include <string.h>

/* 32-bit lanes side by side, of which compilers make the vectors that the CPU has. Of plain arrays they do not always.
 */
enum { LANES = 8, BLOCK = 2 * LANES * sizeof(uint32_t) };
enum { BLOCKS_MAX = 1 << 15 }; /* a lane gets two 16-bit words of each: it has room for so many */
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

static uint64_t blocks_sum(const uint8_t *data, uint32_t blocks) {
    lanes first = {0}, second = {0}, words[2];
    uint64_t sum = 0;
    for (; blocks > 0; blocks--, data += BLOCK) {
        memcpy(words, data, sizeof(words));
        first += (words[0] & 0xffff) + (words[0] >> 16);
        second += (words[1] & 0xffff) + (words[1] >> 16);
    }
    for (unsigned i = 0; i < LANES; i++)
        sum += (uint64_t)first[i] + second[i];
    return sum;
}

/* The sum does not depend on byte order as long as numbers are read and written the same way: RFC 1071 section 2. */
uint16_t macs_odp_checksum(const uint8_t *data, uint32_t len, uint32_t sum) {
    uint64_t wide = sum;
    while (len >= BLOCK) {
        uint32_t blocks = len / BLOCK < BLOCKS_MAX ? len / BLOCK : BLOCKS_MAX;
        wide += blocks_sum(data, blocks);
        data += blocks * BLOCK;
        len -= blocks * BLOCK;
    }
    for (; len >= 4; data += 4, len -= 4) {
        uint32_t word;
        memcpy(&word, data, sizeof(word));
        wide += word;
    }
    uint8_t rest[4] = {0};
    memcpy(rest, data, len);
    uint32_t last;
    memcpy(&last, rest, sizeof(last));
    wide += last;
    while (wide >> 16)
        wide = (wide & 0xffff) + (wide >> 16);
    return (uint16_t)wide;
}

uint16_t macs_odp_pseudo_sum(const uint8_t *ip, bool ipv6, uint8_t protocol, uint32_t l4_len) {
    uint8_t tail[4] = {0, protocol, (uint8_t)(l4_len >> 8), (uint8_t)l4_len};
    uint16_t addresses = ipv6 ? macs_odp_checksum(ip + 8, 32, 0) : macs_odp_checksum(ip + 12, 8, 0);
    return macs_odp_checksum(tail, sizeof(tail), addresses);
}

uint16_t odp_chksum_ones_comp16(const void *data, uint32_t data_len) {
    return macs_odp_checksum(data, data_len, 0);
}
