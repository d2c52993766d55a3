/* Quiescent-state based reclamation (QSBR; DPDK's rte_rcu_qsbr): how the one writer knows that no reader still has a
 * pointer to what it has unlinked.
 *
 * Readers (workers) register once, go online, and report a quiescent state after each burst. At that moment they hold
 * no pointer into any table, or none from before the burst that they have begun. The writer unlinks an object and
 * defers its release. The release runs once every reader that was online has reported. In the usual case nobody waits,
 * and many releases share one grace period.
 * A reader that waits or sleeps goes offline first, and the writer does not wait for it. An online reader that does not
 * report (it hangs, or a debugger has stopped it) stops reclamation, not forwarding. The number of pending releases is
 * bounded. When they are full the writer waits MACS_QSBR_TIMEOUT_NS for room, then refuses the change with -EBUSY and
 * leaves everything as it was; it does not wait for that reader again until it has reported.
 * Invariant: nothing is released before its grace period is over.
 * Threads: register, unregister, online, offline, quiescent by any reader for itself; all else by the one writer.
 * Cost: a report is one load of a shared line, and one release store if the writer has begun a new period. No locks.
 * Source: Hart, McKenney, Brown, Walpole, Performance of memory reclamation for lockless synchronization (2007).
 */
#ifndef MACS_QSBR_H
#define MACS_QSBR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MACS_QSBR_READERS 128u  /* registered at once, at most */
#define MACS_QSBR_BACKLOG 8192u /* deferred releases at once, at most; a power of two */
#ifndef MACS_QSBR_TIMEOUT_NS
#define MACS_QSBR_TIMEOUT_NS UINT64_C(1000000000)
#endif

struct macs_qsbr_reader {
    _Alignas(64) _Atomic uint64_t seen; /* the epoch of the last report; 0: offline */
    atomic_bool taken;
};

struct macs_qsbr_deferred;

struct macs_qsbr {
    _Alignas(64) _Atomic uint64_t epoch; /* from 1; the writer adds 1 to begin a grace period */
    struct macs_qsbr_reader readers[MACS_QSBR_READERS];
    struct macs_qsbr_deferred *backlog; /* ring of MACS_QSBR_BACKLOG, writer only as all that follows */
    uint32_t head;                      /* oldest; counts on, taken modulo the ring's size */
    uint32_t tail;                      /* next free */
    uint32_t unpolled;                  /* deferred since the last poll */
    uint64_t hung;                      /* the oldest report when a wait was given up; 0: none was */
    uint32_t given_up;                  /* waits */
};

/* Releases `what`, which belongs to `owner`. */
typedef void macs_qsbr_release_fn(void *owner, void *what);

/* 0 or -ENOMEM. */
int macs_qsbr_create(struct macs_qsbr **qsbr);

/* Runs what is deferred and frees. No reader may be online. NULL is allowed. */
void macs_qsbr_destroy(struct macs_qsbr *qsbr);

/* A new reader, offline. 0, or -ENOSPC when MACS_QSBR_READERS are registered. */
int macs_qsbr_register(struct macs_qsbr *qsbr, struct macs_qsbr_reader **reader);
void macs_qsbr_unregister(struct macs_qsbr_reader *reader);

/* From now on the reader may access tables. */
static inline void macs_qsbr_online(struct macs_qsbr *qsbr, struct macs_qsbr_reader *reader) {
    atomic_store_explicit(&reader->seen, atomic_load_explicit(&qsbr->epoch, memory_order_relaxed),
                          memory_order_relaxed);
    /* Orders the store above before the reader's first look at a table. Either this comes after the writer's addition
     * to the epoch, and then the reader sees what was unlinked before it, or the writer sees the store. */
    atomic_fetch_add_explicit(&qsbr->epoch, 0, memory_order_acq_rel);
}

/* The reader holds no pointer into a table and will look none up until it is online again. */
static inline void macs_qsbr_offline(struct macs_qsbr_reader *reader) {
    atomic_store_explicit(&reader->seen, 0, memory_order_release);
}

/* Report of an online reader: what pointers into tables it holds at this moment it has taken since `epoch` was that of
 * macs_qsbr_epoch(). Not less than reported before. */
static inline void macs_qsbr_quiescent_since(struct macs_qsbr_reader *reader, uint64_t epoch) {
    if (atomic_load_explicit(&reader->seen, memory_order_relaxed) != epoch)
        atomic_store_explicit(&reader->seen, epoch, memory_order_release);
}

static inline uint64_t macs_qsbr_epoch(struct macs_qsbr *qsbr) {
    return atomic_load_explicit(&qsbr->epoch, memory_order_acquire);
}

/* Report of an online reader: it holds no pointer into a table at this moment. */
static inline void macs_qsbr_quiescent(struct macs_qsbr *qsbr, struct macs_qsbr_reader *reader) {
    macs_qsbr_quiescent_since(reader, macs_qsbr_epoch(qsbr));
}

/* Begin a grace period and wait for its end: 0, or -ETIMEDOUT after timeout_ns. For rare, heavy changes only. */
int macs_qsbr_synchronize(struct macs_qsbr *qsbr, uint64_t timeout_ns);

/* Make sure that the next `count` (at most MACS_QSBR_BACKLOG / 2) defers find space: 0, or -EBUSY when readers hang.
 * Call before the first step of a change, so that a refused change has changed nothing. NULL qsbr: 0. */
int macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count);

/* Run release(owner, what) after a grace period. Space must have been reserved. With a NULL qsbr (no concurrent
 * readers) it runs at once. */
void macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what);

/* Run what can be run without waiting, and begin a period for the rest. For the writer's idle moments. */
void macs_qsbr_poll(struct macs_qsbr *qsbr);

/* Run all that is deferred, waiting for one grace period if need be: 0, or -EBUSY when readers hang. NULL qsbr: 0. */
int macs_qsbr_flush(struct macs_qsbr *qsbr);

/* Run at once all that `owner` deferred: no reader can reach the owner any more. NULL qsbr: nothing. */
void macs_qsbr_drop(struct macs_qsbr *qsbr, const void *owner);

/* The number of waits for readers that timed out. */
uint32_t macs_qsbr_given_up(const struct macs_qsbr *qsbr);

/* Releases that wait for their grace period. */
uint32_t macs_qsbr_pending(const struct macs_qsbr *qsbr);

#endif
