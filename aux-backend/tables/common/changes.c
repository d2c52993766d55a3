/* The writer's side of lookups that are repeated; changes.h has the rules. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "changes.h"

#include <macs/qsbr.h>
#include <sched.h>

#include "clock.h"

static bool is_asked(struct macs_changes *changes) {
    const uint32_t asking = atomic_load_explicit(&changes->asking, memory_order_acquire);
    if (changes->hung > asking)
        changes->hung = asking;
    return asking != changes->hung;
}

static void wait_for_lookups(struct macs_changes *changes) {
    const uint64_t end = macs_clock_ns() + MACS_QSBR_TIMEOUT_NS;
    while (is_asked(changes)) {
        if (macs_clock_ns() > end)
            changes->hung = atomic_load_explicit(&changes->asking, memory_order_acquire);
        sched_yield();
    }
}

void macs_changes_count(struct macs_changes *changes) {
    if (is_asked(changes))
        wait_for_lookups(changes);
    atomic_fetch_add_explicit(&changes->count, 1, memory_order_acq_rel);
}
