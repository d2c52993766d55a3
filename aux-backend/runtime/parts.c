#include "runtime/parts.h"

/* The workers of a part: the first of them, and how many they are. */
static unsigned first_of(const struct macs_options *options, unsigned part) {
    unsigned first = 0;
    for (unsigned later = part + 1; later < options->parts.count; later++)
        first += options->parts.each[later];
    return first;
}

unsigned macs_part_of(const struct macs_options *options, unsigned worker) {
    unsigned part = options->parts.count - 1;
    while (part && worker >= first_of(options, part) + options->parts.each[part])
        part--;
    return part;
}

unsigned macs_first_receiver(const struct macs_switch *sw) {
    return atomic_load(&sw->cloned) ? 0 : first_of(&sw->options, 0);
}

void macs_parts_go_on(struct macs_thread *thread, unsigned part, struct macs_packet *packets[], unsigned count) {
    struct macs_packet *handed[MACS_BURST_MAX];
    unsigned handed_count = 0;
    for (unsigned i = 0; i < count; i++) {
        handed[handed_count] = packets[i];
        handed_count += packets[i]->verdict == MACS_HAND_OVER;
    }
    if (handed_count)
        thread->sw->program->ingress_back[part - 1](&thread->worker, handed, handed_count);
}

void macs_parts_ingress(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    thread->sw->program->ingress(&thread->worker, packets, count);
    for (unsigned part = 1; part < thread->sw->options.parts.count; part++)
        macs_parts_go_on(thread, part, packets, count);
}

void macs_parts_hand_over(struct macs_thread *thread, struct macs_packet *packets[], unsigned count) {
    for (unsigned put = 0; put < count;) {
        put += macs_handover_put(thread->to_next, &packets[put], count - put);
        if (put < count)
            odp_cpu_pause();
    }
}

struct macs_thread *macs_parts_next_before(const struct macs_thread *thread, unsigned *i) {
    const struct macs_options *options = &thread->sw->options;
    const unsigned own = thread->worker.index - first_of(options, thread->part), before = thread->part - 1;
    const unsigned number = own + (*i)++ * options->parts.each[thread->part];
    return number < options->parts.each[before] ? thread->sw->workers[first_of(options, before) + number] : NULL;
}

bool macs_parts_has_packets(const struct macs_thread *thread) {
    unsigned at = 0;
    if (thread->part)
        for (const struct macs_thread *before; (before = macs_parts_next_before(thread, &at));)
            if (!macs_handover_empty(before->to_next))
                return true;
    return false;
}

bool macs_parts_ended(const struct macs_thread *thread) {
    unsigned at = 0;
    for (struct macs_thread *before; (before = macs_parts_next_before(thread, &at));)
        if (!atomic_load(&before->status) && !macs_handover_ended(before->to_next))
            return false;
    return true;
}
