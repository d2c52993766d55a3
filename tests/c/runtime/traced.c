/* Frames for a client that traces: which of them the filter lets through, what is told of each, and what is lost; and
 * that captures go on behind a trace. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <macs/qsbr.h>

#include "runtime/trace.h"
#include "runtime/worker.h"

enum { SECOND = 1000000000, PORT = 7, OTHER = 9, ROOM = 256 };

static uint64_t clock_ns;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

/* A frame is its head, and the bytes behind it. */
struct frame {
    struct macs_odp_packet head;
    uint8_t bytes[16];
};

int odp_packet_copy_to_mem(odp_packet_t packet, uint32_t offset, uint32_t length, void *to) {
    if (offset + length > odp_packet_len(packet))
        return -1;
    memcpy(to, ((const struct frame *)(const void *)packet)->bytes + offset, length);
    return 0;
}

static struct frame frames[300];
static struct macs_thread *no_workers[1];
static struct macs_switch sw = {.workers = no_workers, .options = {.max_frame = 16}};

/* Frames from a port: number n has 4 + n % 3 bytes, n the first of them, 0xa0 + n % 16 the second. */
static void receive(uint16_t port, unsigned first, unsigned count) {
    odp_packet_t packets[300];
    for (unsigned i = 0; i < count; i++) {
        frames[i].head.len = 4 + (first + i) % 3;
        frames[i].bytes[0] = (uint8_t)(first + i);
        frames[i].bytes[1] = (uint8_t)(0xa0 + (first + i) % 16);
        packets[i] = &frames[i].head;
    }
    macs_trace_burst(atomic_load(&sw.trace), port, packets, count);
}

/* Whether these frames wait and no others, with all that is known of them; they are taken out. */
static bool told(const char *numbers, uint16_t port) {
    struct macs_trace *trace = atomic_load(&sw.trace);
    const struct macs_traced *traced;
    char all[2000] = "";
    for (uint32_t length; (traced = macs_ring_peek(&trace->ring, &length)); macs_ring_pop(&trace->ring)) {
        assert(length == sizeof(*traced) + traced->length && traced->length == 4u + traced->bytes[0] % 3);
        assert(traced->port == port && traced->time_ns == clock_ns);
        assert(traced->bytes[1] == 0xa0 + traced->bytes[0] % 16);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%u", all[0] ? " " : "", traced->bytes[0]);
    }
    if (strcmp(all, numbers))
        printf("'%s' instead of '%s'\n", all, numbers);
    return !strcmp(all, numbers);
}

static void start(struct macs_trace_filter filter) {
    assert(macs_trace_start(&sw, &filter) == 0 && sw.watched);
}

static void check_filters(void) {
    start((struct macs_trace_filter){.port = PORT});
    assert(macs_trace_start(&sw, &(const struct macs_trace_filter){.port = OTHER}) == -EBUSY);
    receive(PORT, 0, 3);
    receive(OTHER, 3, 3);
    assert(told("0 1 2", PORT));
    macs_trace_stop(&sw);
    start((struct macs_trace_filter){.port = MACS_TRACE_ANY_PORT, .every = 3, .count = 4});
    receive(OTHER, 0, 2);
    receive(OTHER, 2, 6);
    assert(told("0 3 6", OTHER));
    receive(PORT, 8, 9);
    assert(told("9", PORT)); /* the fourth, and no more of them */
    receive(PORT, 17, 20);
    assert(told("", PORT));
    macs_trace_stop(&sw);
    start((struct macs_trace_filter){
        .port = PORT, .every = 2, .byte_count = 2, .bytes = {{1, 0xa1, 0xf1}, {4, 0, 0}}}); /* of those that match */
    receive(PORT, 0, 16);
    assert(told("1 7 13", PORT)); /* odd ones of 5 bytes and more: 1 5 7 11 13 */
    macs_trace_stop(&sw);
}

/* So many in each second of the switch's, in the first burst of it or in several. */
static void check_rate(void) {
    clock_ns = 5 * (uint64_t)SECOND;
    start((struct macs_trace_filter){.port = PORT, .per_second = 3});
    for (unsigned second = 0; second < 3; second++) {
        receive(PORT, 10 * second, 2);
        receive(PORT, 10 * second + 2, 5);
        assert(told(second ? second == 1 ? "10 11 12" : "20 21 22" : "0 1 2", PORT));
        clock_ns += SECOND - 1;
        receive(PORT, 0, 2);
        assert(told("", PORT));
        clock_ns += 1;
    }
    macs_trace_stop(&sw);
}

/* What there is no room for is lost, and counted; a later trace begins with none. */
static void check_losses(void) {
    for (unsigned times = 0; times < 2; times++) {
        start((struct macs_trace_filter){.port = PORT});
        receive(PORT, 0, ROOM - 1);
        assert(atomic_load(&atomic_load(&sw.trace)->lost) == 0);
        receive(PORT, 0, 40);
        assert(atomic_load(&atomic_load(&sw.trace)->lost) == 39);
        macs_trace_stop(&sw);
    }
}

/* Workers look at what they receive as long as there is a trace or a capture. */
static void check_watch(void) {
    static struct macs_capture *const captures = (struct macs_capture *)&captures;
    assert(!sw.watched && !sw.trace);
    macs_trace_stop(&sw);
    assert(!sw.watched);
    sw.capture = captures;
    sw.watched = true;
    start((struct macs_trace_filter){.port = PORT});
    macs_trace_stop(&sw);
    assert(sw.watched && !sw.trace);
    sw.capture = NULL;
}

int main(void) {
    assert(macs_qsbr_create(&sw.qsbr) == 0);
    check_filters();
    check_rate();
    check_losses();
    check_watch();
    macs_qsbr_destroy(sw.qsbr);
    puts("ok");
    return 0;
}
