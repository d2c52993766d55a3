/* Run to completion, for generated code: a packet goes through one pipeline, once, unless it is replicated or
 * recirculated.
 *
 * Generated code takes a received burst and gives every packet a verdict. The runtime then sends and drops the burst as
 * a whole. Packets that are replicated or recirculated go on through the program's egress.
 * Values that a packet carries from stage to stage are on the worker's stack, so that every burst uses the same cache
 * lines. Large states, and those of packets that go on, are in the packets' own buffers. The record is kept with these
 * values if the program writes to it. Else each stage fills in the members that it reads.
 * If the first lookups are of hashed keys, the program is software pipelined. prologue() parses a burst and hashes its
 * keys. epilogue() does the rest, and prefetches for the next burst, whose prologue has run by then. So no burst begins
 * or ends with a wait for memory. The two bursts of a worker are in memory of their own.
 * Threads: a worker's own.
 */
#ifndef MACS_RUN_TO_COMPLETION_H
#define MACS_RUN_TO_COMPLETION_H

#include <macs/prefetch.h>
#include <macs/program.h>
#include <macs/worker.h>
#include <string.h>

/* What becomes of a packet: 0: its port does not exist; up to 64: that slot's port, plus one; else one of these. */
typedef uint8_t macs_verdict;
#define MACS_VERDICT_DROP 128u     /* with a cause added (macs/cause.h) */
#define MACS_VERDICT_CONTINUE 255u /* on to egress, its record in its buffer */

/* Bytes of a packet's state that are worth a place in its burst's: that must stay in a core's second cache. */
#define MACS_STATE_IN_BURST 1024u

/* What the packets of a burst have in common. A copy of it stays in registers; what the worker has would be read anew
 * after every store to a frame. */
struct macs_common {
    uint64_t ingress_ns;         /* time of arrival since the switch started */
    uint32_t ingress_port;       /* by its number */
    const macs_verdict *slot_of; /* port number → verdict */
};

static inline struct macs_common macs_common_of(const struct macs_worker *worker) {
    return (struct macs_common){.ingress_ns = worker->now_ns, .ingress_port = worker->port, .slot_of = worker->slot_of};
}

/* What of a packet's record is to be filled, besides its length: bits. */
enum macs_bind_bits {
    MACS_BIND_HANDLE = 1,
    MACS_BIND_DATA = 2,
    MACS_BIND_CONTIGUOUS = 4,
    MACS_BIND_PAYLOAD_OFFSET = 8,
    MACS_BIND_INGRESS_PORT = 16,
    MACS_BIND_MULTICAST_GROUP = 32,
    MACS_BIND_REPLICA = 64,
    MACS_BIND_INSTANCE_TYPE = 128,
    MACS_BIND_INGRESS_NS = 256,
    MACS_BIND_EGRESS_PORT = 512,
    MACS_BIND_VERDICT = 1024,
    MACS_BIND_ALL = 2047
};

/* The record of a packet as it was received. `bits`: of enum macs_bind_bits, a constant. */
static inline void macs_bind(const struct macs_common *common, struct macs_packet *packet, odp_packet_t handle,
                             unsigned bits) {
    packet->length = odp_packet_len(handle);
    if (bits & MACS_BIND_HANDLE)
        packet->handle = handle;
    if (bits & MACS_BIND_DATA)
        packet->data = odp_packet_data(handle);
    if (bits & MACS_BIND_CONTIGUOUS)
        packet->contiguous = odp_packet_seg_len(handle);
    if (bits & MACS_BIND_PAYLOAD_OFFSET)
        packet->payload_offset = 0;
    if (bits & MACS_BIND_INGRESS_PORT)
        packet->ingress_port = common->ingress_port;
    if (bits & MACS_BIND_MULTICAST_GROUP)
        packet->multicast_group = 0;
    if (bits & MACS_BIND_REPLICA)
        packet->replica = 0;
    if (bits & MACS_BIND_INSTANCE_TYPE)
        packet->instance_type = 0;
    if (bits & MACS_BIND_INGRESS_NS)
        packet->ingress_ns = common->ingress_ns;
    if (bits & MACS_BIND_EGRESS_PORT)
        packet->egress_port = 0;
    if (bits & MACS_BIND_VERDICT) {
        packet->verdict = MACS_FORWARD;
        packet->cause = MACS_CAUSE_PROGRAM;
    }
}

/* Whether a frame is sound, and in one piece as far as the parser looks. */
static inline bool macs_can_parse(odp_packet_t handle, uint32_t parse_bytes) {
    const uint32_t length = odp_packet_len(handle), contiguous = odp_packet_seg_len(handle);
    return odp_likely(contiguous >= (length < parse_bytes ? length : parse_bytes) && !odp_packet_has_error(handle));
}

/* The state of a burst's packet: it stands among those of the burst, or in the packet's buffer. */
#define macs_state(states, handles, index)                                                                             \
    (sizeof(*(states)) <= MACS_STATE_IN_BURST ? &(states)[index] : (void *)macs_packet_of((handles)[index]))

/* The same of what a packet keeps, of programs that do not keep its record. */
#define macs_live(states, handles, index)                                                                              \
    (sizeof(*(states)) <= MACS_STATE_IN_BURST ? &(states)[index] : macs_live_of(macs_packet_of((handles)[index])))

/* The verdict of a packet that cannot be bound. */
#define MACS_VERDICT_REFUSED (MACS_VERDICT_DROP + MACS_CAUSE_RX_ERROR)

/* The frames of some packets together. */
struct macs_extent {
    uint64_t bytes;
    uint32_t longest;
};

static inline void macs_extent_add(struct macs_extent *extent, uint32_t length) {
    extent->bytes += length;
    extent->longest = length > extent->longest ? length : extent->longest;
}

/* The verdict of a packet that goes out of a port, by its number. */
static inline macs_verdict macs_verdict_of_port(const struct macs_common *common, uint32_t port) {
    return odp_likely(port <= UINT16_MAX) ? common->slot_of[port] : 0;
}

/* Whether any packet of the burst goes on to egress. */
static inline bool macs_any_continues(const macs_verdict verdicts[], unsigned count) {
    return memchr(verdicts, MACS_VERDICT_CONTINUE, count) != NULL;
}

/* Send, drop or take on the packets of a burst, one at least, in its order. `extent`: of all of them, after the
 * program. Owns the packets from here on. */
void macs_transmit_burst(struct macs_worker *worker, const odp_packet_t handles[], const macs_verdict verdicts[],
                         unsigned count, struct macs_extent extent);

#endif
