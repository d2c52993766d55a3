/* Inside of a pool (see odp/api/pool.h and odp/api/plat/object.h), and allocation without checks for drivers. */
#ifndef MACS_ODP_POOL_H
#define MACS_ODP_POOL_H

#include "internal.h"

#define MACS_ODP_POOLS 64u
#define MACS_ODP_CACHE_MAX 512u

struct macs_odp_cache {
    uint32_t count; /* owner writes, odp_pool_stats() reads */
    struct macs_odp_event
        *slot[MACS_ODP_CACHE_MAX]; /* the last freed is the first given: it is still in the CPU's cache */
} ODP_ALIGNED_CACHE;

struct macs_odp_pool {
    char name[ODP_POOL_NAME_LEN];
    odp_pool_param_t param;
    uint32_t num;
    uint32_t max_len; /* packets: what an allocation may ask for */
    uint32_t room;    /* bytes from head on (packets) or of data (buffers) */
    uint32_t headroom;
    uint32_t cache_size;
    uint32_t stride; /* bytes from one object to the next */
    uint32_t users;  /* open pktios */
    uint16_t index;
    uint8_t *memory;
    uint64_t mapped;
    uint64_t page;

    odp_spinlock_t lock ODP_ALIGNED_CACHE; /* guards the store */
    uint32_t stored;
    struct macs_odp_event **store;

    struct macs_odp_cache *cache; /* [ODP_THREAD_COUNT_MAX], memory of its own: unused ones never become real */
    uint64_t cache_mapped;
};

/* Takes up to `num` objects, live but otherwise as they were; returns how many. */
uint32_t macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num);

/* Gives back objects of one pool. Aborts if one is not live. */
void macs_odp_pool_give(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num);

/* Give all of the calling thread's cache back to the store. */
void macs_odp_pool_cache_empty(struct macs_odp_pool *pool);

/* In a build with the address sanitizer what is free must not be touched: the data, not the description and the user
 * area, which live on. Else nothing. */
void macs_odp_pool_poison(struct macs_odp_pool *pool, struct macs_odp_event *event, bool poison);
void macs_odp_pool_unpoison_all(struct macs_odp_pool *pool);

/* The default state of a new packet: everything but the data, pool and index. */
static inline void macs_odp_packet_start(struct macs_odp_packet *pkt, uint32_t headroom, uint32_t len, int input) {
    pkt->data = pkt->head + headroom;
    pkt->len = len;
    pkt->user_ptr = NULL;
    pkt->event.flags = 0;
    pkt->event.input = (int8_t)input;
}

/* Takes packets for a driver to fill. They have no length yet: it calls macs_odp_packet_start() for each. */
static inline uint32_t macs_odp_packet_take(struct macs_odp_pool *pool, odp_packet_t pkt[], uint32_t num) {
    return macs_odp_pool_take(pool, (struct macs_odp_event **)(void *)pkt, num);
}

static inline void macs_odp_packet_give(struct macs_odp_pool *pool, odp_packet_t const pkt[], uint32_t num) {
    macs_odp_pool_give(pool, (struct macs_odp_event *const *)(const void *)pkt, num);
}

#endif
