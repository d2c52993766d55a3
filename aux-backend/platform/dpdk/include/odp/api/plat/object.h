/* Layout of events and packets over DPDK, and the functions that depend on it. Private; installed only so that fast
 * calls can be inline. Takes the place of the file of this name in platform/linux.
 *
 * A packet is an mbuf of one segment, and its handle is the mbuf's address. What has no field in an mbuf is in the
 * mbuf's private area, and the user area is behind it:
 *
 *     struct rte_mbuf | rest of struct macs_odp_packet | user area | layers | headroom | data | tailroom
 *     two cache lines   one line                         whole lines  a line   128 bytes
 *
 * Drivers fill an mbuf when they receive, and do not write the private area. So nothing in it may need to be set for a
 * received packet. Flags are bits of ol_flags, which every driver clears; one says whether there is a user pointer.
 * struct macs_odp_mbuf has the fields of struct rte_mbuf, so that generated code compiles without DPDK's headers;
 * pool_store.c compares the two at compile time.
 * Threads: a packet belongs to one thread at a time.
 */
#ifndef MACS_ODP_PLAT_OBJECT_H_
#define MACS_ODP_PLAT_OBJECT_H_

#include <odp/api/align.h>
#include <odp/api/std_types.h>

struct macs_odp_pool;
struct macs_odp_pktio;

struct macs_odp_mbuf {
    uint8_t *head; /* start of the headroom */
    uint64_t iova;
    uint16_t offset; /* of the data, from head */
    uint16_t references;
    uint16_t segments;
    uint16_t port;  /* that received it: MACS_ODP_PORT_… */
    uint64_t flags; /* ours are MACS_ODP_FLAGS */
    uint32_t type;
    uint32_t len;
    uint16_t seg_len; /* the same as len: there is one segment */
    uint8_t not_ours[12];
    uint16_t room; /* bytes from head on */
    void *mempool;
    uint8_t second_line[64];
};

/* Head of every event. */
struct macs_odp_event {
    struct macs_odp_mbuf mbuf;
    struct macs_odp_pool *pool;
    uint32_t index; /* in the pool */
    uint8_t type;   /* odp_event_type_t */
};

#define MACS_ODP_USER_FLAG 1u
#define MACS_ODP_HAS_TS 2u
#define MACS_ODP_ERROR 4u
#define MACS_ODP_CRYPTO 8u /* from a crypto operation, which succeeded unless one of the next two is set */
#define MACS_ODP_CRYPTO_SIZE 16u
#define MACS_ODP_CRYPTO_OTHER 32u
#define MACS_ODP_LAYERS 64u /* the line behind the user area holds what is known of the protocols (packet_layers.h) */
#define MACS_ODP_HAS_USER_PTR 128u

/* They are bits of ol_flags from here on, which platform.c has reserved. */
#define MACS_ODP_FLAGS_SHIFT 33u
#define MACS_ODP_FLAGS_COUNT 8u
#define MACS_ODP_FLAGS ((UINT64_C(1) << MACS_ODP_FLAGS_COUNT) - 1)

/* What stands in an mbuf's port: that of DPDK, or a pktio's index plus this, or nothing. */
#define MACS_ODP_PORT_OWN 0x8000u
#define MACS_ODP_PORT_NONE 0xffffu

struct macs_odp_packet {
    struct macs_odp_event event;
    uint32_t uarea_size;
    uint32_t parts;       /* of a frame that is being sent: chunks that the kernel has not given back */
    const void *user_ptr; /* with MACS_ODP_HAS_USER_PTR */
    uint64_t ts_ns;
} ODP_ALIGNED_CACHE;

struct macs_odp_buffer {
    struct macs_odp_event event;
    uint32_t uarea_size;
    uint32_t size;
    uint8_t *addr;
} ODP_ALIGNED_CACHE;

/* Where the data are. */
static inline uint8_t *macs_odp_data(const struct macs_odp_packet *pkt) {
    return pkt->event.mbuf.head + pkt->event.mbuf.offset;
}

static inline uint32_t macs_odp_len(const struct macs_odp_packet *pkt) {
    return pkt->event.mbuf.len;
}

static inline uint8_t *macs_odp_head(const struct macs_odp_packet *pkt) {
    return pkt->event.mbuf.head;
}

static inline uint32_t macs_odp_room(const struct macs_odp_packet *pkt) {
    return pkt->event.mbuf.room;
}

static inline void macs_odp_place(struct macs_odp_packet *pkt, uint8_t *data, uint32_t len) {
    pkt->event.mbuf.offset = (uint16_t)(data - pkt->event.mbuf.head);
    pkt->event.mbuf.len = len;
    pkt->event.mbuf.seg_len = (uint16_t)len;
}

/* MACS_ODP_… */
static inline uint32_t macs_odp_flags(const struct macs_odp_event *event) {
    return (uint32_t)(event->mbuf.flags >> MACS_ODP_FLAGS_SHIFT & MACS_ODP_FLAGS);
}

static inline void macs_odp_flags_change(struct macs_odp_event *event, uint32_t clear, uint32_t set) {
    event->mbuf.flags &= ~((uint64_t)(clear & MACS_ODP_FLAGS) << MACS_ODP_FLAGS_SHIFT);
    event->mbuf.flags |= (uint64_t)set << MACS_ODP_FLAGS_SHIFT;
}

/* The index of the pktio that has a port of DPDK's, or -1. */
int macs_odp_input_of_port(uint16_t port);

/* Index of the pktio that received a packet, or -1. */
static inline int macs_odp_input(const struct macs_odp_packet *pkt) {
    uint16_t port = pkt->event.mbuf.port;
    if (port == MACS_ODP_PORT_NONE)
        return -1;
    return port & MACS_ODP_PORT_OWN ? (int)(port & ~MACS_ODP_PORT_OWN) : macs_odp_input_of_port(port);
}

static inline void macs_odp_input_change(struct macs_odp_packet *pkt, int input) {
    pkt->event.mbuf.port = (uint16_t)(input < 0 ? MACS_ODP_PORT_NONE : MACS_ODP_PORT_OWN | (unsigned)input);
}

static inline const void *macs_odp_user_ptr(const struct macs_odp_packet *pkt) {
    return macs_odp_flags(&pkt->event) & MACS_ODP_HAS_USER_PTR ? pkt->user_ptr : NULL;
}

static inline void macs_odp_user_ptr_change(struct macs_odp_packet *pkt, const void *user_ptr) {
    pkt->user_ptr = user_ptr;
    macs_odp_flags_change(&pkt->event, 0, MACS_ODP_HAS_USER_PTR);
}

/* No packet is a super-frame. */
static inline uint32_t macs_odp_segment(const struct macs_odp_packet *pkt) {
    (void)pkt;
    return 0;
}

static inline void macs_odp_segment_change(struct macs_odp_packet *pkt, uint32_t segment) {
    (void)pkt, (void)segment;
}

/* The default state of a new packet: everything but the data, pool and index. */
static inline void macs_odp_packet_start(struct macs_odp_packet *pkt, uint32_t headroom, uint32_t len, int input) {
    macs_odp_place(pkt, pkt->event.mbuf.head + headroom, len);
    pkt->event.mbuf.flags = 0;
    macs_odp_input_change(pkt, input);
}

/* An event is given back. False: it has been already; not known here, as drivers take and give as well. */
static inline bool macs_odp_event_end(struct macs_odp_event *event) {
    (void)event;
    return true;
}

_Static_assert(sizeof(struct macs_odp_packet) == 3 * ODP_CACHE_LINE_SIZE, "an mbuf and one cache line of its own");
_Static_assert(sizeof(struct macs_odp_buffer) == sizeof(struct macs_odp_packet), "user areas stand at one distance");

#endif
