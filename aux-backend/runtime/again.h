/* Second lives of packets: clones, resubmitted and recirculated packets. Source: the documentation of BMv2's
 * simple_switch.
 *
 * Ingress clones go to egress at once, before the packet that they are copies of. Egress clones, resubmitted and
 * recirculated packets wait in a queue of the lane; after each burst that was received one of them goes through. So a
 * program that sends packets round and round holds up nobody. Bounds: MACS_AGAIN_MAX packets wait at once, and a packet
 * makes MACS_PASSES_MAX passes, those of the packets that it was made of counted; what is beyond is dropped.
 * Threads: a lane's own.
 */
#ifndef MACS_RUNTIME_AGAIN_H
#define MACS_RUNTIME_AGAIN_H

#include "runtime/path.h"

#define MACS_AGAIN_MAX 1024u /* a power of two */
#define MACS_PASSES_MAX 256u

struct macs_again {
    uint32_t first, count;
    struct macs_packet *packets[MACS_AGAIN_MAX];
};

/* Packets that were received have made no requests and begin their first pass. */
void macs_again_begin(struct macs_packet *const packets[], unsigned count);

/* Count a pass. False: it was one too many, and the packet is dropped. */
bool macs_again_pass(struct macs_lane *lane, struct macs_packet *packet);

/* Make ingress clones if the packet asks for them. True: it is resubmitted, and no more the caller's. */
bool macs_again_after_ingress(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet);

/* True: the packet, deparsed, is recirculated, and no more the caller's. */
bool macs_again_after_egress(struct macs_lane *lane, struct macs_packet *packet);

/* Take packets from the front, at most `limit`: all of them egress clones, or none. Returns how many. */
unsigned macs_again_take(struct macs_again *again, struct macs_packet *packets[], unsigned limit);

#endif
