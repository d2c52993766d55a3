/* dpdk:DEVICE — a port of DPDK: its number (dpdk:0), the address of a PCI device, or a virtual device with its
 * arguments (dpdk:net_af_packet0,iface=eth0), which is created when the port is opened and removed when it is closed.
 *
 * Frames are passed from and to the driver without a copy, and nothing is written into a received packet. A frame that
 * the driver spreads over several mbufs, because it is too long for one, counts as in_errors.
 * Drivers that read an interface of the kernel pass on frames from the same machine with incomplete transport
 * checksums; these are completed here.
 * Several input queues get their flows by RSS, or by the device's own means if it has several queues and no RSS.
 */
#include "core/dpdk.h"
#include "packet/offload.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 1024, VLAN_TAG = 4, MAX_FRAME = 65535 };

struct dpdk_state {
    uint16_t port;
    bool plugged;   /* made at open, to be removed at close */
    bool completes; /* checksums */
    uint32_t maxlen;
    uint64_t rejected; /* frames in several mbufs; any thread */
    struct rte_eth_dev_info info;
};

static int input_of[RTE_MAX_ETHPORTS]; /* index of the pktio that has a port, plus one */

int macs_odp_input_of_port(uint16_t port) {
    return port < RTE_MAX_ETHPORTS ? __atomic_load_n(&input_of[port], __ATOMIC_RELAXED) - 1 : -1;
}

/* 0, or -1 and logged, with DPDK's own words. */
static int told(const struct macs_odp_pktio *pktio, const char *what, int result) {
    if (result >= 0)
        return 0;
    macs_odp_log(ODP_LOG_ERR, "port %s: cannot %s: %s\n", pktio->name, what, rte_strerror(-result));
    macs_odp_dpdk_complain();
    return macs_odp_fail(-result);
}

static bool is_number(const char *text) {
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 6;
}

/* The port that a device made of its description has. */
static int port_of(const char *device, uint16_t *port) {
    char name[RTE_DEV_NAME_MAX_LEN];
    struct rte_dev_iterator iterator;
    uint16_t found;
    macs_odp_name(name, sizeof(name), device);
    name[strcspn(name, ",")] = '\0';
    if (rte_eth_dev_get_port_by_name(name, port) == 0)
        return 0;
    RTE_ETH_FOREACH_MATCHING_DEV(found, name, &iterator) {
        *port = found;
        rte_eth_iterator_cleanup(&iterator);
        return 0;
    }
    return -ENODEV;
}

static int attach(struct macs_odp_pktio *pktio, struct dpdk_state *state, const char *device) {
    if (is_number(device)) {
        state->port = (uint16_t)strtoul(device, NULL, 10);
        return told(pktio, "find that port", rte_eth_dev_is_valid_port(state->port) ? 0 : -ENODEV);
    }
    int result = rte_dev_probe(device);
    if (result == 0) {
        state->plugged = true;
        result = port_of(device, &state->port);
    }
    return told(pktio, "make the device", result);
}

static void detach(struct dpdk_state *state) {
    struct rte_device *device = state->info.device;
    if (!state->plugged)
        return;
    rte_eth_dev_close(state->port);
    if (device != NULL)
        rte_dev_remove(device);
}

/* Does the driver hand over what a kernel has left to the hardware? */
static bool reads_kernel(const char *driver) {
    return strcmp(driver, "net_af_packet") == 0 || strcmp(driver, "net_af_xdp") == 0;
}

static uint32_t at_most(uint32_t value, uint32_t limit) {
    return value < limit ? value : limit;
}

static int dpdk_open(struct macs_odp_pktio *pktio, const char *device) {
    if (*device == '\0') {
        macs_odp_log(ODP_LOG_ERR, "port %s: expected dpdk:NUMBER or dpdk:DEVICE,ARGUMENTS\n", pktio->name);
        return macs_odp_fail(EINVAL);
    }
    struct dpdk_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    macs_odp_dpdk_listen();
    int result = attach(pktio, state, device);
    if (result == 0)
        result = told(pktio, "ask the device", rte_eth_dev_info_get(state->port, &state->info));
    if (result == 0 && macs_odp_input_of_port(state->port) >= 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: the device is already open\n", pktio->name);
        state->plugged = false;
        result = macs_odp_fail(EBUSY);
    }
    if (result != 0) {
        detach(state);
        free(state);
        return -1;
    }
    state->maxlen = state->info.max_rx_pktlen < MAX_FRAME ? state->info.max_rx_pktlen + VLAN_TAG : MAX_FRAME;
    state->completes = reads_kernel(state->info.driver_name);
    pktio->pool->lossy |= strcmp(state->info.driver_name, "net_af_xdp") == 0;
    pktio->max_in = at_most(state->info.max_rx_queues, ODP_PKTIN_MAX_QUEUES);
    pktio->max_out = at_most(state->info.max_tx_queues, ODP_PKTOUT_MAX_QUEUES);
    pktio->state = state;
    __atomic_store_n(&input_of[state->port], (int)pktio->index + 1, __ATOMIC_RELAXED);
    return 0;
}

static void dpdk_close(struct macs_odp_pktio *pktio) {
    struct dpdk_state *state = pktio->state;
    __atomic_store_n(&input_of[state->port], 0, __ATOMIC_RELAXED);
    detach(state);
    free(state);
}

/* The fields that choose a queue, as DPDK names them and as far as the device can. */
static uint64_t rss_of(odp_pktin_hash_proto_t hash, uint64_t able) {
    uint64_t fields = 0;
    if (hash.proto.ipv4)
        fields |= RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4;
    if (hash.proto.ipv4_udp)
        fields |= RTE_ETH_RSS_NONFRAG_IPV4_UDP;
    if (hash.proto.ipv4_tcp)
        fields |= RTE_ETH_RSS_NONFRAG_IPV4_TCP;
    if (hash.proto.ipv6)
        fields |= RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_FRAG_IPV6;
    if (hash.proto.ipv6_udp)
        fields |= RTE_ETH_RSS_NONFRAG_IPV6_UDP;
    if (hash.proto.ipv6_tcp)
        fields |= RTE_ETH_RSS_NONFRAG_IPV6_TCP;
    return fields & able;
}

/* The largest MTU that packet and device have room for. */
static uint32_t mtu_of(const struct macs_odp_pktio *pktio, const struct rte_eth_dev_info *info) {
    bool told_apart = info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu;
    uint32_t around = told_apart ? info->max_rx_pktlen - info->max_mtu : RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
    uint32_t frame = at_most(macs_odp_pktio_room(pktio), info->max_rx_pktlen);
    return at_most(frame > around ? frame - around : 0, info->max_mtu);
}

static int configure(struct macs_odp_pktio *pktio, struct dpdk_state *state) {
    struct rte_eth_conf config = {.rxmode = {.mq_mode = RTE_ETH_MQ_RX_NONE}};
    uint16_t in = (uint16_t)at_most(pktio->num_in ? pktio->num_in : 1, state->info.max_rx_queues);
    uint16_t out = (uint16_t)at_most(pktio->num_out ? pktio->num_out : 1, state->info.max_tx_queues);
    config.rxmode.mtu = mtu_of(pktio, &state->info);
    config.rx_adv_conf.rss_conf.rss_hf = rss_of(pktio->hash, state->info.flow_type_rss_offloads);
    if (in > 1 && config.rx_adv_conf.rss_conf.rss_hf != 0)
        config.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    else
        config.rx_adv_conf.rss_conf.rss_hf = 0;
    int result = rte_eth_dev_configure(state->port, in, out, &config);
    uint16_t rx_ring = RING, tx_ring = RING;
    if (result == 0)
        result = rte_eth_dev_adjust_nb_rx_tx_desc(state->port, &rx_ring, &tx_ring);
    int socket = rte_eth_dev_socket_id(state->port);
    for (uint16_t queue = 0; queue < in && result == 0; queue++)
        result = rte_eth_rx_queue_setup(state->port, queue, rx_ring, (unsigned)socket, NULL,
                                        macs_odp_dpdk_mempool(pktio->pool));
    for (uint16_t queue = 0; queue < out && result == 0; queue++)
        result = rte_eth_tx_queue_setup(state->port, queue, tx_ring, (unsigned)socket, NULL);
    return result;
}

static int dpdk_start(struct macs_odp_pktio *pktio) {
    struct dpdk_state *state = pktio->state;
    macs_odp_dpdk_listen();
    if (told(pktio, "configure the device", configure(pktio, state)) != 0)
        return -1;
    return told(pktio, "start the device", rte_eth_dev_start(state->port));
}

static int dpdk_stop(struct macs_odp_pktio *pktio) {
    int result = rte_eth_dev_stop(((struct dpdk_state *)pktio->state)->port);
    return result < 0 ? macs_odp_fail(-result) : 0;
}

/* Free frames in several mbufs; returns how many are left. */
static int reject(struct dpdk_state *state, odp_packet_t packets[], int num) {
    int kept = 0;
    for (int i = 0; i < num; i++) {
        if (packets[i]->event.mbuf.segments == 1)
            packets[kept++] = packets[i];
        else
            rte_pktmbuf_free((struct rte_mbuf *)(void *)packets[i]);
    }
    __atomic_fetch_add(&state->rejected, (uint64_t)(num - kept), __ATOMIC_RELAXED);
    return kept;
}

static void stamp(struct macs_odp_pktio *pktio, odp_packet_t packets[], int num) {
    odp_time_t now = odp_pktio_time(pktio, NULL);
    for (int i = 0; i < num; i++)
        odp_packet_ts_set(packets[i], now);
}

static int dpdk_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct dpdk_state *state = pktio->state;
    uint16_t want = (uint16_t)(num < UINT16_MAX ? num : UINT16_MAX);
    int got = rte_eth_rx_burst(state->port, (uint16_t)queue->index, (struct rte_mbuf **)(void *)packets, want);
    unsigned segments = 1;
#pragma GCC unroll 4
    for (int i = 0; i < got; i++)
        segments |= packets[i]->event.mbuf.segments;
    if (odp_unlikely(segments != 1))
        got = reject(state, packets, got);
    if (state->completes)
        for (int i = 0; i < got; i++)
            macs_odp_checksum_guess(macs_odp_data(packets[i]), macs_odp_len(packets[i]));
    if (odp_unlikely(pktio->config.pktin.bit.ts_all || pktio->config.pktin.bit.ts_ptp))
        stamp(pktio, packets, got);
    return got;
}

/* How many packets from the first on are not too long. */
static int fitting(const odp_packet_t packets[], int num, uint32_t maxlen) {
    int fit = 0;
    while (fit < num && macs_odp_len(packets[fit]) <= maxlen)
        fit++;
    return fit;
}

static int dpdk_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct dpdk_state *state = queue->pktio->state;
    int fit = num < UINT16_MAX ? num : UINT16_MAX;
    if (state->maxlen < MAX_FRAME && (fit = fitting(packets, fit, state->maxlen)) == 0)
        return macs_odp_fail(EMSGSIZE);
    return rte_eth_tx_burst(state->port, (uint16_t)queue->index, (struct rte_mbuf **)(uintptr_t)packets, (uint16_t)fit);
}

static int dpdk_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    struct rte_ether_addr address;
    int result = rte_eth_macaddr_get(((struct dpdk_state *)pktio->state)->port, &address);
    memcpy(mac, address.addr_bytes, sizeof(address.addr_bytes));
    return result < 0 ? macs_odp_fail(-result) : 0;
}

static int dpdk_promisc(struct macs_odp_pktio *pktio) {
    return rte_eth_promiscuous_get(((struct dpdk_state *)pktio->state)->port) == 1;
}

/* A device that does not know the mode has no frames that it would keep back. */
static int dpdk_promisc_set(struct macs_odp_pktio *pktio, bool enable) {
    uint16_t port = ((struct dpdk_state *)pktio->state)->port;
    int result = enable ? rte_eth_promiscuous_enable(port) : rte_eth_promiscuous_disable(port);
    return result == 0 || result == -ENOTSUP ? 0 : macs_odp_fail(-result);
}

static odp_pktio_link_status_t dpdk_link(struct macs_odp_pktio *pktio) {
    struct rte_eth_link link;
    if (rte_eth_link_get_nowait(((struct dpdk_state *)pktio->state)->port, &link) != 0)
        return ODP_PKTIO_LINK_STATUS_UNKNOWN;
    return link.link_status == RTE_ETH_LINK_UP ? ODP_PKTIO_LINK_STATUS_UP : ODP_PKTIO_LINK_STATUS_DOWN;
}

static uint32_t dpdk_maxlen(struct macs_odp_pktio *pktio) {
    return ((struct dpdk_state *)pktio->state)->maxlen;
}

static void counters_write(struct macs_odp_counters *counters, uint64_t packets, uint64_t octets) {
    __atomic_store_n(&counters->packets, packets, __ATOMIC_RELAXED);
    __atomic_store_n(&counters->octets, octets, __ATOMIC_RELAXED);
}

/* The device counts. What it has for all queues together stands at the first. */
static void dpdk_refresh(struct macs_odp_pktio *pktio) {
    const struct dpdk_state *state = pktio->state;
    struct rte_eth_stats stats;
    if (rte_eth_stats_get(state->port, &stats) != 0)
        return;
    uint64_t rejected = __atomic_load_n(&state->rejected, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < pktio->num_in; i++) {
        bool each = pktio->num_in > 1 && i < RTE_ETHDEV_QUEUE_STAT_CNTRS;
        counters_write(&pktio->in[i].counters,
                       each     ? stats.q_ipackets[i]
                       : i == 0 ? stats.ipackets - rejected
                                : 0,
                       each     ? stats.q_ibytes[i]
                       : i == 0 ? stats.ibytes
                                : 0);
    }
    for (uint32_t i = 0; i < pktio->num_out; i++) {
        bool each = pktio->num_out > 1 && i < RTE_ETHDEV_QUEUE_STAT_CNTRS;
        counters_write(&pktio->out[i].counters,
                       each     ? stats.q_opackets[i]
                       : i == 0 ? stats.opackets
                                : 0,
                       each     ? stats.q_obytes[i]
                       : i == 0 ? stats.obytes
                                : 0);
    }
    if (pktio->num_in > 0) {
        __atomic_store_n(&pktio->in[0].counters.discards, stats.imissed, __ATOMIC_RELAXED);
        __atomic_store_n(&pktio->in[0].counters.errors, stats.ierrors + rejected, __ATOMIC_RELAXED);
    }
    if (pktio->num_out > 0)
        __atomic_store_n(&pktio->out[0].counters.errors, stats.oerrors, __ATOMIC_RELAXED);
}

const struct macs_odp_driver macs_odp_driver_dpdk = {
    .name = "dpdk",
    .max_input_queues = ODP_PKTIN_MAX_QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = dpdk_open,
    .close = dpdk_close,
    .start = dpdk_start,
    .stop = dpdk_stop,
    .recv = dpdk_recv,
    .send = dpdk_send,
    .mac_addr = dpdk_mac,
    .promisc = dpdk_promisc,
    .promisc_set = dpdk_promisc_set,
    .link_status = dpdk_link,
    .refresh = dpdk_refresh,
    .maxlen = dpdk_maxlen,
};
