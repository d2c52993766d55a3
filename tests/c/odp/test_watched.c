/* A port of the kernel's interface as that changes: it goes down and up, gets another MTU, is removed and comes back.
 *
 * The interface is one of a tap port, which is the wire's other end. The argument is the driver: af_packet or af_xdp.
 * Exit code 77: there can be none. */
#include "check.h"
#include "told.h"

#include "pktio/pktio.h"

#include <errno.h>
#include <linux/filter.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LENGTH = 60, TRIES = 100000, AT_ONCE = 20 };

static const char *driver;
static bool by_xdp;

/* What the port has told of its interface: NULL, nothing. */
static bool port_has_told(const char *what) {
    char expected[128] = "";
    if (what != NULL)
        snprintf(expected, sizeof(expected), "port %s:wire: the interface is %s\n", driver, what);
    return has_told(expected);
}

/* --- the interface --------------------------------------------------------------------------------------------------
 */

static void request(unsigned long what, struct ifreq *ifr) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    strcpy(ifr->ifr_name, "wire");
    CHECK(fd >= 0 && ioctl(fd, what, ifr) == 0 && close(fd) == 0);
}

static void set_up(bool up) {
    struct ifreq ifr = {0};
    request(SIOCGIFFLAGS, &ifr);
    ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
    request(SIOCSIFFLAGS, &ifr);
}

static void set_mtu(int mtu) {
    struct ifreq ifr = {.ifr_mtu = mtu};
    request(SIOCSIFMTU, &ifr);
}

/* How many want all frames of it. */
static int promiscuity(void) {
    char line[1024];
    int found = -1;
    FILE *shown = popen("ip -d link show wire", "r");
    CHECK(shown != NULL);
    while (fgets(line, sizeof(line), shown) != NULL) {
        const char *at = strstr(line, " promiscuity ");
        if (at != NULL)
            found = atoi(at + strlen(" promiscuity "));
    }
    CHECK(pclose(shown) == 0 && found >= 0);
    return found;
}

/* --- ports ----------------------------------------------------------------------------------------------------------
 */

struct end {
    odp_pktio_t port;
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
};

static odp_pool_t pool;

static struct end open_end(const char *name) {
    struct end end = {.port = odp_pktio_open(name, pool, NULL)};
    CHECK(end.port != ODP_PKTIO_INVALID && odp_pktin_queue_config(end.port, NULL) == 0);
    CHECK(odp_pktout_queue_config(end.port, NULL) == 0);
    const bool starts = odp_pktio_start(end.port) == 0;
    if (!starts && (strstr(told, "not supported") != NULL || strstr(told, "it takes root") != NULL))
        exit(77);
    CHECK(starts && odp_pktin_queue(end.port, &end.in, 1) == 1 && odp_pktout_queue(end.port, &end.out, 1) == 1);
    return end;
}

static void close_end(const struct end *end) {
    CHECK(odp_pktio_stop(end->port) == 0 && odp_pktio_close(end->port) == 0);
}

static odp_packet_t packet_of(uint8_t number, uint32_t length) {
    odp_packet_t packet = odp_packet_alloc(pool, length);
    uint8_t *data = odp_packet_data(packet);
    memset(data, number, length);
    memset(data, 2, 12);
    memcpy(data + 12, "\x88\xb5", 2);
    return packet;
}

/* Whether a frame could be sent. */
static int send_one(const struct end *end, uint8_t number, uint32_t length) {
    odp_packet_t packet = packet_of(number, length);
    const int sent = odp_pktout_send(end->out, &packet, 1);
    if (sent != 1)
        odp_packet_free(packet);
    return sent;
}

/* The number of the next frame that comes; -1: none does. */
static int next_number(const struct end *end, uint32_t length) {
    odp_packet_t packet;
    for (int tries = 0; tries < TRIES; tries++) {
        if (odp_pktin_recv(end->in, &packet, 1) != 1)
            continue;
        const uint8_t *data = odp_packet_data(packet);
        CHECK(odp_packet_len(packet) == length && data[14] == data[length - 1] && data[12] == 0x88);
        CHECK(odp_packet_input(packet) == end->port && odp_packet_has_ts(packet));
        const int number = data[14];
        odp_packet_free(packet);
        return number;
    }
    return -1;
}

/* The kernel passes frames on while they are sent. */
static bool nothing_comes(const struct end *end) {
    odp_packet_t packet;
    int got = 0;
    for (int tries = 0; tries < AT_ONCE; tries++)
        got += odp_pktin_recv(end->in, &packet, 1);
    return got == 0;
}

static void check_both_ways(const struct end *one, const struct end *other, uint8_t number) {
    CHECK(send_one(one, number, LENGTH) == 1 && next_number(other, LENGTH) == number);
    CHECK(send_one(other, number + 1, LENGTH) == 1 && next_number(one, LENGTH) == number + 1);
}

static void check_counts(const struct end *end, uint64_t in, uint64_t out, uint64_t octets_in, uint64_t octets_out) {
    odp_pktio_stats_t stats;
    CHECK(odp_pktio_stats(end->port, &stats) == 0);
    CHECK(stats.in_packets == in && stats.out_packets == out);
    CHECK(stats.in_octets == octets_in && stats.out_octets == octets_out);
    CHECK(stats.in_discards == 0 && stats.in_errors == 0 && stats.out_discards == 0 && stats.out_errors == 0);
}

/* --- what is watched ------------------------------------------------------------------------------------------------
 */

static void test_what_is_known(const struct end *ours, const struct end *wire) {
    uint8_t mac[2][6];
    odp_pktio_capability_t capa;
    odp_pktio_info_t info;
    CHECK(odp_pktio_mac_addr(ours->port, mac[0], 6) == 6 && odp_pktio_mac_addr(wire->port, mac[1], 6) == 6);
    CHECK(memcmp(mac[0], mac[1], 6) == 0 && (mac[0][0] & 1) == 0);
    CHECK(odp_pktio_link_status(ours->port) == ODP_PKTIO_LINK_STATUS_UP);
    CHECK(odp_pktio_link_status(wire->port) == ODP_PKTIO_LINK_STATUS_UP);
    CHECK(odp_pktout_maxlen(ours->port) == 1518 && odp_pktout_maxlen(wire->port) == 1518);
    CHECK(odp_pktio_info(ours->port, &info) == 0 && strcmp(info.drv_name, driver) == 0);
    CHECK(odp_pktio_capability(ours->port, &capa) == 0 && capa.set_op.op.promisc_mode);
    CHECK(capa.max_input_queues == (by_xdp ? 1 : 16)); /* the interface's own */
    CHECK(capa.max_output_queues == (by_xdp ? 1 : ODP_PKTOUT_MAX_QUEUES));
    CHECK(odp_pktio_capability(wire->port, &capa) == 0 && !capa.set_op.op.promisc_mode && capa.max_input_queues == 1);
    CHECK(port_has_told(NULL));
}

static void test_promiscuous_mode(const struct end *ours) {
    CHECK(odp_pktio_promisc_mode(ours->port) == 0 && promiscuity() == 0);
    for (int turn = 0; turn < 2; turn++) { /* a second time changes nothing */
        CHECK(odp_pktio_promisc_mode_set(ours->port, 1) == 0 && odp_pktio_promisc_mode(ours->port) == 1);
        CHECK(promiscuity() == 1);
    }
    for (int turn = 0; turn < 2; turn++) {
        CHECK(odp_pktio_promisc_mode_set(ours->port, 0) == 0 && odp_pktio_promisc_mode(ours->port) == 0);
        CHECK(promiscuity() == 0);
    }
    CHECK(odp_pktio_promisc_mode_set(ours->port, 1) == 0 && promiscuity() == 1);
}

/* What is sent counts on both ends; what is too long is not taken, nor what stands behind it. */
static void test_frames(const struct end *ours, const struct end *wire) {
    odp_packet_t packets[3] = {packet_of(3, 100), packet_of(4, 1519), packet_of(5, 100)};
    check_counts(ours, 0, 0, 0, 0);
    check_both_ways(ours, wire, 1);
    check_counts(ours, 1, 1, LENGTH, LENGTH);
    check_counts(wire, 1, 1, LENGTH, LENGTH);
    CHECK(odp_pktout_send(ours->out, packets, 3) == 1 && next_number(wire, 100) == 3);
    CHECK(odp_pktout_send(ours->out, packets + 1, 2) == -1 && odp_errno() == EMSGSIZE);
    CHECK(odp_pktout_send(ours->out, packets + 2, 1) == 1 && next_number(wire, 100) == 5);
    odp_packet_free(packets[1]);
    CHECK(send_one(ours, 6, 1514) == 1 && next_number(wire, 1514) == 6);
    if (!by_xdp) /* beyond the MTU only a tag has room */
        CHECK(send_one(ours, 7, 1515) == -1 && odp_errno() == EMSGSIZE);
    check_counts(ours, 1, 4, LENGTH, LENGTH + 100 + 100 + 1514);
    check_counts(wire, 4, 1, LENGTH + 100 + 100 + 1514, LENGTH);
    CHECK(odp_pktio_stats_reset(ours->port) == 0 && odp_pktio_stats_reset(wire->port) == 0);
    check_counts(ours, 0, 0, 0, 0);
    check_counts(wire, 0, 0, 0, 0);
    CHECK(port_has_told(NULL));
}

/* More frames than the kernel gets in one call, all in their order; and frames of another pool. */
static void test_many(const struct end *ours, const struct end *wire) {
    enum { MANY = 150 };
    odp_packet_t packets[MANY];
    for (int i = 0; i < MANY; i++)
        packets[i] = packet_of((uint8_t)i, LENGTH + (uint32_t)i);
    for (int sent = 0; sent < MANY;) {
        const int more = odp_pktout_send(ours->out, packets + sent, MANY - sent);
        CHECK(more >= 0);
        sent += more;
    }
    for (int i = 0; i < MANY; i++)
        CHECK(next_number(wire, LENGTH + (uint32_t)i) == i);
    CHECK(nothing_comes(wire));
    odp_pool_t own = pool;
    pool = test_packet_pool(2, 2048, 0, 0);
    for (uint8_t turn = 0; turn < 5; turn++)
        CHECK(send_one(ours, turn, 100) == 1 && next_number(wire, 100) == turn);
    CHECK(odp_pool_destroy(pool) == 0);
    pool = own;
    check_counts(ours, 0, MANY + 5, 0, MANY * LENGTH + MANY * (MANY - 1) / 2 + 500);
    CHECK(odp_pktio_stats_reset(ours->port) == 0 && odp_pktio_stats_reset(wire->port) == 0 && port_has_told(NULL));
}

static void *send_later(void *from) {
    CHECK(odp_init_local(test_instance, ODP_THREAD_WORKER) == 0);
    odp_time_wait_ns(20 * ODP_TIME_MSEC_IN_NS);
    CHECK(send_one(from, 7, LENGTH) == 1 && odp_term_local() == 1);
    return NULL;
}

/* Who waits at several ports gets what comes to any of them, at once; else the time that it has said. */
static void test_waiting(const struct end *ours, const struct end *wire) {
    const odp_pktin_queue_t queues[] = {ours->in, wire->in};
    odp_packet_t packet;
    uint32_t from = 9;
    for (uint8_t turn = 0; turn < 4; turn++) {
        uint64_t before = odp_time_global_ns();
        CHECK(odp_pktin_recv_mq_tmo(queues, 2, &from, &packet, 1, odp_pktin_wait_time(2000000)) == 0 && from == 9);
        CHECK(odp_time_global_ns() - before >= 2000000);
        pthread_t sender;
        struct end sending = turn % 2 ? *wire : *ours;
        before = odp_time_global_ns();
        CHECK(pthread_create(&sender, NULL, send_later, &sending) == 0);
        CHECK(odp_pktin_recv_mq_tmo(queues, 2, &from, &packet, 1, odp_pktin_wait_time(20 * ODP_TIME_SEC_IN_NS)) == 1);
        CHECK(from == 1 - turn % 2u && odp_time_global_ns() - before < 15 * ODP_TIME_SEC_IN_NS);
        CHECK(pthread_join(sender, NULL) == 0);
        odp_packet_free(packet);
        from = 9;
    }
    CHECK(odp_pktio_stats_reset(ours->port) == 0 && odp_pktio_stats_reset(wire->port) == 0 && port_has_told(NULL));
}

/* A port that cannot get all its sockets does not start, and leaves none open. */
static void test_few_descriptors(void) {
    enum { INPUTS = 3, OUTPUTS = 2 };
    static const char refusal[] = "port af_packet:wire,segments: cannot open a packet socket: Too many open files\n";
    odp_pktin_queue_param_t in;
    odp_pktout_queue_param_t out;
    struct rlimit all, few;
    odp_pktio_t port = odp_pktio_open("af_packet:wire,whole", pool, NULL);
    CHECK(port != ODP_PKTIO_INVALID && odp_pktout_maxlen(port) == 65536 + 256 && odp_pktio_close(port) == 0);
    CHECK(odp_pktio_open("af_packet:wire,", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(has_told("port af_packet:wire,: \"\" is not an option: there are \"segments\" and \"whole\"\n"));
    port = odp_pktio_open("af_packet:wire,segments", pool, NULL);
    odp_pktin_queue_param_init(&in);
    odp_pktout_queue_param_init(&out);
    in.num_queues = INPUTS;
    in.hash_enable = true;
    in.hash_proto.proto.ipv4 = 1;
    out.num_queues = OUTPUTS;
    CHECK(port != ODP_PKTIO_INVALID && odp_pktout_maxlen(port) == 1518 && odp_pktin_queue_config(port, &in) == 0);
    CHECK(odp_pktout_queue_config(port, &out) == 0 && getrlimit(RLIMIT_NOFILE, &all) == 0);
    const unsigned before = test_open_descriptors();
    const int next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    for (int sockets = 0; sockets < INPUTS + OUTPUTS; sockets++) {
        few = (struct rlimit){(rlim_t)(next + sockets), all.rlim_max};
        CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0 && odp_pktio_start(port) < 0 && odp_errno() == EMFILE);
        CHECK(setrlimit(RLIMIT_NOFILE, &all) == 0 && has_told(refusal) && test_open_descriptors() == before);
    }
    struct sock_filter nonsense = {.code = 0xffff};
    CHECK(macs_odp_pktio_steer(port, NULL, NULL, &nonsense, 1) == 0 && odp_pktio_start(port) < 0);
    CHECK(has_told("port af_packet:wire,segments: cannot open a packet socket: Invalid argument\n"));
    CHECK(test_open_descriptors() == before && macs_odp_pktio_steer(port, NULL, NULL, NULL, 0) == 0);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(odp_pktio_start(port) == 0 && test_open_descriptors() == before + INPUTS + OUTPUTS);
        CHECK(odp_pktio_stop(port) == 0 && test_open_descriptors() == before);
    }
    CHECK(odp_pktio_close(port) == 0 && port_has_told(NULL));
}

/* A port that is stopped receives nothing, nor later what came meanwhile. */
static void test_stops(const struct end *ours, const struct end *wire) {
    for (uint8_t turn = 10; turn < 20; turn += 5) {
        CHECK(odp_pktio_stop(ours->port) == 0 && send_one(wire, turn, LENGTH) == 1);
        CHECK(send_one(ours, turn, LENGTH) == 0 && odp_pktio_start(ours->port) == 0);
        check_both_ways(ours, wire, turn + 1);
    }
    check_counts(ours, 2, 2, 2 * LENGTH, 2 * LENGTH);
    CHECK(port_has_told(NULL));
}

static void test_down_and_up(const struct end *ours, const struct end *wire) {
    for (uint8_t turn = 30; turn < 40; turn += 5) {
        set_up(false);
        for (int again = 0; again < 3; again++) {
            CHECK(odp_pktio_link_status(ours->port) == ODP_PKTIO_LINK_STATUS_DOWN);
            CHECK(send_one(ours, turn, LENGTH) == 0);
            CHECK(port_has_told(again ? NULL : "down"));
        }
        CHECK(odp_pktio_link_status(wire->port) == ODP_PKTIO_LINK_STATUS_DOWN);
        if (!by_xdp) /* which is before the interface, in the kernel */
            CHECK(send_one(wire, turn, LENGTH) == 0 && nothing_comes(ours));
        set_up(true);
        for (int again = 0; again < 3; again++) {
            CHECK(odp_pktio_link_status(ours->port) == ODP_PKTIO_LINK_STATUS_UP);
            CHECK(port_has_told(again ? NULL : "up"));
        }
        check_both_ways(ours, wire, turn + 1);
    }
    CHECK(promiscuity() == 1);
}

static void test_other_lengths(const struct end *ours, const struct end *wire) {
    set_mtu(900);
    CHECK(odp_pktout_maxlen(ours->port) == 918 && odp_pktout_maxlen(wire->port) == 918);
    CHECK(send_one(ours, 50, 914) == 1 && next_number(wire, 914) == 50);
    CHECK(send_one(ours, 51, 919) == -1 && odp_errno() == EMSGSIZE);
    set_mtu(1500);
    CHECK(odp_pktout_maxlen(ours->port) == 1518 && odp_pktout_maxlen(wire->port) == 1518);
    CHECK(send_one(ours, 52, 1514) == 1 && next_number(wire, 1514) == 52 && port_has_told(NULL));
}

/* An interface of that name again is the port's, with all that was asked of the first one. */
static void test_gone_and_back(const struct end *ours, struct end *wire) {
    for (uint8_t turn = 60; turn < 70; turn += 5) {
        close_end(wire);
        for (int again = 0; again < 3; again++) {
            CHECK(odp_pktio_link_status(ours->port) == ODP_PKTIO_LINK_STATUS_DOWN);
            CHECK(port_has_told(again ? NULL : "gone"));
            CHECK(send_one(ours, turn, LENGTH) == 0 && odp_pktout_maxlen(ours->port) == 1518);
        }
        CHECK(nothing_comes(ours) && port_has_told(NULL));
        *wire = open_end("tap:wire");
        CHECK(odp_pktio_link_status(ours->port) == ODP_PKTIO_LINK_STATUS_UP);
        CHECK(port_has_told("back"));
        check_both_ways(ours, wire, turn + 1);
        CHECK(promiscuity() == 1 && port_has_told(NULL));
    }
}

int main(int argc, char **argv) {
    odp_init_t param;
    char name[32];
    CHECK(argc == 2);
    driver = argv[1];
    by_xdp = strcmp(driver, "af_xdp") == 0;
    snprintf(name, sizeof(name), "%s:wire", driver);
    if (unshare(CLONE_NEWNET) != 0 || access("/dev/net/tun", R_OK | W_OK) != 0 ||
        system("sysctl -qw net.ipv6.conf.default.disable_ipv6=1 && ip link show >/dev/null") != 0)
        return 77;
    odp_init_param_init(&param);
    param.log_fn = keep_told;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0 && odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0);
    pool = test_packet_pool(by_xdp ? 16384 : 256, 2048, 0, 0);
    const unsigned before = test_open_descriptors();
    struct end wire = open_end("tap:wire"), ours = open_end(name);
    test_what_is_known(&ours, &wire);
    test_promiscuous_mode(&ours);
    test_frames(&ours, &wire);
    test_many(&ours, &wire);
    test_waiting(&ours, &wire);
    if (!by_xdp)
        test_few_descriptors();
    test_stops(&ours, &wire);
    test_down_and_up(&ours, &wire);
    test_other_lengths(&ours, &wire);
    test_gone_and_back(&ours, &wire);
    close_end(&ours);
    CHECK(promiscuity() == 0);
    close_end(&wire);
    CHECK(port_has_told(NULL) && test_open_descriptors() == before && odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
