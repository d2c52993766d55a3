/* Two ports to forward between, for the measuring programs here: one queue each, one pool. */
#ifndef MACSAD_BENCH_PORTS_H
#define MACSAD_BENCH_PORTS_H

#include <odp_api.h>
#include <stdarg.h>
#include <stdio.h>

#define PORTS_SEGMENT 2048u

struct ports {
    odp_instance_t instance;
    odp_pool_t pool;
    odp_pktio_t source, sink;
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

/* Standard output is for answers alone. */
static inline int ports_log(odp_log_level_t level, const char *format, ...) {
    va_list arguments;
    (void)level;
    va_start(arguments, format);
    int written = vfprintf(stderr, format, arguments);
    va_end(arguments);
    return written;
}

/* Open and start the ports of these names. 0 or -1. */
static inline int ports_both(struct ports *ports, const char *source, const char *sink, odp_pool_t pool) {
    ports->source = ports_one(source, pool);
    ports->sink = ports_one(sink, pool);
    if (ports->source == ODP_PKTIO_INVALID || ports->sink == ODP_PKTIO_INVALID ||
        odp_pktin_queue(ports->source, &ports->input, 1) != 1 ||
        odp_pktout_queue(ports->sink, &ports->output, 1) != 1 || odp_pktio_start(ports->source) ||
        odp_pktio_start(ports->sink))
        return -1;
    return 0;
}

/* Start ODP and the ports of these names, with so many packets of `length` bytes. 0 or -1. */
static inline int ports_open(struct ports *ports, const char *source, const char *sink, uint32_t buffers,
                             uint32_t length) {
    odp_init_t init;
    odp_pool_param_t param;
    odp_init_param_init(&init);
    init.log_fn = ports_log;
    if (odp_init_global(&ports->instance, &init, NULL) || odp_init_local(ports->instance, ODP_THREAD_WORKER))
        return -1;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = buffers;
    param.pkt.len = length;
    param.pkt.seg_len = PORTS_SEGMENT;
    ports->pool = odp_pool_create("packets", &param);
    if (ports->pool == ODP_POOL_INVALID)
        return -1;
    return ports_both(ports, source, sink, ports->pool);
}

/* Stop both ports, and close them. */
static inline void ports_end(struct ports *ports) {
    odp_packet_t packets[32];
    int received;
    odp_pktio_stop(ports->source);
    odp_pktio_stop(ports->sink);
    while ((received = odp_pktin_recv(ports->input, packets, 32)) > 0)
        odp_packet_free_multi(packets, received);
    odp_pktio_close(ports->source);
    odp_pktio_close(ports->sink);
}

/* End what has been opened: implementations of ODP keep files, which only they take away. */
static inline void ports_close(struct ports *ports) {
    ports_end(ports);
    odp_pool_destroy(ports->pool);
    odp_term_local();
    odp_term_global(ports->instance);
}

#endif
