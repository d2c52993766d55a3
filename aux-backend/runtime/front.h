/* A worker of the front of a program that is cut in two (docs/placement.md). */
#ifndef MACS_RUNTIME_FRONT_H
#define MACS_RUNTIME_FRONT_H

#include "runtime/worker.h"

/* A received burst: up to the cut, and over to the worker of the back; waits while that has no room. Returns
 * its bytes. */
uint64_t macs_front_burst(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                          unsigned received);

#endif
