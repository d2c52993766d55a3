/* Makes the workers before traffic begins. Each then polls its inputs until the switch stops. */
#ifndef MACS_RUNTIME_WORKERS_H
#define MACS_RUNTIME_WORKERS_H

#include "runtime/worker.h"

/* 0 or -errno (logged). The worker does not run yet. */
int macs_worker_create(struct macs_thread **created, struct macs_switch *sw, unsigned index);
/* The worker's thread has ended, or never ran. */
void macs_worker_destroy(struct macs_thread *thread);

/* What the thread runs; its argument is the struct macs_thread. Returns when the switch stops. */
void *macs_worker_run(void *thread);

#endif
