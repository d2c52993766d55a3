/* Plain queues: bounded first-in first-out queues of events, for any number of producers and consumers. */
#ifndef ODP_API_QUEUE_H_
#define ODP_API_QUEUE_H_

#include <odp/api/event.h>

typedef struct macs_odp_queue *odp_queue_t;

#define ODP_QUEUE_INVALID ((odp_queue_t)0)
#define ODP_QUEUE_NAME_LEN 32

typedef enum odp_queue_type_t { ODP_QUEUE_TYPE_PLAIN = 0, ODP_QUEUE_TYPE_SCHED, ODP_QUEUE_TYPE_AGGR } odp_queue_type_t;

typedef enum odp_queue_op_mode_t {
    ODP_QUEUE_OP_MT = 0,
    ODP_QUEUE_OP_MT_UNSAFE,
    ODP_QUEUE_OP_DISABLED
} odp_queue_op_mode_t;

typedef enum odp_nonblocking_t { ODP_BLOCKING = 0, ODP_NONBLOCKING_LF, ODP_NONBLOCKING_WF } odp_nonblocking_t;

typedef enum odp_queue_order_t { ODP_QUEUE_ORDER_KEEP = 0, ODP_QUEUE_ORDER_IGNORE } odp_queue_order_t;

typedef union odp_queue_stats_opt_t {
    struct {
        uint64_t len : 1; /* odp_queue_len() tells the number, else 0 */
    } bit;
    uint64_t all;
} odp_queue_stats_opt_t;

typedef struct odp_queue_capability_t {
    uint32_t max_queues;
    struct {
        uint32_t max_num;
        uint32_t max_size;
        odp_queue_stats_opt_t stats;
        struct {
            uint32_t max_num;
            uint32_t max_size;
            odp_queue_stats_opt_t stats;
        } lockfree;
        struct {
            uint32_t max_num;
            uint32_t max_size;
            odp_queue_stats_opt_t stats;
        } waitfree;
    } plain;
} odp_queue_capability_t;

typedef struct odp_queue_param_t {
    odp_queue_type_t type;
    odp_queue_op_mode_t enq_mode;
    odp_queue_op_mode_t deq_mode;
    odp_queue_order_t order;
    odp_nonblocking_t nonblocking;
    void *context;
    uint32_t context_len;
    uint32_t size; /* events that the queue holds at least; 0: 4096 */
} odp_queue_param_t;

typedef struct odp_queue_info_t {
    const char *name;
    odp_queue_type_t type;
    odp_queue_param_t param;
} odp_queue_info_t;

int odp_queue_capability(odp_queue_capability_t *capa);
void odp_queue_param_init(odp_queue_param_t *param);

/* Plain and blocking queues only, else ODP_QUEUE_INVALID. param NULL: defaults. */
odp_queue_t odp_queue_create(const char *name, const odp_queue_param_t *param);

/* As that many single calls, up to the first that fails: how many were made; -1 when the first failed. `name` NULL:
 * none has a name. */
int odp_queue_create_multi(const char *name[], const odp_queue_param_t param[], odp_bool_t share_param,
                           odp_queue_t queue[], int num);

/* 0, or -1: not empty. */
int odp_queue_destroy(odp_queue_t queue);
int odp_queue_destroy_multi(odp_queue_t queue[], int num);

odp_queue_t odp_queue_lookup(const char *name);
int odp_queue_info(odp_queue_t queue, odp_queue_info_t *info);
odp_queue_type_t odp_queue_type(odp_queue_t queue);
int odp_queue_context_set(odp_queue_t queue, void *context, uint32_t len);
void *odp_queue_context(odp_queue_t queue);
uint32_t odp_queue_len(odp_queue_t queue);

/* enq: 0, or -1: full. The multis return how many; what was not taken stays the caller's. */
int odp_queue_enq(odp_queue_t queue, odp_event_t event);
int odp_queue_enq_multi(odp_queue_t queue, const odp_event_t events[], int num);
odp_event_t odp_queue_deq(odp_queue_t queue);
int odp_queue_deq_multi(odp_queue_t queue, odp_event_t events[], int num);
void odp_queue_print(odp_queue_t queue);
void odp_queue_print_all(void);
uint64_t odp_queue_to_u64(odp_queue_t queue);

#endif
