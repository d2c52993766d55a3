/* Random bytes. */
#ifndef ODP_API_RANDOM_H_
#define ODP_API_RANDOM_H_

#include <odp/api/std_types.h>

typedef enum { ODP_RANDOM_BASIC, ODP_RANDOM_CRYPTO, ODP_RANDOM_TRUE } odp_random_kind_t;

/* ODP_RANDOM_CRYPTO: the kernel's generator. */
odp_random_kind_t odp_random_max_kind(void);

/* Returns the bytes written (len), or -1: the kind is not supported, or the kernel gave none. */
int32_t odp_random_data(uint8_t *buf, uint32_t len, odp_random_kind_t kind);

/* A sequence that the seed determines: for tests. Updates the seed. Returns len. */
int32_t odp_random_test_data(uint8_t *buf, uint32_t len, uint64_t *seed);

#endif
