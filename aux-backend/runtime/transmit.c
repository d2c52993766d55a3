/* Transmit: packets gather in a buffer a port and go out together, in their order. */
#include <stddef.h>

#include "runtime/lane.h"

/* Tries in a row in which the interface takes nothing, before what is left is dropped. */
#define SEND_TRIES 64u

static int send_some(struct macs_lane *lane, const struct macs_port *port, const struct macs_output *output,
                     unsigned from) {
    int count = (int)(output->count - from);
    if (port->ctl)
        return macs_ctl_send(&lane->sw->ctl_out, &output->packets[from], count);
    return odp_pktout_send(output->queue, &output->packets[from], count);
}

static void count_sent(struct macs_lane *lane, unsigned slot, unsigned from, unsigned count) {
    const uint32_t *lengths = lane->outputs[slot].lengths;
    uint64_t bytes = 0;
    for (unsigned i = from; i < from + count; i++)
        bytes += lengths[i];
    macs_stats_add(&lane->stats.ports[slot].tx_packets, count);
    macs_stats_add(&lane->stats.ports[slot].tx_bytes, bytes);
}

/* A port that takes nothing for so many tries is full; one that refuses a packet loses that packet only. */
void macs_lane_flush_port(struct macs_lane *lane, unsigned slot) {
    struct macs_output *output = &lane->outputs[slot];
    const struct macs_port *port = &lane->sw->ports[slot];
    unsigned at = 0, tries = 0;
    while (at < output->count && tries < SEND_TRIES) {
        int sent = send_some(lane, port, output, at);
        if (sent > 0) {
            count_sent(lane, slot, at, (unsigned)sent);
            at += (unsigned)sent;
            tries = 0;
        } else if (sent < 0) {
            macs_lane_drop(lane, output->packets[at++], MACS_CAUSE_TX_FULL);
        } else if (port->ctl) {
            break; /* nobody collects: waiting does not help */
        } else {
            tries++;
            odp_cpu_pause();
        }
    }
    while (at < output->count)
        macs_lane_drop(lane, output->packets[at++], MACS_CAUSE_TX_FULL);
    output->count = 0;
}

void macs_lane_flush(struct macs_lane *lane) {
    for (; lane->filled; lane->filled &= lane->filled - 1)
        macs_lane_flush_port(lane, (unsigned)__builtin_ctzll(lane->filled));
}
