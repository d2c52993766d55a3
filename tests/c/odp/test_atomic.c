/* 128-bit atomics: results, no torn values under threads; which operations are lock-free. */
#include "check.h"

enum { THREADS = 4, ROUNDS = 5000 };

static odp_atomic_u128_t pair;

static odp_u128_t value(uint64_t low, uint64_t high) {
    odp_u128_t made = {.u64 = {low, high}};
    return made;
}

static bool is(odp_u128_t found, uint64_t low, uint64_t high) {
    return found.u64[0] == low && found.u64[1] == high;
}

static void test_results(void) {
    odp_atomic_u128_t atom;
    odp_u128_t old = value(1, 3);
    odp_atomic_init_u128(&atom, value(1, 2));
    CHECK(is(odp_atomic_load_u128(&atom), 1, 2));
    CHECK(odp_atomic_cas_u128(&atom, &old, value(9, 9)) == 0 && is(old, 1, 2));
    CHECK(is(odp_atomic_load_u128(&atom), 1, 2));
    CHECK(odp_atomic_cas_u128(&atom, &old, value(UINT64_MAX, 4)) != 0 && is(old, 1, 2));
    old = value(0, 4);
    CHECK(odp_atomic_cas_acq_u128(&atom, &old, value(9, 9)) == 0 && is(old, UINT64_MAX, 4));
    CHECK(odp_atomic_cas_acq_u128(&atom, &old, value(5, 6)) != 0);
    old = value(5, 6);
    CHECK(odp_atomic_cas_rel_u128(&atom, &old, value(7, 8)) != 0);
    old = value(5, 6);
    CHECK(odp_atomic_cas_rel_u128(&atom, &old, value(9, 9)) == 0 && is(old, 7, 8));
    CHECK(odp_atomic_cas_acq_rel_u128(&atom, &old, value(10, 11)) != 0);
    CHECK(odp_atomic_cas_acq_rel_u128(&atom, &old, value(9, 9)) == 0 && is(old, 10, 11));
    odp_atomic_store_u128(&atom, value(12, 13));
    CHECK(is(odp_atomic_load_u128(&atom), 12, 13));
    odp_atomic_store_u128(&atom, value(0, 0));
    CHECK(is(odp_atomic_load_u128(&atom), 0, 0));
}

static void count(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        odp_u128_t old = odp_atomic_load_u128(&pair), next;
        do {
            CHECK(old.u64[1] == 3 * old.u64[0]);
            next = value(old.u64[0] + 1, old.u64[1] + 3);
        } while (!odp_atomic_cas_acq_rel_u128(&pair, &old, next));
    }
}

static void overwrite(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        odp_atomic_store_u128(&pair, value((uint64_t)number, 3 * (uint64_t)number));
        odp_u128_t found = odp_atomic_load_u128(&pair);
        CHECK(found.u64[1] == 3 * found.u64[0]);
    }
}

static void test_lock_free(void) {
    odp_atomic_op_t op;
    memset(&op, 0xff, sizeof(op));
    int all = odp_atomic_lock_free_u64(&op);
    CHECK(all == odp_atomic_lock_free_u64(NULL) && op.op.init == 0);
    CHECK((all == 0) == (op.all_bits == 0));
    if (all == 2)
        CHECK(op.op.load && op.op.store && op.op.fetch_add && op.op.cas && op.op.xchg && op.op.bit_clr && op.op.max);
    memset(&op, 0xff, sizeof(op));
    all = odp_atomic_lock_free_u128(&op);
    CHECK(all == odp_atomic_lock_free_u128(NULL) && op.op.init == 0);
    CHECK((all == 0) == (op.all_bits == 0));
    if (all == 2)
        CHECK(op.op.load && op.op.store && op.op.cas);
}

int main(void) {
    test_begin();
    test_results();
    test_lock_free();
    odp_atomic_init_u128(&pair, value(0, 0));
    test_threads(THREADS, count);
    CHECK(is(odp_atomic_load_u128(&pair), THREADS * ROUNDS, 3 * THREADS * ROUNDS));
    test_threads(THREADS, overwrite);
    test_end();
    return 0;
}
