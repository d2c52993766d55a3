/* The datapath of programs with requests (macs_packet.requests): clones, resubmitted and recirculated packets.
 *
 * Each function replaces the plain one in struct macs_datapath. Ingress clones go to egress at once, before the packet
 * that they are copies of. Egress clones, resubmitted and recirculated packets go to the recirculation queue.
 * Source: the documentation of BMv2's simple_switch.
 */
#ifndef MACS_RUNTIME_REQUESTS_H
#define MACS_RUNTIME_REQUESTS_H

#include "runtime/recirculation.h"
#include "runtime/traffic_manager.h"

void macs_requests_pass(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
/* The two halves of it, where the program is cut: before the first part, and behind the last one, whose worker makes
 * all further passes. */
void macs_requests_begin(struct macs_thread *thread, struct macs_packet *const packets[], unsigned count);
void macs_requests_pass_on(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

void macs_requests_resume(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                          unsigned count);
void macs_requests_dispatch(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet);
void macs_requests_egress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

/* Packets that have waited between ingress and egress, with all that comes of them. */
void macs_requests_leave_queue(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

#endif
