/* Workers ring for the control thread, which sleeps until somebody does.
 *
 * A ring costs a worker one look while nobody waits for it, or while the bell has not been heard since the last one,
 * and a system call otherwise. Invariant: what was put somewhere before a ring is seen by who looks for it after
 * macs_bell_hear(). Threads: any rings; the control thread hears.
 */
#ifndef MACS_RUNTIME_BELL_H
#define MACS_RUNTIME_BELL_H

#include <stdatomic.h>
#include <stdbool.h>

struct macs_bell {
    _Atomic bool wanted; /* somebody waits for what it tells of */
    _Atomic bool rung;   /* and not heard */
    int heard;           /* a descriptor, readable once it is rung; -1: none */
    int ringing;
};

/* 0 or -errno. */
int macs_bell_open(struct macs_bell *bell);
void macs_bell_close(struct macs_bell *bell);

/* The system call of macs_bell_ring(). */
void macs_bell_strike(struct macs_bell *bell);

static inline void macs_bell_ring(struct macs_bell *bell) {
    if (atomic_load_explicit(&bell->wanted, memory_order_relaxed) && !atomic_exchange(&bell->rung, true))
        macs_bell_strike(bell);
}

void macs_bell_hear(struct macs_bell *bell);

#endif
