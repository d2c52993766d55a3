/* The byte order of this CPU, and conversions. */
#ifndef ODP_API_BYTEORDER_H_
#define ODP_API_BYTEORDER_H_

#include <odp/api/std_types.h>

/* Exactly one of each pair is 1. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ODP_LITTLE_ENDIAN 1
#define ODP_BIG_ENDIAN 0
#define ODP_LITTLE_ENDIAN_BITFIELD 1
#define ODP_BIG_ENDIAN_BITFIELD 0
#define ODP_BYTE_ORDER ODP_LITTLE_ENDIAN
#define ODP_BITFIELD_ORDER ODP_LITTLE_ENDIAN_BITFIELD
#else
#define ODP_LITTLE_ENDIAN 0
#define ODP_BIG_ENDIAN 1
#define ODP_LITTLE_ENDIAN_BITFIELD 0
#define ODP_BIG_ENDIAN_BITFIELD 1
#define ODP_BYTE_ORDER ODP_BIG_ENDIAN
#define ODP_BITFIELD_ORDER ODP_BIG_ENDIAN_BITFIELD
#endif

typedef uint16_t odp_u16le_t;
typedef uint16_t odp_u16be_t;
typedef uint32_t odp_u32le_t;
typedef uint32_t odp_u32be_t;
typedef uint64_t odp_u64le_t;
typedef uint64_t odp_u64be_t;
typedef uint16_t odp_u16sum_t;
typedef uint32_t odp_u32sum_t;

/* The swap is its own inverse, so that both directions are one function. */
#define MACS_ODP_BYTEORDER(N)                                                                                          \
    static inline uint##N##_t odp_be_to_cpu_##N(odp_u##N##be_t be) {                                                   \
        return ODP_BIG_ENDIAN ? be : __builtin_bswap##N(be);                                                           \
    }                                                                                                                  \
    static inline odp_u##N##be_t odp_cpu_to_be_##N(uint##N##_t cpu) {                                                  \
        return odp_be_to_cpu_##N(cpu);                                                                                 \
    }                                                                                                                  \
    static inline uint##N##_t odp_le_to_cpu_##N(odp_u##N##le_t le) {                                                   \
        return ODP_BIG_ENDIAN ? __builtin_bswap##N(le) : le;                                                           \
    }                                                                                                                  \
    static inline odp_u##N##le_t odp_cpu_to_le_##N(uint##N##_t cpu) {                                                  \
        return odp_le_to_cpu_##N(cpu);                                                                                 \
    }

MACS_ODP_BYTEORDER(16)
MACS_ODP_BYTEORDER(32)
MACS_ODP_BYTEORDER(64)

#undef MACS_ODP_BYTEORDER

#endif
