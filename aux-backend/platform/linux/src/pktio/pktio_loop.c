/* loop, loop:ANY — frames that are sent are received by the same port, in order.
 *
 * "loop" is the name in the specification (odp_pktio_open()). A frame that is sent is copied into a packet of the
 * port's pool, so it is received like any other: with headroom, without user area and layers. A frame for which the
 * ring has no room or the pool no packet is not taken. Frames that are not received when the port is stopped are lost.
 */
#include "pktio/pktio.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 2048 };

struct loop_state {
    odp_spinlock_t lock; /* senders and the receiver */
    uint32_t head;       /* the next to receive; free running, as tail */
    uint32_t tail;
    odp_packet_t ring[RING];
};

static int loop_open(struct macs_odp_pktio *pktio, const char *arguments) {
    (void)arguments; /* what follows the colon only tells one such port from another */
    struct loop_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    odp_spinlock_init(&state->lock);
    pktio->state = state;
    return 0;
}

static void loop_close(struct macs_odp_pktio *pktio) {
    free(pktio->state);
}

static int loop_stop(struct macs_odp_pktio *pktio) {
    struct loop_state *state = pktio->state;
    odp_spinlock_lock(&state->lock);
    for (; state->head != state->tail; state->head++)
        odp_packet_free(state->ring[state->head % RING]);
    odp_spinlock_unlock(&state->lock);
    return 0;
}

static int loop_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct loop_state *state = pktio->state;
    uint64_t octets = 0;
    int got = 0;
    odp_spinlock_lock(&state->lock);
    for (; got < num && state->head != state->tail; got++)
        packets[got] = state->ring[state->head++ % RING];
    odp_spinlock_unlock(&state->lock);
    bool stamped = pktio->config.pktin.bit.ts_all || pktio->config.pktin.bit.ts_ptp;
    for (int i = 0; i < got; i++) {
        octets += macs_odp_len(packets[i]);
        if (stamped)
            odp_packet_ts_set(packets[i], odp_pktio_time(pktio, NULL));
    }
    if (got > 0)
        macs_odp_count_frames(&queue->counters, (uint64_t)got, octets);
    return got;
}

/* NULL: the pool has no packet left. */
static odp_packet_t copy_of(struct macs_odp_pktio *pktio, odp_packet_t pkt) {
    odp_packet_t copy;
    uint32_t len = macs_odp_len(pkt);
    if (macs_odp_packet_take(pktio->pool, &copy, 1) == 0)
        return NULL;
    macs_odp_packet_start(copy, pktio->pool->headroom, len, (int)pktio->index);
    memcpy(macs_odp_data(copy), macs_odp_data(pkt), len);
    return copy;
}

static int loop_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct loop_state *state = pktio->state;
    uint32_t room = macs_odp_pktio_room(pktio);
    uint64_t octets = 0;
    int sent = 0;
    odp_spinlock_lock(&state->lock);
    while (sent < num && state->tail - state->head < RING && macs_odp_len(packets[sent]) <= room) {
        odp_packet_t copy = copy_of(pktio, packets[sent]);
        if (copy == NULL)
            break;
        state->ring[state->tail++ % RING] = copy;
        octets += macs_odp_len(packets[sent++]);
    }
    odp_spinlock_unlock(&state->lock);
    macs_odp_count_frames(&queue->counters, (uint64_t)sent, octets);
    odp_packet_free_multi(packets, sent);
    return sent == 0 && macs_odp_len(packets[0]) > room ? macs_odp_fail(EMSGSIZE) : sent;
}

static uint32_t loop_maxlen(struct macs_odp_pktio *pktio) {
    return macs_odp_pktio_room(pktio);
}

static int loop_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    memcpy(mac, (const uint8_t[6]){0x02, 0, 0, 0, 0, (uint8_t)pktio->index}, 6); /* locally administered */
    return 0;
}

const struct macs_odp_driver macs_odp_driver_loop = {
    .name = "loop",
    .alone = true,
    .max_input_queues = 1,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = loop_open,
    .close = loop_close,
    .stop = loop_stop,
    .recv = loop_recv,
    .send = loop_send,
    .mac_addr = loop_mac,
    .maxlen = loop_maxlen,
};
