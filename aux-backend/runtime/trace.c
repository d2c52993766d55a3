#include "runtime/trace.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/switch.h"

#define FRAMES 256u /* that wait; a power of two */

static void release(void *owner, void *what) {
    struct macs_trace *trace = what;
    (void)owner;
    macs_ring_fini(&trace->ring);
    free(trace);
}

int macs_trace_start(struct macs_switch *sw, const struct macs_trace_filter *filter) {
    if (atomic_load(&sw->trace) || macs_qsbr_reserve(sw->qsbr, 1))
        return -EBUSY;
    struct macs_trace *trace = calloc(1, sizeof(*trace));
    if (!trace || macs_ring_init(&trace->ring, FRAMES, sizeof(struct macs_traced) + sw->options.max_frame)) {
        free(trace);
        return -ENOMEM;
    }
    trace->sw = sw;
    trace->filter = *filter;
    atomic_store(&sw->trace, trace);
    atomic_store(&sw->watched, true);
    return 0;
}

void macs_trace_stop(struct macs_switch *sw) {
    struct macs_trace *trace = atomic_load(&sw->trace);
    if (!trace)
        return;
    atomic_store(&sw->watched, sw->capture != NULL);
    atomic_store(&sw->trace, NULL);
    if (sw->workers && !macs_qsbr_reserve(sw->qsbr, 1))
        macs_qsbr_defer(sw->qsbr, release, NULL, trace);
    else if (!sw->workers)
        release(NULL, trace);
    /* else workers hang: one may still look at it, and it stays */
}

static bool matches(const struct macs_trace_filter *filter, odp_packet_t packet) {
    const uint32_t length = odp_packet_len(packet);
    for (unsigned i = 0; i < filter->byte_count; i++) {
        uint8_t byte;
        if (filter->bytes[i].offset >= length || odp_packet_copy_to_mem(packet, filter->bytes[i].offset, 1, &byte) ||
            (byte ^ filter->bytes[i].value) & filter->bytes[i].mask)
            return false;
    }
    return true;
}

/* Whether one more may be taken in this second. */
static bool allowed(struct macs_trace *trace, uint64_t now_ns) {
    const uint64_t limit = trace->filter.per_second, second = now_ns / UINT64_C(1000000000) << 32;
    uint64_t before = atomic_load_explicit(&trace->second, memory_order_relaxed), after;
    do {
        const bool same = before >> 32 == second >> 32;
        if (same && (uint32_t)before >= limit)
            return false;
        after = same ? before + 1 : second + 1;
    } while (limit && !atomic_compare_exchange_weak_explicit(&trace->second, &before, after, memory_order_relaxed,
                                                             memory_order_relaxed));
    return true;
}

static bool wanted(struct macs_trace *trace, odp_packet_t packet, uint64_t now_ns) {
    const struct macs_trace_filter *filter = &trace->filter;
    if (!matches(filter, packet))
        return false;
    if (filter->every > 1 && atomic_fetch_add_explicit(&trace->matched, 1, memory_order_relaxed) % filter->every)
        return false;
    if (filter->per_second && !allowed(trace, now_ns))
        return false;
    return !filter->count || atomic_fetch_add_explicit(&trace->taken, 1, memory_order_relaxed) < filter->count;
}

static void take(struct macs_trace *trace, uint16_t port, odp_packet_t packet, uint64_t now_ns) {
    _Alignas(struct macs_traced) uint8_t record[sizeof(struct macs_traced) + UINT16_MAX];
    struct macs_traced *traced = (struct macs_traced *)(void *)record;
    *traced = (struct macs_traced){.time_ns = now_ns, .length = odp_packet_len(packet), .port = port};
    const bool fits = traced->length <= UINT16_MAX && !odp_packet_copy_to_mem(packet, 0, traced->length, traced->bytes);
    if (!fits || !macs_ring_push(&trace->ring, record, (uint32_t)sizeof(*traced) + traced->length))
        atomic_fetch_add_explicit(&trace->lost, 1, memory_order_relaxed);
}

void macs_trace_burst(struct macs_trace *trace, uint16_t port, const odp_packet_t packets[], unsigned count) {
    if (trace->filter.port != MACS_TRACE_ANY_PORT && trace->filter.port != port)
        return;
    const uint64_t now_ns = macs_switch_now(trace->sw);
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        if (!wanted(trace, packets[i], now_ns))
            continue;
        take(trace, port, packets[i], now_ns);
        any = true;
    }
    if (any)
        macs_bell_ring(&trace->sw->bell);
}
