/* A packet's way through the switch: receive, ingress, traffic manager, egress, transmit. */
#include <stddef.h>
#include <string.h>

#include "runtime/lane.h"

/* What goes to egress, at most a burst at a time. */
struct departures {
    unsigned count;
    struct macs_packet *packets[MACS_BURST_MAX];
};

/* --- receive -------------------------------------------------------------------------------------------------------- */

static int receive(struct macs_lane *lane, const struct macs_input *input, odp_packet_t handles[]) {
    const struct macs_port *port = &lane->sw->ports[input->slot];
    int burst = (int)lane->worker.burst;
    if (!port->ctl)
        return odp_pktin_recv(input->queue, handles, burst);
    odp_event_t events[MACS_BURST_MAX];
    int count = odp_queue_deq_multi(port->in_queue, events, burst);
    if (count > 0)
        odp_packet_from_event_multi(handles, events, count);
    return count;
}

/* Fill the packet's record; false: the frame is broken. */
static bool bind(const struct macs_lane *lane, uint16_t port, odp_packet_t handle) {
    struct macs_packet *packet = macs_packet_of(handle);
    packet->handle = handle;
    packet->data = odp_packet_data(handle);
    packet->length = odp_packet_len(handle);
    packet->contiguous = odp_packet_seg_len(handle);
    packet->payload_offset = 0;
    packet->ingress_port = port;
    packet->egress_port = 0;
    packet->multicast_group = 0;
    packet->replica = 0;
    packet->verdict = MACS_FORWARD;
    packet->cause = MACS_CAUSE_PROGRAM;
    packet->instance_type = 0;
    packet->parser_error = 0;
    packet->ingress_ns = lane->worker.now_ns;
    uint32_t parse_bytes = lane->sw->program->parse_bytes;
    uint32_t needed = packet->length < parse_bytes ? packet->length : parse_bytes;
    return packet->contiguous >= needed && !odp_packet_has_error(handle);
}

/* Bind the frames of a burst; broken ones are dropped. Returns how many are left. */
static unsigned bind_burst(struct macs_lane *lane, unsigned slot, const odp_packet_t handles[], unsigned count,
                           struct macs_packet *packets[]) {
    uint16_t port = lane->sw->ports[slot].number;
    unsigned fine = 0;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        bytes += odp_packet_len(handles[i]);
        if (odp_likely(bind(lane, port, handles[i])))
            packets[fine++] = macs_packet_of(handles[i]);
        else
            macs_lane_drop(lane, handles[i], MACS_CAUSE_RX_ERROR);
    }
    macs_stats_add(&lane->stats.ports[slot].rx_packets, count);
    macs_stats_add(&lane->stats.ports[slot].rx_bytes, bytes);
    return fine;
}

/* --- egress --------------------------------------------------------------------------------------------------------- */

static void depart(struct macs_lane *lane, struct departures *departures) {
    if (!departures->count)
        return;
    lane->sw->program->egress(&lane->worker, departures->packets, departures->count);
    for (unsigned i = 0; i < departures->count; i++) {
        struct macs_packet *packet = departures->packets[i];
        if (odp_likely(packet->verdict == MACS_FORWARD))
            macs_lane_send(lane, packet);
        else
            macs_lane_drop(lane, packet->handle, packet->cause);
    }
    departures->count = 0;
}

/* To egress, in the order of the calls; a program that has merged egress into ingress is done with the packet. */
static void add_departure(struct macs_lane *lane, struct departures *departures, struct macs_packet *packet) {
    if (!lane->sw->program->egress) {
        macs_lane_send(lane, packet);
        return;
    }
    packet->verdict = MACS_FORWARD;
    departures->packets[departures->count++] = packet;
    if (departures->count == MACS_BURST_MAX)
        depart(lane, departures);
}

/* --- traffic manager ------------------------------------------------------------------------------------------------ */

/* A copy of the frame and of the program's state, or NULL. */
static struct macs_packet *copy_packet(const struct macs_lane *lane, const struct macs_packet *packet) {
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

static void direct(struct macs_packet *packet, struct macs_replica replica) {
    packet->egress_port = replica.port;
    packet->replica = replica.rid;
    packet->instance_type = 5; /* replicated */
}

/* A copy for each member but the last, which gets the packet itself. */
static void replicate(struct macs_lane *lane, struct departures *departures, struct macs_packet *packet) {
    const struct macs_group *group = macs_multicast_find(lane->sw->multicast, packet->multicast_group);
    if (!group || !group->count) {
        macs_lane_drop(lane, packet->handle, MACS_CAUSE_NO_GROUP);
        return;
    }
    uint32_t copies = group->count - 1;
    for (uint32_t i = 0; i < copies; i++) {
        struct macs_packet *copy = copy_packet(lane, packet);
        if (copy) {
            direct(copy, group->replicas[i]);
            add_departure(lane, departures, copy);
        } else {
            macs_stats_add(&lane->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        }
    }
    macs_stats_add(&lane->stats.copies, copies);
    direct(packet, group->replicas[copies]);
    add_departure(lane, departures, packet);
}

static void dispatch(struct macs_lane *lane, struct departures *departures, struct macs_packet *packet) {
    switch ((enum macs_verdict)packet->verdict) {
    case MACS_FORWARD:
        add_departure(lane, departures, packet);
        return;
    case MACS_REPLICATE:
        replicate(lane, departures, packet);
        return;
    case MACS_DROP:
        break;
    }
    macs_lane_drop(lane, packet->handle, packet->cause);
}

unsigned macs_lane_poll(struct macs_lane *lane, const struct macs_input *input) {
    odp_packet_t handles[MACS_BURST_MAX];
    int received = receive(lane, input, handles);
    if (received <= 0)
        return 0;
    lane->worker.now_ns = macs_switch_now(lane->sw);
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = bind_burst(lane, input->slot, handles, (unsigned)received, packets);
    if (count)
        lane->sw->program->ingress(&lane->worker, packets, count);
    struct departures departures;
    departures.count = 0; /* and no more: the array is large */
    for (unsigned i = 0; i < count; i++)
        dispatch(lane, &departures, packets[i]);
    depart(lane, &departures);
    macs_lane_flush(lane);
    macs_stats_add(&lane->stats.bursts, 1);
    struct macs_port *port = &lane->sw->ports[input->slot];
    if (port->ctl)
        atomic_fetch_add_explicit(&port->finished, (uint64_t)received, memory_order_release);
    return (unsigned)received;
}
