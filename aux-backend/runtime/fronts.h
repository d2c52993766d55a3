/* A worker of the back of a program that is cut in two, and the workers of the front that hand packets over to it: each
 * `back_count`-th, so that what one front receives stays in order.
 *
 * Threads: the worker of the back.
 */
#ifndef MACS_RUNTIME_FRONTS_H
#define MACS_RUNTIME_FRONTS_H

#include "runtime/worker.h"

/* Whether it runs the back: the first workers do. */
static inline bool macs_is_back(const struct macs_thread *thread) {
    return thread->worker.index < thread->sw->options.back_count;
}

/* Process a burst of each front's. Returns the number of packets. */
unsigned macs_fronts_take(struct macs_thread *thread);

/* Whether packets wait; never of another worker than one of the back. */
bool macs_fronts_wait(const struct macs_thread *thread);

/* Whether nothing waits, and nothing will come: a front that did not start brings nothing. */
bool macs_fronts_ended(const struct macs_thread *thread);

#endif
