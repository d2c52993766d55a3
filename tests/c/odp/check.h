/* What the conformance tests share: CHECK, an instance, threads that join it. Only the ODP API is used, so that the
 * same tests run against any implementation of it. */
#ifndef MACS_TEST_ODP_CHECK_H
#define MACS_TEST_ODP_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <odp_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stops the test at the first thing that is not as specified. */
#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call with a handle or number that names nothing. */
#define REFUSED(call) (odp_errno_zero(), (call) == -1 && odp_errno() == EINVAL)

/* Was it in the API by then? An installed implementation may be of an older generation. */
#define SINCE(major) (ODP_VERSION_API >= ODP_VERSION_API_NUM(1, major, 0))

static odp_instance_t test_instance;

static inline void test_begin(void) {
    odp_init_t param;
    odp_init_param_init(&param);
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0);
    CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0);
}

static inline void test_end(void) {
    CHECK(odp_term_local() == 0);
    CHECK(odp_term_global(test_instance) == 0);
}

struct test_thread {
    pthread_t pthread;
    void (*run)(int number);
    int number;
};

static inline void *test_thread_main(void *arg) {
    struct test_thread *thread = (struct test_thread *)arg;
    CHECK(odp_init_local(test_instance, ODP_THREAD_WORKER) == 0);
    thread->run(thread->number);
    CHECK(odp_term_local() == 1);
    return NULL;
}

/* Run `run` in `count` threads at once, numbered from 0, and wait for them. */
static inline void test_threads(int count, void (*run)(int number)) {
    struct test_thread thread[8];
    CHECK(count <= 8);
    for (int i = 0; i < count; i++) {
        thread[i].run = run;
        thread[i].number = i;
        CHECK(pthread_create(&thread[i].pthread, NULL, test_thread_main, &thread[i]) == 0);
    }
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(thread[i].pthread, NULL) == 0);
}

/* How many descriptors this process has open. */
static inline unsigned test_open_descriptors(void) {
    unsigned open = 0;
    for (int fd = 0; fd < 1024; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    return open;
}

static inline odp_pool_t test_packet_pool(uint32_t num, uint32_t len, uint32_t uarea, uint32_t cache) {
    odp_pool_param_t param;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = num;
    param.pkt.len = len;
    param.pkt.seg_len = len;
    param.pkt.uarea_size = uarea;
    param.pkt.cache_size = cache;
    odp_pool_t pool = odp_pool_create("test packets", &param);
    CHECK(pool != ODP_POOL_INVALID);
    return pool;
}

#endif
