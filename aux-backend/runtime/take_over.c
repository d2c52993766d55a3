#include "runtime/take_over.h"

#include "runtime/bursts.h"
#include "runtime/datapath.h"
#include "runtime/parts.h"

/* Who waits for frames of `ctl:` ports may collect what came of them. */
static void count_finished(struct macs_thread *thread, const uint32_t ports[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct macs_port *port = macs_switch_port(thread->sw, ports[i]);
        if (port && port->ctl)
            atomic_fetch_add_explicit(&port->finished, 1, memory_order_release);
    }
}

/* The last part: packets leave. */
static void send(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    uint32_t ports[MACS_BURST_MAX];
    for (unsigned i = 0; i < count; i++)
        ports[i] = packets[i]->ingress_port;
    macs_datapath_pass_on(thread, packets, count);
    macs_burst_finish(thread);
    if (thread->sw->has_ctl)
        count_finished(thread, ports, count);
}

static unsigned take(struct macs_thread *thread, struct macs_handover *from) {
    struct macs_packet *packets[MACS_BURST_MAX];
    macs_datapath_begin_sample(thread);
    const unsigned count = macs_handover_take(from, packets, thread->worker.burst);
    if (!count)
        return 0;
    macs_lap(&thread->worker, MACS_CLOCK_RECEIVE, count);
    macs_thread_read_time(thread);
    macs_burst_begin(thread);
    macs_parts_go_on(thread, thread->part, packets, count);
    if (thread->to_next) {
        macs_burst_finish(thread);
        macs_parts_hand_over(thread, packets, count);
    } else {
        send(thread, packets, count);
    }
    macs_datapath_end_sample(thread, count);
    macs_stats_add(&thread->stats.bursts, 1);
    return count;
}

unsigned macs_take_over(struct macs_thread *thread) {
    unsigned at = 0, taken = 0;
    for (struct macs_thread *before; (before = macs_parts_next_before(thread, &at));)
        taken += take(thread, before->to_next);
    return taken;
}
