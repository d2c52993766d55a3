/* A packet's way through the switch: receive, ingress, traffic manager, egress, transmit. */
#include <macs/cipher.h>
#include <macs/straight.h>
#include <stddef.h>
#include <string.h>

#include "runtime/again.h"
#include "runtime/lane.h"
#include "runtime/path.h"

/* --- receive --------------------------------------------------------------------------------------------------------
 */

/* What the control thread has put into a `ctl:` port. */
static int receive_injected(odp_queue_t queue, odp_packet_t handles[], int burst) {
    odp_event_t events[MACS_BURST_MAX];
    int count = odp_queue_deq_multi(queue, events, burst);
    if (count > 0)
        odp_packet_from_event_multi(handles, events, count);
    return count;
}

static inline int receive(const struct macs_lane *lane, const struct macs_input *input, odp_packet_t handles[]) {
    int burst = (int)lane->worker.burst;
    return odp_unlikely(input->port->ctl) ? receive_injected(input->port->in_queue, handles, burst)
                                          : odp_pktin_recv(input->queue, handles, burst);
}

/* Fill the records of a burst; broken frames are dropped. Returns how many are left. */
static unsigned bind_burst(struct macs_lane *lane, const odp_packet_t handles[], unsigned count,
                           struct macs_packet *packets[]) {
    const uint32_t parse_bytes = lane->sw->program->parse_bytes;
    const bool ahead = lane->sw->program->reads_ahead;
    const struct macs_common common = macs_common_of(&lane->worker);
    unsigned fine = 0;
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = macs_packet_of(handles[i]);
        if (ahead)
            macs_fetch(handles, i, count);
        macs_bind(&common, packet, handles[i], MACS_BIND_ALL);
        if (macs_can_parse(handles[i], parse_bytes))
            packets[fine++] = packet;
        else
            macs_lane_drop(lane, handles[i], MACS_CAUSE_RX_ERROR);
    }
    return fine;
}

static void read_time(struct macs_lane *lane) {
    if (lane->sw->program->uses_time)
        lane->worker.now_ns = macs_switch_now(lane->sw);
}

/* --- egress ---------------------------------------------------------------------------------------------------------
 */

/* Out of its port: at once, or when what the burst leads to is known. */
static void leave(struct macs_lane *lane, struct macs_packet *packet) {
    if (lane->again)
        macs_again_hold(lane, packet);
    else
        macs_lane_send(lane, packet);
}

static void depart(struct macs_lane *lane, struct macs_packet *packet) {
    if (odp_likely(packet->verdict == MACS_FORWARD)) {
        if (!lane->again || !macs_again_after_egress(lane, packet))
            leave(lane, packet);
    } else
        macs_lane_drop(lane, packet->handle, packet->cause);
}

/* Send or drop packets that have been through egress, as a whole where all go out of one port. */
static void settle(struct macs_lane *lane, struct macs_packet *const packets[], unsigned count) {
    const struct macs_common common = macs_common_of(&lane->worker);
    struct macs_extent extent = {0, 0};
    odp_packet_t handles[MACS_BURST_MAX];
    macs_fate fates[MACS_BURST_MAX];
    for (unsigned i = 0; i < count; i++) {
        handles[i] = packets[i]->handle;
        fates[i] = odp_likely(packets[i]->verdict == MACS_FORWARD) ? macs_fate_of_port(&common, packets[i]->egress_port)
                                                                   : (macs_fate)(MACS_FATE_DROP + packets[i]->cause);
        macs_extent_add(&extent, packets[i]->length);
    }
    macs_settle(&lane->worker, handles, fates, count, extent);
}

/* Packets through egress and out. */
static void finish(struct macs_lane *lane, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = lane->sw->program;
    program->egress(&lane->worker, packets, count);
    if (program->cipher)
        program->cipher->run(lane, packets, count);
    if (!lane->again && !program->one_by_one && !program->straight && !program->open) {
        settle(lane, packets, count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        if (lane->again && lane->again->made_count)
            macs_again_clones(lane, packets[i]);
        depart(lane, packets[i]);
    }
    if (lane->again)
        lane->again->made_count = lane->again->made_next = 0;
}

void macs_path_flush(struct macs_lane *lane, struct macs_departures *departures) {
    if (departures->count)
        finish(lane, departures->packets, departures->count);
    departures->count = 0;
}

void macs_path_depart(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    if (!lane->sw->program->egress) {
        leave(lane, packet);
        return;
    }
    packet->verdict = MACS_FORWARD;
    departures->packets[departures->count++] = packet;
    if (departures->count == MACS_BURST_MAX)
        macs_path_flush(lane, departures);
}

/* --- traffic manager ------------------------------------------------------------------------------------------------
 */

struct macs_packet *macs_path_copy(const struct macs_lane *lane, const struct macs_packet *packet) {
    odp_packet_t handle = odp_packet_copy(packet->handle, lane->sw->pool);
    if (handle == ODP_PACKET_INVALID)
        return NULL;
    struct macs_packet *copy = macs_packet_of(handle);
    memcpy(copy, packet, lane->sw->program->state_bytes);
    copy->handle = handle;
    copy->data = odp_packet_data(handle);
    copy->contiguous = odp_packet_seg_len(handle);
    return copy;
}

static void direct(const struct macs_lane *lane, struct macs_packet *packet, struct macs_replica replica) {
    packet->egress_port = replica.port;
    packet->replica = replica.rid;
    packet->instance_type = lane->sw->program->instances.replicated;
}

/* A copy for each member but the last, which gets the packet itself. */
static void replicate(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    const struct macs_group *group = macs_multicast_find(lane->sw->multicast, packet->multicast_group);
    if (!group || !group->count) {
        macs_lane_drop(lane, packet->handle, MACS_CAUSE_NO_GROUP);
        return;
    }
    uint32_t copies = group->count - 1;
    for (uint32_t i = 0; i < copies; i++) {
        struct macs_packet *copy = macs_path_copy(lane, packet);
        if (copy) {
            direct(lane, copy, group->replicas[i]);
            macs_path_depart(lane, departures, copy);
        } else {
            macs_stats_add(&lane->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        }
    }
    macs_stats_add(&lane->stats.copies, copies);
    direct(lane, packet, group->replicas[copies]);
    macs_path_depart(lane, departures, packet);
}

static void dispatch(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    if (lane->again && macs_again_after_ingress(lane, departures, packet))
        return;
    switch ((enum macs_verdict)packet->verdict) {
    case MACS_FORWARD:
    case MACS_EGRESS:
        macs_path_depart(lane, departures, packet);
        return;
    case MACS_REPLICATE:
        replicate(lane, departures, packet);
        return;
    case MACS_DROP:
        break;
    }
    macs_lane_drop(lane, packet->handle, packet->cause);
}

/* Whether all packets go on to one port each, as most bursts do. */
static bool all_forwarded(struct macs_packet *const packets[], unsigned count) {
    unsigned others = 0;
    for (unsigned i = 0; i < count; i++)
        others |= packets[i]->verdict ^ MACS_FORWARD;
    return !others;
}

/* A burst through ingress, the traffic manager and egress. */
static void pass(struct macs_lane *lane, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = lane->sw->program;
    if (!count)
        return;
    program->ingress(&lane->worker, packets, count);
    if (program->cipher && !program->egress) /* they have been deparsed */
        program->cipher->run(lane, packets, count);
    if (program->egress && !lane->again && all_forwarded(packets, count)) {
        finish(lane, packets, count);
        return;
    }
    struct macs_departures departures;
    departures.count = 0; /* and no more: the array is large */
    for (unsigned i = 0; i < count; i++)
        dispatch(lane, &departures, packets[i]);
    macs_path_flush(lane, &departures);
}

/* A burst of egress clones through egress. */
static void pass_clones(struct macs_lane *lane, struct macs_packet *const packets[], unsigned count) {
    if (lane->sw->program->clone)
        lane->sw->program->clone(&lane->worker, packets, count);
    struct macs_departures departures;
    departures.count = 0;
    for (unsigned i = 0; i < count; i++)
        macs_path_depart(lane, &departures, packets[i]);
    macs_path_flush(lane, &departures);
}

/* --- second lives ---------------------------------------------------------------------------------------------------
 */

/* A burst of what goes through again, of those at the front that enter at the same place. Returns how many. */
static unsigned pass_again(struct macs_lane *lane) {
    struct macs_packet *packets[MACS_BURST_MAX];
    if (!lane->again->count)
        return 0;
    unsigned limit = lane->sw->program->one_by_one ? 1 : lane->worker.burst;
    unsigned count = macs_again_take(lane->again, packets, limit);
    read_time(lane);
    if (packets[0]->requests.to_egress)
        pass_clones(lane, packets, count);
    else
        pass(lane, packets, count);
    return count;
}

/* All second lives of a burst, then out with what comes of it. */
static void finish_lives(struct macs_lane *lane) {
    if (!lane->again)
        return;
    while (pass_again(lane))
        continue;
    macs_again_release(lane);
}

/* Packets that were received, and all that comes of them. */
static void pass_all(struct macs_lane *lane, struct macs_packet *packets[], unsigned count) {
    if (!lane->again) {
        pass(lane, packets, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        macs_again_begin(lane->again, packets[i], i);
    pass(lane, packets, count);
    finish_lives(lane);
}

/* A packet that a straight program has finished, of a burst in which others go on: out of its port. */
static void leave_straight(struct macs_lane *lane, struct macs_packet *packet, macs_fate fate) {
    packet->length = odp_packet_len(packet->handle);
    packet->egress_port = lane->sw->ports[fate - 1].number;
    leave(lane, packet);
}

void macs_path_mixed(struct macs_lane *lane, const odp_packet_t handles[], const macs_fate fates[], unsigned count) {
    struct macs_departures departures;
    departures.count = 0; /* and no more: the array is large */
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = macs_packet_of(handles[i]);
        packet->handle = handles[i]; /* the program may have had no use for it */
        if (lane->again)
            macs_again_begin(lane->again, packet, i);
        if (fates[i] == MACS_FATE_ON) {
            dispatch(lane, &departures, packet);
            continue;
        }
        macs_path_flush(lane, &departures);
        if (fates[i] >= MACS_FATE_DROP || !fates[i])
            macs_lane_drop(lane, handles[i], fates[i] ? fates[i] - MACS_FATE_DROP : MACS_CAUSE_NO_PORT);
        else
            leave_straight(lane, packet, fates[i]);
    }
    macs_path_flush(lane, &departures);
    finish_lives(lane);
}

/* A received burst, split into single packets where one must be through before the next one begins. Returns its
 * bytes. */
static uint64_t pass_received(struct macs_lane *lane, const odp_packet_t handles[], unsigned received) {
    uint64_t bytes = macs_extent_of(handles, received).bytes;
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = bind_burst(lane, handles, received, packets);
    if (!lane->sw->program->one_by_one)
        pass_all(lane, packets, count);
    else
        for (unsigned i = 0; i < count; i++)
            pass_all(lane, &packets[i], 1);
    return bytes;
}

/* Send what has come of a burst. */
static void end_burst(struct macs_lane *lane, struct macs_port *port, unsigned received) {
    macs_lane_flush(lane);
    macs_stats_add(&lane->stats.bursts, 1);
    if (odp_unlikely(port->ctl)) /* who waits for these frames may collect what came of them */
        atomic_fetch_add_explicit(&port->finished, (uint64_t)received, memory_order_release);
}

/* --- bursts in two halves -------------------------------------------------------------------------------------------
 */

static void close_burst(struct macs_lane *lane, struct macs_opened *opened, struct macs_opened *next) {
    lane->sw->program->close(&lane->worker, opened->burst, next ? next->burst : NULL);
    end_burst(lane, opened->port, opened->count);
    opened->count = 0;
}

void macs_lane_drain(struct macs_lane *lane) {
    struct macs_opened *opened = &lane->bursts[lane->opened];
    if (opened->count)
        close_burst(lane, opened, NULL);
}

/* Open a burst, then close the one before it; and this one too if only one lookup may be in flight. Returns its bytes.
 */
static uint64_t open_burst(struct macs_lane *lane, struct macs_port *port, const odp_packet_t handles[],
                           unsigned count) {
    const struct macs_program *program = lane->sw->program;
    struct macs_opened *before = &lane->bursts[lane->opened], *opened = &lane->bursts[lane->opened ^= 1];
    opened->epoch = macs_qsbr_epoch(lane->sw->qsbr);
    uint64_t bytes = program->open(&lane->worker, opened->burst, handles, count);
    opened->port = port;
    opened->count = count;
    if (before->count)
        close_burst(lane, before, opened);
    if (lane->worker.sub_batch == 1)
        macs_lane_drain(lane);
    return bytes;
}

unsigned macs_lane_poll(struct macs_lane *lane, const struct macs_input *input) {
    const struct macs_program *program = lane->sw->program;
    struct macs_port_stats *stats = &lane->stats.ports[input->slot];
    odp_packet_t handles[MACS_BURST_MAX];
    int received = receive(lane, input, handles);
    if (received <= 0)
        return 0;
    uint64_t bytes;
    unsigned count = (unsigned)received;
    read_time(lane);
    lane->worker.port = input->port->number;
    if (program->open) {
        bytes = open_burst(lane, input->port, handles, count);
    } else {
        bytes =
            program->straight ? program->straight(&lane->worker, handles, count) : pass_received(lane, handles, count);
        end_burst(lane, input->port, count);
    }
    macs_stats_add(&stats->rx_packets, count);
    macs_stats_add(&stats->rx_bytes, bytes);
    return count;
}
