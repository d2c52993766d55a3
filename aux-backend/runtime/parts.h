/* The parts of a program that is cut (docs/placement.md), each with workers of its own: the last workers run the first
 * part, and receive; the first ones run the last part, and send. A worker hands what it is through with over to one of
 * the next part: to the same one always, so that what one receives stays in order. Or no part has workers of its own,
 * and each worker runs all parts of what it receives.
 *
 * Threads: the worker itself; of macs_parts_has_packets() and what stands behind it the control thread, too.
 */
#ifndef MACS_RUNTIME_PARTS_H
#define MACS_RUNTIME_PARTS_H

#include "runtime/worker.h"

/* Its part: 0 receives. */
unsigned macs_part_of(const struct macs_options *options, unsigned worker);

/* Whether the worker goes on with what others hand over. */
static inline bool macs_takes_over(const struct macs_thread *thread) {
    return thread->part && !atomic_load_explicit(&thread->sw->cloned, memory_order_relaxed);
}

/* The workers that receive now are those from this number on. */
unsigned macs_first_receiver(const struct macs_switch *sw);

/* Packets go on with part `part`, but for those that are through. */
void macs_parts_go_on(struct macs_thread *thread, unsigned part, struct macs_packet *packets[], unsigned count);

/* Packets through ingress, all parts of it. */
void macs_parts_ingress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

/* Over to the worker of the next part; waits while that has no room. */
void macs_parts_hand_over(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

/* The workers that hand over to this one, one after the other: `*i` begins with 0; NULL behind the last. */
struct macs_thread *macs_parts_next_before(const struct macs_thread *thread, unsigned *i);

/* Whether packets wait for the worker; never for one of the first part. */
bool macs_parts_has_packets(const struct macs_thread *thread);

/* Whether nothing waits, and nothing will come: a worker that did not start brings nothing. */
bool macs_parts_ended(const struct macs_thread *thread);

#endif
