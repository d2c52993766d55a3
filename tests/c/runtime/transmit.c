/* Frames to a port that takes some, refuses some and is full: what is counted is what it has taken. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <macs/waited.h>

#include "runtime/datapath.h"
#include "runtime/queue_service.h"
#include "runtime/queues.h"
#include "runtime/transmit.h"

enum { FRAMES = 6 };

/* A frame is its length, and the record behind it, where the user area is. */
static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
    struct macs_waited waited; /* of programs with queues */
} made[FRAMES];

static odp_packet_t make_frame(unsigned at, uint32_t length) {
    made[at].head.len = length;
    made[at].head.uarea_size = sizeof(struct macs_packet);
    return &made[at].head;
}

static const int *answers; /* of the port, one a call; behind them it takes nothing */
static unsigned answer_count, calls, freed;
static uint32_t taken_bytes;
static unsigned taken;

static int answer(const odp_packet_t packets[], int count) {
    int said = calls < answer_count ? answers[calls] : 0;
    calls++;
    said = said < count ? said : count;
    for (int i = 0; i < said; i++) {
        taken++;
        taken_bytes += odp_packet_len(packets[i]);
    }
    return said;
}

/* A refusal says why. */
int odp_packet_copy_to_mem(odp_packet_t packet, uint32_t offset, uint32_t length, void *to) {
    (void)packet, (void)offset, (void)length, (void)to;
    return -1; /* nothing is captured */
}

static uint64_t clock_ns;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

int odp_errno(void) {
    return calls && calls <= answer_count ? -answers[calls - 1] : 0;
}

int odp_pktout_send(odp_pktout_queue_t queue, const odp_packet_t packets[], int count) {
    (void)queue;
    return answer(packets, count);
}

int macs_ctl_send(struct macs_ctl_out *out, const odp_packet_t packets[], int count) {
    (void)out;
    return answer(packets, count);
}

void odp_packet_free(odp_packet_t packet) {
    (void)packet;
    freed++;
}

void odp_packet_free_multi(const odp_packet_t packets[], int count) {
    (void)packets;
    freed += (unsigned)count;
}

static unsigned failures;

static void check(const char *what, unsigned at, uint64_t is, uint64_t wanted) {
    if (is == wanted)
        return;
    printf("case %u: %s: %llu instead of %llu\n", at, what, (unsigned long long)is, (unsigned long long)wanted);
    failures++;
}

struct port_case {
    int answers[5];
    unsigned answer_count, sent, calls;
    bool ctl;
    unsigned cause; /* of those that are not sent; the program drops the last one itself */
};

static const struct port_case cases[] = {
    {{6}, 1, 6, 1, false, MACS_CAUSE_TX_FULL},
    {{2, -1, 3}, 3, 5, 3, false, MACS_CAUSE_TX_FULL}, /* one that is refused is lost alone */
    {{-1, -1, 4}, 3, 4, 3, false, MACS_CAUSE_TX_FULL},
    {{5, -1}, 2, 5, 2, false, MACS_CAUSE_TX_FULL},
    {{0, 0, 4}, 3, 4, 3 + 64, false, MACS_CAUSE_TX_FULL}, /* patience, anew after each that is taken */
    {{0}, 0, 0, 64, false, MACS_CAUSE_TX_FULL},
    {{4}, 1, 4, 2, true, MACS_CAUSE_TX_FULL}, /* nobody collects meanwhile */
    {{5, -EMSGSIZE}, 2, 5, 2, false, MACS_CAUSE_TOO_LONG},
    {{5}, 1, 5, 1, false, MACS_CAUSE_PROGRAM}, /* the program drops one, not the port */
};

/* The longest frame that a port takes is sent, one that is longer is not, whether its burst goes out as a whole or not.
 */
static void check_longest(struct macs_thread *thread, uint32_t limit, bool together) {
    odp_packet_t frames[FRAMES];
    macs_verdict verdicts[FRAMES];
    struct macs_extent extent = {0, 0};
    memset(&thread->stats, 0, sizeof(thread->stats));
    thread->sw->ports[0].ctl = false;
    thread->sw->ports[0].tx_max = limit;
    answer_count = 1;
    calls = taken = taken_bytes = freed = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        frames[i] = make_frame(i, 60 + i);
        verdicts[i] = together || i ? 1 : 0; /* the port of the first one is not there */
        macs_extent_add(&extent, odp_packet_len(frames[i]));
    }
    const unsigned gone = !together, longer = 60 + FRAMES - 1 > limit ? 60 + FRAMES - 1 - limit : 0;
    answers = (const int[]){(int)(FRAMES - gone - longer)};
    check("all", limit, macs_transmit_verdicts(thread, frames, verdicts, FRAMES, extent), true);
    check("sent", limit, thread->stats.ports[0].tx_packets, FRAMES - gone - longer);
    check("too long", limit, thread->stats.drops[MACS_CAUSE_TOO_LONG], longer);
    check("without a port", limit, thread->stats.drops[MACS_CAUSE_NO_PORT], gone);
    check("calls", limit, calls, 1);
}

static const struct macs_program program = {.waited_at = sizeof(struct macs_packet)};

/* The lengths of the frames that are held, in their order: as a number, a digit for each beyond 60. */
static uint64_t held_of(struct macs_thread *thread, unsigned slot) {
    struct macs_waiting held = macs_queues_take_held(thread, slot);
    uint64_t order = 0;
    for (struct macs_packet *packet; (packet = macs_waiting_take(thread, &held));)
        order = order * 10 + odp_packet_len(packet->handle) - 60;
    return order;
}

/* Where packets wait in queues, frames that a port does not take are held, all behind them too, until it does. */
static void check_held(struct macs_thread *thread) {
    odp_packet_t frames[FRAMES];
    macs_verdict verdicts[FRAMES];
    struct macs_extent extent = {0, 0};
    memset(&thread->stats, 0, sizeof(thread->stats));
    thread->sw->program = &program;
    thread->sw->ports[0].ctl = false;
    thread->sw->ports[0].tx_max = 1000;
    check("queues", 0, macs_queues_create(&thread->sw->queues, 1), 0);
    check("backlog", 0, macs_backlog_create(&thread->backlog, 1), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        frames[i] = make_frame(i, 60 + i);
        verdicts[i] = 1;
        macs_extent_add(&extent, odp_packet_len(frames[i]));
    }
    answers = (const int[]){2, -1, 1, 0};
    answer_count = 4;
    calls = taken = taken_bytes = freed = 0;
    macs_transmit_verdicts(thread, frames, verdicts, FRAMES, extent);
    check("sent", 0, thread->stats.ports[0].tx_packets, 3);
    check("bytes", 0, thread->stats.ports[0].tx_bytes, taken_bytes);
    check("refused", 0, thread->stats.drops[MACS_CAUSE_TX_FULL], 1);
    check("calls", 0, calls, 4);
    check("inside", 0, thread->sw->queues->inside, 2);
    check("blocked", 0, macs_queues_blocked(thread, 0), true);
    check("not blocked", 0, macs_queues_blocked(thread, 1), false);
    check("wait", 0, macs_queues_idle_ns(thread) < UINT64_MAX, true);
    answers = (const int[]){FRAMES};
    answer_count = 1;
    calls = 0;
    macs_transmit_verdicts(thread, frames, verdicts, 2, (struct macs_extent){121, 61}); /* nothing overtakes */
    check("calls", 1, calls, 0);
    check("sent", 1, thread->stats.ports[0].tx_packets, 3);
    check("bytes", 1, thread->stats.ports[0].tx_bytes, taken_bytes);
    check("inside", 1, thread->sw->queues->inside, 4);
    check("held", 0, held_of(thread, 0), 4501);
    check("blocked", 1, macs_queues_blocked(thread, 0), false);
    check("wait", 1, macs_queues_idle_ns(thread), UINT64_MAX);
    check("held", 1, held_of(thread, 0), 0);
    thread->backlog->ends = true; /* at the end nothing is held */
    answer_count = calls = 0;
    macs_transmit_verdicts(thread, frames, verdicts, 2, (struct macs_extent){121, 61});
    check("dropped", 0, thread->stats.drops[MACS_CAUSE_TX_FULL], 3);
    check("inside", 2, thread->sw->queues->inside, 4);
    free(thread->backlog);
    macs_queues_destroy(thread->sw->queues);
    thread->backlog = NULL;
}

/* Those that have waited are sent at once; a digit for the length of each, as above. */
static uint64_t left_queue;

void macs_datapath_leave_queue(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        left_queue = left_queue * 10 + packets[i]->length - 60;
        macs_transmit(thread, packets[i]);
    }
    macs_transmit_flush(thread);
}

/* A packet comes from ingress to a port: whether it goes on at once. */
static bool comes(struct macs_thread *thread, unsigned at, uint32_t port) {
    odp_packet_t frame = make_frame(at, 60 + at);
    struct macs_packet *packet = macs_packet_of(frame);
    packet->handle = frame;
    packet->length = 60 + at;
    packet->egress_port = port;
    return macs_queues_enter(thread, packet);
}

static unsigned serve(struct macs_thread *thread, const int *said, unsigned count) {
    answers = said;
    answer_count = count;
    calls = 0;
    left_queue = 0;
    return macs_queues_serve(thread);
}

/* What a port has not taken is tried again before what waits for it; what waits for another port is not kept by that.
 */
static void check_served(struct macs_thread *thread) {
    static const struct macs_program timed = {.waited_at = sizeof(struct macs_packet), .uses_time = true};
    odp_packet_t frames[2] = {make_frame(0, 60), make_frame(1, 61)};
    memset(&thread->stats, 0, sizeof(thread->stats));
    struct macs_switch *sw = thread->sw;
    sw->program = &timed;
    sw->port_count = 2;
    sw->slot_of[1] = 1, sw->slot_of[2] = 2;
    sw->ports[0].number = 1, sw->ports[1].number = 2, sw->ports[1].tx_max = 1000;
    thread->worker.burst = 8;
    calls = taken = taken_bytes = freed = answer_count = 0;
    check("queues", 1, macs_queues_create(&sw->queues, 1), 0);
    check("backlog", 1, macs_backlog_create(&thread->backlog, 1), 0);
    check("nothing", 0, serve(thread, NULL, 0), 0);
    macs_transmit_verdicts(thread, frames, (const macs_verdict[]){1, 1}, 2, (struct macs_extent){121, 61});
    check("held", 2, sw->queues->inside, 2);
    check("waits", 0, comes(thread, 2, 1), false);
    check("goes on", 0, comes(thread, 5, 2), true);
    macs_queue_set_rate(macs_queue_of(sw->queues, 1, 0), 1000, 0);
    check("goes on", 1, comes(thread, 5, 2), true);
    check("waits", 1, comes(thread, 3, 2), false);
    check("inside", 3, sw->queues->inside, 4);
    check("none taken", 0, serve(thread, NULL, 0), 0); /* the port takes nothing, and the rate lets nothing go */
    check("inside", 4, sw->queues->inside, 4);
    check("left", 0, left_queue, 0);
    check("wait", 2, macs_queues_idle_ns(thread) < UINT64_MAX, true);
    clock_ns = 1000000;
    check("of the other", 0, serve(thread, (const int[]){0, 1}, 2), 1);
    check("left", 1, left_queue, 3);
    check("inside", 5, sw->queues->inside, 3);
    check("some taken", 0, serve(thread, (const int[]){1, 0}, 2), 0); /* it is still blocked */
    check("left", 2, left_queue, 0);
    check("inside", 6, sw->queues->inside, 2);
    check("all taken", 0, serve(thread, (const int[]){1, 1}, 2), 2);
    check("left", 3, left_queue, 2);
    check("inside", 7, sw->queues->inside, 0);
    check("sent", 2, thread->stats.ports[0].tx_packets, 3);
    check("sent", 3, thread->stats.ports[1].tx_packets, 1);
    check("nothing", 1, serve(thread, NULL, 0), 0);
    check("wait", 3, macs_queues_idle_ns(thread), UINT64_MAX);
}

/* What waits for a port that leaves is dropped, wherever it waits; what waits for another one waits on. */
static void check_left(struct macs_thread *thread) {
    odp_packet_t frames[2] = {make_frame(0, 60), make_frame(1, 61)};
    struct macs_switch *sw = thread->sw;
    answer_count = calls = freed = 0;
    thread->worker.now_ns = clock_ns = 5000000;
    macs_transmit_verdicts(thread, frames, (const macs_verdict[]){1, 1}, 2, (struct macs_extent){121, 61});
    check("waits", 2, comes(thread, 2, 1), false);
    check("waits", 3, comes(thread, 3, 1), false);
    check("goes on", 2, comes(thread, 5, 2), true);
    check("waits", 4, comes(thread, 4, 2), false);
    check("inside", 8, sw->queues->inside, 5);
    macs_queues_leave(thread);
    check("inside", 9, sw->queues->inside, 5);
    sw->ports[0].leaves = true;
    macs_queues_leave(thread);
    check("inside", 10, sw->queues->inside, 1);
    check("dropped", 1, thread->stats.drops[MACS_CAUSE_NO_PORT], 4);
    check("freed", 0, freed, 4);
    check("waiting", 0, macs_queue_of(sw->queues, 0, 0)->waiting, 0);
    check("waiting", 1, macs_queue_of(sw->queues, 1, 0)->waiting, 1);
    check("blocked", 2, macs_queues_blocked(thread, 0), false);
    check("too early", 0, serve(thread, NULL, 0), 0);
    answers = (const int[]){1};
    answer_count = 1;
    calls = 0;
    macs_queues_end(thread); /* nobody waits any more */
    check("left", 4, left_queue, 4);
    check("inside", 11, sw->queues->inside, 0);
    check("sent", 4, thread->stats.ports[1].tx_packets, 2);
    sw->ports[0].leaves = false;
    free(thread->backlog);
    macs_queues_destroy(sw->queues);
    thread->backlog = NULL;
}

int main(void) {
    static struct macs_switch sw = {.port_count = 1};
    static struct macs_thread thread = {.sw = &sw, .gathered = MACS_BURST_MAX};
    static struct macs_output outputs[2];
    thread.outputs = outputs;
    for (unsigned at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        const struct port_case *one = &cases[at];
        odp_packet_t frames[FRAMES];
        macs_verdict verdicts[FRAMES];
        memset(&thread.stats, 0, sizeof(thread.stats));
        sw.ports[0].ctl = one->ctl;
        sw.ports[0].tx_max = 1000;
        answers = one->answers;
        answer_count = one->answer_count;
        calls = taken = taken_bytes = freed = 0;
        struct macs_extent extent = {0, 0};
        for (unsigned i = 0; i < FRAMES; i++) {
            frames[i] = make_frame(i, 60 + 10 * i * i);
            verdicts[i] = 1;
            macs_extent_add(&extent, odp_packet_len(frames[i]));
        }
        if (one->cause == MACS_CAUSE_PROGRAM)
            verdicts[FRAMES - 1] = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        macs_transmit_verdicts(&thread, frames, verdicts, FRAMES, extent);
        check("sent", at, thread.stats.ports[0].tx_packets, one->sent);
        check("taken", at, taken, one->sent);
        check("bytes", at, thread.stats.ports[0].tx_bytes, taken_bytes);
        check("dropped", at, thread.stats.drops[one->cause], FRAMES - one->sent);
        check("freed", at, freed, FRAMES - one->sent);
        check("calls", at, calls, one->calls);
    }
    for (uint32_t limit = 60 + FRAMES - 3; limit < 60 + FRAMES + 1; limit++) {
        check_longest(&thread, limit, true);
        check_longest(&thread, limit, false);
    }
    check_held(&thread);
    check_served(&thread);
    check_left(&thread);
    puts(failures ? "failed" : "ok");
    return failures != 0;
}
