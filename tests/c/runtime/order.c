/* What becomes of packets between ingress and the ports, and in which order: copies of them, their further passes, and
 * what each of these begins with. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "happened.h"
#include "runtime/clone.h"
#include "runtime/mirror.h"
#include "runtime/multicast.h"
#include "runtime/queues.h"
#include "runtime/requests.h"

enum { PACKETS = 400, PORT = 7, OTHER = 9, GROUP = 3, SESSION = 5 };

/* --- what stands around: a packet is a place among these ------------------------------------------------------------
 */

static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
    bool freed;
} made[PACKETS];
static unsigned made_count, room_for = PACKETS; /* copies fail beyond it */

static void note(char what, const struct macs_packet *packet) {
    const long number = (long)(((const uint8_t *)packet - (const uint8_t *)made) / (long)sizeof(made[0]));
    happens("%c%ld", what, number);
}

static struct macs_packet *make(void) {
    assert(made_count < PACKETS);
    made[made_count].head = (struct macs_odp_packet){.len = 60 + made_count, .uarea_size = sizeof(struct macs_packet)};
    struct macs_packet *packet = macs_packet_of(&made[made_count++].head);
    memset(packet, 0, sizeof(*packet));
    packet->handle = &made[made_count - 1].head;
    packet->length = odp_packet_len(packet->handle);
    return packet;
}

static struct macs_switch sw;
static struct macs_thread thread = {.sw = &sw, .gathered = 1};

struct macs_packet *macs_copy_packet(const struct macs_thread *of, const struct macs_packet *packet) {
    (void)of;
    if (made_count >= room_for)
        return NULL;
    struct macs_packet *copy = make(), own = *copy;
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
    (void)of;
    note('q', packet);
    return false;
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

static void egress(struct macs_thread *of, struct macs_packet *packets[], unsigned count) {
    (void)of;
    for (unsigned i = 0; i < count; i++)
        note('e', packets[i]);
}

static void leave(struct macs_thread *of, struct macs_packet *packet) {
    (void)of;
    note('l', packet);
}

static void pipe_of_program(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker, (void)packets, (void)count;
}

static const struct macs_program with_egress = {
    .egress = pipe_of_program, .state_bytes = sizeof(struct macs_packet), .instances = {4, 1, 2, 6, 5}};
static const struct macs_program without_egress = {.state_bytes = sizeof(struct macs_packet)};
static const struct macs_datapath datapath = {.dispatch = macs_dispatch, .egress = egress, .leave = leave};

static uint64_t dropped(unsigned cause) {
    return thread.stats.drops[cause];
}

static void begin(const struct macs_program *program) {
    sw.program = program;
    made_count = 0;
    room_for = PACKETS;
    happened[0] = 0;
    memset(&thread.stats, 0, sizeof(thread.stats));
}

/* --- the traffic manager --------------------------------------------------------------------------------------------
 */

/* Those of a burst that are finished and those that go on leave in the burst's order. */
static void check_resume(void) {
    const macs_verdict verdicts[] = {MACS_VERDICT_CONTINUE,
                                     1,
                                     MACS_VERDICT_CONTINUE,
                                     MACS_VERDICT_CONTINUE,
                                     MACS_VERDICT_DROP + MACS_CAUSE_CIPHER,
                                     2,
                                     0,
                                     MACS_VERDICT_CONTINUE};
    odp_packet_t handles[8];
    begin(&with_egress);
    for (unsigned i = 0; i < 8; i++)
        handles[i] = make()->handle;
    made[1].record.length = 1;
    macs_resume(&thread, handles, verdicts, 8);
    assert(was("e0 l1 e2 e3 x4 l5 x6 e7"));
    assert(macs_packet_of(handles[1])->egress_port == PORT && macs_packet_of(handles[5])->egress_port == OTHER);
    assert(macs_packet_of(handles[1])->length == 61);
    assert(dropped(MACS_CAUSE_CIPHER) == 1 && dropped(MACS_CAUSE_NO_PORT) == 1);
}

static void check_dispatch(void) {
    struct macs_departures departures;
    departures.count = 0;
    begin(&with_egress);
    for (unsigned i = 0; i < 4; i++) {
        struct macs_packet *packet = make();
        packet->verdict = (uint8_t[]){MACS_FORWARD, MACS_DROP, MACS_EGRESS, MACS_HAND_OVER}[i];
        packet->cause = MACS_CAUSE_ENDLESS;
        macs_dispatch(&thread, &departures, packet);
    }
    assert(was("x1 x3") && departures.count == 2 && dropped(MACS_CAUSE_ENDLESS) == 2);
    assert(made[2].record.verdict == MACS_FORWARD);
    macs_depart_all(&thread, &departures);
    assert(was("e0 e2") && departures.count == 0);
    begin(&with_egress);
    for (unsigned i = 0; i < MACS_BURST_MAX + 2; i++) /* more than a burst */
        macs_depart(&thread, &departures, make());
    assert(departures.count == 2);
    departures.count = 0;
    struct macs_backlog backlog = {.busy = 0};
    thread.backlog = &backlog;
    begin(&with_egress);
    macs_depart(&thread, &departures, make());
    thread.backlog = NULL;
    assert(was("q0") && departures.count == 0);
    begin(&without_egress);
    macs_depart(&thread, &departures, make());
    assert(was("l0") && departures.count == 0);
}

static struct macs_packet *replicated(uint16_t group) {
    struct macs_departures departures;
    departures.count = 0;
    begin(&with_egress);
    room_for = 3;
    struct macs_packet *packet = make();
    packet->verdict = MACS_REPLICATE;
    packet->multicast_group = group;
    macs_dispatch(&thread, &departures, packet);
    macs_depart_all(&thread, &departures);
    return packet;
}

static void check_replication(void) {
    uint32_t handle;
    assert(macs_multicast_create(&sw.multicast, NULL) == 0 && macs_multicast_group_create(sw.multicast, GROUP) == 0);
    replicated(GROUP + 1);
    assert(was("x0") && dropped(MACS_CAUSE_NO_GROUP) == 1);
    replicated(GROUP);
    assert(was("x0") && dropped(MACS_CAUSE_NO_GROUP) == 1);
    const struct macs_targets one = {(const uint32_t[]){20}, NULL, 1, 0},
                              three = {(const uint32_t[]){1, 2, 3}, NULL, 3, 0};
    assert(macs_multicast_node_create(sw.multicast, 55, &one, &handle) == 0);
    assert(macs_multicast_associate(sw.multicast, GROUP, handle) == 0);
    struct macs_packet *packet = replicated(GROUP); /* itself, no copy */
    assert(was("e0") && packet->egress_port == 20 && packet->replica == 55 && packet->instance_type == 4);
    assert(thread.stats.copies == 0);
    assert(macs_multicast_node_create(sw.multicast, 66, &three, &handle) == 0);
    assert(macs_multicast_associate(sw.multicast, GROUP, handle) == 0);
    packet = replicated(GROUP); /* there is no memory for the third copy */
    assert(was("e1 e2 e0") && thread.stats.copies == 3 && dropped(MACS_CAUSE_NO_BUFFER) == 1);
    assert(packet->egress_port == 3 && packet->replica == 66);
    assert(made[1].record.egress_port == 20 && made[1].record.replica == 55 && made[1].record.instance_type == 4);
    assert(made[2].record.egress_port == 1 && made[2].record.replica == 66);
}

/* --- further passes -------------------------------------------------------------------------------------------------
 */

static struct macs_packet *queued(unsigned origin, bool to_egress) {
    struct macs_packet *packet = make();
    packet->requests.origin = (uint16_t)origin;
    packet->requests.to_egress = to_egress;
    macs_recirculation_enqueue(&thread, packet);
    return packet;
}

static void take(unsigned limit) {
    struct macs_packet *packets[MACS_BURST_MAX];
    const unsigned count = macs_recirculation_take(thread.recirculation, packets, limit);
    for (unsigned i = 0; i < count; i++)
        note('t', packets[i]);
}

static void check_passes(void) {
    static const uint8_t origins[] = {0, 1, 0, 2, 3, 3, 4};
    struct macs_packet *packet;
    begin(&with_egress);
    assert(macs_recirculation_create(&thread.recirculation, PACKETS) == 0 && thread.recirculation->capacity == 512);
    for (unsigned i = 0; i < sizeof(origins); i++) {
        macs_recirculation_begin(thread.recirculation, &(struct macs_packet){.length = 1}, i);
        queued(origins[i], i == 3);
    }
    take(8); /* one of each that was received */
    assert(was("t0 t1"));
    take(8); /* not beside one that enters elsewhere */
    assert(was("t2"));
    take(8);
    assert(was("t3"));
    take(1);
    assert(was("t4"));
    take(8);
    assert(was("t5 t6"));
    take(8);
    assert(was("") && thread.recirculation->count == 0);
    begin(&with_egress);
    for (unsigned i = 0; i < 2; i++)
        macs_recirculation_begin(thread.recirculation, make(), i);
    for (unsigned i = 0; i < MACS_PASSES_MAX; i++) {
        made_count = 2;
        queued(1, false);
        take(1);
    }
    happened[0] = 0;
    queued(1, false);
    assert(was("x3") && dropped(MACS_CAUSE_LOOPS) == 1);
    queued(0, false); /* of another packet */
    take(1);
    assert(was("t4"));
    packet = make();
    *packet = (struct macs_packet){.handle = packet->handle, .length = 77, .payload_offset = 1, .egress_port = 2};
    packet->multicast_group = 3, packet->replica = 4, packet->verdict = MACS_REPLICATE, packet->ingress_port = 8;
    packet->requests = (struct macs_requests){.flags = MACS_RESUBMIT | MACS_TRUNCATE, .origin = 0, .to_egress = true};
    packet->contiguous = 77;
    macs_recirculation_enter(&thread, packet, 6, 9);
    assert(packet->payload_offset == 0 && packet->egress_port == 0 && packet->multicast_group == 0);
    assert(packet->replica == 0 && packet->verdict == MACS_FORWARD && packet->instance_type == 6);
    assert(packet->requests.flags == 0 && packet->requests.preserved == 9 && !packet->requests.to_egress);
    assert(packet->length == 77);
    take(1);
    assert(was("t5"));
}

/* What was received first goes out first, with all that came of it. */
static void check_release(void) {
    static const uint8_t origins[] = {3, 0, 3, 1, 0, 255, 1};
    for (unsigned mixed = 0; mixed < 2; mixed++) {
        begin(&with_egress);
        thread.recirculation->mixed = mixed;
        for (unsigned i = 0; i < sizeof(origins); i++) {
            struct macs_packet *packet = make();
            packet->requests.origin = origins[i];
            packet->egress_port = PORT;
            macs_recirculation_hold(&thread, packet);
        }
        macs_recirculation_release(&thread);
        assert(was(mixed ? "s1 s4 s3 s6 s0 s2 s5" : "s0 s1 s2 s3 s4 s5 s6"));
        macs_recirculation_release(&thread);
        assert(was("") && !thread.recirculation->mixed);
    }
}

/* --- clones ---------------------------------------------------------------------------------------------------------
 */

static void check_clones(void) {
    begin(&with_egress);
    struct macs_packet *first = make(), *second = make(), *moved = make();
    for (unsigned i = 0; i < 2; i++)
        macs_recirculation_begin(thread.recirculation, i ? second : first, i);
    assert(macs_mirror_set(&sw, SESSION,
                           (struct macs_mirror){.kind = MACS_MIRROR_PORT, .number = OTHER, .bytes = 40}) == 0);
    first->multicast_group = 8, first->replica = 9, first->verdict = MACS_REPLICATE, first->egress_port = 1;
    first->requests.ingress_session = SESSION;
    first->requests.ingress_clone_fields = 2;
    first->requests.flags = MACS_CLONE_INGRESS | MACS_RESUBMIT;
    macs_clone_ingress(&thread.worker, first);
    struct macs_packet *clone = first->requests.clones;
    assert(clone && !clone->requests.clones && thread.stats.copies == 1);
    assert(first->requests.flags == (MACS_CLONED | MACS_RESUBMIT));
    assert(first->length == 60 && clone->length == 40 && odp_packet_len(clone->handle) < 60);
    assert(clone->egress_port == OTHER && clone->replica == 0 && clone->multicast_group == 0);
    assert(clone->verdict == MACS_FORWARD && clone->instance_type == 1 && clone->requests.preserved == 2);
    assert(clone->requests.flags == 0 && first->multicast_group == 8 && first->egress_port == 1);
    assert(macs_mirror_set(&sw, SESSION, (struct macs_mirror){.kind = MACS_MIRROR_GROUP, .number = GROUP}) ==
           0); /* four replicas */
    second->requests.egress_session = SESSION;
    second->requests.egress_clone_fields = 3;
    macs_clone_egress(&thread.worker, second); /* stages may process the second packet first */
    macs_clone_egress(&thread.worker, first);  /* to the session 0, which goes nowhere */
    assert(thread.stats.copies == 5 && thread.recirculation->made_count == 4);
    macs_clones_moved(&thread, second, moved);
    macs_clones_enqueue(&thread, second);
    take(8);
    assert(was(""));
    macs_clones_enqueue(&thread, moved);
    static const uint32_t ports[] = {20, 1, 2, 3};
    for (unsigned i = 0; i < 4; i++) {
        struct macs_packet *one;
        assert(macs_recirculation_take(thread.recirculation, &one, 8) == 1);
        assert(one->egress_port == ports[i] && one->replica == (i ? 66 : 55) && one->instance_type == 2);
        assert(one->requests.to_egress && one->requests.preserved == 3 && one->requests.origin == 1);
    }
    assert(thread.recirculation->mixed); /* so that they go out in the order of what they are of */
    second->requests.ingress_session = SESSION;
    macs_clone_ingress(&thread.worker, second);
    clone = second->requests.clones;
    for (unsigned i = 0; i < 4; i++, clone = clone->requests.clones)
        assert(clone && clone->egress_port == ports[i] && clone->replica == (i ? 66 : 55));
    assert(!clone && thread.stats.copies == 9);
    room_for = made_count; /* no memory */
    macs_clone_egress(&thread.worker, second);
    assert(thread.stats.copies == 13 && dropped(MACS_CAUSE_NO_BUFFER) == 4);
}

/* There is none of the last number, which packets have that want no clones. */
static void check_sessions(void) {
    const struct macs_mirror to_other = {.kind = MACS_MIRROR_PORT, .number = OTHER, .bytes = 40, .priority = 5};
    for (uint32_t session = MACS_NO_SESSION; session <= MACS_NO_SESSION + 1u; session++) {
        assert(macs_mirror_set(&sw, session, to_other) == -EINVAL);
        assert(macs_mirror_get(&sw, session).kind == MACS_MIRROR_NONE);
    }
    assert(macs_mirror_find(&sw, MACS_NO_SESSION).count == 0);
    assert(macs_mirror_set(&sw, MACS_NO_SESSION - 1, to_other) == 0);
    const struct macs_mirror_targets targets = macs_mirror_find(&sw, MACS_NO_SESSION - 1);
    assert(targets.count == 1 && targets.single.port == OTHER && targets.bytes == 40 && targets.priority == 5);
    assert(macs_mirror_set(&sw, MACS_NO_SESSION - 1, (struct macs_mirror){0}) == 0);
    assert(macs_mirror_find(&sw, MACS_NO_SESSION - 1).count == 0);
}

/* Each packet's clones are queued behind it, however many others were made before and behind them. */
static void check_clones_of_many(void) {
    enum { MAKERS = 3, CLONES = 4 };
    static const unsigned orders[][MAKERS] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}};
    for (unsigned order = 0; order < sizeof(orders) / sizeof(*orders); order++) {
        struct macs_packet *makers[MAKERS];
        begin(&with_egress);
        thread.recirculation->made_count = thread.recirculation->made_next = 0;
        for (unsigned i = 0; i < MAKERS; i++) {
            macs_recirculation_begin(thread.recirculation, makers[i] = make(), i);
            makers[i]->requests.egress_session = SESSION;
        }
        for (unsigned i = 0; i < MAKERS; i++)
            macs_clone_egress(&thread.worker, makers[i]);
        assert(thread.recirculation->made_count == MAKERS * CLONES);
        for (unsigned i = 0; i < MAKERS; i++) {
            macs_clones_enqueue(&thread, makers[orders[order][i]]);
            assert(thread.recirculation->count == CLONES);
            for (unsigned clone = 0; clone < CLONES; clone++) {
                struct macs_packet *one;
                assert(macs_recirculation_take(thread.recirculation, &one, 1) == 1);
                assert(one->requests.origin == orders[order][i] && one->requests.to_egress);
            }
        }
    }
}

int main(void) {
    static struct macs_output outputs[2];
    thread.outputs = outputs;
    thread.datapath = &datapath;
    sw.port_count = 2;
    sw.ports[0].number = PORT, sw.ports[1].number = OTHER;
    sw.ports[0].tx_max = sw.ports[1].tx_max = 1000;
    sw.slot_of[PORT] = 1, sw.slot_of[OTHER] = 2;
    check_resume();
    check_dispatch();
    check_replication();
    check_passes();
    check_release();
    check_clones();
    check_clones_of_many();
    check_sessions();
    macs_recirculation_destroy(thread.recirculation);
    macs_multicast_destroy(sw.multicast);
    puts("ok");
    return 0;
}
