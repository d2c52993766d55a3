/* The writer's side of quiescent-state based reclamation; macs/qsbr.h has the rules. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <macs/qsbr.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

enum {
    POLL_EVERY = 64, /* defers between two polls: each poll reads every reader's line */
    YIELDS = 100,    /* of a waiting writer before it starts to sleep */
    SLEEP_NS = 20000,
};

struct macs_qsbr_deferred {
    uint64_t epoch; /* when it was deferred */
    macs_qsbr_release_fn *release;
    void *owner;
    void *what;
};

int macs_qsbr_create(struct macs_qsbr **qsbr) {
    struct macs_qsbr *made = aligned_alloc(64, sizeof *made);
    if (!made)
        return -ENOMEM;
    memset(made, 0, sizeof *made);
    made->backlog = calloc(MACS_QSBR_BACKLOG, sizeof *made->backlog);
    if (!made->backlog) {
        free(made);
        return -ENOMEM;
    }
    atomic_init(&made->epoch, 1);
    *qsbr = made;
    return 0;
}

static struct macs_qsbr_deferred *deferred_at(const struct macs_qsbr *qsbr, uint32_t position) {
    return &qsbr->backlog[position & (MACS_QSBR_BACKLOG - 1)];
}

static void run_oldest(struct macs_qsbr *qsbr) {
    struct macs_qsbr_deferred oldest = *deferred_at(qsbr, qsbr->head);
    qsbr->head++;
    if (oldest.release)
        oldest.release(oldest.owner, oldest.what);
}

void macs_qsbr_destroy(struct macs_qsbr *qsbr) {
    if (!qsbr)
        return;
    while (qsbr->head != qsbr->tail)
        run_oldest(qsbr);
    free(qsbr->backlog);
    free(qsbr);
}

int macs_qsbr_register(struct macs_qsbr *qsbr, struct macs_qsbr_reader **reader) {
    for (uint32_t i = 0; i < MACS_QSBR_READERS; i++) {
        if (!atomic_exchange_explicit(&qsbr->readers[i].taken, true, memory_order_acq_rel)) {
            *reader = &qsbr->readers[i];
            return 0;
        }
    }
    return -ENOSPC;
}

void macs_qsbr_unregister(struct macs_qsbr_reader *reader) {
    macs_qsbr_offline(reader);
    atomic_store_explicit(&reader->taken, false, memory_order_release);
}

static uint64_t begin_period(struct macs_qsbr *qsbr) {
    return atomic_fetch_add_explicit(&qsbr->epoch, 1, memory_order_acq_rel) + 1;
}

/* The oldest epoch among online readers' reports; `epoch` if none is older. */
static uint64_t oldest_report(struct macs_qsbr *qsbr, uint64_t epoch) {
    uint64_t oldest = epoch;
    for (uint32_t i = 0; i < MACS_QSBR_READERS; i++) {
        uint64_t seen = atomic_load_explicit(&qsbr->readers[i].seen, memory_order_acquire);
        if (seen != 0 && seen < oldest)
            oldest = seen;
    }
    return oldest;
}

static void run_older_than(struct macs_qsbr *qsbr, uint64_t epoch) {
    while (qsbr->head != qsbr->tail && deferred_at(qsbr, qsbr->head)->epoch < epoch)
        run_oldest(qsbr);
}

void macs_qsbr_poll(struct macs_qsbr *qsbr) {
    qsbr->unpolled = 0;
    if (qsbr->head == qsbr->tail)
        return;
    uint64_t epoch = atomic_load_explicit(&qsbr->epoch, memory_order_relaxed);
    if (deferred_at(qsbr, qsbr->tail - 1)->epoch == epoch)
        epoch = begin_period(qsbr);
    run_older_than(qsbr, oldest_report(qsbr, epoch));
}

/* Wait until every online reader has reported in this epoch or later: 0 or -ETIMEDOUT. A reader that has been waited
 * for in vain is not waited for again before it has reported: whoever changes many things is told at once of each. */
static int wait_for_reports(struct macs_qsbr *qsbr, uint64_t target, uint64_t timeout_ns) {
    uint64_t start = macs_clock_ns(), oldest;
    for (uint32_t round = 0; (oldest = oldest_report(qsbr, target)) < target; round++) {
        if (oldest == qsbr->hung || macs_clock_ns() - start > timeout_ns) {
            qsbr->hung = oldest;
            qsbr->given_up++;
            return -ETIMEDOUT;
        }
        if (round < YIELDS)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
    return 0;
}

int macs_qsbr_synchronize(struct macs_qsbr *qsbr, uint64_t timeout_ns) {
    return wait_for_reports(qsbr, begin_period(qsbr), timeout_ns);
}

int macs_qsbr_flush(struct macs_qsbr *qsbr) {
    if (!qsbr)
        return 0;
    macs_qsbr_poll(qsbr); /* what is left waits for a period that has begun */
    if (qsbr->head == qsbr->tail)
        return 0;
    uint64_t epoch = atomic_load_explicit(&qsbr->epoch, memory_order_relaxed);
    if (wait_for_reports(qsbr, epoch, MACS_QSBR_TIMEOUT_NS))
        return -EBUSY;
    run_older_than(qsbr, epoch);
    return 0;
}

int macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count) {
    if (!qsbr || MACS_QSBR_BACKLOG - macs_qsbr_pending(qsbr) >= count)
        return 0;
    macs_qsbr_poll(qsbr);
    if (MACS_QSBR_BACKLOG - macs_qsbr_pending(qsbr) >= count)
        return 0;
    return macs_qsbr_flush(qsbr);
}

void macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what) {
    if (!qsbr) {
        release(owner, what);
        return;
    }
    *deferred_at(qsbr, qsbr->tail) = (struct macs_qsbr_deferred){
        .epoch = atomic_load_explicit(&qsbr->epoch, memory_order_relaxed),
        .release = release,
        .owner = owner,
        .what = what,
    };
    qsbr->tail++;
    if (++qsbr->unpolled >= POLL_EVERY)
        macs_qsbr_poll(qsbr);
}

void macs_qsbr_drop(struct macs_qsbr *qsbr, const void *owner) {
    if (!qsbr)
        return;
    for (uint32_t at = qsbr->head; at != qsbr->tail; at++) {
        struct macs_qsbr_deferred *deferred = deferred_at(qsbr, at);
        if (deferred->owner == owner && deferred->release) {
            macs_qsbr_release_fn *release = deferred->release;
            deferred->release = NULL;
            release(deferred->owner, deferred->what);
        }
    }
}

uint32_t macs_qsbr_given_up(const struct macs_qsbr *qsbr) {
    return qsbr->given_up;
}

uint32_t macs_qsbr_pending(const struct macs_qsbr *qsbr) {
    return qsbr->tail - qsbr->head;
}
