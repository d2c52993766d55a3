/* The inside of pools (see odp/api/pool.h and odp/api/plat/object.h), and allocation without checks for drivers.
 *
 * pool.c is the same on every platform. A platform has its own pool_store.c (where the objects are) and pool_cache.c
 * (allocation and release).
 */
#ifndef MACS_ODP_POOL_H
#define MACS_ODP_POOL_H

#include "core/internal.h"

#define MACS_ODP_POOLS 64u
#define MACS_ODP_CACHE_MAX 512u

struct macs_odp_pool {
    char name[ODP_POOL_NAME_LEN];
    odp_pool_param_t param;
    uint32_t num;
    uint32_t max_len; /* packets: what an allocation may ask for */
    uint32_t room;    /* bytes from head on (packets) or of data (buffers) */
    uint32_t headroom;
    uint32_t cache_size;
    uint32_t before; /* packets: bytes from the handle to the head */
    uint32_t stride; /* bytes from one object to the next */
    uint32_t users;  /* open pktios */
    bool lossy;      /* a device may have kept packets: the pool need not be complete to be destroyed */
    uint16_t index;
    uint8_t *memory; /* the objects are in `extent` bytes from here on */
    uint64_t extent;
    uint64_t page; /* bytes of a page there */
};

/* What a platform's packets can have. */
struct macs_odp_pool_limits {
    uint32_t min_headroom;
    uint32_t max_headroom;
    uint32_t max_len;
    uint32_t max_uarea;
};

extern const struct macs_odp_pool_limits macs_odp_pool_limits;

/* Bytes of data that every packet of a pool has room for, as its parameters ask; 0: they leave it open. */
static inline uint32_t macs_odp_pool_len(const odp_pool_param_t *param) {
    uint32_t len = param->pkt.len > param->pkt.seg_len ? param->pkt.len : param->pkt.seg_len;
    return len > param->pkt.max_len ? len : param->pkt.max_len;
}

/* Makes a pool with its objects, the parameters having been checked; NULL: no memory. */
struct macs_odp_pool *macs_odp_store_new(uint16_t index, const char *name, const odp_pool_param_t *param);
void macs_odp_store_free(struct macs_odp_pool *pool);

/* Objects that are free to all threads; that are in a thread's cache. */
uint32_t macs_odp_store_available(const struct macs_odp_pool *pool);
uint32_t macs_odp_store_cached(const struct macs_odp_pool *pool, uint32_t thread);

/* Is it the address of an object, one in use as far as the platform can tell? Any address may come: nothing is read
 * before it is known to be an object's. */
bool macs_odp_store_has(const struct macs_odp_pool *pool, odp_event_t event);

/* Takes up to `num` objects, buffers live but otherwise as they were; returns how many. */
uint32_t macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num);

/* Gives back objects of one pool. Aborts if one is not live. */
void macs_odp_pool_give(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num);

/* The two halves of that, for who looks at each of them anyway: macs_odp_event_end() for each, then this. */
void macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num);
_Noreturn void macs_odp_pool_twice(const struct macs_odp_event *event);

/* Give all of the calling thread's cache back to the store. */
void macs_odp_pool_cache_empty(struct macs_odp_pool *pool);

/* Takes packets for a driver to fill. They are nothing yet: it calls macs_odp_packet_start() for each, or gives it back
 * by macs_odp_packet_untake(). */
static inline uint32_t macs_odp_packet_take(struct macs_odp_pool *pool, odp_packet_t pkt[], uint32_t num) {
    return macs_odp_pool_take(pool, (struct macs_odp_event **)(void *)pkt, num);
}

static inline void macs_odp_packet_give(struct macs_odp_pool *pool, odp_packet_t const pkt[], uint32_t num) {
    macs_odp_pool_give(pool, (struct macs_odp_event *const *)(const void *)pkt, num);
}

/* Gives back packets that were taken, started or not. */
static inline void macs_odp_packet_untake(struct macs_odp_pool *pool, odp_packet_t const pkt[], uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        macs_odp_packet_start(pkt[i], pool->headroom, 0, -1);
    macs_odp_packet_give(pool, pkt, num);
}

/* A copy has the layers of its original. */
void macs_odp_layers_copy(odp_packet_t to, odp_packet_t from);

/* Gives back the packets whose index in the pool is marked: those that a driver has lent to the kernel. */
void macs_odp_packet_give_marked(struct macs_odp_pool *pool, const uint8_t marks[]);

#endif
