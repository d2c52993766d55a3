/* What the parts of a packet's way through the switch share. All within a lane. */
#ifndef MACS_RUNTIME_PATH_H
#define MACS_RUNTIME_PATH_H

#include <macs/straight.h>

#include "runtime/lane.h"

/* What goes to egress, at most a burst at a time. */
struct macs_departures {
    unsigned count;
    struct macs_packet *packets[MACS_BURST_MAX];
};

/* To egress, in the order of the calls; a program that has merged egress into ingress is done with the packet. Owns it
 * from here on. */
void macs_path_depart(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet);

/* Take those that are on their way to egress through it. */
void macs_path_flush(struct macs_lane *lane, struct macs_departures *departures);

/* What a straight program has made of a burst of which packets may go on: take them on, send and drop the others, in
 * the burst's order. Owns them from here on. */
void macs_path_mixed(struct macs_lane *lane, const odp_packet_t handles[], const macs_fate fates[], unsigned count);

/* A copy of the frame and of the program's state, or NULL. Not counted. */
struct macs_packet *macs_path_copy(const struct macs_lane *lane, const struct macs_packet *packet);

/* True: what the parser may look at is in one piece. */
static inline bool macs_path_parsable(const struct macs_lane *lane, const struct macs_packet *packet) {
    uint32_t parse_bytes = lane->sw->program->parse_bytes;
    return packet->contiguous >= (packet->length < parse_bytes ? packet->length : parse_bytes);
}

#endif
