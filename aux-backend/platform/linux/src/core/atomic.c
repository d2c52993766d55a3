/* Atomics of 128 bits. On x86_64 and aarch64 they use the compare-and-swap of two words, which compilers offer only
 * with special flags or a library; elsewhere one of a few locks.
 */
#include "core/internal.h"

/* If *atom is *expected, store `val` and return true; else read it into *expected. Orders as acquire and release. */
#if defined(__x86_64__)
enum { LOCK_FREE = 1 };

static bool swap(odp_atomic_u128_t *atom, odp_u128_t *expected, odp_u128_t val) {
    bool stored;
    __asm__ volatile("lock cmpxchg16b %[v]"
                     : "=@ccz"(stored), [v] "+m"(atom->v), "+a"(expected->u64[0]), "+d"(expected->u64[1])
                     : "b"(val.u64[0]), "c"(val.u64[1])
                     : "memory");
    return stored;
}

#elif defined(__aarch64__)
enum { LOCK_FREE = 1 };

/* What was read is atomic only if the store succeeds: when the values differ, what was read is stored. */
static bool swap(odp_atomic_u128_t *atom, odp_u128_t *expected, odp_u128_t val) {
    uint64_t low, high, new_low, new_high;
    uint32_t failed;
    __asm__ volatile("1: ldaxp %[low], %[high], %[v]\n"
                     "cmp %[low], %[old_low]\n"
                     "ccmp %[high], %[old_high], #0, eq\n"
                     "csel %[new_low], %[val_low], %[low], eq\n"
                     "csel %[new_high], %[val_high], %[high], eq\n"
                     "stlxp %w[failed], %[new_low], %[new_high], %[v]\n"
                     "cbnz %w[failed], 1b\n"
                     : [low] "=&r"(low), [high] "=&r"(high), [new_low] "=&r"(new_low), [new_high] "=&r"(new_high),
                       [failed] "=&r"(failed), [v] "+Q"(atom->v)
                     : [old_low] "r"(expected->u64[0]), [old_high] "r"(expected->u64[1]), [val_low] "r"(val.u64[0]),
                       [val_high] "r"(val.u64[1])
                     : "cc", "memory");
    bool stored = low == expected->u64[0] && high == expected->u64[1];
    expected->u64[0] = low;
    expected->u64[1] = high;
    return stored;
}

#else
enum { LOCK_FREE = 0, LOCKS = 64 };

static odp_spinlock_t locks[LOCKS]; /* all zeros is open */

static bool swap(odp_atomic_u128_t *atom, odp_u128_t *expected, odp_u128_t val) {
    odp_spinlock_t *lock = &locks[(uintptr_t)atom / sizeof(*atom) % LOCKS];
    odp_spinlock_lock(lock);
    odp_u128_t found = atom->v;
    bool stored = found.u64[0] == expected->u64[0] && found.u64[1] == expected->u64[1];
    if (stored)
        atom->v = val;
    odp_spinlock_unlock(lock);
    *expected = found;
    return stored;
}
#endif

void odp_atomic_init_u128(odp_atomic_u128_t *atom, odp_u128_t val) {
    atom->v = val;
}

odp_u128_t odp_atomic_load_u128(odp_atomic_u128_t *atom) {
    odp_u128_t value = {.u64 = {0, 0}};
    (void)swap(atom, &value, value);
    return value;
}

void odp_atomic_store_u128(odp_atomic_u128_t *atom, odp_u128_t val) {
    odp_u128_t old = {.u64 = {0, 0}};
    while (!swap(atom, &old, val)) {
    }
}

int odp_atomic_cas_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val) {
    return swap(atom, old, val);
}

int odp_atomic_cas_acq_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val) {
    return swap(atom, old, val);
}

int odp_atomic_cas_rel_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val) {
    return swap(atom, old, val);
}

int odp_atomic_cas_acq_rel_u128(odp_atomic_u128_t *atom, odp_u128_t *old, odp_u128_t val) {
    return swap(atom, old, val);
}

int odp_atomic_lock_free_u64(odp_atomic_op_t *op) {
    const bool lock_free = __atomic_always_lock_free(sizeof(uint64_t), 0);
    if (op != NULL) {
        op->all_bits = lock_free ? UINT32_MAX : 0;
        op->op.init = 0;
    }
    return lock_free ? 2 : 0;
}

int odp_atomic_lock_free_u128(odp_atomic_op_t *op) {
    if (op != NULL) {
        op->all_bits = 0;
        op->op.load = op->op.store = op->op.cas = LOCK_FREE;
    }
    return LOCK_FREE ? 2 : 0;
}
