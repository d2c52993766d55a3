#include "runtime/again.h"

#include "runtime/mirror.h"

void macs_again_begin(struct macs_packet *const packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        packets[i]->requests = (struct macs_requests){.passes = 1};
}

bool macs_again_pass(struct macs_lane *lane, struct macs_packet *packet) {
    if (packet->requests.passes < MACS_PASSES_MAX) {
        packet->requests.passes++;
        return true;
    }
    macs_lane_drop(lane, packet->handle, MACS_CAUSE_LOOPS);
    return false;
}

static void enqueue(struct macs_lane *lane, struct macs_packet *packet) {
    struct macs_again *again = lane->again;
    if (again->count < MACS_AGAIN_MAX)
        again->packets[(again->first + again->count++) % MACS_AGAIN_MAX] = packet;
    else
        macs_lane_drop(lane, packet->handle, MACS_CAUSE_LOOPS);
}

unsigned macs_again_take(struct macs_again *again, struct macs_packet *packets[], unsigned limit) {
    unsigned count = 0;
    while (again->count && count < limit) {
        struct macs_packet *packet = again->packets[again->first];
        if (count && (packet->instance_type == MACS_EGRESS_CLONE) != (packets[0]->instance_type == MACS_EGRESS_CLONE))
            break;
        packets[count++] = packet;
        again->first = (again->first + 1) % MACS_AGAIN_MAX;
        again->count--;
    }
    return count;
}

/* --- clones ---------------------------------------------------------------------------------------------------------
 */

/* A clone on its way to a port, or NULL: no memory. Counted. */
static struct macs_packet *clone_packet(struct macs_lane *lane, const struct macs_packet *packet,
                                        struct macs_replica replica, enum macs_instance instance, uint8_t fields) {
    struct macs_packet *clone = macs_path_copy(lane, packet);
    macs_stats_add(&lane->stats.copies, 1);
    if (!clone) {
        macs_stats_add(&lane->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        return NULL;
    }
    clone->verdict = MACS_FORWARD;
    clone->egress_port = replica.port;
    clone->replica = replica.rid;
    clone->multicast_group = 0;
    clone->instance_type = (uint8_t)instance;
    clone->requests = (struct macs_requests){.preserved = fields, .passes = packet->requests.passes};
    return clone;
}

/* The frame is as it came until it is deparsed: a copy of it is a copy of the packet as received. */
static void clone_ingress(struct macs_lane *lane, struct macs_departures *departures, const struct macs_packet *packet,
                          const struct macs_requests *asked) {
    struct macs_replica single;
    uint32_t count;
    const struct macs_replica *replicas = macs_mirror_find(lane->sw, asked->ingress_session, &single, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *clone =
            clone_packet(lane, packet, replicas[i], MACS_INGRESS_CLONE, asked->ingress_clone_fields);
        if (clone) {
            lane->sw->program->clone(&lane->worker, &clone, 1);
            macs_path_depart(lane, departures, clone);
        }
    }
}

void macs_clone_egress(struct macs_worker *worker, const struct macs_packet *packet) {
    struct macs_lane *lane = macs_lane_of(worker);
    struct macs_replica single;
    uint32_t count;
    const struct macs_replica *replicas = macs_mirror_find(lane->sw, packet->requests.egress_session, &single, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *clone =
            clone_packet(lane, packet, replicas[i], MACS_EGRESS_CLONE, packet->requests.egress_clone_fields);
        if (clone)
            enqueue(lane, clone);
    }
}

/* --- resubmit, recirculate ------------------------------------------------------------------------------------------
 */

/* Deparsing may have used up the room in front of the frame: a copy has it again. NULL: no memory for it. */
static struct macs_packet *with_headroom(struct macs_lane *lane, struct macs_packet *packet) {
    if (odp_packet_headroom(packet->handle) >= lane->sw->program->grow_bytes)
        return packet;
    struct macs_packet *copy = macs_path_copy(lane, packet);
    if (copy)
        odp_packet_free(packet->handle);
    return copy;
}

static void go_again(struct macs_lane *lane, struct macs_packet *packet, enum macs_instance instance, uint8_t fields) {
    if (!macs_again_pass(lane, packet))
        return;
    struct macs_packet *next = with_headroom(lane, packet);
    if (!next || !macs_path_parsable(lane, next)) {
        macs_lane_drop(lane, next ? next->handle : packet->handle, MACS_CAUSE_NO_BUFFER);
        return;
    }
    next->payload_offset = 0;
    next->egress_port = 0;
    next->multicast_group = 0;
    next->replica = 0;
    next->verdict = MACS_FORWARD;
    next->instance_type = (uint8_t)instance;
    next->parser_error = 0;
    next->requests = (struct macs_requests){.preserved = fields, .passes = next->requests.passes};
    enqueue(lane, next);
}

bool macs_again_after_ingress(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    const struct macs_requests asked = packet->requests;
    if (odp_likely(!asked.flags))
        return false;
    packet->requests.flags &= MACS_RECIRCULATE | MACS_TRUNCATE; /* those count after egress */
    if (asked.flags & MACS_CLONE_INGRESS)
        clone_ingress(lane, departures, packet, &asked);
    if (!(asked.flags & MACS_RESUBMIT))
        return false;
    go_again(lane, packet, MACS_RESUBMITTED, asked.resubmit_fields);
    return true;
}

bool macs_again_after_egress(struct macs_lane *lane, struct macs_packet *packet) {
    if (odp_likely(!(packet->requests.flags & MACS_RECIRCULATE)))
        return false;
    go_again(lane, packet, MACS_RECIRCULATED, packet->requests.recirculate_fields);
    return true;
}
