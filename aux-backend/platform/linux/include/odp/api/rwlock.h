/* Reader-writer spinlock: many readers or one writer; readers may starve a writer. */
#ifndef ODP_API_RWLOCK_H_
#define ODP_API_RWLOCK_H_

#include <odp/api/cpu.h>

typedef struct odp_rwlock_s {
    int32_t holders; /* number of readers; -1: a writer */
} odp_rwlock_t;

static inline void odp_rwlock_init(odp_rwlock_t *lock) {
    __atomic_store_n(&lock->holders, 0, __ATOMIC_RELAXED);
}

/* The trylocks return 1 when taken, 0 when not. */
static inline int odp_rwlock_read_trylock(odp_rwlock_t *lock) {
    int32_t holders = __atomic_load_n(&lock->holders, __ATOMIC_RELAXED);
    while (holders >= 0)
        if (__atomic_compare_exchange_n(&lock->holders, &holders, holders + 1, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return 1;
    return 0;
}

static inline int odp_rwlock_write_trylock(odp_rwlock_t *lock) {
    int32_t none = 0;
    return __atomic_compare_exchange_n(&lock->holders, &none, -1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void odp_rwlock_read_lock(odp_rwlock_t *lock) {
    while (!odp_rwlock_read_trylock(lock))
        odp_cpu_pause();
}

static inline void odp_rwlock_write_lock(odp_rwlock_t *lock) {
    while (!odp_rwlock_write_trylock(lock))
        odp_cpu_pause();
}

static inline void odp_rwlock_read_unlock(odp_rwlock_t *lock) {
    __atomic_fetch_sub(&lock->holders, 1, __ATOMIC_RELEASE);
}

static inline void odp_rwlock_write_unlock(odp_rwlock_t *lock) {
    __atomic_store_n(&lock->holders, 0, __ATOMIC_RELEASE);
}

#endif
