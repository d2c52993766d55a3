/* Atomics, locks, barrier: single-threaded results, then invariants under threads. */
#include "check.h"

enum { THREADS = 4, ROUNDS = 8000 };

static odp_atomic_u32_t count32;
static odp_atomic_u64_t count64;
static odp_atomic_u64_t most;
static odp_spinlock_t spin;
static odp_ticketlock_t ticket;
static odp_rwlock_t rw;
static odp_barrier_t barrier;
static uint64_t plain[3];

/* Every operation of one width, at the ends of its range too. */
#define TEST_ATOMICS(N)                                                                                                \
    static void test_atomics_u##N(void) {                                                                              \
        odp_atomic_u##N##_t a;                                                                                         \
        uint##N##_t old = 7;                                                                                           \
        const uint##N##_t top = (uint##N##_t)1 << (N - 1);                                                             \
        odp_atomic_init_u##N(&a, 5);                                                                                   \
        CHECK(odp_atomic_load_u##N(&a) == 5 && odp_atomic_fetch_add_u##N(&a, 3) == 5);                                 \
        CHECK(odp_atomic_fetch_sub_u##N(&a, 9) == 8 && odp_atomic_load_acq_u##N(&a) == UINT##N##_MAX);                 \
        CHECK(odp_atomic_fetch_inc_u##N(&a) == UINT##N##_MAX && odp_atomic_fetch_dec_u##N(&a) == 0);                   \
        odp_atomic_inc_u##N(&a);                                                                                       \
        CHECK(odp_atomic_load_u##N(&a) == 0);                                                                          \
        odp_atomic_dec_u##N(&a);                                                                                       \
        CHECK(odp_atomic_load_u##N(&a) == UINT##N##_MAX);                                                              \
        odp_atomic_store_u##N(&a, 20);                                                                                 \
        odp_atomic_add_u##N(&a, 4);                                                                                    \
        odp_atomic_add_rel_u##N(&a, 3);                                                                                \
        odp_atomic_sub_u##N(&a, 2);                                                                                    \
        odp_atomic_sub_rel_u##N(&a, 1);                                                                                \
        CHECK(odp_atomic_load_u##N(&a) == 24 && odp_atomic_xchg_u##N(&a, 8) == 24);                                    \
        CHECK(!odp_atomic_cas_u##N(&a, &old, 1) && old == 8 && odp_atomic_cas_u##N(&a, &old, 1));                      \
        CHECK(!odp_atomic_cas_acq_u##N(&a, &old, 2) && old == 1 && odp_atomic_cas_acq_u##N(&a, &old, 2));              \
        CHECK(!odp_atomic_cas_rel_u##N(&a, &old, 3) && old == 2 && odp_atomic_cas_rel_u##N(&a, &old, 3));              \
        CHECK(!odp_atomic_cas_acq_rel_u##N(&a, &old, 4) && old == 3 && odp_atomic_cas_acq_rel_u##N(&a, &old, top));    \
        CHECK(odp_atomic_fetch_max_u##N(&a, 9) == top && odp_atomic_fetch_min_u##N(&a, 4) == top);                     \
        odp_atomic_max_u##N(&a, top);                                                                                  \
        CHECK(odp_atomic_load_u##N(&a) == top);                                                                        \
        odp_atomic_min_u##N(&a, 12);                                                                                   \
        odp_atomic_min_u##N(&a, 100);                                                                                  \
        CHECK(odp_atomic_load_u##N(&a) == 12);                                                                         \
        odp_atomic_bit_set_u##N(&a, 3);                                                                                \
        odp_atomic_bit_set_rel_u##N(&a, top);                                                                          \
        CHECK(odp_atomic_bit_fetch_clr_u##N(&a, top) == (top | 15) && odp_atomic_bit_fetch_set_u##N(&a, 16) == 15);    \
        odp_atomic_bit_clr_u##N(&a, 1);                                                                                \
        odp_atomic_bit_clr_rel_u##N(&a, 2);                                                                            \
        CHECK(odp_atomic_load_u##N(&a) == 28);                                                                         \
        odp_atomic_store_rel_u##N(&a, 1);                                                                              \
        CHECK(odp_atomic_load_acq_u##N(&a) == 1);                                                                      \
    }

TEST_ATOMICS(32)
TEST_ATOMICS(64)

static void test_barriers(void) {
    odp_mb_full(), odp_mb_acquire(), odp_mb_release(), odp_mb_sync(), odp_mb_sync_load(), odp_mb_sync_store();
}

static void test_locks(void) {
    odp_spinlock_init(&spin);
    CHECK(!odp_spinlock_is_locked(&spin) && odp_spinlock_trylock(&spin) && !odp_spinlock_trylock(&spin));
    CHECK(odp_spinlock_is_locked(&spin));
    odp_spinlock_unlock(&spin);
    odp_ticketlock_init(&ticket);
    CHECK(!odp_ticketlock_is_locked(&ticket) && odp_ticketlock_trylock(&ticket) && !odp_ticketlock_trylock(&ticket));
    odp_ticketlock_unlock(&ticket);
    odp_ticketlock_lock(&ticket);
    CHECK(odp_ticketlock_is_locked(&ticket));
    odp_ticketlock_unlock(&ticket);
    odp_rwlock_init(&rw);
    CHECK(odp_rwlock_read_trylock(&rw) && odp_rwlock_read_trylock(&rw) && !odp_rwlock_write_trylock(&rw));
    odp_rwlock_read_unlock(&rw);
    odp_rwlock_read_unlock(&rw);
    CHECK(odp_rwlock_write_trylock(&rw) && !odp_rwlock_read_trylock(&rw) && !odp_rwlock_write_trylock(&rw));
    odp_rwlock_write_unlock(&rw);
}

static void contend(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        odp_atomic_inc_u32(&count32);
        odp_atomic_add_u64(&count64, (uint64_t)number + 1);
        odp_atomic_max_u64(&most, (uint64_t)i * THREADS + (uint64_t)number);
        odp_spinlock_lock(&spin);
        plain[0]++;
        odp_spinlock_unlock(&spin);
        if (i % 16 == 0) { /* spinning in turn is slow where CPUs are few */
            odp_ticketlock_lock(&ticket);
            plain[1]++;
            odp_ticketlock_unlock(&ticket);
        }
        if (i % 8 == 0) {
            odp_rwlock_write_lock(&rw);
            plain[2]++;
            odp_rwlock_write_unlock(&rw);
        } else {
            odp_rwlock_read_lock(&rw);
            CHECK(plain[2] <= (uint64_t)ROUNDS * THREADS);
            odp_rwlock_read_unlock(&rw);
        }
    }
}

static void in_step(int number) {
    (void)number;
    for (uint32_t round = 1; round <= 50; round++) {
        odp_atomic_inc_u32(&count32);
        odp_barrier_wait(&barrier);
        CHECK(odp_atomic_load_u32(&count32) == round * THREADS);
        odp_barrier_wait(&barrier);
    }
}

int main(void) {
    test_begin();
    test_atomics_u32();
    test_atomics_u64();
    test_barriers();
    test_locks();
    odp_atomic_init_u32(&count32, 0);
    odp_atomic_init_u64(&count64, 0);
    odp_atomic_init_u64(&most, 0);
    test_threads(THREADS, contend);
    CHECK(odp_atomic_load_u32(&count32) == THREADS * ROUNDS);
    CHECK(odp_atomic_load_u64(&count64) == (uint64_t)ROUNDS * (1 + 2 + 3 + 4));
    CHECK(odp_atomic_load_u64(&most) == (uint64_t)ROUNDS * THREADS - 1);
    CHECK(plain[0] == THREADS * ROUNDS && plain[1] == THREADS * ROUNDS / 16 && plain[2] == THREADS * ROUNDS / 8);
    odp_atomic_init_u32(&count32, 0);
    odp_barrier_init(&barrier, THREADS);
    test_threads(THREADS, in_step);
    test_end();
    return 0;
}
