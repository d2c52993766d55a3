/* Ports: configuration and its errors, a file in and a file out, what is sent and what is not, the port "loop".
 * Arguments: a port that reads frames from a file, one that writes a file, one that swallows all; number of frames,
 * that of their bytes. Port names are the implementation's. */
#include "check.h"

static odp_pool_t pool;

static odp_pktio_t port_new(const char *name, odp_pktin_queue_t *in, odp_pktout_queue_t *out,
                            odp_pktio_op_mode_t mode) {
    odp_pktio_param_t param;
    odp_pktio_config_t config;
    odp_pktin_queue_param_t in_param;
    odp_pktout_queue_param_t out_param;
    odp_pktio_capability_t capa;
    odp_pktio_param_init(&param);
    CHECK(param.in_mode == ODP_PKTIN_MODE_DIRECT && param.out_mode == ODP_PKTOUT_MODE_DIRECT);
    odp_pktio_t pktio = odp_pktio_open(name, pool, &param);
    CHECK(pktio != ODP_PKTIO_INVALID);
    CHECK(odp_pktio_open(name, pool, &param) == ODP_PKTIO_INVALID && odp_pktio_lookup(name) == pktio);
    CHECK(odp_pktio_capability(pktio, &capa) == 0 && capa.max_input_queues >= 1 && capa.max_output_queues >= 1);
    odp_pktio_config_init(&config);
    config.parser.layer = ODP_PROTO_LAYER_NONE;
    CHECK(odp_pktio_config(pktio, &config) == 0);
    odp_pktin_queue_param_init(&in_param);
    odp_pktout_queue_param_init(&out_param);
    CHECK(in_param.num_queues == 1 && in_param.op_mode == ODP_PKTIO_OP_MT && out_param.num_queues == 1);
    in_param.op_mode = out_param.op_mode = mode;
    in_param.num_queues = capa.max_input_queues + 1;
    in_param.hash_enable = 1;
    CHECK(odp_pktin_queue_config(pktio, &in_param) < 0);
    in_param.num_queues = 1;
    in_param.hash_enable = 0;
    CHECK(odp_pktin_queue_config(pktio, &in_param) == 0 && odp_pktout_queue_config(pktio, &out_param) == 0);
    CHECK(odp_pktin_queue(pktio, NULL, 0) == 1 && odp_pktin_queue(pktio, in, 1) == 1);
    CHECK(odp_pktout_queue(pktio, NULL, 0) == 1 && odp_pktout_queue(pktio, out, 1) == 1);
    if (capa.set_op.op.promisc_mode) /* else what is not for the port's own address may be left out */
        CHECK(odp_pktio_promisc_mode_set(pktio, 1) == 0 && odp_pktio_promisc_mode(pktio) == 1);
    CHECK(odp_pktio_start(pktio) == 0);
    CHECK(odp_pktio_start(pktio) < 0 && odp_pktio_close(pktio) < 0);
    return pktio;
}

static void test_questions(odp_pktio_t pktio, const char *name) {
    odp_pktio_info_t info;
    odp_pktio_link_info_t link;
    CHECK(odp_pktio_info(pktio, &info) == 0 && strcmp(info.name, name) == 0 && info.pool == pool);
    CHECK(info.param.in_mode == ODP_PKTIN_MODE_DIRECT && info.drv_name != NULL);
    int index = odp_pktio_index(pktio);
    CHECK(index >= 0 && index <= (int)odp_pktio_max_index());
    CHECK(odp_pktio_max_index() <= ODP_PKTIO_MAX_INDEX);
    CHECK(odp_pktout_maxlen(pktio) >= 1514 && odp_pktin_maxlen(pktio) >= 1514);
    CHECK(odp_pktio_link_status(pktio) == ODP_PKTIO_LINK_STATUS_UP);
    CHECK(odp_pktio_link_info(pktio, &link) == 0 && link.media != NULL);
    uint64_t res = odp_pktio_ts_res(pktio), tick = ODP_TIME_SEC_IN_NS / res + 1;
    CHECK(res > 0);
    uint64_t ns = odp_time_to_ns(odp_pktio_ts_from_ns(pktio, ODP_TIME_SEC_IN_NS));
    CHECK(ns >= ODP_TIME_SEC_IN_NS - tick && ns <= ODP_TIME_SEC_IN_NS + tick);
    odp_time_t before = odp_time_global(), global, first = odp_pktio_time(pktio, NULL);
    CHECK(odp_time_cmp(odp_pktio_time(pktio, &global), first) >= 0);
    CHECK(odp_time_cmp(global, before) >= 0 && odp_time_cmp(odp_time_global(), global) >= 0);
    uint8_t mac[ODP_PKTIO_MACADDR_MAXSIZE];
    int size = odp_pktio_mac_addr(pktio, mac, sizeof(mac)); /* a file may have none */
    CHECK((size == 6 || size < 0) && odp_pktio_mac_addr(pktio, mac, 5) < 0);
    CHECK(odp_pktio_to_u64(pktio) != odp_pktio_to_u64(ODP_PKTIO_INVALID));
    odp_pktio_print(pktio);
}

/* Counters beyond the specification's: as many names as values, and none beyond them. */
static void test_extra_counters(odp_pktio_t pktio) {
    int count = odp_pktio_extra_stat_info(pktio, NULL, 0);
    CHECK(count >= 0 && odp_pktio_extra_stats(pktio, NULL, 0) == count);
    odp_pktio_extra_stat_info_t info[count + 1];
    uint64_t value[count + 1], one;
    CHECK(odp_pktio_extra_stat_info(pktio, info, count) == count);
    CHECK(odp_pktio_extra_stats(pktio, value, count) == count);
    for (int i = 0; i < count; i++) {
        CHECK(strnlen(info[i].name, ODP_PKTIO_STATS_EXTRA_NAME_LEN) < ODP_PKTIO_STATS_EXTRA_NAME_LEN);
        CHECK(odp_pktio_extra_stat_counter(pktio, (uint32_t)i, &one) == 0);
    }
    CHECK(odp_pktio_extra_stat_counter(pktio, (uint32_t)count, &one) < 0);
}

/* A port that only sends has no input queues, and needs none; one that only receives no output queues. */
static void test_one_way(const char *name) {
    odp_pktio_param_t param;
    for (int way = 0; way < 2; way++) {
        odp_pktio_param_init(&param);
        if (way == 0)
            param.in_mode = ODP_PKTIN_MODE_DISABLED;
        else
            param.out_mode = ODP_PKTOUT_MODE_DISABLED;
        odp_pktio_t pktio = odp_pktio_open(name, pool, &param);
        CHECK(pktio != ODP_PKTIO_INVALID);
        CHECK(odp_pktin_queue_config(pktio, NULL) == 0 && odp_pktout_queue_config(pktio, NULL) == 0);
        CHECK(odp_pktin_queue(pktio, NULL, 0) == way && odp_pktout_queue(pktio, NULL, 0) == 1 - way);
        CHECK(odp_pktio_start(pktio) == 0 && odp_pktio_stop(pktio) == 0 && odp_pktio_close(pktio) == 0);
    }
}

/* Everything from the first port to the second, a copy of the first burst to the third. */
static void replay(odp_pktio_t port, odp_pktin_queue_t in, const odp_pktout_queue_t out[], int frames, int octets) {
    odp_packet_t pkt[64];
    const uint64_t wait = odp_pktin_wait_time(1000000), second = odp_pktin_wait_time(1000000000);
    int received = 0, bytes = 0, empty = 0;
    for (unsigned call = 0; received < frames && empty < 100000; call++) {
        uint32_t from = call % 3 == 2 ? 1 : 0;
        int got = call % 3 == 0   ? odp_pktin_recv_tmo(in, pkt, 23, call == 0 ? second : wait)
                  : call % 3 == 1 ? odp_pktin_recv(in, pkt, 23)
                                  : odp_pktin_recv_mq_tmo(&in, 1, &from, pkt, 23, wait);
        CHECK(got >= 0 && got <= 23 && (got == 0 || from == 0) && (got > 0 || call > 0));
        empty = got == 0 ? empty + 1 : 0;
        for (int i = 0; i < got; i++) {
            CHECK(odp_packet_input(pkt[i]) == port && odp_packet_input_index(pkt[i]) == odp_pktio_index(port));
            CHECK(!odp_packet_has_error(pkt[i]) && odp_packet_len(pkt[i]) > 0);
            bytes += (int)odp_packet_len(pkt[i]);
        }
        if (received == 0)
            for (int i = 0; i < got; i++) {
                odp_packet_t copy = odp_packet_copy(pkt[i], pool);
                CHECK(copy != ODP_PACKET_INVALID && odp_pktout_send(out[2], &copy, 1) == 1);
            }
        CHECK(got == 0 || odp_pktout_send(out[1], pkt, got) == got);
        received += got;
    }
    CHECK(received == frames && bytes == octets);
}

/* The specification's own port: what is sent comes back in, in order, as much of it as is taken. */
static void test_loop(void) {
    enum { FRAMES = 40, LENGTH = 60 };
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    odp_packet_t pkt[FRAMES], back[FRAMES];
    odp_pktio_stats_t stats;
    odp_pktio_t port = port_new("loop", &in, &out, ODP_PKTIO_OP_MT);
    uint8_t mac[ODP_PKTIO_MACADDR_MAXSIZE];
    CHECK(odp_pktio_mac_addr(port, mac, sizeof(mac)) == 6 && (mac[0] & 1) == 0);
    CHECK(odp_pktin_recv(in, back, FRAMES) == 0);
    for (int i = 0; i < FRAMES; i++) {
        pkt[i] = odp_packet_alloc(pool, LENGTH + (uint32_t)i);
        CHECK(pkt[i] != ODP_PACKET_INVALID);
        memset(odp_packet_data(pkt[i]), i, LENGTH + (uint32_t)i);
    }
    int sent = 0, got = 0;
    for (int turn = 0; turn < 1000 && got < FRAMES; turn++) { /* in some steps: ports take and give as they can */
        int more = sent < FRAMES ? odp_pktout_send(out, pkt + sent, FRAMES - sent) : 0;
        CHECK(more >= 0);
        sent += more;
        more = odp_pktin_recv(in, back + got, FRAMES - got);
        CHECK(more >= 0);
        got += more;
    }
    CHECK(sent == FRAMES && got == FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        const uint8_t *data = odp_packet_data(back[i]);
        CHECK(odp_packet_len(back[i]) == LENGTH + (uint32_t)i && data[0] == i && data[LENGTH + i - 1] == i);
        CHECK(odp_packet_input(back[i]) == port && odp_packet_headroom(back[i]) > 0);
    }
    odp_packet_free_multi(back, FRAMES);
    CHECK(odp_pktio_stats(port, &stats) == 0);
    CHECK(stats.in_packets == FRAMES && stats.out_packets == FRAMES && stats.in_octets == stats.out_octets);
    CHECK(stats.in_octets == FRAMES * LENGTH + FRAMES * (FRAMES - 1) / 2);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0);
}

int main(int argc, char **argv) {
    odp_pktin_queue_t in[3];
    odp_pktout_queue_t out[3];
    odp_pktio_t port[3];
    odp_packet_t pkt[64];
    odp_pktio_stats_t stats;
    CHECK(argc == 6);
    int frames = atoi(argv[4]), octets = atoi(argv[5]);
    test_begin();
    pool = test_packet_pool(512, 2048, 0, 64);
    CHECK(odp_pktio_open("no:such:driver", pool, NULL) == ODP_PKTIO_INVALID);
    CHECK(odp_pktio_lookup("nothing") == ODP_PKTIO_INVALID);
    for (int i = 0; i < 3; i++)
        port[i] = port_new(argv[i + 1], &in[i], &out[i], i == 1 ? ODP_PKTIO_OP_MT : ODP_PKTIO_OP_MT_UNSAFE);
    test_questions(port[0], argv[1]);
    replay(port[0], in[0], out, frames, octets);
    CHECK(odp_pktin_recv(in[0], pkt, 64) == 0);
    CHECK(odp_pktin_recv_tmo(in[2], pkt, 64, odp_pktin_wait_time(1000000)) == 0);
    CHECK(odp_pktin_recv_mq_tmo(in + 2, 1, NULL, pkt, 64, ODP_PKTIN_NO_WAIT) == 0);
    odp_pktin_queue_stats_t in_stats;
    odp_pktout_queue_stats_t out_stats;
    odp_pktio_capability_t capa;
    CHECK(odp_pktio_capability(port[0], &capa) == 0);
    if (capa.stats.pktin_queue.counter.packets)
        CHECK(odp_pktin_queue_stats(in[0], &in_stats) == 0 && in_stats.packets == (uint64_t)frames);
    CHECK(odp_pktio_capability(port[1], &capa) == 0);
    if (capa.stats.pktout_queue.counter.packets)
        CHECK(odp_pktout_queue_stats(out[1], &out_stats) == 0 && out_stats.packets == (uint64_t)frames);
    test_extra_counters(port[0]);
    CHECK(odp_pktio_stats(port[1], &stats) == 0 && stats.out_packets == (uint64_t)frames);
    CHECK(stats.out_octets == (uint64_t)octets);
    CHECK(odp_pktio_stats(port[0], &stats) == 0 && stats.in_packets == (uint64_t)frames);
    CHECK(odp_pktio_stats_reset(port[0]) == 0 && odp_pktio_stats(port[0], &stats) == 0 && stats.in_packets == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(odp_pktio_stop(port[i]) == 0 && odp_pktio_stop(port[i]) < 0);
        CHECK(odp_pktio_close(port[i]) == 0);
    }
    CHECK(odp_pktio_lookup(argv[1]) == ODP_PKTIO_INVALID);
    test_one_way(argv[3]);
    test_loop();
    CHECK(odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
