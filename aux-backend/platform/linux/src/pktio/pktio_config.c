/* Ports: default parameters, capabilities, and configuration before the start. */
#include "pktio/pktio.h"

#include <stdlib.h>
#include <string.h>

void odp_pktio_param_init(odp_pktio_param_t *param) {
    memset(param, 0, sizeof(*param));
}

void odp_pktio_config_init(odp_pktio_config_t *config) {
    memset(config, 0, sizeof(*config));
    config->parser.layer = ODP_PROTO_LAYER_ALL;
}

void odp_pktin_queue_param_init(odp_pktin_queue_param_t *param) {
    memset(param, 0, sizeof(*param));
    param->num_queues = 1;
}

void odp_pktout_queue_param_init(odp_pktout_queue_param_t *param) {
    memset(param, 0, sizeof(*param));
    param->num_queues = 1;
}

int odp_pktio_capability(odp_pktio_t pktio, odp_pktio_capability_t *capa) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    memset(capa, 0, sizeof(*capa));
    capa->max_input_queues = pktio->max_in;
    capa->max_output_queues = pktio->max_out;
    odp_pktio_config_init(&capa->config);
    capa->config.pktin.bit.ts_all = 1;
    capa->config.pktin.bit.ts_ptp = 1;
    capa->config.pktout.bit.no_packet_refs = 1;
    capa->set_op.op.promisc_mode = pktio->driver->promisc_set != NULL;
    odp_pktio_stats_capability_t *stats = &capa->stats;
    stats->pktio.counter.in_octets = stats->pktio.counter.in_packets = 1;
    stats->pktio.counter.in_discards = stats->pktio.counter.in_errors = 1;
    stats->pktio.counter.out_octets = stats->pktio.counter.out_packets = 1;
    stats->pktio.counter.out_discards = stats->pktio.counter.out_errors = 1;
    stats->pktin_queue.counter.octets = stats->pktin_queue.counter.packets = 1;
    stats->pktin_queue.counter.discards = stats->pktin_queue.counter.errors = 1;
    stats->pktout_queue.counter.octets = stats->pktout_queue.counter.packets = 1;
    stats->pktout_queue.counter.discards = stats->pktout_queue.counter.errors = 1;
    return 0;
}

int odp_pktio_config(odp_pktio_t pktio, const odp_pktio_config_t *config) {
    odp_pktio_config_t defaults;
    odp_pktio_capability_t capa;
    odp_pktio_config_init(&defaults);
    if (config == NULL)
        config = &defaults;
    if (odp_pktio_capability(pktio, &capa) != 0 || pktio->started)
        return macs_odp_fail(pktio == NULL ? EINVAL : EBUSY);
    bool too_much = (config->pktin.all_bits & ~capa.config.pktin.all_bits) ||
                    (config->pktout.all_bits & ~capa.config.pktout.all_bits) || config->enable_loop ||
                    config->enable_lso || config->flow_control.pause_rx != ODP_PKTIO_LINK_PAUSE_OFF ||
                    config->flow_control.pause_tx != ODP_PKTIO_LINK_PAUSE_OFF;
    if (too_much)
        return macs_odp_fail(ENOTSUP);
    pktio->config = *config;
    return 0;
}

static bool all_zero(const uint32_t size[], uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        if (size[i] != 0)
            return false;
    return true;
}

int odp_pktin_queue_config(odp_pktio_t pktio, const odp_pktin_queue_param_t *param) {
    odp_pktin_queue_param_t defaults;
    odp_pktin_queue_param_init(&defaults);
    if (param == NULL)
        param = &defaults;
    if (pktio == NULL || pktio->started)
        return macs_odp_fail(pktio == NULL ? EINVAL : EBUSY);
    if (pktio->param.in_mode == ODP_PKTIN_MODE_DISABLED)
        return 0;
    uint32_t num = param->num_queues;
    if (num == 0 || num > pktio->max_in || param->classifier_enable || (num > 1 && !param->hash_enable) ||
        !all_zero(param->queue_size, num))
        return macs_odp_fail(EINVAL);
    struct macs_odp_pktin *in = aligned_alloc(ODP_CACHE_LINE_SIZE, num * sizeof(*in));
    if (in == NULL)
        return macs_odp_fail(ENOMEM);
    memset(in, 0, num * sizeof(*in));
    for (uint32_t i = 0; i < num; i++) {
        in[i].pktio = pktio;
        in[i].index = i;
        in[i].locked = param->op_mode == ODP_PKTIO_OP_MT;
        odp_spinlock_init(&in[i].lock);
    }
    free(pktio->in);
    pktio->in = in;
    pktio->num_in = num;
    pktio->hash = param->hash_enable ? param->hash_proto : (odp_pktin_hash_proto_t){.all_bits = 0};
    return 0;
}

int macs_odp_pktio_steer(odp_pktio_t pktio, macs_odp_queue_of_fn *queue_of, const void *context, void *filter,
                         uint32_t instructions) {
    if (pktio->driver->steers == MACS_ODP_STEERS_NONE)
        return pktio->rx_end ? 1 : -1; /* nothing comes by it */
    pktio->queue_of = queue_of;
    pktio->queue_of_context = context;
    pktio->filter = filter;
    pktio->filter_instructions = instructions;
    return pktio->driver->steers == MACS_ODP_STEERS_ALL;
}

int odp_pktout_queue_config(odp_pktio_t pktio, const odp_pktout_queue_param_t *param) {
    odp_pktout_queue_param_t defaults;
    odp_pktout_queue_param_init(&defaults);
    if (param == NULL)
        param = &defaults;
    if (pktio == NULL || pktio->started)
        return macs_odp_fail(pktio == NULL ? EINVAL : EBUSY);
    if (pktio->param.out_mode == ODP_PKTOUT_MODE_DISABLED)
        return 0;
    uint32_t num = param->num_queues;
    if (num == 0 || num > pktio->max_out || !all_zero(param->queue_size, num))
        return macs_odp_fail(EINVAL);
    struct macs_odp_pktout *out = aligned_alloc(ODP_CACHE_LINE_SIZE, num * sizeof(*out));
    if (out == NULL)
        return macs_odp_fail(ENOMEM);
    memset(out, 0, num * sizeof(*out));
    for (uint32_t i = 0; i < num; i++) {
        out[i].pktio = pktio;
        out[i].index = i;
        out[i].locked = param->op_mode == ODP_PKTIO_OP_MT;
        odp_spinlock_init(&out[i].lock);
    }
    free(pktio->out);
    pktio->out = out;
    pktio->num_out = num;
    return 0;
}
