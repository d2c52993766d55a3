#include "runtime/again.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mirror.h"

int macs_again_create(struct macs_again **created, uint32_t packets) {
    struct macs_again *again = calloc(1, sizeof(*again));
    if (!again)
        return -ENOMEM;
    again->capacity = 1;
    while (again->capacity < packets)
        again->capacity *= 2;
    again->queue = calloc(again->capacity, sizeof(*again->queue));
    again->made = calloc(again->capacity, sizeof(*again->made));
    again->held = calloc(again->capacity, sizeof(*again->held));
    if (!again->queue || !again->made || !again->held) {
        macs_again_destroy(again);
        return -ENOMEM;
    }
    *created = again;
    return 0;
}

void macs_again_destroy(struct macs_again *again) {
    if (!again)
        return;
    free(again->queue);
    free(again->made);
    free(again->held);
    free(again);
}

void macs_again_begin(struct macs_again *again, struct macs_packet *packet, unsigned place) {
    packet->requests = (struct macs_requests){.origin = (uint16_t)place};
    again->lives[place] = 0;
}

/* --- the queue ------------------------------------------------------------------------------------------------------
 */

/* Another life begins, unless there were too many. */
static void enqueue(struct macs_lane *lane, struct macs_packet *packet) {
    struct macs_again *again = lane->again;
    uint16_t *lives = &again->lives[packet->requests.origin];
    if (*lives == MACS_LIVES_MAX || again->count == again->capacity) {
        macs_lane_drop(lane, packet->handle, *lives == MACS_LIVES_MAX ? MACS_CAUSE_LOOPS : MACS_CAUSE_NO_BUFFER);
        return;
    }
    ++*lives;
    again->queue[(again->first + again->count++) & (again->capacity - 1)] = packet;
}

unsigned macs_again_take(struct macs_again *again, struct macs_packet *packets[], unsigned limit) {
    unsigned count = 0;
    again->turn++;
    again->mixed = true;
    while (again->count && count < limit) {
        struct macs_packet *packet = again->queue[again->first];
        if (count && packet->requests.to_egress != packets[0]->requests.to_egress)
            break;
        if (again->taken[packet->requests.origin] == again->turn)
            break;
        again->taken[packet->requests.origin] = again->turn;
        packets[count++] = packet;
        again->first = (again->first + 1) & (again->capacity - 1);
        again->count--;
    }
    return count;
}

/* --- what is to be sent ---------------------------------------------------------------------------------------------
 */

void macs_again_hold(struct macs_lane *lane, struct macs_packet *packet) {
    struct macs_again *again = lane->again;
    if (again->held_count < again->capacity)
        again->held[again->held_count++] = packet;
    else
        macs_lane_drop(lane, packet->handle, MACS_CAUSE_NO_BUFFER);
}

/* The held packets in the order of their origins, into `sorted`; those of one origin keep theirs. */
static void sort_held(struct macs_again *again, struct macs_packet *sorted[]) {
    uint32_t *begins = again->begins;
    memset(begins, 0, sizeof(again->begins));
    for (uint32_t i = 0; i < again->held_count; i++)
        begins[again->held[i]->requests.origin]++;
    for (uint32_t origin = 0, next = 0; origin < MACS_BURST_MAX; origin++) {
        uint32_t packets = begins[origin];
        begins[origin] = next;
        next += packets;
    }
    for (uint32_t i = 0; i < again->held_count; i++)
        sorted[begins[again->held[i]->requests.origin]++] = again->held[i];
}

void macs_again_release(struct macs_lane *lane) {
    struct macs_again *again = lane->again;
    struct macs_packet **packets = again->held;
    if (again->mixed) {
        packets = again->queue; /* which is empty now */
        sort_held(again, packets);
    }
    for (uint32_t i = 0; i < again->held_count; i++)
        macs_lane_send(lane, packets[i]);
    again->held_count = 0;
    again->mixed = false;
}

/* --- clones ---------------------------------------------------------------------------------------------------------
 */

/* A clone on its way to a port, or NULL: no memory, or too little of it in one piece. Counted. */
static struct macs_packet *clone_packet(struct macs_lane *lane, const struct macs_packet *packet,
                                        struct macs_replica replica, uint8_t instance, uint8_t fields) {
    struct macs_packet *clone = macs_path_copy(lane, packet);
    macs_stats_add(&lane->stats.copies, 1);
    if (!clone || !macs_path_parsable(lane, clone)) {
        if (clone)
            macs_lane_drop(lane, clone->handle, MACS_CAUSE_NO_BUFFER);
        else
            macs_stats_add(&lane->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        return NULL;
    }
    clone->verdict = MACS_FORWARD;
    clone->egress_port = replica.port;
    clone->replica = replica.rid;
    clone->multicast_group = 0;
    clone->instance_type = instance;
    clone->requests = (struct macs_requests){.preserved = fields, .origin = packet->requests.origin};
    return clone;
}

/* The frame is as it came until it is deparsed: a copy of it is a copy of the packet as received. */
void macs_clone_ingress(struct macs_worker *worker, struct macs_packet *packet) {
    struct macs_lane *lane = macs_lane_of(worker);
    struct macs_replica single;
    uint32_t count;
    const struct macs_replica *replicas = macs_mirror_find(lane->sw, packet->requests.ingress_session, &single, &count);
    struct macs_packet **last = &packet->requests.clones;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *clone = clone_packet(lane, packet, replicas[i], lane->sw->program->instances.ingress_clone,
                                                 packet->requests.ingress_clone_fields);
        if (clone) {
            *last = clone;
            last = &clone->requests.clones;
        }
    }
    packet->requests.flags = (packet->requests.flags | MACS_CLONED) & (uint8_t)~MACS_CLONE_INGRESS;
}

/* Send a packet's ingress clones on. */
static void depart_clones(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    struct macs_packet *clone = packet->requests.clones;
    packet->requests.clones = NULL;
    while (clone) {
        struct macs_packet *next = clone->requests.clones;
        clone->requests.clones = NULL;
        if (lane->sw->program->clone)
            lane->sw->program->clone(&lane->worker, &clone, 1);
        if (odp_likely(clone->verdict == MACS_FORWARD))
            macs_path_depart(lane, departures, clone);
        else
            macs_lane_drop(lane, clone->handle, clone->cause);
        clone = next;
    }
}

void macs_clone_egress(struct macs_worker *worker, const struct macs_packet *packet) {
    struct macs_lane *lane = macs_lane_of(worker);
    struct macs_replica single;
    uint32_t count;
    const struct macs_replica *replicas = macs_mirror_find(lane->sw, packet->requests.egress_session, &single, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *clone = clone_packet(lane, packet, replicas[i], lane->sw->program->instances.egress_clone,
                                                 packet->requests.egress_clone_fields);
        if (!clone)
            continue;
        clone->requests.to_egress = true;
        if (lane->again->made_count < lane->again->capacity)
            lane->again->made[lane->again->made_count++] = (struct macs_made){packet, clone};
        else
            macs_lane_drop(lane, clone->handle, MACS_CAUSE_NO_BUFFER);
    }
}

/* Stages may have made them in another order than that of the packets, though most often it is the same. */
void macs_again_clones(struct macs_lane *lane, const struct macs_packet *packet) {
    struct macs_again *again = lane->again;
    uint32_t looked = 0, at = again->made_next;
    while (looked < again->made_count && again->made[at].maker != packet) {
        at = at + 1 < again->made_count ? at + 1 : 0;
        looked++;
    }
    if (looked == again->made_count)
        return;
    while (at < again->made_count && again->made[at].maker == packet)
        enqueue(lane, again->made[at++].clone);
    again->made_next = at < again->made_count ? at : 0;
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

static void go_again(struct macs_lane *lane, struct macs_packet *packet, uint8_t instance, uint8_t fields) {
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
    next->instance_type = instance;
    next->requests = (struct macs_requests){.preserved = fields, .origin = next->requests.origin};
    enqueue(lane, next);
}

bool macs_again_after_ingress(struct macs_lane *lane, struct macs_departures *departures, struct macs_packet *packet) {
    const struct macs_requests asked = packet->requests;
    if (odp_likely(!asked.flags))
        return false;
    if (asked.flags & MACS_RESUBMIT && asked.flags & (MACS_CLONE_INGRESS | MACS_CLONED))
        macs_path_flush(lane, departures); /* so that how many came before has no say in what enters the queue first */
    if (asked.flags & MACS_CLONE_INGRESS)
        macs_clone_ingress(&lane->worker, packet);
    depart_clones(lane, departures, packet);
    packet->requests.flags &=
        MACS_RECIRCULATE | MACS_TRUNCATE | MACS_ENCRYPT | MACS_DECRYPT; /* they count after egress */
    if (!(asked.flags & MACS_RESUBMIT))
        return false;
    go_again(lane, packet, lane->sw->program->instances.resubmitted, asked.resubmit_fields);
    return true;
}

bool macs_again_after_egress(struct macs_lane *lane, struct macs_packet *packet) {
    if (odp_likely(!(packet->requests.flags & MACS_RECIRCULATE)))
        return false;
    go_again(lane, packet, lane->sw->program->instances.recirculated, packet->requests.recirculate_fields);
    return true;
}
