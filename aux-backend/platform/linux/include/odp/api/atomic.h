/* Atomic integers of 32, 64 and 128 bits.
 *
 * Operations without a suffix are relaxed: atomic, but not ordered with other memory accesses. _acq, _rel and _acq_rel
 * order as their names say. A cas returns non-zero if it has stored; else it reads the value into *old. Operations of
 * 128 bits are lock-free on x86_64 and aarch64.
 */
#ifndef ODP_API_ATOMIC_H_
#define ODP_API_ATOMIC_H_

#include <odp/api/align.h>
#include <odp/api/std_types.h>

typedef struct odp_atomic_u32_s {
    uint32_t v;
} ODP_ALIGNED(4) odp_atomic_u32_t;

typedef struct odp_atomic_u64_s {
    uint64_t v;
} ODP_ALIGNED(8) odp_atomic_u64_t;

typedef struct odp_atomic_u128_s {
    odp_u128_t v;
} ODP_ALIGNED(16) odp_atomic_u128_t;

/* Which operations are lock-free. */
typedef union odp_atomic_op_t {
    struct {
        uint32_t init : 1; /* never set */
        uint32_t load : 1;
        uint32_t store : 1;
        uint32_t fetch_add : 1;
        uint32_t add : 1;
        uint32_t fetch_sub : 1;
        uint32_t sub : 1;
        uint32_t fetch_inc : 1;
        uint32_t inc : 1;
        uint32_t fetch_dec : 1;
        uint32_t dec : 1;
        uint32_t min : 1;
        uint32_t fetch_min : 1;
        uint32_t max : 1;
        uint32_t fetch_max : 1;
        uint32_t cas : 1;
        uint32_t xchg : 1;
        uint32_t bit_fetch_set : 1;
        uint32_t bit_set : 1;
        uint32_t bit_fetch_clr : 1;
        uint32_t bit_clr : 1;
    } op;
    uint32_t all_bits;
} odp_atomic_op_t;

/* A read-modify-write without machine instruction for it: repeat until nobody came between. */
#define MACS_ODP_ATOMIC_CHOOSE(name, N, better)                                                                        \
    static inline uint##N##_t odp_atomic_fetch_##name##_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {             \
        uint##N##_t old = __atomic_load_n(&atom->v, __ATOMIC_RELAXED);                                                 \
        while ((val better old) &&                                                                                     \
               !__atomic_compare_exchange_n(&atom->v, &old, val, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {         \
        }                                                                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    static inline void odp_atomic_##name##_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                          \
        (void)odp_atomic_fetch_##name##_u##N(atom, val);                                                               \
    }

#define MACS_ODP_ATOMIC_CAS(suffix, N, success, failure)                                                               \
    static inline int odp_atomic_cas##suffix##_u##N(odp_atomic_u##N##_t *atom, uint##N##_t *old, uint##N##_t val) {    \
        return __atomic_compare_exchange_n(&atom->v, old, val, false, success, failure);                               \
    }

/* odp_atomic_<fetch>_uN returns the value before, odp_atomic_<plain>_uN nothing. */
#define MACS_ODP_ATOMIC_MODIFY(plain, fetch, N, builtin, operand)                                                      \
    static inline uint##N##_t odp_atomic_##fetch##_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                  \
        return builtin(&atom->v, operand, __ATOMIC_RELAXED);                                                           \
    }                                                                                                                  \
    static inline void odp_atomic_##plain##_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                         \
        (void)builtin(&atom->v, operand, __ATOMIC_RELAXED);                                                            \
    }                                                                                                                  \
    static inline void odp_atomic_##plain##_rel_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                     \
        (void)builtin(&atom->v, operand, __ATOMIC_RELEASE);                                                            \
    }

#define MACS_ODP_ATOMIC_STEP(name, N, builtin)                                                                         \
    static inline uint##N##_t odp_atomic_fetch_##name##_u##N(odp_atomic_u##N##_t *atom) {                              \
        return builtin(&atom->v, 1, __ATOMIC_RELAXED);                                                                 \
    }                                                                                                                  \
    static inline void odp_atomic_##name##_u##N(odp_atomic_u##N##_t *atom) {                                           \
        (void)builtin(&atom->v, 1, __ATOMIC_RELAXED);                                                                  \
    }

#define MACS_ODP_ATOMIC(N)                                                                                             \
    static inline void odp_atomic_init_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                              \
        __atomic_store_n(&atom->v, val, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    static inline uint##N##_t odp_atomic_load_u##N(odp_atomic_u##N##_t *atom) {                                        \
        return __atomic_load_n(&atom->v, __ATOMIC_RELAXED);                                                            \
    }                                                                                                                  \
    static inline uint##N##_t odp_atomic_load_acq_u##N(odp_atomic_u##N##_t *atom) {                                    \
        return __atomic_load_n(&atom->v, __ATOMIC_ACQUIRE);                                                            \
    }                                                                                                                  \
    static inline void odp_atomic_store_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                             \
        __atomic_store_n(&atom->v, val, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    static inline void odp_atomic_store_rel_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                         \
        __atomic_store_n(&atom->v, val, __ATOMIC_RELEASE);                                                             \
    }                                                                                                                  \
    static inline uint##N##_t odp_atomic_xchg_u##N(odp_atomic_u##N##_t *atom, uint##N##_t val) {                       \
        return __atomic_exchange_n(&atom->v, val, __ATOMIC_RELAXED);                                                   \
    }                                                                                                                  \
    MACS_ODP_ATOMIC_MODIFY(add, fetch_add, N, __atomic_fetch_add, val)                                                 \
    MACS_ODP_ATOMIC_MODIFY(sub, fetch_sub, N, __atomic_fetch_sub, val)                                                 \
    MACS_ODP_ATOMIC_MODIFY(bit_set, bit_fetch_set, N, __atomic_fetch_or, val)                                          \
    MACS_ODP_ATOMIC_MODIFY(bit_clr, bit_fetch_clr, N, __atomic_fetch_and, ~val)                                        \
    MACS_ODP_ATOMIC_STEP(inc, N, __atomic_fetch_add)                                                                   \
    MACS_ODP_ATOMIC_STEP(dec, N, __atomic_fetch_sub)                                                                   \
    MACS_ODP_ATOMIC_CHOOSE(max, N, >)                                                                                  \
    MACS_ODP_ATOMIC_CHOOSE(min, N, <)                                                                                  \
    MACS_ODP_ATOMIC_CAS(, N, __ATOMIC_RELAXED, __ATOMIC_RELAXED)                                                       \
    MACS_ODP_ATOMIC_CAS(_acq, N, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)                                                   \
    MACS_ODP_ATOMIC_CAS(_rel, N, __ATOMIC_RELEASE, __ATOMIC_RELAXED)                                                   \
    MACS_ODP_ATOMIC_CAS(_acq_rel, N, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

MACS_ODP_ATOMIC(32)
MACS_ODP_ATOMIC(64)

#undef MACS_ODP_ATOMIC
#undef MACS_ODP_ATOMIC_STEP
#undef MACS_ODP_ATOMIC_MODIFY
#undef MACS_ODP_ATOMIC_CAS
#undef MACS_ODP_ATOMIC_CHOOSE

/* Of 128 bits there are these only. */
void odp_atomic_init_u128(odp_atomic_u128_t *atom, odp_u128_t val);
odp_u128_t odp_atomic_load_u128(odp_atomic_u128_t *atom);
void odp_atomic_store_u128(odp_atomic_u128_t *atom, odp_u128_t val);
int odp_atomic_cas_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val);
int odp_atomic_cas_acq_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val);
int odp_atomic_cas_rel_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val);
int odp_atomic_cas_acq_rel_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val);

/* 2: all operations are lock-free on this machine, 0: none. *op, which may be NULL, has them one by one. */
int odp_atomic_lock_free_u64(odp_atomic_op_t *op);
int odp_atomic_lock_free_u128(odp_atomic_op_t *op);

#endif
