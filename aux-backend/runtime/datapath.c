/* The datapath: receive, pipelines, traffic manager, transmit.
 *
 * A worker chooses the form of its datapath once, when it is made, from a small table:
 *
 *   software pipelined    the prologue of a burst (parse, hash keys), then all else of the burst before
 *   run to completion     the program takes a burst from reception to its verdicts
 *   by pipeline           a burst through ingress, the traffic manager, egress
 *   ordered               the same for one packet at a time, as the pipelines share a state
 *   cut                   a burst up to the cut, and over to another worker, which takes it from there on
 *
 * Each has a variant with requests, for programs whose packets may be cloned, resubmitted or recirculated (requests.h).
 */
#include "runtime/datapath.h"

#include <macs/cipher.h>
#include <macs/clock.h>
#include <macs/counter.h>
#include <macs/run_to_completion.h>

#include "runtime/bursts.h"
#include "runtime/hold.h"
#include "runtime/parts.h"
#include "runtime/requests.h"
#include "runtime/steering.h"
#include "runtime/traffic_manager.h"
#include "runtime/transmit.h"
#include "runtime/watch.h"

static uint64_t burst_pipelined(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                unsigned count);
static uint64_t burst_to_completion(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                    unsigned count);
static uint64_t burst_by_pipeline(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                  unsigned count);
static uint64_t burst_ordered(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                              unsigned count);
static uint64_t burst_by_parts(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                               unsigned count);
static void pass(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void egress_together(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void egress_each(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void send(struct macs_thread *thread, struct macs_packet *packet);

enum order { SOFTWARE_PIPELINED, RUN_TO_COMPLETION, BY_PIPELINE, ORDERED, CUT, ORDERS };

static const struct macs_datapath plain[ORDERS] = {
    [SOFTWARE_PIPELINED] = {burst_pipelined, pass, macs_resume, macs_dispatch, egress_each, send},
    [RUN_TO_COMPLETION] = {burst_to_completion, pass, macs_resume, macs_dispatch, egress_each, send},
    [BY_PIPELINE] = {burst_by_pipeline, pass, macs_resume, macs_dispatch, egress_together, send},
    [ORDERED] = {burst_ordered, pass, macs_resume, macs_dispatch, egress_each, send},
    [CUT] = {burst_by_parts, pass, macs_resume, macs_dispatch, egress_together, send},
};

#define WITH_REQUESTS                                                                                                  \
    macs_requests_pass, macs_requests_resume, macs_requests_dispatch, macs_requests_egress, macs_recirculation_hold

static const struct macs_datapath with_requests[ORDERS] = {
    [SOFTWARE_PIPELINED] = {burst_pipelined, WITH_REQUESTS},
    [RUN_TO_COMPLETION] = {burst_to_completion, WITH_REQUESTS},
    [BY_PIPELINE] = {burst_by_pipeline, WITH_REQUESTS},
    [ORDERED] = {burst_ordered, WITH_REQUESTS},
    [CUT] = {burst_by_parts, WITH_REQUESTS},
};

void macs_datapath_choose(struct macs_thread *thread) {
    const struct macs_program *program = thread->sw->program;
    const enum order order = program->ingress_back[0]     ? CUT
                             : program->prologue          ? SOFTWARE_PIPELINED
                             : program->run_to_completion ? RUN_TO_COMPLETION
                             : program->ordered           ? ORDERED
                                                          : BY_PIPELINE;
    thread->datapath = program->uses_requests ? &with_requests[order] : &plain[order];
}

/* --- receive --------------------------------------------------------------------------------------------------------
 */

static int receive(struct macs_thread *thread, const struct macs_input *input, odp_packet_t handles[]);

unsigned macs_datapath_poll(struct macs_thread *thread, const struct macs_input *input) {
    odp_packet_t handles[MACS_BURST_MAX];
    macs_datapath_begin_sample(thread);
    int received = receive(thread, input, handles);
    if (received <= 0)
        return 0;
    macs_lap(&thread->worker, MACS_CLOCK_RECEIVE, (uint32_t)received);
    macs_datapath_run(thread, input, handles, (unsigned)received);
    if (odp_unlikely(input->handed) && !input->port->ctl)
        atomic_fetch_sub(&input->port->waiting, (uint64_t)received);
    return (unsigned)received;
}

void macs_datapath_begin_sample(struct macs_thread *thread) {
    if (odp_unlikely(thread->worker.clocks != NULL))
        macs_clocks_begin(thread->worker.clocks);
}

/* The next burst is sampled; or one has been, and the next will be in a while. */
static void turn(struct macs_thread *thread) {
    if (thread->worker.clocks) {
        thread->worker.clocks = NULL;
        thread->sampled_in = macs_clocks_end(thread->clocks);
        return;
    }
    macs_clocks_arm(thread->clocks);
    thread->worker.clocks = thread->clocks;
    thread->sampled_in = 1;
}

void macs_datapath_end_sample(struct macs_thread *thread, unsigned count) {
    macs_lap(&thread->worker, MACS_CLOCK_SEND, count);
    if (odp_unlikely(!--thread->sampled_in))
        turn(thread);
}

void macs_datapath_run(struct macs_thread *thread, const struct macs_input *input, const odp_packet_t handles[],
                       unsigned count) {
    struct macs_port_stats *stats = &thread->stats.ports[input->slot];
    if (odp_unlikely(atomic_load_explicit(&thread->sw->watched, memory_order_relaxed)))
        macs_watch_received(thread, input, handles, count);
    macs_thread_read_time(thread);
    thread->worker.port = input->port->number;
    uint64_t bytes = thread->datapath->burst(thread, input->port, handles, count);
    macs_datapath_end_sample(thread, count);
    macs_stats_add(&stats->rx_packets, count);
    macs_stats_add(&stats->rx_bytes, bytes);
}

/* Where some of what comes is for others. The port has not ended before they have it. */
static int receive_checked(struct macs_thread *thread, const struct macs_input *input, odp_packet_t handles[]) {
    struct macs_port *port = input->port;
    atomic_fetch_add(&port->waiting, 1);
    int received = odp_pktin_recv(input->queue, handles, (int)thread->worker.burst);
    if (received > 0)
        received = macs_steering_keep(thread, port, handles, received);
    atomic_fetch_sub(&port->waiting, 1);
    return received;
}

static inline int receive(struct macs_thread *thread, const struct macs_input *input, odp_packet_t handles[]) {
    const int burst = (int)thread->worker.burst;
    if (odp_unlikely(input->handed))
        return macs_port_take(input->port, input->handed_to, handles, burst);
    if (odp_unlikely(input->port->checked))
        return receive_checked(thread, input, handles);
    return odp_pktin_recv(input->queue, handles, burst);
}

/* --- bursts ---------------------------------------------------------------------------------------------------------
 */

/* The rest of a burst after its prologue. `next`: the burst whose prologue has run since, or NULL. */
static void epilogue(struct macs_thread *thread, struct macs_in_flight *burst, struct macs_in_flight *next) {
    macs_burst_begin(thread);
    thread->sw->program->epilogue(&thread->worker, burst->state, next ? next->state : NULL);
    (next ? macs_burst_end_early : macs_burst_end)(thread, burst->port, burst->count);
    burst->count = 0;
}

void macs_datapath_drain(struct macs_thread *thread) {
    struct macs_in_flight *burst = &thread->bursts[thread->latest];
    if (burst->count)
        epilogue(thread, burst, NULL);
    macs_hold_let_go(&thread->worker);
    macs_hold_let_own_go(&thread->worker);
}

/* The prologue of a burst, then the epilogue of the one before it; and of this one too if only one lookup may be in
 * flight. */
static uint64_t burst_pipelined(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                unsigned count) {
    struct macs_in_flight *before = &thread->bursts[thread->latest], *burst = &thread->bursts[thread->latest ^= 1];
    burst->epoch = macs_qsbr_epoch(thread->sw->qsbr);
    macs_burst_begin(thread);
    uint64_t bytes = thread->sw->program->prologue(&thread->worker, burst->state, handles, count);
    burst->port = port;
    burst->count = count;
    thread->counted_epoch = (before->count ? before : burst)->epoch;
    if (before->count)
        epilogue(thread, before, burst);
    if (thread->worker.sub_batch == 1)
        macs_datapath_drain(thread);
    return bytes;
}

static uint64_t burst_to_completion(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                    unsigned count) {
    macs_burst_begin(thread);
    uint64_t bytes = thread->sw->program->run_to_completion(&thread->worker, handles, count);
    macs_burst_end(thread, port, count);
    return bytes;
}

static uint64_t burst_by_pipeline(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                                  unsigned received) {
    uint64_t bytes = macs_extent_of(handles, received).bytes;
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = macs_burst_bind(thread, handles, received, packets);
    macs_burst_begin(thread);
    if (count)
        thread->datapath->pass(thread, packets, count);
    macs_burst_end(thread, port, received);
    return bytes;
}

static uint64_t burst_ordered(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                              unsigned received) {
    uint64_t bytes = macs_extent_of(handles, received).bytes;
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = macs_burst_bind(thread, handles, received, packets);
    macs_burst_begin(thread);
    for (unsigned i = 0; i < count; i++)
        thread->datapath->pass(thread, &packets[i], 1);
    macs_burst_end(thread, port, received);
    return bytes;
}

/* Up to the cut, and over to a worker of the next part; or through all parts. */
static uint64_t burst_by_parts(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                               unsigned received) {
    uint64_t bytes = macs_extent_of(handles, received).bytes;
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = macs_burst_bind(thread, handles, received, packets);
    macs_burst_begin(thread);
    if (thread->recirculation)
        macs_requests_begin(thread, packets, count);
    if (!atomic_load_explicit(&thread->sw->cloned, memory_order_relaxed)) {
        if (count)
            thread->sw->program->ingress(&thread->worker, packets, count);
        macs_burst_end(thread, port, received - count);
        macs_parts_hand_over(thread, packets, count);
        return bytes;
    }
    if (count)
        macs_parts_ingress(thread, packets, count);
    macs_datapath_pass_on(thread, packets, count);
    macs_burst_end(thread, port, received);
    return bytes;
}

/* --- pipelines ------------------------------------------------------------------------------------------------------
 */

/* Whether all packets are unicast, as in most bursts. */
static bool all_forwarded(struct macs_packet *const packets[], unsigned count) {
    unsigned others = 0;
    for (unsigned i = 0; i < count; i++)
        others |= packets[i]->verdict ^ MACS_FORWARD;
    return !others;
}

/* Ingress, traffic manager and egress of packets, and their transmission. */
static void pass(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = thread->sw->program;
    program->ingress(&thread->worker, packets, count);
    if (program->cipher && !program->egress) /* they have been deparsed */
        program->cipher->run(&thread->worker, packets, count);
    macs_datapath_pass_on(thread, packets, count);
}

/* Packets from ingress through the traffic manager and egress, and out. */
void macs_datapath_pass_on(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    if (thread->recirculation) {
        macs_requests_pass_on(thread, packets, count);
        return;
    }
    if (!thread->backlog && all_forwarded(packets, count)) {
        thread->datapath->egress(thread, packets, count);
        return;
    }
    struct macs_departures departures;
    departures.count = 0; /* the rest is not initialised: the array is large */
    for (unsigned i = 0; i < count; i++)
        macs_dispatch(thread, &departures, packets[i]);
    macs_depart_all(thread, &departures);
}

void macs_datapath_leave_queue(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    macs_burst_begin(thread);
    if (thread->recirculation)
        macs_requests_leave_queue(thread, packets, count);
    else
        thread->datapath->egress(thread, packets, count);
    macs_burst_finish(thread);
}

/* Called by generated code: run to completion has finished a burst. */
void macs_transmit_burst(struct macs_worker *worker, const odp_packet_t handles[], const macs_verdict verdicts[],
                         unsigned count, struct macs_extent extent) {
    struct macs_thread *thread = macs_thread_of(worker);
    if (odp_unlikely(!macs_transmit_verdicts(thread, handles, verdicts, count, extent)))
        thread->datapath->resume(thread, handles, verdicts, count);
}

/* --- egress, and out ------------------------------------------------------------------------------------------------
 */

static void run_egress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = thread->sw->program;
    if (!program->egress)
        return;
    program->egress(&thread->worker, packets, count);
    if (program->cipher)
        program->cipher->run(&thread->worker, packets, count);
}

/* As a whole if all packets go to one port. */
static void egress_together(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    const struct macs_common common = macs_common_of(&thread->worker);
    struct macs_extent extent = {0, 0};
    odp_packet_t handles[MACS_BURST_MAX];
    macs_verdict verdicts[MACS_BURST_MAX];
    run_egress(thread, packets, count);
    for (unsigned i = 0; i < count; i++) {
        handles[i] = packets[i]->handle;
        verdicts[i] = odp_likely(packets[i]->verdict == MACS_FORWARD)
                          ? macs_verdict_of_port(&common, packets[i]->egress_port)
                          : (macs_verdict)(MACS_VERDICT_DROP + packets[i]->cause);
        macs_extent_add(&extent, packets[i]->length);
    }
    macs_transmit_verdicts(thread, handles, verdicts, count, extent);
}

/* Each packet is appended to its port's buffer. */
static void egress_each(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    run_egress(thread, packets, count);
    for (unsigned i = 0; i < count; i++)
        if (odp_likely(packets[i]->verdict == MACS_FORWARD))
            macs_transmit(thread, packets[i]);
        else
            macs_thread_drop(thread, packets[i]->handle, packets[i]->cause);
}

static void send(struct macs_thread *thread, struct macs_packet *packet) {
    macs_transmit(thread, packet);
}
