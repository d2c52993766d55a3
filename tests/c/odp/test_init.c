/* Instance, threads, versions, error numbers, log functions. */
#include "check.h"

#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

static int logged, overridden;

static int count_log(odp_log_level_t level, const char *fmt, ...) {
    (void)level, (void)fmt;
    return ++logged;
}

static ODP_NORETURN void never(void) {
    exit(99);
}

/* In place of the implementation's: used where odp_init_t names none. */
int odp_override_log(odp_log_level_t level, const char *fmt, ...) {
    (void)level, (void)fmt;
    return ++overridden;
}

void odp_override_abort(void) {
    exit(98);
}

static odp_barrier_t barrier;

static void in_thread(int number) {
    (void)number;
    CHECK(odp_thread_type() == ODP_THREAD_WORKER);
    CHECK(odp_thread_id() >= 0 && odp_thread_id() < odp_thread_count_max());
    odp_barrier_wait(&barrier);
    CHECK(odp_thread_count() == 4);
    CHECK(odp_thread_worker_count() == 3 && odp_thread_control_count() == 1);
    odp_thrmask_t workers;
    CHECK(odp_thrmask_worker(&workers) == 3);
    CHECK(odp_thrmask_isset(&workers, odp_thread_id()));
    CHECK(odp_thrmask_count(&workers) == 3);
    odp_barrier_wait(&barrier);
}

static void own_log(int number) {
    (void)number;
    odp_log_thread_fn_set(count_log);
    CHECK(odp_log_fn_get() == count_log);
    odp_log_thread_fn_set(NULL);
    CHECK(odp_log_fn_get() != count_log);
}

static void test_overrides(void) {
    int before = overridden;
    odp_errno_print("test");
    CHECK(overridden == before + 1);
    CHECK(odp_log_fn_get() == odp_override_log && odp_abort_fn_get() == odp_override_abort);
}

static void own_functions(void) {
    odp_init_t param;
    odp_init_param_init(&param);
    param.log_fn = count_log;
    param.abort_fn = never;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0);
    CHECK(odp_init_local(test_instance, ODP_THREAD_WORKER) == 0);
    CHECK(odp_log_fn_get() == count_log && odp_abort_fn_get() == never);
    int before = logged;
    odp_errno_print("test");
    odp_shm_print_all();
    CHECK(logged > before);
    test_end();
}

static void abnormal_end(void) {
    test_begin();
    test_packet_pool(16, 64, 0, 0);
    odp_term_abnormal(test_instance, 0, NULL); /* nothing may be called after it */
}

/* In a process of its own, as not every implementation can be started twice in one. */
static void in_process(void (*run)(void)) {
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run();
        _exit(17);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 17);
}

int main(void) {
    odp_init_t param;
    odp_instance_t found;
    odp_time_startup_t startup;

    odp_init_param_init(&param);
    CHECK(param.mem_model == ODP_MEM_MODEL_THREAD && param.log_fn == NULL && param.worker_cpus == NULL);
    CHECK(odp_log_fn_get() == NULL && odp_abort_fn_get() == NULL);
    in_process(own_functions);
    in_process(abnormal_end);

    test_begin();
    CHECK(odp_instance(&found) == 0 && found == test_instance);
    CHECK(odp_thread_id() == 0 && odp_thread_count() == 1);
    CHECK(odp_thread_type() == ODP_THREAD_CONTROL);
    CHECK(odp_instance_to_u64(found) == odp_instance_to_u64(test_instance));
    CHECK(odp_thread_control_count_max() > 0 && odp_thread_count_max() >= odp_thread_control_count_max());
    CHECK(odp_thread_worker_count_max() > 0 && odp_thread_count_max() >= odp_thread_worker_count_max());
    odp_barrier_init(&barrier, 3);
    test_threads(3, in_thread);
    CHECK(odp_thread_count() == 1);
    test_threads(1, own_log);

    CHECK(strncmp(odp_version_api_str(), "1.", 2) == 0);
    CHECK(strlen(odp_version_impl_name()) > 0 && strlen(odp_version_impl_str()) > 0);
    CHECK(ODP_VERSION_API >= ODP_VERSION_API_NUM(1, 40, 0));
    odp_errno_zero();
    CHECK(odp_errno() == 0);
    CHECK(strlen(odp_errno_str(2)) > 0);
    test_overrides();
    odp_time_startup(&startup);
    CHECK(odp_time_cmp(odp_time_global(), startup.global) >= 0 && startup.global_ns == odp_time_to_ns(startup.global));
    test_end();
    return 0;
}
