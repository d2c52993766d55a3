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

/* Another program, which is not this one: make its tables and externs, while the switch goes on. -E2BIG: its packets
 * need more room than those of the switch have; -ENOTSUP: one of them has queues or is cut in two, or registers of the
 * running one are sharded. Nothing is logged. */
int macs_switch_prepare(struct macs_switch *sw, const struct macs_program *program);
/* So many of its tables, and its externs. No worker uses them. */
void macs_switch_discard(const struct macs_program *program, unsigned table_count);
/* A program that is prepared takes the place of the one that runs, which is discarded; ports stay open, and frames wait
 * there meanwhile. Workers go through their bursts with the old one, and begin again with the new one. -errno: there
 * are no workers any more. */
int macs_switch_swap(struct macs_switch *sw, const struct macs_program *program);
void macs_switch_destroy(struct macs_switch *sw);

#endif
