#include "runtime/lane.h"

#include <errno.h>
#include <macs/cipher.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/again.h"
#include "runtime/privileges.h"

/* Empty rounds before a lane sleeps, and for how long then: twice as long each time, up to the second number. */
#define IDLE_ROUNDS 256u
#define SLEEP_MIN_NS 10000l
#define SLEEP_MAX_NS 500000l

/* The lane's share of the (port, queue) pairs, dealt out in turn; a port that nothing will come from has none. */
static void deal_inputs(struct macs_lane *lane) {
    struct macs_switch *sw = lane->sw;
    unsigned turn = 0;
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        struct macs_port *port = &sw->ports[slot];
        if (macs_port_ended(port))
            continue;
        for (unsigned queue = 0; queue < port->input_count; queue++, turn++) {
            if (turn % sw->options.worker_count != lane->worker.index)
                continue;
            struct macs_input *input = &lane->inputs[lane->input_count++];
            input->port = port;
            input->slot = slot;
            if (!port->ctl)
                input->queue = port->inputs[queue];
        }
    }
}

static void take_outputs(struct macs_lane *lane) {
    for (unsigned slot = 0; slot < lane->sw->port_count; slot++) {
        const struct macs_port *port = &lane->sw->ports[slot];
        if (!port->ctl)
            lane->outputs[slot].queue = port->outputs[lane->worker.index % port->output_count];
    }
}

/* The program's two bursts: true, or there is no memory. */
static bool make_bursts(struct macs_lane *lane) {
    size_t bytes = (lane->sw->program->burst_bytes + 63) & ~(size_t)63;
    for (unsigned i = 0; i < 2 && bytes; i++)
        if (!(lane->bursts[i].burst = aligned_alloc(64, bytes)))
            return false;
    return true;
}

int macs_lane_create(struct macs_lane **created, struct macs_switch *sw, unsigned index) {
    struct macs_lane *lane = aligned_alloc(64, (sizeof(*lane) + 63) & ~(size_t)63);
    if (!lane)
        return -ENOMEM;
    memset(lane, 0, sizeof(*lane));
    lane->sw = sw;
    lane->worker.index = index;
    lane->worker.slot_of = sw->slot_of;
    lane->gathered = sw->program->sends_singly ? 1 : MACS_BURST_MAX;
    lane->worker.random = sw->options.seed + index;
    lane->cpu = sw->options.cpu_count ? sw->options.cpus[index % sw->options.cpu_count] : -1;
    atomic_init(&lane->status, 1);
    size_t inputs = 0;
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        inputs += sw->ports[slot].input_count;
    lane->inputs = calloc(inputs + 1, sizeof(*lane->inputs));
    lane->outputs = calloc(sw->port_count, sizeof(*lane->outputs));
    bool complete = lane->inputs && lane->outputs && make_bursts(lane);
    if (complete && sw->program->uses_requests)
        complete = macs_again_create(&lane->again, sw->options.buffers) == 0;
    int status = complete ? macs_qsbr_register(sw->qsbr, &lane->reader) : -ENOMEM;
    if (!status && sw->program->cipher)
        status = sw->program->cipher->create(&lane->sessions, sw->options.worker_count);
    if (status) {
        macs_lane_destroy(lane);
        return status;
    }
    deal_inputs(lane);
    take_outputs(lane);
    *created = lane;
    return 0;
}

void macs_lane_destroy(struct macs_lane *lane) {
    if (lane->reader)
        macs_qsbr_unregister(lane->reader);
    free(lane->inputs);
    free(lane->outputs);
    free(lane->bursts[0].burst);
    free(lane->bursts[1].burst);
    macs_again_destroy(lane->again);
    if (lane->sw->program->cipher)
        lane->sw->program->cipher->destroy(lane->sessions);
    free(lane);
}

static int pin(const struct macs_lane *lane) {
    if (lane->cpu < 0)
        return 0;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)lane->cpu, &cpus);
    return pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

/* Nothing to do: leave the CPU to others for a while. The tables may change meanwhile. */
static void rest(struct macs_lane *lane, long *sleep_ns) {
    struct timespec pause = {.tv_nsec = *sleep_ns};
    macs_qsbr_offline(lane->reader);
    nanosleep(&pause, NULL);
    macs_qsbr_online(lane->sw->qsbr, lane->reader);
    *sleep_ns = *sleep_ns * 2 < SLEEP_MAX_NS ? *sleep_ns * 2 : SLEEP_MAX_NS;
}

static void note_begin(struct macs_lane *lane) {
    if (!atomic_load_explicit(&lane->stats.first_ns, memory_order_relaxed))
        atomic_store_explicit(&lane->stats.first_ns, macs_switch_now(lane->sw), memory_order_relaxed);
}

static void note_end(struct macs_lane *lane) {
    if (atomic_load_explicit(&lane->stats.first_ns, memory_order_relaxed))
        atomic_store_explicit(&lane->stats.last_ns, macs_switch_now(lane->sw), memory_order_relaxed);
}

/* That the tables' old contents may go, but for what an open burst may still look at. */
static void report(struct macs_lane *lane) {
    const struct macs_opened *opened = &lane->bursts[lane->opened];
    if (opened->count)
        macs_qsbr_quiescent_since(lane->reader, opened->epoch);
    else
        macs_qsbr_quiescent(lane->sw->qsbr, lane->reader);
}

/* Packets of the budget, as many as a burst has at most: --count. */
static uint32_t claim(struct macs_switch *sw, uint32_t burst) {
    uint64_t left = atomic_load(&sw->budget), taken;
    do
        taken = left < burst ? left : burst;
    while (!atomic_compare_exchange_weak(&sw->budget, &left, left - taken));
    return (uint32_t)taken;
}

static unsigned poll_within_budget(struct macs_lane *lane, const struct macs_input *input) {
    const uint32_t claimed = lane->worker.burst = claim(lane->sw, lane->worker.burst);
    const unsigned received = claimed ? macs_lane_poll(lane, input) : 0;
    atomic_fetch_add(&lane->sw->budget, claimed - received);
    return received;
}

static void work(struct macs_lane *lane) {
    struct macs_switch *sw = lane->sw;
    unsigned idle = 0;
    long sleep_ns = SLEEP_MIN_NS;
    while (!atomic_load_explicit(&sw->stopping, memory_order_relaxed)) {
        unsigned received = 0;
        for (unsigned i = 0; i < lane->input_count; i++) {
            macs_switch_get_batch(sw, &lane->worker.burst, &lane->worker.sub_batch);
            received += odp_unlikely(sw->options.count) ? poll_within_budget(lane, &lane->inputs[i])
                                                        : macs_lane_poll(lane, &lane->inputs[i]);
            report(lane);
        }
        if (received) {
            idle = 0;
            sleep_ns = SLEEP_MIN_NS;
            note_begin(lane);
        } else {
            macs_lane_drain(lane);
            if (!idle++)
                note_end(lane);
            if (idle > IDLE_ROUNDS && !sw->options.busy)
                rest(lane, &sleep_ns);
            macs_qsbr_quiescent(sw->qsbr, lane->reader);
            odp_cpu_pause();
        }
    }
    macs_lane_drain(lane);
    if (!idle)
        note_end(lane);
}

void *macs_lane_run(void *argument) {
    struct macs_lane *lane = argument;
    int status = -pin(lane);
    if (!status && odp_init_local(lane->sw->instance, ODP_THREAD_WORKER))
        status = -EIO;
    if (status) {
        atomic_store(&lane->status, status);
        return NULL;
    }
    macs_privileges_drop(&lane->sw->options); /* the control thread tells where it cannot */
    macs_qsbr_online(lane->sw->qsbr, lane->reader);
    atomic_store(&lane->status, 0);
    work(lane);
    macs_qsbr_offline(lane->reader);
    odp_term_local();
    return NULL;
}
