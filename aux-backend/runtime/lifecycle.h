/* The life of a switch: macs_switch_create (everything but traffic), control commands, macs_switch_start,
 * macs_switch_stop (workers have finished their bursts, counters are exact), macs_switch_destroy.
 *
 * Threads: the control thread, which is an ODP control thread.
 * Errors: -errno, logged.
 */
#ifndef MACS_RUNTIME_LIFECYCLE_H
#define MACS_RUNTIME_LIFECYCLE_H

#include "runtime/switch.h"

int macs_switch_create(struct macs_switch **created, const struct macs_program *program,
                       const struct macs_options *options);
int macs_switch_start(struct macs_switch *sw);
void macs_switch_stop(struct macs_switch *sw);
/* False: packets are missing from the pool, which has been logged. */
bool macs_switch_destroy(struct macs_switch *sw);

#endif
