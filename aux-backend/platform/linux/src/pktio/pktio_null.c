/* null: — receives nothing, and discards what is sent. */
#include "pktio/pktio.h"

static int null_open(struct macs_odp_pktio *pktio, const char *arguments) {
    (void)arguments; /* what follows the colon only tells one such port from another */
    pktio->finite = true;
    pktio->rx_end = true;
    return 0;
}

static void null_close(struct macs_odp_pktio *pktio) {
    (void)pktio;
}

static int null_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    (void)queue, (void)packets, (void)num;
    return 0;
}

int macs_odp_sink_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct macs_odp_event *const *events = (struct macs_odp_event *const *)(const void *)packets;
    odp_pool_t pool = odp_packet_pool(packets[0]);
    uint64_t octets = 0;
    bool one = true;
#pragma GCC unroll 4
    for (int i = 0; i < num; i++) {
        odp_packet_t pkt = packets[i];
        octets += macs_odp_len(pkt);
        one &= odp_packet_pool(pkt) == pool;
        if (odp_unlikely(!macs_odp_event_end(&pkt->event)))
            macs_odp_pool_twice(&pkt->event);
    }
    macs_odp_count_frames(&queue->counters, (uint64_t)num, octets);
    if (odp_likely(one))
        macs_odp_pool_put(pool, events, (uint32_t)num);
    else
        for (int i = 0; i < num; i++)
            macs_odp_pool_put(odp_packet_pool(packets[i]), &events[i], 1);
    return num;
}

const struct macs_odp_driver macs_odp_driver_null = {
    .name = "null",
    .max_input_queues = ODP_PKTIN_MAX_QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = null_open,
    .close = null_close,
    .recv = null_recv,
    .send = macs_odp_sink_send,
};
