/* What this implementation takes and what it refuses, of queues, pools, memory and CPUs: the last value of each limit
 * and the first one beyond it. */
#include "check.h"

/* --- queues ---------------------------------------------------------------------------------------------------------
 */

static void test_queues(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param, good_and_bad[2];
    odp_queue_info_t info;
    odp_queue_t made[2];
    odp_event_t event;
    CHECK(odp_queue_capability(&capa) == 0);
    odp_queue_param_init(&param);
    param.size = capa.plain.max_size;
    odp_queue_t queue = odp_queue_create("largest", &param);
    CHECK(queue != ODP_QUEUE_INVALID && odp_queue_context_set(queue, made, sizeof(made)) == 0);
    CHECK(odp_queue_info(queue, &info) == 0 && info.param.context_len == sizeof(made) && info.param.context == made);
    CHECK(odp_queue_enq_multi(queue, &event, -1) < 0 && odp_queue_deq_multi(queue, &event, -1) < 0);
    CHECK(odp_queue_enq_multi(queue, &event, 0) == 0 && odp_queue_deq_multi(queue, &event, 0) == 0);
    CHECK(odp_queue_destroy(queue) == 0 && odp_queue_destroy(ODP_QUEUE_INVALID) < 0);
    odp_queue_param_init(&good_and_bad[0]);
    good_and_bad[1] = good_and_bad[0];
    good_and_bad[1].size = capa.plain.max_size + 1;
    CHECK(odp_queue_create_multi(NULL, good_and_bad, false, made, 2) == 1 && odp_queue_destroy(made[0]) == 0);
    CHECK(odp_queue_create_multi(NULL, good_and_bad + 1, true, made, 2) == -1);
    CHECK(odp_queue_create_multi(NULL, good_and_bad, true, made, 0) == 0);
    CHECK(odp_queue_create_multi(NULL, good_and_bad, true, made, -1) == -1);
    CHECK(odp_queue_destroy_multi(made, 0) == -1);
    param = good_and_bad[0];
    param.type = ODP_QUEUE_TYPE_SCHED;
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
    param = good_and_bad[0];
    param.nonblocking = ODP_NONBLOCKING_LF;
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
}

static void test_all_queues(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param;
    CHECK(odp_queue_capability(&capa) == 0);
    odp_queue_param_init(&param);
    param.size = 1;
    odp_queue_t queues[capa.max_queues];
    for (uint32_t i = 0; i < capa.max_queues; i++)
        CHECK((queues[i] = odp_queue_create(NULL, &param)) != ODP_QUEUE_INVALID);
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
    CHECK(odp_queue_destroy(queues[7]) == 0);
    CHECK((queues[7] = odp_queue_create(NULL, &param)) != ODP_QUEUE_INVALID);
    CHECK(odp_queue_destroy_multi(queues, (int)capa.max_queues) == (int)capa.max_queues);
}

static void test_a_full_queue_is_not_destroyed(void) {
    odp_queue_param_t param;
    odp_pool_t pool = test_packet_pool(16, 256, 0, 0);
    odp_queue_param_init(&param);
    param.size = 4;
    odp_queue_t queue = odp_queue_create(NULL, &param);
    for (int i = 0; i < 4; i++)
        CHECK(odp_queue_enq(queue, odp_packet_to_event(odp_packet_alloc(pool, 60))) == 0);
    odp_event_t more[2] = {odp_packet_to_event(odp_packet_alloc(pool, 60)), ODP_EVENT_INVALID};
    CHECK(odp_queue_enq(queue, more[0]) < 0 && odp_queue_enq_multi(queue, more, 1) == 0);
    CHECK(odp_queue_destroy_multi(&queue, 1) == -1 && odp_queue_len(queue) == 4);
    odp_event_free(more[0]);
    for (int i = 0; i < 4; i++)
        odp_event_free(odp_queue_deq(queue));
    CHECK(odp_queue_destroy_multi(&queue, 1) == 1 && odp_pool_destroy(pool) == 0);
}

/* Without parameters a queue holds as many as the header says. */
static void test_a_queue_by_default(void) {
    enum { SIZE = 4096 };
    odp_pool_t pool = test_packet_pool(1, 64, 0, 0);
    odp_event_t event = odp_packet_to_event(odp_packet_alloc(pool, 1)), events[SIZE];
    odp_queue_t queue = odp_queue_create(NULL, NULL);
    for (int i = 0; i < SIZE; i++)
        events[i] = event;
    CHECK(odp_queue_enq_multi(queue, events, SIZE) == SIZE && odp_queue_enq(queue, event) < 0);
    for (int i = 0; i < SIZE; i++)
        CHECK(odp_queue_deq(queue) == event);
    odp_event_free(event);
    CHECK(odp_queue_destroy(queue) == 0 && odp_pool_destroy(pool) == 0);
}

/* --- pools ----------------------------------------------------------------------------------------------------------
 */

static bool pool_is_made(const odp_pool_param_t *param) {
    odp_pool_t pool = odp_pool_create(NULL, param);
    CHECK(pool == ODP_POOL_INVALID || odp_pool_destroy(pool) == 0);
    return pool != ODP_POOL_INVALID;
}

static void test_packet_pools(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t good, param;
    CHECK(odp_pool_capability(&capa) == 0);
    odp_pool_param_init(&good);
    good.type = ODP_POOL_PACKET;
    good.pkt.num = 4;
    good.pkt.len = 100;
    good.pkt.cache_size = 0;
#define TAKES(field, last, beyond)                                                                                     \
    do {                                                                                                               \
        param = good;                                                                                                  \
        param.field = (last);                                                                                          \
        CHECK(pool_is_made(&param));                                                                                   \
        param.field = (beyond);                                                                                        \
        CHECK(!pool_is_made(&param));                                                                                  \
    } while (0)
    TAKES(pkt.num, 1, 0);
    TAKES(pkt.num, 4, capa.pkt.max_num + 1);
    TAKES(pkt.max_num, 4, 3);
    TAKES(pkt.max_len, 100, 99);
    TAKES(pkt.len, capa.pkt.max_len, capa.pkt.max_len + 1);
    TAKES(pkt.headroom, capa.pkt.max_headroom, capa.pkt.max_headroom + 1);
    TAKES(pkt.uarea_size, capa.pkt.max_uarea_size, capa.pkt.max_uarea_size + 1);
    TAKES(pkt.cache_size, capa.pkt.max_cache_size, capa.pkt.max_cache_size + 1);
    TAKES(pkt.align, 32, 48);
    TAKES(pkt.align, capa.pkt.max_align, capa.pkt.max_align * 2);
    TAKES(pkt.num_subparam, 0, 1);
    CHECK(capa.pkt.max_segs_per_pkt == 1);
    odp_pool_param_init(&param);
    CHECK(param.pkt.cache_size > 0 && param.pkt.cache_size == param.buf.cache_size);
    odp_pool_param_init(&good);
    good.type = ODP_POOL_BUFFER;
    good.buf.num = 4;
    good.buf.size = 100;
    good.buf.cache_size = 0;
    TAKES(buf.num, 1, 0);
    TAKES(buf.num, 4, capa.buf.max_num + 1);
    TAKES(buf.size, capa.buf.max_size, capa.buf.max_size + 1);
    TAKES(buf.uarea_size, capa.buf.max_uarea_size, capa.buf.max_uarea_size + 1);
    TAKES(buf.cache_size, capa.buf.max_cache_size, capa.buf.max_cache_size + 1);
    TAKES(buf.align, 32, 48);
    TAKES(buf.align, capa.buf.max_align, capa.buf.max_align * 2);
}

/* What a pool is asked for beyond what it has anyway; and where its packets lie. */
static void test_what_packets_have(void) {
    odp_pool_param_t param;
    odp_pool_info_t info;
    odp_packet_t pkt[2];
    odp_pool_param_init(&param);
    param.pkt.num = 4;
    param.pkt.len = 100;
    param.pkt.max_len = 150;
    param.pkt.seg_len = 300; /* there is room for more, which is not asked for */
    param.pkt.headroom = 1000;
    param.pkt.cache_size = 0;
    odp_pool_t pool = odp_pool_create(NULL, &param);
    CHECK(pool != ODP_POOL_INVALID && odp_packet_alloc(pool, 151) == ODP_PACKET_INVALID);
    CHECK(odp_packet_alloc_multi(pool, 150, pkt, 2) == 2 && odp_packet_headroom(pkt[0]) >= 1000);
    CHECK(odp_pool_info(pool, &info) == 0 && (info.max_data_addr + 1 - info.min_data_addr) % 4096 == 0);
    CHECK(info.max_data_addr - info.min_data_addr < 4 << 20);
    for (int i = 0; i < 2; i++) {
        const uintptr_t data = (uintptr_t)odp_packet_data(pkt[i]);
        CHECK(data >= info.min_data_addr && data + 150 <= info.max_data_addr + 1);
    }
    /* the object behind the last one that was made is none */
    CHECK(odp_packet_headroom(pkt[0]) % ODP_CACHE_LINE_SIZE == 0);
    CHECK((uintptr_t)odp_packet_data(pkt[1]) % ODP_CACHE_LINE_SIZE == 0);
    const uintptr_t first = (uintptr_t)pkt[0], second = (uintptr_t)pkt[1];
    const uintptr_t next = first < second ? second + (second - first) : first + (first - second);
    CHECK(odp_packet_is_valid(pkt[0]) == 1 && odp_packet_is_valid((odp_packet_t)next) == 0);
    CHECK(odp_packet_extend_head(&pkt[0], odp_packet_headroom(pkt[0]), NULL, NULL) == 0); /* all, but no more */
    CHECK(odp_packet_extend_tail(&pkt[1], odp_packet_tailroom(pkt[1]), NULL, NULL) == 0);
    odp_packet_free_multi(pkt, 2);
    CHECK(odp_pool_destroy(pool) == 0);
}

static bool is_counting(odp_packet_t pkt, uint8_t first, uint32_t length) {
    const uint8_t *data = odp_packet_data(pkt);
    bool same = odp_packet_len(pkt) == length;
    for (uint32_t i = 0; same && i < length; i++)
        same = data[i] == (uint8_t)(first + i);
    return same;
}

static odp_packet_t counting(odp_pool_t pool, uint8_t first, uint32_t length) {
    odp_packet_t pkt = odp_packet_alloc(pool, length);
    CHECK(pkt != ODP_PACKET_INVALID);
    for (uint32_t i = 0; i < length; i++)
        ((uint8_t *)odp_packet_data(pkt))[i] = (uint8_t)(first + i);
    return pkt;
}

/* What cannot be done with packets leaves them as they were. */
static void test_packets(void) {
    odp_pool_t pool = test_packet_pool(3, 300, 64, 0), plain = test_packet_pool(2, 300, 0, 0);
    odp_packet_t none[2], tail = ODP_PACKET_INVALID;
    uint8_t bytes[8] = {9};
    CHECK(REFUSED(odp_packet_alloc_multi(pool, 0, none, 1)) && odp_packet_alloc(pool, 0) == ODP_PACKET_INVALID);
    CHECK(REFUSED(odp_packet_alloc_multi(pool, 10, none, -1)) && odp_packet_alloc_multi(pool, 10, none, 0) == 0);
    CHECK(REFUSED(odp_packet_alloc_multi(ODP_POOL_INVALID, 10, none, 1)));
    odp_packet_t pkt = counting(pool, 1, 200), other = counting(pool, 77, 250);
    const uint32_t room = odp_packet_buf_len(pkt);
    CHECK(odp_packet_concat(&pkt, pkt) < 0 && is_counting(pkt, 1, 200));
    odp_packet_t large = counting(pool, 5, 300);
    CHECK(odp_packet_extend_head(&large, room - 300 - 200, NULL, NULL) >= 0);
    CHECK(odp_packet_concat(&pkt, large) == 1 && is_counting(pkt, 1, 200) == false); /* just room for it */
    CHECK(odp_packet_len(pkt) == room && odp_packet_trunc_tail(&pkt, room - 200, NULL, NULL) == 0);
    CHECK(is_counting(pkt, 1, 200));
    large = counting(pool, 5, 300);
    CHECK(odp_packet_extend_head(&large, room - 300 - 199, NULL, NULL) >= 0 && odp_packet_concat(&pkt, large) < 0);
    CHECK(is_counting(pkt, 1, 200) && odp_packet_len(large) == room - 199);
    CHECK(odp_packet_split(&pkt, 100, &tail) < 0 && tail == ODP_PACKET_INVALID &&
          is_counting(pkt, 1, 200)); /* no other */
    odp_packet_free(large);
    CHECK(odp_packet_copy(pkt, plain) == ODP_PACKET_INVALID && odp_packet_copy(pkt, plain) == ODP_PACKET_INVALID);
    CHECK(odp_packet_copy(pkt, plain) == ODP_PACKET_INVALID && odp_errno() == EINVAL); /* its user area has no place */
    CHECK(odp_packet_alloc_multi(plain, 300, none, 2) == 2);
    odp_packet_free_multi(none, 2);
    static const uint32_t ranges[][2] = {{201, 0},        {200, 1},        {1, 200},
                                         {UINT32_MAX, 1}, {1, UINT32_MAX}, {UINT32_MAX, 2}};
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const uint32_t at = ranges[i][0], length = ranges[i][1];
        CHECK(REFUSED(odp_packet_copy_to_mem(pkt, at, length, bytes)) && bytes[0] == 9);
        CHECK(REFUSED(odp_packet_copy_from_mem(pkt, at, length, bytes)));
        CHECK(REFUSED(odp_packet_copy_from_pkt(pkt, at, other, 0, length)));
        CHECK(REFUSED(odp_packet_copy_from_pkt(other, 0, pkt, at, length)));
        CHECK(odp_packet_copy_part(pkt, at, length, pool) == ODP_PACKET_INVALID);
        CHECK(odp_packet_align(&pkt, at, length, 16) < 0 &&
              odp_packet_rem_data(&pkt, at, length) < (length == 0 ? 2 : 0));
        CHECK(is_counting(pkt, 1, 200) && is_counting(other, 77, 250));
    }
    CHECK(odp_packet_add_data(&pkt, 201, 1) < 0 && odp_packet_align(&pkt, 0, 200, 48) < 0 && is_counting(pkt, 1, 200));
    CHECK(odp_packet_reset(pkt, 0) < 0 && odp_packet_reset(pkt, odp_packet_reset_max_len(pkt) + 1) < 0);
    CHECK(is_counting(pkt, 1, 200));
    CHECK(odp_packet_extend_head(&pkt, room - 200, NULL, NULL) >= 0); /* there is no byte left to move it by */
    const uint32_t over = (uint32_t)((uintptr_t)odp_packet_data(pkt) % 32);
    CHECK(odp_packet_align(&pkt, 33 - over, 1, 32) < 0 && odp_packet_len(pkt) == room);
    odp_packet_free(pkt);
    odp_packet_free(other);
    CHECK(odp_pool_destroy(pool) == 0 && odp_pool_destroy(plain) == 0);
}

/* What is known of a packet is not known of the next one in its place, nor after it has been parsed again. */
static void test_what_is_forgotten(void) {
    static const uint8_t frame[42] = {[0] = 2, [6] = 2, [12] = 8, [14] = 0x45, [17] = 28, [23] = 17, [39] = 8};
    const odp_packet_parse_param_t all = {.proto = ODP_PROTO_ETH, .last_layer = ODP_PROTO_LAYER_ALL};
    odp_pool_t pool = test_packet_pool(1, 300, 0, 0);
    odp_packet_t pkt = odp_packet_alloc(pool, sizeof(frame));
    memcpy(odp_packet_data(pkt), frame, sizeof(frame));
    ((uint8_t *)odp_packet_data(pkt))[14] = 0x44;
    CHECK(odp_packet_parse(pkt, 0, &all) == 0 && odp_packet_has_error(pkt) && odp_packet_has_l3_error(pkt));
    memcpy(odp_packet_data(pkt), frame, sizeof(frame));
    CHECK(odp_packet_parse(pkt, 0, &all) == 0 && !odp_packet_has_error(pkt) && !odp_packet_has_l3_error(pkt));
    CHECK(odp_packet_has_udp(pkt) && odp_packet_payload_offset_set(pkt, 42 - 1) == 0);
    odp_packet_flow_hash_set(pkt, 7);
    odp_packet_drop_eligible_set(pkt, true);
    odp_packet_shaper_len_adjust_set(pkt, 5);
    odp_packet_free(pkt);
    pkt = odp_packet_alloc(pool, sizeof(frame));
    odp_packet_color_set(pkt, ODP_PACKET_RED);
    CHECK(!odp_packet_has_udp(pkt) && !odp_packet_has_flow_hash(pkt) && !odp_packet_drop_eligible(pkt));
    CHECK(odp_packet_payload_offset(pkt) == ODP_PACKET_OFFSET_INVALID && odp_packet_shaper_len_adjust(pkt) == 0);
    CHECK(odp_packet_l3_offset(pkt) == ODP_PACKET_OFFSET_INVALID && odp_packet_l3_type(pkt) == ODP_PROTO_L3_TYPE_NONE);
    CHECK(odp_packet_push_head(pkt, 10) != NULL && odp_packet_pull_tail(pkt, 3) != NULL);
    void *data = odp_packet_data(pkt);
    odp_packet_reset_meta(pkt); /* but where its data are */
    CHECK(odp_packet_data(pkt) == data && odp_packet_len(pkt) == sizeof(frame) + 10 - 3);
    CHECK(odp_packet_color(pkt) == ODP_PACKET_GREEN);
    odp_packet_free(pkt);
    CHECK(odp_pool_destroy(pool) == 0);
}

static void never(void *uarea, uint32_t size, void *args, uint32_t index) {
    (void)uarea, (void)size, (void)args, (void)index;
    CHECK(false);
}

static unsigned areas_made; /* a bit for each */

static void once(void *uarea, uint32_t size, void *args, uint32_t index) {
    CHECK(size == 24 && args == &areas_made && index < 5 && !(areas_made >> index & 1));
    areas_made |= 1u << index;
    memset(uarea, (int)index + 1, size);
}

/* User areas are made ready once, each with its number, if there are any; of buffers as well. */
static void test_user_areas(void) {
    odp_pool_param_t param;
    odp_pool_info_t info;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = 5;
    param.buf.size = 10;
    param.uarea_init.init_fn = never;
    CHECK(pool_is_made(&param));
    param.uarea_init.init_fn = once;
    param.uarea_init.args = &areas_made;
    param.buf.uarea_size = 24;
    odp_pool_t pool = odp_pool_create(NULL, &param);
    CHECK(pool != ODP_POOL_INVALID && areas_made == 31 && odp_pool_info(pool, &info) == 0 && info.pkt.max_num == 0);
    for (unsigned turn = 0; turn < 2; turn++) {
        odp_buffer_t buffers[5];
        unsigned sum = 0;
        CHECK(odp_buffer_alloc_multi(pool, buffers, 5) == 5 && odp_buffer_alloc(pool) == ODP_BUFFER_INVALID);
        for (unsigned i = 0; i < 5; i++) {
            const uint8_t *area = odp_buffer_user_area(buffers[i]);
            CHECK(area[0] == area[23]);
            sum += area[0];
            memset(odp_buffer_addr(buffers[i]), 0xee, odp_buffer_size(buffers[i]));
        }
        CHECK(sum == 1 + 2 + 3 + 4 + 5 && areas_made == 31);
        odp_buffer_free_multi(buffers, 5);
    }
    CHECK(REFUSED(odp_buffer_alloc_multi(pool, NULL, -1)) &&
          REFUSED(odp_buffer_alloc_multi(ODP_POOL_INVALID, NULL, 0)));
    CHECK(odp_pool_destroy(pool) == 0);
}

static long pages_mapped(void) {
    long pages = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1 && fclose(file) == 0);
    return pages;
}

/* Pools and blocks, small and of many pages, leave nothing of themselves behind. */
static void test_memory(void) {
    long before = 0;
    for (unsigned turn = 0; turn < 6; turn++) {
        odp_pool_t large = test_packet_pool(2000, 2000, 0, 0), small = test_packet_pool(2, 100, 0, 0);
        odp_shm_t blocks[] = {odp_shm_reserve(NULL, 3000000, 0, 0), odp_shm_reserve(NULL, 5000, 1u << 22, 0),
                              odp_shm_reserve(NULL, 9000, 8192, ODP_SHM_NO_HP)};
        for (unsigned i = 0; i < 3; i++)
            CHECK(blocks[i] != ODP_SHM_INVALID && odp_shm_free(blocks[i]) == 0);
        CHECK(odp_pool_destroy(large) == 0 && odp_pool_destroy(small) == 0);
        if (turn == 1)
            before = pages_mapped();
    }
    CHECK(pages_mapped() == before);
}

static void test_statistics_of_pools(void) {
    odp_pool_param_t param;
    odp_pool_stats_t stats;
    odp_pool_stats_selected_t selected;
    odp_pool_stats_opt_t wanted = {.bit = {.available = 1}};
    odp_pool_param_init(&param);
    param.pkt.num = 8;
    param.pkt.len = 100;
    param.pkt.cache_size = 0;
    param.pkt.seg_len = 0;
    param.stats.bit.available = 1;
    param.stats.bit.thread_cache_available = 1;
    odp_pool_t pool = odp_pool_create(NULL, &param);
    CHECK(pool != ODP_POOL_INVALID);
    static const struct {
        uint16_t first, last;
        int status;
    } ranges[] = {{0, 0, 0},
                  {3, 2, -1},
                  {2, 3, 0},
                  {0, ODP_THREAD_COUNT_MAX, -1},
                  {ODP_THREAD_COUNT_MAX - 1, ODP_THREAD_COUNT_MAX - 1, 0}};
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        stats.thread.first = ranges[i].first;
        stats.thread.last = ranges[i].last;
        CHECK(odp_pool_stats(pool, &stats) == ranges[i].status);
        CHECK(ranges[i].status || (stats.available == 8 && stats.cache_available == 0));
    }
    for (unsigned taken = 1; taken <= 8; taken += 7) { /* a thread keeps none of those that it gives back */
        odp_packet_t packets[8];
        CHECK(odp_packet_alloc_multi(pool, 100, packets, (int)taken) == (int)taken);
        CHECK(odp_pool_stats_selected(pool, &selected, &wanted) == 0 && selected.available == 8 - taken);
        odp_packet_free_multi(packets, (int)taken);
        stats.thread.first = stats.thread.last = (uint16_t)odp_thread_id();
        CHECK(odp_pool_stats(pool, &stats) == 0 && stats.available == 8 && stats.thread.cache_available[0] == 0);
    }
    CHECK(odp_pool_stats_selected(pool, &selected, &wanted) == 0 && selected.available == 8);
    wanted.bit.cache_available = 1; /* was not asked for when the pool was made */
    CHECK(odp_pool_stats_selected(pool, &selected, &wanted) < 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

static void test_all_pools(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t param;
    CHECK(odp_pool_capability(&capa) == 0);
    odp_pool_param_init(&param);
    param.pkt.num = 1;
    param.pkt.len = 64;
    odp_pool_t pools[capa.max_pools];
    for (uint32_t i = 0; i < capa.max_pools; i++)
        CHECK((pools[i] = odp_pool_create("one of them", &param)) != ODP_POOL_INVALID &&
              odp_pool_index(pools[i]) == (int)i);
    odp_errno_zero();
    CHECK(odp_pool_create(NULL, &param) == ODP_POOL_INVALID && odp_errno() != 0);
    CHECK(odp_pool_max_index() == capa.max_pools - 1);
    CHECK(odp_pool_destroy(pools[7]) == 0 && odp_pool_lookup("one of them") == pools[0]);
    CHECK((pools[7] = odp_pool_create("again", &param)) != ODP_POOL_INVALID && odp_pool_index(pools[7]) == 7);
    CHECK(odp_pool_lookup("again") == pools[7]);
    for (uint32_t i = 0; i < capa.max_pools; i++)
        CHECK(odp_pool_destroy(pools[i]) == 0);
    CHECK(odp_pool_lookup("again") == ODP_POOL_INVALID && REFUSED(odp_pool_destroy(ODP_POOL_INVALID)));
    odp_pool_info_t info;
    odp_pool_stats_t stats;
    odp_pool_stats_selected_t selected;
    const odp_pool_stats_opt_t wanted = {.all = 0};
    CHECK(REFUSED(odp_pool_info(ODP_POOL_INVALID, &info)) && REFUSED(odp_pool_stats(ODP_POOL_INVALID, &stats)));
    CHECK(REFUSED(odp_pool_stats_selected(ODP_POOL_INVALID, &selected, &wanted)));
    CHECK(REFUSED(odp_pool_stats_reset(ODP_POOL_INVALID)) && REFUSED(odp_pool_index(ODP_POOL_INVALID)));
}

/* --- names, blocks of memory, CPUs, checksums -----------------------------------------------------------------------
 */

/* A name that is too long is cut off, wherever it is kept. */
static void test_names(void) {
    char name[300];
    odp_queue_info_t queue_info;
    odp_pool_info_t pool_info;
    odp_shm_info_t shm_info;
    odp_pool_param_t param;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    odp_pool_param_init(&param);
    param.pkt.num = 4;
    odp_queue_t queue = odp_queue_create(name, NULL);
    odp_pool_t pool = odp_pool_create(name, &param);
    odp_shm_t shm = odp_shm_reserve(name, 1000, 0, 0);
    CHECK(odp_queue_info(queue, &queue_info) == 0 && strlen(queue_info.name) == ODP_QUEUE_NAME_LEN - 1);
    CHECK(odp_pool_info(pool, &pool_info) == 0 && strlen(pool_info.name) == ODP_POOL_NAME_LEN - 1);
    CHECK(odp_shm_info(shm, &shm_info) == 0 && strlen(shm_info.name) == ODP_SHM_NAME_LEN - 1);
    CHECK(shm_info.size == 1000);
    CHECK(odp_queue_destroy(queue) == 0 && odp_pool_destroy(pool) == 0 && odp_shm_free(shm) == 0);
}

static bool shm_is_made(uint64_t size, uint64_t align, uint32_t flags) {
    odp_shm_t shm = odp_shm_reserve(NULL, size, align, flags);
    CHECK(shm == ODP_SHM_INVALID ||
          ((uintptr_t)odp_shm_addr(shm) % (align ? align : 1) == 0 && odp_shm_free(shm) == 0));
    return shm != ODP_SHM_INVALID;
}

static void test_blocks(void) {
    odp_shm_capability_t capa;
    CHECK(odp_shm_capability(&capa) == 0);
    CHECK(shm_is_made(1, 0, 0) && !shm_is_made(0, 0, 0) && !shm_is_made(UINT64_MAX, 0, 0));
    CHECK(shm_is_made(100, 1u << 22, 0) && !shm_is_made(100, 48, 0) && !shm_is_made(100, UINT64_C(1) << 41, 0));
    CHECK(shm_is_made(100, 0, ODP_SHM_NO_HP | ODP_SHM_SINGLE_VA) && !shm_is_made(100, 0, ODP_SHM_NO_HP | ODP_SHM_HP));
    CHECK(odp_errno() == EINVAL);
    CHECK(!shm_is_made(100, 0, ~(uint32_t)(ODP_SHM_NO_HP | ODP_SHM_HP | ODP_SHM_SINGLE_VA)));
    odp_shm_t huge = odp_shm_reserve(NULL, 100, 0, ODP_SHM_HP); /* there may be none */
    odp_shm_info_t info;
    CHECK(huge == ODP_SHM_INVALID || (odp_shm_info(huge, &info) == 0 && info.page_size > 4096));
    CHECK(huge == ODP_SHM_INVALID || odp_shm_free(huge) == 0);
    odp_shm_t shm[capa.max_blocks];
    for (uint32_t i = 0; i < capa.max_blocks; i++)
        CHECK((shm[i] = odp_shm_reserve(NULL, 1, 0, 0)) != ODP_SHM_INVALID);
    CHECK(odp_shm_reserve(NULL, 1, 0, 0) == ODP_SHM_INVALID && odp_shm_free(ODP_SHM_INVALID) < 0);
    for (uint32_t i = 0; i < capa.max_blocks; i++)
        CHECK(odp_shm_free(shm[i]) == 0);
    CHECK(odp_shm_free(shm[0]) < 0);
}

static void test_cpus(void) {
    odp_cpumask_t all, mask;
    char text[ODP_CPUMASK_SIZE / 4 + 64];
    memset(text, 'f', sizeof(text) - 1); /* more digits than there are CPUs */
    text[sizeof(text) - 1] = '\0';
    odp_cpumask_from_str(&mask, text);
    CHECK(odp_cpumask_count(&mask) == ODP_CPUMASK_SIZE);
    odp_cpumask_zero(&mask);
    CHECK(odp_cpumask_to_str(&mask, text, 4) == 4 && strcmp(text, "0x0") == 0 &&
          odp_cpumask_to_str(&mask, text, 3) < 0);
    const int count = odp_cpumask_all_available(&all); /* all but the first are for workers, if there are more */
    CHECK(odp_cpumask_default_worker(&mask, 0) == (count > 1 ? count - 1 : 1));
    CHECK(odp_cpumask_isset(&mask, odp_cpumask_first(&all)) == (count == 1));
    CHECK(odp_cpumask_default_control(&mask, 0) == 1 && odp_cpumask_isset(&mask, odp_cpumask_first(&all)));
    /* what there is not is not known; a CPU has some megahertz */
    CHECK(strcmp(odp_cpu_model_str_id(ODP_CPUMASK_SIZE), "unknown") == 0 && odp_cpu_hz_id(ODP_CPUMASK_SIZE) == 0);
    CHECK(odp_cpu_hz_max_id(ODP_CPUMASK_SIZE) == 0 && (odp_cpu_hz_id(0) == 0 || odp_cpu_hz_id(0) > 100000000));
    CHECK(odp_cpu_hz_id(0) < UINT64_C(100000000000) && odp_cpu_hz_max_id(0) >= odp_cpu_hz_id(0) / 2);
}

/* Text that is no number is no CPU; a CPU that a set has no place for is in none. */
static void test_sets(void) {
    odp_cpumask_t mask, before;
    odp_cpumask_from_str(&mask, "0XfE");
    CHECK(odp_cpumask_count(&mask) == 7 && odp_cpumask_first(&mask) == 1 && odp_cpumask_last(&mask) == 7);
    odp_cpumask_from_str(&mask, "aBc");
    CHECK(odp_cpumask_count(&mask) == 7 && odp_cpumask_first(&mask) == 2 && odp_cpumask_last(&mask) == 11);
    CHECK(odp_cpumask_next(&mask, -5) == 2 && odp_cpumask_next(&mask, 5) == 7 && odp_cpumask_next(&mask, 11) == -1);
    odp_cpumask_copy(&before, &mask);
    odp_cpumask_set(&mask, -1);
    odp_cpumask_set(&mask, ODP_CPUMASK_SIZE);
    CHECK(odp_cpumask_equal(&mask, &before));
    odp_cpumask_setall(&before);
    odp_cpumask_setall(&mask);
    odp_cpumask_clr(&mask, -1);
    odp_cpumask_clr(&mask, ODP_CPUMASK_SIZE);
    CHECK(odp_cpumask_equal(&mask, &before));
    CHECK(!odp_cpumask_isset(&mask, -1) && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE));
    CHECK(odp_cpumask_isset(&mask, 0) && odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 1));
    static const char *const none[] = {"12g", "0x1 ", "", "0x", "-1", "1/", "1:", "@", "`"};
    for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        odp_cpumask_setall(&mask);
        odp_cpumask_from_str(&mask, none[i]);
        CHECK(odp_cpumask_count(&mask) == 0);
    }
}

static void test_widths(void) {
    odp_hash_crc_param_t param = {.width = 64, .poly = 1};
    uint64_t crc;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) == 0);
    param.width = 1;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) == 0);
    param.width = 65;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) < 0);
    param.width = 0;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) < 0);
}

int main(void) {
    test_begin();
    test_queues();
    test_all_queues();
    test_a_full_queue_is_not_destroyed();
    test_a_queue_by_default();
    test_packet_pools();
    test_what_packets_have();
    test_packets();
    test_what_is_forgotten();
    test_user_areas();
    test_memory();
    test_statistics_of_pools();
    test_all_pools();
    test_names();
    test_blocks();
    test_cpus();
    test_sets();
    test_widths();
    test_end();
    return 0;
}
