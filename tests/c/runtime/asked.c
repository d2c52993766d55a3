/* What a port is asked while it is there: what it has lost, whether it has ended, how long its frames may be; and the
 * frames that wait in it, of which there is a bound. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/port.h"

enum { ENDED = 4, BROKEN = 7, QUEUES = 2, MOST = 3, LONGEST = 1000 };

static uint64_t counters[10];
static odp_pktio_stats_t said;
static bool silent; /* the interface tells nothing */
static uint32_t longest = 1500;
static odp_pktio_link_status_t link = ODP_PKTIO_LINK_STATUS_UP;

int odp_pktio_extra_stat_counter(odp_pktio_t pktio, uint32_t id, uint64_t *value) {
    (void)pktio;
    assert(id < 10);
    *value = counters[id];
    return silent ? -1 : 0;
}

int odp_pktio_stats(odp_pktio_t pktio, odp_pktio_stats_t *stats) {
    (void)pktio;
    *stats = said;
    return silent ? -1 : 0;
}

uint32_t odp_pktout_maxlen(odp_pktio_t pktio) {
    (void)pktio;
    return longest;
}

odp_pktio_link_status_t odp_pktio_link_status(odp_pktio_t pktio) {
    (void)pktio;
    return link;
}

/* --- packets and queues: a packet is a place, a queue has a number of them ------------------------------------------
 */

static struct macs_odp_packet packets[8];
static unsigned allocated, freed;
static struct queue {
    unsigned count;
    odp_event_t events[5000];
} queues[QUEUES];

int odp_queue_enq(odp_queue_t to, odp_event_t event) {
    struct queue *queue = (struct queue *)(void *)to;
    if (queue != &queues[1] && queue->count == MOST)
        return -1;
    queue->events[queue->count++] = event;
    return 0;
}

int odp_queue_deq_multi(odp_queue_t from, odp_event_t events[], int num) {
    struct queue *queue = (struct queue *)(void *)from;
    const unsigned count = queue->count < (unsigned)num ? queue->count : (unsigned)num;
    memcpy(events, queue->events, count * sizeof(*events));
    queue->count -= count;
    memmove(queue->events, queue->events + count, queue->count * sizeof(*events));
    return (int)count;
}

odp_event_t odp_queue_deq(odp_queue_t from) {
    odp_event_t event = ODP_EVENT_INVALID;
    return odp_queue_deq_multi(from, &event, 1) ? event : ODP_EVENT_INVALID;
}

void odp_packet_from_event_multi(odp_packet_t to[], const odp_event_t events[], int num) {
    for (int i = 0; i < num; i++)
        to[i] = odp_packet_from_event(events[i]);
}

int odp_pool_info(odp_pool_t pool, odp_pool_info_t *info) {
    (void)pool;
    info->params.pkt.len = LONGEST;
    return 0;
}

odp_packet_t odp_packet_alloc(odp_pool_t pool, uint32_t length) {
    (void)pool;
    if (allocated == 8)
        return ODP_PACKET_INVALID;
    packets[allocated].len = length;
    return &packets[allocated++];
}

int odp_packet_copy_from_mem(odp_packet_t packet, uint32_t offset, uint32_t length, const void *from) {
    assert(offset == 0 && length == packet->len);
    packet->room = *(const uint8_t *)from;
    return 0;
}

void odp_packet_free(odp_packet_t packet) {
    assert(packet);
    freed++;
}

/* --- tests ----------------------------------------------------------------------------------------------------------
 */

static struct macs_port port = {.name = "port", .end_counter = ENDED, .broken_counter = BROKEN};

static void check_losses(void) {
    uint64_t lost, bytes;
    said = (odp_pktio_stats_t){.in_discards = 1, .in_errors = 20, .out_discards = 300, .out_errors = 4000};
    counters[BROKEN + 1] = 50000, counters[BROKEN + 2] = 7;
    struct macs_port_losses losses = macs_port_losses(&port);
    assert(losses.missed == 1 && losses.errors == 20);
    macs_port_tx_lost(&port, &lost, &bytes);
    assert(lost == 54300 && bytes == 7);
    port.broken_counter = -1; /* an interface has none */
    macs_port_tx_lost(&port, &lost, &bytes);
    assert(lost == 4300 && bytes == 0 && !macs_port_broken(&port));
    port.broken_counter = BROKEN;
    silent = true;
    losses = macs_port_losses(&port);
    macs_port_tx_lost(&port, &lost, &bytes);
    assert(losses.missed == 0 && losses.errors == 0 && lost == 0 && bytes == 0);
    silent = false;
    port.ctl = true;
    port.end_counter = port.broken_counter = -1;
    losses = macs_port_losses(&port);
    macs_port_tx_lost(&port, &lost, &bytes);
    assert(losses.missed == 0 && losses.errors == 0 && lost == 0 && bytes == 0);
    port.ctl = false;
    port.end_counter = ENDED;
    port.broken_counter = BROKEN;
}

static void check_states(void) {
    assert(!macs_port_broken(&port) && !macs_port_ended(&port) && macs_port_may_end(&port));
    counters[BROKEN] = counters[ENDED] = 1;
    assert(macs_port_broken(&port) && macs_port_ended(&port));
    atomic_store(&port.waiting, 1); /* workers still have some of it */
    assert(!macs_port_ended(&port));
    atomic_store(&port.waiting, 0);
    port.end_counter = -1;
    assert(!macs_port_ended(&port) && !macs_port_may_end(&port));
    macs_port_follow(&port);
    assert(macs_port_tx_max(&port) == 1500);
    longest = 0; /* an interface that is away keeps its own */
    macs_port_follow(&port);
    assert(macs_port_tx_max(&port) == 1500);
    longest = 9000;
    macs_port_follow(&port);
    assert(macs_port_tx_max(&port) == 9000);
    assert(macs_port_is_up(&port));
    port.leaves = true;
    assert(!macs_port_is_up(&port));
    port.leaves = false;
    link = ODP_PKTIO_LINK_STATUS_UNKNOWN;
    assert(macs_port_is_up(&port));
    link = ODP_PKTIO_LINK_STATUS_DOWN;
    assert(!macs_port_is_up(&port));
    port.ctl = true;
    longest = 1;
    macs_port_follow(&port);
    assert(macs_port_is_up(&port) && macs_port_tx_max(&port) == 9000);
}

/* What one worker leaves to another one comes in its order; what there is no room for stays with who has it. */
static void check_handed(void) {
    odp_packet_t taken[8];
    port.handed[0] = (odp_queue_t)(void *)&queues[0];
    for (unsigned i = 0; i < MOST + 2; i++)
        assert(macs_port_hand(&port, 0, &packets[i]) == (i >= MOST));
    assert(atomic_load(&port.waiting) == MOST && atomic_load(&port.handed_over) == MOST);
    assert(macs_port_take(&port, 0, taken, 2) == 2 && taken[0] == &packets[0] && taken[1] == &packets[1]);
    assert(macs_port_take(&port, 0, taken, 8) == 1 && taken[0] == &packets[2]);
    assert(macs_port_take(&port, 0, taken, 8) == 0);
    assert(atomic_load(&port.waiting) == MOST); /* until they are through */
    atomic_store(&port.waiting, 0);
}

static void check_injected(void) {
    static const uint8_t frame[LONGEST + 1] = {77};
    odp_packet_t packet = ODP_PACKET_INVALID;
    assert(macs_ctl_packet(&port, NULL, frame, 0, &packet) == -EMSGSIZE);
    assert(macs_ctl_packet(&port, NULL, frame, LONGEST + 1, &packet) == -EMSGSIZE && !packet);
    for (unsigned i = 0; i < MOST + 1; i++) {
        assert(macs_ctl_packet(&port, NULL, frame, i ? LONGEST : 1, &packet) == 0 && packet == &packets[i]);
        assert(packet->room == 77 && packet->len == (i ? LONGEST : 1));
        assert(macs_ctl_inject(&port, packet, 0) == (i == MOST ? -EAGAIN : 0));
    }
    assert(port.injected == MOST && freed == 1 && !macs_ctl_settled(&port));
    atomic_store(&port.finished, MOST);
    assert(macs_ctl_settled(&port));
    port.injected = MACS_CTL_IN_MAX + MOST - 1; /* so many are on their way at most */
    assert(macs_ctl_packet(&port, NULL, frame, 60, &packet) == 0);
    port.injected++;
    assert(macs_ctl_packet(&port, NULL, frame, 60, &packet) == -EAGAIN);
    atomic_store(&port.finished, MOST + 1);
    while (allocated < 8)
        assert(macs_ctl_packet(&port, NULL, frame, 60, &packet) == 0);
    assert(macs_ctl_packet(&port, NULL, frame, 60, &packet) == -EAGAIN); /* the pool is empty */
}

/* As many as there is room for, and again when they have been collected. */
static void check_sent(void) {
    struct macs_ctl_out out = {.queue = (odp_queue_t)(void *)&queues[1]};
    odp_packet_t some[3] = {&packets[0], &packets[1], &packets[2]};
    for (unsigned times = 0; times < MACS_CTL_OUT_MAX / 3; times++)
        assert(macs_ctl_send(&out, some, 3) == 3);
    assert(macs_ctl_send(&out, some, 3) == MACS_CTL_OUT_MAX % 3 && out.waiting == MACS_CTL_OUT_MAX);
    assert(macs_ctl_send(&out, some, 3) == 0 && out.waiting == MACS_CTL_OUT_MAX);
    for (unsigned i = 0; i < 2; i++)
        assert(macs_ctl_collect(&out) == some[i]);
    assert(macs_ctl_send(&out, some, 3) == 2 && queues[1].count == MACS_CTL_OUT_MAX);
    for (unsigned i = 0; i < MACS_CTL_OUT_MAX; i++)
        assert(macs_ctl_collect(&out) != ODP_PACKET_INVALID);
    assert(macs_ctl_collect(&out) == ODP_PACKET_INVALID && out.waiting == 0);
    out.queue = (odp_queue_t)(void *)&queues[0]; /* one with less room than it should have */
    queues[0].count = 1;
    assert(macs_ctl_send(&out, some, 3) == 2 && out.waiting == 2);
}

int main(void) {
    check_losses();
    check_states();
    check_handed();
    check_injected();
    check_sent();
    puts("ok");
    return 0;
}
