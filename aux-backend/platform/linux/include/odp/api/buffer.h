/* Buffers: memory from a pool, without headers or metadata. */
#ifndef ODP_API_BUFFER_H_
#define ODP_API_BUFFER_H_

#include <odp/api/event.h>

typedef struct macs_odp_buffer *odp_buffer_t;

#define ODP_BUFFER_INVALID ((odp_buffer_t)0)

static inline odp_buffer_t odp_buffer_from_event(odp_event_t event) {
    return (odp_buffer_t)(void *)event;
}

static inline odp_event_t odp_buffer_to_event(odp_buffer_t buf) {
    return &buf->event;
}

static inline void *odp_buffer_addr(odp_buffer_t buf) {
    return buf->addr;
}

static inline uint32_t odp_buffer_size(odp_buffer_t buf) {
    return buf->size;
}

static inline void *odp_buffer_user_area(odp_buffer_t buf) {
    return buf->uarea_size ? (void *)(buf + 1) : NULL;
}

static inline odp_pool_t odp_buffer_pool(odp_buffer_t buf) {
    return buf->event.pool;
}

/* ODP_BUFFER_INVALID, or fewer than asked, when the pool is empty; -1: not a buffer pool. */
odp_buffer_t odp_buffer_alloc(odp_pool_t pool);
int odp_buffer_alloc_multi(odp_pool_t pool, odp_buffer_t buf[], int num);
void odp_buffer_free(odp_buffer_t buf);
void odp_buffer_free_multi(const odp_buffer_t buf[], int num);
void odp_buffer_from_event_multi(odp_buffer_t buf[], const odp_event_t event[], int num);
void odp_buffer_to_event_multi(const odp_buffer_t buf[], odp_event_t event[], int num);

int odp_buffer_is_valid(odp_buffer_t buf);
void odp_buffer_print(odp_buffer_t buf);
uint64_t odp_buffer_to_u64(odp_buffer_t buf);

#endif
