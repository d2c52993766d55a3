/* Loops of the program that go on for long: where they keep a worker, and how it gets out of them when the switch ends.
 *
 * The control thread leaves a wish with the worker now and then (macs/worker.h); a worker in such a loop tells the
 * place and the burst that it is in. One that is seen in the same burst for MACS_KEPT_NS is *kept*. Workers of programs
 * without such loops never look. Threads: the control thread, but for what is the worker's.
 */
#ifndef MACS_RUNTIME_LOOPS_H
#define MACS_RUNTIME_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/loop.h"

#define MACS_KEPT_NS UINT64_C(1000000000)

struct macs_switch;

/* Look where the workers are, if that is some time ago; say so when one begins to be kept. */
void macs_loops_watch(struct macs_switch *sw);

/* Every worker is to leave its loop and to drop the packet; likewise later ones of its burst that loop for long. */
void macs_loops_end(struct macs_switch *sw);

/* All workers have ended: tell of those that had to leave a loop. */
void macs_loops_ended(struct macs_switch *sw);

/* A worker that is kept now, or NULL. */
const struct macs_loop *macs_loops_kept(const struct macs_switch *sw, unsigned *worker);

#endif
