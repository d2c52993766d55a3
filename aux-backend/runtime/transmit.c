#include "runtime/transmit.h"

#include <errno.h>
#include <string.h>

#include "runtime/capture.h"
#include "runtime/queues.h"

/* Tries in a row without progress, before the unsent packets are dropped. */
#define SEND_TRIES 64u

static int give(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[], unsigned count) {
    const struct macs_port *port = &thread->sw->ports[slot];
    if (odp_unlikely(port->ctl)) {
        for (unsigned i = 0; i < count; i++)
            macs_packet_of(packets[i])->egress_port = port->number; /* for who collects them */
        if (!atomic_load_explicit(&port->pushed, memory_order_relaxed))
            return macs_ctl_send(&thread->sw->ctl_out, packets, (int)count);
        const int sent = macs_ctl_send(&thread->sw->ctl_pushed, packets, (int)count);
        macs_bell_ring(&thread->sw->bell);
        return sent;
    }
    return odp_pktout_send(thread->outputs[slot].queue, packets, (int)count);
}

/* Frames are the port's once it has taken them. */
static __attribute__((noinline)) int give_captured(struct macs_thread *thread, unsigned slot,
                                                   const odp_packet_t packets[], unsigned count) {
    struct macs_captured captured = macs_capture_take(packets, count);
    const int sent = give(thread, slot, packets, count);
    macs_capture_write(thread->sw->capture, slot, MACS_OUT, &captured, sent > 0 ? (unsigned)sent : 0);
    return sent;
}

static int send_some(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[], unsigned count) {
    return odp_unlikely(thread->sw->capture != NULL) ? give_captured(thread, slot, packets, count)
                                                     : give(thread, slot, packets, count);
}

static void drop_unsent(struct macs_thread *thread, const odp_packet_t packets[], unsigned count, unsigned cause) {
    if (!count)
        return;
    macs_stats_add(&thread->stats.drops[cause], count);
    odp_packet_free_multi(packets, (int)count);
}

/* How far packets have been given to a port, of `bytes` bytes without those that it has not taken. */
struct given {
    unsigned at, lost;
    uint64_t *bytes;
};

/* What a port said of the packets from there on: it took some, or refuses the first, which is dropped. */
static void advance(struct macs_thread *thread, const odp_packet_t packets[], int sent, struct given *given) {
    if (sent > 0) {
        given->at += (unsigned)sent;
    } else if (sent < 0) {
        const odp_packet_t refused = packets[given->at++];
        given->lost++;
        *given->bytes -= odp_packet_len(refused);
        /* the MTU has changed, or is smaller for this kind of frame */
        macs_thread_drop(thread, refused, odp_errno() == EMSGSIZE ? MACS_CAUSE_TOO_LONG : MACS_CAUSE_TX_FULL);
    }
}

/* Retry when a port has not taken all packets. `sent`: the result of the first try. After SEND_TRIES without progress
 * the port is full. A packet that the port refuses is dropped, and the others are tried. Returns how many were sent,
 * and their `*bytes`. */
static __attribute__((noinline)) unsigned retry(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[],
                                                unsigned count, int sent, uint64_t *bytes) {
    const bool patient = !thread->sw->ports[slot].ctl; /* nobody collects from `ctl:` meanwhile */
    struct given given = {.bytes = bytes};
    unsigned tries = 0;
    for (;;) {
        advance(thread, packets, sent, &given);
        if (sent > 0)
            tries = 0;
        else if (!sent && patient && ++tries < SEND_TRIES)
            odp_cpu_pause();
        else if (!sent)
            break;
        if (given.at == count)
            break;
        sent = send_some(thread, slot, &packets[given.at], count - given.at);
    }
    *bytes -= macs_extent_of(&packets[given.at], count - given.at).bytes;
    drop_unsent(thread, &packets[given.at], count - given.at, MACS_CAUSE_TX_FULL);
    return given.at - given.lost;
}

/* The same where packets wait for a port that takes no more. */
static __attribute__((noinline)) unsigned send_or_hold(struct macs_thread *thread, unsigned slot,
                                                       const odp_packet_t packets[], unsigned count, int sent,
                                                       uint64_t *bytes) {
    struct given given = {.bytes = bytes};
    while (advance(thread, packets, sent, &given), sent && given.at < count)
        sent = send_some(thread, slot, &packets[given.at], count - given.at);
    if (given.at < count) {
        *bytes -= macs_extent_of(&packets[given.at], count - given.at).bytes;
        macs_queues_hold(thread, slot, &packets[given.at], count - given.at);
    }
    return given.at - given.lost;
}

/* Whether frames that a port does not take wait for it. */
static bool holds(const struct macs_thread *thread, unsigned slot) {
    return thread->backlog && !thread->backlog->ends && !thread->sw->ports[slot].ctl;
}

/* Send packets, one at least, of so many bytes to a port and count them. */
static void send_all(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[], unsigned count,
                     uint64_t bytes) {
    struct macs_port_stats *stats = &thread->stats.ports[slot];
    const bool held = odp_unlikely(thread->backlog != NULL) && macs_queues_blocked(thread, slot);
    int first = held ? 0 : send_some(thread, slot, packets, count);
    unsigned sent = odp_likely(first == (int)count) ? count
                    : holds(thread, slot)           ? send_or_hold(thread, slot, packets, count, first, &bytes)
                                                    : retry(thread, slot, packets, count, first, &bytes);
    macs_stats_add(&stats->tx_packets, sent);
    macs_stats_add(&stats->tx_bytes, bytes);
}

void macs_transmit_flush_port(struct macs_thread *thread, unsigned slot) {
    struct macs_output *output = &thread->outputs[slot];
    unsigned count = output->count;
    output->count = 0;
    send_all(thread, slot, output->packets, count, macs_extent_of(output->packets, count).bytes);
}

void macs_transmit_flush(struct macs_thread *thread) {
    for (; thread->filled; thread->filled &= thread->filled - 1)
        macs_transmit_flush_port(thread, (unsigned)__builtin_ctzll(thread->filled));
}

/* Append each packet to its port's buffer. */
static void scatter(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                    unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (odp_unlikely(verdicts[i] >= MACS_VERDICT_DROP))
            macs_thread_drop(thread, handles[i], verdicts[i] - MACS_VERDICT_DROP);
        else if (odp_unlikely(!verdicts[i]))
            macs_thread_drop(thread, handles[i], MACS_CAUSE_NO_PORT);
        else
            macs_transmit_put(thread, verdicts[i] - 1u, handles[i], odp_packet_len(handles[i]));
    }
    macs_transmit_flush(thread);
}

bool macs_transmit_verdicts(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                            unsigned count, struct macs_extent extent) {
    macs_verdict verdict = verdicts[0];
    bool together = verdict && verdict < MACS_VERDICT_DROP && thread->gathered > 1;
    together = together && !memcmp(verdicts, verdicts + 1, count - 1); /* each is like the next one */
    if (odp_likely(together && extent.longest <= macs_port_tx_max(&thread->sw->ports[verdict - 1])))
        send_all(thread, verdict - 1u, handles, count, extent.bytes);
    else if (odp_unlikely(macs_any_continues(verdicts, count)))
        return false;
    else
        scatter(thread, handles, verdicts, count);
    return true;
}
