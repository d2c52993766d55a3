/* Threads that have joined the instance with odp_init_local(). */
#ifndef ODP_API_THREAD_H_
#define ODP_API_THREAD_H_

#include <odp/api/std_types.h>

#define ODP_THREAD_COUNT_MAX 128

typedef enum odp_thread_type_e { ODP_THREAD_WORKER = 0, ODP_THREAD_CONTROL } odp_thread_type_t;

/* This thread's number, -1 outside odp_init_local() … odp_term_local(). Here so that it can be read inline. */
extern __thread int macs_odp_thread;

/* Numbers start at 0, the lowest free one is given. */
static inline int odp_thread_id(void) {
    return macs_odp_thread;
}

odp_thread_type_t odp_thread_type(void);
int odp_thread_count(void);
int odp_thread_worker_count(void);
int odp_thread_control_count(void);
int odp_thread_count_max(void);
int odp_thread_worker_count_max(void);
int odp_thread_control_count_max(void);

#endif
