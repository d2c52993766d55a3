/* Cyclic redundancy checks. */
#ifndef ODP_API_HASH_H_
#define ODP_API_HASH_H_

#include <odp/api/std_types.h>

typedef struct odp_hash_crc_param_t {
    uint32_t width; /* bits, 1 … 64 */
    uint64_t poly;
    odp_bool_t reflect_in;
    odp_bool_t reflect_out;
    uint64_t xor_out;
} odp_hash_crc_param_t;

/* Polynomials 0x04c11db7 and 0x1edc6f41, bits reflected, no final inversion: Ethernet's FCS is
 * ~odp_hash_crc32(data, len, 0xffffffff). A CRC can be continued: give the last result as init_val. */
uint32_t odp_hash_crc32(const void *data, uint32_t data_len, uint32_t init_val);
uint32_t odp_hash_crc32c(const void *data, uint32_t data_len, uint32_t init_val);

/* Any CRC of up to 64 bits (init_val not reflected, as CRC catalogues give it). 0, or -1: parameters out of range. */
int odp_hash_crc_gen64(const void *data, uint32_t data_len, uint64_t init_val, odp_hash_crc_param_t *crc_param,
                       uint64_t *crc);

#endif
