/* Pools and packets: lengths, room at both ends, moving and copying data, user areas, events, many threads. */
#include "check.h"

enum { NUM = 256, LEN = 512, UAREA = 96, HEADROOM = 128 };

static odp_pool_t pool;

static void fill(odp_packet_t pkt, uint8_t first) {
    uint8_t bytes[LEN];
    for (int i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)(first + i);
    CHECK(odp_packet_copy_from_mem(pkt, 0, odp_packet_len(pkt), bytes) == 0);
}

static uint8_t at(odp_packet_t pkt, uint32_t offset) {
    uint8_t byte;
    CHECK(odp_packet_copy_to_mem(pkt, offset, 1, &byte) == 0);
    return byte;
}

static void test_lengths(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100);
    uint32_t seg_len, len;
    CHECK(pkt != ODP_PACKET_INVALID && odp_packet_is_valid(pkt) == 1);
    CHECK(odp_packet_len(pkt) == 100 && odp_packet_seg_len(pkt) == 100 && odp_packet_num_segs(pkt) == 1);
    CHECK(odp_packet_headroom(pkt) >= HEADROOM && !odp_packet_is_segmented(pkt));
    CHECK((uint8_t *)odp_packet_head(pkt) + odp_packet_headroom(pkt) == odp_packet_data(pkt));
    CHECK((uint8_t *)odp_packet_data(pkt) + 100 == odp_packet_tail(pkt));
    CHECK(odp_packet_buf_len(pkt) == odp_packet_headroom(pkt) + 100 + odp_packet_tailroom(pkt));
    CHECK(odp_packet_data_seg_len(pkt, &seg_len) == odp_packet_data(pkt) && seg_len == 100);
    CHECK(odp_packet_offset(pkt, 40, &len, NULL) == (uint8_t *)odp_packet_data(pkt) + 40 && len == 60);
    CHECK(odp_packet_offset(pkt, 100, NULL, NULL) == NULL);
    CHECK(odp_packet_pool(pkt) == pool && odp_packet_input(pkt) == ODP_PKTIO_INVALID);
    CHECK(odp_packet_input_index(pkt) < 0 && !odp_packet_has_error(pkt) && !odp_packet_has_ts(pkt));
    odp_packet_seg_t seg = odp_packet_first_seg(pkt);
    CHECK(seg == odp_packet_last_seg(pkt) && odp_packet_next_seg(pkt, seg) == ODP_PACKET_SEG_INVALID);
    CHECK(odp_packet_seg_data(pkt, seg) == odp_packet_data(pkt) && odp_packet_seg_data_len(pkt, seg) == 100);
    odp_packet_prefetch(pkt, 0, 100);
    odp_packet_free(pkt);
}

static void test_push_pull(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100);
    uint32_t head = odp_packet_headroom(pkt), tail = odp_packet_tailroom(pkt);
    uint8_t *data = odp_packet_data(pkt);
    fill(pkt, 0);
    CHECK(odp_packet_push_head(pkt, 14) == data - 14 && odp_packet_len(pkt) == 114 &&
          odp_packet_headroom(pkt) == head - 14);
    CHECK(at(pkt, 14) == 0 && at(pkt, 15) == 1);
    CHECK(odp_packet_pull_head(pkt, 18) == data + 4 && odp_packet_len(pkt) == 96 && at(pkt, 0) == 4);
    CHECK(odp_packet_push_tail(pkt, 10) == data + 100 && odp_packet_len(pkt) == 106 &&
          odp_packet_tailroom(pkt) == tail - 10);
    CHECK(odp_packet_pull_tail(pkt, 26) == data + 84 && odp_packet_len(pkt) == 80);
    CHECK(odp_packet_push_head(pkt, odp_packet_headroom(pkt) + 1) == NULL);
    CHECK(odp_packet_push_tail(pkt, odp_packet_tailroom(pkt) + 1) == NULL);
    CHECK(odp_packet_pull_head(pkt, 80) == NULL && odp_packet_pull_tail(pkt, 80) == NULL);
    CHECK(odp_packet_len(pkt) == 80 && odp_packet_data(pkt) == data + 4);
    odp_packet_free(pkt);
}

static void test_extend_trunc(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100);
    void *ptr;
    uint32_t len;
    fill(pkt, 0);
    CHECK(odp_packet_extend_head(&pkt, 20, &ptr, &len) >= 0 && odp_packet_len(pkt) == 120);
    CHECK(ptr == odp_packet_data(pkt) && len >= 20 && at(pkt, 20) == 0 && at(pkt, 119) == 99);
    CHECK(odp_packet_extend_tail(&pkt, 8, &ptr, &len) >= 0 && odp_packet_len(pkt) == 128 && len >= 8);
    CHECK(odp_packet_trunc_head(&pkt, 30, &ptr, &len) >= 0 && odp_packet_len(pkt) == 98);
    CHECK(ptr == odp_packet_data(pkt) && len == odp_packet_seg_len(pkt) && at(pkt, 0) == 10);
    CHECK(odp_packet_trunc_tail(&pkt, 18, &ptr, &len) >= 0 && odp_packet_len(pkt) == 80);
    CHECK(ptr == odp_packet_tail(pkt) && len == odp_packet_tailroom(pkt) && at(pkt, 79) == 89);
    CHECK(odp_packet_trunc_head(&pkt, 80, NULL, NULL) < 0 && odp_packet_trunc_tail(&pkt, 80, NULL, NULL) < 0);
    CHECK(odp_packet_len(pkt) == 80);
    CHECK(odp_packet_add_data(&pkt, 10, 4) >= 0 && odp_packet_len(pkt) == 84);
    CHECK(at(pkt, 9) == 19 && at(pkt, 14) == 20 && at(pkt, 83) == 89);
    CHECK(odp_packet_rem_data(&pkt, 5, 9) >= 0 && odp_packet_len(pkt) == 75);
    CHECK(at(pkt, 4) == 14 && at(pkt, 5) == 20 && at(pkt, 74) == 89);
    CHECK(odp_packet_rem_data(&pkt, 0, 75) < 0); /* something is left */
    CHECK(odp_packet_rem_data(&pkt, 70, 6) < 0 && odp_packet_add_data(&pkt, 76, 1) < 0 && odp_packet_len(pkt) == 75);
    odp_packet_free(pkt);
}

static void test_concat_split(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100), other = odp_packet_alloc(pool, 50), tail;
    fill(pkt, 0);
    fill(other, 200);
    CHECK(odp_packet_concat(&pkt, other) >= 0 && odp_packet_len(pkt) == 150);
    CHECK(at(pkt, 99) == 99 && at(pkt, 100) == 200 && at(pkt, 149) == 249);
    CHECK(odp_packet_split(&pkt, 0, &tail) < 0 && odp_packet_split(&pkt, 150, &tail) < 0);
    odp_packet_user_flag_set(pkt, 1);
    CHECK(odp_packet_split(&pkt, 110, &tail) >= 0 && odp_packet_len(pkt) == 110 && odp_packet_len(tail) == 40);
    CHECK(at(pkt, 109) == 209 && at(tail, 0) == 210 && at(tail, 39) == 249);
    CHECK(odp_packet_pool(tail) == pool && odp_packet_user_flag(pkt) && !odp_packet_user_flag(tail));
    CHECK(odp_packet_seg_to_u64(odp_packet_first_seg(pkt)) != odp_packet_seg_to_u64(ODP_PACKET_SEG_INVALID));
    odp_packet_free(tail);
    odp_packet_free(pkt);
}

static void test_align(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100);
    uint32_t len = 0;
    fill(pkt, 0);
    for (uint32_t offset = 0; offset < 40; offset += 3) {
        CHECK(odp_packet_align(&pkt, offset, 20, 32) >= 0);
        CHECK((uintptr_t)odp_packet_offset(pkt, offset, &len, NULL) % 32 == 0 && len >= 20);
        CHECK(odp_packet_len(pkt) == 100 && at(pkt, 0) == 0 && at(pkt, offset) == offset && at(pkt, 99) == 99);
    }
    CHECK(odp_packet_align(&pkt, 7, 10, 0) >= 0);
    CHECK(odp_packet_push_head(pkt, odp_packet_headroom(pkt)) != NULL);
    CHECK(odp_packet_align(&pkt, 1, 1, 32) >= 0 && (uintptr_t)odp_packet_offset(pkt, 1, NULL, NULL) % 32 == 0);
    odp_packet_free(pkt);
}

static void test_copies(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 64), other = odp_packet_alloc(pool, 64);
    uint8_t bytes[64];
    fill(pkt, 1);
    fill(other, 101);
    memset(odp_packet_user_area(pkt), 0x5a, UAREA);
    odp_packet_user_ptr_set(pkt, &pool);
    odp_packet_user_flag_set(pkt, 1);
    odp_packet_ts_set(pkt, odp_time_global_from_ns(123456));
    odp_packet_t copy = odp_packet_copy(pkt, pool);
    CHECK(odp_packet_has_ts(copy) && odp_time_cmp(odp_packet_ts(copy), odp_packet_ts(pkt)) == 0);
    CHECK(copy != ODP_PACKET_INVALID && copy != pkt && odp_packet_len(copy) == 64 && at(copy, 63) == 64);
    CHECK(odp_packet_user_ptr(copy) == &pool && odp_packet_user_flag(copy));
    CHECK(memcmp(odp_packet_user_area(copy), odp_packet_user_area(pkt), UAREA) == 0);
    odp_packet_t part = odp_packet_copy_part(pkt, 10, 20, pool);
    CHECK(part != ODP_PACKET_INVALID && odp_packet_len(part) == 20 && at(part, 0) == 11 && at(part, 19) == 30);
    CHECK(odp_packet_user_ptr(part) == NULL && !odp_packet_user_flag(part) && !odp_packet_has_ts(part));
    CHECK(odp_packet_copy_from_pkt(pkt, 60, other, 0, 4) == 0 && at(pkt, 60) == 101 && at(pkt, 63) == 104);
    CHECK(odp_packet_copy_from_pkt(pkt, 61, other, 0, 4) < 0 && odp_packet_copy_from_pkt(pkt, 0, other, 61, 4) < 0);
    CHECK(odp_packet_move_data(pkt, 1, 0, 10) == 0 && at(pkt, 1) == 1 && at(pkt, 10) == 10);
    CHECK(odp_packet_copy_data(pkt, 40, 0, 4) == 0 && at(pkt, 41) == 1);
    CHECK(odp_packet_copy_to_mem(pkt, 0, 64, bytes) == 0 && odp_packet_copy_to_mem(pkt, 1, 64, bytes) < 0);
    CHECK(odp_packet_copy_from_mem(pkt, 60, 5, bytes) < 0);
    odp_packet_t all[4] = {pkt, other, copy, part};
    odp_packet_free_sp(all, 4);
}

static void test_metadata(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 64);
    uint32_t most = odp_packet_reset_max_len(pkt);
    odp_time_t time = odp_time_global_from_ns(123456);
    CHECK(odp_packet_user_area_size(pkt) >= UAREA && odp_packet_user_area(pkt) != NULL);
    memset(odp_packet_user_area(pkt), 0x77, UAREA);
    odp_packet_user_ptr_set(pkt, pkt);
    odp_packet_user_flag_set(pkt, 1);
    odp_packet_ts_set(pkt, time);
    CHECK(odp_packet_has_ts(pkt) && odp_time_cmp(odp_packet_ts(pkt), time) == 0);
    odp_packet_has_ts_clr(pkt);
    CHECK(!odp_packet_has_ts(pkt) && odp_packet_user_flag(pkt) && odp_packet_user_ptr(pkt) == (void *)pkt);
    odp_packet_user_flag_set(pkt, 0);
    odp_packet_has_ts_clr(pkt);
    CHECK(!odp_packet_has_ts(pkt) && !odp_packet_user_flag(pkt));
    odp_packet_user_flag_set(pkt, 1);
    CHECK(most >= LEN && odp_packet_reset(pkt, most + 1) < 0 && odp_packet_len(pkt) == 64);
    CHECK(odp_packet_reset(pkt, most) == 0 && odp_packet_len(pkt) == most && odp_packet_headroom(pkt) >= HEADROOM);
    CHECK(most + odp_packet_headroom(pkt) + odp_packet_tailroom(pkt) == odp_packet_buf_len(pkt));
    CHECK(odp_packet_tailroom(pkt) < odp_packet_buf_len(pkt)); /* it does not reach beyond the buffer */
    CHECK(odp_packet_user_ptr(pkt) == NULL && !odp_packet_user_flag(pkt));
    CHECK(*(uint8_t *)odp_packet_user_area(pkt) == 0x77);
    odp_event_t event = odp_packet_to_event(pkt);
    odp_event_type_t type;
    CHECK(odp_event_type(event) == ODP_EVENT_PACKET && odp_event_subtype(event) == ODP_EVENT_PACKET_BASIC);
    CHECK(odp_packet_from_event(event) == pkt && odp_event_is_valid(event) == 1);
    CHECK(odp_event_type_multi(&event, 1, &type) == 1 && type == ODP_EVENT_PACKET && odp_event_pool(event) == pool);
    odp_packet_t again;
    odp_packet_to_event_multi(&pkt, &event, 1);
    odp_packet_from_event_multi(&again, &event, 1);
    CHECK(again == pkt && event == odp_packet_to_event(pkt));
    CHECK(odp_packet_to_u64(pkt) != odp_packet_to_u64(ODP_PACKET_INVALID));
    CHECK(odp_pool_to_u64(pool) != odp_pool_to_u64(ODP_POOL_INVALID));
    odp_packet_print(pkt);
    odp_packet_print_data(pkt, 0, odp_packet_len(pkt));
    odp_event_free(event);
    CHECK(odp_packet_is_valid(ODP_PACKET_INVALID) == 0 && odp_event_is_valid(ODP_EVENT_INVALID) == 0);
}

static void test_exhaustion(void) {
    odp_packet_t pkt[NUM * 4];
    odp_pool_t small = test_packet_pool(NUM, LEN, 0, 0);
    int got = odp_packet_alloc_multi(small, LEN, pkt, NUM), more = 0;
    CHECK(got == NUM);
    while (more < NUM * 3 && (pkt[NUM + more] = odp_packet_alloc(small, 1)) != ODP_PACKET_INVALID)
        more++;
    CHECK(more < NUM * 3); /* it may be rounded up, not without end */
    CHECK(odp_packet_alloc_multi(small, 1, &pkt[NUM + more], 1) <= 0);
    odp_packet_free_multi(pkt, NUM + more);
    CHECK(odp_packet_alloc_multi(small, LEN, pkt, NUM) == NUM);
    odp_packet_free_multi(pkt, NUM);
    CHECK(odp_packet_alloc(small, 1u << 30) == ODP_PACKET_INVALID);
    CHECK(odp_pool_destroy(small) == 0);
}

static void churn(int number) {
    odp_packet_t pkt[32];
    uint64_t seed = (uint64_t)number + 1;
    for (int round = 0; round < 3000; round++) {
        uint8_t random[2];
        CHECK(odp_random_test_data(random, 2, &seed) == 2);
        int got = odp_packet_alloc_multi(pool, 64, pkt, random[0] % 32 + 1);
        CHECK(got >= 0);
        for (int i = 0; i < got; i++) {
            CHECK(odp_packet_len(pkt[i]) == 64);
            memset(odp_packet_data(pkt[i]), number, 64);
        }
        for (int i = 0; i < got; i++)
            CHECK(at(pkt[i], random[1] % 64) == (uint8_t)number);
        odp_packet_free_multi(pkt, got);
    }
}

static int inits;

static void uarea_init(void *uarea, uint32_t size, void *args, uint32_t index) {
    CHECK(size >= 8 && args == &inits);
    memset(uarea, (int)(index & 0xff), 8);
    inits++;
}

static void test_pool_calls(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t param;
    odp_pool_info_t info;
    odp_packet_t pkt[8];
    CHECK(odp_pool_capability(&capa) == 0 && capa.max_pools > 0);
    CHECK(odp_pool_lookup("test packets") == pool && odp_pool_lookup("nothing") == ODP_POOL_INVALID);
    CHECK(odp_pool_info(pool, &info) == 0 && info.type == ODP_POOL_PACKET && info.pkt.max_num >= NUM);
    CHECK(strcmp(info.name, "test packets") == 0 && info.params.pkt.len == LEN && !info.pool_ext);
    CHECK(odp_pool_index(pool) >= 0 && (unsigned)odp_pool_index(pool) <= odp_pool_max_index());
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 8;
    param.pkt.len = 64;
    param.pkt.uarea_size = 8;
    param.uarea_init.init_fn = uarea_init;
    param.uarea_init.args = &inits;
    odp_pool_t other = odp_pool_create(NULL, &param);
    CHECK(other != ODP_POOL_INVALID && odp_packet_alloc_multi(other, 64, pkt, 8) == 8);
    if (capa.pkt.uarea_persistence) {
        uint8_t first = *(uint8_t *)odp_packet_user_area(pkt[0]), other_one = *(uint8_t *)odp_packet_user_area(pkt[1]);
        CHECK(inits >= 8 && first != other_one);
    }
    odp_packet_free_multi(pkt, 8);
    CHECK(odp_pool_destroy(other) == 0);
    param.pkt.uarea_size = capa.pkt.max_uarea_size + 1;
    CHECK(odp_pool_create(NULL, &param) == ODP_POOL_INVALID);
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 8;
    param.pkt.headroom = capa.pkt.max_headroom + 1;
    CHECK(odp_pool_create(NULL, &param) == ODP_POOL_INVALID);
}

static void test_buffers(void) {
    odp_pool_param_t param;
    odp_buffer_t buf[10];
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = 10;
    param.buf.size = 200;
    param.buf.align = 64;
    param.buf.cache_size = 0;
    odp_pool_t buffers = odp_pool_create("test buffers", &param);
    CHECK(buffers != ODP_POOL_INVALID && odp_buffer_alloc_multi(buffers, buf, 10) == 10);
    for (int i = 0; i < 10; i++) {
        CHECK(odp_buffer_size(buf[i]) >= 200 && (uintptr_t)odp_buffer_addr(buf[i]) % 64 == 0);
        CHECK(odp_buffer_is_valid(buf[i]) && odp_buffer_pool(buf[i]) == buffers);
        CHECK(odp_event_type(odp_buffer_to_event(buf[i])) == ODP_EVENT_BUFFER);
        CHECK(odp_buffer_from_event(odp_buffer_to_event(buf[i])) == buf[i]);
        memset(odp_buffer_addr(buf[i]), i, 200);
    }
    for (int i = 0; i < 10; i++)
        CHECK(((uint8_t *)odp_buffer_addr(buf[i]))[199] == i);
    odp_buffer_free(buf[0]);
    odp_event_free(odp_buffer_to_event(buf[1]));
    odp_buffer_free_multi(buf + 2, 8);
    CHECK(odp_pool_destroy(buffers) == 0);
}

/* What threads that have ended freed last is there for others. */
static void test_all_are_there(void) {
    odp_packet_t pkt[NUM];
    CHECK(odp_packet_alloc_multi(pool, LEN, pkt, NUM) == NUM);
    odp_packet_free_multi(pkt, NUM);
}

int main(void) {
    odp_pool_param_t param;
    test_begin();
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = NUM;
    param.pkt.len = LEN;
    param.pkt.seg_len = LEN;
    param.pkt.uarea_size = UAREA;
    param.pkt.headroom = HEADROOM;
    pool = odp_pool_create("test packets", &param);
    CHECK(pool != ODP_POOL_INVALID);
    test_lengths();
    test_push_pull();
    test_extend_trunc();
    test_concat_split();
    test_align();
    test_copies();
    test_metadata();
    test_exhaustion();
    test_pool_calls();
    test_buffers();
    test_threads(4, churn);
    test_all_are_there();
    CHECK(odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
