/* What this implementation takes and what it refuses of threads and instances: the last value of each limit and the
 * first one beyond it. */
#include "check.h"

static int own_log(odp_log_level_t level, const char *fmt, ...) {
    (void)level, (void)fmt;
    return 0;
}

/* A thread that leaves takes nothing with it: neither its number, nor its place among those of its type, nor its log.
 */
static void *join_twice(void *unused) {
    for (int turn = 0; turn < 2; turn++) {
        CHECK(odp_thread_control_count() == 1 && odp_thread_worker_count() == 0);
        CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0 && odp_thread_id() == 1);
        CHECK(odp_thread_control_count() == 2 && odp_thread_worker_count() == 0 && odp_log_fn_get() != own_log);
        odp_log_thread_fn_set(own_log);
        CHECK(odp_log_fn_get() == own_log && odp_term_local() == 1);
    }
    CHECK(odp_term_local() < 0);
    return unused;
}

static void test_joining(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, join_twice, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(odp_thread_control_count() == 1 && odp_thread_worker_count() == 0);
}

enum { MOST_THREADS = ODP_THREAD_COUNT_MAX };

static pthread_barrier_t all_joined, all_seen;

static void *join_and_wait(void *unused) {
    CHECK(odp_init_local(test_instance, ODP_THREAD_WORKER) == 0 && odp_errno() == 0);
    pthread_barrier_wait(&all_joined);
    pthread_barrier_wait(&all_seen);
    CHECK(odp_term_local() == 1);
    return unused;
}

static void *join_in_vain(void *type) {
    CHECK(odp_init_local(test_instance, *(odp_thread_type_t *)type) == -1 && odp_errno() == ENOSPC);
    CHECK(odp_term_local() == -1);
    return NULL;
}

/* As many threads as there may be; those that are too many can join when others have left. */
static void test_all_threads(int more) {
    pthread_t threads[MOST_THREADS], vain;
    odp_thread_type_t types[] = {ODP_THREAD_WORKER, ODP_THREAD_CONTROL};
    for (int turn = 0; turn < 2; turn++) {
        CHECK(pthread_barrier_init(&all_joined, NULL, (unsigned)more + 1) == 0);
        CHECK(pthread_barrier_init(&all_seen, NULL, (unsigned)more + 1) == 0);
        for (int i = 0; i < more; i++)
            CHECK(pthread_create(&threads[i], NULL, join_and_wait, NULL) == 0);
        pthread_barrier_wait(&all_joined);
        CHECK(odp_thread_count() == more + 1 && odp_thread_worker_count() == more && odp_thread_control_count() == 1);
        for (int type = 0; type < 2; type++)
            CHECK(pthread_create(&vain, NULL, join_in_vain, &types[type]) == 0 && pthread_join(vain, NULL) == 0);
        CHECK(odp_thread_count() == more + 1);
        pthread_barrier_wait(&all_seen);
        for (int i = 0; i < more; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        pthread_barrier_destroy(&all_joined);
        pthread_barrier_destroy(&all_seen);
        CHECK(odp_thread_count() == 1);
    }
}

static bool starts(const odp_init_t *param) {
    odp_instance_t made;
    const bool does = odp_init_global(&made, param, NULL) == 0;
    CHECK(does || odp_errno() == EINVAL);
    CHECK(!does || odp_term_global(made) == 0);
    return does;
}

/* What an instance is told when it starts holds for it, and not for the next one. */
static void test_instances(void) {
    odp_init_t param;
    odp_cpumask_t workers, controls, mask;
    odp_instance_t found;
    CHECK(odp_instance(&found) < 0 && odp_init_local(test_instance, ODP_THREAD_WORKER) < 0);
    CHECK(odp_term_global(test_instance) < 0 && odp_term_local() < 0);
    odp_init_param_init(&param);
    static const struct {
        int workers, controls;
        bool fine;
    } numbers[] = {{0, 0, true},
                   {-1, 0, false},
                   {0, -1, false},
                   {MOST_THREADS, 0, true},
                   {MOST_THREADS - 1, 1, true},
                   {MOST_THREADS, 1, false},
                   {0, MOST_THREADS + 1, false},
                   {MOST_THREADS + 1, 0, false}};
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        param.num_worker = numbers[i].workers;
        param.num_control = numbers[i].controls;
        CHECK(starts(&param) == numbers[i].fine);
    }
    odp_init_param_init(&param);
    param.mem_model = ODP_MEM_MODEL_PROCESS;
    CHECK(!starts(&param));
    param.mem_model = ODP_MEM_MODEL_THREAD;
    odp_cpumask_zero(&workers);
    odp_cpumask_set(&workers, ODP_CPUMASK_SIZE - 1);
    odp_cpumask_set(&workers, ODP_CPUMASK_SIZE - 3);
    odp_cpumask_zero(&controls);
    odp_cpumask_set(&controls, ODP_CPUMASK_SIZE - 2);
    odp_cpumask_set(&controls, ODP_CPUMASK_SIZE - 5);
    param.num_worker = 2;
    param.num_control = 1;
    param.worker_cpus = &workers;
    param.control_cpus = &controls;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0);
    CHECK(odp_init_local(test_instance + 1, ODP_THREAD_CONTROL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_init_local(test_instance, (odp_thread_type_t)77) < 0 && odp_errno() == EINVAL);
    CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0);
    CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) < 0 && odp_errno() == EINVAL && odp_thread_count() == 1);
    CHECK(odp_thread_worker_count_max() == 2 && odp_thread_control_count_max() == 1);
    CHECK(odp_cpumask_default_worker(&mask, 0) == 2 && odp_cpumask_equal(&mask, &workers));
    CHECK(odp_cpumask_default_worker(&mask, 3) == 2 && odp_cpumask_equal(&mask, &workers));
    CHECK(odp_cpumask_default_worker(&mask, 1) == 1 && odp_cpumask_first(&mask) == ODP_CPUMASK_SIZE - 1);
    CHECK(odp_cpumask_default_control(&mask, 0) == 2 && odp_cpumask_equal(&mask, &controls));
    CHECK(odp_cpumask_default_control(&mask, 1) == 1 && odp_cpumask_last(&mask) == ODP_CPUMASK_SIZE - 5);
    test_all_threads(2);
    test_end();
    test_begin();
    CHECK(odp_thread_worker_count_max() == MOST_THREADS && odp_thread_control_count_max() == MOST_THREADS);
    CHECK(odp_cpumask_default_worker(&mask, 0) >= 1 && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 3));
    CHECK(odp_cpumask_default_control(&mask, 0) == 1 && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 2));
    test_all_threads(MOST_THREADS - 1);
    test_end();
}

int main(void) {
    test_begin();
    test_joining();
    test_end();
    test_instances();
    return 0;
}
