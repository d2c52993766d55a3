#include "runtime/queue_service.h"

#include "runtime/datapath.h"
#include "runtime/transmit.h"

/* Try the frames again that the port has not taken: those that it does not take are held once more, in their order.
 * Returns how many were tried. */
static unsigned send_held(struct macs_thread *thread, unsigned slot) {
    struct macs_waiting held = macs_queues_take_held(thread, slot);
    struct macs_packet *packet;
    unsigned tried = 0;
    for (; (packet = macs_waiting_take(thread, &held)); tried++)
        macs_transmit_put(thread, slot, packet->handle, odp_packet_len(packet->handle));
    macs_transmit_flush(thread);
    return tried;
}

unsigned macs_queues_serve(struct macs_thread *thread) {
    struct macs_backlog *backlog = thread->backlog;
    unsigned gone = 0, held = 0, moved = 0;
    if (!(backlog->busy | backlog->blocked))
        return 0;
    macs_thread_read_time(thread);
    for (uint64_t slots = backlog->blocked; slots; slots &= slots - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(slots), tried = send_held(thread, slot);
        held += tried;
        moved += macs_queues_blocked(thread, slot) ? 0 : tried;
    }
    for (uint64_t slots = backlog->busy & ~backlog->blocked; slots; slots &= slots - 1) {
        struct macs_packet *packets[MACS_BURST_MAX];
        const unsigned count =
            macs_queues_take_due(thread, (unsigned)__builtin_ctzll(slots), packets, thread->worker.burst);
        if (count)
            macs_datapath_leave_queue(thread, packets, count);
        gone += count;
    }
    atomic_fetch_sub_explicit(&thread->sw->queues->inside, gone + held, memory_order_release);
    return gone + moved;
}

void macs_queues_end(struct macs_thread *thread) {
    thread->backlog->ends = true;
    while (macs_queues_serve(thread))
        ;
}

static unsigned drop_all(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        macs_thread_drop(thread, packets[i]->handle, MACS_CAUSE_NO_PORT);
    return count;
}

void macs_queues_leave(struct macs_thread *thread) {
    struct macs_backlog *backlog = thread->backlog;
    struct macs_packet *packets[MACS_BURST_MAX];
    const bool ends = backlog->ends;
    unsigned gone = 0;
    backlog->ends = true; /* however long they should have waited */
    for (unsigned slot = 0; slot < thread->sw->port_count; slot++) {
        if (!thread->sw->ports[slot].leaves)
            continue;
        struct macs_waiting held = macs_queues_take_held(thread, slot);
        while ((packets[0] = macs_waiting_take(thread, &held)))
            gone += drop_all(thread, packets, 1);
        for (unsigned count; (count = macs_queues_take_due(thread, slot, packets, MACS_BURST_MAX));)
            gone += drop_all(thread, packets, count);
    }
    backlog->ends = ends;
    atomic_fetch_sub_explicit(&thread->sw->queues->inside, gone, memory_order_release);
}
