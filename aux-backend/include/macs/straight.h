/* The straight way: programs in which a packet goes through one pipe, once, unless it is replicated or recirculates.
 *
 * Generated code takes a burst as it was received and gives every packet a *fate*; the runtime then sends and drops the
 * burst as a whole, and takes what goes on through the program's egress. The packets' records are on the worker's
 * stack, so that every burst has them in the same cache lines and a program of one stage pays nothing for what nothing
 * reads; large states, and those of packets that go on, are in the packets' own buffers, as ever. Threads: a worker's
 * own.
 */
#ifndef MACS_STRAIGHT_H
#define MACS_STRAIGHT_H

#include <macs/program.h>
#include <macs/worker.h>

/* What becomes of a packet: 0: its port does not exist; up to 64: that slot's port, plus one; else one of these. */
typedef uint8_t macs_fate;
#define MACS_FATE_DROP 128u /* with an enum macs_cause added */
#define MACS_FATE_ON 255u   /* on to egress, its record in its buffer: a burst with one has all bits in `any` */

/* Bytes of a packet's state that are worth a place on the stack: a burst's must stay in a core's second cache. */
#define MACS_STATE_ON_STACK 1024u

/* Packets ahead whose headers are fetched while one is parsed. */
#define MACS_AHEAD 8u

/* Begin a received packet's record. False: the frame is broken, or not in one piece as far as the parser looks. */
static inline bool macs_bind(const struct macs_worker *worker, struct macs_packet *packet, odp_packet_t handle,
                             uint32_t parse_bytes) {
    uint32_t length = odp_packet_len(handle), contiguous = odp_packet_seg_len(handle);
    packet->handle = handle;
    packet->data = odp_packet_data(handle);
    packet->length = length;
    packet->contiguous = contiguous;
    packet->payload_offset = 0;
    packet->ingress_port = worker->port;
    packet->egress_port = 0;
    packet->multicast_group = 0;
    packet->replica = 0;
    packet->verdict = MACS_FORWARD;
    packet->cause = MACS_CAUSE_PROGRAM;
    packet->instance_type = 0;
    packet->parser_error = 0;
    packet->ingress_ns = worker->now_ns;
    return odp_likely(contiguous >= (length < parse_bytes ? length : parse_bytes) && !odp_packet_has_error(handle));
}

/* A packet that cannot be bound. */
static inline void macs_refuse(struct macs_packet *packet) {
    packet->verdict = MACS_DROP;
    packet->cause = MACS_CAUSE_RX_ERROR;
}

/* Fetch the headers of a packet that is to be parsed soon: number `index` of `count`. */
static inline void macs_fetch(const odp_packet_t handles[], unsigned index, unsigned count) {
    if (index + MACS_AHEAD < count)
        odp_prefetch(odp_packet_data(handles[index + MACS_AHEAD]));
}

/* What the packets of a burst are together: where all go to one port, it needs no look at each of them. */
struct macs_burst {
    macs_fate all, any;      /* bits that all of their fates have, or any */
    uint32_t longest;        /* bytes, after the program */
    uint64_t received, sent; /* bytes before and after the program, those of dropped packets included */
};

static inline struct macs_burst macs_burst_begin(void) {
    return (struct macs_burst){.all = UINT8_MAX};
}

/* Whether the packet goes on to egress. */
static inline bool macs_goes_on(const struct macs_packet *packet) {
    return odp_unlikely(packet->verdict == MACS_REPLICATE || packet->verdict == MACS_EGRESS);
}

/* The fate that a packet's verdict means, added to its burst. `slot_of`: the worker's. */
static inline macs_fate macs_fate_of(struct macs_burst *burst, const uint8_t *slot_of,
                                     const struct macs_packet *packet) {
    macs_fate fate = odp_likely(packet->egress_port <= UINT16_MAX) ? slot_of[packet->egress_port] : 0;
    if (odp_unlikely(packet->verdict != MACS_FORWARD))
        fate = macs_goes_on(packet) ? MACS_FATE_ON : (macs_fate)(MACS_FATE_DROP + packet->cause);
    burst->all &= fate;
    burst->any |= fate;
    burst->longest = packet->length > burst->longest ? packet->length : burst->longest;
    burst->sent += packet->length;
    return fate;
}

/* Send, drop or take on the packets of a burst, in its order. Owns them from here on. */
void macs_settle(struct macs_worker *worker, const odp_packet_t handles[], const macs_fate fates[], unsigned count,
                 struct macs_burst burst);

#endif
