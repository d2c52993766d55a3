#include "runtime/traffic_manager.h"

#include "runtime/copy.h"
#include "runtime/queues.h"

static void replicate(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet);
static void leave_completed(struct macs_thread *thread, struct macs_packet *packet, macs_verdict verdict);

void macs_resume(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                 unsigned count) {
    struct macs_departures departures;
    departures.count = 0; /* the rest is not initialised: the array is large */
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = macs_packet_of(handles[i]);
        packet->handle = handles[i]; /* the program may have had no use for it */
        if (verdicts[i] == MACS_VERDICT_CONTINUE) {
            thread->datapath->dispatch(thread, &departures, packet);
            continue;
        }
        macs_depart_all(thread, &departures);
        if (verdicts[i] >= MACS_VERDICT_DROP || !verdicts[i])
            macs_thread_drop(thread, handles[i], verdicts[i] ? verdicts[i] - MACS_VERDICT_DROP : MACS_CAUSE_NO_PORT);
        else
            leave_completed(thread, packet, verdicts[i]);
    }
    macs_depart_all(thread, &departures);
}

/* Send a packet that is finished, of a burst in which others continue. */
static void leave_completed(struct macs_thread *thread, struct macs_packet *packet, macs_verdict verdict) {
    packet->length = odp_packet_len(packet->handle);
    packet->egress_port = thread->sw->ports[verdict - 1].number;
    thread->datapath->leave(thread, packet);
}

void macs_dispatch(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet) {
    switch ((enum macs_pipe_verdict)packet->verdict) {
    case MACS_FORWARD:
    case MACS_EGRESS:
        macs_depart(thread, departures, packet);
        return;
    case MACS_REPLICATE:
        replicate(thread, departures, packet);
        return;
    case MACS_DROP:
    case MACS_HAND_OVER: /* the part behind gives another verdict */
        break;
    }
    macs_thread_drop(thread, packet->handle, packet->cause);
}

static void direct(const struct macs_thread *thread, struct macs_packet *packet, struct macs_replica replica) {
    packet->egress_port = replica.port;
    packet->replica = replica.rid;
    packet->instance_type = thread->sw->program->instances.replicated;
}

/* A copy for each member but the last, which gets the packet itself. */
static void replicate(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet) {
    const struct macs_sequence *group = macs_multicast_find(thread->sw->multicast, packet->multicast_group);
    if (!group || !group->count) {
        macs_thread_drop(thread, packet->handle, MACS_CAUSE_NO_GROUP);
        return;
    }
    uint32_t copies = group->count - 1;
    for (uint32_t i = 0; i < copies; i++) {
        struct macs_packet *copy = macs_copy_packet(thread, packet);
        if (copy) {
            direct(thread, copy, macs_multicast_replica(group, i));
            macs_depart(thread, departures, copy);
        } else {
            macs_stats_add(&thread->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        }
    }
    macs_stats_add(&thread->stats.copies, copies);
    direct(thread, packet, macs_multicast_replica(group, copies));
    macs_depart(thread, departures, packet);
}

void macs_depart(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet) {
    if (!thread->sw->program->egress) {
        thread->datapath->leave(thread, packet);
        return;
    }
    packet->verdict = MACS_FORWARD;
    if (odp_unlikely(thread->backlog != NULL) && !macs_queues_enter(thread, packet))
        return;
    departures->packets[departures->count++] = packet;
    if (departures->count == MACS_BURST_MAX)
        macs_depart_all(thread, departures);
}

void macs_depart_all(struct macs_thread *thread, struct macs_departures *departures) {
    if (departures->count)
        thread->datapath->egress(thread, departures->packets, departures->count);
    departures->count = 0;
}
