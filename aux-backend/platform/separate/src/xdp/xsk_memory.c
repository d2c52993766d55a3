/* Memory of an AF_XDP socket of its own; see xsk_memory.h. Half of it is to receive, half to send. A received frame is
 * copied into a packet that is allocated for it; a packet that is sent is copied out of, and freed at once. */
#include "xdp/xsk_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { CHUNK = MACS_ODP_XSK_CHUNK_MAX };

struct macs_odp_xsk_copies {
    uint8_t *memory;
    uint64_t bytes;
    uint64_t filled; /* chunks to receive in that the kernel has got so far: all of them are on the way from then on */
    uint32_t spare;  /* how many chunks there are to send from */
    uint64_t spares[]; /* where they lie in the memory */
};

int macs_odp_xsk_memory_open(struct macs_odp_xsk *xsk, uint32_t size) {
    uint64_t page;
    struct macs_odp_xsk_copies *copies = calloc(1, sizeof(*copies) + size * sizeof(copies->spares[0]));
    xsk->copies = copies;
    if (copies == NULL)
        return -1;
    copies->memory = macs_odp_map(2 * (uint64_t)size * CHUNK, MACS_ODP_PAGES_BEST, &copies->bytes, &page);
    if (copies->memory == NULL) {
        errno = ENOMEM;
        return -1;
    }
    for (uint32_t i = 0; i < size; i++)
        copies->spares[copies->spare++] = (uint64_t)(size + i) * CHUNK;
    return macs_odp_xsk_register(xsk, copies->memory, copies->bytes, CHUNK, 0);
}

void macs_odp_xsk_memory_close(struct macs_odp_xsk *xsk) {
    if (xsk->copies != NULL && xsk->copies->memory != NULL)
        macs_odp_unmap(xsk->copies->memory, xsk->copies->bytes);
    free(xsk->copies);
}

/* Receiving */

/* At first all chunks to receive in; what has been received goes back one by one. */
void macs_odp_xsk_refill(struct macs_odp_xsk *xsk) {
    struct macs_odp_xsk_ring *ring = &xsk->fill;
    for (; xsk->copies->filled < ring->size; xsk->copies->filled++)
        *macs_odp_xsk_address(ring, ring->ours++) = xsk->copies->filled * CHUNK;
    __atomic_store_n(ring->producer, ring->ours, __ATOMIC_RELEASE);
    if (__atomic_load_n(ring->flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
        recvfrom(xsk->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* The frame at the head of the ring into a packet; its chunks are the kernel's again. False: it is too long. */
static bool frame_take(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    bool fits = true;
    macs_odp_packet_start(pkt, xsk->pool->headroom, 0, -1);
    for (uint32_t part = 0; part < parts; part++) {
        const struct xdp_desc *desc = macs_odp_xsk_desc(&xsk->rx, xsk->rx.ours + part);
        fits = fits && desc->len <= odp_packet_tailroom(pkt);
        if (fits) {
            memcpy(odp_packet_tail(pkt), xsk->copies->memory + desc->addr, desc->len);
            macs_odp_place(pkt, macs_odp_data(pkt), macs_odp_len(pkt) + desc->len);
        }
        *macs_odp_xsk_address(&xsk->fill, xsk->fill.ours++) = desc->addr / CHUNK * CHUNK;
    }
    return fits;
}

uint32_t macs_odp_xsk_recv(struct macs_odp_xsk *xsk, odp_packet_t packets[], uint32_t num, uint64_t *errors) {
    struct macs_odp_xsk_ring *ring = &xsk->rx;
    uint32_t got = 0, available = macs_odp_xsk_ready(ring, num), parts;
    while (got < num && available > 0 && (parts = macs_odp_xsk_parts_ready(ring, available)) > 0) {
        if (macs_odp_packet_take(xsk->pool, &packets[got], 1) == 0)
            break;
        if (frame_take(xsk, packets[got], parts)) {
            got++;
        } else {
            macs_odp_packet_give(xsk->pool, &packets[got], 1);
            *errors += 1;
        }
        ring->ours += parts;
        available -= parts;
    }
    if (got > 0 || *errors > 0)
        __atomic_store_n(ring->consumer, ring->ours, __ATOMIC_RELEASE);
    macs_odp_xsk_refill(xsk);
    return got;
}

/* Sending */

void macs_odp_xsk_completed(struct macs_odp_xsk *xsk) {
    struct macs_odp_xsk_ring *ring = &xsk->completion;
    for (uint32_t left = macs_odp_xsk_ready(ring, ring->size); left > 0; left--)
        xsk->copies->spares[xsk->copies->spare++] = *macs_odp_xsk_address(ring, ring->ours++) / CHUNK * CHUNK;
    __atomic_store_n(ring->consumer, ring->ours, __ATOMIC_RELEASE);
}

static void frame_put(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    const uint8_t *data = macs_odp_data(pkt);
    uint32_t left = macs_odp_len(pkt);
    for (; parts > 0; parts--) {
        uint64_t start = xsk->copies->spares[--xsk->copies->spare];
        uint32_t len = parts > 1 ? xsk->chunk : left;
        memcpy(xsk->copies->memory + start, data, len);
        *macs_odp_xsk_desc(&xsk->tx, xsk->tx.ours++) =
            (struct xdp_desc){.addr = start, .len = len, .options = parts > 1 ? XDP_PKT_CONTD : 0};
        data += len;
        left -= len;
    }
}

uint32_t macs_odp_xsk_send(struct macs_odp_xsk *xsk, const odp_packet_t packets[], uint32_t num) {
    uint32_t sent = 0;
    macs_odp_xsk_completed(xsk);
    for (; sent < num; sent++) {
        uint32_t parts = macs_odp_xsk_parts(xsk, macs_odp_len(packets[sent]));
        if (xsk->copies->spare < parts)
            break;
        frame_put(xsk, packets[sent], parts);
        odp_packet_free(packets[sent]);
    }
    __atomic_store_n(xsk->tx.producer, xsk->tx.ours, __ATOMIC_RELEASE);
    return sent;
}
