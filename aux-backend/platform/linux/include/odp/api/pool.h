/* Pools of packets or buffers, with a cache in every thread.
 *
 * Allocation and release use the calling thread's cache, without a lock. An empty or full cache exchanges half of its
 * size with the pool, under a spinlock. Objects in a thread's cache are not available to other threads: make the pool
 * larger by cache_size for each thread, or set cache_size to 0. Memory is on huge pages, if there are any.
 */
#ifndef ODP_API_POOL_H_
#define ODP_API_POOL_H_

#include <odp/api/event.h>

#define ODP_POOL_NAME_LEN 32
#define ODP_POOL_MAX_THREAD_STATS 128
#define ODP_POOL_MAX_SUBPARAMS 7

typedef enum odp_pool_type_t {
    ODP_POOL_PACKET = ODP_EVENT_PACKET,
    ODP_POOL_BUFFER = ODP_EVENT_BUFFER,
    ODP_POOL_TIMEOUT = ODP_EVENT_TIMEOUT
} odp_pool_type_t;

typedef union odp_pool_stats_opt_t {
    struct {
        uint64_t available : 1;
        uint64_t alloc_ops : 1;
        uint64_t alloc_fails : 1;
        uint64_t free_ops : 1;
        uint64_t total_ops : 1;
        uint64_t cache_available : 1;
        uint64_t cache_alloc_ops : 1;
        uint64_t cache_free_ops : 1;
        uint64_t thread_cache_available : 1;
    } bit;
    uint64_t all;
} odp_pool_stats_opt_t;

/* Of these, `available` (not counting the caches) and the two kinds of cache_available are supported. */
typedef struct odp_pool_stats_t {
    uint64_t available;
    uint64_t alloc_ops;
    uint64_t alloc_fails;
    uint64_t free_ops;
    uint64_t total_ops;
    uint64_t cache_available;
    uint64_t cache_alloc_ops;
    uint64_t cache_free_ops;
    struct {
        uint16_t first;
        uint16_t last;
        uint64_t cache_available[ODP_POOL_MAX_THREAD_STATS];
    } thread;
} odp_pool_stats_t;

typedef struct odp_pool_stats_selected_t {
    uint64_t available;
    uint64_t alloc_ops;
    uint64_t alloc_fails;
    uint64_t free_ops;
    uint64_t total_ops;
    uint64_t cache_available;
    uint64_t cache_alloc_ops;
    uint64_t cache_free_ops;
} odp_pool_stats_selected_t;

typedef struct odp_pool_capability_t {
    uint32_t max_pools;
    struct {
        uint32_t max_pools;
        uint32_t max_align;
        uint32_t max_size;
        uint32_t max_num;
        uint32_t max_uarea_size;
        odp_bool_t uarea_persistence;
        uint32_t min_cache_size;
        uint32_t max_cache_size;
        odp_pool_stats_opt_t stats;
    } buf;
    struct {
        uint32_t max_pools;
        uint32_t max_len;
        uint32_t max_num;
        uint32_t max_align;
        uint32_t min_headroom;
        uint32_t max_headroom;
        uint32_t min_tailroom;
        uint32_t max_segs_per_pkt;
        uint32_t min_seg_len;
        uint32_t max_seg_len;
        uint32_t max_uarea_size;
        odp_bool_t uarea_persistence;
        uint8_t max_num_subparam;
        uint32_t min_cache_size;
        uint32_t max_cache_size;
        odp_pool_stats_opt_t stats;
    } pkt;
} odp_pool_capability_t;

typedef struct odp_pool_pkt_subparam_t {
    uint32_t num;
    uint32_t len;
} odp_pool_pkt_subparam_t;

typedef struct odp_pool_param_t {
    odp_pool_type_t type;
    struct {
        uint32_t num;
        uint32_t size;
        uint32_t align; /* a power of two, 0: 64 */
        uint32_t uarea_size;
        uint32_t cache_size;
    } buf;
    struct {
        uint32_t num;
        uint32_t max_num; /* 0: num */
        uint32_t len;     /* the largest of len, max_len and seg_len is what every packet has room for; all 0: 2048 */
        uint32_t max_len; /* an allocation may not ask for more; 0: that room */
        uint32_t align;
        uint32_t seg_len;
        uint32_t uarea_size;
        uint32_t headroom; /* rounded up to whole cache lines, at least 128 */
        uint8_t num_subparam;
        odp_pool_pkt_subparam_t sub[ODP_POOL_MAX_SUBPARAMS];
        uint32_t cache_size;
    } pkt;
    struct {
        void (*init_fn)(void *uarea, uint32_t size, void *args, uint32_t index);
        void *args;
    } uarea_init;
    odp_pool_stats_opt_t stats;
} odp_pool_param_t;

typedef struct odp_pool_info_t {
    odp_pool_type_t type;
    const char *name;
    odp_bool_t pool_ext;
    union {
        odp_pool_param_t params;
    };
    struct {
        uint32_t max_num;
    } pkt;
    uintptr_t min_data_addr;
    uintptr_t max_data_addr;
} odp_pool_info_t;

int odp_pool_capability(odp_pool_capability_t *capa);

/* Sets the defaults of every type. */
void odp_pool_param_init(odp_pool_param_t *param);

/* User areas are zeroed, then given to uarea_init.init_fn, and never touched again. ODP_POOL_INVALID on failure. */
odp_pool_t odp_pool_create(const char *name, const odp_pool_param_t *param);

/* 0, or -1: something allocated from the pool has not been freed, or an open pktio uses it. */
int odp_pool_destroy(odp_pool_t pool);

odp_pool_t odp_pool_lookup(const char *name);
int odp_pool_info(odp_pool_t pool, odp_pool_info_t *info);
int odp_pool_stats(odp_pool_t pool, odp_pool_stats_t *stats);

/* Only counters that the pool was created with may be selected: else -1. The others are left as they are. */
int odp_pool_stats_selected(odp_pool_t pool, odp_pool_stats_selected_t *stats, const odp_pool_stats_opt_t *opt);

int odp_pool_stats_reset(odp_pool_t pool);
unsigned int odp_pool_max_index(void);
int odp_pool_index(odp_pool_t pool);
void odp_pool_print(odp_pool_t pool);
void odp_pool_print_all(void);
uint64_t odp_pool_to_u64(odp_pool_t pool);

#endif
