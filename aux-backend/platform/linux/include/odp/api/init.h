/* Start and end of the instance, and logging. There is one instance in a process. */
#ifndef ODP_API_INIT_H_
#define ODP_API_INIT_H_

#include <odp/api/cpumask.h>
#include <odp/api/hints.h>
#include <odp/api/std_types.h>
#include <odp/api/thread.h>

#define ODP_TERM_FROM_SIGH ((uint64_t)0x1)
#define ODP_TERM_LAST_FLAG ODP_TERM_FROM_SIGH

typedef uint64_t odp_instance_t;

typedef enum {
    ODP_LOG_DBG,
    ODP_LOG_WARN,
    ODP_LOG_ERR,
    ODP_LOG_UNIMPLEMENTED,
    ODP_LOG_ABORT,
    ODP_LOG_PRINT
} odp_log_level_t;

typedef int (*odp_log_func_t)(odp_log_level_t level, const char *fmt, ...) ODP_PRINTF_FORMAT(2, 3);
typedef void (*odp_abort_func_t)(void) ODP_NORETURN;

/* Used where odp_init_t names no function. The program may define its own; the defaults write to stderr, abort(). */
int odp_override_log(odp_log_level_t level, const char *fmt, ...) ODP_PRINTF_FORMAT(2, 3);
void odp_override_abort(void) ODP_NORETURN;

/* Only ODP_MEM_MODEL_THREAD is supported. */
typedef enum { ODP_MEM_MODEL_THREAD = 0, ODP_MEM_MODEL_PROCESS } odp_mem_model_t;

typedef struct odp_init_t {
    int num_worker; /* at most, of both kinds together ODP_THREAD_COUNT_MAX; both 0: no limit but that */
    int num_control;
    const odp_cpumask_t *worker_cpus; /* for odp_cpumask_default_worker(); NULL: by default rule */
    const odp_cpumask_t *control_cpus;
    odp_log_func_t log_fn;
    odp_abort_func_t abort_fn;
    odp_feature_t not_used;
    odp_mem_model_t mem_model;
    struct {
        uint64_t max_memory;
    } shm;
} odp_init_t;

/* Platform-specific parameters: this platform has none. */
typedef struct odp_platform_init_t {
    char unused;
} odp_platform_init_t;

void odp_init_param_init(odp_init_t *param);

/* Both return 0, or -1. Every thread calls odp_init_local() before, odp_term_local() after any other call. */
int odp_init_global(odp_instance_t *instance, const odp_init_t *params, const odp_platform_init_t *platform_params);
int odp_init_local(odp_instance_t instance, odp_thread_type_t thr_type);

/* 1: other threads are still there; 0: this was the last; -1: the thread had not joined. */
int odp_term_local(void);

/* Frees what the program has not; -1 while threads are joined. */
int odp_term_global(odp_instance_t instance);

/* After an error from which there is no return. Prints nothing, frees what it can without waiting for anyone. */
int odp_term_abnormal(odp_instance_t instance, uint64_t flags, void *data);

int odp_instance(odp_instance_t *instance);
uint64_t odp_instance_to_u64(odp_instance_t instance);

/* A log function for the calling thread alone; NULL: the global one again. */
void odp_log_thread_fn_set(odp_log_func_t func);

/* NULL when there is no instance. */
odp_log_func_t odp_log_fn_get(void);
odp_abort_func_t odp_abort_fn_get(void);

#endif
