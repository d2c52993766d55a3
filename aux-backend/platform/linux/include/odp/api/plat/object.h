/* Layout of events, packets and pools: private, visible only so that the fast calls can be inline.
 *
 * The self-described buffer: everything that is known of a packet stands in its own buffer, at fixed distances, bound
 * when the pool is made:
 *
 *     struct macs_odp_packet | user area | headroom | data | tailroom | spare
 *     one cache line           whole lines  whole lines               one line that drivers may overwrite when copying
 *
 * A handle is the address of that struct. Threads: a packet belongs to one thread at a time.
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
    uint8_t type;   /* odp_event_type_t */
    uint8_t live;   /* allocated: finds what is freed twice */
    uint8_t flags;  /* MACS_ODP_… */
    int8_t input;   /* index of the pktio that received it, -1: none */
};

#define MACS_ODP_USER_FLAG 1u
#define MACS_ODP_HAS_TS 2u
#define MACS_ODP_ERROR 4u
#define MACS_ODP_CRYPTO 8u /* from a crypto operation, which succeeded unless one of the next two is set */
#define MACS_ODP_CRYPTO_SIZE 16u
#define MACS_ODP_CRYPTO_OTHER 32u

struct macs_odp_packet {
    struct macs_odp_event event;
    uint8_t *data;
    uint32_t len;
    uint32_t room; /* bytes from `head` to the end of the tailroom */
    uint8_t *head; /* start of the headroom */
    const void *user_ptr;
    uint64_t ts_ns;
    uint32_t uarea_size;
    uint32_t unused;
} ODP_ALIGNED_CACHE;

struct macs_odp_buffer {
    struct macs_odp_event event;
    uint8_t *addr;
    uint32_t size;
    uint32_t uarea_size;
} ODP_ALIGNED_CACHE;

_Static_assert(sizeof(struct macs_odp_packet) == ODP_CACHE_LINE_SIZE, "a packet's description is one cache line");

#endif
