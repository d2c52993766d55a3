/* Locks of registers: which are taken for which cells, that one is held until another is wanted, and who waits. */
#include <assert.h>
#include <stdio.h>

#include "runtime/hold.h"

enum { GROUPS = 4 };

static uint64_t now_ns; /* goes on by itself, so that patience ends */

uint64_t macs_odp_clock_ns(void) {
    return now_ns += 1000;
}

static struct macs_locks locks[GROUPS];
static const struct macs_program program = {.lock_count = GROUPS, .locks = locks};
static struct macs_worker worker;

static bool is_free(struct macs_lock *lock) {
    return !lock->taken;
}

static uint32_t taken_of(const struct macs_locks *of) {
    uint32_t count = 0;
    for (uint32_t i = 0; of->locks && i <= of->mask; i++)
        count += of->locks[i].taken;
    return count;
}

static void check_stripes(void) {
    const uint32_t stripes[GROUPS] = {1, 10, 100000, 0}, most[GROUPS] = {1, 8, 8192, 0};
    for (int i = 0; i < GROUPS; i++)
        locks[i] = (struct macs_locks){.stripes = stripes[i]};
    assert(macs_locks_create(&program, 1) == 0);
    for (int i = 0; i < GROUPS; i++)
        assert(locks[i].by_worker && !locks[i].locks);
    assert(macs_hold_own_lock(0) && !macs_hold_own_lock(1));
    macs_locks_destroy(&program);
    assert(macs_locks_create(&program, 2) == 0);
    for (int i = 0; i < GROUPS; i++) {
        assert(!locks[i].by_worker && !locks[i].locks == !most[i]);
        assert(!most[i] || locks[i].mask == most[i] - 1);
    }
    assert(!macs_hold_own_lock(0));
    assert(macs_hold_is_same(&locks[1], 0, 8) && !macs_hold_is_same(&locks[1], 0, 7));
    assert(macs_hold_is_same(&locks[0], 0, 7) && macs_hold_is_same(&locks[3], 0, 7));
}

static void check_holding(void) {
    struct macs_locks *of = &locks[1];
    macs_hold(&worker, of, 3);
    assert(worker.held_count == 1 && worker.only_held == &of->locks[3] && taken_of(of) == 1);
    macs_hold(&worker, of, 3 + 8); /* of the same stripe */
    assert(worker.held_count == 1 && taken_of(of) == 1);
    macs_hold(&worker, of, 4);
    assert(is_free(&of->locks[3]) && !is_free(&of->locks[4]) && taken_of(of) == 1);
    macs_hold(&worker, &locks[0], 4); /* of another group: one at a time */
    assert(taken_of(of) == 0 && taken_of(&locks[0]) == 1);
    macs_hold_several(&worker, of, (const uint64_t[]){6, 2, 6, 5, 10}, 5);
    assert(taken_of(&locks[0]) == 0 && worker.held_count == 3 && taken_of(of) == 3 && !worker.only_held);
    const uint32_t ascending[] = {2, 5, 6};
    for (uint32_t i = 0; i < 3; i++)
        assert(worker.held[i] == &of->locks[ascending[i]] && !is_free(worker.held[i]));
    macs_hold_several(&worker, of, (const uint64_t[]){2, 5, 6}, 3);
    assert(worker.held_count == 3 && taken_of(of) == 3);
    macs_hold_several(&worker, of, (const uint64_t[]){2, 5, 7}, 3); /* as many, but others */
    assert(worker.held_count == 3 && !is_free(&of->locks[7]) && is_free(&of->locks[6]) && taken_of(of) == 3);
    macs_hold_several(&worker, of, (const uint64_t[]){1, 5, 7}, 3);
    assert(!is_free(&of->locks[1]) && is_free(&of->locks[2]) && taken_of(of) == 3);
    macs_hold_several(&worker, of, (const uint64_t[]){7, 7}, 2);
    assert(worker.held_count == 1 && worker.only_held == &of->locks[7] && taken_of(of) == 1);
    macs_hold_several(&worker, of, (const uint64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
    assert(worker.held_count == 8 && taken_of(of) == 8);
    macs_hold_release(&worker);
    assert(!worker.held_count && !worker.only_held && taken_of(of) == 0);
    macs_hold(&worker, &locks[3], 1); /* of cells that are updated atomically */
    assert(!worker.held_count);
}

/* Who waits for a lock gives up: a worker when the switch ends, the control plane when its patience does. */
static void check_waiting(void) {
    struct macs_locks *of = &locks[1];
    struct macs_worker other = {.loop_request = MACS_END};
    macs_hold_several(&worker, of, (const uint64_t[]){2, 4}, 2);
    macs_hold_several(&other, of, (const uint64_t[]){1, 2, 3}, 3);
    assert(other.held_count == 1 && other.held[0] == &of->locks[1] && other.only_held == other.held[0]);
    macs_hold_release(&other);
    assert(taken_of(of) == 2 && !is_free(&of->locks[2]));
    assert(!macs_hold_from_outside(of, 4, 50000) && taken_of(of) == 2 && !macs_hold_is_asked_for());
    assert(macs_hold_from_outside(of, 5, 50000) && taken_of(of) == 3 && !is_free(&of->locks[5]));
    macs_hold_end_from_outside(of, 5);
    assert(is_free(&of->locks[5]));
    assert(macs_hold_from_outside(&locks[3], 5, 50000));
    macs_hold_end_from_outside(&locks[3], 5);
    macs_hold_release(&worker);
    macs_locks_destroy(&program);
}

/* Sharded registers belong to workers: the control plane takes the locks of all of them, or of none. */
static void check_sharding(void) {
    locks[0].sharded = locks[2].sharded = true;
    assert(macs_locks_create(&program, 3) == 0);
    macs_locks_shard(&program, 3);
    assert(locks[0].by_worker && !locks[0].locks && locks[2].by_worker && !locks[2].locks);
    assert(!locks[1].by_worker && locks[1].locks && macs_hold_own_lock(2) && !macs_hold_own_lock(3));
    assert(macs_hold_is_same(&locks[2], 1, 2));
    worker.own = macs_hold_own_lock(1);
    macs_hold_own(&worker);
    assert(worker.holds_own && !is_free(worker.own));
    assert(!macs_hold_from_outside(&locks[2], 7, 50000));
    assert(is_free(macs_hold_own_lock(0)) && is_free(macs_hold_own_lock(2)) && !is_free(worker.own));
    macs_hold_let_own_go(&worker);
    macs_hold_let_own_go(&worker);
    assert(!worker.holds_own && is_free(worker.own));
    assert(macs_hold_from_outside(&locks[2], 7, 50000));
    for (unsigned i = 0; i < 3; i++)
        assert(!is_free(macs_hold_own_lock(i)));
    macs_hold_end_from_outside(&locks[2], 7);
    for (unsigned i = 0; i < 3; i++)
        assert(is_free(macs_hold_own_lock(i)));
    macs_locks_destroy(&program);
}

int main(void) {
    check_stripes();
    check_holding();
    check_waiting();
    check_sharding();
    puts("ok");
    return 0;
}
