/* Packets from the worker of a program's front to the worker of its back: a ring with one producer and one consumer.
 *
 * All packets of a burst cross, in their order, those too that the front is done with. What the back must know of a
 * packet is in its record, so that a pointer is all that crosses. Head and tail are in cache lines of their own; each
 * side looks at the other's only when what it saw last does not suffice.
 */
#ifndef MACS_RUNTIME_HANDOVER_H
#define MACS_RUNTIME_HANDOVER_H

#include <macs/packet.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Packets in a ring at most: some bursts, and no more, as what waits here has left the near caches. */
#define MACS_HANDOVER_SLOTS 1024u

struct macs_handover {
    alignas(64) _Atomic uint32_t tail; /* packets put so far; the producer's */
    uint32_t head_seen;
    _Atomic bool closed;               /* no more will come */
    alignas(64) _Atomic uint32_t head; /* packets taken so far; the consumer's */
    uint32_t tail_seen;
    alignas(64) struct macs_packet *packets[MACS_HANDOVER_SLOTS];
};

/* An empty ring, or NULL; free() ends it. */
struct macs_handover *macs_handover_create(void);

/* Put as many of the packets as there is room for; returns how many. The producer alone. */
unsigned macs_handover_put(struct macs_handover *ring, struct macs_packet *const packets[], unsigned count);

/* Take up to `most` packets; returns how many. The consumer alone. */
unsigned macs_handover_take(struct macs_handover *ring, struct macs_packet *packets[], unsigned most);

/* The producer has ended. */
void macs_handover_close(struct macs_handover *ring);

/* Whether nothing is in it now. */
bool macs_handover_empty(const struct macs_handover *ring);

/* Whether nothing is in it, and nothing will come. */
bool macs_handover_ended(const struct macs_handover *ring);

#endif
