#include "runtime/requests.h"

#include <macs/cipher.h>

#include "runtime/clone.h"
#include "runtime/parts.h"

static void pass_once(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void follow_ingress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void leave_last(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
static void pass_queued(struct macs_thread *thread);

/* Received packets, and all copies and further passes of them. */
void macs_requests_pass(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    macs_requests_begin(thread, packets, count);
    pass_once(thread, packets, count);
    pass_queued(thread);
}

void macs_requests_begin(struct macs_thread *thread, struct macs_packet *const packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        macs_recirculation_begin(thread->recirculation, packets[i], i);
}

/* The bursts of this part are others than those in which the packets were received. */
void macs_requests_pass_on(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        macs_recirculation_rejoin(thread->recirculation, packets[i], i);
    follow_ingress(thread, packets, count);
    pass_queued(thread);
}

void macs_requests_resume(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                          unsigned count) {
    for (unsigned i = 0; i < count; i++)
        macs_recirculation_begin(thread->recirculation, macs_packet_of(handles[i]), i);
    macs_resume(thread, handles, verdicts, count);
    pass_queued(thread);
}

void macs_requests_leave_queue(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        macs_recirculation_rejoin(thread->recirculation, packets[i], i);
    macs_requests_egress(thread, packets, count);
    pass_queued(thread);
}

/* --- the queue ------------------------------------------------------------------------------------------------------
 */

/* Process egress clones by egress. */
static void pass_clones(struct macs_thread *thread, struct macs_packet *const packets[], unsigned count) {
    if (thread->sw->program->clone)
        thread->sw->program->clone(&thread->worker, packets, count);
    struct macs_departures departures;
    departures.count = 0; /* the rest is not initialised: the array is large */
    for (unsigned i = 0; i < count; i++)
        macs_depart(thread, &departures, packets[i]);
    macs_depart_all(thread, &departures);
}

/* Process the queue, packets that enter at the same pipeline together; then send. */
static void pass_queued(struct macs_thread *thread) {
    const unsigned limit = thread->sw->program->ordered ? 1 : thread->worker.burst;
    while (thread->recirculation->count) {
        struct macs_packet *packets[MACS_BURST_MAX];
        unsigned count = macs_recirculation_take(thread->recirculation, packets, limit);
        macs_thread_read_time(thread);
        if (packets[0]->requests.to_egress)
            pass_clones(thread, packets, count);
        else
            pass_once(thread, packets, count);
    }
    macs_recirculation_release(thread);
}

/* --- ingress, egress ------------------------------------------------------------------------------------------------
 */

static void pass_once(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    macs_parts_ingress(thread, packets, count);
    follow_ingress(thread, packets, count);
}

static void follow_ingress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = thread->sw->program;
    if (program->cipher && !program->egress) /* they have been deparsed */
        program->cipher->run(&thread->worker, packets, count);
    if (!program->egress) {
        leave_last(thread, packets, count);
        return;
    }
    struct macs_departures departures;
    departures.count = 0;
    for (unsigned i = 0; i < count; i++)
        macs_requests_dispatch(thread, &departures, packets[i]);
    macs_depart_all(thread, &departures);
}

/* Process a packet's ingress clones by egress. */
static void depart_clones(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet) {
    struct macs_packet *clone = packet->requests.clones;
    packet->requests.clones = NULL;
    while (clone) {
        struct macs_packet *next = clone->requests.clones;
        clone->requests.clones = NULL;
        if (thread->sw->program->clone)
            thread->sw->program->clone(&thread->worker, &clone, 1);
        if (odp_likely(clone->verdict == MACS_FORWARD))
            macs_depart(thread, departures, clone);
        else
            macs_thread_drop(thread, clone->handle, clone->cause);
        clone = next;
    }
}

/* Make and process the ingress clones that a packet requests. True: it is resubmitted, and no longer the caller's. */
static bool follow_requests(struct macs_thread *thread, struct macs_departures *departures,
                            struct macs_packet *packet) {
    const struct macs_requests asked = packet->requests;
    if (asked.flags & MACS_RESUBMIT && asked.flags & (MACS_CLONE_INGRESS | MACS_CLONED))
        macs_depart_all(thread,
                        departures); /* so that how many came before has no say in what enters the queue first */
    if (asked.flags & MACS_CLONE_INGRESS)
        macs_clone_ingress(&thread->worker, packet);
    depart_clones(thread, departures, packet);
    packet->requests.flags &=
        MACS_RECIRCULATE | MACS_TRUNCATE | MACS_ENCRYPT | MACS_DECRYPT; /* they count after egress */
    if (!(asked.flags & MACS_RESUBMIT))
        return false;
    macs_recirculation_enter(thread, packet, thread->sw->program->instances.resubmitted, asked.resubmit_fields);
    return true;
}

void macs_requests_dispatch(struct macs_thread *thread, struct macs_departures *departures,
                            struct macs_packet *packet) {
    if (odp_unlikely(packet->requests.flags) && follow_requests(thread, departures, packet))
        return;
    macs_dispatch(thread, departures, packet);
}

/* Behind the last pipeline: drop, recirculate, or hold for sending. */
static void leave_egress(struct macs_thread *thread, struct macs_packet *packet) {
    if (odp_unlikely(packet->verdict != MACS_FORWARD))
        macs_thread_drop(thread, packet->handle, packet->cause);
    else if (odp_unlikely(packet->requests.flags & MACS_RECIRCULATE))
        macs_recirculation_enter(thread, packet, thread->sw->program->instances.recirculated,
                                 packet->requests.recirculate_fields);
    else
        macs_recirculation_hold(thread, packet);
}

/* The same for packets of a burst, behind the copies that it made of each. */
static void leave_last(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    struct macs_recirculation *recirculation = thread->recirculation;
    for (unsigned i = 0; i < count; i++) {
        if (recirculation->made_count)
            macs_clones_enqueue(thread, packets[i]);
        leave_egress(thread, packets[i]);
    }
    recirculation->made_count = recirculation->made_next = 0;
}

void macs_requests_egress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    const struct macs_program *program = thread->sw->program;
    program->egress(&thread->worker, packets, count);
    if (program->cipher)
        program->cipher->run(&thread->worker, packets, count);
    leave_last(thread, packets, count);
}
