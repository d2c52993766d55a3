/* Events of several types at once, what buffers and packets have in common, statistics of pools. */
#include "check.h"

enum { NUM = 64, MIXED = 6 };

static odp_pool_t packets;
static odp_pool_t buffers;

static odp_pool_t buffer_pool(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t param;
    CHECK(odp_pool_capability(&capa) == 0);
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = NUM;
    param.buf.size = 100;
    param.buf.uarea_size = 16;
    param.stats.bit.available = capa.buf.stats.bit.available;
    param.stats.bit.cache_available = capa.buf.stats.bit.cache_available;
    odp_pool_t pool = odp_pool_create("event buffers", &param);
    CHECK(pool != ODP_POOL_INVALID);
    return pool;
}

/* Buffer, packet, packet, buffer, packet, buffer. */
static void mixed(odp_event_t event[MIXED]) {
    for (int i = 0; i < MIXED; i++) {
        bool packet = i == 1 || i == 2 || i == 4;
        event[i] = packet ? odp_packet_to_event(odp_packet_alloc(packets, 60))
                          : odp_buffer_to_event(odp_buffer_alloc(buffers));
        CHECK(event[i] != ODP_EVENT_INVALID);
    }
}

static void test_types(void) {
    odp_event_t event[MIXED], remain[MIXED];
    odp_event_type_t type[MIXED];
    odp_event_subtype_t subtype[MIXED];
    odp_packet_t pkt[MIXED];
    mixed(event);
    odp_event_types_multi(event, type, subtype, MIXED);
    CHECK(type[0] == ODP_EVENT_BUFFER && type[1] == ODP_EVENT_PACKET && type[5] == ODP_EVENT_BUFFER);
    CHECK(subtype[0] == ODP_EVENT_NO_SUBTYPE && subtype[4] == ODP_EVENT_PACKET_BASIC);
    odp_event_types_multi(event, type, NULL, MIXED);
    CHECK(odp_event_types(event[2], subtype) == ODP_EVENT_PACKET && *subtype == ODP_EVENT_PACKET_BASIC);
    CHECK(odp_event_type_multi(event, MIXED, type) == 1 && odp_event_type_multi(event + 1, MIXED - 1, type) == 2);
    CHECK(odp_event_filter_packet(event, pkt, remain, MIXED) == 3);
    CHECK(odp_packet_to_event(pkt[0]) == event[1] && odp_packet_to_event(pkt[2]) == event[4]);
    CHECK(remain[0] == event[0] && remain[1] == event[3] && remain[2] == event[5]);
    CHECK(odp_event_filter_packet(event + 1, pkt, remain, 1) == 1 &&
          odp_event_filter_packet(event, pkt, remain, 1) == 0);
    CHECK(odp_event_is_valid(event[0]) == 1 && odp_event_pool(event[0]) == buffers);
    CHECK(odp_event_to_u64(event[0]) != odp_event_to_u64(event[1]));
    odp_event_free_multi(event, MIXED);
    mixed(event);
    odp_event_free_sp(event + 1, 2);
    odp_event_free(event[0]);
    odp_event_free_multi(event + 3, 3);
}

static void test_user_areas(void) {
    odp_event_t event[MIXED];
    int flag = 5;
    mixed(event);
    odp_buffer_t buf = odp_buffer_from_event(event[0]);
    odp_packet_t pkt = odp_packet_from_event(event[1]);
    CHECK(odp_event_user_area(event[0]) == odp_buffer_user_area(buf) && odp_buffer_user_area(buf) != NULL);
    CHECK(odp_event_user_area(event[1]) == odp_packet_user_area(pkt));
    odp_event_user_flag_set(event[0], 1);
    CHECK(odp_event_user_area_and_flag(event[0], &flag) == odp_buffer_user_area(buf) && flag < 0);
    CHECK(odp_event_user_area_and_flag(event[1], &flag) == odp_packet_user_area(pkt) && flag == 0);
    odp_event_user_flag_set(event[1], 1);
    CHECK(odp_event_user_area_and_flag(event[1], &flag) != NULL && flag > 0 && odp_packet_user_flag(pkt));
    odp_event_user_flag_set(event[1], 0);
    CHECK(!odp_packet_user_flag(pkt));
    odp_event_free_multi(event, MIXED);
}

static void test_buffers(void) {
    odp_buffer_t buf[4], back[4];
    odp_event_t event[4];
    CHECK(odp_buffer_alloc_multi(buffers, buf, 4) == 4 && odp_buffer_alloc_multi(buffers, buf, 0) == 0);
    odp_buffer_to_event_multi(buf, event, 4);
    odp_buffer_from_event_multi(back, event, 4);
    CHECK(memcmp(buf, back, sizeof(buf)) == 0 && odp_buffer_to_event(buf[3]) == event[3]);
    odp_buffer_print(buf[0]);
    CHECK(odp_buffer_to_u64(buf[0]) != odp_buffer_to_u64(ODP_BUFFER_INVALID));
    CHECK(odp_buffer_is_valid(ODP_BUFFER_INVALID) == 0 && odp_buffer_is_valid(buf[0]) == 1);
    odp_buffer_free_multi(buf, 4);
}

static void test_statistics(void) {
    odp_pool_info_t info;
    odp_pool_stats_t stats;
    odp_pool_stats_selected_t selected;
    odp_buffer_t buf[10];
    CHECK(odp_pool_info(buffers, &info) == 0 && odp_buffer_alloc_multi(buffers, buf, 10) == 10);
    odp_pool_stats_opt_t enabled = info.params.stats;
    stats.thread.first = stats.thread.last = (uint16_t)odp_thread_id();
    CHECK(odp_pool_stats(buffers, &stats) == 0 && odp_pool_stats_selected(buffers, &selected, &enabled) == 0);
    if (enabled.bit.available && enabled.bit.cache_available) {
        CHECK(stats.available + stats.cache_available == NUM - 10);
        CHECK(selected.available + selected.cache_available == NUM - 10);
    }
    odp_buffer_free_multi(buf, 10);
    CHECK(odp_pool_stats_reset(buffers) == 0);
    odp_pool_print(buffers);
    odp_pool_print_all();
}

static void test_sums(void) {
    uint8_t bytes[4] ODP_ALIGNED(2) = {0x12, 0x34, 0xff, 0xf0};
    uint8_t expected[2] = {0x12, 0x25}, odd[2] = {0x11, 0x35};
    uint16_t sum = odp_chksum_ones_comp16(bytes, 4);
    CHECK(memcmp(&sum, expected, 2) == 0);
    sum = odp_chksum_ones_comp16(bytes, 3); /* 0x1234 + 0xff00 */
    CHECK(memcmp(&sum, odd, 2) == 0 && odp_chksum_ones_comp16(bytes, 0) == 0);
}

int main(void) {
    test_begin();
    packets = test_packet_pool(NUM, 100, 16, 8);
    buffers = buffer_pool();
    test_types();
    test_user_areas();
    test_buffers();
    test_statistics();
    test_sums();
    CHECK(odp_pool_destroy(buffers) == 0 && odp_pool_destroy(packets) == 0);
    test_end();
    return 0;
}
