#include "runtime/queues.h"

#include <errno.h>
#include <stdlib.h>

/* How long to leave a port alone that takes no frames. */
#define BLOCKED_NS 50000u

int macs_queues_create(struct macs_queues **created, unsigned priorities) {
    const size_t count = ((size_t)MACS_PORTS_MAX + 1) * priorities;
    struct macs_queues *queues = calloc(1, sizeof(*queues) + count * sizeof(queues->queues[0]));
    if (!queues)
        return -ENOMEM;
    queues->priorities = priorities;
    for (size_t i = 0; i < count; i++)
        atomic_init(&queues->queues[i].depth, MACS_QUEUE_DEPTH);
    *created = queues;
    return 0;
}

void macs_queues_destroy(struct macs_queues *queues) {
    free(queues);
}

int macs_backlog_create(struct macs_backlog **created, unsigned priorities) {
    *created = calloc(1, sizeof(**created) + MACS_PORTS_MAX * priorities * sizeof(struct macs_waiting));
    return *created ? 0 : -ENOMEM;
}

void macs_queue_set_rate(struct macs_queue *queue, uint64_t packets, uint64_t bits) {
    atomic_store(&queue->packets, packets);
    atomic_store(&queue->bits, bits);
    atomic_store(&queue->packet_ns, packets ? 1000000000u / packets : 0);
    atomic_store(&queue->free_ns, 0);
}

void macs_queues_begin_port(struct macs_queues *queues, unsigned slot) {
    for (unsigned priority = 0; priority < queues->priorities; priority++) {
        struct macs_queue *queue = macs_queue_of(queues, slot, priority);
        const struct macs_queue *first = macs_queue_of(queues, MACS_PORTS_MAX, priority);
        atomic_store(&queue->depth, atomic_load(&first->depth));
        macs_queue_set_rate(queue, atomic_load(&first->packets), atomic_load(&first->bits));
        atomic_store(&queue->dropped, 0);
    }
}

static struct macs_waited *waited_of(const struct macs_thread *thread, struct macs_packet *packet) {
    return (struct macs_waited *)(void *)((uint8_t *)packet + thread->sw->program->waited_at);
}

static void append(const struct macs_thread *thread, struct macs_waiting *list, struct macs_packet *packet) {
    waited_of(thread, packet)->next = NULL;
    if (list->first)
        waited_of(thread, list->last)->next = packet;
    else
        list->first = packet;
    list->last = packet;
}

struct macs_packet *macs_waiting_take(const struct macs_thread *thread, struct macs_waiting *list) {
    struct macs_packet *packet = list->first;
    if (packet)
        list->first = waited_of(thread, packet)->next;
    return packet;
}

/* --- in -------------------------------------------------------------------------------------------------------------
 */

/* What a packet takes of the rate. */
static uint64_t cost_ns(const struct macs_queue *queue, uint32_t bytes) {
    const uint64_t packet_ns = atomic_load_explicit(&queue->packet_ns, memory_order_relaxed);
    const uint64_t bits = atomic_load_explicit(&queue->bits, memory_order_relaxed);
    const uint64_t bits_ns = bits ? bytes * UINT64_C(8000000000) / bits : 0;
    return packet_ns > bits_ns ? packet_ns : bits_ns;
}

/* When a packet that comes now may go on, as the queue's rate says; those behind it later. */
static uint64_t reserve(struct macs_queue *queue, uint64_t now_ns, uint32_t bytes) {
    const uint64_t cost = cost_ns(queue, bytes);
    uint64_t free_ns = atomic_load_explicit(&queue->free_ns, memory_order_relaxed), due_ns;
    do
        due_ns = free_ns > now_ns ? free_ns : now_ns;
    while (cost && !atomic_compare_exchange_weak_explicit(&queue->free_ns, &free_ns, due_ns + cost,
                                                          memory_order_relaxed, memory_order_relaxed));
    return due_ns;
}

static bool refuse(struct macs_thread *thread, struct macs_packet *packet, unsigned cause) {
    macs_thread_drop(thread, packet->handle, cause);
    return false;
}

void macs_queues_begin(struct macs_thread *thread, struct macs_packet *packet, uint8_t priority) {
    waited_of(thread, packet)->priority = priority;
}

bool macs_queues_enter(struct macs_thread *thread, struct macs_packet *packet) {
    struct macs_queues *queues = thread->sw->queues;
    struct macs_waited *waited = waited_of(thread, packet);
    const uint64_t now_ns = thread->worker.now_ns;
    const unsigned slot = macs_switch_slot(thread->sw, packet->egress_port) - 1;
    const unsigned priority = queues->priorities > 1 ? waited->priority : 0;
    waited->enqueued_ns = now_ns;
    waited->waited_ns = 0;
    waited->depth_before = waited->depth_behind = 0;
    waited->queue = (uint8_t)priority;
    if (slot >= MACS_PORTS_MAX || thread->backlog->ends)
        return true; /* to no port; or to one without waiting */
    if (priority >= queues->priorities)
        return refuse(thread, packet, MACS_CAUSE_NO_QUEUE);
    struct macs_queue *queue = macs_queue_of(queues, slot, priority);
    waited->depth_before = atomic_load_explicit(&queue->waiting, memory_order_relaxed);
    if (waited->depth_before >= atomic_load_explicit(&queue->depth, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&queue->dropped, 1, memory_order_relaxed);
        return refuse(thread, packet, MACS_CAUSE_QUEUE_FULL);
    }
    waited->due_ns = reserve(queue, now_ns, packet->length);
    if (!waited->depth_before && waited->due_ns <= now_ns && !macs_queues_blocked(thread, slot))
        return true;
    append(thread, &thread->backlog->waiting[slot * queues->priorities + priority], packet);
    thread->backlog->busy |= UINT64_C(1) << slot;
    atomic_fetch_add_explicit(&queue->waiting, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&queues->inside, 1, memory_order_relaxed);
    return false;
}

/* --- out ------------------------------------------------------------------------------------------------------------
 */

static void leave(struct macs_thread *thread, struct macs_queue *queue, struct macs_packet *packet) {
    struct macs_waited *waited = waited_of(thread, packet);
    const uint64_t now_ns = thread->worker.now_ns;
    waited->depth_behind = atomic_fetch_sub_explicit(&queue->waiting, 1, memory_order_relaxed) - 1;
    waited->waited_ns = now_ns > waited->enqueued_ns ? now_ns - waited->enqueued_ns : 0;
}

unsigned macs_queues_take_due(struct macs_thread *thread, unsigned slot, struct macs_packet *packets[], unsigned most) {
    struct macs_queues *queues = thread->sw->queues;
    struct macs_backlog *backlog = thread->backlog;
    unsigned count = 0;
    bool any = false;
    for (unsigned priority = queues->priorities; priority-- > 0;) {
        struct macs_waiting *list = &backlog->waiting[slot * queues->priorities + priority];
        while (list->first && count < most &&
               (backlog->ends || waited_of(thread, list->first)->due_ns <= thread->worker.now_ns)) {
            packets[count] = macs_waiting_take(thread, list);
            leave(thread, macs_queue_of(queues, slot, priority), packets[count++]);
        }
        any |= list->first != NULL;
    }
    if (!any)
        backlog->busy &= ~(UINT64_C(1) << slot);
    return count;
}

struct macs_waiting macs_queues_take_held(struct macs_thread *thread, unsigned slot) {
    const struct macs_waiting held = thread->backlog->held[slot];
    thread->backlog->held[slot] = (struct macs_waiting){NULL, NULL};
    thread->backlog->blocked &= ~(UINT64_C(1) << slot);
    return held;
}

uint64_t macs_queues_idle_ns(const struct macs_thread *thread) {
    const struct macs_backlog *backlog = thread->backlog;
    const unsigned priorities = thread->sw->queues->priorities;
    uint64_t due_ns = UINT64_MAX;
    if (backlog->blocked)
        return BLOCKED_NS;
    for (uint64_t slots = backlog->busy; slots; slots &= slots - 1) {
        const struct macs_waiting *lists = &backlog->waiting[(unsigned)__builtin_ctzll(slots) * priorities];
        for (unsigned priority = 0; priority < priorities; priority++)
            if (lists[priority].first && waited_of(thread, lists[priority].first)->due_ns < due_ns)
                due_ns = waited_of(thread, lists[priority].first)->due_ns;
    }
    const uint64_t now_ns = macs_switch_now(thread->sw);
    return due_ns == UINT64_MAX ? due_ns : due_ns > now_ns ? due_ns - now_ns : 0;
}

void macs_queues_hold(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = macs_packet_of(packets[i]);
        packet->handle = packets[i];
        append(thread, &thread->backlog->held[slot], packet);
    }
    thread->backlog->blocked |= UINT64_C(1) << slot;
    atomic_fetch_add_explicit(&thread->sw->queues->inside, count, memory_order_relaxed);
}
