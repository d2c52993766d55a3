/* Ports: information and statistics. */
#include "pktio/pktio.h"

#include <string.h>
#include <time.h>

enum { MAX_FRAME = 65536 };

int odp_pktio_mac_addr(odp_pktio_t pktio, void *mac_addr, int size) {
    uint8_t mac[6];
    if (pktio == NULL || size < (int)sizeof(mac) || pktio->driver->mac_addr == NULL)
        return macs_odp_fail(EINVAL);
    if (pktio->driver->mac_addr(pktio, mac) != 0)
        return -1;
    memcpy(mac_addr, mac, sizeof(mac));
    return (int)sizeof(mac);
}

int odp_pktio_promisc_mode(odp_pktio_t pktio) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    return pktio->driver->promisc != NULL ? pktio->driver->promisc(pktio) : 1; /* a file holds everything */
}

int odp_pktio_promisc_mode_set(odp_pktio_t pktio, odp_bool_t enable) {
    if (pktio == NULL || pktio->driver->promisc_set == NULL)
        return macs_odp_fail(pktio == NULL ? EINVAL : ENOTSUP);
    return pktio->driver->promisc_set(pktio, enable);
}

uint32_t odp_pktin_maxlen(odp_pktio_t pktio) {
    return pktio == NULL ? 0 : macs_odp_pktio_room(pktio);
}

uint32_t odp_pktout_maxlen(odp_pktio_t pktio) {
    if (pktio == NULL)
        return 0;
    return pktio->driver->maxlen != NULL ? pktio->driver->maxlen(pktio) : MAX_FRAME;
}

odp_pktio_link_status_t odp_pktio_link_status(odp_pktio_t pktio) {
    if (pktio == NULL)
        return ODP_PKTIO_LINK_STATUS_UNKNOWN;
    return pktio->driver->link_status != NULL ? pktio->driver->link_status(pktio) : ODP_PKTIO_LINK_STATUS_UP;
}

int odp_pktio_link_info(odp_pktio_t pktio, odp_pktio_link_info_t *info) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    *info = (odp_pktio_link_info_t){.autoneg = ODP_PKTIO_LINK_AUTONEG_UNKNOWN,
                                    .duplex = ODP_PKTIO_LINK_DUPLEX_FULL,
                                    .media = "virtual",
                                    .pause_rx = ODP_PKTIO_LINK_PAUSE_UNKNOWN,
                                    .pause_tx = ODP_PKTIO_LINK_PAUSE_UNKNOWN,
                                    .speed = ODP_PKTIO_LINK_SPEED_UNKNOWN,
                                    .status = odp_pktio_link_status(pktio)};
    return 0;
}

int odp_pktio_info(odp_pktio_t pktio, odp_pktio_info_t *info) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    *info = (odp_pktio_info_t){
        .name = pktio->name, .drv_name = pktio->driver->name, .pool = pktio->pool, .param = pktio->param};
    return 0;
}

uint64_t odp_pktio_ts_res(odp_pktio_t pktio) {
    return pktio == NULL ? 0 : ODP_TIME_SEC_IN_NS;
}

odp_time_t odp_pktio_ts_from_ns(odp_pktio_t pktio, uint64_t ns) {
    (void)pktio;
    return (odp_time_t){.ns = ns};
}

odp_time_t odp_pktio_time(odp_pktio_t pktio, odp_time_t *ts_global) {
    struct timespec now;
    (void)pktio;
    clock_gettime(CLOCK_REALTIME, &now);
    if (ts_global != NULL)
        *ts_global = odp_time_global();
    return (odp_time_t){.ns = (uint64_t)now.tv_sec * ODP_TIME_SEC_IN_NS + (uint64_t)now.tv_nsec};
}

static void counters_read(struct macs_odp_counters *to, const struct macs_odp_counters *from) {
    to->octets = __atomic_load_n(&from->octets, __ATOMIC_RELAXED);
    to->packets = __atomic_load_n(&from->packets, __ATOMIC_RELAXED);
    to->discards = __atomic_load_n(&from->discards, __ATOMIC_RELAXED);
    to->errors = __atomic_load_n(&from->errors, __ATOMIC_RELAXED);
}

/* Since the last reset: the workers' counters themselves are never written by others. */
static struct macs_odp_counters counters_since(const struct macs_odp_counters *now,
                                               const struct macs_odp_counters *then) {
    struct macs_odp_counters counters;
    counters_read(&counters, now);
    counters.octets -= then->octets;
    counters.packets -= then->packets;
    counters.discards -= then->discards;
    counters.errors -= then->errors;
    return counters;
}

static void refresh(struct macs_odp_pktio *pktio) {
    if (pktio->driver->refresh != NULL)
        pktio->driver->refresh(pktio);
}

int odp_pktin_queue_stats(odp_pktin_queue_t queue, odp_pktin_queue_stats_t *stats) {
    refresh(queue->pktio);
    struct macs_odp_counters counters = counters_since(&queue->counters, &queue->reset);
    *stats = (odp_pktin_queue_stats_t){counters.octets, counters.packets, counters.discards, counters.errors};
    return 0;
}

int odp_pktout_queue_stats(odp_pktout_queue_t queue, odp_pktout_queue_stats_t *stats) {
    refresh(queue->pktio);
    struct macs_odp_counters counters = counters_since(&queue->counters, &queue->reset);
    *stats = (odp_pktout_queue_stats_t){counters.octets, counters.packets, counters.discards, counters.errors};
    return 0;
}

int odp_pktio_stats(odp_pktio_t pktio, odp_pktio_stats_t *stats) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    memset(stats, 0, sizeof(*stats));
    refresh(pktio);
    for (uint32_t i = 0; i < pktio->num_in; i++) {
        struct macs_odp_counters counters = counters_since(&pktio->in[i].counters, &pktio->in[i].reset);
        stats->in_octets += counters.octets;
        stats->in_packets += counters.packets;
        stats->in_discards += counters.discards;
        stats->in_errors += counters.errors;
    }
    for (uint32_t i = 0; i < pktio->num_out; i++) {
        struct macs_odp_counters counters = counters_since(&pktio->out[i].counters, &pktio->out[i].reset);
        stats->out_octets += counters.octets;
        stats->out_packets += counters.packets;
        stats->out_discards += counters.discards;
        stats->out_errors += counters.errors;
    }
    return 0;
}

int odp_pktio_stats_reset(odp_pktio_t pktio) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    refresh(pktio);
    for (uint32_t i = 0; i < pktio->num_in; i++)
        counters_read(&pktio->in[i].reset, &pktio->in[i].counters);
    for (uint32_t i = 0; i < pktio->num_out; i++)
        counters_read(&pktio->out[i].reset, &pktio->out[i].counters);
    return 0;
}

/* The extra counters: whether a finite input has ended; of files whether they are not whole, and what could not be
 * written though it was taken to be sent. */
enum { RX_END, BROKEN, TX_LOST, TX_LOST_OCTETS, EXTRA_MAX };
static const char *const extra_names[EXTRA_MAX] = {"rx_end", "broken", "tx_lost", "tx_lost_octets"};

static int extra_count(odp_pktio_t pktio) {
    return (pktio->finite ? 1 : 0) + (pktio->of_files ? EXTRA_MAX - 1 : 0);
}

static unsigned extra_of(odp_pktio_t pktio, uint32_t id) {
    return pktio->finite ? id : id + 1;
}

int odp_pktio_extra_stat_info(odp_pktio_t pktio, odp_pktio_extra_stat_info_t info[], int num) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    for (int i = 0; info != NULL && i < num && i < extra_count(pktio); i++)
        macs_odp_name(info[i].name, sizeof(info[i].name), extra_names[extra_of(pktio, (uint32_t)i)]);
    return extra_count(pktio);
}

int odp_pktio_extra_stats(odp_pktio_t pktio, uint64_t stats[], int num) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    for (int i = 0; stats != NULL && i < num && i < extra_count(pktio); i++)
        odp_pktio_extra_stat_counter(pktio, (uint32_t)i, &stats[i]);
    return extra_count(pktio);
}

int odp_pktio_extra_stat_counter(odp_pktio_t pktio, uint32_t id, uint64_t *stat) {
    if (pktio == NULL || id >= (uint32_t)extra_count(pktio))
        return macs_odp_fail(EINVAL);
    switch (extra_of(pktio, id)) {
    case RX_END:
        *stat = __atomic_load_n(&pktio->rx_end, __ATOMIC_ACQUIRE);
        break;
    case BROKEN:
        *stat = __atomic_load_n(&pktio->broken, __ATOMIC_RELAXED);
        break;
    case TX_LOST:
        *stat = __atomic_load_n(&pktio->lost, __ATOMIC_RELAXED);
        break;
    default:
        *stat = __atomic_load_n(&pktio->lost_octets, __ATOMIC_RELAXED);
    }
    return 0;
}

void odp_pktio_print(odp_pktio_t pktio) {
    odp_pktio_stats_t stats;
    if (odp_pktio_stats(pktio, &stats) == 0)
        macs_odp_log(ODP_LOG_PRINT, "port %u \"%s\": in %" PRIu64 " packets, out %" PRIu64 " packets\n", pktio->index,
                     pktio->name, stats.in_packets, stats.out_packets);
}
