/* Locks of registers: regions of the program that are atomic for the registers that they access.
 *
 * Registers that are accessed together share locks, one for each stripe of indexes. A worker keeps a lock until it
 * takes another one, or until its stage has processed its packets: so packets of one flow take a lock once. A worker
 * that has registers to itself, as it is alone or as they are sharded (macs/steer.h), has one lock of its own for them,
 * which excludes the control plane. It keeps that lock from burst to burst, until the control plane asks for it or the
 * worker has nothing to do; a hold then costs nothing.
 * Deadlocks: a region takes all locks that it needs at once, in ascending order, after it has released those that it
 * held. A worker takes its own lock before a burst, when it holds no other.
 * Threads: a worker, or the control thread, for itself.
 */
#ifndef MACS_HOLD_H
#define MACS_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <macs/prefetch.h>
#include <macs/worker.h>

/* A lock has a cache line of its own. */
struct macs_lock {
    _Alignas(64) _Atomic uint32_t taken;
};

/* The locks of a group of registers. */
struct macs_locks {
    uint32_t stripes; /* that are of use: the largest register's size, 1 where regions do not know their indexes, 0
                         where each is an atomic update */
    bool sharded;     /* where frames are steered, no lock is needed */
    uint32_t mask;    /* of an index, gives its stripe; filled by the runtime, as is what follows */
    bool by_worker;   /* each cell belongs to a worker, which holds its own lock */
    struct macs_lock *locks; /* NULL: none, as cells are updated atomically or belong to a worker */
};

static inline struct macs_lock *macs_lock_of(const struct macs_locks *locks, uint64_t index) {
    return &locks->locks[index & locks->mask];
}

/* Release all locks that the worker holds. */
void macs_hold_let_go(struct macs_worker *worker);

/* A stage has processed its packets. */
static inline void macs_hold_release(struct macs_worker *worker) {
    if (worker->held_count)
        macs_hold_let_go(worker);
}

/* Hold these locks, which may be the same, and nothing else. */
void macs_hold_locks(struct macs_worker *worker, struct macs_lock *locks[], uint32_t count);

/* Hold the cell with that index. */
static inline void macs_hold(struct macs_worker *worker, const struct macs_locks *locks, uint64_t index) {
    if (!locks->locks)
        return;
    struct macs_lock *lock = macs_lock_of(locks, index);
    if (worker->only_held != lock)
        macs_hold_locks(worker, &lock, 1);
}

/* Hold the cells with these indexes, MACS_HELD_MAX at most. */
static inline void macs_hold_several(struct macs_worker *worker, const struct macs_locks *locks,
                                     const uint64_t indexes[], uint32_t count) {
    struct macs_lock *wanted[MACS_HELD_MAX];
    if (!locks->locks)
        return;
    for (uint32_t i = 0; i < count; i++)
        wanted[i] = macs_lock_of(locks, indexes[i]);
    macs_hold_locks(worker, wanted, count);
}

/* Of a lock that will be taken. */
static inline void macs_hold_prefetch(const struct macs_locks *locks, uint64_t index) {
    if (locks->locks)
        macs_prefetch_to_write(macs_lock_of(locks, index));
}

#endif
