#include "runtime/back.h"

#include <macs/run_to_completion.h>

#include "runtime/bursts.h"
#include "runtime/datapath.h"

/* Who waits for frames of `ctl:` ports may collect what came of them. */
static void count_finished(struct macs_thread *thread, const uint32_t ports[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct macs_port *port = macs_switch_port(thread->sw, ports[i]);
        if (port && port->ctl)
            atomic_fetch_add_explicit(&port->finished, 1, memory_order_release);
    }
}

static unsigned take(struct macs_thread *thread, struct macs_handover *from) {
    struct macs_packet *packets[MACS_BURST_MAX], *handed[MACS_BURST_MAX];
    uint32_t ports[MACS_BURST_MAX];
    macs_datapath_begin_sample(thread);
    const unsigned count = macs_handover_take(from, packets, thread->worker.burst);
    unsigned handed_count = 0;
    if (!count)
        return 0;
    macs_lap(&thread->worker, MACS_CLOCK_RECEIVE, count);
    macs_thread_read_time(thread);
    macs_burst_begin(thread);
    for (unsigned i = 0; i < count; i++) {
        ports[i] = packets[i]->ingress_port;
        handed[handed_count] = packets[i];
        handed_count += packets[i]->verdict == MACS_HAND_OVER;
    }
    if (handed_count)
        thread->sw->program->ingress_back(&thread->worker, handed, handed_count);
    macs_datapath_pass_on(thread, packets, count);
    macs_burst_finish(thread);
    macs_datapath_end_sample(thread, count);
    macs_stats_add(&thread->stats.bursts, 1);
    if (thread->sw->has_ctl)
        count_finished(thread, ports, count);
    return count;
}

/* The next front after worker `i`, NULL behind the last. */
static struct macs_thread *next_front(const struct macs_thread *thread, unsigned *i) {
    const struct macs_switch *sw = thread->sw;
    *i += sw->options.back_count;
    return *i < sw->worker_count ? sw->workers[*i] : NULL;
}

unsigned macs_back_take(struct macs_thread *thread) {
    unsigned at = thread->worker.index, taken = 0;
    for (struct macs_thread *front; (front = next_front(thread, &at));)
        taken += take(thread, front->to_back);
    return taken;
}

bool macs_back_has_packets(const struct macs_thread *thread) {
    unsigned at = thread->worker.index;
    if (macs_is_back(thread))
        for (const struct macs_thread *front; (front = next_front(thread, &at));)
            if (!macs_handover_empty(front->to_back))
                return true;
    return false;
}

bool macs_back_ended(const struct macs_thread *thread) {
    unsigned at = thread->worker.index;
    for (struct macs_thread *front; (front = next_front(thread, &at));)
        if (!atomic_load(&front->status) && !macs_handover_ended(front->to_back))
            return false;
    return true;
}
