/* Workers rest between two bursts while the control thread makes changes that packets are to meet as one.
 *
 * Where the program is cut, a worker rests when those of the part before do and it has what they have handed over.
 * A worker that waits for frames is at rest already: it looks whether it may go on when it wakes up.
 * Invariant: a worker that is not marked as resting sees `wanted` before its next burst (both are sequentially
 * consistent). Threads: macs_rest_begin() and macs_rest_end() the control thread, the others a worker.
 */
#ifndef MACS_RUNTIME_REST_H
#define MACS_RUNTIME_REST_H

#include "runtime/worker.h"

/* All workers rest, and are through with what they have received. 0; -EBUSY: one is not, as in a loop of the program.
 */
int macs_rest_begin(struct macs_switch *sw);
void macs_rest_end(struct macs_switch *sw);

/* A worker that reads no tables, and that is not in a burst, begins and ends to wait. */
static inline void macs_rest_wait_begins(struct macs_thread *thread) {
    atomic_store(&thread->resting, true);
}
void macs_rest_wait_ends(struct macs_thread *thread);

/* Between two bursts. */
void macs_rest(struct macs_thread *thread);
static inline void macs_rest_if_asked(struct macs_thread *thread) {
    if (odp_unlikely(atomic_load_explicit(&thread->sw->rest, memory_order_relaxed)))
        macs_rest(thread);
}

#endif
