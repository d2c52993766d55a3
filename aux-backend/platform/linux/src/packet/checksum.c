/* The Internet checksum. Source: RFC 1071. */
#include "packet/checksum.h"

#include <string.h>

/* The sum does not depend on byte order as long as numbers are read and written the same way: RFC 1071 section 2. */
uint16_t macs_odp_checksum(const uint8_t *data, uint32_t len, uint32_t sum) {
    uint64_t wide = sum;
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
