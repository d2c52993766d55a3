/* Packets. A packet is always one segment: seg_len == len, and it cannot grow beyond its buffer. */
#ifndef ODP_API_PACKET_H_
#define ODP_API_PACKET_H_

#include <odp/api/cpu.h>
#include <odp/api/event.h>
#include <odp/api/hints.h>
#include <odp/api/packet_layers.h>
#include <odp/api/pool.h>
#include <odp/api/time.h>

typedef struct macs_odp_packet_seg *odp_packet_seg_t;
typedef struct macs_odp_pktio *odp_pktio_t;

#define ODP_PACKET_INVALID ((odp_packet_t)0)
#define ODP_PACKET_SEG_INVALID ((odp_packet_seg_t)0)
#define ODP_PKTIO_INVALID ((odp_pktio_t)0)

typedef struct odp_packet_data_range {
    uint32_t offset;
    uint32_t length;
} odp_packet_data_range_t;

/* Events. */
static inline odp_packet_t odp_packet_from_event(odp_event_t event) {
    return (odp_packet_t)(void *)event;
}

static inline odp_event_t odp_packet_to_event(odp_packet_t pkt) {
    return &pkt->event;
}

void odp_packet_from_event_multi(odp_packet_t pkt[], const odp_event_t event[], int num);
void odp_packet_to_event_multi(const odp_packet_t pkt[], odp_event_t event[], int num);

static inline odp_event_subtype_t odp_packet_subtype(odp_packet_t pkt) {
    return odp_event_subtype(&pkt->event);
}

/* Allocation. alloc_multi returns how many (fewer when the pool is empty), -1: not a packet pool, bad length. */
odp_packet_t odp_packet_alloc(odp_pool_t pool, uint32_t len);
int odp_packet_alloc_multi(odp_pool_t pool, uint32_t len, odp_packet_t pkt[], int num);
void odp_packet_free(odp_packet_t pkt);
void odp_packet_free_multi(const odp_packet_t pkt[], int num);
void odp_packet_free_sp(const odp_packet_t pkt[], int num);

/* As newly allocated with `len` bytes, the user area kept; -1: longer than odp_packet_reset_max_len(). */
int odp_packet_reset(odp_packet_t pkt, uint32_t len);
uint32_t odp_packet_reset_max_len(odp_packet_t pkt);
void odp_packet_reset_meta(odp_packet_t pkt);

/* Where the data are. */
static inline void *odp_packet_head(odp_packet_t pkt) {
    return macs_odp_head(pkt);
}

static inline uint32_t odp_packet_buf_len(odp_packet_t pkt) {
    return macs_odp_room(pkt);
}

static inline void *odp_packet_data(odp_packet_t pkt) {
    return macs_odp_data(pkt);
}

static inline uint32_t odp_packet_len(odp_packet_t pkt) {
    return macs_odp_len(pkt);
}

static inline uint32_t odp_packet_seg_len(odp_packet_t pkt) {
    return macs_odp_len(pkt);
}

static inline void *odp_packet_data_seg_len(odp_packet_t pkt, uint32_t *seg_len) {
    *seg_len = macs_odp_len(pkt);
    return macs_odp_data(pkt);
}

static inline uint32_t odp_packet_headroom(odp_packet_t pkt) {
    return (uint32_t)(macs_odp_data(pkt) - macs_odp_head(pkt));
}

static inline uint32_t odp_packet_tailroom(odp_packet_t pkt) {
    return macs_odp_room(pkt) - odp_packet_headroom(pkt) - macs_odp_len(pkt);
}

static inline void *odp_packet_tail(odp_packet_t pkt) {
    return macs_odp_data(pkt) + macs_odp_len(pkt);
}

/* NULL when the offset is not inside the data. */
static inline void *odp_packet_offset(odp_packet_t pkt, uint32_t offset, uint32_t *len, odp_packet_seg_t *seg) {
    if (odp_unlikely(offset >= macs_odp_len(pkt)))
        return NULL;
    if (len != NULL)
        *len = macs_odp_len(pkt) - offset;
    if (seg != NULL)
        *seg = (odp_packet_seg_t)(void *)pkt;
    return macs_odp_data(pkt) + offset;
}

static inline void odp_packet_prefetch(odp_packet_t pkt, uint32_t offset, uint32_t len) {
    for (uint32_t at = offset; at < offset + len; at += ODP_CACHE_LINE_SIZE)
        odp_prefetch(macs_odp_data(pkt) + at);
}

/* Head and tail inside the room there is: the new head pointer, the old (push) or new (pull) tail pointer, or NULL. */
static inline void *odp_packet_push_head(odp_packet_t pkt, uint32_t len) {
    if (odp_unlikely(len > odp_packet_headroom(pkt)))
        return NULL;
    macs_odp_place(pkt, macs_odp_data(pkt) - len, macs_odp_len(pkt) + len);
    return macs_odp_data(pkt);
}

static inline void *odp_packet_pull_head(odp_packet_t pkt, uint32_t len) {
    if (odp_unlikely(len >= macs_odp_len(pkt)))
        return NULL;
    macs_odp_place(pkt, macs_odp_data(pkt) + len, macs_odp_len(pkt) - len);
    return macs_odp_data(pkt);
}

static inline void *odp_packet_push_tail(odp_packet_t pkt, uint32_t len) {
    if (odp_unlikely(len > odp_packet_tailroom(pkt)))
        return NULL;
    void *tail = odp_packet_tail(pkt);
    macs_odp_place(pkt, macs_odp_data(pkt), macs_odp_len(pkt) + len);
    return tail;
}

static inline void *odp_packet_pull_tail(odp_packet_t pkt, uint32_t len) {
    if (odp_unlikely(len >= macs_odp_len(pkt)))
        return NULL;
    macs_odp_place(pkt, macs_odp_data(pkt), macs_odp_len(pkt) - len);
    return odp_packet_tail(pkt);
}

/* The same, but the data may move to make room: 0 as they were, 1 pointers have changed, -1 no room, unchanged. */
int odp_packet_extend_head(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len);
int odp_packet_trunc_head(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len);
int odp_packet_extend_tail(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len);
int odp_packet_trunc_tail(odp_packet_t *pkt, uint32_t len, void **tail_ptr, uint32_t *tailroom);
int odp_packet_add_data(odp_packet_t *pkt, uint32_t offset, uint32_t len);
int odp_packet_rem_data(odp_packet_t *pkt, uint32_t offset, uint32_t len);

/* Data of `src` go behind those of `dst`, and `src` is freed: 0 or 1 as above; -1: no room, both as they were. */
int odp_packet_concat(odp_packet_t *dst, odp_packet_t src);

/* What follows the first `len` bytes becomes a packet of the same pool: 0; -1: nothing would be left, none is free. */
int odp_packet_split(odp_packet_t *pkt, uint32_t len, odp_packet_t *tail);

/* The byte at `offset` gets an address that is a multiple of `align` (a power of two, or 0): 0, 1 or -1 as above. */
int odp_packet_align(odp_packet_t *pkt, uint32_t offset, uint32_t len, uint32_t align);

/* Segments: there is one. */
static inline int odp_packet_is_segmented(odp_packet_t pkt) {
    (void)pkt;
    return 0;
}

static inline int odp_packet_num_segs(odp_packet_t pkt) {
    (void)pkt;
    return 1;
}

static inline odp_packet_seg_t odp_packet_first_seg(odp_packet_t pkt) {
    return (odp_packet_seg_t)(void *)pkt;
}

static inline odp_packet_seg_t odp_packet_last_seg(odp_packet_t pkt) {
    return (odp_packet_seg_t)(void *)pkt;
}

static inline odp_packet_seg_t odp_packet_next_seg(odp_packet_t pkt, odp_packet_seg_t seg) {
    (void)pkt, (void)seg;
    return ODP_PACKET_SEG_INVALID;
}

static inline void *odp_packet_seg_data(odp_packet_t pkt, odp_packet_seg_t seg) {
    (void)seg;
    return macs_odp_data(pkt);
}

static inline uint32_t odp_packet_seg_data_len(odp_packet_t pkt, odp_packet_seg_t seg) {
    (void)seg;
    return macs_odp_len(pkt);
}

/* Copies. A full copy has the user area's content too: the pool's user areas must be as large. */
odp_packet_t odp_packet_copy(odp_packet_t pkt, odp_pool_t pool);
odp_packet_t odp_packet_copy_part(odp_packet_t pkt, uint32_t offset, uint32_t len, odp_pool_t pool);

/* 0, or -1: a part lies outside the data; nothing was copied. */
int odp_packet_copy_to_mem(odp_packet_t pkt, uint32_t offset, uint32_t len, void *dst);
int odp_packet_copy_from_mem(odp_packet_t pkt, uint32_t offset, uint32_t len, const void *src);
int odp_packet_copy_from_pkt(odp_packet_t dst, uint32_t dst_offset, odp_packet_t src, uint32_t src_offset,
                             uint32_t len);
int odp_packet_copy_data(odp_packet_t pkt, uint32_t dst_offset, uint32_t src_offset, uint32_t len);
int odp_packet_move_data(odp_packet_t pkt, uint32_t dst_offset, uint32_t src_offset, uint32_t len);

/* What is known of it. */
static inline odp_pool_t odp_packet_pool(odp_packet_t pkt) {
    return pkt->event.pool;
}

static inline int odp_packet_input_index(odp_packet_t pkt) {
    return macs_odp_input(pkt);
}

odp_pktio_t odp_packet_input(odp_packet_t pkt);
void odp_packet_input_set(odp_packet_t pkt, odp_pktio_t pktio);

static inline void *odp_packet_user_ptr(odp_packet_t pkt) {
    return (void *)(uintptr_t)macs_odp_user_ptr(pkt);
}

static inline void odp_packet_user_ptr_set(odp_packet_t pkt, const void *user_ptr) {
    macs_odp_user_ptr_change(pkt, user_ptr);
}

static inline void *odp_packet_user_area(odp_packet_t pkt) {
    return pkt->uarea_size ? (void *)(pkt + 1) : NULL;
}

static inline uint32_t odp_packet_user_area_size(odp_packet_t pkt) {
    return pkt->uarea_size;
}

static inline int odp_packet_user_flag(odp_packet_t pkt) {
    return (macs_odp_flags(&pkt->event) & MACS_ODP_USER_FLAG) != 0;
}

static inline void odp_packet_user_flag_set(odp_packet_t pkt, int val) {
    macs_odp_flags_change(&pkt->event, MACS_ODP_USER_FLAG, val ? MACS_ODP_USER_FLAG : 0);
}

/* Time of arrival by odp_pktio_time(); odp_packet_has_ts() says if there is one. */
static inline odp_time_t odp_packet_ts(odp_packet_t pkt) {
    return (odp_time_t){.ns = pkt->ts_ns};
}

static inline void odp_packet_ts_set(odp_packet_t pkt, odp_time_t timestamp) {
    pkt->ts_ns = timestamp.ns;
    macs_odp_flags_change(&pkt->event, 0, MACS_ODP_HAS_TS);
}

int odp_packet_is_valid(odp_packet_t pkt);
void odp_packet_print(odp_packet_t pkt);
void odp_packet_print_data(odp_packet_t pkt, uint32_t offset, uint32_t len);
uint64_t odp_packet_to_u64(odp_packet_t pkt);
uint64_t odp_packet_seg_to_u64(odp_packet_seg_t seg);

#endif
