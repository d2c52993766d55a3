/* The workers of a switch, all together: made, started, ended.
 *
 * Threads: the control thread. Errors: -errno, logged.
 */
#ifndef MACS_RUNTIME_WORKER_THREADS_H
#define MACS_RUNTIME_WORKER_THREADS_H

#include "runtime/switch.h"

/* As many as the options say; they do not run yet. Some may be there when it fails. */
int macs_workers_create(struct macs_switch *sw);

/* Returns when all of them run; when it fails none does. */
int macs_workers_start(struct macs_switch *sw);

/* Tell them to stop, and wait until they have finished their bursts. */
void macs_workers_join(struct macs_switch *sw);

/* They do not run, or never have. */
void macs_workers_destroy(struct macs_switch *sw);

#endif
