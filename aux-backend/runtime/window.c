#include "runtime/window.h"

#include "runtime/parts.h"
#include "runtime/stats.h"
#include "runtime/worker.h"

struct macs_received macs_received_so_far(const struct macs_switch *sw) {
    struct macs_received sum = {0, 0};
    for (unsigned i = macs_first_receiver(sw); i < sw->worker_count; i++) {
        const struct macs_worker_stats *stats = &sw->workers[i]->stats;
        sum.bursts += atomic_load_explicit(&stats->bursts, memory_order_relaxed);
        for (unsigned slot = 0; slot < sw->port_count; slot++)
            sum.packets += atomic_load_explicit(&stats->ports[slot].rx_packets, memory_order_relaxed);
    }
    return sum;
}

int macs_window_milliseconds(uint64_t ns, int most) {
    const uint64_t ms = (ns + 999999) / 1000000;
    return ms < (uint64_t)most ? (int)ms : most;
}
