/* Ticket lock: a fair spinlock, first come first served. */
#ifndef ODP_API_TICKETLOCK_H_
#define ODP_API_TICKETLOCK_H_

#include <odp/api/cpu.h>

typedef struct odp_ticketlock_s {
    uint32_t next; /* ticket for the next to come */
    uint32_t turn; /* ticket that may enter */
} odp_ticketlock_t;

static inline void odp_ticketlock_init(odp_ticketlock_t *lock) {
    __atomic_store_n(&lock->next, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->turn, 0, __ATOMIC_RELAXED);
}

static inline void odp_ticketlock_lock(odp_ticketlock_t *lock) {
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&lock->turn, __ATOMIC_ACQUIRE) != ticket)
        odp_cpu_pause();
}

/* 1 when taken, 0 when another thread has it. */
static inline int odp_ticketlock_trylock(odp_ticketlock_t *lock) {
    uint32_t turn = __atomic_load_n(&lock->turn, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(&lock->next, &turn, turn + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void odp_ticketlock_unlock(odp_ticketlock_t *lock) {
    __atomic_store_n(&lock->turn, __atomic_load_n(&lock->turn, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
}

static inline int odp_ticketlock_is_locked(odp_ticketlock_t *lock) {
    return __atomic_load_n(&lock->turn, __ATOMIC_RELAXED) != __atomic_load_n(&lock->next, __ATOMIC_RELAXED);
}

#endif
