/* Another program takes the place of the one that a switch runs.
 *
 * Threads: the control thread. Errors: -errno.
 */
#ifndef MACS_RUNTIME_REPLACE_H
#define MACS_RUNTIME_REPLACE_H

#include "runtime/switch.h"

/* Another program, which is not this one: make its tables and externs, while the switch goes on. -E2BIG: its packets
 * need more room than those of the switch have; -ENOTSUP: one of them is cut, or registers of the running one
 * are sharded. Others are logged. */
int macs_switch_prepare(struct macs_switch *sw, const struct macs_program *program);
/* A program that is prepared takes the place of the one that runs, which is discarded; ports stay open, and frames wait
 * there meanwhile. Workers go through their bursts with the old one, send what waits in queues, and begin again with
 * the new one. Ports keep the rates and depths of their queues. -errno: there are no workers any more. */
int macs_switch_swap(struct macs_switch *sw, const struct macs_program *program);

#endif
