/* null: — nothing ever arrives, and what is sent is gone. */
#include "pktio.h"

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
    odp_pool_t pool = odp_packet_pool(packets[0]);
    uint64_t octets = 0;
    bool one = true;
    for (int i = 0; i < num; i++) {
        octets += macs_odp_len(packets[i]);
        one &= odp_packet_pool(packets[i]) == pool;
    }
    macs_odp_count_frames(&queue->counters, (uint64_t)num, octets);
    if (odp_likely(one))
        odp_packet_free_sp(packets, num);
    else
        odp_packet_free_multi(packets, num);
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
