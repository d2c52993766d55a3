/* The record: what the switch knows of a packet, kept in the packet's own buffer.
 *
 * `struct macs_packet` is at the start of odp_packet_user_area(); the state of the program (headers, metadata) follows
 * it. The area belongs to its packet from the creation of the pool on, so receiving a packet allocates nothing.
 * Threads: a packet belongs to one worker at a time.
 */
#ifndef MACS_PACKET_H
#define MACS_PACKET_H

#include <macs/cause.h>
#include <odp_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a packet goes when a pipe has run. */
enum macs_pipe_verdict {
    MACS_FORWARD = 0, /* to egress_port */
    MACS_DROP,        /* by the program; macs_packet.cause says more */
    MACS_REPLICATE,   /* a copy for each member of multicast_group */
    MACS_EGRESS,      /* to egress_port, through egress(), where the program runs to completion */
    MACS_HAND_OVER,   /* to the next part, where the program is cut */
};

/* v1model's instance_type, as far as generated code asks for it. */
enum macs_instance { MACS_NORMAL = 0, MACS_INGRESS_CLONE = 1 };

/* What the program asks for beside its verdict; bits of macs_requests.flags. */
enum macs_request {
    MACS_CLONE_INGRESS = 1,
    MACS_CLONE_EGRESS = 2,
    MACS_RESUBMIT = 4,
    MACS_RECIRCULATE = 8,
    MACS_TRUNCATE = 16,
    MACS_CLONED = 32, /* ingress clones have been made already */
    MACS_ENCRYPT = 64,
    MACS_DECRYPT = 128,
};

/* Clone sessions are 0 … MACS_NO_SESSION - 1. */
#define MACS_NO_SESSION UINT16_MAX

/* The requests of one pass, with their arguments: clone sessions, and the lists of fields that the other packet keeps.
 * Behind them what this life of the packet has from the ones before. */
struct macs_requests {
    struct macs_packet *clones; /* made at ingress; of a clone, the next one */
    uint32_t truncate_bytes;
    uint16_t ingress_session, egress_session;
    uint8_t ingress_clone_fields, egress_clone_fields, resubmit_fields, recirculate_fields;
    uint8_t flags;     /* enum macs_request */
    uint8_t preserved; /* the list of fields that it kept */
    bool to_egress;    /* when it waits: it goes on at egress */
    uint8_t service;   /* the class of service that egress is told, of architectures that have one */
    uint16_t origin;   /* the place in its burst of the packet that was received, which this is or was made of */
};

struct macs_packet {
    odp_packet_t handle;
    uint8_t *data;   /* first byte of the frame; `contiguous` bytes may be read from here on */
    uint32_t length; /* bytes of the frame, as received until the deparser ran, then as sent */
    uint32_t contiguous;
    uint32_t payload_offset; /* where the parser stopped, bytes from `data` */
    uint32_t ingress_port;
    uint32_t egress_port;
    uint16_t multicast_group;
    uint16_t replica;              /* egress_rid of a multicast copy */
    uint8_t verdict;               /* enum macs_pipe_verdict */
    uint8_t cause;                 /* enum macs_cause, or a place of the program; with MACS_DROP */
    uint8_t instance_type;         /* how it came here, in the architecture's numbers; 0: received */
    uint8_t entry;                 /* with MACS_HAND_OVER: where the next part goes on */
    uint64_t ingress_ns;           /* time of arrival since the switch started */
    struct macs_requests requests; /* of programs that make requests, or cipher, only */
};

/* The record of a packet; its program's state follows it. A copy of a packet gets a copy of that state, byte by byte:
 * the state holds offsets into the frame, never addresses. */
static inline struct macs_packet *macs_packet_of(odp_packet_t handle) {
    return (struct macs_packet *)odp_packet_user_area(handle);
}

static inline uint16_t macs_session(uint64_t session) {
    return session < MACS_NO_SESSION ? (uint16_t)session : MACS_NO_SESSION;
}

/* A multicast group's number; 0 (no group) if it is out of range. */
static inline uint16_t macs_group(uint64_t group) {
    return group <= UINT16_MAX ? (uint16_t)group : 0;
}

/* The last request of a kind counts. */
static inline void macs_request_clone_ingress(struct macs_packet *packet, uint64_t session, uint8_t fields) {
    packet->requests.flags |= MACS_CLONE_INGRESS;
    packet->requests.ingress_session = macs_session(session);
    packet->requests.ingress_clone_fields = fields;
}

static inline void macs_request_clone_egress(struct macs_packet *packet, uint64_t session, uint8_t fields) {
    packet->requests.flags |= MACS_CLONE_EGRESS;
    packet->requests.egress_session = macs_session(session);
    packet->requests.egress_clone_fields = fields;
}

static inline void macs_request_resubmit(struct macs_packet *packet, uint8_t fields) {
    packet->requests.flags |= MACS_RESUBMIT;
    packet->requests.resubmit_fields = fields;
}

static inline void macs_request_recirculate(struct macs_packet *packet, uint8_t fields) {
    packet->requests.flags |= MACS_RECIRCULATE;
    packet->requests.recirculate_fields = fields;
}

/* Of several lengths the smallest applies. */
static inline void macs_request_truncate(struct macs_packet *packet, uint64_t bytes) {
    const uint64_t most = packet->requests.flags & MACS_TRUNCATE ? packet->requests.truncate_bytes : UINT32_MAX;
    packet->requests.flags |= MACS_TRUNCATE;
    packet->requests.truncate_bytes = bytes < most ? (uint32_t)bytes : (uint32_t)most;
}

#endif
