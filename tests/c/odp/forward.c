/* Joins two ports like a cable, until SIGTERM or until both inputs have ended: what the interface tests run.
 * Arguments: two ports, how many input queues each shall have (1), how long a frame may be (2048), how many frames it
 * ends after (never); anything more: it tells of octets, too. */
#include <limits.h>
#include <odp_api.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES = 8 };

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    (void)number;
    stopped = 1;
}

struct port {
    odp_pktio_t pktio;
    odp_pktin_queue_t in[QUEUES];
    odp_pktout_queue_t out;
    int queues;
};

static int port_open(struct port *port, const char *name, odp_pool_t pool, int queues) {
    odp_pktio_param_t param;
    odp_pktio_config_t config;
    odp_pktin_queue_param_t in;
    odp_pktout_queue_param_t out;
    odp_pktio_param_init(&param);
    odp_pktio_config_init(&config);
    odp_pktin_queue_param_init(&in);
    odp_pktout_queue_param_init(&out);
    config.parser.layer = ODP_PROTO_LAYER_NONE;
    in.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    out.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    in.num_queues = (uint32_t)queues;
    in.hash_enable = queues > 1;
    in.hash_proto.proto.ipv4 = in.hash_proto.proto.ipv6 = 1;
    port->queues = queues;
    port->pktio = odp_pktio_open(name, pool, &param);
    if (port->pktio == ODP_PKTIO_INVALID || odp_pktio_config(port->pktio, &config) != 0 ||
        odp_pktin_queue_config(port->pktio, &in) != 0 || odp_pktout_queue_config(port->pktio, &out) != 0 ||
        odp_pktin_queue(port->pktio, port->in, QUEUES) != queues || odp_pktout_queue(port->pktio, &port->out, 1) != 1)
        return -1;
    odp_pktio_promisc_mode_set(port->pktio, 1);
    return odp_pktio_start(port->pktio);
}

static int move(odp_pktin_queue_t from, const struct port *to) {
    odp_packet_t packets[64];
    int got = odp_pktin_recv(from, packets, 64);
    if (got <= 0)
        return 0;
    int sent = odp_pktout_send(to->out, packets, got);
    sent = sent < 0 ? 0 : sent;
    odp_packet_free_multi(packets + sent, got - sent);
    return got;
}

static int ended(const struct port *port) {
    uint64_t end = 0;
    return odp_pktio_extra_stat_counter(port->pktio, 0, &end) == 0 && end == 1;
}

int main(int argc, char **argv) {
    odp_instance_t instance;
    odp_pool_param_t param;
    odp_pktio_stats_t stats;
    struct port port[2];
    int queues = argc > 3 ? atoi(argv[3]) : 1;
    long left = argc > 5 ? atol(argv[5]) : LONG_MAX;
    if (argc < 3 || queues < 1 || queues > QUEUES || odp_init_global(&instance, NULL, NULL) != 0 ||
        odp_init_local(instance, ODP_THREAD_WORKER) != 0)
        return 2;
    signal(SIGTERM, on_signal);
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 8192; /* DPDK's AF_XDP keeps 2,048 a queue */
    param.pkt.len = argc > 4 ? (uint32_t)atoi(argv[4]) : 2048;
    odp_pool_t pool = odp_pool_create("forward", &param);
    for (int i = 0; i < 2; i++)
        if (pool == ODP_POOL_INVALID || port_open(&port[i], argv[i + 1], pool, queues) != 0)
            return 2;
    puts("ready");
    fflush(stdout);
    while (!stopped && left > 0) {
        int moved = 0;
        for (int i = 0; i < queues; i++)
            moved += move(port[0].in[i], &port[1]) + move(port[1].in[i], &port[0]);
        left -= moved;
        if (moved == 0 && ended(&port[0]) && ended(&port[1]))
            break;
        if (moved == 0)
            odp_time_wait_ns(10000); /* two CPUs are shared with those who send and receive */
    }
    int result = 0;
    for (int i = 0; i < 2; i++) {
        for (int asked = 0; asked < 2; asked++) /* nothing is counted for being asked for */
            result |= odp_pktio_stats(port[i].pktio, &stats) != 0;
        result |= odp_pktio_stop(port[i].pktio) != 0 || odp_pktio_stats(port[i].pktio, &stats) != 0;
        printf("%d in %llu discards %llu errors %llu out %llu errors %llu\n", i, (unsigned long long)stats.in_packets,
               (unsigned long long)stats.in_discards, (unsigned long long)stats.in_errors,
               (unsigned long long)stats.out_packets, (unsigned long long)stats.out_errors);
        if (stats.out_discards > 0)
            printf("discarded by %d: %llu\n", i, (unsigned long long)stats.out_discards);
        if (argc > 6)
            printf("octets of %d: %llu\n", i, (unsigned long long)stats.out_octets);
        result |= odp_pktio_close(port[i].pktio) != 0;
    }
    result |= odp_pool_destroy(pool) != 0 || odp_term_local() != 0 || odp_term_global(instance) != 0;
    return result;
}
