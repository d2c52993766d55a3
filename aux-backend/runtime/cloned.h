/* A program that is cut changes over: each worker runs all parts, or its own (runtime/parts.h).
 *
 * Threads: the control thread.
 */
#ifndef MACS_RUNTIME_CLONED_H
#define MACS_RUNTIME_CLONED_H

#include "runtime/switch.h"

/* From now on each worker runs all parts, or its own. Packets are neither lost nor leave in another order: workers stop
 * to receive until those that are on their way are sent. -EBUSY: a worker hangs in a burst, and all is as before. */
int macs_cloned_set(struct macs_switch *sw, bool cloned);

#endif
