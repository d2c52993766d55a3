/* Packets that ask for clones and for further passes: in which order they and what comes of them go through the
 * pipelines and out, and what each pass begins with. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "happened.h"
#include "runtime/clone.h"
#include "runtime/mirror.h"
#include "runtime/multicast.h"
#include "runtime/parts.h"
#include "runtime/queues.h"
#include "runtime/requests.h"

enum { PACKETS = 700, PORT = 7, OTHER = 9, SESSION = 5, FIELDS = 40 };

/* --- what stands around: a packet is a place among these ------------------------------------------------------------
 */

static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
} made[PACKETS];
static unsigned made_count;
static const char *ingress_does[PACKETS], *egress_does[PACKETS]; /* by the packet, a letter for each of its passes */
static unsigned ingress_passes[PACKETS], egress_passes[PACKETS];
static uint64_t clock_ns;

static unsigned number_of(const struct macs_packet *packet) {
    return (unsigned)(((const uint8_t *)packet - (const uint8_t *)made) / (long)sizeof(made[0]));
}

static void note(char what, const struct macs_packet *packet) {
    happens("%c%u", what, number_of(packet));
}

static struct macs_packet *make(const char *in_ingress, const char *in_egress) {
    assert(made_count < PACKETS);
    const unsigned number = made_count++;
    made[number].head = (struct macs_odp_packet){.len = 60, .uarea_size = sizeof(struct macs_packet)};
    struct macs_packet *packet = macs_packet_of(&made[number].head);
    *packet = (struct macs_packet){.handle = &made[number].head, .length = 60, .contiguous = 60};
    ingress_does[number] = in_ingress;
    egress_does[number] = in_egress;
    ingress_passes[number] = egress_passes[number] = 0;
    return packet;
}

static struct macs_switch sw;
static struct macs_thread thread = {.sw = &sw, .gathered = 1};

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

struct macs_packet *macs_copy_packet(const struct macs_thread *of, const struct macs_packet *packet) {
    (void)of;
    struct macs_packet *copy = make("", ""), own = *copy;
    *copy = *packet;
    copy->handle = own.handle;
    return copy;
}

void odp_packet_free(odp_packet_t handle) {
    note('x', macs_packet_of(handle));
}

int odp_packet_trunc_tail(odp_packet_t *handle, uint32_t bytes, void **tail, uint32_t *tailroom) {
    (void)tail, (void)tailroom;
    (*handle)->len -= bytes;
    return 0;
}

bool macs_queues_enter(struct macs_thread *of, struct macs_packet *packet) {
    (void)of, (void)packet;
    return true;
}

void macs_queues_begin(struct macs_thread *of, struct macs_packet *packet, uint8_t priority) {
    (void)of, (void)packet, (void)priority;
}

void macs_transmit_flush_port(struct macs_thread *of, unsigned slot) {
    struct macs_output *output = &of->outputs[slot];
    for (unsigned i = 0; i < output->count; i++)
        note('s', macs_packet_of(output->packets[i]));
    output->count = 0;
}

/* --- the program ----------------------------------------------------------------------------------------------------
 */

/* What this pass does of a packet; behind its letters: it goes on. */
static char next_of(const char *letters, unsigned *pass) {
    return *pass < strlen(letters) ? letters[(*pass)++] : '.';
}

static void ingress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = packets[i];
        const unsigned number = number_of(packet);
        const char does = next_of(ingress_does[number], &ingress_passes[number]);
        note('i', packet);
        assert(packet->verdict == MACS_FORWARD && packet->requests.flags == 0);
        packet->verdict = does == 'd' || does == 'D' ? MACS_DROP : MACS_FORWARD;
        packet->cause = MACS_CAUSE_ENDLESS;
        packet->egress_port = PORT;
        if (does == 'c' || does == 'D' || does == 'b')
            macs_request_clone_ingress(packet, SESSION, FIELDS);
        if (does == 'r' || does == 'b')
            macs_request_resubmit(packet, FIELDS + 1);
        if (does == 'y') /* v1model's has no say here, and PSA's is asked for in egress */
            macs_request_recirculate(packet, FIELDS + 2);
        if (does == 't')
            macs_request_truncate(packet, 50);
    }
}

static void clone_of(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    for (unsigned i = 0; i < count; i++) {
        note('k', packets[i]);
        assert(packets[i]->requests.preserved == FIELDS + (packets[i]->instance_type == 2 ? 3 : 0));
    }
}

/* A clone that is to go no further. */
static void clone_refused(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    clone_of(worker, packets, count);
    for (unsigned i = 0; i < count; i++) {
        packets[i]->verdict = MACS_DROP;
        packets[i]->cause = MACS_CAUSE_CIPHER;
    }
}

static bool backwards; /* as stages may */

static void egress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = packets[backwards ? count - 1 - i : i];
        const unsigned number = number_of(packet);
        const char does = next_of(egress_does[number], &egress_passes[number]);
        note('e', packet);
        if (does == 'd')
            packet->verdict = MACS_DROP;
        packet->cause = MACS_CAUSE_LOOPS;
        if (does == 'y' || does == 'a')
            macs_request_recirculate(packet, FIELDS + 2);
        if (does == 'e' || does == 'a') {
            macs_request_clone_egress(packet, SESSION, FIELDS + 3);
            macs_clone_egress(worker, packet);
        }
    }
}

void macs_parts_ingress(struct macs_thread *of, struct macs_packet *packets[], unsigned count) {
    of->sw->program->ingress(&of->worker, packets, count);
}

#define INSTANCES .state_bytes = sizeof(struct macs_packet), .instances = {4, 1, 2, 6, 5}
static const struct macs_program program = {INSTANCES, .ingress = ingress, .clone = clone_of, .egress = egress,
                                            .uses_time = true};
static const struct macs_program ordered = {INSTANCES, .ingress = ingress, .egress = egress, .ordered = true};
static const struct macs_program refuses = {INSTANCES, .ingress = ingress, .clone = clone_refused, .egress = egress};
static const struct macs_program merged = {INSTANCES, .ingress = ingress};
static const struct macs_datapath datapath = {
    .dispatch = macs_requests_dispatch, .egress = macs_requests_egress, .leave = macs_recirculation_hold};

/* A burst of packets, of each what it does in ingress and in egress, passes. */
static void pass(const struct macs_program *of, const char *const does[][2], unsigned count) {
    struct macs_packet *packets[MACS_BURST_MAX];
    sw.program = of;
    made_count = 0;
    happened[0] = 0;
    memset(&thread.stats, 0, sizeof(thread.stats));
    for (unsigned i = 0; i < count; i++) {
        packets[i] = make(does[i][0], does[i][1]);
        packets[i]->requests.flags = 0xff; /* of whoever had the buffer before */
    }
    macs_requests_pass(&thread, packets, count);
    assert(thread.recirculation->count == 0 && thread.recirculation->held_count == 0);
    assert(thread.recirculation->made_count == 0);
}

#define PASS(of, ...)                                                                                                  \
    pass(of, (const char *const[][2]){__VA_ARGS__},                                                                    \
         sizeof((const char *const[][2]){__VA_ARGS__}) / (2 * sizeof(char *)))

/* --- tests ----------------------------------------------------------------------------------------------------------
 */

static void check_ingress_clones(void) {
    PASS(&program, {"c", ""}, {"", ""}, {"D", ""}, {"c", "d"});
    assert(was("i0 i1 i2 i3 k4 k5 x2 k6 e4 e0 e1 e5 e6 e3 x3 s4 s0 s1 s5 s6"));
    assert(made[4].record.egress_port == OTHER && made[4].record.instance_type == 1);
    assert(thread.stats.drops[MACS_CAUSE_ENDLESS] == 1 && thread.stats.drops[MACS_CAUSE_LOOPS] == 1);
    assert(thread.stats.copies == 3);
    PASS(&refuses, {"c", ""}, {"", ""});
    assert(was("i0 i1 k2 x2 e0 e1 s0 s1") && thread.stats.drops[MACS_CAUSE_CIPHER] == 1);
}

static void check_resubmission(void) {
    PASS(&program, {"rr", ""}, {"", ""}, {"rd", ""});
    assert(was("i0 i1 i2 e1 i0 i2 x2 i0 e0 s0 s1"));
    assert(made[0].record.instance_type == 6 && made[0].record.requests.preserved == FIELDS + 1);
    assert(made[1].record.instance_type == 0 && made[1].record.requests.preserved == 0);
    /* with a clone: whoever came before has gone through egress when the packet enters the queue */
    PASS(&program, {"", "y"}, {"b", ""}, {"", ""});
    assert(was("i0 i1 i2 e0 k3 e3 e2 i0 i1 e0 e1 s0 s3 s1 s2"));
    assert(made[0].record.instance_type == 5 && made[0].record.requests.preserved == FIELDS + 2);
}

static void check_egress_clones(void) {
    PASS(&program, {"", "a"}, {"", "e"}, {"", ""});
    assert(was("i0 i1 i2 e0 e1 e2 k3 e3 i0 e0 k4 e4 s3 s0 s1 s4 s2"));
    assert(made[3].record.instance_type == 2 && made[3].record.egress_port == OTHER);
    PASS(&program, {"", "dy"}, {"", "ad"}); /* one that is dropped does not begin again */
    assert(was("i0 i1 e0 e1 x0 k2 e2 i1 e1 x1 s2"));
    backwards = true;
    PASS(&program, {"", "e"}, {"", "e"});
    assert(was("i0 i1 e1 e0 k3 k2 e2 e3 s0 s3 s1 s2"));
    backwards = false;
    PASS(&program, {"", "e"});
    assert(was("i0 e0 k1 e1 s0 s1"));
}

static void check_what_egress_is_told(void) {
    PASS(&program, {"t", ""}, {"y", ""});
    assert(was("i0 i1 e0 e1 i1 e1 s0 s1"));
    assert(made[0].record.requests.flags == MACS_TRUNCATE && made[0].record.requests.truncate_bytes == 50);
    PASS(&merged, {"y", ""}, {"r", ""}, {"d", ""}, {"", ""});
    assert(was("i0 i1 i2 i3 x2 i0 s0 s1 s3"));
}

/* One packet after the other, where pipelines share a state. */
static void check_ordered(void) {
    PASS(&ordered, {"r", ""}, {"r", ""});
    assert(was("i0 i1 i0 e0 i1 e1 s0 s1"));
}

/* The time is that at which a pass begins. */
static void check_time(void) {
    thread.worker.now_ns = 5;
    clock_ns = 77;
    PASS(&program, {"", ""});
    assert(thread.worker.now_ns == 5);
    PASS(&program, {"r", ""});
    assert(thread.worker.now_ns == 77);
}

/* As many passes as there may be; in each burst, and on whatever way the packets come, anew. */
static void check_bounds(void) {
    static char again[MACS_PASSES_MAX + 2];
    memset(again, 'r', MACS_PASSES_MAX);
    for (unsigned times = 0; times < 2; times++) {
        PASS(&program, {again, ""}, {"", ""});
        assert(thread.stats.drops[MACS_CAUSE_LOOPS] == 0);
    }
    again[MACS_PASSES_MAX] = 'r';
    PASS(&program, {again, ""}, {"r", ""});
    assert(thread.stats.drops[MACS_CAUSE_LOOPS] == 1 && strstr(happened, "x0 s1"));
    for (unsigned times = 0; times < 3 * MACS_PASSES_MAX; times++) {
        made_count = 0;
        struct macs_packet *packet = make("r", "y");
        thread.stats.drops[MACS_CAUSE_LOOPS] = 0;
        packet->egress_port = PORT;
        if (times % 2)
            macs_requests_leave_queue(&thread, &packet, 1);
        else
            macs_requests_pass_on(&thread, &packet, 1);
        assert(thread.stats.drops[MACS_CAUSE_LOOPS] == 0);
        assert(ingress_passes[0] == 1 && egress_passes[0] == 1);
    }
}

/* Of a burst of other places than those in which packets were received: the order is that of this one, also of what
 * has been made of them before. */
static void check_places(void) {
    sw.program = &program;
    made_count = 0;
    happened[0] = 0;
    struct macs_packet *packets[3];
    for (unsigned i = 0; i < 3; i++) {
        packets[i] = make("", i == 1 ? "" : "y");
        packets[i]->egress_port = PORT;
        packets[i]->requests.origin = (uint16_t)(30 - 10 * i);
        macs_request_clone_ingress(packets[i], SESSION, FIELDS);
        if (i == 1)
            macs_clone_ingress(&thread.worker, packets[i]);
    }
    struct macs_packet *clone = packets[1]->requests.clones;
    assert(clone && clone->requests.origin == 20);
    macs_requests_pass_on(&thread, packets, 3);
    assert(was("k4 k2 k5 e4 e0 e2 e1 e5 e3 i0 i3 e0 e3 s4 s0 s2 s1 s5 s3"));
    happened[0] = 0;
    made_count = 0;
    for (unsigned i = 0; i < 2; i++) {
        packets[i] = make("", i ? "" : "y");
        packets[i]->egress_port = PORT;
        packets[i]->requests.origin = (uint16_t)(10 - i);
    }
    macs_requests_leave_queue(&thread, packets, 2);
    assert(was("e0 e1 i0 e0 s0 s1"));
    const macs_verdict verdicts[] = {MACS_VERDICT_CONTINUE, 1, MACS_VERDICT_DROP};
    odp_packet_t handles[3];
    made_count = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct macs_packet *packet = make("", i ? "" : "y");
        packet->egress_port = PORT;
        packet->requests = (struct macs_requests){.flags = 0xff, .origin = 99}; /* not yet begun */
        handles[i] = packet->handle;
    }
    macs_requests_resume(&thread, handles, verdicts, 3);
    assert(was("e0 x2 i0 e0 s0 s1"));
}

int main(void) {
    static struct macs_output outputs[2];
    thread.outputs = outputs;
    thread.datapath = &datapath;
    thread.worker.burst = 8;
    sw.port_count = 2;
    sw.ports[0].number = PORT, sw.ports[1].number = OTHER;
    sw.ports[0].tx_max = sw.ports[1].tx_max = 1000;
    sw.slot_of[PORT] = 1, sw.slot_of[OTHER] = 2;
    assert(macs_recirculation_create(&thread.recirculation, PACKETS) == 0);
    assert(macs_mirror_set(&sw, SESSION, (struct macs_mirror){.kind = MACS_MIRROR_PORT, .number = OTHER}) == 0);
    check_ingress_clones();
    check_resubmission();
    check_egress_clones();
    check_what_egress_is_told();
    check_ordered();
    check_time();
    check_bounds();
    check_places();
    macs_recirculation_destroy(thread.recirculation);
    puts("ok");
    return 0;
}
