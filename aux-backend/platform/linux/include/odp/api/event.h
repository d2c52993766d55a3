/* Events: what packets and buffers have in common, and what queues transport. */
#ifndef ODP_API_EVENT_H_
#define ODP_API_EVENT_H_

#include <odp/api/plat/object.h>

typedef struct macs_odp_event *odp_event_t;
typedef struct macs_odp_packet *odp_packet_t;
typedef struct macs_odp_pool *odp_pool_t;

#define ODP_EVENT_INVALID ((odp_event_t)0)
#define ODP_POOL_INVALID ((odp_pool_t)0)

typedef enum odp_event_type_t {
    ODP_EVENT_ANY = 0,
    ODP_EVENT_BUFFER = 1,
    ODP_EVENT_PACKET = 2,
    ODP_EVENT_TIMEOUT = 3
} odp_event_type_t;

typedef enum odp_event_subtype_t {
    ODP_EVENT_NO_SUBTYPE = 0,
    ODP_EVENT_PACKET_BASIC = 1,
    ODP_EVENT_PACKET_CRYPTO = 2
} odp_event_subtype_t;

static inline odp_event_type_t odp_event_type(odp_event_t event) {
    return (odp_event_type_t)event->type;
}

static inline odp_event_subtype_t odp_event_subtype(odp_event_t event) {
    if (event->type != ODP_EVENT_PACKET)
        return ODP_EVENT_NO_SUBTYPE;
    return macs_odp_flags(event) & MACS_ODP_CRYPTO ? ODP_EVENT_PACKET_CRYPTO : ODP_EVENT_PACKET_BASIC;
}

static inline odp_event_type_t odp_event_types(odp_event_t event, odp_event_subtype_t *subtype) {
    *subtype = odp_event_subtype(event);
    return odp_event_type(event);
}

static inline odp_pool_t odp_event_pool(odp_event_t event) {
    return event->pool;
}

/* How many events at the start of the array have the type of the first. */
int odp_event_type_multi(const odp_event_t event[], int num, odp_event_type_t *type);

/* `subtype` may be NULL. */
void odp_event_types_multi(const odp_event_t event[], odp_event_type_t type[], odp_event_subtype_t subtype[], int num);

/* The packets among the events, the others in `remain`, both in their order: how many packets. */
int odp_event_filter_packet(const odp_event_t event[], odp_packet_t packet[], odp_event_t remain[], int num);

/* NULL when the pool has no user areas. Buffers have no flag: it is -1 then, and setting it does nothing. */
void *odp_event_user_area(odp_event_t event);
void *odp_event_user_area_and_flag(odp_event_t event, int *flag);
void odp_event_user_flag_set(odp_event_t event, int val);

void odp_event_free(odp_event_t event);
void odp_event_free_multi(const odp_event_t event[], int num);
void odp_event_free_sp(const odp_event_t event[], int num);

/* 1 when the handle is that of an allocated event of one of the pools, else 0; any value may be asked about. */
int odp_event_is_valid(odp_event_t event);
uint64_t odp_event_to_u64(odp_event_t event);

#endif
