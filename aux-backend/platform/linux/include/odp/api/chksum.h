/* Checksums. */
#ifndef ODP_API_CHKSUM_H_
#define ODP_API_CHKSUM_H_

#include <odp/api/std_types.h>

/* Ones' complement sum of 16-bit words as they lie in memory, an odd byte at the end padded with zero; not inverted. */
uint16_t odp_chksum_ones_comp16(const void *data, uint32_t data_len);

#endif
