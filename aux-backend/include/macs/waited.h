/* What a packet's buffer has of its time in the queue of its egress port, in programs with queues. */
#ifndef MACS_WAITED_H
#define MACS_WAITED_H

#include <macs/packet.h>

struct macs_waited {
    struct macs_packet *next; /* behind it in the worker's queue, or among those that a port has not taken yet */
    uint64_t enqueued_ns;     /* since the switch started */
    uint64_t due_ns;          /* when the rate lets it go on */
    uint64_t waited_ns;       /* how long it was in the queue */
    uint32_t depth_before;    /* packets that were in the queue when it came */
    uint32_t depth_behind;    /* and when it had gone */
    uint8_t priority;         /* as the program sets it; the larger goes first */
    uint8_t queue;            /* of the port, in which it was */
};

#endif
