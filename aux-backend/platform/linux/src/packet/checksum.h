/* The one's complement sum of the Internet checksum, before it is complemented. */
#ifndef MACS_ODP_CHECKSUM_H
#define MACS_ODP_CHECKSUM_H

#include "core/internal.h"

/* Ones' complement sum of bytes, as a 16-bit number in memory order. */
uint16_t macs_odp_checksum(const uint8_t *data, uint32_t len, uint32_t sum);

/* The same of the pseudo-header, of IP with `l4_len` bytes of transport. */
uint16_t macs_odp_pseudo_sum(const uint8_t *ip, bool ipv6, uint8_t protocol, uint32_t l4_len);

#endif
