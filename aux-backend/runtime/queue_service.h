/* A worker looks after its queues (queues.h), between bursts. */
#ifndef MACS_RUNTIME_QUEUE_SERVICE_H
#define MACS_RUNTIME_QUEUE_SERVICE_H

#include "runtime/queues.h"

/* Take on what may go now. 0: nothing could be done. */
unsigned macs_queues_serve(struct macs_thread *thread);

/* Ports are taken away: what waits for them is dropped. */
void macs_queues_leave(struct macs_thread *thread);

/* The worker ends: all that waits goes on at once. */
void macs_queues_end(struct macs_thread *thread);

#endif
