/* What a worker of a later part does with a burst (runtime/parts.h).
 *
 * Threads: the worker.
 */
#ifndef MACS_RUNTIME_TAKE_OVER_H
#define MACS_RUNTIME_TAKE_OVER_H

#include "runtime/worker.h"

/* Process a burst of each worker that hands over to this one. Returns the number of packets. */
unsigned macs_take_over(struct macs_thread *thread);

#endif
