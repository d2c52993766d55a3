/* The recirculation queue: packets that go through a pipeline again. Egress clones, resubmitted and recirculated
 * packets wait here. They are through before the next burst is received.
 *
 * Order: the result does not depend on the size of bursts. All packets that come of one received packet go out before
 * those that come of the next:
 * - The queue keeps the order of the packets from which its packets were made. Packets that are processed together come
 *   of different received packets, so no pass of a packet runs beside another pass of the same one.
 * - Packets to send are held until all are through, and are then sent in the order of the received packets (`origin`).
 * Bounds: all packets that come of one received packet make at most MACS_PASSES_MAX further passes together; what would
 * go on after that is dropped. Only if the pool is empty are copies lost that a smaller burst would not lose.
 * Threads: a worker's own.
 */
#ifndef MACS_RUNTIME_RECIRCULATION_H
#define MACS_RUNTIME_RECIRCULATION_H

#include "runtime/worker.h"

#define MACS_PASSES_MAX 256u

/* An egress clone and the packet whose egress made it. */
struct macs_made {
    const struct macs_packet *maker;
    struct macs_packet *clone;
};

struct macs_recirculation {
    uint32_t capacity;     /* of each of the three, a power of two: every packet of the pool */
    uint32_t first, count; /* of the queue, a ring */
    struct macs_packet **queue;
    uint32_t made_count, made_next; /* next: where the clones of the packet after this one are likely to be */
    struct macs_made *made;         /* by the egress under way */
    uint32_t held_count;
    struct macs_packet **held;
    bool mixed; /* what has been in the queue is among those held */
    uint32_t turn;
    uint32_t taken[MACS_BURST_MAX];  /* by origin: the turn in which one of its packets was taken last */
    uint16_t passes[MACS_BURST_MAX]; /* by origin: of packets of the queue so far */
    uint32_t begins[MACS_BURST_MAX]; /* by origin, while the held are sorted */
};

/* For so many packets of a pool. 0 or -ENOMEM. */
int macs_recirculation_create(struct macs_recirculation **created, uint32_t packets);
void macs_recirculation_destroy(struct macs_recirculation *recirculation);

/* A packet that was received, at that place in its burst, has made no requests and begins its first pass. */
void macs_recirculation_begin(struct macs_recirculation *recirculation, struct macs_packet *packet, unsigned place);

/* A packet that has waited between ingress and egress, or that another worker has begun with, takes that place, and its
 * ingress clones do; what it has asked for is still to be done. */
void macs_recirculation_rejoin(struct macs_recirculation *recirculation, struct macs_packet *packet, unsigned place);

/* Resubmit or recirculate a packet, as that instance type, with that list of fields. Owns it from here on. */
void macs_recirculation_enter(struct macs_thread *thread, struct macs_packet *packet, uint8_t instance, uint8_t fields);

/* Put a packet into the queue as it is, unless there were too many. Owns it from here on. */
void macs_recirculation_enqueue(struct macs_thread *thread, struct macs_packet *packet);

/* Take packets from the front, at most `limit`: all of them egress clones, or none; one of each received packet.
 * Returns how many. */
unsigned macs_recirculation_take(struct macs_recirculation *recirculation, struct macs_packet *packets[],
                                 unsigned limit);

/* Hold a packet for sending. Owns it from here on. */
void macs_recirculation_hold(struct macs_thread *thread, struct macs_packet *packet);

/* Send the held packets. */
void macs_recirculation_release(struct macs_thread *thread);

#endif
