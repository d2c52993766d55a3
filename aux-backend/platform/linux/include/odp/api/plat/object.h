/* Layout of events and packets on plain Linux, and the functions that depend on it. Private; installed only so that
 * fast calls can be inline. All other headers and sources use these functions, so another platform may have another
 * layout (platform/dpdk/include has a file of this name).
 *
 * The self-described buffer: a packet's description is in the packet's own buffer, at fixed distances, and is bound to
 * it when the pool is made:
 *
 *     struct macs_odp_packet | user area | layers | headroom | data | tailroom | spare
 *     one cache line           whole lines  a line   whole lines                a line that drivers may overwrite
 *
 * A handle is the address of that struct.
 * Threads: a packet belongs to one thread at a time.
 */
#ifndef MACS_ODP_PLAT_OBJECT_H_
#define MACS_ODP_PLAT_OBJECT_H_

#include <odp/api/align.h>
#include <odp/api/std_types.h>

struct macs_odp_pool;
struct macs_odp_pktio;

/* Head of every event. */
struct macs_odp_event {
    struct macs_odp_pool *pool;
    uint32_t index; /* in the pool */
    union {
        struct {
            uint8_t type;  /* odp_event_type_t */
            uint8_t live;  /* allocated (a packet: started): finds what is freed twice; MACS_ODP_WHOLE */
            uint8_t flags; /* MACS_ODP_… */
            int8_t input;
        };
        uint32_t state; /* all of them, to be stored at once */
    };
};

#define MACS_ODP_PACKET 2 /* ODP_EVENT_PACKET */
#define MACS_ODP_WHOLE 2u /* of a live packet: a super-frame */

#define MACS_ODP_USER_FLAG 1u
#define MACS_ODP_HAS_TS 2u
#define MACS_ODP_ERROR 4u
#define MACS_ODP_CRYPTO 8u /* from a crypto operation, which succeeded unless one of the next two is set */
#define MACS_ODP_CRYPTO_SIZE 16u
#define MACS_ODP_CRYPTO_OTHER 32u
#define MACS_ODP_LAYERS 64u /* the line behind the user area holds what is known of the protocols (packet_layers.h) */
#define MACS_ODP_HAS_USER_PTR 128u

struct macs_odp_packet {
    struct macs_odp_event event;
    uint8_t *data;
    uint32_t len;
    uint32_t room;        /* bytes from `head` to the end of the tailroom */
    uint8_t *head;        /* start of the headroom */
    const void *user_ptr; /* with MACS_ODP_HAS_USER_PTR */
    uint64_t ts_ns;
    uint32_t uarea_size;
    uint16_t parts;   /* on their way out, as a driver counts them */
    uint16_t segment; /* of a super-frame */
} ODP_ALIGNED_CACHE;

struct macs_odp_buffer {
    struct macs_odp_event event;
    uint8_t *addr;
    uint32_t size;
    uint32_t uarea_size;
} ODP_ALIGNED_CACHE;

/* Where the data are. */
static inline uint8_t *macs_odp_data(const struct macs_odp_packet *pkt) {
    return pkt->data;
}

static inline uint32_t macs_odp_len(const struct macs_odp_packet *pkt) {
    return pkt->len;
}

static inline uint8_t *macs_odp_head(const struct macs_odp_packet *pkt) {
    return pkt->head;
}

static inline uint32_t macs_odp_room(const struct macs_odp_packet *pkt) {
    return pkt->room;
}

static inline void macs_odp_place(struct macs_odp_packet *pkt, uint8_t *data, uint32_t len) {
    pkt->data = data;
    pkt->len = len;
}

/* MACS_ODP_… */
static inline uint32_t macs_odp_flags(const struct macs_odp_event *event) {
    return event->flags;
}

static inline void macs_odp_flags_change(struct macs_odp_event *event, uint32_t clear, uint32_t set) {
    event->flags = (uint8_t)((event->flags & ~clear) | set);
}

/* Index of the pktio that received a packet, or -1. */
static inline int macs_odp_input(const struct macs_odp_packet *pkt) {
    return pkt->event.input;
}

static inline void macs_odp_input_change(struct macs_odp_packet *pkt, int input) {
    pkt->event.input = (int8_t)input;
}

static inline const void *macs_odp_user_ptr(const struct macs_odp_packet *pkt) {
    return pkt->event.flags & MACS_ODP_HAS_USER_PTR ? pkt->user_ptr : NULL;
}

static inline void macs_odp_user_ptr_change(struct macs_odp_packet *pkt, const void *user_ptr) {
    pkt->user_ptr = user_ptr;
    pkt->event.flags |= MACS_ODP_HAS_USER_PTR;
}

/* Payload bytes of each frame that a super-frame is to become; 0: it is none. */
static inline uint32_t macs_odp_segment(const struct macs_odp_packet *pkt) {
    return pkt->event.live & MACS_ODP_WHOLE ? pkt->segment : 0;
}

/* Of a packet that is live: it is a super-frame. */
static inline void macs_odp_segment_change(struct macs_odp_packet *pkt, uint32_t segment) {
    pkt->segment = (uint16_t)segment;
    pkt->event.live |= MACS_ODP_WHOLE;
}

/* The default state of a new packet: everything but the data, pool and index. */
static inline void macs_odp_packet_start(struct macs_odp_packet *pkt, uint32_t headroom, uint32_t len, int input) {
    const struct macs_odp_event started = {.type = MACS_ODP_PACKET, .live = 1, .input = (int8_t)input};
    pkt->data = pkt->head + headroom;
    pkt->len = len;
    pkt->event.state = started.state;
}

/* An event is given back. False: it has been already. */
static inline bool macs_odp_event_end(struct macs_odp_event *event) {
    bool live = event->live;
    event->live = 0;
    return live;
}

_Static_assert(sizeof(struct macs_odp_packet) == ODP_CACHE_LINE_SIZE, "a packet's description is one cache line");

#endif
