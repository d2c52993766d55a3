/* Second lives of packets: clones, resubmitted and recirculated packets. Source: the documentation of BMv2's
 * simple_switch.
 *
 * Ingress clones go to egress at once, before the packet that they are copies of. Egress clones, resubmitted and
 * recirculated packets wait in a queue of the lane, and go through before the next burst is received.
 *
 * Order: what comes of a burst does not depend on how large it is. What a received packet leads to is what it leads to
 * alone, and goes out before what the next one leads to:
 * - the queue keeps the order of the packets' makers, and of what goes through together at most one is of each received
 *   packet, so that none meets another life of its own;
 * - what is to be sent is held until all is through, then sent in the order of the received packets (`origin`).
 * Bounds: a received packet has MACS_LIVES_MAX second lives; what is beyond is dropped. Only where the pool has no
 * packet left are copies lost that a smaller burst would not lose.
 * Threads: a lane's own.
 */
#ifndef MACS_RUNTIME_AGAIN_H
#define MACS_RUNTIME_AGAIN_H

#include "runtime/path.h"

#define MACS_LIVES_MAX 256u

/* An egress clone and the packet whose egress made it. */
struct macs_made {
    const struct macs_packet *maker;
    struct macs_packet *clone;
};

struct macs_again {
    uint32_t capacity;     /* of each of the three, a power of two: every packet of the pool */
    uint32_t first, count; /* of the queue, a ring */
    struct macs_packet **queue;
    uint32_t made_count, made_next; /* next: where the clones of the packet after this one are likely to be */
    struct macs_made *made;         /* by the egress under way */
    uint32_t held_count;
    struct macs_packet **held;
    bool mixed; /* second lives are among those held */
    uint32_t turn;
    uint32_t taken[MACS_BURST_MAX];  /* by origin: the turn in which one of its lives went through last */
    uint16_t lives[MACS_BURST_MAX];  /* by origin: second lives so far */
    uint32_t begins[MACS_BURST_MAX]; /* by origin, while the held are sorted */
};

/* For so many packets of a pool. 0 or -ENOMEM. */
int macs_again_create(struct macs_again **created, uint32_t packets);
void macs_again_destroy(struct macs_again *again);

/* A packet that was received, at that place in its burst, has made no requests and begins its first life. */
void macs_again_begin(struct macs_again *again, struct macs_packet *packet, unsigned place);

/* Make ingress clones if the packet asks for them. True: it is resubmitted, and no more the caller's. */
bool macs_again_after_ingress(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet);

/* The egress of a group of packets is through: put the clones that it made of one of them into the queue. To be called
 * for each, in order. */
void macs_again_clones(struct macs_lane *lane, const struct macs_packet *packet);

/* True: the packet, deparsed, is recirculated, and no more the caller's. */
bool macs_again_after_egress(struct macs_lane *lane, struct macs_packet *packet);

/* Take packets from the front, at most `limit`: all of them egress clones, or none; one of each received packet.
 * Returns how many. */
unsigned macs_again_take(struct macs_again *again, struct macs_packet *packets[], unsigned limit);

/* Send this packet when all is through. Owns it from here on. */
void macs_again_hold(struct macs_lane *lane, struct macs_packet *packet);

/* Send what is held. */
void macs_again_release(struct macs_lane *lane);

#endif
