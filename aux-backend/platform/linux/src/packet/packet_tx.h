/* The sending side of a packet socket: as many frames as there are in one system call, TCP segments coalesced to
 * super-frames (coalesce.h).
 *
 * Threads: one at a time.
 * Source: packet(7).
 */
#ifndef MACS_ODP_PACKET_TX_H
#define MACS_ODP_PACKET_TX_H

#include "pool/pool.h"

struct macs_odp_tx {
    int fd;
    bool vnet;     /* each frame goes with a struct virtio_net_hdr */
    bool coalesce; /* with vnet; ends where the kernel refuses a super-frame */
    bool whole;    /* likewise; super-frames may come */
};

/* 0, or -1: refused, and nothing is open. */
int macs_odp_tx_open(struct macs_odp_tx *tx, int ifindex, bool coalesce, bool whole);
void macs_odp_tx_close(struct macs_odp_tx *tx);

/* Frames that the kernel calls bad. */
struct macs_odp_tx_bad {
    uint64_t frames;
    uint64_t octets;
};

/* Send packets until the kernel has no room, or one is longer than `maxlen` and no super-frame. Returns how many are
 * taken, of which so many more are bad; where it is 0, errno says why. */
uint32_t macs_odp_tx_send(struct macs_odp_tx *tx, const odp_packet_t packets[], uint32_t num, uint32_t maxlen,
                          struct macs_odp_tx_bad *bad);

#endif
