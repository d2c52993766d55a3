#include "runtime/workers.h"

#include <errno.h>
#include <macs/cipher.h>
#include <macs/counter.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/datapath.h"
#include "runtime/parts.h"
#include "runtime/decisions.h"
#include "runtime/hold.h"
#include "runtime/privileges.h"
#include "runtime/queue_service.h"
#include "runtime/recirculation.h"
#include "runtime/rest.h"
#include "runtime/steering.h"
#include "runtime/take_over.h"

/* Empty rounds before a worker waits. */
#define IDLE_ROUNDS 256u

/* How long it waits for frames at most, before it looks whether to stop, and whether something is to come from a `ctl:`
 * port if it has one. */
#define WAIT_NS 100000000u
#define WAIT_CTL_NS 2000000u

/* Where there is nothing that it could wait for: how long it sleeps, twice as long each time, up to the second number.
 */
#define SLEEP_MIN_NS 10000l
#define SLEEP_MAX_NS 500000l

static struct macs_input *add_input(struct macs_thread *thread, unsigned slot) {
    struct macs_input *input = &thread->inputs[thread->input_count++];
    *input = (struct macs_input){.port = &thread->sw->ports[slot], .slot = slot};
    return input;
}

/* Whether the worker polls a queue of those that a port has. */
static bool is_poller(const struct macs_thread *thread, const struct macs_port *port, unsigned queue, unsigned queues) {
    const unsigned first = macs_first_receiver(thread->sw), receivers = thread->sw->options.worker_count - first;
    return thread->worker.index - first == (queues == receivers ? queue : port->poller[queue]);
}

/* What the worker receives from. */
static void take_inputs(struct macs_thread *thread) {
    struct macs_switch *sw = thread->sw;
    if (sw->receives_nothing || macs_takes_over(thread))
        return;
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        struct macs_port *port = &sw->ports[slot];
        if (!macs_port_is_there(port) || port->comes || port->leaves)
            continue;
        for (unsigned queue = 0; queue < port->input_count; queue++) {
            if (!is_poller(thread, port, queue, port->input_count))
                continue;
            thread->input_of[thread->queue_count] = thread->input_count;
            thread->queues[thread->queue_count++] = add_input(thread, slot)->queue = port->inputs[queue];
        }
        for (unsigned queue = 0; queue < port->handed_count; queue++) {
            if (!is_poller(thread, port, queue, port->handed_count))
                continue;
            struct macs_input *input = add_input(thread, slot);
            input->handed = true;
            input->handed_to = queue;
        }
    }
}

static void take_outputs(struct macs_thread *thread) {
    for (unsigned slot = 0; slot < thread->sw->port_count; slot++) {
        const struct macs_port *port = &thread->sw->ports[slot];
        if (macs_port_is_there(port) && !port->ctl)
            thread->outputs[slot].queue = port->outputs[thread->worker.index % port->output_count];
    }
}

/* Allocate the two bursts of software pipelining. False: no memory. */
static bool make_bursts(struct macs_thread *thread) {
    size_t bytes = (thread->sw->program->burst_bytes + 63) & ~(size_t)63;
    for (unsigned i = 0; i < 2 && bytes; i++)
        if (!(thread->bursts[i].state = aligned_alloc(64, bytes)))
            return false;
    return true;
}

int macs_worker_create(struct macs_thread **created, struct macs_switch *sw, unsigned index) {
    struct macs_thread *thread = aligned_alloc(64, (sizeof(*thread) + 63) & ~(size_t)63);
    if (!thread)
        return -ENOMEM;
    memset(thread, 0, sizeof(*thread));
    thread->sw = sw;
    thread->worker.index = index;
    thread->worker.own = sw->program->lock_count ? macs_hold_own_lock(index) : NULL;
    thread->worker.slot_of = sw->slot_of;
    thread->worker.directions = sw->directions;
    thread->gathered = sw->program->sends_singly ? 1 : MACS_BURST_MAX;
    thread->worker.random = sw->options.seed + index;
    thread->cpu = sw->options.cpu_count ? sw->options.cpus[index % sw->options.cpu_count] : -1;
    atomic_init(&thread->status, 1);
    const size_t inputs = 3 * (MACS_PORTS_MAX + 1); /* of a port: 2 at most, and one for what is handed over */
    thread->inputs = calloc(inputs, sizeof(*thread->inputs));
    thread->queues = calloc(inputs, sizeof(*thread->queues));
    thread->input_of = calloc(inputs, sizeof(*thread->input_of));
    thread->outputs = calloc(MACS_PORTS_MAX, sizeof(*thread->outputs));
    bool complete = thread->inputs && thread->queues && thread->input_of && thread->outputs && make_bursts(thread);
    thread->part = macs_part_of(&sw->options, index);
    if (complete && thread->part + 1 < sw->options.parts.count)
        complete = (thread->to_next = macs_handover_create()) != NULL;
    if (complete && sw->program->clock_count) {
        thread->clocks = macs_clocks_create(sw->program->clock_count, index);
        complete = thread->clocks != NULL;
    }
    if (complete && sw->program->decisions) {
        thread->worker.decisions = macs_decisions_create(sw->program->decisions);
        complete = thread->worker.decisions != NULL;
        thread->worker.deciding = complete;
    }
    thread->sampled_in = thread->clocks ? macs_clocks_distance(thread->clocks) : UINT64_MAX;
    if (complete && sw->program->uses_requests)
        complete = macs_recirculation_create(&thread->recirculation, sw->options.buffers) == 0;
    if (complete && sw->program->waited_at)
        complete = macs_backlog_create(&thread->backlog, sw->queues->priorities) == 0;
    int status = complete ? macs_qsbr_register(sw->qsbr, &thread->reader) : -ENOMEM;
    if (!status && sw->program->cipher)
        status = sw->program->cipher->create(&thread->sessions, sw->options.worker_count);
    if (status) {
        macs_worker_destroy(thread);
        return status;
    }
    macs_datapath_choose(thread);
    atomic_init(&thread->ports_version, atomic_load(&sw->ports_version));
    take_inputs(thread);
    take_outputs(thread);
    *created = thread;
    return 0;
}

void macs_worker_destroy(struct macs_thread *thread) {
    if (thread->reader)
        macs_qsbr_unregister(thread->reader);
    free(thread->inputs);
    free(thread->queues);
    free(thread->input_of);
    free(thread->outputs);
    free(thread->bursts[0].state);
    free(thread->bursts[1].state);
    free(thread->to_next);
    macs_clocks_destroy(thread->clocks);
    macs_decisions_destroy(thread->worker.decisions);
    free(thread->backlog);
    macs_recirculation_destroy(thread->recirculation);
    if (thread->sw->program->cipher)
        thread->sw->program->cipher->destroy(thread->sessions);
    free(thread);
}

static int pin(const struct macs_thread *thread) {
    if (thread->cpu < 0)
        return 0;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)thread->cpu, &cpus);
    return pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

/* Report a quiescent state, for all but what a burst in flight points to, and entries whose counts are deferred. */
static void report(struct macs_thread *thread) {
    const struct macs_in_flight *burst = &thread->bursts[thread->latest];
    if (macs_counts_are_deferred(&thread->worker))
        macs_qsbr_quiescent_since(thread->reader, thread->counted_epoch);
    else if (burst->count)
        macs_qsbr_quiescent_since(thread->reader, burst->epoch);
    else
        macs_qsbr_quiescent(thread->sw->qsbr, thread->reader);
}

/* Wait until a frame arrives, offline for the tables' writer. */
static unsigned wait_for_frames(struct macs_thread *thread) {
    odp_packet_t packets[MACS_BURST_MAX];
    const uint64_t most = thread->queue_count == thread->input_count ? WAIT_NS : WAIT_CTL_NS;
    const uint64_t queued = thread->backlog ? macs_queues_idle_ns(thread) : UINT64_MAX;
    const uint64_t limit = queued < most ? queued : most;
    uint32_t from = 0;
    macs_qsbr_offline(thread->reader);
    macs_rest_wait_begins(thread);
    int received = odp_pktin_recv_mq_tmo(thread->queues, thread->queue_count, &from, packets, (int)thread->worker.burst,
                                         odp_pktin_wait_time(limit));
    macs_rest_wait_ends(thread);
    macs_qsbr_online(thread->sw->qsbr, thread->reader);
    const struct macs_input *input = &thread->inputs[thread->input_of[from]];
    if (received > 0 && input->port->checked)
        received = macs_steering_keep(thread, input->port, packets, received);
    if (received <= 0)
        return 0;
    macs_datapath_begin_sample(thread);
    macs_datapath_run(thread, input, packets, (unsigned)received);
    report(thread);
    return (unsigned)received;
}

/* Sleep for a while, if the ports cannot be waited for. */
static void nap(struct macs_thread *thread, long *sleep_ns) {
    const uint64_t queued = thread->backlog ? macs_queues_idle_ns(thread) : UINT64_MAX;
    struct timespec pause = {.tv_nsec = queued < (uint64_t)*sleep_ns ? (long)queued : *sleep_ns};
    macs_qsbr_offline(thread->reader);
    macs_rest_wait_begins(thread);
    nanosleep(&pause, NULL);
    macs_rest_wait_ends(thread);
    macs_qsbr_online(thread->sw->qsbr, thread->reader);
    *sleep_ns = *sleep_ns * 2 < SLEEP_MAX_NS ? *sleep_ns * 2 : SLEEP_MAX_NS;
}

static void note_begin(struct macs_thread *thread) {
    if (!atomic_load_explicit(&thread->stats.first_ns, memory_order_relaxed))
        atomic_store_explicit(&thread->stats.first_ns, macs_switch_now(thread->sw), memory_order_relaxed);
}

static void note_end(struct macs_thread *thread) {
    if (atomic_load_explicit(&thread->stats.first_ns, memory_order_relaxed))
        atomic_store_explicit(&thread->stats.last_ns, macs_switch_now(thread->sw), memory_order_relaxed);
}

/* Take up to a burst from the budget of --count. */
static uint32_t claim(struct macs_switch *sw, uint32_t burst) {
    uint64_t left = atomic_load(&sw->budget), taken;
    do
        taken = left < burst ? left : burst;
    while (!atomic_compare_exchange_weak(&sw->budget, &left, left - taken));
    return (uint32_t)taken;
}

static unsigned poll_within_budget(struct macs_thread *thread, const struct macs_input *input) {
    const uint32_t claimed = thread->worker.burst = claim(thread->sw, thread->worker.burst);
    const unsigned received = claimed ? macs_datapath_poll(thread, input) : 0;
    atomic_fetch_add(&thread->sw->budget, claimed - received);
    return received;
}

static unsigned poll_inputs(struct macs_thread *thread) {
    struct macs_switch *sw = thread->sw;
    unsigned received = 0;
    for (unsigned i = 0; i < thread->input_count; i++) {
        macs_switch_get_batch(sw, &thread->worker.burst, &thread->worker.sub_batch);
        received += odp_unlikely(sw->options.count) ? poll_within_budget(thread, &thread->inputs[i])
                                                    : macs_datapath_poll(thread, &thread->inputs[i]);
        report(thread);
    }
    return received;
}

/* Ports have come or gone: the worker has done with those that it knew. */
static void change_ports(struct macs_thread *thread, uint32_t version) {
    macs_datapath_drain(thread);
    if (thread->backlog)
        macs_queues_leave(thread);
    thread->input_count = thread->queue_count = 0;
    take_inputs(thread);
    take_outputs(thread);
    report(thread);
    atomic_store_explicit(&thread->ports_version, version, memory_order_release);
}

static unsigned serve_queues(struct macs_thread *thread) {
    const unsigned gone = macs_queues_serve(thread);
    if (gone)
        report(thread);
    return gone;
}

/* Whether the worker may wait within a reception. Not of a file whose frames it hands over: nobody would see that they
 * are on their way when the file ends. */
static bool may_wait(const struct macs_thread *thread) {
    for (unsigned i = 0; i < thread->input_count; i++)
        if (thread->inputs[i].port->checked && macs_port_may_end(thread->inputs[i].port))
            return false;
    return thread->queue_count && !thread->sw->options.count;
}

static unsigned take_over(struct macs_thread *thread) {
    macs_switch_get_batch(thread->sw, &thread->worker.burst, &thread->worker.sub_batch);
    const unsigned taken = macs_take_over(thread);
    report(thread);
    return taken;
}

static bool goes_on(const struct macs_thread *thread) {
    return !atomic_load_explicit(&thread->sw->stopping, memory_order_relaxed) ||
           (macs_takes_over(thread) && !macs_parts_ended(thread));
}

static void work(struct macs_thread *thread) {
    struct macs_switch *sw = thread->sw;
    unsigned idle = 0;
    long sleep_ns = SLEEP_MIN_NS;
    while (goes_on(thread)) {
        unsigned received = 0;
        macs_rest_if_asked(thread);
        const uint32_t version = atomic_load_explicit(&sw->ports_version, memory_order_acquire);
        if (odp_unlikely(version != thread->ports_version))
            change_ports(thread, version);
        if (idle > IDLE_ROUNDS && !sw->options.busy) {
            if (may_wait(thread))
                received = wait_for_frames(thread);
            else
                nap(thread, &sleep_ns);
        }
        received += macs_takes_over(thread) ? take_over(thread) : poll_inputs(thread);
        if (thread->backlog)
            received += serve_queues(thread);
        if (received) {
            idle = 0;
            sleep_ns = SLEEP_MIN_NS;
            note_begin(thread);
        } else {
            macs_datapath_begin_sample(thread);
            macs_datapath_drain(thread);
            if (!idle++)
                note_end(thread);
            macs_qsbr_quiescent(sw->qsbr, thread->reader);
            odp_cpu_pause();
        }
    }
    macs_datapath_drain(thread);
    if (thread->backlog)
        macs_queues_end(thread);
    if (thread->to_next)
        macs_handover_close(thread->to_next);
    if (!idle)
        note_end(thread);
}

void *macs_worker_run(void *argument) {
    struct macs_thread *thread = argument;
    int status = -pin(thread);
    if (!status && odp_init_local(thread->sw->instance, ODP_THREAD_WORKER))
        status = -EIO;
    if (status) {
        atomic_store(&thread->status, status);
        return NULL;
    }
    macs_privileges_drop(&thread->sw->options); /* the control thread tells where it cannot */
    macs_qsbr_online(thread->sw->qsbr, thread->reader);
    atomic_store(&thread->status, 0);
    work(thread);
    macs_qsbr_offline(thread->reader);
    odp_term_local();
    return NULL;
}
