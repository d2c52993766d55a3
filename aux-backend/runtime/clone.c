#include "runtime/clone.h"

#include <macs/layout.h>

#include "runtime/copy.h"
#include "runtime/mirror.h"
#include "runtime/queues.h"

/* A clone of number `at` on its way to a port, or NULL: no memory, or too little of it in one piece. Counted. Of
 * `bytes` bytes at most; 0: whole. */
static struct macs_packet *clone_packet(struct macs_thread *thread, const struct macs_packet *packet,
                                        const struct macs_mirror_targets *targets, uint32_t at, uint32_t bytes) {
    const struct macs_replica replica = macs_mirror_target(targets, at);
    struct macs_packet *clone = macs_copy_packet(thread, packet);
    macs_stats_add(&thread->stats.copies, 1);
    if (!clone || (bytes && macs_layout_cut(clone, bytes)) || !macs_copy_parsable(thread, clone)) {
        if (clone)
            macs_thread_drop(thread, clone->handle, MACS_CAUSE_NO_BUFFER);
        else
            macs_stats_add(&thread->stats.drops[MACS_CAUSE_NO_BUFFER], 1);
        return NULL;
    }
    if (thread->backlog)
        macs_queues_begin(thread, clone, targets->priority);
    clone->verdict = MACS_FORWARD;
    clone->egress_port = replica.port;
    clone->replica = replica.rid;
    clone->multicast_group = 0;
    clone->requests = (struct macs_requests){.origin = packet->requests.origin, .service = targets->priority};
    return clone;
}

/* Until it is deparsed the frame is as received, and so is a copy of it, which is cut before it is parsed again. */
void macs_clone_ingress(struct macs_worker *worker, struct macs_packet *packet) {
    struct macs_thread *thread = macs_thread_of(worker);
    const struct macs_mirror_targets targets = macs_mirror_find(thread->sw, packet->requests.ingress_session);
    struct macs_packet **last = &packet->requests.clones;
    for (uint32_t i = 0; i < targets.count; i++) {
        struct macs_packet *clone = clone_packet(thread, packet, &targets, i, targets.bytes);
        if (clone) {
            clone->instance_type = thread->sw->program->instances.ingress_clone;
            clone->requests.preserved = packet->requests.ingress_clone_fields;
            *last = clone;
            last = &clone->requests.clones;
        }
    }
    packet->requests.flags = (packet->requests.flags | MACS_CLONED) & (uint8_t)~MACS_CLONE_INGRESS;
}

/* A frame that has been deparsed is cut at once. A clone that egress has once more before it is deparsed, as v1model's,
 * keeps its headers until then, and is cut as by truncate(). */
void macs_clone_egress(struct macs_worker *worker, const struct macs_packet *packet) {
    struct macs_thread *thread = macs_thread_of(worker);
    const struct macs_program *program = thread->sw->program;
    const struct macs_mirror_targets targets = macs_mirror_find(thread->sw, packet->requests.egress_session);
    for (uint32_t i = 0; i < targets.count; i++) {
        struct macs_packet *clone = clone_packet(thread, packet, &targets, i, program->clone ? 0 : targets.bytes);
        if (!clone)
            continue;
        clone->instance_type = program->instances.egress_clone;
        clone->requests.preserved = packet->requests.egress_clone_fields;
        if (program->clone && targets.bytes)
            macs_request_truncate(clone, targets.bytes);
        clone->requests.to_egress = true;
        if (thread->recirculation->made_count < thread->recirculation->capacity)
            thread->recirculation->made[thread->recirculation->made_count++] = (struct macs_made){packet, clone};
        else
            macs_thread_drop(thread, clone->handle, MACS_CAUSE_NO_BUFFER);
    }
}

/* Stages may have made the clones in another order than that of the packets. */
void macs_clones_enqueue(struct macs_thread *thread, const struct macs_packet *packet) {
    struct macs_recirculation *recirculation = thread->recirculation;
    uint32_t looked = 0, at = recirculation->made_next;
    while (looked < recirculation->made_count && recirculation->made[at].maker != packet) {
        at = at + 1 < recirculation->made_count ? at + 1 : 0;
        looked++;
    }
    if (looked == recirculation->made_count)
        return;
    while (at < recirculation->made_count && recirculation->made[at].maker == packet)
        macs_recirculation_enqueue(thread, recirculation->made[at++].clone);
    recirculation->made_next = at < recirculation->made_count ? at : 0;
}

void macs_clones_moved(struct macs_thread *thread, const struct macs_packet *from, const struct macs_packet *to) {
    struct macs_recirculation *recirculation = thread->recirculation;
    for (uint32_t i = 0; i < recirculation->made_count; i++)
        if (recirculation->made[i].maker == from)
            recirculation->made[i].maker = to;
}
