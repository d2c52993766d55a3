/* The bare ODP loop: receive a burst from one port, send it to another, and nothing else. The floor of any program.
 *
 * Usage: loop SOURCE SINK BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each. Contest
 * "loop", NUMBER: frames in a burst.
 */
#include <odp_api.h>

#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64, SEGMENT = 2048 };

static odp_pktin_queue_t input;
static odp_pktout_queue_t output;

static uint64_t run(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    int wanted = burst && burst <= BURST_MAX ? (int)burst : 32;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(input, packets, wanted);
        int sent = received > 0 ? odp_pktout_send(output, packets, received) : 0;
        through += received > 0 ? (uint64_t)received : 0;
        if (sent >= 0 && sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
    }
    return through;
}

static odp_pktio_t port(const char *name, odp_pool_t pool) {
    odp_pktio_param_t param;
    odp_pktio_config_t config;
    odp_pktin_queue_param_t in;
    odp_pktout_queue_param_t out;
    odp_pktio_param_init(&param);
    param.in_mode = ODP_PKTIN_MODE_DIRECT;
    param.out_mode = ODP_PKTOUT_MODE_DIRECT;
    odp_pktio_t pktio = odp_pktio_open(name, pool, &param);
    odp_pktio_config_init(&config);
    config.parser.layer = ODP_PROTO_LAYER_NONE;
    odp_pktin_queue_param_init(&in);
    in.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    odp_pktout_queue_param_init(&out);
    out.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    if (pktio == ODP_PKTIO_INVALID || odp_pktio_config(pktio, &config) || odp_pktin_queue_config(pktio, &in) ||
        odp_pktout_queue_config(pktio, &out))
        return ODP_PKTIO_INVALID;
    return pktio;
}

static int prepare(const char *source, const char *sink, uint32_t buffers, uint32_t length) {
    odp_instance_t instance;
    odp_pool_param_t param;
    if (odp_init_global(&instance, NULL, NULL) || odp_init_local(instance, ODP_THREAD_WORKER))
        return -1;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = buffers;
    param.pkt.len = length;
    param.pkt.seg_len = SEGMENT;
    odp_pool_t pool = odp_pool_create("packets", &param);
    if (pool == ODP_POOL_INVALID)
        return -1;
    odp_pktio_t in = port(source, pool), out = port(sink, pool);
    if (in == ODP_PKTIO_INVALID || out == ODP_PKTIO_INVALID || odp_pktin_queue(in, &input, 1) != 1 ||
        odp_pktout_queue(out, &output, 1) != 1 || odp_pktio_start(in) || odp_pktio_start(out))
        return -1;
    return 0;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"loop", run}};
    if (argc < 5 || prepare(argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    return probe_serve(probes, 1);
}
