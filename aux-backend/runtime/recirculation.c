#include "runtime/recirculation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/copy.h"
#include "runtime/transmit.h"

int macs_recirculation_create(struct macs_recirculation **created, uint32_t packets) {
    struct macs_recirculation *recirculation = calloc(1, sizeof(*recirculation));
    if (!recirculation)
        return -ENOMEM;
    recirculation->capacity = 1;
    while (recirculation->capacity < packets)
        recirculation->capacity *= 2;
    recirculation->queue = calloc(recirculation->capacity, sizeof(*recirculation->queue));
    recirculation->made = calloc(recirculation->capacity, sizeof(*recirculation->made));
    recirculation->held = calloc(recirculation->capacity, sizeof(*recirculation->held));
    if (!recirculation->queue || !recirculation->made || !recirculation->held) {
        macs_recirculation_destroy(recirculation);
        return -ENOMEM;
    }
    *created = recirculation;
    return 0;
}

void macs_recirculation_destroy(struct macs_recirculation *recirculation) {
    if (!recirculation)
        return;
    free(recirculation->queue);
    free(recirculation->made);
    free(recirculation->held);
    free(recirculation);
}

void macs_recirculation_begin(struct macs_recirculation *recirculation, struct macs_packet *packet, unsigned place) {
    packet->requests = (struct macs_requests){.origin = (uint16_t)place};
    recirculation->passes[place] = 0;
}

void macs_recirculation_rejoin(struct macs_recirculation *recirculation, struct macs_packet *packet, unsigned place) {
    packet->requests.origin = (uint16_t)place;
    for (struct macs_packet *clone = packet->requests.clones; clone; clone = clone->requests.clones)
        clone->requests.origin = (uint16_t)place;
    recirculation->passes[place] = 0;
}

/* --- the queue ------------------------------------------------------------------------------------------------------
 */

/* Queue a packet for another pass. It is dropped if there were too many. */
void macs_recirculation_enqueue(struct macs_thread *thread, struct macs_packet *packet) {
    struct macs_recirculation *recirculation = thread->recirculation;
    uint16_t *passes = &recirculation->passes[packet->requests.origin];
    if (*passes == MACS_PASSES_MAX || recirculation->count == recirculation->capacity) {
        macs_thread_drop(thread, packet->handle, *passes == MACS_PASSES_MAX ? MACS_CAUSE_LOOPS : MACS_CAUSE_NO_BUFFER);
        return;
    }
    ++*passes;
    recirculation->queue[(recirculation->first + recirculation->count++) & (recirculation->capacity - 1)] = packet;
}

unsigned macs_recirculation_take(struct macs_recirculation *recirculation, struct macs_packet *packets[],
                                 unsigned limit) {
    unsigned count = 0;
    recirculation->turn++;
    recirculation->mixed = true;
    while (recirculation->count && count < limit) {
        struct macs_packet *packet = recirculation->queue[recirculation->first];
        if (count && packet->requests.to_egress != packets[0]->requests.to_egress)
            break;
        if (recirculation->taken[packet->requests.origin] == recirculation->turn)
            break;
        recirculation->taken[packet->requests.origin] = recirculation->turn;
        packets[count++] = packet;
        recirculation->first = (recirculation->first + 1) & (recirculation->capacity - 1);
        recirculation->count--;
    }
    return count;
}

/* --- what is to be sent ---------------------------------------------------------------------------------------------
 */

void macs_recirculation_hold(struct macs_thread *thread, struct macs_packet *packet) {
    struct macs_recirculation *recirculation = thread->recirculation;
    if (recirculation->held_count < recirculation->capacity)
        recirculation->held[recirculation->held_count++] = packet;
    else
        macs_thread_drop(thread, packet->handle, MACS_CAUSE_NO_BUFFER);
}

/* The held packets in the order of their origins, into `sorted`; those of one origin keep theirs. */
static void sort_held(struct macs_recirculation *recirculation, struct macs_packet *sorted[]) {
    uint32_t *begins = recirculation->begins;
    memset(begins, 0, sizeof(recirculation->begins));
    for (uint32_t i = 0; i < recirculation->held_count; i++)
        begins[recirculation->held[i]->requests.origin]++;
    for (uint32_t origin = 0, next = 0; origin < MACS_BURST_MAX; origin++) {
        uint32_t packets = begins[origin];
        begins[origin] = next;
        next += packets;
    }
    for (uint32_t i = 0; i < recirculation->held_count; i++)
        sorted[begins[recirculation->held[i]->requests.origin]++] = recirculation->held[i];
}

void macs_recirculation_release(struct macs_thread *thread) {
    struct macs_recirculation *recirculation = thread->recirculation;
    struct macs_packet **packets = recirculation->held;
    if (recirculation->mixed) {
        packets = recirculation->queue; /* which is empty now */
        sort_held(recirculation, packets);
    }
    for (uint32_t i = 0; i < recirculation->held_count; i++)
        macs_transmit(thread, packets[i]);
    recirculation->held_count = 0;
    recirculation->mixed = false;
}

/* --- resubmit, recirculate ------------------------------------------------------------------------------------------
 */

/* Deparsing may have used up the headroom: a copy has it again. NULL: no memory. */
static struct macs_packet *with_headroom(struct macs_thread *thread, struct macs_packet *packet) {
    if (odp_packet_headroom(packet->handle) >= thread->sw->program->grow_bytes)
        return packet;
    struct macs_packet *copy = macs_copy_packet(thread, packet);
    if (copy)
        odp_packet_free(packet->handle);
    return copy;
}

void macs_recirculation_enter(struct macs_thread *thread, struct macs_packet *packet, uint8_t instance,
                              uint8_t fields) {
    struct macs_packet *next = with_headroom(thread, packet);
    if (!next || !macs_copy_parsable(thread, next)) {
        macs_thread_drop(thread, next ? next->handle : packet->handle, MACS_CAUSE_NO_BUFFER);
        return;
    }
    next->payload_offset = 0;
    next->egress_port = 0;
    next->multicast_group = 0;
    next->replica = 0;
    next->verdict = MACS_FORWARD;
    next->instance_type = instance;
    next->requests = (struct macs_requests){.preserved = fields, .origin = next->requests.origin};
    macs_recirculation_enqueue(thread, next);
}
