/* What a port that goes had received and nobody had polled: it is counted and freed, in all of its input queues and in
 * those by which workers hand frames over. */
#include <assert.h>
#include <stdio.h>

#include "runtime/port.h"

enum { MOST = 100 };

static unsigned waiting[3], freed, handed[2], destroyed; /* frames in input queues and in queues between workers */
static bool stopped, closed;

int odp_pktio_stop(odp_pktio_t pktio) {
    (void)pktio;
    stopped = true;
    return 0;
}

int odp_pktio_close(odp_pktio_t pktio) {
    (void)pktio;
    assert(stopped && !closed);
    for (unsigned queue = 0; queue < 2; queue++)
        assert(!waiting[queue]);
    closed = true;
    return 0;
}

/* An input queue is the address of its count. */
int odp_pktin_recv(odp_pktin_queue_t queue, odp_packet_t packets[], int num) {
    unsigned *left = (unsigned *)(uintptr_t)queue;
    assert(stopped && !closed && num > 0);
    unsigned count = *left < (unsigned)num ? *left : (unsigned)num;
    for (unsigned i = 0; i < count; i++)
        packets[i] = (odp_packet_t)waiting;
    *left -= count;
    return count || left != &waiting[1] ? (int)count : -1; /* some tell of their end by an error */
}

void odp_packet_free_multi(const odp_packet_t packets[], int num) {
    for (int i = 0; i < num; i++)
        assert(packets[i] == (odp_packet_t)waiting);
    freed += (unsigned)num;
}

odp_event_t odp_queue_deq(odp_queue_t queue) {
    unsigned *left = (unsigned *)(uintptr_t)queue;
    return *left ? (--*left, (odp_event_t)handed) : ODP_EVENT_INVALID;
}

void odp_event_free(odp_event_t event) {
    assert(event == (odp_event_t)handed);
    freed++;
}

int odp_queue_destroy(odp_queue_t queue) {
    assert(!*(unsigned *)(uintptr_t)queue);
    destroyed++;
    return 0;
}

static void check(unsigned first, unsigned second, unsigned third, unsigned fourth) {
    struct macs_port port = {.name = "port", .pktio = (odp_pktio_t)waiting, .input_count = 2, .handed_count = 2};
    for (unsigned queue = 0; queue < 2; queue++) {
        port.inputs[queue] = (void *)&waiting[queue];
        port.handed[queue] = (void *)&handed[queue];
    }
    waiting[0] = first, waiting[1] = second, waiting[2] = 7, handed[0] = third, handed[1] = fourth;
    freed = destroyed = 0;
    stopped = closed = false;
    assert(macs_port_close(&port) == first + second + third + fourth);
    assert(freed == first + second + third + fourth && closed && destroyed == 2);
    assert(waiting[2] == 7 && port.handed_count == 0 && port.pktio == ODP_PKTIO_INVALID);
    closed = true; /* nothing is closed twice */
    assert(macs_port_close(&port) == 0 && destroyed == 2);
}

int main(void) {
    check(0, 0, 0, 0);
    check(1, 0, 0, 0);
    check(0, 33, 0, 0); /* more than are taken at once */
    check(0, 0, 5, 0);
    check(MOST, MOST - 1, 1, MOST);
    puts("ok");
    return 0;
}
