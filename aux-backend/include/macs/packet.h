/* The self-described buffer: what the switch knows of a packet, kept in the packet's own user area.
 *
 * `struct macs_packet` stands at the start of odp_packet_user_area(), the program's own state (headers, metadata)
 * follows it. The area is bound to its packet once, when the pool is made: receiving allocates nothing.
 * Threads: a packet belongs to one worker at a time. Source: the self-described packet buffers paper; ODP API odp_packet.
 */
#ifndef MACS_PACKET_H
#define MACS_PACKET_H

#include <odp_api.h>
#include <stdint.h>

/* Where a packet goes when a pipe has run. */
enum macs_verdict {
    MACS_FORWARD = 0, /* to egress_port */
    MACS_DROP,        /* by the program; macs_packet.cause says more */
    MACS_REPLICATE,   /* a copy for each member of multicast_group */
};

/* Why a packet was not sent: every received frame is sent or counted under one of these. */
enum macs_cause {
    MACS_CAUSE_PROGRAM = 0, /* the P4 program dropped it */
    MACS_CAUSE_NO_PORT,     /* its egress port does not exist or is down */
    MACS_CAUSE_TX_FULL,     /* the interface did not take it */
    MACS_CAUSE_TOO_LONG,    /* longer than the interface or the pool takes, after the deparser */
    MACS_CAUSE_NO_BUFFER,   /* no memory for a copy or for its headers */
    MACS_CAUSE_RX_ERROR,    /* received broken (ODP's error flags, more headers than fit in one segment) */
    MACS_CAUSE_NO_GROUP,    /* its multicast group has no members */
    MACS_CAUSES
};

struct macs_packet {
    odp_packet_t handle;
    uint8_t *data;            /* first byte of the frame; `contiguous` bytes may be read from here on */
    uint32_t length;          /* bytes of the frame, as received until the deparser ran, then as sent */
    uint32_t contiguous;
    uint32_t payload_offset;  /* where the parser stopped, bytes from `data` */
    uint16_t ingress_port;
    uint16_t egress_port;
    uint16_t multicast_group;
    uint16_t replica;         /* egress_rid of a multicast copy */
    uint8_t verdict;          /* enum macs_verdict */
    uint8_t cause;            /* enum macs_cause, with MACS_DROP */
    uint8_t instance_type;    /* v1model: 0 normal, 1 ingress clone, 2 egress clone, 4 recirculated, 5 replicated, 6 resubmitted */
    uint8_t parser_error;     /* ordinal in the program's `error` enum */
    uint64_t ingress_ns;      /* time of arrival since the switch started */
};

/* The record of a packet; its program's state follows it. A copy of a packet gets a copy of that state, byte by byte:
 * the state holds offsets into the frame, never addresses. */
static inline struct macs_packet *macs_packet_of(odp_packet_t handle) {
    return (struct macs_packet *)odp_packet_user_area(handle);
}

#endif
