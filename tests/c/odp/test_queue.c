/* Queues: what they are made of, their limits, many in one call, and order when threads share one. */
#include "check.h"

enum { MANY = 8, ROUNDS = 3000, PRODUCERS = 2, THREADS = 4 };

static odp_pool_t pool;
static odp_queue_t queue;
static odp_atomic_u32_t taken;
static odp_atomic_u64_t sum;

static odp_event_t event_new(uint32_t value) {
    odp_buffer_t buf = odp_buffer_alloc(pool);
    CHECK(buf != ODP_BUFFER_INVALID);
    memcpy(odp_buffer_addr(buf), &value, sizeof(value));
    return odp_buffer_to_event(buf);
}

static uint32_t value_of(odp_event_t event) {
    uint32_t value;
    memcpy(&value, odp_buffer_addr(odp_buffer_from_event(event)), sizeof(value));
    return value;
}

static void test_parameters(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param;
    odp_queue_info_t info;
    int context = 0;
    CHECK(odp_queue_capability(&capa) == 0 && capa.max_queues > 0 && capa.plain.max_num > 0);
    odp_queue_param_init(&param);
    CHECK(param.type == ODP_QUEUE_TYPE_PLAIN && param.enq_mode == ODP_QUEUE_OP_MT);
    CHECK(param.deq_mode == ODP_QUEUE_OP_MT && param.nonblocking == ODP_BLOCKING && param.context == NULL);
    param.context = &context;
    param.context_len = sizeof(context);
    param.size = 100;
    queue = odp_queue_create("test queue", &param);
    CHECK(queue != ODP_QUEUE_INVALID && odp_queue_lookup("test queue") == queue);
    CHECK(odp_queue_lookup("nothing") == ODP_QUEUE_INVALID && odp_queue_type(queue) == ODP_QUEUE_TYPE_PLAIN);
    CHECK(odp_queue_info(queue, &info) == 0 && strcmp(info.name, "test queue") == 0);
    CHECK(info.param.type == ODP_QUEUE_TYPE_PLAIN && info.param.context == &context && info.param.size >= 100);
#if SINCE(50)
    CHECK(info.type == ODP_QUEUE_TYPE_PLAIN);
#endif
    CHECK(odp_queue_context(queue) == &context && odp_queue_context_set(queue, &pool, sizeof(pool)) == 0);
    CHECK(odp_queue_context(queue) == &pool);
    CHECK(odp_queue_info(queue, &info) == 0 && info.param.context == &pool);
    CHECK(odp_queue_to_u64(queue) != odp_queue_to_u64(ODP_QUEUE_INVALID));
    odp_queue_print(queue);
    odp_queue_print_all();
    CHECK(odp_queue_destroy(queue) == 0 && odp_queue_lookup("test queue") == ODP_QUEUE_INVALID);
    queue = odp_queue_create(NULL, NULL); /* no name, all defaults */
    CHECK(queue != ODP_QUEUE_INVALID && odp_queue_destroy(queue) == 0);
    odp_queue_param_init(&param);
    param.size = capa.plain.max_size ? capa.plain.max_size + 1 : 0;
    CHECK(param.size == 0 || odp_queue_create("too large", &param) == ODP_QUEUE_INVALID);
}

static void check_len(uint32_t expected) {
#if SINCE(50)
    odp_queue_capability_t capa;
    CHECK(odp_queue_capability(&capa) == 0);
    CHECK(odp_queue_len(queue) == (capa.plain.stats.bit.len ? expected : 0));
#else
    (void)expected;
#endif
}

static void test_order(void) {
    odp_event_t event[MANY];
    queue = odp_queue_create("order", NULL);
    CHECK(odp_queue_deq(queue) == ODP_EVENT_INVALID && odp_queue_deq_multi(queue, event, MANY) == 0);
    for (uint32_t i = 0; i < MANY; i++)
        event[i] = event_new(i);
    CHECK(odp_queue_enq(queue, event[0]) == 0 && odp_queue_enq_multi(queue, event + 1, MANY - 1) == MANY - 1);
    check_len(MANY);
    for (uint32_t i = 0; i < 3; i++) /* first in, first out */
        CHECK(odp_queue_deq(queue) == event[i] && value_of(event[i]) == i);
    odp_event_t rest[MANY];
    CHECK(odp_queue_deq_multi(queue, rest, MANY) == MANY - 3 &&
          memcmp(rest, event + 3, (MANY - 3) * sizeof(*rest)) == 0);
    check_len(0);
    odp_event_free_multi(event, MANY);
    CHECK(odp_queue_destroy(queue) == 0);
}

/* What does not fit stays the caller's; a queue with events in it is not destroyed. */
static void test_full(void) {
    odp_queue_param_t param;
    odp_event_t event;
    uint32_t in = 0, out = 0;
    odp_queue_param_init(&param);
    param.size = 16;
    queue = odp_queue_create("small", &param);
    CHECK(queue != ODP_QUEUE_INVALID);
    for (;;) {
        odp_buffer_t buf = odp_buffer_alloc(pool);
        if (buf == ODP_BUFFER_INVALID) /* the implementation gave more than was asked for, and more than the pool has */
            break;
        event = odp_buffer_to_event(buf);
        if (odp_queue_enq(queue, event) != 0) {
            CHECK(odp_queue_enq_multi(queue, &event, 1) <= 0);
            odp_event_free(event);
            break;
        }
        in++;
    }
    CHECK(in >= 16 && odp_queue_destroy(queue) < 0);
    while ((event = odp_queue_deq(queue)) != ODP_EVENT_INVALID) {
        odp_event_free(event);
        out++;
    }
    CHECK(out == in && odp_queue_destroy(queue) == 0);
}

static void test_many(void) {
    odp_queue_param_t param[3];
    const char *name[3] = {"first", NULL, "third"};
    odp_queue_t made[3];
    for (int i = 0; i < 3; i++) {
        odp_queue_param_init(&param[i]);
        param[i].context = &made[i];
    }
    CHECK(odp_queue_create_multi(name, param, false, made, 3) == 3);
    CHECK(odp_queue_lookup("first") == made[0] && odp_queue_lookup("third") == made[2]);
    for (int i = 0; i < 3; i++)
        CHECK(odp_queue_context(made[i]) == &made[i]);
    CHECK(odp_queue_destroy_multi(made, 3) == 3 && odp_queue_lookup("first") == ODP_QUEUE_INVALID);
    CHECK(odp_queue_create_multi(NULL, param, true, made, 2) == 2);
    CHECK(odp_queue_context(made[0]) == &made[0] && odp_queue_context(made[1]) == &made[0]);
    odp_event_t event = event_new(1);
    CHECK(odp_queue_enq(made[1], event) == 0);
    CHECK(odp_queue_destroy_multi(made, 2) == 1); /* up to the one that is not empty */
    CHECK(odp_queue_deq(made[1]) == event && odp_queue_destroy_multi(made + 1, 1) == 1);
    odp_event_free(event);
}

/* Events of one producer come out in the order in which it put them in. */
static void share(int number) {
    odp_event_t event[16];
    uint32_t last[PRODUCERS] = {0};
    if (number < PRODUCERS) {
        for (uint32_t i = 1; i <= ROUNDS;) {
            odp_buffer_t buf = odp_buffer_alloc(pool);
            uint32_t value = i * PRODUCERS + (uint32_t)number;
            if (buf == ODP_BUFFER_INVALID) {
                odp_cpu_pause();
                continue;
            }
            memcpy(odp_buffer_addr(buf), &value, sizeof(value));
            while (odp_queue_enq(queue, odp_buffer_to_event(buf)) != 0)
                odp_cpu_pause();
            i++;
        }
        return;
    }
    while (odp_atomic_load_u32(&taken) < PRODUCERS * ROUNDS) {
        int got = odp_queue_deq_multi(queue, event, 16);
        CHECK(got >= 0);
        for (int i = 0; i < got; i++) {
            uint32_t value = value_of(event[i]);
            CHECK(value / PRODUCERS > last[value % PRODUCERS]);
            last[value % PRODUCERS] = value / PRODUCERS;
            odp_atomic_add_u64(&sum, value / PRODUCERS);
        }
        odp_atomic_add_u32(&taken, (uint32_t)got);
        odp_event_free_multi(event, got);
    }
}

int main(void) {
    odp_pool_param_t param;
    test_begin();
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = 512;
    param.buf.size = 64;
    param.buf.cache_size = 0;
    pool = odp_pool_create("test buffers", &param);
    CHECK(pool != ODP_POOL_INVALID);
    test_parameters();
    test_order();
    test_full();
    test_many();
    queue = odp_queue_create("shared", NULL);
    odp_atomic_init_u32(&taken, 0);
    odp_atomic_init_u64(&sum, 0);
    test_threads(THREADS, share);
    CHECK(odp_atomic_load_u64(&sum) == (uint64_t)PRODUCERS * ROUNDS * (ROUNDS + 1) / 2);
    CHECK(odp_queue_destroy(queue) == 0 && odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
