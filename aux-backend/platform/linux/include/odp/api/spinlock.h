/* Spinlock: mutual exclusion for short sections; not fair, not recursive. */
#ifndef ODP_API_SPINLOCK_H_
#define ODP_API_SPINLOCK_H_

#include <odp/api/cpu.h>

typedef struct odp_spinlock_s {
    uint8_t taken;
} odp_spinlock_t;

static inline void odp_spinlock_init(odp_spinlock_t *lock) {
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELAXED);
}

/* 1 when taken, 0 when another thread has it. */
static inline int odp_spinlock_trylock(odp_spinlock_t *lock) {
    return !__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

static inline void odp_spinlock_lock(odp_spinlock_t *lock) {
    while (!odp_spinlock_trylock(lock))
        while (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED))
            odp_cpu_pause();
}

static inline void odp_spinlock_unlock(odp_spinlock_t *lock) {
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

static inline int odp_spinlock_is_locked(odp_spinlock_t *lock) {
    return __atomic_load_n(&lock->taken, __ATOMIC_RELAXED) != 0;
}

#endif
