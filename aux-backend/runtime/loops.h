/* Long loops of the program: finds workers that are stuck in one, and ends the loops when the switch stops.
 *
 * From time to time the control thread sets a request in the worker (macs/worker.h). A worker in a loop that may be
 * long answers with the place of the loop and the number of its burst. It is *stuck* if it has been in the same burst
 * for MACS_STUCK_NS. Workers of programs without such loops do not look at the request.
 * Threads: the control thread, except what the worker answers.
 */
#ifndef MACS_RUNTIME_LOOPS_H
#define MACS_RUNTIME_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/loop.h"

#define MACS_STUCK_NS UINT64_C(1000000000)

struct macs_switch;

/* Check the workers, not more often than necessary; log each that has become stuck. */
void macs_loops_watch(struct macs_switch *sw);

/* Every worker is to leave its loop and to drop the packet; likewise later ones of its burst that loop for long. */
void macs_loops_end(struct macs_switch *sw);

/* After all workers have ended: log those that had to leave a loop. */
void macs_loops_ended(struct macs_switch *sw);

/* A worker that is stuck now, or NULL. */
const struct macs_loop *macs_loops_stuck(const struct macs_switch *sw, unsigned *worker);

#endif
