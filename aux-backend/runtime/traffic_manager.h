/* The traffic manager: unicast, multicast, clones and drops, between ingress and egress.
 *
 * Ownership: it owns the packets that it is given.
 */
#ifndef MACS_RUNTIME_TRAFFIC_MANAGER_H
#define MACS_RUNTIME_TRAFFIC_MANAGER_H

#include "runtime/worker.h"

/* Packets for egress, at most a burst. */
struct macs_departures {
    unsigned count;
    struct macs_packet *packets[MACS_BURST_MAX];
};

/* Act on the verdict of ingress on a packet. */
void macs_dispatch(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet);

/* What a run to completion has made of a burst of which packets go on: take them on, send and drop the others, in the
 * burst's order. */
void macs_resume(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                 unsigned count);

/* To egress, in the order of the calls; a program that has merged egress into ingress is done with the packet. */
void macs_depart(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet);

/* Process the collected packets by egress. */
void macs_depart_all(struct macs_thread *thread, struct macs_departures *departures);

#endif
