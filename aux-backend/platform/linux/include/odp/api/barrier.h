/* Execution barrier: threads spin until `count` of them have arrived. Reusable at once. */
#ifndef ODP_API_BARRIER_H_
#define ODP_API_BARRIER_H_

#include <odp/api/cpu.h>

typedef struct odp_barrier_s {
    uint32_t count;
    uint32_t arrived; /* in this round */
    uint32_t round;
} odp_barrier_t;

static inline void odp_barrier_init(odp_barrier_t *barrier, int count) {
    barrier->count = (uint32_t)count;
    __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&barrier->round, 0, __ATOMIC_RELEASE);
}

static inline void odp_barrier_wait(odp_barrier_t *barrier) {
    uint32_t round = __atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) == barrier->count) {
        __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE) == round)
        odp_cpu_pause();
}

#endif
