#include "runtime/hold.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/options.h"
#include "tables/common/memory.h"

#define STRIPES_MAX 8192u
#define SPINS 1000u /* before the processor is given to others: the holder may wait for it */
#define PAUSE_NS 20000

/* What a worker takes that has registers to itself; `owners`: how many do. `asked_for`: by the control thread. */
static struct macs_lock of_workers[MACS_WORKERS_MAX];
static unsigned owners;
static atomic_bool asked_for;

/* True: taken. */
static bool try_lock(struct macs_lock *lock) {
    return !atomic_load_explicit(&lock->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);
}

static void unlock(struct macs_lock *lock) {
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

/* False: the switch ends, so the holder may never release the lock. */
static bool lock_for(const struct macs_worker *worker, struct macs_lock *lock) {
    for (uint32_t spins = 1; !try_lock(lock); spins++) {
        if (atomic_load_explicit(&worker->loop_request, memory_order_relaxed) == MACS_END)
            return false;
        if (spins % SPINS)
            odp_cpu_pause();
        else
            sched_yield();
    }
    return true;
}

void macs_hold_let_go(struct macs_worker *worker) {
    while (worker->held_count)
        unlock(worker->held[--worker->held_count]);
    worker->only_held = NULL;
}

/* In ascending order, each once. Returns how many are left. */
static uint32_t put_in_order(struct macs_lock *locks[], uint32_t count) {
    uint32_t ordered = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_lock *lock = locks[i];
        uint32_t at = ordered;
        while (at && locks[at - 1] > lock)
            at--;
        if (at && locks[at - 1] == lock)
            continue;
        for (uint32_t behind = ordered; behind > at; behind--)
            locks[behind] = locks[behind - 1];
        locks[at] = lock;
        ordered++;
    }
    return ordered;
}

static bool are_held(const struct macs_worker *worker, struct macs_lock *const locks[], uint32_t count) {
    if (worker->held_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (worker->held[i] != locks[i])
            return false;
    return true;
}

void macs_hold_locks(struct macs_worker *worker, struct macs_lock *locks[], uint32_t count) {
    count = put_in_order(locks, count);
    if (are_held(worker, locks, count))
        return;
    macs_hold_let_go(worker);
    for (uint32_t i = 0; i < count && lock_for(worker, locks[i]); i++)
        worker->held[worker->held_count++] = locks[i];
    worker->only_held = worker->held_count == 1 ? worker->held[0] : NULL;
}

struct macs_lock *macs_hold_own_lock(unsigned worker) {
    return worker < owners ? &of_workers[worker] : NULL;
}

void macs_hold_own(struct macs_worker *worker) {
    while (macs_hold_is_asked_for()) /* who asked goes first */
        odp_cpu_pause();
    worker->holds_own = lock_for(worker, worker->own);
}

void macs_hold_let_own_go(struct macs_worker *worker) {
    if (worker->holds_own)
        unlock(worker->own);
    worker->holds_own = false;
}

bool macs_hold_is_asked_for(void) {
    return atomic_load_explicit(&asked_for, memory_order_relaxed);
}

/* --- the control thread ---------------------------------------------------------------------------------------------
 */

static bool lock_from_outside(struct macs_lock *lock, uint64_t until_ns) {
    bool taken = try_lock(lock);
    atomic_store(&asked_for, !taken);
    for (uint32_t spins = 1; !taken && odp_time_global_ns() < until_ns; spins++) {
        if (spins < SPINS)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL); /* others need the processor */
        taken = try_lock(lock);
    }
    return taken;
}

static void unlock_workers(unsigned count) {
    while (count--)
        unlock(&of_workers[count]);
}

/* All of them: whose worker a cell is, only frames tell. */
static bool lock_workers(uint64_t until_ns) {
    for (unsigned worker = 0; worker < owners; worker++) {
        if (lock_from_outside(&of_workers[worker], until_ns))
            continue;
        unlock_workers(worker);
        return false;
    }
    return true;
}

bool macs_hold_from_outside(const struct macs_locks *locks, uint64_t index, uint64_t patience_ns) {
    const uint64_t until_ns = odp_time_global_ns() + patience_ns;
    bool taken = true;
    if (locks->by_worker)
        taken = lock_workers(until_ns);
    else if (locks->locks)
        taken = lock_from_outside(macs_lock_of(locks, index), until_ns);
    atomic_store(&asked_for, false);
    return taken;
}

void macs_hold_end_from_outside(const struct macs_locks *locks, uint64_t index) {
    if (locks->by_worker)
        unlock_workers(owners);
    else if (locks->locks)
        unlock(macs_lock_of(locks, index));
}

bool macs_hold_is_same(const struct macs_locks *locks, uint64_t a, uint64_t b) {
    return locks->by_worker || !locks->locks || macs_lock_of(locks, a) == macs_lock_of(locks, b);
}

/* --- made and destroyed ---------------------------------------------------------------------------------------------
 */

static uint32_t power_of_two(uint32_t most) {
    uint32_t stripes = 1;
    while (stripes * 2 <= most)
        stripes *= 2;
    return stripes;
}

int macs_locks_create(const struct macs_program *program, unsigned workers) {
    owners = workers == 1 ? 1 : 0;
    for (uint16_t i = 0; i < program->lock_count; i++) {
        struct macs_locks *locks = &program->locks[i];
        locks->mask = 0;
        locks->locks = NULL;
        locks->by_worker = workers == 1;
        if (workers == 1 || !locks->stripes)
            continue;
        uint32_t stripes = power_of_two(locks->stripes < STRIPES_MAX ? locks->stripes : STRIPES_MAX);
        locks->locks = macs_memory_alloc(stripes * sizeof(locks->locks[0]), false);
        if (!locks->locks)
            return -ENOMEM;
        locks->mask = stripes - 1;
    }
    return 0;
}

static void destroy(struct macs_locks *locks) {
    if (locks->locks)
        macs_memory_free(locks->locks, (locks->mask + (size_t)1) * sizeof(locks->locks[0]));
    locks->locks = NULL;
}

void macs_locks_shard(const struct macs_program *program, unsigned workers) {
    owners = workers;
    for (uint16_t i = 0; i < program->lock_count; i++) {
        struct macs_locks *locks = &program->locks[i];
        locks->by_worker = locks->sharded;
        if (locks->sharded)
            destroy(locks);
    }
}

void macs_locks_destroy(const struct macs_program *program) {
    for (uint16_t i = 0; i < program->lock_count; i++)
        destroy(&program->locks[i]);
}
