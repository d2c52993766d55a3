/* Two ports to forward between, for the measuring programs here: one queue each, one pool. */
#ifndef MACSAD_BENCH_PORTS_H
#define MACSAD_BENCH_PORTS_H

#include <odp_api.h>

#define PORTS_SEGMENT 2048u

struct ports {
    odp_pool_t pool;
    odp_pktin_queue_t input;
    odp_pktout_queue_t output;
};

static inline odp_pktio_t ports_one(const char *name, odp_pool_t pool) {
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

/* Start ODP and the ports of these names, with so many packets of `length` bytes. 0 or -1. */
static inline int ports_open(struct ports *ports, const char *source, const char *sink, uint32_t buffers,
                             uint32_t length) {
    odp_instance_t instance;
    odp_pool_param_t param;
    if (odp_init_global(&instance, NULL, NULL) || odp_init_local(instance, ODP_THREAD_WORKER))
        return -1;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = buffers;
    param.pkt.len = length;
    param.pkt.seg_len = PORTS_SEGMENT;
    ports->pool = odp_pool_create("packets", &param);
    if (ports->pool == ODP_POOL_INVALID)
        return -1;
    odp_pktio_t in = ports_one(source, ports->pool), out = ports_one(sink, ports->pool);
    if (in == ODP_PKTIO_INVALID || out == ODP_PKTIO_INVALID || odp_pktin_queue(in, &ports->input, 1) != 1 ||
        odp_pktout_queue(out, &ports->output, 1) != 1 || odp_pktio_start(in) || odp_pktio_start(out))
        return -1;
    return 0;
}

#endif
