/* The packet pool as memory of an AF_XDP socket; see xsk_memory.h. This file uses the layout of a packet directly. */
#include "xdp/xsk_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BATCH = 64 };

/* Each socket registers the pool for itself: the pages are the same. */
int macs_odp_xsk_memory_open(struct macs_odp_xsk *xsk, uint32_t size) {
    const struct macs_odp_pool *pool = xsk->pool;
    uint32_t chunk = MACS_ODP_XSK_HEADROOM + pool->room - pool->headroom;
    (void)size; /* the pool has that many packets, see ring_size() */
    xsk->distance = pool->before + pool->headroom - MACS_ODP_XSK_HEADROOM;
    xsk->rx_held = calloc(pool->num, 1);
    xsk->tx_held = calloc(pool->num, 1);
    if (xsk->rx_held == NULL || xsk->tx_held == NULL)
        return -1;
    chunk = chunk < MACS_ODP_XSK_CHUNK_MAX ? chunk : MACS_ODP_XSK_CHUNK_MAX;
    return macs_odp_xsk_register(xsk, pool->memory, pool->extent, chunk, XDP_UMEM_UNALIGNED_CHUNK_FLAG);
}

void macs_odp_xsk_memory_close(struct macs_odp_xsk *xsk) {
    if (xsk->rx_held != NULL)
        macs_odp_packet_give_marked(xsk->pool, xsk->rx_held);
    if (xsk->tx_held != NULL)
        macs_odp_packet_give_marked(xsk->pool, xsk->tx_held);
    free(xsk->rx_held);
    free(xsk->tx_held);
}

/* Receiving */

/* In zero-copy mode the kernel takes no chunk that lies over the end of a huge page. Such a packet stays with us. */
static bool crosses(const struct macs_odp_xsk *xsk, uint64_t start, uint32_t len) {
    return xsk->zerocopy && start / xsk->pool->page != (start + len - 1) / xsk->pool->page;
}

/* Packets onto the fill ring: marked as held by the kernel, so that they are found again when the socket is closed.
 * What the kernel has, on that ring or on the receive ring, is never more than a ring's size, so there is always room.
 */
void macs_odp_xsk_refill(struct macs_odp_xsk *xsk) {
    struct macs_odp_xsk_ring *ring = &xsk->fill;
    odp_packet_t packets[BATCH];
    while (ring->size - (ring->ours - xsk->rx.ours) >= BATCH) {
        uint32_t taken = macs_odp_packet_take(xsk->pool, packets, BATCH);
        for (uint32_t i = 0; i < taken; i++) {
            uint64_t start = (uint64_t)((uint8_t *)packets[i] - xsk->pool->memory) + xsk->distance;
            xsk->rx_held[packets[i]->event.index] = 1;
            if (!crosses(xsk, start, MACS_ODP_XSK_HEADROOM + xsk->chunk))
                *macs_odp_xsk_address(ring, ring->ours++) = start;
        }
        __atomic_store_n(ring->producer, ring->ours, __ATOMIC_RELEASE);
        if (taken < BATCH)
            break;
    }
    if (__atomic_load_n(ring->flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
        recvfrom(xsk->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* The packet that a received chunk is the data of: ours again. */
static odp_packet_t chunk_packet(const struct macs_odp_xsk *xsk, uint64_t address) {
    uint64_t start = address & XSK_UNALIGNED_BUF_ADDR_MASK;
    odp_packet_t pkt = (odp_packet_t)(void *)(xsk->pool->memory + start - xsk->distance);
    xsk->rx_held[pkt->event.index] = 0;
    return pkt;
}

static uint8_t *chunk_data(const struct macs_odp_xsk *xsk, uint64_t address) {
    return xsk->pool->memory + (address & XSK_UNALIGNED_BUF_ADDR_MASK) + (address >> XSK_UNALIGNED_BUF_OFFSET_SHIFT);
}

/* Put the frame together in the packet of its first chunk, which has room behind it; the others' are free again.
 * False: it is too long. */
static bool frame_join(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    bool fits = true;
    for (uint32_t part = 1; part < parts; part++) {
        const struct xdp_desc *desc = macs_odp_xsk_desc(&xsk->rx, xsk->rx.ours + part);
        odp_packet_t other = chunk_packet(xsk, desc->addr);
        fits = fits && desc->len <= odp_packet_tailroom(pkt);
        if (fits) {
            memcpy(odp_packet_tail(pkt), chunk_data(xsk, desc->addr), desc->len);
            macs_odp_place(pkt, macs_odp_data(pkt), macs_odp_len(pkt) + desc->len);
        }
        macs_odp_packet_untake(xsk->pool, &other, 1);
    }
    return fits;
}

uint32_t macs_odp_xsk_recv(struct macs_odp_xsk *xsk, odp_packet_t packets[], uint32_t num, uint64_t *errors) {
    struct macs_odp_xsk_ring *ring = &xsk->rx;
    uint32_t got = 0, available = macs_odp_xsk_ready(ring, num), parts;
    while (got < num && available > 0 && (parts = macs_odp_xsk_parts_ready(ring, available)) > 0) {
        const struct xdp_desc *desc = macs_odp_xsk_desc(ring, ring->ours);
        odp_packet_t pkt = chunk_packet(xsk, desc->addr);
        macs_odp_packet_start(pkt, xsk->pool->headroom, desc->len, -1);
        macs_odp_place(pkt, chunk_data(xsk, desc->addr), desc->len);
        if (parts > 1 && !frame_join(xsk, pkt, parts)) {
            macs_odp_packet_give(xsk->pool, &pkt, 1);
            *errors += 1;
        } else {
            packets[got++] = pkt;
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
    odp_packet_t packets[BATCH];
    uint32_t available = macs_odp_xsk_ready(ring, ring->size);
    while (available > 0) {
        uint32_t count = 0;
        for (; available > 0 && count < BATCH; available--) {
            uint64_t start = *macs_odp_xsk_address(ring, ring->ours++) & XSK_UNALIGNED_BUF_ADDR_MASK;
            odp_packet_t pkt = (odp_packet_t)(void *)(xsk->pool->memory + start);
            if (--pkt->parts > 0)
                continue;
            xsk->tx_held[pkt->event.index] = 0;
            packets[count++] = pkt;
        }
        macs_odp_packet_give(xsk->pool, packets, count);
    }
    __atomic_store_n(ring->consumer, ring->ours, __ATOMIC_RELEASE);
}

static void frame_put(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    uint64_t start = (uint64_t)((uint8_t *)pkt - xsk->pool->memory);
    uint64_t offset = (uint64_t)(macs_odp_data(pkt) - (uint8_t *)pkt);
    uint32_t left = macs_odp_len(pkt);
    pkt->parts = parts;
    xsk->tx_held[pkt->event.index] = 1;
    for (; parts > 0; parts--) {
        uint32_t len = parts > 1 ? xsk->chunk : left;
        *macs_odp_xsk_desc(&xsk->tx, xsk->tx.ours++) =
            (struct xdp_desc){.addr = start | offset << XSK_UNALIGNED_BUF_OFFSET_SHIFT,
                              .len = len,
                              .options = parts > 1 ? XDP_PKT_CONTD : 0};
        offset += len;
        left -= len;
    }
}

/* A packet of this pool for the kernel to read: a copy where the packet is another pool's, or crosses. */
static odp_packet_t own(struct macs_odp_xsk *xsk, odp_packet_t pkt) {
    uint64_t start = (uint64_t)(macs_odp_data(pkt) - xsk->pool->memory);
    if (pkt->event.pool == xsk->pool && !crosses(xsk, start, macs_odp_len(pkt)))
        return pkt;
    odp_packet_t copy;
    for (uint32_t tries = 0; tries < BATCH && macs_odp_packet_take(xsk->pool, &copy, 1) == 1; tries++) {
        macs_odp_packet_start(copy, xsk->pool->headroom, macs_odp_len(pkt), -1);
        xsk->tx_held[copy->event.index] = 1; /* and there it stays if it crosses too */
        if (!crosses(xsk, (uint64_t)(macs_odp_data(copy) - xsk->pool->memory), macs_odp_len(copy))) {
            memcpy(macs_odp_data(copy), macs_odp_data(pkt), macs_odp_len(pkt));
            odp_packet_free(pkt);
            return copy;
        }
    }
    return NULL;
}

uint32_t macs_odp_xsk_send(struct macs_odp_xsk *xsk, const odp_packet_t packets[], uint32_t num) {
    struct macs_odp_xsk_ring *ring = &xsk->tx;
    uint32_t sent = 0;
    macs_odp_xsk_completed(xsk);
    while (sent < num) {
        uint32_t parts = macs_odp_xsk_parts(xsk, macs_odp_len(packets[sent]));
        uint32_t room =
            ring->size - (ring->ours - xsk->completion.ours); /* on either ring: see macs_odp_xsk_refill() */
        odp_packet_t pkt = room >= parts ? own(xsk, packets[sent]) : NULL;
        if (pkt == NULL)
            break;
        frame_put(xsk, pkt, parts);
        sent++;
    }
    __atomic_store_n(ring->producer, ring->ours, __ATOMIC_RELEASE);
    return sent;
}
