/* Basic types. */
#ifndef ODP_API_STD_TYPES_H_
#define ODP_API_STD_TYPES_H_

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <odp/api/align.h>

typedef bool odp_bool_t;

/* Hundredths of a percent: 100 % is 10000. */
typedef uint32_t odp_percent_t;

typedef uint16_t odp_una_u16_t ODP_ALIGNED(1);
typedef uint32_t odp_una_u32_t ODP_ALIGNED(1);
typedef uint64_t odp_una_u64_t ODP_ALIGNED(1);

/* 128 bits; word 0 is the one at the lower address. */
typedef struct odp_u128_s {
    union {
#ifdef __SIZEOF_INT128__
        __extension__ unsigned __int128 u128;
#endif
        uint64_t u64[2];
        uint32_t u32[4];
        uint16_t u16[8];
        uint8_t u8[16];
    };
} ODP_ALIGNED(16) odp_u128_t;

typedef enum odp_support_t { ODP_SUPPORT_NO = 0, ODP_SUPPORT_YES, ODP_SUPPORT_PREFERRED } odp_support_t;

/* Parts of the API that a program promises not to use (odp_init_t.not_used). */
typedef union odp_feature_t {
    uint32_t all_feat;
    struct {
        uint32_t cls : 1;
        uint32_t compress : 1;
        uint32_t crypto : 1;
        uint32_t dma : 1;
        uint32_t ipsec : 1;
        uint32_t ml : 1;
        uint32_t schedule : 1;
        uint32_t stash : 1;
        uint32_t time : 1;
        uint32_t timer : 1;
        uint32_t tm : 1;
    } feat;
} odp_feature_t;

#endif
