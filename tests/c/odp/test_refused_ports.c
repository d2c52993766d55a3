/* What this implementation takes and what it refuses of ports: the last value of each limit and the first one beyond
 * it. */
#include "check.h"

static void test_opening(odp_pool_t pool) {
    enum { LONGEST = 255 };
    static const struct {
        odp_pktin_mode_t in;
        odp_pktout_mode_t out;
        bool fine;
    } modes[] = {{ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_DIRECT, true},
                 {ODP_PKTIN_MODE_DISABLED, ODP_PKTOUT_MODE_DIRECT, true},
                 {ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_DISABLED, true},
                 {ODP_PKTIN_MODE_SCHED, ODP_PKTOUT_MODE_DIRECT, false},
                 {ODP_PKTIN_MODE_QUEUE, ODP_PKTOUT_MODE_DIRECT, false},
                 {ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_QUEUE, false},
                 {ODP_PKTIN_MODE_DISABLED, ODP_PKTOUT_MODE_TM, false}};
    odp_pool_param_t param;
    odp_pktio_t pktio;
    char name[LONGEST + 2] = "null:";
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        odp_pktio_param_t wanted = {modes[i].in, modes[i].out};
        pktio = odp_pktio_open("null:modes", pool, &wanted);
        CHECK((pktio != ODP_PKTIO_INVALID) == modes[i].fine);
        CHECK(modes[i].fine ? odp_pktio_close(pktio) == 0 : odp_errno() == EINVAL);
    }
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = 4;
    odp_pool_t buffers = odp_pool_create(NULL, &param);
    CHECK(odp_pktio_open("null:", buffers, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(odp_pktio_open("null:", ODP_POOL_INVALID, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(odp_pool_destroy(buffers) == 0);
    memset(name + 5, 'n', LONGEST - 5 + 1);
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    name[LONGEST] = '\0';
    CHECK((pktio = odp_pktio_open(name, pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_lookup(name) == pktio);
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EBUSY);
    CHECK(odp_pktio_close(pktio) == 0 && odp_pktio_lookup(name) == ODP_PKTIO_INVALID);
    CHECK(odp_pktio_open("none:", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == ENODEV);
    CHECK(odp_pktio_open("null", pool, NULL) == ODP_PKTIO_INVALID); /* an interface's name */
}

static void test_all_ports(odp_pool_t pool) {
    odp_pktio_t ports[ODP_PKTIO_MAX_INDEX + 1];
    char name[32];
    for (int i = 0; i <= ODP_PKTIO_MAX_INDEX; i++) {
        snprintf(name, sizeof(name), "null:%d", i);
        CHECK((ports[i] = odp_pktio_open(name, pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_index(ports[i]) == i);
    }
    CHECK(odp_pktio_open("null:more", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == ENOSPC);
    CHECK(odp_pktio_close(ports[7]) == 0 && odp_pktio_lookup("null:8") == ports[8]);
    CHECK((ports[7] = odp_pktio_open("null:7", pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_index(ports[7]) == 7);
    for (int i = 0; i <= ODP_PKTIO_MAX_INDEX; i++)
        CHECK(odp_pktio_close(ports[i]) == 0);
}

static bool has_eth; /* of what a loop has given back */

/* Whether frames that a loop gives back have a time. */
static bool stamps(odp_pktio_t port, odp_pool_t pool) {
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    odp_packet_t packet = odp_packet_alloc(pool, 60);
    CHECK(odp_pktin_queue(port, &in, 1) == 1 && odp_pktout_queue(port, &out, 1) == 1);
    CHECK(odp_pktio_start(port) == 0 && odp_pktout_send(out, &packet, 1) == 1 && odp_pktin_recv(in, &packet, 1) == 1);
    const bool has = odp_packet_has_ts(packet);
    has_eth = odp_packet_has_eth(packet);
    odp_packet_free(packet);
    CHECK(odp_pktio_stop(port) == 0);
    return has;
}

/* What is refused leaves the configuration as it was; without one a port has that of the beginning again. */
static void test_configurations(odp_pool_t pool) {
    odp_pktio_t port = odp_pktio_open("loop:configured", pool, NULL);
    odp_pktio_capability_t capa;
    odp_pktio_config_t good, config;
    CHECK(odp_pktin_queue_config(port, NULL) == 0 && odp_pktout_queue_config(port, NULL) == 0);
    CHECK(odp_pktio_capability(port, &capa) == 0 && !stamps(port, pool) && has_eth); /* all is parsed */
    odp_pktio_config_init(&good);
    CHECK(good.parser.layer == ODP_PROTO_LAYER_ALL && good.pktin.all_bits == 0 && good.pktout.all_bits == 0);
    good.pktin.bit.ts_all = 1;
    good.pktout.bit.no_packet_refs = 1;
    good.parser.layer = ODP_PROTO_LAYER_NONE;
    CHECK(odp_pktio_config(port, &good) == 0 && stamps(port, pool) && !has_eth);
    odp_pktin_config_opt_t in = {.bit = {.ts_all = 1, .ts_ptp = 1}};
    odp_pktout_config_opt_t out = {.bit = {.no_packet_refs = 1}};
    CHECK(capa.config.pktin.all_bits == in.all_bits && capa.config.pktout.all_bits == out.all_bits);
    for (unsigned bit = 0; bit < 128; bit++) {
        const uint64_t one = (uint64_t)1 << bit % 64, known = bit < 64 ? in.all_bits : out.all_bits;
        odp_pktio_config_init(&config);
        *(bit < 64 ? &config.pktin.all_bits : &config.pktout.all_bits) |= one;
        if (!(known & one))
            CHECK(odp_pktio_config(port, &config) < 0 && odp_errno() == ENOTSUP);
    }
    for (unsigned what = 0; what < 4; what++) {
        odp_pktio_config_init(&config);
        config.enable_loop = what == 0;
        config.enable_lso = what == 1;
        config.flow_control.pause_rx = what == 2 ? ODP_PKTIO_LINK_PAUSE_ON : ODP_PKTIO_LINK_PAUSE_OFF;
        config.flow_control.pause_tx = what == 3 ? ODP_PKTIO_LINK_PAUSE_ON : ODP_PKTIO_LINK_PAUSE_OFF;
        CHECK(odp_pktio_config(port, &config) < 0 && odp_errno() == ENOTSUP);
    }
    CHECK(stamps(port, pool) && !has_eth);
    CHECK(odp_pktio_config(port, NULL) == 0 && !stamps(port, pool) && has_eth);
    CHECK(odp_pktio_config(ODP_PKTIO_INVALID, &good) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktio_start(port) == 0 && odp_pktio_config(port, &good) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktin_queue_config(port, NULL) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktout_queue_config(port, NULL) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktio_close(port) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0);
}

static void test_queues_of_ports(odp_pool_t pool) {
    odp_pktio_t port = odp_pktio_open("null:queues", pool, NULL);
    odp_pktio_capability_t capa;
    odp_pktin_queue_param_t in, bad_in;
    odp_pktout_queue_param_t out, bad_out;
    CHECK(odp_pktio_capability(port, &capa) == 0);
    CHECK(capa.max_input_queues == ODP_PKTIN_MAX_QUEUES && capa.max_output_queues == ODP_PKTOUT_MAX_QUEUES);
    odp_pktin_queue_param_init(&in);
    odp_pktout_queue_param_init(&out);
    in.num_queues = capa.max_input_queues;
    in.hash_enable = 1;
    out.num_queues = capa.max_output_queues;
    CHECK(odp_pktin_queue_config(port, &in) == 0 && odp_pktin_queue(port, NULL, 0) == (int)in.num_queues);
    CHECK(odp_pktout_queue_config(port, &out) == 0 && odp_pktout_queue(port, NULL, 0) == (int)out.num_queues);
    in.num_queues = out.num_queues = 3;
    in.queue_size[3] = out.queue_size[3] = 5; /* of a queue that there is not */
    CHECK(odp_pktin_queue_config(port, &in) == 0 && odp_pktout_queue_config(port, &out) == 0);
    for (unsigned what = 0; what < 5; what++) {
        bad_in = in;
        bad_out = out;
        if (what == 0)
            bad_in.num_queues = bad_out.num_queues = 0;
        else if (what == 1)
            bad_in.num_queues = capa.max_input_queues + 1, bad_out.num_queues = capa.max_output_queues + 1;
        else if (what < 4)
            bad_in.queue_size[what == 2 ? 0 : 2] = bad_out.queue_size[what == 2 ? 0 : 2] = 5;
        else
            bad_in.classifier_enable = 1;
        CHECK(odp_pktin_queue_config(port, &bad_in) < 0 && odp_errno() == EINVAL);
        CHECK(what == 4 || (odp_pktout_queue_config(port, &bad_out) < 0 && odp_errno() == EINVAL));
        CHECK(odp_pktin_queue(port, NULL, 0) == 3 && odp_pktout_queue(port, NULL, 0) == 3); /* as they were */
    }
    in.hash_enable = 0;
    CHECK(odp_pktin_queue_config(port, &in) < 0);
    CHECK(odp_pktin_queue_config(port, NULL) == 0 && odp_pktin_queue(port, NULL, 0) == 1);
    CHECK(odp_pktout_queue_config(port, NULL) == 0 && odp_pktout_queue(port, NULL, 0) == 1);
    CHECK(odp_pktin_queue_config(ODP_PKTIO_INVALID, NULL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktout_queue_config(ODP_PKTIO_INVALID, NULL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktio_close(port) == 0);
}

/* What a port without an interface tells, and what none does. */
static void test_what_ports_tell(odp_pool_t pool) {
    odp_pktio_t none = ODP_PKTIO_INVALID, port = odp_pktio_open("null:told", pool, NULL);
    odp_pktio_link_info_t link;
    odp_pktio_info_t info;
    odp_pktio_stats_t stats;
    odp_pktio_capability_t capa;
    uint64_t value;
    uint8_t mac[6];
    CHECK(odp_pktio_link_info(port, &link) == 0 && link.status == ODP_PKTIO_LINK_STATUS_UP);
    CHECK(link.autoneg == ODP_PKTIO_LINK_AUTONEG_UNKNOWN && link.duplex == ODP_PKTIO_LINK_DUPLEX_FULL);
    CHECK(link.pause_rx == ODP_PKTIO_LINK_PAUSE_UNKNOWN && link.pause_tx == ODP_PKTIO_LINK_PAUSE_UNKNOWN);
    CHECK(link.speed == ODP_PKTIO_LINK_SPEED_UNKNOWN && strcmp(link.media, "virtual") == 0);
    CHECK(odp_pktio_info(port, &info) == 0 && strcmp(info.drv_name, "null") == 0 && info.pool == pool);
    CHECK(odp_pktin_maxlen(port) == 2048 && odp_pktout_maxlen(port) == 65536);
    CHECK(odp_pktio_promisc_mode(port) == 1 && odp_pktio_promisc_mode_set(port, 0) < 0 && odp_errno() == ENOTSUP);
    CHECK(odp_pktio_capability(port, &capa) == 0 && capa.set_op.all_bits == 0);
    CHECK(odp_pktio_close(port) == 0);
    CHECK(odp_pktio_link_status(none) == ODP_PKTIO_LINK_STATUS_UNKNOWN && odp_pktio_ts_res(none) == 0);
    CHECK(odp_pktin_maxlen(none) == 0 && odp_pktout_maxlen(none) == 0);
    CHECK(REFUSED(odp_pktio_link_info(none, &link)) && REFUSED(odp_pktio_info(none, &info)));
    CHECK(REFUSED(odp_pktio_stats(none, &stats)) && REFUSED(odp_pktio_stats_reset(none)));
    CHECK(REFUSED(odp_pktio_extra_stat_info(none, NULL, 0)) && REFUSED(odp_pktio_extra_stats(none, NULL, 0)));
    CHECK(REFUSED(odp_pktio_extra_stat_counter(none, 0, &value)) && REFUSED(odp_pktio_mac_addr(none, mac, 6)));
    CHECK(REFUSED(odp_pktio_promisc_mode(none)) && REFUSED(odp_pktio_promisc_mode_set(none, 1)));
    CHECK(REFUSED(odp_pktin_queue(none, NULL, 0)) && REFUSED(odp_pktout_queue(none, NULL, 0)));
    CHECK(REFUSED(odp_pktio_start(none)) && REFUSED(odp_pktio_stop(none)) && REFUSED(odp_pktio_close(none)));
    CHECK(REFUSED(odp_pktio_index(none)) && REFUSED(odp_pktio_capability(none, &capa)));
}

/* Capabilities tell all of themselves, whatever stood there before. */
static void test_capabilities(odp_pool_t pool) {
    odp_pool_capability_t pools[2];
    odp_queue_capability_t queues[2];
    odp_shm_capability_t blocks[2];
    odp_pktio_capability_t ports[2];
    odp_pool_info_t infos[2];
    odp_pktio_t port = odp_pktio_open("null:capable", pool, NULL);
#define SAME_TWICE(INTO, CALL)                                                                                         \
    do {                                                                                                               \
        for (unsigned i = 0; i < 2; i++) {                                                                             \
            memset(&(INTO)[i], i ? 0xff : 0, sizeof((INTO)[i]));                                                       \
            CHECK((CALL) == 0);                                                                                        \
        }                                                                                                              \
        CHECK(memcmp(&(INTO)[0], &(INTO)[1], sizeof((INTO)[0])) == 0);                                                 \
    } while (0)
    SAME_TWICE(pools, odp_pool_capability(&pools[i]));
    SAME_TWICE(queues, odp_queue_capability(&queues[i]));
    SAME_TWICE(blocks, odp_shm_capability(&blocks[i]));
    SAME_TWICE(ports, odp_pktio_capability(port, &ports[i]));
    SAME_TWICE(infos, odp_pool_info(pool, &infos[i]));
    const odp_pktio_stats_capability_t *stats = &ports[0].stats;
    CHECK(stats->pktio.counter.in_octets && stats->pktio.counter.in_packets && stats->pktio.counter.in_discards);
    CHECK(stats->pktio.counter.in_errors && stats->pktio.counter.out_octets && stats->pktio.counter.out_packets);
    CHECK(stats->pktio.counter.out_discards && stats->pktio.counter.out_errors);
    CHECK(stats->pktin_queue.counter.octets && stats->pktin_queue.counter.packets);
    CHECK(stats->pktin_queue.counter.discards && stats->pktin_queue.counter.errors);
    CHECK(stats->pktout_queue.counter.octets && stats->pktout_queue.counter.packets);
    CHECK(stats->pktout_queue.counter.discards && stats->pktout_queue.counter.errors);
    CHECK(odp_pktio_close(port) == 0);
}

static void test_ports(void) {
    odp_pool_t pool = test_packet_pool(16, 2048, 0, 0);
    test_opening(pool);
    test_all_ports(pool);
    test_configurations(pool);
    test_queues_of_ports(pool);
    test_what_ports_tell(pool);
    test_capabilities(pool);
    CHECK(odp_pool_destroy(pool) == 0); /* those that were refused do not hold it */
}

int main(void) {
    test_begin();
    test_ports();
    test_end();
    return 0;
}
