/* The instance: start, end, the threads that have joined, logging and error numbers. */
#include "core/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION_TEXT2(gen, ma, mi) #gen "." #ma "." #mi
#define VERSION_TEXT(gen, ma, mi) VERSION_TEXT2(gen, ma, mi)

__thread int macs_odp_thread = -1;
__thread int macs_odp_error;
static __thread odp_log_func_t thread_log;

pthread_mutex_t macs_odp_lock = PTHREAD_MUTEX_INITIALIZER;
odp_cpumask_t macs_odp_worker_cpus;
odp_cpumask_t macs_odp_control_cpus;
unsigned (*macs_odp_crypto_term)(void);

static struct {
    bool running;
    odp_log_func_t log;
    odp_abort_func_t abort;
    odp_time_startup_t startup;
    int max_worker;
    int max_control;
    int workers;
    int controls;
    bool joined[ODP_THREAD_COUNT_MAX];
    odp_thread_type_t type[ODP_THREAD_COUNT_MAX];
} instance;

ODP_WEAK_SYMBOL int odp_override_log(odp_log_level_t level, const char *fmt, ...) {
    va_list args;
    (void)level;
    va_start(args, fmt);
    int written = vfprintf(stderr, fmt, args);
    va_end(args);
    return written;
}

ODP_WEAK_SYMBOL void odp_override_abort(void) {
    abort();
}

void macs_odp_log(odp_log_level_t level, const char *fmt, ...) {
    char line[512];
    va_list args;
    odp_log_func_t log = thread_log ? thread_log : instance.log ? instance.log : odp_override_log;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    log(level, "%s", line);
}

void macs_odp_abort(const char *fmt, ...) {
    char line[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    macs_odp_log(ODP_LOG_ABORT, "%s", line);
    (instance.abort ? instance.abort : odp_override_abort)();
}

void odp_init_param_init(odp_init_t *param) {
    memset(param, 0, sizeof(*param));
}

static void take_mask(odp_cpumask_t *to, const odp_cpumask_t *from) {
    if (from != NULL)
        *to = *from;
    else
        odp_cpumask_zero(to);
}

int odp_init_global(odp_instance_t *handle, const odp_init_t *params, const odp_platform_init_t *platform_params) {
    odp_init_t defaults;
    int result = 0;
    (void)platform_params;
    odp_init_param_init(&defaults);
    if (params == NULL)
        params = &defaults;
    if (params->num_worker < 0 || params->num_control < 0 || params->mem_model != ODP_MEM_MODEL_THREAD ||
        params->num_worker > ODP_THREAD_COUNT_MAX || params->num_control > ODP_THREAD_COUNT_MAX - params->num_worker)
        return macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    if (instance.running) {
        result = macs_odp_fail(EBUSY);
    } else {
        bool limited = params->num_worker > 0 || params->num_control > 0;
        memset(&instance, 0, sizeof(instance));
        instance.running = true;
        instance.log = params->log_fn;
        instance.abort = params->abort_fn;
        instance.max_worker = limited ? params->num_worker : ODP_THREAD_COUNT_MAX;
        instance.max_control = limited ? params->num_control : ODP_THREAD_COUNT_MAX;
        instance.startup.global = odp_time_global();
        instance.startup.global_ns = odp_time_to_ns(instance.startup.global);
        take_mask(&macs_odp_worker_cpus, params->worker_cpus);
        take_mask(&macs_odp_control_cpus, params->control_cpus);
        *handle = (odp_instance_t)getpid();
        result = macs_odp_platform_start();
        instance.running = result == 0;
    }
    pthread_mutex_unlock(&macs_odp_lock);
    return result;
}

int odp_init_local(odp_instance_t handle, odp_thread_type_t type) {
    int thread = 0;
    bool control = type == ODP_THREAD_CONTROL;
    if ((type != ODP_THREAD_WORKER && !control) || handle != (odp_instance_t)getpid() || macs_odp_thread >= 0)
        return macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    while (thread < ODP_THREAD_COUNT_MAX && instance.joined[thread])
        thread++;
    /* The thread that starts the instance may be of either type, whatever the limits. */
    bool room = instance.workers + instance.controls == 0 ||
                (control ? instance.controls < instance.max_control : instance.workers < instance.max_worker);
    if (!instance.running || !room || thread == ODP_THREAD_COUNT_MAX) {
        pthread_mutex_unlock(&macs_odp_lock);
        return macs_odp_fail(instance.running ? ENOSPC : EINVAL);
    }
    instance.joined[thread] = true;
    instance.type[thread] = type;
    *(control ? &instance.controls : &instance.workers) += 1;
    pthread_mutex_unlock(&macs_odp_lock);
    macs_odp_thread = thread;
    macs_odp_error = 0;
    if (macs_odp_platform_join() != 0) {
        odp_term_local();
        return -1;
    }
    return 0;
}

int odp_term_local(void) {
    int thread = macs_odp_thread;
    if (thread < 0)
        return macs_odp_fail(EINVAL);
    macs_odp_pool_leave();
    macs_odp_platform_leave();
    pthread_mutex_lock(&macs_odp_lock);
    instance.joined[thread] = false;
    *(instance.type[thread] == ODP_THREAD_CONTROL ? &instance.controls : &instance.workers) -= 1;
    int left = instance.workers + instance.controls;
    pthread_mutex_unlock(&macs_odp_lock);
    macs_odp_thread = -1;
    thread_log = NULL;
    return left > 0;
}

/* Ports give packets back, which goes by a thread's cache: one that has not joined takes the first thread's. */
static void release_all(void) {
    int thread = macs_odp_thread;
    macs_odp_thread = thread < 0 ? 0 : thread;
    if (macs_odp_crypto_term != NULL)
        macs_odp_crypto_term();
    macs_odp_pktio_term();
    macs_odp_queue_term();
    macs_odp_pool_term();
    macs_odp_shm_term();
    macs_odp_thread = thread;
}

int odp_term_global(odp_instance_t handle) {
    pthread_mutex_lock(&macs_odp_lock);
    bool may = instance.running && handle == (odp_instance_t)getpid() && instance.workers + instance.controls == 0;
    pthread_mutex_unlock(&macs_odp_lock);
    if (!may)
        return macs_odp_fail(EBUSY);
    release_all();
    instance.running = false;
    instance.log = NULL;
    instance.abort = NULL;
    return 0;
}

int odp_term_abnormal(odp_instance_t handle, uint64_t flags, void *data) {
    (void)handle, (void)data;
    if (!(flags & ODP_TERM_FROM_SIGH)) /* in a signal handler nothing of this is safe: the kernel frees it all */
        release_all();
    return 0;
}

int odp_instance(odp_instance_t *handle) {
    if (!instance.running)
        return macs_odp_fail(EINVAL);
    *handle = (odp_instance_t)getpid();
    return 0;
}

uint64_t odp_instance_to_u64(odp_instance_t handle) {
    return handle;
}

void odp_log_thread_fn_set(odp_log_func_t func) {
    thread_log = func;
}

odp_log_func_t odp_log_fn_get(void) {
    if (!instance.running)
        return NULL;
    return thread_log ? thread_log : instance.log ? instance.log : odp_override_log;
}

odp_abort_func_t odp_abort_fn_get(void) {
    if (!instance.running)
        return NULL;
    return instance.abort ? instance.abort : odp_override_abort;
}

odp_thread_type_t odp_thread_type(void) {
    return instance.type[macs_odp_thread];
}

int odp_thread_worker_count(void) {
    return __atomic_load_n(&instance.workers, __ATOMIC_RELAXED);
}

int odp_thread_control_count(void) {
    return __atomic_load_n(&instance.controls, __ATOMIC_RELAXED);
}

int odp_thread_count(void) {
    return odp_thread_worker_count() + odp_thread_control_count();
}

int odp_thread_count_max(void) {
    return ODP_THREAD_COUNT_MAX;
}

int odp_thread_worker_count_max(void) {
    return instance.max_worker;
}

int odp_thread_control_count_max(void) {
    return instance.max_control;
}

static int threads_of(odp_thrmask_t *mask, odp_thread_type_t type) {
    odp_thrmask_zero(mask);
    pthread_mutex_lock(&macs_odp_lock);
    for (int thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        if (instance.joined[thread] && instance.type[thread] == type)
            odp_thrmask_set(mask, thread);
    pthread_mutex_unlock(&macs_odp_lock);
    return odp_thrmask_count(mask);
}

int odp_thrmask_worker(odp_thrmask_t *mask) {
    return threads_of(mask, ODP_THREAD_WORKER);
}

int odp_thrmask_control(odp_thrmask_t *mask) {
    return threads_of(mask, ODP_THREAD_CONTROL);
}

void odp_time_startup(odp_time_startup_t *startup) {
    *startup = instance.startup;
}

int odp_errno(void) {
    return macs_odp_error;
}

void odp_errno_zero(void) {
    macs_odp_error = 0;
}

const char *odp_errno_str(int errnum) {
    static __thread char text[128];
    return strerror_r(errnum, text, sizeof(text));
}

void odp_errno_print(const char *str) {
    macs_odp_log(ODP_LOG_PRINT, "%s%s%s\n", str ? str : "", str ? ": " : "", odp_errno_str(macs_odp_error));
}

const char *odp_version_api_str(void) {
    return VERSION_TEXT(ODP_VERSION_API_GENERATION, ODP_VERSION_API_MAJOR, ODP_VERSION_API_MINOR);
}

const char *odp_version_impl_name(void) {
    return macs_odp_platform_name;
}

const char *odp_version_impl_str(void) {
    static char text[64];
    snprintf(text, sizeof(text), "%s 0.1.0", macs_odp_platform_name);
    return text;
}
