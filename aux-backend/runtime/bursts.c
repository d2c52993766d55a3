#include "runtime/bursts.h"

#include <macs/counter.h>
#include <macs/run_to_completion.h>

#include "runtime/hold.h"
#include "runtime/transmit.h"

/* Fill the records of a burst; broken frames are dropped. Returns how many are left. */
unsigned macs_burst_bind(struct macs_thread *thread, const odp_packet_t handles[], unsigned count,
                         struct macs_packet *packets[]) {
    const uint32_t parse_bytes = thread->sw->program->parse_bytes;
    const bool ahead = thread->sw->program->reads_ahead, ciphers = thread->sw->program->cipher;
    const struct macs_common common = macs_common_of(&thread->worker);
    unsigned fine = 0;
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = macs_packet_of(handles[i]);
        if (ahead)
            macs_prefetch_headers(handles, i, count);
        macs_bind(&common, packet, handles[i], MACS_BIND_ALL);
        if (ciphers)
            packet->requests.flags = 0;
        if (macs_can_parse(handles[i], parse_bytes))
            packets[fine++] = packet;
        else
            macs_thread_drop(thread, handles[i], MACS_CAUSE_RX_ERROR);
    }
    return fine;
}

/* A worker holds the locks that it has to itself while it processes bursts. */
void macs_burst_begin(struct macs_thread *thread) {
    if (thread->worker.own && !thread->worker.holds_own)
        macs_hold_own(&thread->worker);
}

/* Send the packets that are left in port buffers, and release locks. */
static void send_and_let_go(struct macs_thread *thread) {
    macs_transmit_flush(thread);
    if (thread->worker.held_count)
        macs_hold_let_go(&thread->worker);
    if (thread->worker.holds_own && macs_hold_is_asked_for())
        macs_hold_let_own_go(&thread->worker);
}

void macs_burst_finish(struct macs_thread *thread) {
    send_and_let_go(thread);
    macs_counts_flush(&thread->worker);
}

/* The end of a burst that was received. */
void macs_burst_end(struct macs_thread *thread, struct macs_port *port, unsigned received) {
    macs_burst_finish(thread);
    macs_stats_add(&thread->stats.bursts, 1);
    if (odp_unlikely(port->ctl)) /* a client that waits for these frames may collect */
        atomic_fetch_add_explicit(&port->finished, (uint64_t)received, memory_order_release);
}

void macs_burst_end_early(struct macs_thread *thread, struct macs_port *port, unsigned received) {
    if (odp_unlikely(port->ctl)) { /* its client may read the counts, too */
        macs_burst_end(thread, port, received);
        return;
    }
    send_and_let_go(thread);
    macs_counts_flush_earlier(&thread->worker);
    macs_stats_add(&thread->stats.bursts, 1);
}
