/* Clones: copies of packets for the ports of a clone session. macs/worker.h has what generated code calls. */
#ifndef MACS_RUNTIME_CLONE_H
#define MACS_RUNTIME_CLONE_H

#include "runtime/recirculation.h"

/* The egress of a group of packets is through: put the clones that it made of one of them into the queue. To be called
 * for each, in order. */
void macs_clones_enqueue(struct macs_thread *thread, const struct macs_packet *packet);

/* A packet has been moved to another buffer: the clones that egress made of it are those of that one. */
void macs_clones_moved(struct macs_thread *thread, const struct macs_packet *from, const struct macs_packet *to);

#endif
