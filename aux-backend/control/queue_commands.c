/* Commands for the queues of ports, between ingress and egress. */
#include <inttypes.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/queues.h"

typedef void set_fn(struct macs_queue *queue, uint64_t value);

static void set_depth(struct macs_queue *queue, uint64_t value) {
    atomic_store(&queue->depth, (uint32_t)value);
}

static void set_packets(struct macs_queue *queue, uint64_t value) {
    macs_queue_set_rate(queue, value, atomic_load(&queue->bits));
}

static void set_bits(struct macs_queue *queue, uint64_t value) {
    macs_queue_set_rate(queue, atomic_load(&queue->packets), value);
}

/* The slots and priorities that the words behind the value name: [first, behind the last). Of all ports, those too that
 * come later. */
struct range {
    unsigned slot, slots, priority, priorities;
};

static int take_range(const struct macs_switch *sw, unsigned count, char **words, struct range *range,
                      struct macs_text *answer) {
    uint64_t port, priority;
    *range = (struct range){0, MACS_PORTS_MAX + 1, 0, sw->queues->priorities};
    if (count < 2)
        return 0;
    const unsigned slot =
        macs_value_uint64(words[1], &port) && port <= UINT16_MAX ? macs_switch_slot(sw, (uint32_t)port) : 0;
    if (!slot)
        return macs_text_fail(answer, "there is no port %.80s", words[1]);
    range->slot = slot - 1;
    range->slots = slot;
    if (count < 3)
        return 0;
    if (!macs_value_uint64(words[2], &priority) || priority >= sw->queues->priorities)
        return macs_text_fail(answer, "'%.80s' is not a priority (0 to %u)", words[2], sw->queues->priorities - 1);
    range->priority = (unsigned)priority;
    range->priorities = range->priority + 1;
    return 0;
}

static int check_queues(const struct macs_switch *sw, struct macs_text *answer) {
    return sw->program->waited_at
               ? 0
               : macs_text_fail(answer, "the program was built without queues (macsad build --queues)");
}

/* VALUE [PORT [PRIORITY]] */
static int set_all(struct macs_console *console, unsigned count, char **words, uint64_t most, set_fn *set,
                   struct macs_text *answer) {
    struct range range;
    uint64_t value;
    if (check_queues(console->sw, answer))
        return -1;
    if (!macs_value_uint64(words[0], &value) || value > most)
        return macs_text_fail(answer, "'%.80s' is not a number from 0 to %" PRIu64, words[0], most);
    if (take_range(console->sw, count, words, &range, answer))
        return -1;
    for (unsigned slot = range.slot; slot < range.slots; slot++)
        for (unsigned priority = range.priority; priority < range.priorities; priority++)
            set(macs_queue_of(console->sw->queues, slot, priority), value);
    return 0;
}

static int set_queue_depth(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return set_all(console, count, words, UINT32_MAX, set_depth, answer);
}

static int set_queue_rate(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return set_all(console, count, words, UINT64_MAX, set_packets, answer);
}

static int set_queue_bit_rate(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return set_all(console, count, words, UINT64_MAX, set_bits, answer);
}

static int show_queues(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    const struct macs_switch *sw = console->sw;
    (void)count, (void)words;
    if (check_queues(sw, answer))
        return -1;
    macs_text_add(answer, "%5s  %8s  %7s  %7s  %12s  %14s  %s\n", "port", "priority", "waiting", "depth", "packets/s",
                  "bits/s", "dropped");
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        for (unsigned priority = 0; macs_port_is_there(&sw->ports[slot]) && priority < sw->queues->priorities;
             priority++) {
            const struct macs_queue *queue = macs_queue_of(sw->queues, slot, priority);
            macs_text_add(answer, "%5u  %8u  %7" PRIu32 "  %7" PRIu32 "  %12" PRIu64 "  %14" PRIu64 "  %" PRIu64 "\n",
                          sw->ports[slot].number, priority, atomic_load(&queue->waiting), atomic_load(&queue->depth),
                          atomic_load(&queue->packets), atomic_load(&queue->bits), atomic_load(&queue->dropped));
        }
    return 0;
}

const struct macs_command macs_queue_commands[] = {
    {"set_queue_depth", set_queue_depth, 1, 3, "PACKETS [PORT [PRIORITY]]", "how many packets may wait, in each queue"},
    {"set_queue_rate", set_queue_rate, 1, 3, "PACKETS [PORT [PRIORITY]]",
     "how many packets a second go on from each queue; 0: no limit"},
    {"set_queue_bit_rate", set_queue_bit_rate, 1, 3, "BITS [PORT [PRIORITY]]", "the same in bits a second"},
    {"show_queues", show_queues, 0, 0, "", "queues: what waits and what was dropped"},
    {0},
};
