/* Transmit: a buffer for each port gathers packets, which go out as a burst, in order; unsent ones are retried. A burst
 * of which all packets go to one port is sent as it is.
 *
 * Threads: a worker's own.
 */
#ifndef MACS_RUNTIME_TRANSMIT_H
#define MACS_RUNTIME_TRANSMIT_H

#include "runtime/worker.h"

/* Send a port's buffer, or all of them. */
void macs_transmit_flush_port(struct macs_thread *thread, unsigned slot);
void macs_transmit_flush(struct macs_thread *thread);

/* Send or drop the packets of a burst, one at least, by their verdicts; as a whole where all go out of one port.
 * `extent`: of all of them. Owns them from here on. False: packets of it go on, and nothing has been done. */
bool macs_transmit_verdicts(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                            unsigned count, struct macs_extent extent);

/* The frames of some packets together. */
static inline struct macs_extent macs_extent_of(const odp_packet_t packets[], unsigned count) {
    struct macs_extent extent = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        uint32_t length = odp_packet_len(packets[i]);
        __asm__("" : "+r"(length)); /* one by one: gathering into a vector takes longer */
        macs_extent_add(&extent, length);
    }
    return extent;
}

/* Put a packet into a port's buffer, or drop it. Owns the packet from here on. */
static inline void macs_transmit_put(struct macs_thread *thread, unsigned slot, odp_packet_t handle, uint32_t length) {
    if (odp_unlikely(length > macs_port_tx_max(&thread->sw->ports[slot]))) {
        macs_thread_drop(thread, handle, MACS_CAUSE_TOO_LONG);
        return;
    }
    struct macs_output *output = &thread->outputs[slot];
    output->packets[output->count++] = handle;
    thread->filled |= UINT64_C(1) << slot;
    if (odp_unlikely(output->count == thread->gathered)) {
        macs_transmit_flush_port(thread, slot);
        thread->filled &= ~(UINT64_C(1) << slot);
    }
}

/* Send a packet to its egress port, or drop it. Owns the packet from here on. */
static inline void macs_transmit(struct macs_thread *thread, struct macs_packet *packet) {
    unsigned slot = macs_switch_slot(thread->sw, packet->egress_port);
    if (odp_likely(slot))
        macs_transmit_put(thread, slot - 1, packet->handle, packet->length);
    else
        macs_thread_drop(thread, packet->handle, MACS_CAUSE_NO_PORT);
}

#endif
