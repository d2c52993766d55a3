/* A worker of the back of a program that is cut in two. Workers of the front hand packets over to it: each
 * `back_count`-th, so that what one front receives stays in order.
 *
 * Threads: the worker of the back.
 */
#ifndef MACS_RUNTIME_BACK_H
#define MACS_RUNTIME_BACK_H

#include "runtime/worker.h"

/* Whether it runs the back: the first workers do. */
static inline bool macs_is_back(const struct macs_thread *thread) {
    return thread->worker.index < thread->sw->options.back_count;
}

/* Process a burst of each front's. Returns the number of packets. */
unsigned macs_back_take(struct macs_thread *thread);

/* Whether packets wait; never of another worker than one of the back. */
bool macs_back_has_packets(const struct macs_thread *thread);

/* Whether nothing waits, and nothing will come: a front that did not start brings nothing. */
bool macs_back_ended(const struct macs_thread *thread);

#endif
